//! The interface of a SAT solver: fresh literals, clauses, a call under assumptions, and the budget
//! as the only limit. What a literal means is up to the caller. CaDiCaL is here, Kissat in
//! `kissat.rs`.

use std::cell::RefCell;
use std::num::NonZeroI32;
use std::ops::Not;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use pindakaas::solver::cadical::Cadical as RawCadical;
use pindakaas::solver::propagation::ExternalPropagation;
use pindakaas::solver::{
    Assumptions, FailedAssumptions, LearnCallback, SolveResult as RawResult, TermSignal,
    TerminateCallback,
};
use pindakaas::{ClauseDatabase, Valuation};
use ployglot_base::{Budget, Limit, Progress};

use super::decider::{Decider, Deciding};
use super::decision_order::DecisionOrder;

/// A propositional literal, numbered as in DIMACS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(NonZeroI32);

/// The answer of a SAT solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SatResult {
    /// There is a satisfying assignment; see [`SatSolver::value`].
    Satisfiable,
    /// There is none under the assumptions; see [`SatSolver::failed_assumptions`].
    Unsatisfiable,
    /// Neither was shown within this limit.
    GaveUp(Limit),
}

/// Where clauses go: a solver, or a list that is written to a file.
pub trait Clauses {
    /// The positive literal of a new variable.
    fn fresh(&mut self) -> Lit;

    /// Adds a clause: at least one of the literals is true.
    fn clause(&mut self, literals: &[Lit]);
}

/// An incremental SAT solver.
pub trait SatSolver: Clauses {
    /// A new solver with the same configuration, without clauses. It counts its effort from that of
    /// this one on.
    fn renewed(&self) -> Self
    where
        Self: Sized;

    /// Asks the solver, before the first clause, to follow
    /// [`set_decision_order`](Self::set_decision_order). Returns whether it will.
    fn enable_decision_order(&mut self) -> bool {
        false
    }

    /// From the next call on, these literals are decided first, in this order and made true, if
    /// [`enable_decision_order`](Self::enable_decision_order) returned true.
    fn set_decision_order(&mut self, _order: &[Lit]) {}

    /// Looks for an assignment that satisfies all clauses and the assumptions.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> SatResult;

    /// The value of a literal in the last satisfying assignment.
    fn value(&self, literal: Lit) -> bool;

    /// Assumptions of the last unsatisfiable call that contradict the clauses: not necessarily a
    /// minimal set.
    fn failed_assumptions(&self) -> &[Lit];

    /// The number of learned clauses, about one for each conflict; 0 if the solver does not report
    /// it.
    fn effort(&self) -> u64;
}

impl Lit {
    /// The literal with this DIMACS number. Panics on 0, which ends clauses in DIMACS.
    pub fn from_dimacs(number: i32) -> Self {
        Self(NonZeroI32::new(number).expect("0 is not a literal"))
    }

    pub(super) const fn constant(number: i32) -> Self {
        match NonZeroI32::new(number) {
            Some(number) => Self(number),
            None => panic!("0 is not a literal"),
        }
    }

    /// The DIMACS number.
    pub fn dimacs(self) -> i32 {
        self.0.get()
    }

    /// The index of the variable, from 0.
    pub fn variable(self) -> usize {
        self.0.unsigned_abs().get() as usize - 1
    }

    /// Whether it is a negated variable.
    pub fn is_negative(self) -> bool {
        self.0.get() < 0
    }
}

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(-self.0)
    }
}

/// CaDiCaL. Clauses may be added between calls, and what was learned is kept.
#[derive(Default)]
pub struct Cadical {
    raw: RawCadical,
    variables: usize,
    assignment: Assignment,
    failed: Vec<Lit>,
    learned: Arc<AtomicU64>,
    order_use: OrderUse,
    order: Option<Rc<RefCell<DecisionOrder>>>,
}

/// How a solver uses the decision order of a problem.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum OrderUse {
    /// It decides in this order, then by itself.
    #[default]
    First,
    /// The variables of the order determine the others.
    Complete,
    /// It decides by itself.
    Ignored,
}

