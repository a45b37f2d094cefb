//! Constraint programming with lazy clause generation: Pumpkin learns clauses as a SAT solver does,
//! but keeps integers as integers and explains its propagations only on demand.
//!
//! Literals are Pumpkin's predicates. Sums, elements, products and extremes are its propagators;
//! tables have one of ours (`compact_table.rs`); what it lacks is decomposed in `constraints.rs`. Its arithmetic has 32 bits
//! and wraps around silently, so whatever could overflow is refused with [`Limit::Incomplete`] and
//! never answered wrongly.
//!
//! Pumpkin has three traps. A propagation is not ended by a limit; `interruption.rs` does that. A solver that is stopped before its first decision, or after a backjump to
//! the root, stays in the state of a solver that was stopped, and panics when it is asked again; so
//! `BudgetWatch` stops it only just after a decision. And a solver that a clause has made
//! infeasible panics at the next new variable; so nothing is added to it from then on.

mod arithmetic;
mod compact_table;
mod constraints;
mod hall_intervals;
mod interruption;
mod steering;
mod sums;
mod terms;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;

use ployglot_base::{Budget, Limit, Poll, Progress};
use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_core::Solver;
use pumpkin_core::branching::branchers::autonomous_search::AutonomousSearch;
use pumpkin_core::branching::branchers::dynamic_brancher::DynamicBrancher;
use pumpkin_core::branching::{Brancher, BrancherEvent, SelectionContext};
use pumpkin_core::options::{RestartOptions, SequenceGeneratorType, SolverOptions};
use pumpkin_core::predicates::{Predicate, PredicateConstructor};
use pumpkin_core::proof::ConstraintTag;
use pumpkin_core::results::{
    ProblemSolution, SatisfactionResultUnderAssumptions, SolutionReference,
};
use pumpkin_core::statistics::StatisticLogger;
use pumpkin_core::termination::TerminationCondition;
use pumpkin_core::variables::DomainId;

use crate::backend::{Backend, Counts, Size, SolveResult};
use crate::domain::Domain;
use crate::problem::{Heuristic, Literal, Problem, VarId};
use interruption::{Interruption, SharedPoll, WIDE};
use steering::{EveryThirdTurn, Steering};

/// A few numbers below this have a sum that fits 32 bits.
const LARGEST: i64 = 1 << 29;
/// Problems with more variables are decided at random until there are failures.
const FEW_VARIABLES: usize = 3000;
/// The unit of the restart sequence, in failures. Pumpkin's own rule waits for 10,000 failures and for
/// bad clauses, and leaves restarts out where many values are removed: it never restarted in our
/// benchmarks.
const RESTART_INTERVAL: u64 = 128;
/// How many constraints are posted between two checks of the budget.
const CHECK_EVERY: usize = 256;

/// A number does not fit Pumpkin's arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// A solver with our options.
struct OurSolver(Solver);

impl Default for OurSolver {
    fn default() -> Self {
        let restart_options = RestartOptions {
            sequence_generator_type: SequenceGeneratorType::Luby,
            base_interval: RESTART_INTERVAL,
            min_num_conflicts_before_first_restart: RESTART_INTERVAL,
            // Restart by the sequence alone, whatever was learned, and however many values are removed.
            lbd_coef: 0.0,
            num_assigned_coef: f64::MAX,
            ..RestartOptions::default()
        };
        OurSolver(Solver::with_options(SolverOptions {
            restart_options,
            ..SolverOptions::default()
        }))
    }
}

impl Deref for OurSolver {
    type Target = Solver;

    fn deref(&self) -> &Solver {
        &self.0
    }
}

impl DerefMut for OurSolver {
    fn deref_mut(&mut self) -> &mut Solver {
        &mut self.0
    }
}

