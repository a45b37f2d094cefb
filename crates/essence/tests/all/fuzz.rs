//! Fuzzing of the reader: mutated texts, arbitrary bytes, words in any order and deeply nested texts
//! must not make it panic, and an error must point into the text that it is about. What is accepted is
//! instantiated and refined, which must not panic either. Reading a text ends within `MOST`, even on a
//! loaded machine without optimisation.

use std::time::Duration;

use ployglot_base::{Budget, Random};
use ployglot_eprime::Source;
use ployglot_essence::{Model, Params};
use ployglot_testing::fuzz::{mutate, points_into};

const MOST: Duration = Duration::from_secs(60);

const MODEL: &str = "language Essence 1.3 $ a comment
given n : int(1..)
given E new type enum
given w : function (E, E) --> int
letting D be domain int(0..n, 7)
letting U be new type of size n
letting F be new type enum {red, green}
find s : set (minSize 1, maxSize n) of D
find f : function (total, injective) F --> int(1..4)
find p : partition (regular) from int(1..4)
find r : relation (size 2) of (F * U)
find v : variant {a : bool, b : D}
find t : (bool, record {x : int(1..2), y : sequence (maxSize 2) of F})
find q : permutation of int(1..3)
find m : matrix indexed by [int(1..2), bool] of mset (maxOccur 2) of bool
where n > 1, |`E`| >= 1
minimising sum([i * 2 | i <- s, i != n, letting k be i]) + |f|
branching on [s, f]
such that forAll i, j in s . i < j -> f(red) != j \\/ !(i / j = 2),
exists (a, b) in r . a = green, together({1, 2}, p), active(v, a) -> v[a],
{1, 2} union s subsetEq toSet([x | x : D]), t[2][y](1) = red, q(1) = 2,
m[1, true] ~< mset(true), |r(red, _)| <= 1, forAll {a, b} in parts(p) . a + b = 3!,
([] : `matrix indexed by [int] of bool`) = [], max(range(f)) >= 2 ** 1, catchUndef(f(green), 0) = 1
";

const PARAMS: &str = "letting n be 3
letting E be new type enum {e1, e2}
letting w be function((e1, e2) --> 3, (e2, e2) --> -1)
";

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "..",
    ".",
    ",",
    ":",
    ";",
    "`",
    "-->",
    "<-",
    "~<",
    "int",
    "set of",
    "function",
    "partition from",
    "forAll",
    "sum",
    "x",
    "s",
    "1",
    "-",
    "$",
    "\n",
    "\t",
    "\u{0}",
    "\u{e9}",
    "in",
    "union",
    "such that",
    "find",
    "letting",
    "be domain",
    "**",
    "toSet(",
    "9999999999999999999",
    "9223372036854775807",
    "/ 0",
    "[[[[",
    "int(..)",
    "forAll i : int(1..0) .",
    "_",
    "!",
    "new type enum {",
    "record {",
    "variant {",
    "matrix indexed by [",
    "permutation((1,2))",
    "(size 1000000)",
    "int(0..100000)",
];

fn read(model_text: &str, params_text: &str) -> bool {
    let most = Budget::unlimited().with_time(MOST);
    let model = Model::parse_within(model_text, &most).expect("it is read in time");
    let model = match model {
        Ok(model) => model,
        Err(bad) => {
            points_into(model_text, &bad);
            return false;
        }
    };
    let params = Params::parse_within(params_text, &most).expect("it is read in time");
    let params = match params {
        Ok(params) => params,
        Err(bad) => {
            points_into(params_text, &bad);
            return false;
        }
    };
    let budget = Budget::unlimited().with_time(Duration::from_millis(100));
    let Ok(instance) = model.instance_within(&params, &budget) else {
        return false;
    };
    let refined = match &instance {
        Ok(instance) => match instance.refine_within(&budget) {
            Ok(refined) => refined.map(|_| ()),
            Err(_) => return false,
        },
        Err(fault) => Err(fault.clone()),
    };
    if let Err(fault) = refined {
        match fault.source {
            Source::Model => points_into(model_text, &fault.bad),
            Source::Params => points_into(params_text, &fault.bad),
            Source::Setting => {}
        }
        return false;
    }
    true
}

#[test]
fn mutated_texts_do_not_panic() {
    assert!(read(MODEL, PARAMS), "the texts are right");
    let mut random = Random::new(1);
    let mut accepted = 0;
    for round in 0..1_500 {
        let (model, params) = match round % 4 {
            0 => (MODEL.to_string(), mutate(PARAMS, PIECES, &mut random)),
            _ => (mutate(MODEL, PIECES, &mut random), PARAMS.to_string()),
        };
        accepted += usize::from(read(&model, &params));
    }
    assert!(accepted > 20, "only {accepted} of the texts were accepted");
}

#[test]
fn arbitrary_texts_do_not_panic() {
    let mut random = Random::new(2);
    for round in 0..3_000 {
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
    }
}

#[test]
fn deep_texts_are_refused_and_long_ones_are_read() {
    let many = 100_000;
    let nested = |start: &str, part: &str, end: &str| start.to_string() + &part.repeat(many) + end;
    for text in [
        nested("such that ", "(", ""),
        nested("such that ", "!", "true"),
        nested("such that ", "|", ""),
        nested("letting x be ", "-", "1"),
        nested("letting x be ", "[", ""),
        nested("letting x be ", "{", ""),
        nested("letting x be ", "sequence(", ""),
        nested("letting x be ", "2**", "1"),
        nested("letting x be ", "f(", ""),
        nested("letting x be f", "(1)", ""),
        nested("letting x be m", "[1]", ""),
        nested("letting x be ", "[1 | ", ""),
        nested("letting x be [1 | ", "(", ""),
        nested("letting x be [1 | ", "{a, ", ""),
        nested("such that ", "forAll i : int(1..2) . ", "true"),
        nested("such that ", "exists (a, b) in s . ", "true"),
        nested("such that forAll ", "(", ""),
        nested("such that true", " -> true", ""),
        nested("letting x be 1", " - 1", ""),
        nested("letting x be 1", " - 1 + 1", ""),
        nested("find x : ", "set of ", "bool"),
        nested("find x : ", "matrix indexed by [bool] of ", "bool"),
        nested("find x : ", "function bool --> ", "bool"),
        nested("find x : ", "record {a : ", ""),
        nested("find x : ", "(bool, ", ""),
        nested("find x : ", "int(1..|`", ""),
        // Each level would copy what is inside it.
        nested("such that ", "forAll a, b : int(1..toInt(", ""),
        nested("such that ", "forAll a, b in [c | c, d <- ", ""),
    ] {
        let most = Budget::unlimited().with_time(MOST);
        let read = Model::parse_within(&text, &most).expect("it is read in time");
        points_into(&text, &read.map(|_| ()).expect_err("too deep"));
    }
    // Long lists and sums are not deep.
    for text in [
        nested("such that true", " /\\ true", ""),
        nested("letting x be 1", " + 1", ""),
        "letting x be 1".to_string() + &" - 1".repeat(900),
        nested("letting x be {1", ", 1", "}"),
    ] {
        let most = Budget::unlimited().with_time(MOST);
        let read = Model::parse_within(&text, &most).expect("it is read in time");
        assert!(read.is_ok(), "{:.60}", text);
    }
}
