//! Planning as satisfiability (Kautz and Selman 1992): is there a plan of at most so many steps? A grounded task becomes clauses, step by
//! step, in one CaDiCaL that grows; the goal after a step is a literal that is assumed.
//!
//! The way of a task: `gates` makes its formulas plain, `effects` says what operators change, `order` which of them may share a step,
//! `unroll` and `layer` write the clauses, `horizons` decides what is asked. What a solution says is read back, stripped of what it
//! does not need, and walked through the task before anybody sees it.
//!
//! What is proven: a refuted horizon means that no plan has so few steps, and so, whatever the encoding, that every plan has more
//! actions than that. With one action a step, a step of 1 and actions that cost the same, the first plan is a best one. Where actions may
//! be free, or share a step, or the horizons are coarse, the plan is only as good as the bound says.

mod effects;
mod gates;
mod horizons;
mod layer;
mod order;
mod shorten;
#[cfg(test)]
mod tests;
mod unroll;

use std::fmt;

use ployglot_base::{Budget, Effort, Limit, Outcome, Progress, Report, Space};
use ployglot_csp::sat::{Cadical, Clauses, Lit, SatResult, SatSolver};

use crate::task::{OperatorId, Task};
use effects::Prepared;
use horizons::{Question, Questions};
pub use horizons::{STRATEGIES, Strategy};
use order::Order;
pub use shorten::shorten;
use unroll::Unrolled;

/// How many actions a step has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    #[default]
    Sequential,
    Exists,
}

/// The one list of encodings, with their names and what they are.
pub const ENCODINGS: &[(&str, Encoding, &str)] = &[
    ("sequential", Encoding::Sequential, "one action a step"),
    (
        "exists",
        Encoding::Exists,
        "actions that can be put into an order share a step",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SatOptions {
    pub encoding: Encoding,
    pub strategy: Strategy,
    /// From one horizon to the next.
    pub step: u32,
}

impl Default for SatOptions {
    /// The first plan has as few actions as can be.
    fn default() -> Self {
        Self {
            encoding: Encoding::Sequential,
            strategy: Strategy::InTurn,
            step: 1,
        }
    }
}

/// Why a task has no clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Numbers,
    Quantifier,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Refused::Numbers => {
                "planning as satisfiability does not take numeric fluents that actions change"
            }
            Refused::Quantifier => {
                "planning as satisfiability does not take a quantifier with millions of bindings"
            }
        })
    }
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SatReport {
    /// The cost and its bound, in the task's own measure.
    pub report: Report<OperatorId>,
    /// The steps of the plan, as it was found; several actions may share one.
    pub steps: Option<u32>,
    /// Proven: no plan has fewer steps, and so none has fewer actions.
    pub at_least_steps: u32,
    /// The longest horizon that was asked about.
    pub horizon: u32,
    pub variables: u64,
    pub clauses: u64,
}

/// Looks for a plan.
pub fn satplan(task: &Task, options: SatOptions, budget: &Budget) -> Result<SatReport, Refused> {
    let prepared = Prepared::new(task)?;
    let order = (options.encoding == Encoding::Exists).then(|| Order::new(task, &prepared));
    let mut solver = Counted::default();
    let unrolled = Unrolled::new(task, &prepared, order.as_ref(), &task.start(), &mut solver);
    let mut hunt = Hunt {
        task,
        prepared: &prepared,
        unrolled,
        goals: Vec::new(),
        solver,
        at_least: 0,
    };
    let (outcome, steps) = hunt.run(options, budget);
    let horizon = hunt.unrolled.len() as u32;
    let Counted {
        variables, clauses, ..
    } = hunt.solver;
    Ok(SatReport {
        report: Report {
            outcome,
            effort: Effort {
                stored: variables,
                ..Effort::default()
            },
        },
        steps,
        at_least_steps: hunt.at_least,
        horizon,
        variables,
        clauses,
    })
}

struct Hunt<'a> {
    task: &'a Task,
    prepared: &'a Prepared,
    unrolled: Unrolled<'a>,
    /// For each number of steps the literal of the goal after them; `None` where it cannot hold.
    goals: Vec<Option<Lit>>,
    solver: Counted,
    /// No plan has fewer steps.
    at_least: u32,
}

/// How a question was answered.
enum Reply {
    Plan(Vec<Vec<OperatorId>>),
    Refuted,
    /// No plan of any length.
    Never,
    /// The share of conflicts is spent.
    Later,
}

