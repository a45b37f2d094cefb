//! The unrolled problem has the solutions of the model: on thousands of random models, by trying every assignment.

mod common;

use std::collections::BTreeSet;

use common::{Generator, choices, complete, judged};
use ployglot_csp::check;
use ployglot_eprime::{Model, Params, Unrolled};

/// The values that the model's variables may have, before any constraint.
fn declared(model: &str) -> Vec<Vec<i32>> {
    let head = model.split("such that").next().expect("a head");
    let free = Model::parse(head).expect("declarations");
    let instance = free.instance(&Params::default()).expect("an instance");
    let unrolled = instance.unroll().expect("a problem");
    let problem = &unrolled.problem;
    let domains = unrolled
        .decisions()
        .map(|var| problem.domain(var).values().collect());
    domains.collect()
}

/// The solutions of the problem, seen as solutions of the model.
fn tried(unrolled: &Unrolled, domains: &[Vec<i32>]) -> BTreeSet<String> {
    let vars: Vec<_> = unrolled.decisions().collect();
    let mut found = BTreeSet::new();
    for values in choices(domains) {
        let fixed: Vec<_> = vars.iter().copied().zip(values).collect();
        if let Some(all) = complete(&unrolled.problem, &fixed) {
            assert_eq!(check::check(&unrolled.problem, &all), Ok(()));
            found.insert(unrolled.solution(&all).to_string());
        }
    }
    found
}

/// Whether the model was compared: numbers beyond 32 bits are refused, and then there is nothing to compare.
fn compare(text: &str) -> bool {
    let model = Model::parse(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let Ok(instance) = model.instance(&Params::default()) else {
        return false;
    };
    let Ok(unrolled) = instance.unroll() else {
        return false;
    };
    let domains = declared(text);
    let mut plain = vec![0; unrolled.problem.variables.len()];
    let vars: Vec<_> = unrolled.decisions().collect();
    let all = choices(&domains).into_iter().map(|values| {
        for (var, value) in vars.iter().zip(values) {
            plain[var.index()] = value;
        }
        unrolled.solution(&plain)
    });
    let all: Vec<_> = all.collect();
    let Ok(wanted) = judged(&instance, all) else {
        return false;
    };
    let found = tried(&unrolled, &domains);
    assert_eq!(found, wanted, "{text}\n{:#?}", unrolled.problem);
    true
}

#[test]
fn random_models_keep_their_solutions() {
    let (mut compared, mut all) = (0, 0);
    for seed in 0..4000 {
        let text = Generator::new(seed).model();
        all += 1;
        compared += usize::from(compare(&text));
    }
    assert!(compared * 10 > all * 8, "compared {compared} of {all}");
}

#[test]
fn each_operator_keeps_its_undefined_cases() {
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
    ] {
        let names = ["x", "y", "z", "b", "c", "M", "N", "K"];
        let word = |name: &str| {
            constraint
                .split(|c: char| !c.is_alphanumeric())
                .any(|part| part == name)
        };
        let mut text = "letting P = [2,0,1]\nletting Q = [[true,false],[false,true] ; int(0..1)]\n"
            .to_string();
        for (name, domain) in common::FINDS {
            if names.contains(&name) && word(name) {
                text += &format!("find {name} : {domain}\n");
            }
        }
        text += &format!("such that\n{constraint}\n");
        assert!(compare(&text), "{text}");
    }
}
