//! Random specifications by a grammar with types: the refinement finds the solutions that trying every
//! combination of values finds. A few hundred with the other tests; `RANDOM_SPECIFICATIONS` more in the
//! ignored test.

use crate::common::{check_random, more_seeds};
use ployglot_base::Random;

/// Specifications with more combinations of values are left out.
const MOST: u64 = 3_000;

/// The types that expressions have here.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ty {
    Bool,
    Int,
    Set,
    MSet,
    Function,
    Sequence,
    Relation,
    Partition,
    Tuple,
    Sets,
    List,
}

const ALL: [Ty; 11] = [
    Ty::Bool,
    Ty::Int,
    Ty::Set,
    Ty::MSet,
    Ty::Function,
    Ty::Sequence,
    Ty::Relation,
    Ty::Partition,
    Ty::Tuple,
    Ty::Sets,
    Ty::List,
];

struct Grammar {
    random: Random,
    /// Names in scope.
    names: Vec<(String, Ty)>,
    fresh: usize,
}

impl Grammar {
    fn specification(&mut self) -> String {
        let mut text = String::new();
        for place in 0..1 + self.random.below(3) {
            let ty = *self.random.choose(&ALL);
            let name = format!("v{place}");
            text += &format!("find {name} : {}\n", self.domain(ty));
            self.names.push((name, ty));
        }
        let count = 1 + self.random.below(2);
        let all: Vec<String> = (0..count).map(|_| self.of(Ty::Bool, 3)).collect();
        text + "such that " + &all.join(",\n    ")
    }

