//! Values that filtering alone does not see through: each is assumed, and where filtering then comes to a contradiction, no
//! solution has it (failed-literal probing, as SAT solvers do it, but over integers and all kinds of rules).
//!
//! It removes much (the table is in `docs/benchmarks.md`), and it pays where every value is a column: HiGHS needs 2.4 s
//! instead of 9.6 s for Bombastic's `05-thin-ice` in 12 steps by the model `direct`, and 14 s instead of more than 25 s by
//! `initial`, after a tenth of a second or two of probing; for Puzznic's `graph` it made no difference. Solvers that learn
//! clauses are done as soon without: CaDiCaL takes 0.02 s for the one and 0.01 s for the other, probed or not.

use ployglot_base::{Budget, Limit};

use crate::filter::{Empty, Filter, Filtered};
use crate::problem::{Literal, Problem, VarId};

/// Larger domains are probed at their ends only.
const VALUES: u64 = 12;
/// So many looks at rules for each rule of the problem are spent.
const SPENT: u64 = 300;

/// Filters, then probes until nothing changes or enough is spent. At a limit the problem is as it was.
pub fn probe(problem: &mut Problem, budget: &Budget) -> Result<Filtered, Limit> {
    let mut filter = Filter::new(problem);
    if filter.domains.iter().any(crate::Domain::is_empty) {
        return Ok(Filtered::Contradiction);
    }
    if filter.run(&problem.rules, budget)?.is_err() {
        return Ok(Filtered::Contradiction);
    }
    let most = filter.steps + SPENT * problem.rules.len() as u64;
    let mut found = true;
    while std::mem::take(&mut found) {
        for place in 0..problem.variables.len() {
            let domain = &filter.domains[place];
            if domain.fixed().is_some() {
                continue;
            }
            let values: Vec<i32> = match domain.len() <= VALUES {
                true => domain.values().collect(),
                false => vec![domain.min(), domain.max()],
            };
            let x = VarId(place as u32);
            for value in values {
                if filter.steps > most {
                    return Ok(filter.keep(problem));
                }
                if !filter.domains[place].contains(value) {
                    continue;
                }
                if try_value(&mut filter, problem, Literal::Is(x, value), budget)?.is_ok() {
                    continue;
                }
                found = true;
                let shrunk = filter.assert(Literal::IsNot(x, value));
                if shrunk.is_err() || filter.run(&problem.rules, budget)?.is_err() {
                    return Ok(Filtered::Contradiction);
                }
            }
        }
    }
    Ok(filter.keep(problem))
}

/// Whether filtering finds nothing against it; the domains are as before.
fn try_value(
    filter: &mut Filter,
    problem: &Problem,
    literal: Literal,
    budget: &Budget,
) -> Result<Result<(), Empty>, Limit> {
    filter.trail = Some(Vec::new());
    let outcome = match filter.assert(literal) {
        Ok(()) => filter.run(&problem.rules, budget)?,
        Err(empty) => Err(empty),
    };
    for (x, domain) in filter.trail.take().into_iter().flatten().rev() {
        filter.domains[x.index()] = domain;
    }
    Ok(outcome)
}
