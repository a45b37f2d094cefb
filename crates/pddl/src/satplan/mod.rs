//! Planning as satisfiability (Kautz and Selman 1992): is there a plan of at most n steps? A
//! grounded task becomes clauses, step by step, in one incremental CaDiCaL; the goal after a step
//! is a literal that is assumed.
//!
//! `gates` translates the formulas to conjunctions, `effects` the changes that operators make;
//! `order` decides which operators may share a step; `unroll` and `layer` write the clauses;
//! `horizons` decides which horizons are tried, and `chaining` which actions the solver tries first,
//! where its own heuristic is not to. A solution is read back as a plan, redundant
//! actions are removed, and the plan is executed on the task before it is reported.
//!
//! What is proven: a refuted horizon of n steps means that no plan has n steps or fewer and so, in
//! every encoding, that every plan has more than n actions. With one action per step, horizons that
//! grow by 1, and actions of the same cost, the first plan is optimal. Where actions may be free or
//! share a step, or where the horizons grow by more, only the reported lower bound is proven.

mod action_elimination;
mod chaining;
mod effects;
mod gates;
mod horizons;
mod layer;
mod order;
mod sweep;
#[cfg(test)]
mod tests;
mod unroll;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use ployglot_base::{Budget, Effort, Limit, Outcome, Poll, Progress, Report, Space};
use ployglot_csp::sat::{Cadical, Clauses, Lit, SatResult, SatSolver};

use crate::named::by_name;
use crate::task::{OperatorId, Task};
use action_elimination::is_plan;
pub use action_elimination::shorten;
use chaining::Chaining;
use effects::Prepared;
use horizons::Attempt;
pub use horizons::Strategy;
use order::Order;
use sweep::Sweep;
use unroll::Unrolled;

/// How many actions a step has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// At most one action in each step.
    #[default]
    Sequential,
    /// ∃-step plans: the actions of a step can be executed in some order.
    Exists,
}

impl Encoding {
    /// The one list of encodings, in the order of help texts.
    pub const ALL: [Self; 2] = [Self::Sequential, Self::Exists];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Exists => "exists",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sequential => "one action per step",
            Self::Exists => "actions that can be executed in some order share a step",
        }
    }

    /// The encoding of this name. The error is a sentence for the user.
    pub fn parse(name: &str) -> Result<Self, String> {
        by_name("encoding", name, &Self::ALL, Self::name)
    }
}

/// What decides which variable the solver tries next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decisions {
    /// The solver's own heuristic.
    #[default]
    Solver,
    /// Backward chaining from open goals.
    Chaining,
}

impl Decisions {
    /// The one list of them, in the order of help texts.
    pub const ALL: [Self; 2] = [Self::Solver, Self::Chaining];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solver => "solver",
            Self::Chaining => "chaining",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Solver => "the SAT solver's own heuristic; as M",
            Self::Chaining => "actions that support open goals, found backwards; as Mp and MpC",
        }
    }

    /// The one of this name. The error is a sentence for the user.
    pub fn parse(name: &str) -> Result<Self, String> {
        by_name("kind of decisions", name, &Self::ALL, Self::name)
    }
}

/// How a task is encoded, and which horizons are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SatOptions {
    /// How many actions a step has.
    pub encoding: Encoding,
    /// The order of the horizons.
    pub strategy: Strategy,
    /// The difference between one horizon and the next.
    pub step: u32,
    /// What decides which variable the solver tries next.
    pub decisions: Decisions,
}

impl Default for SatOptions {
    /// With these options the first plan has the fewest actions.
    fn default() -> Self {
        Self {
            encoding: Encoding::Sequential,
            strategy: Strategy::InTurn,
            step: 1,
            decisions: Decisions::Solver,
        }
    }
}

/// Why a task cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// Actions change numbers.
    Numbers,
    /// A quantifier has too many bindings.
    Quantifier,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Unsupported::Numbers => {
                "planning as satisfiability does not support numeric fluents that actions change"
            }
            Unsupported::Quantifier => {
                "planning as satisfiability does not support a quantifier with millions of bindings"
            }
        })
    }
}

impl std::error::Error for Unsupported {}

