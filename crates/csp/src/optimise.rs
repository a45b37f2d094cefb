//! The best solution, and all solutions, with any back end.
//!
//! The best is found by halving: what is proven and what is found close in on each other, and each question is asked under
//! an assumption on the objective, so that the solver keeps what it learned. Halving rather than one step at a time, because
//! questions far from the optimum are easy on either side, and because a bound is then known from early on. A solver that
//! knows of objectives may prove more with an answer than it was asked ([`Backend::bound`]); then fewer questions remain.

use std::ops::ControlFlow;

use ployglot_base::{Budget, Limit, Progress};

use crate::backend::{Backend, Verdict};
use crate::problem::{Constraint, Goal, Literal, Objective, Problem, VarId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// Proven: no solution is better.
    Optimal {
        values: Vec<i32>,
        objective: i32,
    },
    /// The best so far; no solution is better than the bound.
    Feasible {
        values: Vec<i32>,
        objective: i32,
        bound: i32,
        why: Limit,
    },
    Unsatisfiable,
    /// Nothing found; no solution is better than the bound.
    GaveUp {
        bound: i32,
        why: Limit,
    },
}

/// Gets a bound, and the value and the values of the best solution so far.
pub type Tell<'t> = dyn FnMut(i32, Option<(i32, &[i32])>) + 't;

/// The best solution under the assumptions. `tell` hears of each better solution and each better bound: first the bound, then the best so far.
/// Panics on a problem without an objective.
pub fn optimise(
    backend: &mut dyn Backend,
    problem: &Problem,
    assumptions: &[Literal],
    budget: &Budget,
    tell: &mut Tell,
) -> Optimum {
    let Objective { goal, value } = problem.objective.expect("an objective");
    let domain = problem.domain(value);
    if domain.is_empty() {
        return Optimum::Unsatisfiable;
    }
    // Everything as a cost that shall be small: the distance from the best end of the domain.
    let best_end = match goal {
        Goal::Minimise => domain.min(),
        Goal::Maximise => domain.max(),
    };
    let cost = |v: i32| (i64::from(v) - i64::from(best_end)).abs();
    let worth = |cost: i64| match goal {
        Goal::Minimise => (i64::from(best_end) + cost) as i32,
        Goal::Maximise => (i64::from(best_end) - cost) as i32,
    };
    let at_most = |cost: i64| match goal {
        Goal::Minimise => Literal::AtMost(value, worth(cost)),
        Goal::Maximise => Literal::AtLeast(value, worth(cost)),
    };
    let mut proven = 0i64;
    let mut best: Option<(i64, Vec<i32>)> = None;
    let mut question: Option<i64> = None;
    loop {
        let mut asked = assumptions.to_vec();
        asked.extend(question.map(at_most));
        let small = |cost: i64| u32::try_from(worth(cost)).unwrap_or(0);
        let progress = || Progress {
            phase: "bound",
            at_least: small(proven),
            best: best.as_ref().map(|best| small(best.0)),
            ..Progress::default()
        };
        let verdict = match budget.check(progress) {
            Ok(()) => backend.solve(problem, &asked, budget),
            Err(limit) => Verdict::GaveUp(limit),
        };
        match (verdict, question) {
            (Verdict::Satisfiable(values), _) => {
                let found = cost(values[value.index()]);
                // Solvers that optimise themselves prove more than they were asked.
                if let Some(bound) = backend.bound() {
                    let bound = cost(bound.clamp(domain.min(), domain.max()));
                    proven = proven.max(bound.min(found));
                }
                best = Some((found, values));
            }
            (Verdict::Unsatisfiable, None) => return Optimum::Unsatisfiable,
            (Verdict::Unsatisfiable, Some(asked)) => proven = asked + 1,
            (Verdict::GaveUp(why), _) => {
                let bound = worth(proven);
                return match best {
                    Some((found, values)) => Optimum::Feasible {
                        values,
                        objective: worth(found),
                        bound,
                        why,
                    },
                    None => Optimum::GaveUp { bound, why },
                };
            }
        }
        let (found, values) = best.as_ref().expect("the first question was answered");
        let found = *found;
        tell(worth(proven), Some((worth(found), values)));
        if proven >= found {
            let values = best.take().expect("found").1;
            return Optimum::Optimal {
                values,
                objective: worth(found),
            };
        }
        question = Some(proven + (found - 1 - proven) / 2);
    }
}

/// How an enumeration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enumerated {
    /// There are no more.
    All,
    /// Whoever listened had enough.
    Enough,
    GaveUp(Limit),
}

/// Solutions one after the other, no two alike in the variables that are `shown`. Each is forbidden by a clause that stays
/// in the problem.
pub fn solutions(
    backend: &mut dyn Backend,
    problem: &mut Problem,
    shown: &[VarId],
    budget: &Budget,
    tell: &mut dyn FnMut(&Problem, &[i32]) -> ControlFlow<()>,
) -> Enumerated {
    loop {
        match backend.solve(problem, &[], budget) {
            Verdict::Satisfiable(values) => {
                if tell(problem, &values).is_break() {
                    return Enumerated::Enough;
                }
                let other = |x: &VarId| Literal::IsNot(*x, values[x.index()]);
                problem.post(Constraint::Clause(shown.iter().map(other).collect()));
            }
            Verdict::Unsatisfiable => return Enumerated::All,
            Verdict::GaveUp(limit) => return Enumerated::GaveUp(limit),
        }
    }
}