/// Whether steps can be taken at all is asked with few conflicts: mostly they can, and it is seen at once.
const IDLE_CONFLICTS: u32 = 1000;

impl Hunt<'_> {
    fn run(&mut self, options: SatOptions, budget: &Budget) -> (Outcome<OperatorId>, Option<u32>) {
        let mut questions = Questions::new(options.strategy, options.step as usize);
        loop {
            let question = questions.next();
            match self.ask(question, budget) {
                Err(why) => {
                    return (
                        Outcome::GaveUp {
                            at_least: self.bound(),
                            why,
                        },
                        None,
                    );
                }
                Ok(Reply::Never) => return (Outcome::Unsolvable, None),
                Ok(Reply::Later) => {}
                Ok(Reply::Refuted) => {
                    questions.refuted(question.horizon);
                    self.at_least = self.at_least.max(question.horizon as u32 + 1);
                    self.unrolled.need(self.at_least as usize, &mut self.solver);
                }
                Ok(Reply::Plan(steps)) => {
                    let count = steps.len() as u32;
                    return (self.outcome(steps.concat()), Some(count));
                }
            }
        }
    }

    /// Proven of the cost of every plan.
    fn bound(&self) -> u32 {
        self.prepared.cheapest.saturating_mul(self.at_least)
    }

    fn outcome(&self, plan: Vec<OperatorId>) -> Outcome<OperatorId> {
        let (plan, cost) =
            shorten(self.task, &plan).expect("a solution of the clauses is a plan of the task");
        let at_least = self.bound();
        if cost <= at_least {
            Outcome::Optimal { plan, cost }
        } else {
            Outcome::Feasible {
                plan,
                cost,
                at_least,
                why: Limit::Incomplete,
            }
        }
    }

    /// Adds steps until there are so many; `true` if it was seen on the way that there is no plan at all.
    fn extend(&mut self, horizon: usize, budget: &Budget) -> Result<bool, Limit> {
        while self.goals.len() <= horizon {
            budget.check(|| self.progress(self.goals.len()))?;
            if !self.goals.is_empty() {
                for &(_, literal) in self.unrolled.extend(&mut self.solver) {
                    self.solver.raw.set_phase(!literal);
                }
            }
            let goal = self.unrolled.goal(&mut self.solver);
            self.goals.push(goal);
            if goal.is_none() && self.unrolled.settled() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ask(&mut self, question: Question, budget: &Budget) -> Result<Reply, Limit> {
        if self.extend(question.horizon, budget)? {
            return Ok(Reply::Never);
        }
        let Some(goal) = self.goals[question.horizon] else {
            return Ok(Reply::Refuted);
        };
        match self.solve(&[goal], question, question.conflicts, budget) {
            SatResult::Satisfiable => {
                let solver = &self.solver;
                Ok(Reply::Plan(
                    self.unrolled
                        .plan(question.horizon, |literal| solver.raw.value(literal)),
                ))
            }
            // The goal is not to blame: so many steps cannot be taken, and with fewer there is no plan.
            SatResult::Unsatisfiable if self.solver.raw.failed_assumptions().is_empty() => {
                Ok(Reply::Never)
            }
            SatResult::Unsatisfiable => {
                match self.solve(&[], question, Some(IDLE_CONFLICTS), budget) {
                    SatResult::Unsatisfiable => Ok(Reply::Never),
                    SatResult::GaveUp(why) if why != Limit::Incomplete => Err(why),
                    _ => Ok(Reply::Refuted),
                }
            }
            SatResult::GaveUp(Limit::Incomplete) => Ok(Reply::Later),
            SatResult::GaveUp(why) => Err(why),
        }
    }

    fn solve(
        &mut self,
        assumptions: &[Lit],
        question: Question,
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> SatResult {
        let progress = self.progress(question.horizon);
        if let Some(conflicts) = conflicts {
            self.solver.raw.limit_conflicts(conflicts);
        }
        self.solver.raw.solve(assumptions, budget, progress)
    }

    fn progress(&self, horizon: usize) -> Progress {
        Progress {
            phase: "horizon",
            depth: horizon as u32,
            stored: self.solver.variables,
            at_least: self.bound(),
            ..Progress::default()
        }
    }
}

/// The solver, and how much it was given.
#[derive(Default)]
struct Counted {
    raw: Cadical,
    variables: u64,
    clauses: u64,
}

impl Clauses for Counted {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.raw.fresh()
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        self.raw.clause(literals);
    }
}
