//! The best solution, and all solutions, with any back end.
//!
//! The optimum is found by bisection: the proven bound and the best solution close in on each
//! other, and each call has an assumption on the objective, so that the solver keeps what it
//! learned. Bisection rather than one step at a time, because calls far from the optimum are easy
//! on either side, and because a bound is then known early. A solver with its own objective may
//! prove a better bound than the assumption needs ([`Backend::bound`]); then fewer calls remain.
//!
//! Where a relaxation gave the bound ([`Problem::relaxed`]), the first calls are near it, at distances that
//! double: there the clauses of the relaxation fix most variables. Bisection would start halfway to a
//! poor solution, where nothing is fixed.

use std::ops::ControlFlow;

use ployglot_base::{Budget, Limit, Progress};

use crate::backend::{Backend, SolveResult};
use crate::problem::{Constraint, Goal, Literal, Objective, Problem, VarId};

/// How an optimisation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// Proven: no solution is better.
    Optimal {
        /// A value for each variable.
        values: Vec<i32>,
        /// The value of the objective.
        objective: i32,
    },
    /// A solution that was not proven optimal.
    Feasible {
        /// A value for each variable.
        values: Vec<i32>,
        /// The value of the objective.
        objective: i32,
        /// No solution is better than this.
        bound: i32,
        /// The limit that ended the search.
        why: Limit,
    },
    /// Proven: there is no solution.
    Unsatisfiable,
    /// No solution was found.
    GaveUp {
        /// No solution is better than this.
        bound: i32,
        /// The limit that ended the search.
        why: Limit,
    },
}

/// Called with the proven bound, and with the objective and the values of the best solution.
pub type OnProgress<'t> = dyn FnMut(i32, Option<(i32, &[i32])>) + 't;

/// The best solution under the assumptions. `on_progress` is called for each better solution and
/// each better bound. Panics on a problem without an objective.
pub fn optimise(
    backend: &mut dyn Backend,
    problem: &Problem,
    assumptions: &[Literal],
    budget: &Budget,
    on_progress: &mut OnProgress,
) -> Optimum {
    let Objective { goal, value } = problem.objective.expect("an objective");
    let domain = problem.domain(value);
    if domain.is_empty() {
        return Optimum::Unsatisfiable;
    }
    // The objective as a cost to minimise: the distance from the best end of the domain.
    let best_end = match goal {
        Goal::Minimise => domain.min(),
        Goal::Maximise => domain.max(),
    };
    let cost = |v: i32| (i64::from(v) - i64::from(best_end)).abs();
    let value_of = |cost: i64| match goal {
        Goal::Minimise => (i64::from(best_end) + cost) as i32,
        Goal::Maximise => (i64::from(best_end) - cost) as i32,
    };
    let at_most = |cost: i64| match goal {
        Goal::Minimise => Literal::AtMost(value, value_of(cost)),
        Goal::Maximise => Literal::AtLeast(value, value_of(cost)),
    };
    let mut proven = 0i64;
    let mut best: Option<(i64, Vec<i32>)> = None;
    // The cost that the next call assumes as an upper bound.
    let mut target: Option<i64> = None;
    // How far from the proven bound it may be.
    let mut reach = match problem.relaxed {
        true => 0,
        false => i64::MAX,
    };
    loop {
        let mut assumed = assumptions.to_vec();
        assumed.extend(target.map(at_most));
        let small = |cost: i64| u32::try_from(value_of(cost)).unwrap_or(0);
        let progress = || Progress {
            phase: "bound",
            at_least: small(proven),
            best: best.as_ref().map(|best| small(best.0)),
            ..Progress::default()
        };
        let result = match budget.check(progress) {
            Ok(()) => backend.solve(problem, &assumed, budget),
            Err(limit) => SolveResult::GaveUp(limit),
        };
        match (result, target) {
            (SolveResult::Satisfiable(values), _) => {
                let found = cost(values[value.index()]);
                // Solvers with their own objective may prove a better bound than the assumption
                // needs.
                if let Some(bound) = backend.bound() {
                    let bound = cost(bound.clamp(domain.min(), domain.max()));
                    proven = proven.max(bound.min(found));
                }
                best = Some((found, values));
            }
            (SolveResult::Unsatisfiable, None) => return Optimum::Unsatisfiable,
            (SolveResult::Unsatisfiable, Some(target)) => {
                proven = target + 1;
                reach = reach.saturating_mul(2).saturating_add(1);
            }
            (SolveResult::GaveUp(why), _) => {
                // A bound that holds under the assumption: without it, no cost is at most the
                // target, or the bound holds.
                if let Some(bound) = backend.bound() {
                    let bound = cost(bound.clamp(domain.min(), domain.max()));
                    let most = target.map_or(i64::MAX, |target| target + 1);
                    let most = best.as_ref().map_or(most, |best| most.min(best.0));
                    proven = proven.max(bound.min(most));
                }
                let bound = value_of(proven);
                return match best {
                    Some((found, values)) => Optimum::Feasible {
                        values,
                        objective: value_of(found),
                        bound,
                        why,
                    },
                    None => Optimum::GaveUp { bound, why },
                };
            }
        }
        let (found, values) = best.as_ref().expect("the first call found a solution");
        let found = *found;
        on_progress(value_of(proven), Some((value_of(found), values)));
        if proven >= found {
            let values = best.take().expect("found").1;
            return Optimum::Optimal {
                values,
                objective: value_of(found),
            };
        }
        target = Some(proven + ((found - 1 - proven) / 2).min(reach));
    }
}

/// How an enumeration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enumerated {
    /// All solutions were found.
    All,
    /// The callback ended the enumeration.
    Stopped,
    /// A limit ended the enumeration.
    GaveUp(Limit),
}

/// Enumerates solutions, no two with the same values of the variables `shown`. Each is forbidden by
/// a clause that stays in the problem. `on_solution` may end the enumeration.
pub fn solutions(
    backend: &mut dyn Backend,
    problem: &mut Problem,
    shown: &[VarId],
    budget: &Budget,
    on_solution: &mut dyn FnMut(&Problem, &[i32]) -> ControlFlow<()>,
) -> Enumerated {
    loop {
        match backend.solve(problem, &[], budget) {
            SolveResult::Satisfiable(values) => {
                if on_solution(problem, &values).is_break() {
                    return Enumerated::Stopped;
                }
                let other = |x: &VarId| Literal::IsNot(*x, values[x.index()]);
                problem.post(Constraint::Clause(shown.iter().map(other).collect()));
            }
            SolveResult::Unsatisfiable => return Enumerated::All,
            SolveResult::GaveUp(limit) => return Enumerated::GaveUp(limit),
        }
    }
}