/// A satisfying assignment: the value of each variable.
#[derive(Default)]
pub(super) struct Assignment(Vec<bool>);

impl Assignment {
    pub(super) fn read(&mut self, variables: usize, value: impl Fn(Lit) -> bool) {
        self.0.clear();
        let all = 1..=variables as i32;
        self.0
            .extend(all.map(|number| value(Lit::from_dimacs(number))));
    }

    /// The value of a literal; variables that were not read are false.
    pub(super) fn value(&self, literal: Lit) -> bool {
        let positive = self.0.get(literal.variable()).copied();
        positive.unwrap_or(false) != literal.is_negative()
    }
}

/// Counts one more variable, and returns its literal.
pub(super) fn next_literal(variables: &mut usize) -> Lit {
    *variables += 1;
    Lit::from_dimacs(i32::try_from(*variables).expect("fewer than 2^31 variables"))
}

fn raw(literal: Lit) -> pindakaas::Lit {
    pindakaas::Lit::from_raw(literal.0)
}

/// The limit that ended the solver, if one did.
type Ended = Arc<Mutex<Option<Limit>>>;

/// Makes the solver check the budget.
fn watch(
    solver: &mut impl TerminateCallback,
    budget: &Budget,
    progress: Progress,
    learned: &Arc<AtomicU64>,
) -> Ended {
    let ended = Ended::default();
    let (noted, budget, learned) = (ended.clone(), budget.clone(), learned.clone());
    let progress = move || Progress {
        expanded: learned.load(Relaxed),
        ..progress.clone()
    };
    let callback = move || match budget.check(&progress) {
        Ok(()) => TermSignal::Continue,
        Err(limit) => {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
            TermSignal::Terminate
        }
    };
    solver.set_terminate_callback(Some(callback));
    ended
}

/// Counts learned clauses: the wrapper has no statistics, but calls back for every learned clause
/// of up to 512 literals.
fn count(solver: &mut impl LearnCallback, learned: &Arc<AtomicU64>) {
    let learned = learned.clone();
    solver.set_learn_callback(Some(move |_: &mut dyn Iterator<Item = pindakaas::Lit>| {
        learned.fetch_add(1, Relaxed);
    }));
}

fn limit(ended: &Ended) -> Limit {
    let limit = ended.lock().unwrap_or_else(PoisonError::into_inner);
    limit.unwrap_or(Limit::Incomplete)
}

impl Clauses for Cadical {
    fn fresh(&mut self) -> Lit {
        self.raw.new_var_range(1);
        next_literal(&mut self.variables)
    }

    fn clause(&mut self, literals: &[Lit]) {
        let literals: smallvec::SmallVec<[_; 16]> = literals.iter().map(|&l| raw(l)).collect();
        // An empty clause is an error here; the next call finds the contradiction as well.
        let _ = self.raw.add_clause_from_slice(&literals);
    }
}

impl SatSolver for Cadical {
    fn renewed(&self) -> Self {
        let solver = match self.order_use {
            OrderUse::First => Self::default(),
            OrderUse::Complete => Self::with_complete_order(),
            OrderUse::Ignored => Self::without_decision_order(),
        };
        Self {
            learned: self.learned.clone(),
            ..solver
        }
    }

    fn enable_decision_order(&mut self) -> bool {
        if self.order_use == OrderUse::Ignored {
            return false;
        }
        // A restart would only repeat the same decisions; chronological backtracking assigns values
        // out of order without a notification. `shrink` and `factor` cost more here than they save.
        // Clauses learned under a fixed order usually involve two decision levels, which CaDiCaL
        // considers so good that it keeps them through 31 reductions: with frequent reductions it
        // drops those that have not been used for long. Eliminated variables make learned clauses
        // longer, and bumping variables beyond those of a clause is of no use to a fixed order: without
        // simplification between conflicts and with less bumping, Plotting and Puzznic have 3 to 35 %
        // fewer conflicts.
        let options = [
            ("restart", 0),
            ("chrono", 0),
            ("shrink", 0),
            ("factor", 0),
            ("reduceint", 30),
            ("reducetarget", 100),
            ("inprocessing", 0),
            ("bumpreason", 0),
        ];
        for (option, value) in options {
            self.raw.set_option(option, value);
        }
        if self.order_use == OrderUse::Complete {
            self.raw.set_option("bump", 0);
        }
        let order = Rc::new(RefCell::new(DecisionOrder::default()));
        self.raw.connect_propagator(order.clone());
        self.order = Some(order);
        true
    }

