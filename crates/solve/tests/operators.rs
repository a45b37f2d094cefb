//! Tests every operator of Essence Prime with every technology. The solutions that a technology
//! finds must be those that the judge of the original model finds among all assignments; of slow
//! technologies a few solutions are enough. Operators are tested with the cases in which they are
//! undefined, plain and negated, so that both directions of their encoding are used.

use std::collections::BTreeSet;

use ployglot_csp::VarId;
use ployglot_eprime::{Model, Params, Ruling, Solution};
use ployglot_solve::{ModelStatus, Technology, solve_model};
use ployglot_testing::eprime::FINDS;
use ployglot_testing::programs;

const HEAD: &str = "letting P = [2,0,1]
letting Q = [[true,false],[false,true] ; int(0..1)]
letting E = [1,2 ; int(4..5)]
";

/// Constraints that are always defined.
const DEFINED: &[&str] = &[
    "!b",
    "b /\\ c",
    "b \\/ c",
    "b -> c",
    "b <-> c",
    "|x - 1| = z",
    "-x = y - 3",
    "-x ** 2 = -1",
    "x + y - z = 2",
    "x * y = z",
    "x * y * z < 3",
    "x = y",
    "x != y",
    "x < y",
    "x <= y",
    "x > y",
    "x >= y",
    "[x, y] <lex [z, 2]",
    "[x, y] <=lex [z, 2]",
    "[x, y] >lex [z, 2]",
    "[x, y] >=lex [z, 2, 1]",
    "x in int(0, 2..5) - int(2)",
    "y in int(0..2) intersect int(2..7)",
    "x in toSet([y, z])",
    "b + c = x",
    "toInt(b) + x = 2",
    "min(x, y) = z",
    "max(x, y) = z",
    "max([x, y, z]) = y",
    "popcount(y) = z",
    "forAll i : int(1..2) . M[i] >= x",
    "exists i, j : int(1..2) . i != j /\\ M[i] = M[j]",
    "(sum i : int(1..2) . M[i] * i) = x + 2",
    "sum([x, y, z]) = 4",
    "product([x, y]) = z",
    "and([b, c])",
    "or([b, c, x = 1])",
    "sum(flatten(K)) = 6",
    "sum(flatten(1, K)) = 6",
    "sum([i * M[i] | i : int(1..2), i > 1]) = x",
    "[M[i] | i : int(1..2) ; int(3..4)][4] = x",
    "allDiff([x, y, z])",
    "alldifferent_except([x, y, z], 2)",
    "atleast([x, y, z], [2], [2])",
    "atmost([x, y, z], [1, 0], [2, 1])",
    "gcc([x, y], [1, 2], M)",
    "table([x, y], [[1,2],[2,0],[-1,3]])",
    "negativetable([x, y], [[1,2],[2,0],[-1,3]])",
    "(b <-> x = 1) <-> (c <-> y = 2)",
];

/// Constraints that may be undefined.
const PARTIAL: &[&str] = &[
    "x / y = 1",
    "y / x != 1",
    "x / (y - 2) <= 0",
    "x % y >= 0",
    "y % x = 0",
    "2 ** x = z",
    "x ** y = 1",
    "y ** x >= 0",
    "factorial(x) = z",
    "P[x] = y",
    "P[x] != y",
    "P[P[x]] = z",
    "E[y + 2] = z",
    "M[x] = z",
    "M[x] = M[y]",
    "M[x - 1] < K[true, 3 - z]",
    "N[x]",
    "N[x] -> b",
    "N[x] <-> N[y]",
    "toInt(N[x]) = x",
    "Q[x, y] \\/ b",
    "K[b, x] = z",
    "K[N[0], x] = z",
    "sum(K[b, ..]) = x + y",
    "sum(K[x = 1, ..]) = y",
    "Q[x, ..][1] \\/ b",
    "|x / y| = 1",
    "-(x / y) = 1",
    "x / y + z > 1",
    "x / y * 0 = 0",
    "min([x / y, 1]) = 1",
    "max(x % y, z) = 1",
    "(sum i : int(0..2) . x / i) = y",
    "forAll i : int(0..1) . x / (y - i) = 0",
    "exists i : int(0..2) . x / i = y",
    "sum([P[x], y]) = 3",
    "product([P[x], 0]) = 0",
    "and([P[x] = 1, b])",
    "or([P[x] = 1, b])",
    "max([P[i + x] | i : int(1..3), i > 1]) = x",
    "sum(flatten([ [x / y, 1], [P[z], z] ])) = 2",
    "[x, P[x]][1] = z",
    "x in toSet([y, P[x]])",
    "P[x] in int(0..1)",
    "[x, y / x] <lex [z, 1]",
    "[P[x]] >=lex [z]",
    "allDiff([x, P[x], y])",
    "alldifferent_except([x / y, z, 1], 1)",
    "atleast([x, P[x]], [1], [2])",
    "atmost([P[x], x % y], [0], [1])",
    "gcc([x, P[x]], [1, 2], [1, z])",
    "table([x, P[x]], [[1,2],[2,0],[-1,1]])",
    "negativetable([x, P[x]], [[1,2],[2,0],[-1,1]])",
    "popcount(P[x]) = 1",
    "toInt(x / y = 1) = z - 1",
];

