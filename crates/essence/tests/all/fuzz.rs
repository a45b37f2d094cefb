//! Fuzzing of the reader: mutated texts must not make it panic, and an error must point into the text
//! that it is about. What is accepted is instantiated and refined, which must not panic either.

use std::time::Duration;

use ployglot_base::{BadText, Budget, Random};
use ployglot_eprime::Source;
use ployglot_essence::{Model, Params};

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

fn mutate(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(characters.len() + 1);
        let end = (at + random.below(20)).min(characters.len());
        match random.below(4) {
            0 => drop(characters.drain(at..end)),
            1 => drop(characters.splice(at..at, random.choose(PIECES).chars())),
            2 => {
                let copied = characters[at..end].to_vec();
                let to = random.below(characters.len() + 1);
                characters.splice(to..to, copied);
            }
            _ => characters.truncate(characters.len() - random.below(characters.len() / 8 + 1)),
        }
    }
    characters.into_iter().collect()
}

fn points_into(bad: &BadText, text: &str) {
    let lines = text.split('\n').count();
    assert!(bad.line >= 1 && bad.line <= lines, "{bad:?}\n{text}");
    let length = text
        .split('\n')
        .nth(bad.line - 1)
        .map_or(0, |line| line.chars().count());
    assert!(
        bad.column >= 1 && bad.column <= length + 2,
        "{bad:?}\n{text}"
    );
}

fn read(model_text: &str, params_text: &str) -> bool {
    let model = match Model::parse(model_text) {
        Ok(model) => model,
        Err(bad) => {
            points_into(&bad, model_text);
            return false;
        }
    };
    let params = match Params::parse(params_text) {
        Ok(params) => params,
        Err(bad) => {
            points_into(&bad, params_text);
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
            Source::Model => points_into(&fault.bad, model_text),
            Source::Params => points_into(&fault.bad, params_text),
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
            0 => (MODEL.to_string(), mutate(PARAMS, &mut random)),
            _ => (mutate(MODEL, &mut random), PARAMS.to_string()),
        };
        accepted += usize::from(read(&model, &params));
    }
    assert!(accepted > 20, "only {accepted} of the texts were accepted");
}