/// The back end for Pumpkin.
#[derive(Default)]
pub struct CpBackend {
    solver: OurSolver,
    variables: Vec<DomainId>,
    domains: Vec<Domain>,
    numbers: HashMap<i32, DomainId>,
    /// The 0/1 variables of literals that some propagator needs as a variable.
    literals: HashMap<Literal, pumpkin_core::variables::Literal>,
    /// How many constraints of the problem were read.
    constraints: usize,
    /// How many propagators and clauses were posted.
    posted: u64,
    /// How many variables of the solver were made.
    made: u64,
    counts: Counts,
    /// There is no solution; nothing more may be added.
    contradiction: bool,
    /// Ends the posting at a limit.
    poll: Poll,
    /// The poll of the current call, for propagations.
    shared_poll: SharedPoll,
    /// A limit ended the posting within a constraint.
    broken: bool,
}

/// Ends the search when the budget is exhausted.
struct BudgetWatch<'a> {
    budget: &'a Budget,
    polls: u64,
    ended: Option<Limit>,
    /// Whether the last event was a decision.
    has_decided: &'a Cell<bool>,
}

/// Counts, notes decisions and backtracking, and passes everything on to the brancher inside.
#[derive(Debug)]
struct DecisionWatch<'a> {
    inner: DynamicBrancher,
    has_decided: &'a Cell<bool>,
    counts: &'a Cell<Counts>,
}

impl DecisionWatch<'_> {
    fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }
}

impl TerminationCondition for BudgetWatch<'_> {
    fn should_stop(&mut self) -> bool {
        self.polls += 1;
        if self.ended.is_none() && self.polls.is_multiple_of(16) {
            let progress = || Progress {
                phase: "cp",
                expanded: self.polls,
                ..Progress::default()
            };
            self.ended = self.budget.check(progress).err();
        }
        self.ended.is_some() && self.has_decided.get()
    }
}

impl Brancher for DecisionWatch<'_> {
    fn next_decision(&mut self, context: &mut SelectionContext) -> Option<Predicate> {
        let decision = self.inner.next_decision(context);
        self.has_decided.set(decision.is_some());
        self.count(|counts| counts.nodes += u64::from(decision.is_some()));
        decision
    }

    fn on_backtrack(&mut self) {
        self.has_decided.set(false);
        self.inner.on_backtrack();
    }

    fn log_statistics(&self, logger: StatisticLogger) {
        self.inner.log_statistics(logger);
    }

    fn on_conflict(&mut self) {
        self.count(|counts| counts.failures += 1);
        self.inner.on_conflict();
    }

    fn on_solution(&mut self, solution: SolutionReference) {
        self.inner.on_solution(solution);
    }

    fn on_unassign_integer(&mut self, variable: DomainId, value: i32) {
        self.inner.on_unassign_integer(variable, value);
    }

    fn on_appearance_in_conflict_predicate(&mut self, predicate: Predicate) {
        self.inner.on_appearance_in_conflict_predicate(predicate);
    }

    fn on_restart(&mut self) {
        self.inner.on_restart();
    }

    fn synchronise(&mut self, context: &mut SelectionContext) {
        self.inner.synchronise(context);
    }

    /// Pumpkin asks this just before each restart, and has no event for the restart itself.
    fn is_restart_pointless(&mut self) -> bool {
        let pointless = self.inner.is_restart_pointless();
        self.count(|counts| counts.restarts += u64::from(!pointless));
        pointless
    }

    fn subscribe_to_events(&self) -> Vec<BrancherEvent> {
        let mut events = self.inner.subscribe_to_events();
        let own = [BrancherEvent::Backtrack, BrancherEvent::Conflict];
        events.extend(own);
        events
    }
}

impl CpBackend {
    fn tag(&mut self) -> ConstraintTag {
        self.poll.step();
        self.posted += 1;
        self.solver.new_constraint_tag()
    }

