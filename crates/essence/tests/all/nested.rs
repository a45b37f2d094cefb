//! Random specifications over types nested in each other: sets of functions, functions to partitions,
//! variants in multi-sets, … The refinement finds the solutions that trying every combination of values
//! finds. `random.rs` has more operators over fewer types. `RANDOM_SPECIFICATIONS` more are in the
//! ignored test.

use crate::common::{check_random, more_seeds};
use ployglot_base::Random;

/// Specifications with more combinations of values are left out.
const MOST: u64 = 2_000;

#[derive(Clone, Debug, PartialEq)]
enum Ty {
    Bool,
    Int,
    Enum,
    Tuple(Vec<Ty>),
    Record(Box<[Ty; 2]>),
    Variant(Box<[Ty; 2]>),
    Matrix(Box<Ty>),
    Set(Box<Ty>),
    MSet(Box<Ty>),
    Sequence(Box<Ty>),
    Function(Box<[Ty; 2]>),
    Relation(Box<[Ty; 2]>),
    Partition(Box<Ty>),
    Permutation(Box<Ty>),
}

impl Ty {
    /// What a generator over a value of this type binds.
    fn member(&self) -> Option<Ty> {
        Some(match self {
            Ty::Matrix(of) | Ty::Set(of) | Ty::MSet(of) => (**of).clone(),
            Ty::Sequence(of) => Ty::Tuple(vec![Ty::Int, (**of).clone()]),
            Ty::Function(both) | Ty::Relation(both) => Ty::Tuple(both.to_vec()),
            Ty::Partition(of) => Ty::Set(of.clone()),
            Ty::Permutation(of) => Ty::Tuple(vec![(**of).clone(), (**of).clone()]),
            _ => return None,
        })
    }
}

struct Grammar {
    random: Random,
    /// Names in scope.
    names: Vec<(String, Ty)>,
    fresh: usize,
}