/// Why a task was not encoded.
#[derive(Debug)]
enum Stop {
    Unsupported(Unsupported),
    Limit(Limit),
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Self {
        Stop::Unsupported(unsupported)
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// The result of planning as satisfiability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SatReport {
    /// The outcome; costs and bounds are those of the task's metric.
    pub report: Report<OperatorId>,
    /// The number of steps of the plan as it was found; several actions may share a step.
    pub steps: Option<u32>,
    /// Proven: no plan has fewer steps, and so no plan has fewer actions.
    pub at_least_steps: u32,
    /// The number of steps that were encoded.
    pub horizon: u32,
    /// The number of variables of the formula.
    pub variables: u64,
    /// The number of clauses of the formula.
    pub clauses: u64,
}

/// Looks for a plan of the task.
pub fn satplan(
    task: &Task,
    options: SatOptions,
    budget: &Budget,
) -> Result<SatReport, Unsupported> {
    match encode_and_solve(task, options, budget) {
        Ok(report) => Ok(report),
        Err(Stop::Unsupported(why)) => Err(why),
        Err(Stop::Limit(why)) => Ok(SatReport {
            report: Report {
                outcome: Outcome::GaveUp { at_least: 0, why },
                effort: Effort::default(),
            },
            steps: None,
            at_least_steps: 0,
            horizon: 0,
            variables: 0,
            clauses: 0,
        }),
    }
}

fn encode_and_solve(task: &Task, options: SatOptions, budget: &Budget) -> Result<SatReport, Stop> {
    let poll = Poll::new(budget, "encode");
    let prepared = Prepared::new(task, &poll)?;
    let order = match options.encoding {
        Encoding::Exists => Some(Order::new(task, &prepared, &poll)?),
        Encoding::Sequential => None,
    };
    let threads = budget.threads().min(MAX_THREADS);
    let sweep = Sweep::new(options.strategy, options.step, threads);
    let work = |thread: usize| {
        let order = order.as_ref();
        match solve_horizons(task, &prepared, order, options, &sweep, thread, budget) {
            Err(Stop::Limit(limit)) => {
                sweep.end(limit);
                Ok(Size::default())
            }
            ended => ended,
        }
    };
    let sizes = std::thread::scope(|scope| {
        let work = &work;
        let start = |thread| {
            let named = std::thread::Builder::new().name(format!("horizons {thread}"));
            named.spawn_scoped(scope, move || work(thread)).ok()
        };
        let helpers: Vec<_> = (1..threads).map_while(start).collect();
        let own = work(0);
        let others = helpers.into_iter().map(|helper| {
            let ended = helper.join();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        std::iter::once(own)
            .chain(others)
            .collect::<Result<Vec<Size>, Stop>>()
    })?;
    let found = sweep.into_found();
    // A lower bound on the cost of every plan.
    let at_least = prepared.cheapest.saturating_mul(found.at_least);
    let steps = found.plan.as_ref().map(|(_, steps)| steps.len() as u32);
    let outcome = match (found.plan, found.limit) {
        _ if found.unsolvable => Outcome::Unsolvable,
        (Some((_, plan)), _) => plan_outcome(task, plan.concat(), at_least, budget),
        (None, why) => {
            let why = why.unwrap_or(Limit::Incomplete);
            Outcome::GaveUp { at_least, why }
        }
    };
    // The largest formula of all threads.
    let largest = sizes.into_iter().max_by_key(|size| size.variables);
    let Size {
        horizon,
        variables,
        clauses,
    } = largest.unwrap_or_default();
    Ok(SatReport {
        report: Report {
            outcome,
            effort: Effort {
                stored: variables,
                ..Effort::default()
            },
        },
        steps,
        at_least_steps: found.at_least,
        horizon,
        variables,
        clauses,
    })
}

/// More threads would work on horizons that are too long to be of use.
const MAX_THREADS: usize = 8;

/// The size of the formula of one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    horizon: u32,
    variables: u64,
    clauses: u64,
}

/// The work of one thread: horizons of the sweep, with a solver of its own.
fn solve_horizons(
    task: &Task,
    prepared: &Prepared,
    order: Option<&Order>,
    options: SatOptions,
    sweep: &Sweep,
    thread: usize,
    budget: &Budget,
) -> Result<Size, Stop> {
    // A step is encoded to its end even if the attempt has become needless.
    let poll = Poll::new(budget, "encode");
    let budget = &sweep.budget(thread, budget);
    let mut solver = Counted::default();
    // The solver takes a decider only before its first clause.
    let chaining = match options.decisions {
        Decisions::Solver => None,
        Decisions::Chaining => {
            let chaining = Rc::new(RefCell::new(Chaining::new(task, &poll)?));
            solver.raw.set_decider(chaining.clone());
            Some(chaining)
        }
    };
    let start = task.start();
    let unrolled = Unrolled::new(task, prepared, order, &start, &poll, &mut solver)?;
    if let Some(chaining) = &chaining {
        let facts = unrolled.facts().to_vec();
        chaining.borrow_mut().set_start(unrolled.top(), facts);
    }
    let mut run = Run {
        task,
        prepared,
        unrolled,
        goals: Vec::new(),
        solver,
        chaining,
        at_least: 0,
    };
    while let Some((attempt, at_least)) = sweep.next(thread) {
        run.at_least = at_least;
        run.unrolled.need(at_least as usize, &mut run.solver);
        let result = run.ask(attempt, budget);
        sweep.record(thread, attempt, result);
    }
    Ok(Size {
        horizon: run.unrolled.len() as u32,
        variables: run.solver.variables,
        clauses: run.solver.clauses,
    })
}

/// The outcome with this plan, without its redundant actions.
fn plan_outcome(
    task: &Task,
    plan: Vec<OperatorId>,
    at_least: u32,
    budget: &Budget,
) -> Outcome<OperatorId> {
    let (plan, cost) = match (shorten(task, &plan, budget), task.cut_off()) {
        (_, Some(why)) => return Outcome::GaveUp { at_least, why },
        (plan, None) => plan.expect("a solution of the clauses is a plan of the task"),
    };
    Outcome::at_limit(Some((plan, cost)), at_least, Limit::Incomplete)
}

/// The state of one thread.
struct Run<'a> {
    task: &'a Task,
    prepared: &'a Prepared,
    unrolled: Unrolled<'a>,
    /// For each number of steps, the literal of the goal after them; `None` where it cannot hold.
    goals: Vec<Option<Lit>>,
    solver: Counted,
    /// The decision heuristic, if it is not the solver's own.
    chaining: Option<Rc<RefCell<Chaining>>>,
    /// Proven: no plan has fewer steps.
    at_least: u32,
}

/// The result of an attempt.
enum HorizonResult {
    /// The operators of each step.
    Plan(Vec<Vec<OperatorId>>),
    /// There is no plan within the horizon.
    Refuted,
    /// There is no plan of any length.
    Unsolvable,
    /// The attempt's conflicts are used up.
    OutOfConflicts,
}

/// The limit on conflicts for checking, without the goal, whether a horizon's steps can be executed
/// at all. Mostly they can, and finding that takes hardly any conflicts.
const NO_GOAL_CONFLICTS: u32 = 1000;

impl Run<'_> {
    /// A lower bound on the cost of every plan.
    fn bound(&self) -> u32 {
        self.prepared.cheapest.saturating_mul(self.at_least)
    }

