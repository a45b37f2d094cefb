//! Fuzzing of the reader: mutated texts, arbitrary bytes, words in any order, and texts that follow the
//! grammar but not the types. The reader must not panic, and an error must point into the text that it
//! is about. Reading a text ends within `MOST`, even on a loaded machine without optimisation.
//!
//! A few thousand texts are read with the other tests; the ignored test reads `FUZZ_TEXTS` texts.

use std::time::Duration;

use ployglot_base::{Budget, Random};
use ployglot_eprime::{Model, Params, Solution, Source};
use ployglot_testing::fuzz::{mutate, points_into};

const MOST: Duration = Duration::from_secs(60);

/// Every statement and most expressions of the language.
const MODEL: &str = "language ESSENCE' 1.0 $ a comment
given g : matrix indexed by [int(1..h), int(1..w)] of int(0..)
given k : int(1..)
letting D be domain int(0..3) union int(5)
letting T : matrix indexed by [int(1..2), int(1..2)] of int = [[1,2],[2,1]]
find x, y : matrix indexed by [int(0..h)] of D
find b : bool
where h > 1
minimising sum(x) + |x[0] - y[0]|
branching on [x, y]
heuristic sdf
such that
forAll i : int(1..h) . x[i] = g[i, 1] \\/ !(b <-> x[y[i]] <= 2 ** i),
allDiff([x[i] | i : int(0..h), i % 2 = 0]), x <lex y,
b -> (exists k, l : bool . k /\\ l), flatten(g[1,..]) >=lex [1,2 ; int(4..5)],
table([x[0], y[0]], T), gcc(x, [1], [k]), x[1] in toSet([1, k / 0]), max(x) != min(y[0], 2),
alldifferent_except(y, 0), atleast(x, [1], [2]), (sum i : D . i * x[0]) - factorial(3) >= -k
";

const PARAMS: &str = "language ESSENCE' 1.0
letting g be [[1,2],[3,4]]
letting k = 2 $ two
";

const SOLUTION: &str = "letting x be [0,1,2 ; int(0..2)]
letting y be [3,3,3 ; int(0..2)]
letting b be true
";

/// Fragments that are likely to cause errors.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "|",
    "..",
    ".",
    ",",
    ":",
    ";",
    "int",
    "bool",
    "matrix",
    "forAll",
    "sum",
    "x",
    "b",
    "1",
    "-",
    "$",
    "\n",
    "\r",
    "\t",
    "\u{0}",
    "\u{e9}",
    "<lex",
    "in",
    "union",
    "'",
    "such that",
    "find",
    "letting",
    "be domain",
    "**",
    "toSet(",
    "99999999999",
    "2147483647",
    "-2147483648",
    "/ 0",
    "[[[[",
    "int(..)",
    "matrix indexed by []",
    "forAll i : int(1..0) .",
    "given",
    "where",
    "language",
    "$$",
    "| i : D",
    "b\u{e9}",
];

/// Random texts by the grammar, regardless of types, names and domains.
struct Grammar<'r>(&'r mut Random);

