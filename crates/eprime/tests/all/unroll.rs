//! The unrolled problem has the solutions of the model: checked on thousands of random models by
//! exhaustive search.

use std::collections::BTreeSet;

use ployglot_base::Budget;
use ployglot_csp::{ConditionalConstraint, Constraint, Problem, VarId, check};
use ployglot_eprime::{Model, Params, Solution, Steps, Unrolled};
use ployglot_testing::eprime::{FINDS, Generator, choices, complete, judged};

/// Every assignment of the model's variables, before any constraint.
fn candidates(model: &str) -> Vec<Solution> {
    let head = model.split("such that").next().expect("a head");
    let free = Model::parse(head).expect("declarations");
    let instance = free.instance(&Params::default()).expect("an instance");
    let unrolled = instance.unroll().expect("a problem");
    let mut values = vec![0; unrolled.problem.variables.len()];
    let (vars, domains) = decisions(&unrolled);
    let all = choices(&domains).into_iter().map(|chosen| {
        for (var, value) in vars.iter().zip(chosen) {
            values[var.index()] = value;
        }
        unrolled.solution(&values)
    });
    all.collect()
}

fn decisions(unrolled: &Unrolled) -> (Vec<VarId>, Vec<Vec<i32>>) {
    let vars: Vec<VarId> = unrolled.decisions().collect();
    let domains = vars
        .iter()
        .map(|&var| unrolled.problem.domain(var).values().collect());
    let domains = domains.collect();
    (vars, domains)
}

/// The solutions of the problem as solutions of the model; different decisions must give different
/// ones.
fn solutions(unrolled: &Unrolled) -> BTreeSet<String> {
    let (vars, domains) = decisions(unrolled);
    let mut found = BTreeSet::new();
    for values in choices(&domains) {
        let fixed: Vec<_> = vars.iter().copied().zip(values).collect();
        if let Some(all) = complete(&unrolled.problem, &fixed) {
            assert_eq!(check::check(&unrolled.problem, &all), Ok(()));
            let new = found.insert(unrolled.solution(&all).to_string());
            assert!(new, "the same solution twice: {all:?}");
        }
    }
    found
}