impl Grammar {
    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        let choice: &&'static str = self.random.choose(choices);
        choice
    }

    fn scalar(&mut self) -> Ty {
        self.random.choose(&[Ty::Bool, Ty::Int, Ty::Enum]).clone()
    }

    fn ty(&mut self, depth: usize) -> Ty {
        if depth == 0 {
            return self.scalar();
        }
        let d = depth - 1;
        match self.random.below(14) {
            0 | 1 => self.scalar(),
            2 => Ty::Tuple((0..1 + self.random.below(2)).map(|_| self.ty(d)).collect()),
            3 => Ty::Record(Box::new([self.ty(d), self.ty(d)])),
            4 => Ty::Variant(Box::new([self.ty(d), self.ty(d)])),
            5 => Ty::Matrix(Box::new(self.ty(d))),
            6 | 7 => Ty::Set(Box::new(self.ty(d))),
            8 => Ty::MSet(Box::new(self.ty(d))),
            9 => Ty::Sequence(Box::new(self.ty(d))),
            10 => Ty::Function(Box::new([self.ty(d), self.ty(d)])),
            11 => Ty::Relation(Box::new([self.ty(d), self.ty(d)])),
            12 => Ty::Partition(Box::new(self.ty(d))),
            _ => Ty::Permutation(Box::new(self.scalar())),
        }
    }

    fn domain(&mut self, ty: &Ty) -> String {
        const SIZES: [&str; 6] = [
            "",
            "",
            "(size 1) ",
            "(minSize 1) ",
            "(maxSize 2) ",
            "(minSize 1, maxSize 2) ",
        ];
        match ty {
            Ty::Bool => "bool".to_string(),
            Ty::Int => self
                .pick(&["int(1..2)", "int(0..2)", "int(2, 4)"])
                .to_string(),
            Ty::Enum => self.pick(&["E", "E(b..)", "E(a, c)"]).to_string(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.domain(part)).collect();
                format!("tuple ({})", parts.join(", "))
            }
            Ty::Record(both) => {
                format!(
                    "record {{x : {}, y : {}}}",
                    self.domain(&both[0]),
                    self.domain(&both[1])
                )
            }
            Ty::Variant(both) => {
                format!(
                    "variant {{x : {}, y : {}}}",
                    self.domain(&both[0]),
                    self.domain(&both[1])
                )
            }
            Ty::Matrix(of) => {
                let index = self.pick(&["int(1..2)", "int(0, 2)"]);
                format!("matrix indexed by [{index}] of {}", self.domain(of))
            }
            Ty::Set(of) => format!("set {}of {}", self.pick(&SIZES), self.domain(of)),
            Ty::MSet(of) => {
                let size = self.pick(&[
                    "size 2",
                    "maxSize 2",
                    "maxOccur 1",
                    "minOccur 1, maxOccur 2",
                ]);
                format!("mset ({size}) of {}", self.domain(of))
            }
            Ty::Sequence(of) => {
                let size = self.pick(&["size 2", "maxSize 2", "minSize 1, maxSize 2"]);
                let kind = self.pick(&["", "", ", injective", ", surjective", ", bijective"]);
                format!("sequence ({size}{kind}) of {}", self.domain(of))
            }
            Ty::Function(both) => {
                let attributes = self.pick(&[
                    "",
                    "(total) ",
                    "(injective) ",
                    "(surjective) ",
                    "(bijective) ",
                    "(total, injective) ",
                    "(maxSize 2) ",
                    "(minSize 1, surjective) ",
                ]);
                let (from, to) = (self.domain(&both[0]), self.domain(&both[1]));
                format!("function {attributes}{from} --> {to}")
            }
            Ty::Relation(both) => {
                let (from, to) = (self.domain(&both[0]), self.domain(&both[1]));
                if both[0] == both[1] && self.random.chance(2, 3) {
                    let attribute = self.pick(&[
                        "reflexive",
                        "irreflexive",
                        "coreflexive",
                        "symmetric",
                        "antiSymmetric",
                        "aSymmetric",
                        "transitive",
                        "total",
                        "connex",
                        "Euclidean",
                        "serial",
                        "equivalence",
                        "partialOrder",
                        "linearOrder",
                        "weakOrder",
                        "preOrder",
                        "strictPartialOrder",
                        "leftTotal",
                        "rightTotal",
                    ]);
                    return format!("relation ({attribute}) of ({from} * {from})");
                }
                format!("relation {}of ({from} * {to})", self.pick(&SIZES))
            }
            Ty::Partition(of) => {
                let attributes = self.pick(&[
                    "",
                    "(numParts 2) ",
                    "(regular) ",
                    "(minPartSize 2) ",
                    "(maxNumParts 2, maxPartSize 2) ",
                ]);
                format!("partition {attributes}from {}", self.domain(of))
            }
            Ty::Permutation(of) => {
                let attributes = self.pick(&["", "", "(numMoved 2) ", "(maxNumMoved 2) "]);
                format!("permutation {attributes}of {}", self.domain(of))
            }
        }
    }

    /// An expression of a type: a name, a part of one, or a literal.
    fn of(&mut self, ty: &Ty, depth: usize) -> String {
        let known: Vec<String> = self
            .names
            .iter()
            .filter(|(_, known)| known == ty)
            .map(|(name, _)| name.clone())
            .collect();
        if !known.is_empty() && (depth == 0 || self.random.chance(1, 2)) {
            return self.random.choose(&known).clone();
        }
        let d = depth.saturating_sub(1);
        if depth > 0 {
            if *ty == Ty::Bool {
                return self.truth(d);
            }
            if let Some(part) = self.part(ty, d) {
                return part;
            }
        }
        match ty {
            Ty::Bool => self.pick(&["true", "false"]).to_string(),
            Ty::Int => self.pick(&["0", "1", "2", "4"]).to_string(),
            Ty::Enum => self.pick(&["a", "b", "c"]).to_string(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.of(part, d)).collect();
                format!("tuple ({})", parts.join(", "))
            }
            Ty::Record(both) => {
                format!(
                    "record {{x = {}, y = {}}}",
                    self.of(&both[0], d),
                    self.of(&both[1], d)
                )
            }
            Ty::Variant(both) => match self.random.chance(1, 2) {
                true => format!("variant {{x = {}}}", self.of(&both[0], d)),
                false => format!("variant {{y = {}}}", self.of(&both[1], d)),
            },
            Ty::Matrix(of) => {
                let index = self.pick(&["", "; int(0, 2)"]);
                format!("[{}, {}{index}]", self.of(of, d), self.of(of, d))
            }
            Ty::Set(of) => match self.random.below(4) {
                0 => format!("toSet([{}])", self.comprehension(of, d)),
                _ => format!("{{{}, {}}}", self.of(of, d), self.of(of, d)),
            },
            Ty::MSet(of) => match self.random.below(4) {
                0 => format!("toMSet([{}])", self.comprehension(of, d)),
                _ => format!("mset({}, {})", self.of(of, d), self.of(of, d)),
            },
            Ty::Sequence(of) => format!("sequence({}, {})", self.of(of, d), self.of(of, d)),
            Ty::Function(both) => {
                format!(
                    "function({} --> {})",
                    self.of(&both[0], d),
                    self.of(&both[1], d)
                )
            }
            Ty::Relation(both) => {
                format!(
                    "relation(({}, {}))",
                    self.of(&both[0], d),
                    self.of(&both[1], d)
                )
            }
            Ty::Partition(of) => format!("partition({{{}}})", self.of(of, 0)),
            Ty::Permutation(of) => match **of {
                Ty::Bool => "permutation((true, false))".to_string(),
                Ty::Int => "permutation((1, 2))".to_string(),
                _ => "permutation((a, c))".to_string(),
            },
        }
    }

    /// An expression of the type made of a name in scope, if there is one.
    fn part(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let mut ways: Vec<(String, Option<Ty>)> = Vec::new();
        for (name, known) in &self.names {
            let mut way = |text: String, of: Option<&Ty>| ways.push((text, of.cloned()));
            match known {
                Ty::Tuple(parts) => {
                    for at in (0..parts.len()).filter(|&at| parts[at] == *ty) {
                        way(format!("{name}[{}]", at + 1), None);
                    }
                }
                Ty::Record(both) | Ty::Variant(both) => {
                    for at in (0..2).filter(|&at| both[at] == *ty) {
                        way(format!("{name}[{}]", ["x", "y"][at]), None);
                    }
                }
                Ty::Matrix(of) if **of == *ty => way(format!("{name}[@]"), Some(&Ty::Int)),
                Ty::Sequence(of) if **of == *ty => way(format!("{name}(@)"), Some(&Ty::Int)),
                Ty::Function(both) => {
                    if both[1] == *ty {
                        way(format!("{name}(@)"), Some(&both[0]));
                    }
                    if *ty == Ty::Set(Box::new(both[0].clone())) {
                        way(format!("defined({name})"), None);
                        way(format!("preImage({name}, @)"), Some(&both[1]));
                    }
                    if *ty == Ty::Set(Box::new(both[1].clone())) {
                        way(format!("range({name})"), None);
                        way(format!("imageSet({name}, @)"), Some(&both[0]));
                    }
                    if *ty == Ty::Relation(both.clone()) {
                        way(format!("toRelation({name})"), None);
                    }
                }
                Ty::Permutation(of) if **of == *ty => {
                    way(format!("image({name}, @)"), Some(of));
                }
                Ty::Partition(of) if *ty == Ty::Set(of.clone()) => {
                    way(format!("participants({name})"), None);
                    way(format!("party(@, {name})"), Some(of));
                }
                _ => {}
            }
            if *ty == Ty::Int && known.member().is_some() {
                way(format!("|{name}|"), None);
            }
            if known == ty {
                match ty {
                    Ty::Set(_) | Ty::MSet(_) | Ty::Relation(_) => {
                        way(format!("({name} union @)"), Some(ty));
                        way(format!("({name} - @)"), Some(ty));
                        way(format!("({name} intersect @)"), Some(ty));
                    }
                    Ty::Function(_) => way(format!("({name} - @)"), Some(ty)),
                    Ty::Permutation(_) => {
                        way(format!("permInverse({name})"), None);
                        way(format!("compose({name}, @)"), Some(ty));
                    }
                    _ => {}
                }
            }
        }
        if ways.is_empty() || self.random.chance(1, 4) {
            return None;
        }
        let (text, of) = self.random.choose(&ways).clone();
        Some(match of {
            None => text,
            Some(of) => text.replace('@', &self.of(&of, depth)),
        })
    }

    fn comprehension(&mut self, ty: &Ty, depth: usize) -> String {
        let name = format!("q{}", self.fresh);
        self.fresh += 1;
        let collections: Vec<(String, Ty)> = self
            .names
            .iter()
            .filter_map(|(name, ty)| Some((name.clone(), ty.member()?)))
            .collect();
        let (generator, bound) = match collections.is_empty() || self.random.chance(1, 4) {
            true => {
                let bound = self.ty(1);
                (format!("{name} : {}", self.domain(&bound)), bound)
            }
            false => {
                let (over, bound) = self.random.choose(&collections).clone();
                (format!("{name} <- {over}"), bound)
            }
        };
        self.names.push((name, bound));
        let body = self.of(ty, depth);
        let condition = match self.random.chance(1, 3) {
            true => format!(", {}", self.of(&Ty::Bool, depth)),
            false => String::new(),
        };
        self.names.pop();
        format!("{body} | {generator}{condition}")
    }

    fn truth(&mut self, depth: usize) -> String {
        let types: Vec<Ty> = self.names.iter().map(|(_, ty)| ty.clone()).collect();
        let ty = self.random.choose(&types).clone();
        match (self.random.below(9), &ty) {
            (0, _) => {
                let sign = self.pick(&["/\\", "\\/", "->", "<->"]);
                let (a, b) = (self.of(&Ty::Bool, depth), self.of(&Ty::Bool, depth));
                format!("({a} {sign} {b})")
            }
            (1, _) => format!("!({})", self.of(&Ty::Bool, depth)),
            (2, Ty::Set(_) | Ty::MSet(_) | Ty::Relation(_) | Ty::Function(_)) => {
                let sign = self.pick(&["subset", "subsetEq", "supset", "supsetEq"]);
                format!("({} {sign} {})", self.of(&ty, depth), self.of(&ty, depth))
            }
            (3, Ty::Set(_) | Ty::MSet(_) | Ty::Relation(_) | Ty::Function(_) | Ty::Matrix(_)) => {
                let member = ty.member().expect("a collection");
                format!("({} in {})", self.of(&member, depth), self.of(&ty, depth))
            }
            (4, Ty::Partition(of)) => {
                let sign = self.pick(&["together", "apart"]);
                let members = self.of(&Ty::Set(of.clone()), depth);
                format!("{sign}({members}, {})", self.of(&ty, depth))
            }
            (5, _) => format!("allDiff([{}])", self.comprehension(&ty, depth)),
            (6, _) => {
                let operator = self.pick(&["and", "or", "xor"]);
                format!("{operator}([{}])", self.comprehension(&Ty::Bool, depth))
            }
            _ => {
                let sign = self.pick(&["=", "=", "!=", ".<", ".<=", "~<", "~<="]);
                format!("({} {sign} {})", self.of(&ty, depth), self.of(&ty, depth))
            }
        }
    }

    fn specification(&mut self) -> String {
        let mut text = "letting E be new type enum {a, b, c}\n".to_string();
        for place in 0..1 + self.random.below(2) {
            let depth = 1 + self.random.below(2);
            let ty = self.ty(depth);
            let name = format!("v{place}");
            text += &format!("find {name} : {}\n", self.domain(&ty));
            self.names.push((name, ty));
        }
        text + "such that " + &self.of(&Ty::Bool, 3)
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
fn nested_types_have_the_solutions_that_the_judge_accepts() {
    check_random(0..300, MOST, specification, 150);
}

#[test]
#[ignore = "takes as long as RANDOM_SPECIFICATIONS says"]
fn many_nested_specifications() {
    check_random(more_seeds(), MOST, specification, 0);
}