impl Grammar<'_> {
    fn model(&mut self) -> String {
        let mut text = String::new();
        if self.0.chance(3, 4) {
            text += "letting a be 2 letting D be domain int(0..2) find b, n : bool find i, x : D\n\
                find M, N : matrix indexed by [D, bool] of int(0..3)\n";
        }
        for _ in 0..self.0.below(3) {
            let (name, domain, expression) = (self.name(), self.domain(2), self.expression(3));
            text += &match self.0.below(9) {
                0 => format!("given {name} : {domain}"),
                1 => format!("letting {name} be {expression}"),
                2 => format!("letting {name} = {expression}"),
                3 => format!("letting {name} be domain {domain}"),
                4 => format!("find {name}, {} : {domain}", self.name()),
                5 => format!("where {expression}"),
                6 => format!("maximising {expression}"),
                7 => format!("branching on [{name}]"),
                _ => format!("letting {name} : {domain} = {expression}"),
            };
            text.push('\n');
        }
        let count = 1 + self.0.below(3);
        let all: Vec<String> = (0..count).map(|_| self.expression(4)).collect();
        text + "such that " + &all.join(",\n") + "\n"
    }

    fn params(&mut self) -> String {
        let count = self.0.below(4);
        let one = |_| format!("letting {} be {}\n", self.name(), self.expression(2));
        (0..count).map(one).collect()
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "x", "M", "N", "D", "i", "n"][self.0.below(8)]
    }

    fn domain(&mut self, depth: usize) -> String {
        if depth == 0 {
            return [
                "bool",
                "int(0..2)",
                "int(1,3)",
                "int",
                "int(1..)",
                "int(..n)",
                "D",
            ][self.0.below(7)]
            .to_string();
        }
        let (a, b) = (self.domain(depth - 1), self.domain(depth - 1));
        match self.0.below(7) {
            0 => format!("{a} union {b}"),
            1 => format!("{a} intersect {b}"),
            2 => format!("{a} - {b}"),
            3 => format!("matrix indexed by [{a}] of {b}"),
            4 => format!("matrix indexed by [{a}, {b}] of {a}"),
            5 => format!("int({}..{})", self.expression(1), self.expression(1)),
            _ => a,
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.0.below(4) {
                0 => (self.0.below(5) as i64 - 1).to_string(),
                1 => ["true", "false", "[1,2]", "[true]", "[[1],[2]]", "[]"][self.0.below(6)]
                    .to_string(),
                _ => self.name().to_string(),
            };
        }
        let operators = [
            "+", "-", "*", "/", "%", "**", "=", "!=", "<", "<=", ">", ">=", "<lex", ">=lex", "/\\",
            "\\/", "->", "<->", "in",
        ];
        let functions = [
            "sum",
            "product",
            "and",
            "or",
            "min",
            "max",
            "flatten",
            "toSet",
            "allDiff",
            "alldifferent_except",
            "atleast",
            "atmost",
            "gcc",
            "table",
            "negativetable",
            "factorial",
            "popcount",
            "toInt",
        ];
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.0.below(12) {
            0..=3 => format!("({a} {} {b})", self.0.choose(&operators)),
            4 => format!("{}({a})", self.0.choose(&functions)),
            5 => format!("{}({a}, {b})", self.0.choose(&functions)),
            6 => format!(
                "{}({a}, {b}, {})",
                self.0.choose(&functions),
                self.expression(1)
            ),
            7 => format!("(forAll {} : {} . {a})", self.name(), self.domain(1)),
            8 => format!(
                "(sum {}, {} : {} . {a})",
                self.name(),
                self.name(),
                self.domain(1)
            ),
            9 => format!("[{a} | {} : {}, {b}]", self.name(), self.domain(1)),
            10 => format!("{}[{a}, {}]", self.name(), [&b, ".."][self.0.below(2)]),
            _ => [
                format!("!{a}"),
                format!("|{a}|"),
                format!("(-{a})"),
                format!("[{a}, {b}]"),
            ][self.0.below(4)]
            .clone(),
        }
    }
}

/// Whether the text has only small numbers, so that unrolling it is cheap.
fn is_small(text: &str) -> bool {
    let long = |digits: &str| digits.len() > 1;
    !text.split(|c: char| !c.is_ascii_digit()).any(long)
}

/// The stage that the texts reach: 0 is a model that cannot be read, 3 is a flat problem.
#[track_caller]
fn read(model_text: &str, params_text: &str) -> usize {
    let most = Budget::unlimited().with_time(MOST);
    let params = Params::parse_within(params_text, &most).expect("it is read in time");
    if let Err(bad) = &params {
        points_into(params_text, bad);
    }
    let model = Model::parse_within(model_text, &most).expect("it is read in time");
    let model = match model {
        Ok(model) => model,
        Err(bad) => {
            points_into(model_text, &bad);
            return 0;
        }
    };
    let Ok(params) = params else {
        return 1;
    };
    if !is_small(model_text) || !is_small(params_text) {
        return 1;
    }
    let fault = match model.instance(&params) {
        Ok(instance) => match instance.unroll() {
            Ok(_) => return 3,
            Err(fault) => fault,
        },
        Err(fault) => fault,
    };
    match fault.source {
        Source::Model => points_into(model_text, &fault.bad),
        Source::Params => points_into(params_text, &fault.bad),
        Source::Setting => panic!("nothing was set: {fault}"),
    }
    2
}

