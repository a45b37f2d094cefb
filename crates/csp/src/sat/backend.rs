//! SAT as a back end: one encoder and one solver that follow a growing problem.

use ployglot_base::{Budget, Limit, Progress};

use super::encoder::Encoder;
use super::solver::{Answer, Lit, SatSolver};
use crate::backend::{Backend, Size, Verdict};
use crate::problem::{Literal, Problem};

/// How many clauses may be written before the budget is asked.
const CLAUSES: u64 = 20_000;
const RULES: usize = 512;

pub struct SatBackend<S> {
    encoder: Encoder<S>,
    /// Whether the solver decides in the problem's order; `None`: it was not asked yet.
    ordered: Option<bool>,
    /// How many rules were taken in.
    rules: usize,
    effort: u64,
    failed: Vec<Literal>,
}

impl<S: SatSolver + Default> Default for SatBackend<S> {
    fn default() -> Self {
        Self::new(S::default())
    }
}

impl<S: SatSolver> SatBackend<S> {
    pub fn new(solver: S) -> Self {
        Self {
            encoder: Encoder::new(solver),
            ordered: None,
            rules: 0,
            effort: 0,
            failed: Vec::new(),
        }
    }

    pub fn solver(&self) -> &S {
        &self.encoder.sink
    }

    /// Which assumptions of the last unsatisfiable question are to blame; maybe more than needed, and none if the
    /// problem has no solution without them.
    pub fn failed(&self) -> &[Literal] {
        &self.failed
    }
}

impl<S: SatSolver> Backend for SatBackend<S> {
    fn take_in(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        if self.ordered.is_none() {
            self.ordered = Some(problem.in_order && self.encoder.sink.keep_order());
        }
        let rules = self.encoder.take_in(problem, self.rules, budget);
        match rules {
            Ok(()) => {
                self.rules = problem.rules.len();
                Ok(())
            }
            Err((done, limit)) => {
                self.rules = done;
                Err(limit)
            }
        }
    }

    fn solve(&mut self, problem: &Problem, assumptions: &[Literal], budget: &Budget) -> Verdict {
        if let Err(limit) = self.take_in(problem, budget) {
            return Verdict::GaveUp(limit);
        }
        self.failed.clear();
        if problem.in_order && self.ordered == Some(true) {
            let order = self.encoder.decisions(problem);
            self.encoder.sink.follow(&order);
        }
        let mut literals: Vec<(Lit, Literal)> = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            match self.encoder.assumption(assumption) {
                Lit::TRUE => {}
                Lit::FALSE => {
                    self.failed = vec![assumption];
                    return Verdict::Unsatisfiable;
                }
                literal => literals.push((literal, assumption)),
            }
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
            Answer::Satisfiable => {
                let solver = &self.encoder.sink;
                Verdict::Satisfiable(self.encoder.values(|literal| solver.value(literal)))
            }
            Answer::Unsatisfiable => {
                let blamed = self.encoder.sink.failed();
                let failed = literals.iter().filter(|pair| blamed.contains(&pair.0));
                self.failed = failed.map(|pair| pair.1).collect();
                Verdict::Unsatisfiable
            }
            Answer::GaveUp(limit) => Verdict::GaveUp(limit),
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

impl<C: super::solver::Clauses> Encoder<C> {
    /// Takes in the variables that are new, and the rules from this one on. With a limit comes the number of rules that
    /// were taken in before it.
    pub fn take_in(
        &mut self,
        problem: &Problem,
        from: usize,
        budget: &Budget,
    ) -> Result<(), (usize, Limit)> {
        self.add_variables(problem);
        let rules = &problem.rules[from..];
        rules.iter().for_each(|rule| self.announce(rule));
        let mut asked = self.clauses;
        for (i, rule) in rules.iter().enumerate() {
            if i % RULES == 0 || self.clauses - asked > CLAUSES {
                asked = self.clauses;
                let progress = || Progress {
                    phase: "encoding",
                    expanded: (from + i) as u64,
                    stored: self.clauses,
                    ..Progress::default()
                };
                budget.check(progress).map_err(|limit| (from + i, limit))?;
            }
            // A rule beyond the encoder's numbers is refused; it must not be left out in silence.
            self.add_rule(rule)
                .map_err(|_| (from + i, Limit::Incomplete))?;
        }
        Ok(())
    }

    /// A literal for each value of the variables to branch on, in their order; those that are settled have none.
    fn decisions(&mut self, problem: &Problem) -> Vec<Lit> {
        let mut decisions = Vec::new();
        for &x in &problem.branching {
            let x = self.variable(x);
            let values: Vec<i32> = self.domain(x).values().collect();
            decisions.extend(values.into_iter().map(|v| self.is(x, v)));
        }
        decisions.retain(|&literal| literal != Lit::TRUE && literal != Lit::FALSE);
        decisions
    }

    /// The literal of an assumption; a variable without values has none.
    fn assumption(&mut self, literal: Literal) -> Lit {
        match self.domain(self.variable(literal.variable())).is_empty() {
            true => Lit::FALSE,
            false => self.literal(literal),
        }
    }
}