/// Checks that the problem has the solutions of the model, and returns it. `None`: the model has
/// numbers that do not fit 32 bits, and is refused.
fn compare(text: &str) -> Option<Problem> {
    let model = Model::parse(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let instance = model.instance(&Params::default()).ok()?;
    let unrolled = instance.unroll().ok()?;
    let wanted = judged(&instance, candidates(text)).ok()?;
    let found = solutions(&unrolled);
    assert_eq!(found, wanted, "{text}\n{:#?}", unrolled.problem);
    Some(unrolled.problem)
}

#[test]
fn variables_that_are_always_equal_are_merged() {
    let head = "find x : int(-1..2) find y : int(0..3) find z : int(0..1) find b, c, d : bool\n";
    for (constraints, count) in [
        ("x = y, x + y > z", 1),
        ("x = y, y = z", 2),
        ("x = y, y != 1, x = 1 \\/ x = 2 \\/ y = 0", 1),
        ("b <-> c, c <-> d, b -> x > 0", 2),
        ("b <-> !c, c <-> !d, b \\/ d", 2),
        ("b <-> x = 1, b \\/ c", 1),
        ("b <-> x = 1, b <-> c, c <-> x != 2", 2),
        ("b <-> x >= 1, x = y, c <-> y < 2, b \\/ c", 3),
        ("z = toInt(b), z + x = y", 1),
        ("toInt(b) + z = 1, x = z", 2),
        ("x = y, b <-> y = 2, x = z", 3),
        ("x = 1 <-> y = 2", 0),
        ("x = y + 1", 0),
        ("b -> x = y", 0),
    ] {
        let text = format!("{head}such that {constraints}\n");
        let problem = compare(&text).expect("small numbers");
        assert_eq!(problem.merged.len(), count, "{text}{problem:#?}");
    }
}

#[test]
fn random_models_keep_their_solutions() {
    let (mut compared, mut all, mut merged) = (0, 0, 0);
    for seed in 0..4000 {
        let mut generator = Generator::new(seed);
        let mut text = generator.model();
        // Some models have variables that can be merged.
        if seed % 3 == 0 {
            text += &format!(", {}\n", generator.tie());
        }
        all += 1;
        if let Some(problem) = compare(&text) {
            compared += 1;
            merged += usize::from(!problem.merged.is_empty());
        }
    }
    assert!(compared * 10 > all * 8, "compared {compared} of {all}");
    assert!(merged > 100, "{merged} problems with merged variables");
}

#[test]
fn each_operator_keeps_its_solutions_with_undefined_parts() {
    for constraint in [
        "P[x] = y",
        "P[x] != y",
        "!(P[x] = y)",
        "x / y = 1",
        "x % y >= 0 <-> b",
        "y / x != 1",
        "2 ** x = z",
        "x ** y = 1",
        "!(x ** (y - 2) = 1)",
        "M[x] = z",
        "!(M[x] = z)",
        "M[x] = 1 \\/ M[y] = 1",
        "N[x] -> b",
        "!N[y]",
        "N[x] <-> N[y]",
        "toInt(N[x]) = x",
        "K[b, x] = z",
        "!(K[N[0], x] = z)",
        "sum(K[b, ..]) = x + y",
        "factorial(x) = z",
        "popcount(x) = 1",
        "min([x / y, 1]) = 1",
        "allDiff([x, P[x], y])",
        "!allDiff([x / y, y])",
        "x in toSet([y, P[x]])",
        "Q[x, y] <-> b",
        "table([x, P[x]], [[1,2],[2,0],[-1,1]])",
        "negativetable([x, P[x]], [[1,2],[2,0],[-1,1]])",
        "[x, y / x] <lex [z, 1]",
        "gcc([x, y, z], [1, 2], [M[1], M[2]])",
        "(exists i : int(0..2) . x / i = y)",
        "(forAll i : int(1..2) . M[M[i]] = i)",
        "|x| + |x - y| = z",
        "max(x, y) = z",
        "(sum i : int(1..2) . M[i] * i) = x + y",
        "atmost([x, y, z], [1], [2])",
        "x * y = 0 /\\ x + y > 0",
        "M[x] = M[y]",
        "M[x - 1] = K[true, 3 - z]",
        "-x = y - 3",
        "b + c = x",
        "(b <-> x = 1) <-> (c <-> y = 2)",
        "sum([b, c, N[0]]) >= 2",
        "x < y <-> b",
        // Matrices of bools and ints.
        "[b, 2][z] = 2",
        "[[2, c], [b, x]][z, y] > 1",
        "sum([b, x, c]) = y",
        "catchUndef(x / y, 2) = z",
        "catchUndef(P[x] % P[y], -1) = x",
        "catchUndef(N[x], true) <-> b",
        "count([x, y, P[x]], z) = 2",
        "count(M, x / y) = 0",
        "x ** y = 1 <-> b",
        "xor([b, c, N[0]]) /\\ (b xor c)",
        "length(M) = x /\\ y in indexOf(N)",
        "sum(flatten([[x], [y, z / x]])) = 4",
        "and(flatten([[M[j] >= i | j : int(i..2)] | i : int(0..1)]))",
        "and(flatten([[b], [], [c, N[0]]]))",
        "tableshort([x, y / x, z], [[[1, -1]], [[2, 1], [3, 2]], [[4, 0]]])",
        "makeTable(x / y = z \\/ P[x] = y)",
        "x in int([y + 1 | y : int(0..1)], 5..)",
        "elementId(P, x) = y",
        "|x - y| % 3 in {1, z}",
    ] {
        let names = ["x", "y", "z", "b", "c", "M", "N", "K"];
        let word = |name: &str| {
            constraint
                .split(|c: char| !c.is_alphanumeric())
                .any(|part| part == name)
        };
        let mut text = "letting P = [2,0,1]\nletting Q = [[true,false],[false,true] ; int(0..1)]\n"
            .to_string();
        for (name, domain) in FINDS {
            if names.contains(&name) && word(name) {
                text += &format!("find {name} : {domain}\n");
            }
        }
        text += &format!("such that\n{constraint}\n");
        assert!(compare(&text).is_some(), "{text}");
    }
}

#[test]
fn each_step_can_be_left_out() {
    let all = [false, true];
    for seed in 0..120 {
        let text = Generator::new(10_000 + seed).model();
        let model = Model::parse(&text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
        let Ok(instance) = model.instance(&Params::default()) else {
            continue;
        };
        let Ok(wanted) = judged(&instance, candidates(&text)) else {
            continue;
        };
        for (simplify, merge, tabulate) in all
            .into_iter()
            .flat_map(|a| all.into_iter().flat_map(move |b| all.map(|c| (a, b, c))))
        {
            let steps = Steps {
                simplify,
                merge,
                tabulate,
            };
            let unrolled = instance.unroll_by(steps, &Budget::unlimited());
            let Ok(unrolled) = unrolled.expect("there is no limit") else {
                continue;
            };
            assert_eq!(solutions(&unrolled), wanted, "{steps:?}\n{text}");
        }
    }
}

#[test]
fn a_constraint_with_functions_becomes_one_table() {
    let tables = |constraint: &str| {
        let text =
            format!("letting P = [3, 1, 4, 1, 5]\nfind x, y : int(1..5)\nsuch that {constraint}\n");
        let problem = compare(&text).expect("small numbers");
        let is_table =
            |posted: &&ConditionalConstraint| matches!(posted.constraint, Constraint::Table { .. });
        (
            problem.constraints.iter().filter(is_table).count(),
            problem.constraints.len(),
        )
    };
    assert_eq!(tables("P[x] % 3 = y / 2"), (1, 1));
    // Two constraints on the same variables are one table.
    assert_eq!(tables("|x - y| = 2 \\/ P[x] = y, x * y > 4"), (1, 1));
    // Sums stay sums.
    assert_eq!(tables("x + 2 * y <= 9"), (0, 1));
}

/// A table of six variables with more than a thousand rows (of 4096) took over ten times as long by SAT
/// as the lookups that it was made of, where there is one for each three of four elements.
#[test]
fn a_long_table_of_many_variables_is_not_used() {
    let model = Model::parse(
        "letting D be domain int(1..4)
         find q : matrix indexed by [D, D] of D
         such that q[1, q[2, 3]] = q[q[1, 2], 3]",
    )
    .expect("a model");
    let instance = model.instance(&Params::default()).expect("no parameters");
    let problem = instance.unroll().expect("it fits").problem;
    let rows = |posted: &ConditionalConstraint| match &posted.constraint {
        Constraint::Table { rows, .. } => rows.len(),
        _ => 0,
    };
    let longest = problem.constraints.iter().map(rows).max();
    assert!(longest.expect("there are constraints") < 1000);
}

#[test]
fn solutions_are_distinguished_by_the_branching_variables() {
    let shown = |branching: &str| {
        let text = format!(
            "find x, y : int(1..3) find b : bool {branching}\nsuch that x <= y, b <-> x = 2\n"
        );
        let model = Model::parse(&text).expect("a model");
        let instance = model.instance(&Params::default()).expect("no parameters");
        let unrolled = instance.unroll().expect("a problem");
        let vars = unrolled.shown();
        let domains: Vec<Vec<i32>> = vars
            .iter()
            .map(|&var| unrolled.problem.domain(var).values().collect())
            .collect();
        let possible = choices(&domains).into_iter().filter(|values| {
            let fixed: Vec<_> = vars.iter().copied().zip(values.iter().copied()).collect();
            complete(&unrolled.problem, &fixed).is_some()
        });
        possible.count()
    };
    assert_eq!(shown(""), 6);
    assert_eq!(shown("branching on [x, y, b]"), 6);
    assert_eq!(shown("branching on [x]"), 3);
    assert_eq!(shown("branching on [b]"), 2);
    assert_eq!(shown("branching on [y, b]"), 5);
}

/// A term of this depth would need more stack than a thread has.
#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let model = Model::parse(
        "find x, y : matrix indexed by [int(1..20000)] of int(0..1)
         such that x <lex y",
    )
    .expect("a model");
    let instance = model.instance(&Params::default()).expect("no parameters");
    let unrolled = instance.unroll().expect("it fits");
    assert!(unrolled.problem.constraints.len() > 20_000);
}
