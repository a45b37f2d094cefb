//! Constraint programming with lazy clause generation: Pumpkin learns clauses as a SAT solver does,
//! but keeps integers as integers and explains its propagations only on demand.
//!
//! Literals are Pumpkin's predicates. Sums, elements, products and extremes are its propagators;
//! tables, counts and what it lacks are decomposed in `constraints.rs`. Its arithmetic has 32 bits
//! and wraps around silently, so whatever could overflow is refused with [`Limit::Incomplete`] and
//! never answered wrongly.

mod arithmetic;
mod constraints;
mod sums;
mod terms;

use std::collections::HashMap;

use ployglot_base::{Budget, Limit, Progress};
use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_core::Solver;
use pumpkin_core::branching::Brancher;
use pumpkin_core::branching::branchers::dynamic_brancher::DynamicBrancher;
use pumpkin_core::branching::branchers::independent_variable_value_brancher::IndependentVariableValueBrancher;
use pumpkin_core::branching::value_selection::InDomainMin;
use pumpkin_core::branching::variable_selection::InputOrder;
use pumpkin_core::predicates::{Predicate, PredicateConstructor};
use pumpkin_core::proof::ConstraintTag;
use pumpkin_core::results::{ProblemSolution, SatisfactionResultUnderAssumptions};
use pumpkin_core::termination::TerminationCondition;
use pumpkin_core::variables::DomainId;

use crate::backend::{Backend, Size, SolveResult};
use crate::domain::Domain;
use crate::problem::{Literal, Problem, VarId};

/// A few numbers below this have a sum that fits 32 bits.
const LARGEST: i64 = 1 << 29;
/// How many constraints are posted between two checks of the budget.
const CHECK_EVERY: usize = 256;

/// A number does not fit Pumpkin's arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// The back end for Pumpkin.
#[derive(Default)]
pub struct CpBackend {
    solver: Solver,
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
    polls: u64,
    /// There is no solution; nothing more may be added.
    contradiction: bool,
}

/// Ends the search when the budget is exhausted.
struct BudgetWatch<'a> {
    budget: &'a Budget,
    polls: u64,
    ended: Option<Limit>,
}

impl TerminationCondition for BudgetWatch<'_> {
    fn should_stop(&mut self) -> bool {
        self.polls += 1;
        if self.polls.is_multiple_of(16) {
            let progress = || Progress {
                phase: "cp",
                expanded: self.polls,
                ..Progress::default()
            };
            self.ended = self.budget.check(progress).err();
        }
        self.ended.is_some()
    }
}

impl CpBackend {
    fn tag(&mut self) -> ConstraintTag {
        self.posted += 1;
        self.solver.new_constraint_tag()
    }

    /// A new variable of the solver; the domain is not empty.
    fn integer(&mut self, domain: &Domain) -> Result<DomainId, Overflow> {
        let (low, high) = (domain.min(), domain.max());
        if i64::from(low) < -LARGEST || i64::from(high) > LARGEST {
            return Err(Overflow);
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
        Ok(id)
    }

    fn add_variables(&mut self, problem: &Problem) -> Result<(), Overflow> {
        for variable in &problem.variables[self.variables.len()..] {
            if variable.domain.is_empty() {
                self.contradiction = true;
                return Ok(());
            }
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
        } else {
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
        let mut watch = BudgetWatch {
            budget,
            polls: 0,
            ended: None,
        };
        let mut resolver = ResolutionResolver::default();
        let mut order: Vec<Box<dyn Brancher>> = Vec::new();
        if !problem.branching.is_empty() {
            let wanted: Vec<DomainId> = problem
                .branching
                .iter()
                .map(|x| self.variables[x.index()])
                .collect();
            let first =
                IndependentVariableValueBrancher::new(InputOrder::new(&wanted), InDomainMin);
            order.push(Box::new(first));
        }
        order.push(Box::new(self.solver.default_brancher()));
        let mut brancher = DynamicBrancher::new(order);
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
        self.polls += watch.polls;
        result
    }
}

impl Backend for CpBackend {
    fn update(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        if self.contradiction {
            return Ok(());
        }
        self.add_variables(problem).map_err(|_| Limit::Incomplete)?;
        while self.constraints < problem.constraints.len() && !self.contradiction {
            if self.constraints.is_multiple_of(CHECK_EVERY) {
                let progress = || Progress {
                    phase: "posting",
                    expanded: self.constraints as u64,
                    ..Progress::default()
                };
                budget.check(progress)?;
            }
            let posted = &problem.constraints[self.constraints];
            self.post(posted).map_err(|_| Limit::Incomplete)?;
            self.constraints += 1;
            self.contradiction |= self.solver.is_inconsistent();
        }
        Ok(())
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
        self.search(problem, predicates, budget)
    }

    fn size(&self) -> Size {
        Size {
            variables: self.made,
            constraints: self.posted,
        }
    }

    fn effort(&self) -> u64 {
        self.polls
    }
}
