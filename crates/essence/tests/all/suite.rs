//! The specifications of `../shared/data/essence`, whose numbers of solutions are known
//! (`solutions.csv`). Every solution is judged. `scripts/essence-score` runs the same through the
//! program.

use std::ops::ControlFlow;
use std::time::Duration;

use ployglot_base::{Budget, Limit};
use ployglot_csp::sat::{Cadical, SatBackend};
use ployglot_csp::{Enumerated, Optimum, Problem, optimise, solutions};
use ployglot_eprime::Ruling;
use ployglot_essence::{Model, Params};
use ployglot_testing::skip;

/// What came of a specification: the number of solutions, or why there is none.
fn count(spec: &str, params: &str) -> Result<usize, String> {
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    let limit = |limit: Limit| format!("limit: {limit}");
    let model = Model::parse(spec).map_err(|bad| format!("{bad}"))?;
    let params = Params::parse(params).map_err(|bad| format!("params: {bad}"))?;
    let instance = model.instance_within(&params, &budget).map_err(limit)?;
    let instance = instance.map_err(|fault| fault.to_string())?;
    let refined = instance.refine_within(&budget).map_err(limit)?;
    let refined = refined.map_err(|fault| fault.to_string())?;
    let mut backend = SatBackend::<Cadical>::default();
    let mut found = 0;
    let mut defect = None;
    let mut judge = |values: &[i32]| {
        let solution = refined.solution(values);
        match instance.judge(&solution) {
            Ok(Ruling::Solves(_)) => {}
            other => defect = Some(format!("DEFECT {other:?}\n{solution}")),
        }
    };
    if refined.problem.objective.is_some() {
        let end = optimise(
            &mut backend,
            &refined.problem,
            &[],
            &budget,
            &mut |_, best| {
                if let Some((_, values)) = best {
                    judge(values);
                }
            },
        );
        found = match end {
            Optimum::Optimal { .. } => 1,
            Optimum::Unsatisfiable => 0,
            _ => return Err("limit".to_string()),
        };
    } else {
        let decisions: Vec<_> = refined.decisions().collect();
        let mut problem = refined.problem.clone();
        let end = solutions(
            &mut backend,
            &mut problem,
            &decisions,
            &budget,
            &mut |_: &Problem, values: &[i32]| {
                judge(values);
                found += 1;
                ControlFlow::Continue(())
            },
        );
        if let Enumerated::GaveUp(why) = end {
            return Err(format!("limit: {why} after {found} solutions"));
        }
    }
    match defect {
        Some(defect) => Err(defect),
        None => Ok(found),
    }
}

#[test]
fn the_specifications_of_conjures_suite_have_their_numbers_of_solutions() {
    let Some(data) = skip::shared_data() else {
        return;
    };
    let data = data.join("essence");
    let Ok(list) = std::fs::read_to_string(data.join("solutions.csv")) else {
        skip::skip("there are no Essence specifications beside the project");
        return;
    };
    let read = |name: &str| match name {
        "" => String::new(),
        name => std::fs::read_to_string(data.join(name)).expect("a file of the list"),
    };
    let (mut right, mut all) = (0, 0);
    let mut wrong = Vec::new();
    for line in list.lines().skip(1).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split(',').collect();
        let [spec, params, wanted] = fields[..] else {
            panic!("three columns: {line}");
        };
        all += 1;
        match count(&read(spec), &read(params)) {
            Ok(found) if found.to_string() == wanted.trim() => right += 1,
            Ok(found) => wrong.push(format!("WRONG {spec} {params}: {found}, not {wanted}")),
            Err(why) => wrong.push(format!("NONE {spec} {params}: {why}")),
        }
    }
    println!("{right} of {all} right");
    assert!(
        wrong.is_empty(),
        "{right} of {all} right\n{}",
        wrong.join("\n")
    );
}