    /// Encodes steps up to the horizon; `true` if this has shown that there is no plan at all.
    fn extend(&mut self, horizon: usize, budget: &Budget) -> Result<bool, Limit> {
        while self.goals.len() <= horizon {
            budget.check(|| self.progress(self.goals.len()))?;
            if !self.goals.is_empty() {
                for &(_, literal) in self.unrolled.extend(&mut self.solver)? {
                    self.solver.raw.set_phase(!literal);
                }
                self.observe_last_step();
            }
            let goal = self.unrolled.goal(&mut self.solver)?;
            self.goals.push(goal);
            if goal.is_none() && self.unrolled.at_fixpoint() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Shows the last step to the decision heuristic.
    fn observe_last_step(&mut self) {
        let Some(chaining) = &self.chaining else {
            return;
        };
        let step = self.unrolled.last_step();
        let mut actions = vec![None; self.task.operators.len()];
        for &(operator, literal) in step {
            actions[operator.0 as usize] = Some(literal);
            self.solver.raw.observe(literal);
        }
        let (facts, top) = (self.unrolled.facts(), self.unrolled.top());
        let changing = facts.iter().filter(|&&fact| fact != top && fact != !top);
        changing.for_each(|&fact| self.solver.raw.observe(fact));
        chaining.borrow_mut().add_step(actions, facts.to_vec());
    }

    fn ask(&mut self, attempt: Attempt, budget: &Budget) -> Result<HorizonResult, Limit> {
        if self.extend(attempt.horizon, budget)? {
            return Ok(HorizonResult::Unsolvable);
        }
        let Some(goal) = self.goals[attempt.horizon] else {
            return Ok(HorizonResult::Refuted);
        };
        loop {
            match self.solve(&[goal], attempt, attempt.conflicts, budget) {
                SatResult::Satisfiable => {
                    let solver = &self.solver;
                    let value = |literal| solver.raw.value(literal);
                    let plan = self.unrolled.plan(attempt.horizon, value);
                    // A plan may be right although the solution has loops that it does not need.
                    let is_plan = self.task.axioms.cycles.is_empty()
                        || is_plan(self.task, &plan.concat())
                        || !(self.unrolled).forbid_loops(attempt.horizon, &mut self.solver)?;
                    if is_plan {
                        return Ok(HorizonResult::Plan(plan));
                    }
                }
                // The clauses are unsatisfiable without the goal: every plan has more steps than the
                // refuted horizons, and that many steps cannot be executed.
                SatResult::Unsatisfiable if self.solver.raw.failed_assumptions().is_empty() => {
                    return Ok(HorizonResult::Unsolvable);
                }
                SatResult::Unsatisfiable => {
                    return match self.solve(&[], attempt, Some(NO_GOAL_CONFLICTS), budget) {
                        SatResult::Unsatisfiable => Ok(HorizonResult::Unsolvable),
                        SatResult::GaveUp(why) if why != Limit::Incomplete => Err(why),
                        _ => Ok(HorizonResult::Refuted),
                    };
                }
                SatResult::GaveUp(Limit::Incomplete) => return Ok(HorizonResult::OutOfConflicts),
                SatResult::GaveUp(why) => return Err(why),
            }
        }
    }

    fn solve(
        &mut self,
        assumptions: &[Lit],
        attempt: Attempt,
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> SatResult {
        let progress = self.progress(attempt.horizon);
        if let Some(conflicts) = conflicts {
            self.solver.raw.limit_conflicts(conflicts);
        }
        if let Some(chaining) = &self.chaining {
            chaining.borrow_mut().start(attempt.horizon);
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

/// The solver, with the numbers of its variables and clauses.
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