    /// A new variable of the solver; the domain is not empty.
    fn integer(&mut self, domain: &Domain) -> Result<DomainId, Overflow> {
        let (low, high) = (domain.min(), domain.max());
        if i64::from(low) < -LARGEST || i64::from(high) > LARGEST {
            return Err(Overflow);
        }
        if self.is_contradictory() {
            // Nothing more is added; any variable will do.
            return Ok(DomainId::new(0));
        }
        let id = self.solver.new_bounded_integer(low, high);
        self.made += 1;
        for pair in domain.ranges().windows(2) {
            let tag = self.tag();
            let hole = [
                id.upper_bound_predicate(pair[0].1),
                id.lower_bound_predicate(pair[1].0),
            ];
            self.solver.add_clause(hole, tag);
        }
        if domain.len() >= WIDE {
            let interruption = Interruption {
                variable: id,
                poll: self.shared_poll.clone(),
            };
            self.solver.add_constraint(interruption).post();
        }
        Ok(id)
    }

    /// Whether there is no solution; nothing may be added to the solver then.
    fn is_contradictory(&mut self) -> bool {
        self.contradiction |= self.solver.is_inconsistent();
        self.contradiction
    }

    fn add_variables(&mut self, problem: &Problem) -> Result<(), Overflow> {
        for variable in &problem.variables[self.variables.len()..] {
            if variable.domain.is_empty() {
                self.contradiction = true;
                return Ok(());
            }
            self.poll.step();
            let id = self.integer(&variable.domain)?;
            self.variables.push(id);
            self.domains.push(variable.domain.clone());
        }
        Ok(())
    }

    fn domain(&self, variable: VarId) -> &Domain {
        &self.domains[variable.index()]
    }

    /// The solver's predicate for a literal, or `Err` with its value if the domain decides it.
    fn predicate(&self, literal: Literal) -> Result<Predicate, bool> {
        let variable = literal.variable();
        if let Some(known) = literal.known(self.domain(variable)) {
            return Err(known);
        }
        let x = self.variables[variable.index()];
        Ok(match literal {
            Literal::Is(_, v) => x.equality_predicate(v),
            Literal::IsNot(_, v) => x.disequality_predicate(v),
            Literal::AtLeast(_, v) => x.lower_bound_predicate(v),
            Literal::AtMost(_, v) => x.upper_bound_predicate(v),
        })
    }

    /// Posts a clause of predicates; the empty one is a contradiction.
    fn clause(&mut self, predicates: Vec<Predicate>) {
        if predicates.is_empty() {
            self.contradiction = true;
        } else if !self.is_contradictory() {
            let tag = self.tag();
            self.solver.add_clause(predicates, tag);
        }
    }

    fn search(
        &mut self,
        problem: &Problem,
        assumptions: Vec<Predicate>,
        budget: &Budget,
    ) -> SolveResult {
        let has_decided = Cell::new(false);
        let counts = Cell::new(self.counts);
        let mut watch = BudgetWatch {
            budget,
            polls: 0,
            ended: None,
            has_decided: &has_decided,
        };
        let mut resolver = ResolutionResolver::default();
        let mut order: Vec<Box<dyn Brancher>> = Vec::new();
        if !problem.branching.is_empty() {
            let mut wanted: Vec<DomainId> = Vec::new();
            let mut is_wanted = vec![false; self.variables.len()];
            for x in &problem.branching {
                if !std::mem::replace(&mut is_wanted[x.index()], true) {
                    wanted.push(self.variables[x.index()]);
                }
            }
            let heuristic = problem.heuristic.unwrap_or(Heuristic::Static);
            order.push(Box::new(Steering::new(wanted, heuristic)));
        }
        // Pumpkin decides first what took part in recent failures. Where nothing did, it would
        // decide at random; few variables are better decided by the size of their domains.
        if problem.variables.len() <= FEW_VARIABLES {
            if problem.branching.is_empty() {
                let named = problem.variables.iter().zip(&self.variables);
                let named = named.filter(|(variable, _)| variable.name.is_some());
                let named = named.map(|(_, &id)| id).collect();
                order.push(Box::new(EveryThirdTurn::new(named)));
            }
            let heuristic = Heuristic::DomainOverWeightedDegree;
            let otherwise = Steering::new(self.variables.clone(), heuristic);
            order.push(Box::new(AutonomousSearch::new(otherwise)));
        }
        order.push(Box::new(self.solver.default_brancher()));
        let mut brancher = DecisionWatch {
            inner: DynamicBrancher::new(order),
            has_decided: &has_decided,
            counts: &counts,
        };
        let answer = self.solver.satisfy_under_assumptions(
            &mut brancher,
            &mut watch,
            &mut resolver,
            &assumptions,
        );
        let mut contradiction = false;
        let result = match answer {
            SatisfactionResultUnderAssumptions::Satisfiable(satisfiable) => {
                let solution = satisfiable.solution();
                let values = self
                    .variables
                    .iter()
                    .map(|&x| solution.get_integer_value(x));
                SolveResult::Satisfiable(values.collect())
            }
            SatisfactionResultUnderAssumptions::UnsatisfiableUnderAssumptions(_) => {
                SolveResult::Unsatisfiable
            }
            SatisfactionResultUnderAssumptions::Unsatisfiable(_) => {
                contradiction = true;
                SolveResult::Unsatisfiable
            }
            SatisfactionResultUnderAssumptions::Unknown(_) => {
                SolveResult::GaveUp(watch.ended.unwrap_or(Limit::Incomplete))
            }
        };
        self.contradiction |= contradiction;
        self.counts = counts.get();
        result
    }
}