    fn set_decision_order(&mut self, literals: &[Lit]) {
        let Some(order) = &self.order else { return };
        order
            .borrow_mut()
            .set(literals.iter().map(|&l| raw(l)).collect());
        for &literal in literals {
            self.raw.add_observed_var(raw(literal).var());
        }
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> SatResult {
        if let Err(limit) = budget.check(|| progress.clone()) {
            return SatResult::GaveUp(limit);
        }
        let ended = watch(&mut self.raw, budget, progress, &self.learned);
        count(&mut self.raw, &self.learned);
        match self.raw.solve_assuming(assumptions.iter().map(|&l| raw(l))) {
            RawResult::Satisfied(model) => {
                let value = |literal| model.value(raw(literal));
                self.assignment.read(self.variables, value);
                SatResult::Satisfiable
            }
            RawResult::Unsatisfiable(core) => {
                let failed = assumptions.iter().filter(|&&l| core.fail(raw(l)));
                self.failed = failed.copied().collect();
                SatResult::Unsatisfiable
            }
            RawResult::Unknown => SatResult::GaveUp(limit(&ended)),
        }
    }

    fn value(&self, literal: Lit) -> bool {
        self.assignment.value(literal)
    }

    fn failed_assumptions(&self) -> &[Lit] {
        &self.failed
    }

    fn effort(&self) -> u64 {
        self.learned.load(Relaxed)
    }
}

impl Cadical {
    /// A solver that ignores decision orders. Stable phases and local search are off: without them
    /// it was measured to be 1.3 to 1.9 times as fast.
    pub fn without_decision_order() -> Self {
        let mut solver = Self {
            order_use: OrderUse::Ignored,
            ..Self::default()
        };
        for option in ["stabilize", "walk"] {
            solver.raw.set_option(option, 0);
        }
        solver
    }

    /// A solver for problems whose decision order determines all other variables. It does not record
    /// which variables are in conflicts, because it decides none by that: 0.85 of the time.
    pub fn with_complete_order() -> Self {
        Self {
            order_use: OrderUse::Complete,
            ..Self::default()
        }
    }

    /// The next call gives up with [`Limit::Incomplete`] after this many conflicts.
    pub fn limit_conflicts(&mut self, conflicts: u32) {
        let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
        self.raw.set_limit("conflicts", conflicts);
    }

    /// Connects a writer of proofs. Must be called before the first clause.
    pub(super) fn trace(&mut self, tracer: Rc<RefCell<super::proof::Tracer>>) {
        self.raw.connect_proof_tracer(tracer);
    }

    /// Lets this decider choose the decisions. Must be called before the first variable, and not
    /// together with a decision order.
    pub fn set_decider(&mut self, decider: Rc<RefCell<dyn Decider>>) {
        // Chronological backtracking assigns values out of order without a notification.
        self.raw.set_option("chrono", 0);
        let deciding = Rc::new(RefCell::new(Deciding::new(decider)));
        self.raw.connect_propagator(deciding);
    }

    /// Lets the decider see the value of the literal's variable.
    pub fn observe(&mut self, literal: Lit) {
        self.raw.add_observed_var(raw(literal).var());
    }