/// How many texts reach each stage.
fn fuzz(seed: u64, texts: usize) -> [usize; 4] {
    assert_eq!(read(MODEL, PARAMS), 3);
    let mut random = Random::new(seed);
    let mut reached = [0; 4];
    for round in 0..texts {
        let (mut model, mut params) = match round % 3 {
            2 => {
                let mut grammar = Grammar(&mut random);
                (grammar.model(), grammar.params())
            }
            _ => (MODEL.to_string(), PARAMS.to_string()),
        };
        match round % 6 {
            0 | 3 | 5 => model = mutate(&model, PIECES, &mut random),
            1 => params = mutate(&params, PIECES, &mut random),
            4 => {
                model = mutate(&model, PIECES, &mut random);
                params = mutate(&params, PIECES, &mut random);
            }
            _ => {}
        }
        reached[read(&model, &params)] += 1;
        let solution = mutate(SOLUTION, PIECES, &mut random);
        if let Err(bad) = Solution::parse(&solution) {
            points_into(&solution, &bad);
        }
    }
    reached
}

#[test]
fn no_text_makes_the_reader_panic() {
    let reached = fuzz(3, 12_000);
    assert!(reached.iter().all(|&count| count > 80), "{reached:?}");
}

#[test]
#[ignore = "takes long; the number of texts and the seed are variables: FUZZ_TEXTS=1000000 FUZZ_SEED=7"]
fn none_of_many_texts_makes_the_reader_panic() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let texts = number("FUZZ_TEXTS").unwrap_or(200_000);
    let seed = number("FUZZ_SEED").unwrap_or(4);
    println!("{:?}", fuzz(seed as u64, texts));
}

#[test]
fn arbitrary_texts_do_not_make_the_reader_panic() {
    let mut random = Random::new(2);
    for round in 0..6_000 {
        let length = random.below(60);
        let text: String = match round % 3 {
            // Bytes, as a file that is no text would be read.
            0 => {
                let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            1 => (0..length)
                .filter_map(|_| char::from_u32(random.below(0x11_0000) as u32))
                .collect(),
            // Words of the language in any order.
            _ => {
                let words: Vec<&str> = MODEL.split_whitespace().collect();
                (0..length)
                    .map(|_| match random.chance(1, 2) {
                        true => *random.choose(&words),
                        false => *random.choose(PIECES),
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            }
        };
        read(&text, PARAMS);
        read(MODEL, &text);
        if let Err(bad) = Solution::parse(&text) {
            points_into(&text, &bad);
        }
    }
}

#[test]
fn deep_texts_are_refused_and_long_ones_are_read() {
    let many = 200_000;
    for text in [
        "such that ".to_string() + &"(".repeat(many),
        "such that ".to_string() + &"!".repeat(many) + "true",
        "letting x = ".to_string() + &"-".repeat(many) + "1",
        "letting x = ".to_string() + &"[".repeat(many),
        "letting x = ".to_string() + &"2**".repeat(many) + "1",
        "letting x = 1".to_string() + &" - 1".repeat(many),
        "such that ".to_string() + &"forAll i : int(1..2) . ".repeat(many) + "true",
        "find x : ".to_string() + &"matrix indexed by [bool] of ".repeat(many) + "bool",
        "letting x = [1 | ".to_string() + &"a, ".repeat(many),
        "such that true".to_string() + &" -> true".repeat(many),
        "letting x be domain int(1)".to_string() + &" union int(1)".repeat(many),
        "\u{0}\u{1}\u{7f}".repeat(many),
        "find x : int(1..1)[1]".to_string() + &"[1]".repeat(many),
    ] {
        let bad = Model::parse(&text).map(|_| ()).expect_err("too deep");
        points_into(&text, &bad);
    }
    // Long chains are not deep.
    for text in [
        "such that true".to_string() + &" /\\ true".repeat(many),
        "letting x = 1".to_string() + &" + 1".repeat(many),
    ] {
        assert!(Model::parse(&text).is_ok());
    }
}
