//! Root filtering: removes values that no solution has before a solver sees them, by revising each
//! constraint until nothing changes. Bounds for sums, unit propagation for clauses, supports for
//! elements and tables (`propagators.rs`). If a constraint cannot hold, its condition becomes
//! false.
//!
//! Domains only shrink, in place, and variables keep their numbers; so solutions of the filtered
//! problem are solutions of the original, and `check` needs no map between the two.
//!
//! It is meant for models by any author. For sweeps over horizons it was tried and dropped: on the
//! first horizon of the models of Plotting, Puzznic and Lunar Lockout it finds nothing that
//! unrolling has not found already.

mod propagators;

use ployglot_base::{Budget, Limit, Poll};

use crate::domain::Domain;
use crate::problem::{ConditionalConstraint, Constraint, Literal, Operand, Problem, VarId};
use crate::visitor::visit;

/// A constraint is woken at most this often: more would only move bounds step by step, which the
/// solver does better.
const WAKE_UPS: u32 = 60;
/// The same limit for large tables and elements.
const WAKE_UPS_OF_LARGE: u32 = 3;
/// A table with more rows, or an element with more items, is large.
const LARGE: usize = 2000;

/// The result of filtering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// The number of values that were removed.
    Removed(u64),
    /// There is no solution.
    Contradiction,
}

/// Filters the domains by the constraints. At a limit the problem is left unchanged.
pub fn filter(problem: &mut Problem, budget: &Budget) -> Result<Filtered, Limit> {
    budget.stoppable("filtering", |poll| {
        let mut filter = Filter::new(problem, poll);
        if filter.domains.iter().any(Domain::is_empty) {
            return Filtered::Contradiction;
        }
        match filter.run(&problem.constraints) {
            Ok(()) => filter.write_back(problem),
            Err(EmptyDomain) => Filtered::Contradiction,
        }
    })
}

/// A domain became empty.
pub(crate) struct EmptyDomain;

pub(crate) struct Filter {
    pub domains: Vec<Domain>,
    /// The replaced domains, if changes will be undone.
    pub trail: Option<Vec<(VarId, Domain)>>,
    /// How many constraints were revised.
    pub revisions: u64,
    /// The constraints of each variable, one variable after the other.
    constraints_of: Vec<u32>,
    /// Where the constraints of each variable start in `constraints_of`.
    starts: Vec<usize>,
    queue: Vec<u32>,
    queued: Vec<bool>,
    /// How often each constraint may still be woken.
    wake_ups: Vec<u32>,
    /// Ends the work at a limit.
    poll: Poll,
}

impl Filter {
    /// Revises constraints until nothing changes.
    pub fn run(&mut self, constraints: &[ConditionalConstraint]) -> Result<(), EmptyDomain> {
        while let Some(i) = self.queue.pop() {
            self.revisions += 1;
            self.poll.step();
            self.queued[i as usize] = false;
            if let Err(empty) = self.revise(&constraints[i as usize]) {
                while let Some(i) = self.queue.pop() {
                    self.queued[i as usize] = false;
                }
                return Err(empty);
            }
        }
        Ok(())
    }

    /// Writes the filtered domains into the problem.
    pub fn write_back(self, problem: &mut Problem) -> Filtered {
        let count = |domains: &[Domain]| domains.iter().map(Domain::len).sum::<u64>();
        let after = count(&self.domains);
        let variables = problem.variables.iter_mut().zip(self.domains);
        let before: u64 = variables
            .map(|(variable, domain)| std::mem::replace(&mut variable.domain, domain).len())
            .sum();
        Filtered::Removed(before - after)
    }

    pub fn new(problem: &Problem, poll: &Poll) -> Self {
        let mut starts = vec![0usize; problem.variables.len() + 1];
        for constraint in &problem.constraints {
            poll.step();
            constraint.for_each_variable(&mut |x| starts[x.index() + 1] += 1);
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        poll.allocate::<u32>(starts[problem.variables.len()] as u64);
        let mut constraints_of = vec![0u32; starts[problem.variables.len()]];
        for (i, constraint) in problem.constraints.iter().enumerate() {
            poll.step();
            constraint.for_each_variable(&mut |x| {
                constraints_of[next[x.index()]] = i as u32;
                next[x.index()] += 1;
            });
        }
        let count = problem.constraints.len();
        let wake_ups = |posted: &ConditionalConstraint| match &posted.constraint {
            Constraint::Table { rows, .. } if rows.len() > LARGE => WAKE_UPS_OF_LARGE,
            Constraint::Element { items, .. } if items.len() > LARGE => WAKE_UPS_OF_LARGE,
            _ => WAKE_UPS,
        };
        Self {
            domains: problem.variables.iter().map(|x| x.domain.clone()).collect(),
            trail: None,
            revisions: 0,
            constraints_of,
            starts,
            queue: (0..count as u32).rev().collect(),
            queued: vec![true; count],
            wake_ups: problem.constraints.iter().map(wake_ups).collect(),
            poll: poll.clone(),
        }
    }

    fn domain(&self, operand: Operand) -> Domain {
        operand.domain(|x| &self.domains[x.index()])
    }

    /// Intersects the domain with a set, and wakes the variable's constraints if it shrinks.
    fn restrict(&mut self, x: VarId, to: &Domain) -> Result<(), EmptyDomain> {
        let domain = &self.domains[x.index()];
        let smaller = domain.intersect(to);
        if smaller == *domain {
            return Ok(());
        }
        if smaller.is_empty() {
            return Err(EmptyDomain);
        }
        let old = std::mem::replace(&mut self.domains[x.index()], smaller);
        if let Some(trail) = &mut self.trail {
            trail.push((x, old));
        }
        for place in self.starts[x.index()]..self.starts[x.index() + 1] {
            let constraint = self.constraints_of[place] as usize;
            if !self.queued[constraint] && (self.trail.is_some() || self.wake_ups[constraint] > 0) {
                self.wake_ups[constraint] = self.wake_ups[constraint].saturating_sub(1);
                self.queued[constraint] = true;
                self.queue.push(constraint as u32);
            }
        }
        Ok(())
    }

    fn restrict_operand(&mut self, operand: Operand, to: &Domain) -> Result<(), EmptyDomain> {
        match operand {
            Operand::Var(x) => self.restrict(x, to),
            Operand::Number(number) if to.contains(number) => Ok(()),
            Operand::Number(_) => Err(EmptyDomain),
        }
    }

    fn known(&self, literal: Literal) -> Option<bool> {
        literal.known(&self.domains[literal.variable().index()])
    }

    /// Removes the values for which the literal is false.
    pub fn assert(&mut self, literal: Literal) -> Result<(), EmptyDomain> {
        self.restrict(literal.variable(), &literal.values())
    }

    fn revise(&mut self, posted: &ConditionalConstraint) -> Result<(), EmptyDomain> {
        self.poll.steps(posted.constraint.length());
        match posted.when.map(|when| (when, self.known(when))) {
            Some((_, Some(false))) => Ok(()),
            Some((when, None)) => match self.possible(&posted.constraint) {
                true => Ok(()),
                false => self.assert(!when),
            },
            Some((_, Some(true))) | None => visit(self, (), &posted.constraint),
        }
    }
}