    /// Decisions on the literal's variable first try the value that makes the literal true.
    pub fn set_phase(&mut self, literal: Lit) {
        self.raw.phase(raw(literal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::Kissat;
    use std::time::Duration;

    fn ask(solver: &mut impl SatSolver, assumptions: &[Lit]) -> SatResult {
        solver.solve(assumptions, &Budget::unlimited(), Progress::default())
    }

    /// Random clauses of three literals against enumeration, with clauses added between calls.
    fn check_small(mut make: impl FnMut() -> Box<dyn SatSolver>) {
        const VARIABLES: usize = 6;
        let mut random = ployglot_base::Random::new(5);
        for _ in 0..60 {
            let mut solver = make();
            let fresh: Vec<Lit> = (0..VARIABLES).map(|_| solver.fresh()).collect();
            let mut any = || match fresh[random.below(VARIABLES)] {
                literal if random.below(2) == 0 => literal,
                literal => !literal,
            };
            let mut clauses: Vec<[Lit; 3]> = Vec::new();
            let truth = |assignment: usize, l: Lit| {
                (assignment >> l.variable() & 1 == 1) != l.is_negative()
            };
            for _ in 0..8 {
                for _ in 0..5 {
                    let clause = [any(), any(), any()];
                    solver.clause(&clause);
                    clauses.push(clause);
                }
                let assumptions = [any(), any()];
                let all = |assignment: &usize, clauses: &[[Lit; 3]]| {
                    clauses
                        .iter()
                        .all(|c| c.iter().any(|&l| truth(*assignment, l)))
                        && assumptions.iter().all(|&l| truth(*assignment, l))
                };
                let expected = (0..1 << VARIABLES).any(|assignment| all(&assignment, &clauses));
                let budget = Budget::unlimited();
                match solver.solve(&assumptions, &budget, Progress::default()) {
                    SatResult::Satisfiable => {
                        assert!(expected);
                        let holds = |l: &Lit| solver.value(*l);
                        assert!(clauses.iter().all(|c| c.iter().any(holds)));
                        assert!(assumptions.iter().all(holds));
                    }
                    SatResult::Unsatisfiable => {
                        assert!(!expected);
                        let of_these = |l: &Lit| assumptions.contains(l);
                        assert!(solver.failed_assumptions().iter().all(of_these));
                    }
                    SatResult::GaveUp(limit) => panic!("no limit was set: {limit}"),
                }
            }
        }
    }

    #[test]
    fn cadical_agrees_with_enumeration() {
        check_small(|| Box::<Cadical>::default());
        check_small(|| Box::new(Cadical::without_decision_order()));
        check_small(|| Box::new(Cadical::with_complete_order()));
    }

    #[test]
    fn kissat_agrees_with_enumeration() {
        check_small(|| Box::<Kissat>::default());
    }

    /// The pigeonhole problem with one pigeon too many: hard for resolution.
    fn pigeons(solver: &mut impl SatSolver, holes: usize) {
        let place: Vec<Vec<Lit>> = (0..=holes)
            .map(|_| (0..holes).map(|_| solver.fresh()).collect())
            .collect();
        for row in &place {
            solver.clause(row);
        }
        let pairs = (0..=holes).flat_map(|a| (0..a).map(move |b| (a, b)));
        for (a, b) in pairs {
            for (&one, &other) in place[a].iter().zip(&place[b]) {
                solver.clause(&[!one, !other]);
            }
        }
    }

    fn check_time(mut solver: impl SatSolver) {
        pigeons(&mut solver, 30);
        let budget = Budget::unlimited().with_time(Duration::from_millis(200));
        let answer = solver.solve(&[], &budget, Progress::default());
        assert_eq!(answer, SatResult::GaveUp(Limit::Time));
    }

    #[test]
    fn the_time_limit_ends_the_solver() {
        check_time(Cadical::default());
        check_time(Kissat::default());
    }

    #[test]
    fn learned_clauses_are_counted() {
        let mut solver = Cadical::default();
        assert_eq!(solver.effort(), 0);
        pigeons(&mut solver, 5);
        assert_eq!(ask(&mut solver, &[]), SatResult::Unsatisfiable);
        assert!(solver.effort() > 0);
    }

    #[test]
    fn the_empty_clause_is_a_contradiction() {
        let mut solver = Cadical::default();
        assert_eq!(ask(&mut solver, &[]), SatResult::Satisfiable);
        solver.clause(&[]);
        assert_eq!(ask(&mut solver, &[]), SatResult::Unsatisfiable);
    }
}
