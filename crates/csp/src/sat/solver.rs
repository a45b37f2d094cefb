//! A SAT solver is a small door: fresh literals, clauses, a question under assumptions, the budget as the only limit. What a
//! literal means is the caller's business. CaDiCaL is here, Kissat in its own room.

use std::cell::RefCell;
use std::num::NonZeroI32;
use std::ops::Not;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use pindakaas::solver::cadical::Cadical as RawCadical;
use pindakaas::solver::propagation::ExternalPropagation;
use pindakaas::solver::{
    Assumptions, FailedAssumptions, LearnCallback, SolveResult, TermSignal, TerminateCallback,
};
use pindakaas::{ClauseDatabase, Valuation};
use ployglot_base::{Budget, Limit, Progress};

use super::order::Order;

/// A propositional literal as DIMACS numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(NonZeroI32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Satisfiable,
    Unsatisfiable,
    GaveUp(Limit),
}

/// Where clauses go: a solver, or a list that is written to a file.
pub trait Clauses {
    /// A literal that no one has used yet.
    fn fresh(&mut self) -> Lit;

    /// At least one of them is true.
    fn clause(&mut self, literals: &[Lit]);
}

pub trait SatSolver: Clauses {
    /// Before the first clause: the literals that `follow` gives should be decided in their order. Whether they will be: a
    /// solver without a say in its decisions decides as it likes.
    fn keep_order(&mut self) -> bool {
        false
    }

    /// From the next question on these are decided first, in this order, each as it stands, if the solver keeps an order.
    fn follow(&mut self, _order: &[Lit]) {}

    /// Whether all clauses and these assumptions can be true together.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> Answer;

    /// In the last satisfying assignment.
    fn value(&self, literal: Lit) -> bool;

    /// Which assumptions of the last unsatisfiable question contradict the clauses; maybe more than needed.
    fn failed(&self) -> &[Lit];

    /// Clauses that were learned, about one for each conflict; 0 for a solver that does not tell.
    fn effort(&self) -> u64;
}

impl Lit {
    /// Panics on 0, which ends clauses in DIMACS.
    pub fn from_dimacs(number: i32) -> Self {
        Self(NonZeroI32::new(number).expect("0 is no literal"))
    }

    pub(super) const fn constant(number: i32) -> Self {
        match NonZeroI32::new(number) {
            Some(number) => Self(number),
            None => panic!("0 is no literal"),
        }
    }

    pub fn dimacs(self) -> i32 {
        self.0.get()
    }

    /// From 0.
    pub fn variable(self) -> usize {
        self.0.unsigned_abs().get() as usize - 1
    }

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

/// Incremental: clauses may be added between questions, and what was learned is kept.
#[derive(Default)]
pub struct Cadical {
    raw: RawCadical,
    last: Last,
    /// It keeps no order, whatever a model asks for.
    free: bool,
    order: Option<Rc<RefCell<Order>>>,
}

/// What is remembered of the last question, and what was counted.
#[derive(Default)]
struct Last {
    variables: usize,
    model: Vec<bool>,
    failed: Vec<Lit>,
    learned: Arc<AtomicU64>,
}

impl Last {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::from_dimacs(i32::try_from(self.variables).expect("fewer than 2^31 variables"))
    }

    fn read(&mut self, value: impl Fn(Lit) -> bool) {
        self.model.clear();
        let all = 1..=self.variables as i32;
        self.model
            .extend(all.map(|number| value(Lit::from_dimacs(number))));
    }

    fn value(&self, literal: Lit) -> bool {
        let positive = self.model.get(literal.variable()).copied();
        positive.unwrap_or(false) != literal.is_negative()
    }
}

fn raw(literal: Lit) -> pindakaas::Lit {
    pindakaas::Lit::from_raw(literal.0)
}

/// The limit that ended the solver, once it did.
type Ended = Arc<Mutex<Option<Limit>>>;

fn watch(
    solver: &mut impl TerminateCallback,
    budget: &Budget,
    progress: Progress,
    learned: &Arc<AtomicU64>,
) -> Ended {
    let ended = Ended::default();
    let (told, budget, learned) = (ended.clone(), budget.clone(), learned.clone());
    let progress = move || Progress {
        expanded: learned.load(Relaxed),
        ..progress.clone()
    };
    let callback = move || match budget.check(&progress) {
        Ok(()) => TermSignal::Continue,
        Err(limit) => {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
            TermSignal::Terminate
        }
    };
    solver.set_terminate_callback(Some(callback));
    ended
}

/// Counts what is learned: the wrapper has no statistics, but tells of every learned clause of up to 512 literals.
fn count(solver: &mut impl LearnCallback, learned: &Arc<AtomicU64>) {
    let learned = learned.clone();
    solver.set_learn_callback(Some(move |_: &mut dyn Iterator<Item = pindakaas::Lit>| {
        learned.fetch_add(1, Relaxed);
    }));
}

fn limit(ended: &Ended) -> Limit {
    let told = ended.lock().unwrap_or_else(PoisonError::into_inner);
    told.unwrap_or(Limit::Incomplete)
}

impl Clauses for Cadical {
    fn fresh(&mut self) -> Lit {
        self.raw.new_var_range(1);
        self.last.fresh()
    }

    fn clause(&mut self, literals: &[Lit]) {
        let literals: smallvec::SmallVec<[_; 16]> = literals.iter().map(|&l| raw(l)).collect();
        // An empty clause is told as a contradiction at once; the next question finds it as well.
        let _ = self.raw.add_clause_from_slice(&literals);
    }
}