/// The number of solutions to find with technologies that are slow at finding all.
const FEW: usize = 8;

fn text(constraint: &str) -> (String, String) {
    let used = |name: &str| {
        let mut words = constraint.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == name)
    };
    let finds = FINDS.iter().filter(|(name, _)| used(name));
    let finds: String = finds
        .map(|(name, of)| format!("find {name} : {of}\n"))
        .collect();
    let head = HEAD.to_string() + &finds;
    let whole = format!("{head}such that {constraint}\n");
    (head, whole)
}

/// Every assignment of the declared variables.
fn candidates(head: &str) -> Vec<Solution> {
    let model = Model::parse(head).expect("declarations");
    let instance = model.instance(&Params::default()).expect("an instance");
    let unrolled = instance.unroll().expect("a problem");
    let mut all = vec![vec![0; unrolled.problem.variables.len()]];
    for VarId(var) in unrolled.decisions() {
        let values: Vec<i32> = unrolled.problem.domain(VarId(var)).values().collect();
        let with = |start: Vec<i32>| {
            values.clone().into_iter().map(move |value| {
                let mut longer = start.clone();
                longer[var as usize] = value;
                longer
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all.iter().map(|values| unrolled.solution(values)).collect()
}

#[track_caller]
fn check(constraint: &str) {
    let (head, text) = text(constraint);
    let model = Model::parse(&text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let instance = model.instance(&Params::default()).expect("an instance");
    let solves = |solution: &Solution| {
        let ruling = instance.judge(solution).expect("the solution is complete");
        matches!(ruling, Ruling::Solves(_))
    };
    let expected = candidates(&head).into_iter().filter(solves);
    let expected: BTreeSet<String> = expected.map(|solution| solution.to_string()).collect();
    let usable = |technology: &&Technology| programs::ready(technology.ready(&programs::budget()));
    for &technology in Technology::ALL.iter().filter(usable) {
        // The other technologies restart for each solution.
        let most = match technology {
            Technology::Sat | Technology::Cp => usize::MAX,
            _ => FEW,
        };
        let budget = programs::budget();
        let report = &mut |_: &Solution, _: Option<i64>, _: Option<i64>| {};
        let answer = solve_model(
            &model,
            &Params::default(),
            technology,
            most,
            &budget,
            report,
        );
        let answer = answer.unwrap_or_else(|why| panic!("{}: {why:?}\n{text}", technology));
        let status = match expected.is_empty() {
            true => ModelStatus::Unsatisfiable,
            false => ModelStatus::Satisfiable,
        };
        assert_eq!(answer.status, status, "{}\n{text}", technology);
        let found: BTreeSet<String> = answer.solutions.iter().map(Solution::to_string).collect();
        let all = expected.len().min(most);
        assert_eq!(answer.solutions.len(), all, "{}\n{text}", technology);
        assert_eq!(found.len(), all, "a solution twice: {}\n{text}", technology);
        let wrong: Vec<&String> = found.difference(&expected).collect();
        assert!(wrong.is_empty(), "{}\n{text}{wrong:?}", technology);
    }
}

#[test]
fn operators_have_the_meaning_of_the_judge() {
    for constraint in DEFINED {
        check(constraint);
        check(&format!("!({constraint})"));
    }
}

#[test]
fn an_undefined_expression_makes_the_smallest_boolean_around_it_false() {
    for constraint in PARTIAL {
        check(constraint);
        check(&format!("!({constraint})"));
    }
}
