//! All solutions of a specification by the flat problem, and by trying every combination of values.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use ployglot_base::Budget;
use ployglot_csp::sat::{Cadical, SatBackend};
use ployglot_csp::{Problem, solutions};
use ployglot_essence::{Model, Params};

/// All solutions as texts, by the flat problem. The error says why the text was refused.
#[allow(dead_code, reason = "each test file uses a part of this module")]
pub fn refined(text: &str) -> Result<Vec<String>, String> {
    let model = Model::parse(text).map_err(|bad| bad.to_string())?;
    let instance = model.instance(&Params::default());
    let instance = instance.map_err(|fault| fault.to_string())?;
    let refined = instance.refine().map_err(|fault| fault.to_string())?;
    let decisions: Vec<_> = refined.decisions().collect();
    let mut problem = refined.problem.clone();
    let mut found = Vec::new();
    let mut backend = SatBackend::<Cadical>::default();
    let budget = Budget::unlimited();
    let mut each = |_: &Problem, values: &[i32]| {
        found.push(refined.solution(values).to_string());
        ControlFlow::Continue(())
    };
    solutions(&mut backend, &mut problem, &decisions, &budget, &mut each);
    Ok(found)
}

/// All solutions as texts, by trying all values; `None` if there are too many combinations.
pub fn exhausted(text: &str, most: u64) -> Result<Option<BTreeSet<String>>, String> {
    let model = Model::parse(text).map_err(|bad| bad.to_string())?;
    let instance = model.instance(&Params::default());
    let instance = instance.map_err(|fault| fault.to_string())?;
    let all = instance.exhaust(most).map_err(|bad| bad.to_string())?;
    Ok(all.map(|all| all.iter().map(ToString::to_string).collect()))
}

/// Panics unless the two agree. Returns the number of solutions.
#[allow(dead_code, reason = "each test file uses a part of this module")]
pub fn check(text: &str) -> usize {
    let found = refined(text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let truth = exhausted(text, 200_000).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let truth = truth.unwrap_or_else(|| panic!("too many combinations\n{text}"));
    compare(text, &found, &truth);
    found.len()
}

/// Panics unless the solutions found are the true ones, each once.
#[allow(dead_code, reason = "each test file uses a part of this module")]
pub fn compare(text: &str, found: &[String], truth: &BTreeSet<String>) {
    let set: BTreeSet<String> = found.iter().cloned().collect();
    let missing: Vec<_> = truth.difference(&set).take(3).collect();
    let wrong: Vec<_> = set.difference(truth).take(3).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "{} of {} solutions; missing {missing:?}; wrong {wrong:?}\n{text}",
        found.len(),
        truth.len()
    );
    assert_eq!(set.len(), found.len(), "a solution is found twice\n{text}");
}

/// Panics unless the random specifications of these seeds have the solutions that trying all values
/// finds. Those with more than `most` combinations, or refused by the judge (a number or a list that
/// is too large), are left out; more than `least` must remain.
#[allow(dead_code, reason = "each test file uses a part of this module")]
pub fn check_random(seeds: Range<u64>, most: u64, specification: fn(u64) -> String, least: usize) {
    let mut checked = 0;
    for seed in seeds {
        let text = specification(seed);
        let Ok(Some(truth)) = exhausted(&text, most) else {
            continue;
        };
        let found = refined(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        compare(&format!("seed {seed}\n{text}"), &found, &truth);
        checked += 1;
    }
    assert!(
        checked > least,
        "only {checked} of the specifications were small enough"
    );
}

/// As many seeds as `RANDOM_SPECIFICATIONS` says, from `RANDOM_SEED` on.
#[allow(dead_code, reason = "each test file uses a part of this module")]
pub fn more_seeds() -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let first: u64 = number("RANDOM_SEED").unwrap_or(1_000);
    let count: u64 = number("RANDOM_SPECIFICATIONS").unwrap_or(20_000);
    first..first + count
}