impl SatSolver for Cadical {
    fn keep_order(&mut self) -> bool {
        if self.free {
            return false;
        }
        // A restart would only play the same decisions again; backtracking out of order settles values unseen. `shrink` and
        // `factor` cost more here than they save. And what is learned in an order speaks of two decisions as a rule, which CaDiCaL
        // takes for so good a clause that it keeps it through 31 clean-ups: with a quick pace of these it is rid of what
        // has not been of use for long.
        let options = [
            ("restart", 0),
            ("chrono", 0),
            ("shrink", 0),
            ("factor", 0),
            ("reduceint", 3),
            ("reducetarget", 100),
        ];
        for (option, value) in options {
            self.raw.set_option(option, value);
        }
        let order = Rc::new(RefCell::new(Order::default()));
        self.raw.connect_propagator(order.clone());
        self.order = Some(order);
        true
    }

    fn follow(&mut self, literals: &[Lit]) {
        let Some(order) = &self.order else { return };
        order
            .borrow_mut()
            .set(literals.iter().map(|&l| raw(l)).collect());
        for &literal in literals {
            self.raw.add_observed_var(raw(literal).var());
        }
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> Answer {
        if let Err(limit) = budget.check(|| progress.clone()) {
            return Answer::GaveUp(limit);
        }
        let ended = watch(&mut self.raw, budget, progress, &self.last.learned);
        count(&mut self.raw, &self.last.learned);
        match self.raw.solve_assuming(assumptions.iter().map(|&l| raw(l))) {
            SolveResult::Satisfied(model) => {
                self.last.read(|literal| model.value(raw(literal)));
                Answer::Satisfiable
            }
            SolveResult::Unsatisfiable(core) => {
                let failed = assumptions.iter().filter(|&&l| core.fail(raw(l)));
                self.last.failed = failed.copied().collect();
                Answer::Unsatisfiable
            }
            SolveResult::Unknown => Answer::GaveUp(limit(&ended)),
        }
    }

    fn value(&self, literal: Lit) -> bool {
        self.last.value(literal)
    }

    fn failed(&self) -> &[Lit] {
        &self.last.failed
    }

    fn effort(&self) -> u64 {
        self.last.learned.load(Relaxed)
    }
}

impl Cadical {
    /// One that decides as it likes, also where a model has an order of decisions. Such a one was measured to be 1.3 to 1.9
    /// times as fast without stable phases and local search.
    pub fn free() -> Self {
        let mut free = Self {
            free: true,
            ..Self::default()
        };
        for option in ["stabilize", "walk"] {
            free.raw.set_option(option, 0);
        }
        free
    }

    /// The next question ends, as incomplete, after so many conflicts.
    pub fn limit_conflicts(&mut self, conflicts: u32) {
        let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
        self.raw.set_limit("conflicts", conflicts);
    }

    /// Whoever writes the proof is told everything; before the first clause.
    pub(super) fn trace(&mut self, tracer: Rc<RefCell<super::proof::Tracer>>) {
        self.raw.connect_proof_tracer(tracer);
    }

    /// Which way to decide a variable first.
    pub fn prefer(&mut self, literal: Lit) {
        self.raw.phase(raw(literal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::Kissat;
    use std::time::Duration;

    fn ask(solver: &mut impl SatSolver, assumptions: &[Lit]) -> Answer {
        solver.solve(assumptions, &Budget::unlimited(), Progress::default())
    }

    /// Random clauses of three literals against all assignments, with clauses added between questions.
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
            let truth = |world: usize, l: Lit| (world >> l.variable() & 1 == 1) != l.is_negative();
            for _ in 0..8 {
                for _ in 0..5 {
                    let clause = [any(), any(), any()];
                    solver.clause(&clause);
                    clauses.push(clause);
                }
                let assumptions = [any(), any()];
                let all = |world: &usize, clauses: &[[Lit; 3]]| {
                    clauses.iter().all(|c| c.iter().any(|&l| truth(*world, l)))
                        && assumptions.iter().all(|&l| truth(*world, l))
                };
                let expected = (0..1 << VARIABLES).any(|world| all(&world, &clauses));
                let budget = Budget::unlimited();
                match solver.solve(&assumptions, &budget, Progress::default()) {
                    Answer::Satisfiable => {
                        assert!(expected);
                        let holds = |l: &Lit| solver.value(*l);
                        assert!(clauses.iter().all(|c| c.iter().any(holds)));
                        assert!(assumptions.iter().all(holds));
                    }
                    Answer::Unsatisfiable => {
                        assert!(!expected);
                        let of_these = |l: &Lit| assumptions.contains(l);
                        assert!(solver.failed().iter().all(of_these));
                    }
                    Answer::GaveUp(limit) => panic!("no limit was set: {limit}"),
                }
            }
        }
    }

    #[test]
    fn cadical_agrees_with_enumeration() {
        check_small(|| Box::<Cadical>::default());
        check_small(|| Box::new(Cadical::free()));
    }

    #[test]
    fn kissat_agrees_with_enumeration() {
        check_small(|| Box::<Kissat>::default());
    }

    /// One pigeon too many: hard for resolution.
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
        assert_eq!(answer, Answer::GaveUp(Limit::Time));
    }

    #[test]
    fn time_ends_the_solver() {
        check_time(Cadical::default());
        check_time(Kissat::default());
    }

    #[test]
    fn what_is_learned_is_counted() {
        let mut solver = Cadical::default();
        assert_eq!(solver.effort(), 0);
        pigeons(&mut solver, 5);
        assert_eq!(ask(&mut solver, &[]), Answer::Unsatisfiable);
        assert!(solver.effort() > 0);
    }

    #[test]
    fn the_empty_clause_is_a_contradiction() {
        let mut solver = Cadical::default();
        assert_eq!(ask(&mut solver, &[]), Answer::Satisfiable);
        solver.clause(&[]);
        assert_eq!(ask(&mut solver, &[]), Answer::Unsatisfiable);
    }
}