impl CpBackend {
    fn set_poll(&mut self, poll: &Poll) {
        self.poll = poll.clone();
        let mut shared = self
            .shared_poll
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *shared = poll.clone();
    }

    /// Posts the variables and constraints that are new.
    fn post_new(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        self.add_variables(problem).map_err(|_| Limit::Incomplete)?;
        while self.constraints < problem.constraints.len() && !self.is_contradictory() {
            // Between two constraints the solver can be stopped and used again.
            if self.constraints.is_multiple_of(CHECK_EVERY) {
                let progress = || Progress {
                    phase: "posting",
                    expanded: self.constraints as u64,
                    ..Progress::default()
                };
                budget.check(progress)?;
            }
            self.poll.postpone();
            let posted = &problem.constraints[self.constraints];
            self.post(posted).map_err(|_| Limit::Incomplete)?;
            self.constraints += 1;
        }
        self.is_contradictory();
        Ok(())
    }
}

impl Backend for CpBackend {
    fn update(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        if self.broken {
            *self = Self {
                counts: self.counts,
                ..Self::default()
            };
        }
        if self.contradiction {
            return Ok(());
        }
        let posted = budget.stoppable("posting", |poll| {
            self.set_poll(poll);
            self.post_new(problem, budget)
        });
        self.broken = posted.is_err();
        posted.and_then(|posted| posted)
    }

    fn solve(
        &mut self,
        problem: &Problem,
        assumptions: &[Literal],
        budget: &Budget,
    ) -> SolveResult {
        if let Err(limit) = self.update(problem, budget) {
            return SolveResult::GaveUp(limit);
        }
        if self.contradiction {
            return SolveResult::Unsatisfiable;
        }
        if let Err(limit) = budget.check(Progress::default) {
            return SolveResult::GaveUp(limit);
        }
        let mut predicates = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            match self.predicate(assumption) {
                Ok(predicate) => predicates.push(predicate),
                Err(true) => {}
                Err(false) => return SolveResult::Unsatisfiable,
            }
        }
        let found = budget.stoppable("cp", |poll| {
            self.set_poll(poll);
            self.search(problem, predicates, budget)
        });
        self.broken = found.is_err();
        found.unwrap_or_else(SolveResult::GaveUp)
    }

    fn size(&self) -> Size {
        Size {
            variables: self.made,
            constraints: self.posted,
        }
    }

    fn effort(&self) -> u64 {
        self.counts.nodes
    }

    fn counts(&self) -> Option<Counts> {
        Some(self.counts)
    }
}
