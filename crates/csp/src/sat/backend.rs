//! SAT as a back end: one encoder and one solver that follow a growing problem.

use ployglot_base::{Budget, Limit, Progress};

use super::encoder::{Encoder, TooLarge};
use super::solver::{Clauses, Lit, SatResult, SatSolver};
use crate::backend::{Backend, Size, SolveResult};
use crate::problem::{Literal, Problem};

/// At most this many clauses, or this many constraints, are added between two checks of the budget.
const CLAUSES: u64 = 20_000;
const CONSTRAINTS: usize = 512;

/// The back end for a SAT solver.
pub struct SatBackend<S> {
    encoder: Encoder<S>,
    /// Whether the solver follows the problem's branching order; `None` before the first update.
    ordered: Option<bool>,
    /// How many constraints were encoded.
    constraints: usize,
    effort: u64,
    failed: Vec<Literal>,
}

impl<S: SatSolver + Default + 'static> Default for SatBackend<S> {
    fn default() -> Self {
        Self::new(S::default())
    }
}

impl<S: SatSolver + 'static> SatBackend<S> {
    /// A back end with a new solver, which has no clauses yet.
    pub fn new(solver: S) -> Self {
        Self {
            encoder: Encoder::new(solver),
            ordered: None,
            constraints: 0,
            effort: 0,
            failed: Vec::new(),
        }
    }

    /// The solver with the clauses of what was encoded so far.
    pub fn solver(&self) -> &S {
        &self.encoder.sink
    }

    /// Assumptions of the last unsatisfiable call that contradict the problem: not necessarily a
    /// minimal set, and empty if the problem has no solution without them either.
    pub fn failed_assumptions(&self) -> &[Literal] {
        &self.failed
    }
}

impl<S: SatSolver + 'static> Backend for SatBackend<S> {
    fn update(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        if self.encoder.broken {
            self.encoder = Encoder::new(self.encoder.sink.renewed());
            (self.ordered, self.constraints) = (None, 0);
        }
        if self.ordered.is_none() {
            self.ordered = Some(problem.in_order && self.encoder.sink.enable_decision_order());
        }
        match self
            .encoder
            .erased()
            .update(problem, self.constraints, budget)
        {
            Ok(()) => {
                self.constraints = problem.constraints.len();
                Ok(())
            }
            Err((done, limit)) => {
                self.constraints = done;
                Err(limit)
            }
        }
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
        self.failed.clear();
        let ordered = problem.in_order && self.ordered == Some(true);
        let encoded = self.encoder.erased().stoppable(budget, |encoder| {
            let order = ordered.then(|| encoder.decisions(problem));
            let assumed = assumptions.iter().map(|&l| (encoder.assumption(l), l));
            (order, assumed.collect::<Vec<(Lit, Literal)>>())
        });
        let (order, mut literals) = match encoded {
            Ok(encoded) => encoded,
            Err(limit) => return SolveResult::GaveUp(limit),
        };
        if let Some(order) = order {
            self.encoder.sink.set_decision_order(&order);
        }
        literals.retain(|pair| pair.0 != Lit::TRUE);
        if let Some(&(_, assumption)) = literals.iter().find(|pair| pair.0 == Lit::FALSE) {
            self.failed = vec![assumption];
            return SolveResult::Unsatisfiable;
        }
        let assumed: Vec<Lit> = literals.iter().map(|pair| pair.0).collect();
        let progress = Progress {
            phase: "sat",
            stored: self.encoder.clauses,
            ..Progress::default()
        };
        let answer = self.encoder.sink.solve(&assumed, budget, progress);
        self.effort = self.encoder.sink.effort();
        match answer {
            SatResult::Satisfiable => {
                let solver = &self.encoder.sink;
                SolveResult::Satisfiable(self.encoder.values(|literal| solver.value(literal)))
            }
            SatResult::Unsatisfiable => {
                let core = self.encoder.sink.failed_assumptions();
                let failed = literals.iter().filter(|pair| core.contains(&pair.0));
                self.failed = failed.map(|pair| pair.1).collect();
                SolveResult::Unsatisfiable
            }
            SatResult::GaveUp(limit) => SolveResult::GaveUp(limit),
        }
    }

    fn size(&self) -> Size {
        Size {
            variables: self.encoder.variables,
            constraints: self.encoder.clauses,
        }
    }

    fn effort(&self) -> u64 {
        self.effort
    }
}

impl Encoder<dyn Clauses> {
    /// Encodes the new variables, and the constraints from index `from` on. A limit comes with the
    /// number of constraints that were encoded before it.
    pub fn update(
        &mut self,
        problem: &Problem,
        from: usize,
        budget: &Budget,
    ) -> Result<(), (usize, Limit)> {
        let mut done = from;
        let encoded = self.stoppable(budget, |encoder| {
            encoder.add_variables(problem);
            let new = &problem.constraints[from..];
            for posted in new {
                encoder.poll.steps(posted.constraint.length());
                encoder.note_order(posted);
            }
            let mut checked_at = encoder.clauses;
            for (i, posted) in new.iter().enumerate() {
                // Between two constraints the encoder can be stopped and used again.
                if i % CONSTRAINTS == 0 || encoder.clauses - checked_at > CLAUSES {
                    checked_at = encoder.clauses;
                    budget.check(|| Progress {
                        phase: "encoding",
                        expanded: (from + i) as u64,
                        stored: encoder.clauses,
                        ..Progress::default()
                    })?;
                }
                encoder.poll.postpone();
                // A constraint that is too large is an error; it must not be left out silently.
                encoder
                    .add_constraint(posted)
                    .map_err(|TooLarge| Limit::Incomplete)?;
                done += 1;
            }
            Ok(())
        });
        encoded.and_then(|done| done).map_err(|limit| (done, limit))
    }

    /// Calls `work`, which may be ended by a limit; then the encoder can no longer be used.
    fn stoppable<T>(
        &mut self,
        budget: &Budget,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Limit> {
        let done = budget.stoppable("encoding", |poll| {
            self.poll = poll.clone();
            work(self)
        });
        self.broken |= done.is_err();
        done
    }

    /// A literal for each value of the branching variables, in order; constants are left out.
    fn decisions(&mut self, problem: &Problem) -> Vec<Lit> {
        let mut decisions = Vec::new();
        for &x in &problem.branching {
            let x = self.variable(x);
            self.poll.allocate::<Lit>(self.domain(x).len());
            let values: Vec<i32> = self.domain(x).values().collect();
            decisions.extend(values.into_iter().map(|v| self.is(x, v)));
        }
        decisions.retain(|&literal| literal != Lit::TRUE && literal != Lit::FALSE);
        decisions
    }

    /// The literal of an assumption; false for a variable with an empty domain.
    fn assumption(&mut self, literal: Literal) -> Lit {
        match self.domain(self.variable(literal.variable())).is_empty() {
            true => Lit::FALSE,
            false => self.literal(literal),
        }
    }
}