    fn domain(&mut self, ty: Ty) -> &'static str {
        let choices: &[&'static str] = match ty {
            Ty::Bool => &["bool"],
            Ty::Int => &["int(0..3)", "int(-1, 2..3)"],
            Ty::Set => &[
                "set of int(1..3)",
                "set (size 2) of int(0..3)",
                "set (maxSize 2) of int(1..150)",
            ],
            Ty::MSet => &[
                "mset (maxSize 2) of int(1..3)",
                "mset (maxOccur 2) of int(1..2)",
            ],
            Ty::Function => &[
                "function int(1..2) --> int(1..3)",
                "function (total) int(1..2) --> int(0..2)",
                "function (injective) int(1..3) --> int(1..2)",
            ],
            Ty::Sequence => &[
                "sequence (maxSize 2) of int(1..3)",
                "sequence (size 2) of int(0..2)",
            ],
            Ty::Relation => &[
                "relation of (int(1..2) * int(1..2))",
                "relation (symmetric) of (int(1..2) * int(1..2))",
            ],
            Ty::Partition => &[
                "partition from int(1..3)",
                "partition (regular) from int(1..4)",
            ],
            Ty::Tuple => &["(int(1..2), int(1..2))"],
            Ty::Sets => &["set (maxSize 2) of set of int(1..2)"],
            Ty::List => &["matrix indexed by [int(1..2)] of int(1..3)"],
        };
        let choice: &&str = self.random.choose(choices);
        choice
    }

    /// An expression of a type.
    fn of(&mut self, ty: Ty, depth: usize) -> String {
        let known: Vec<String> = self
            .names
            .iter()
            .filter(|(_, known)| *known == ty)
            .map(|(name, _)| name.clone())
            .collect();
        if !known.is_empty() && (depth == 0 || self.random.chance(1, 3)) {
            return self.random.choose(&known).clone();
        }
        if depth == 0 {
            return self.literal(ty);
        }
        let d = depth - 1;
        match ty {
            Ty::Bool => self.truth(d),
            Ty::Int => self.int(d),
            Ty::Set => match self.random.below(12) {
                0 => format!("({} union {})", self.of(ty, d), self.of(ty, d)),
                1 => format!("({} intersect {})", self.of(ty, d), self.of(ty, d)),
                2 => format!("({} - {})", self.of(ty, d), self.of(ty, d)),
                3 => format!("defined({})", self.of(Ty::Function, d)),
                4 => format!("range({})", self.of(Ty::Function, d)),
                5 => format!(
                    "preImage({}, {})",
                    self.of(Ty::Function, d),
                    self.of(Ty::Int, d)
                ),
                6 => format!(
                    "imageSet({}, {})",
                    self.of(Ty::Function, d),
                    self.of(Ty::Int, d)
                ),
                7 => format!(
                    "party({}, {})",
                    self.of(Ty::Int, d),
                    self.of(Ty::Partition, d)
                ),
                8 => format!("participants({})", self.of(Ty::Partition, d)),
                9 => format!("toSet({})", self.of(Ty::MSet, d)),
                10 => format!("toSet({})", self.of(Ty::List, d)),
                _ => format!("{{{}, {}}}", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            },
            Ty::MSet => match self.random.below(6) {
                0 => format!("({} union {})", self.of(ty, d), self.of(ty, d)),
                1 => format!("({} intersect {})", self.of(ty, d), self.of(ty, d)),
                2 => format!("({} - {})", self.of(ty, d), self.of(ty, d)),
                3 => format!("toMSet({})", self.of(Ty::Set, d)),
                4 => format!("toMSet({})", self.of(Ty::List, d)),
                _ => format!("mset({}, {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            },
            Ty::Function => match self.random.below(4) {
                0 => format!("restrict({}, `int(1..2)`)", self.of(ty, d)),
                1 => format!("({} intersect {})", self.of(ty, d), self.of(ty, d)),
                2 => format!("({} - {})", self.of(ty, d), self.of(ty, d)),
                _ => format!(
                    "function({} --> {}, 2 --> {})",
                    self.of(Ty::Int, d),
                    self.of(Ty::Int, d),
                    self.of(Ty::Int, d)
                ),
            },
            Ty::Sequence => format!("sequence({}, {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            Ty::Relation => match self.random.below(3) {
                0 => format!("toRelation({})", self.of(Ty::Function, d)),
                1 => format!("({} - {})", self.of(ty, d), self.of(ty, d)),
                _ => format!(
                    "relation({}, {})",
                    self.of(Ty::Tuple, d),
                    self.of(Ty::Tuple, d)
                ),
            },
            Ty::Partition => self.literal(ty),
            Ty::Tuple => format!("({}, {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            Ty::Sets => match self.random.below(3) {
                0 => format!("parts({})", self.of(Ty::Partition, d)),
                1 => format!("powerSet({})", self.of(Ty::Set, 0)),
                _ => format!("{{{}, {}}}", self.of(Ty::Set, d), self.of(Ty::Set, d)),
            },
            Ty::List => match self.random.below(3) {
                0 => format!("[{}, {}]", self.of(Ty::Int, d), self.of(Ty::Int, d)),
                _ => self.comprehension(Ty::Int, d),
            },
        }
    }

    fn literal(&mut self, ty: Ty) -> String {
        let choices: &[&str] = match ty {
            Ty::Bool => &["true", "false"],
            Ty::Int => &["0", "1", "2", "3", "-1"],
            Ty::Set => &["{1, 2}", "{}", "{3}"],
            Ty::MSet => &["mset(1, 1)", "mset(2)"],
            Ty::Function => &["function(1 --> 2)", "function(1 --> 1, 2 --> 3)"],
            Ty::Sequence => &["sequence(1, 2)", "sequence(3)"],
            Ty::Relation => &["relation((1, 2))", "relation((1, 1), (2, 1))"],
            Ty::Partition => &["partition({1, 2}, {3})", "partition({1}, {2}, {3})"],
            Ty::Tuple => &["(1, 2)", "(2, 2)"],
            Ty::Sets => &["{{1}, {1, 2}}", "{{}}"],
            Ty::List => &["[1, 2]", "[3]"],
        };
        self.random.choose(choices).to_string()
    }

    fn truth(&mut self, d: usize) -> String {
        let (a, b) = (self.of(Ty::Bool, d), self.of(Ty::Bool, d));
        match self.random.below(22) {
            0 => format!("({a} /\\ {b})"),
            1 => format!("({a} \\/ {b})"),
            2 => format!("({a} -> {b})"),
            3 => format!("({a} <-> {b})"),
            4 => format!("!({a})"),
            5..=9 => {
                let ty = *self.random.choose(&ALL);
                let sign = *self.random.choose(&["=", "!=", ".<", "~<=", ".<="]);
                format!("({} {sign} {})", self.of(ty, d), self.of(ty, d))
            }
            10 | 11 => {
                let sign = *self.random.choose(&["<", "<=", ">", ">="]);
                format!("({} {sign} {})", self.of(Ty::Int, d), self.of(Ty::Int, d))
            }
            12 => {
                let of = *self.random.choose(&[Ty::Set, Ty::MSet, Ty::List]);
                format!("({} in {})", self.of(Ty::Int, d), self.of(of, d))
            }
            13 => {
                let of =
                    *self
                        .random
                        .choose(&[Ty::Set, Ty::MSet, Ty::Function, Ty::Relation, Ty::Sets]);
                let sign = *self
                    .random
                    .choose(&["subset", "subsetEq", "supset", "supsetEq"]);
                format!("({} {sign} {})", self.of(of, d), self.of(of, d))
            }
            14 => format!("({} in {})", self.of(Ty::Set, d), self.of(Ty::Sets, d)),
            15 => format!(
                "({} in {})",
                self.of(Ty::Tuple, d),
                self.of(Ty::Relation, d)
            ),
            16 => {
                let sign = *self.random.choose(&["together", "apart"]);
                format!(
                    "{sign}({}, {})",
                    self.of(Ty::Set, d),
                    self.of(Ty::Partition, d)
                )
            }
            17 => {
                let sign = *self.random.choose(&["substring", "subsequence"]);
                format!(
                    "({} {sign} {})",
                    self.of(Ty::Sequence, d),
                    self.of(Ty::Sequence, d)
                )
            }
            18 => {
                let sign = *self.random.choose(&["<lex", "<=lex"]);
                format!("({} {sign} {})", self.of(Ty::List, d), self.of(Ty::List, d))
            }
            19 => format!("allDiff({})", self.of(Ty::List, d)),
            _ => {
                let operator = *self.random.choose(&["and", "or"]);
                format!("{operator}({})", self.comprehension(Ty::Bool, d))
            }
        }
    }

    fn int(&mut self, d: usize) -> String {
        let collection = *self.random.choose(&[Ty::Set, Ty::MSet, Ty::List]);
        match self.random.below(14) {
            0 => format!("({} + {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            1 => format!("({} - {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            2 => format!("({} * {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            3 => format!("({} / {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            4 => format!("({} % {})", self.of(Ty::Int, d), self.of(Ty::Int, d)),
            5 => format!("toInt({})", self.of(Ty::Bool, d)),
            6 | 7 => {
                let ty = *self.random.choose(&ALL[2..8]);
                format!("|{}|", self.of(ty, d))
            }
            8 => format!("max({})", self.of(collection, d)),
            9 => format!("sum({})", self.of(collection, d)),
            10 => format!(
                "{}({})",
                self.application(Ty::Function),
                self.of(Ty::Int, d)
            ),
            11 => format!(
                "{}({})",
                self.application(Ty::Sequence),
                self.of(Ty::Int, d)
            ),
            12 => format!("{}[1]", self.of(Ty::Tuple, 0)),
            _ => format!("freq({}, {})", self.of(Ty::MSet, d), self.of(Ty::Int, d)),
        }
    }

    /// Something that can be applied: a name or a literal.
    fn application(&mut self, ty: Ty) -> String {
        self.of(ty, 0)
    }

    fn comprehension(&mut self, ty: Ty, d: usize) -> String {
        let name = format!("q{}", self.fresh);
        self.fresh += 1;
        let (generator, bound) = match self.random.below(6) {
            0 => (format!("{name} : int(0..2)"), Ty::Int),
            1 => (format!("{name} <- {}", self.of(Ty::Set, d)), Ty::Int),
            2 => (format!("{name} <- {}", self.of(Ty::MSet, d)), Ty::Int),
            3 => (format!("{name} <- {}", self.of(Ty::Function, d)), Ty::Tuple),
            4 => (format!("{name} <- {}", self.of(Ty::Relation, d)), Ty::Tuple),
            _ => (format!("{name} <- {}", self.of(Ty::Sets, d)), Ty::Set),
        };
        let mark = self.names.len();
        self.names.push((name, bound));
        let condition = match self.random.chance(1, 3) {
            true => format!(", {}", self.of(Ty::Bool, d)),
            false => String::new(),
        };
        let body = self.of(ty, d);
        self.names.truncate(mark);
        format!("[{body} | {generator}{condition}]")
    }
}

fn specification(seed: u64) -> String {
    let mut grammar = Grammar {
        random: Random::new(seed),
        names: Vec::new(),
        fresh: 0,
    };
    grammar.specification()
}

#[test]
fn random_specifications_have_the_solutions_that_the_judge_accepts() {
    check_random(0..400, MOST, specification, 150);
}

#[test]
#[ignore = "takes as long as RANDOM_SPECIFICATIONS says"]
fn many_random_specifications() {
    check_random(more_seeds(), MOST, specification, 0);
}
