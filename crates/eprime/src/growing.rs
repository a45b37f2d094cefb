//! The instances of one model for increasing values of one parameter, in one growing problem.
//!
//! Unrolling is cheap and every constraint is one stored term, so the model is unrolled for this
//! value *and the next* and the two are compared. Constraints of both are posted permanently. Those
//! of this value only (usually the goal) hold under a literal, which is assumed while this value is
//! solved and made false afterwards. A variable with the same name and domain is the same one for all
//! values.
//!
//! No constraint is taken to be permanent without a check: if a later value lacks one that was
//! posted permanently, a new problem is started, and [`Step::fresh`] reports it. Some models
//! *slide*: for the next value they state the same constraints about the next state, and no longer
//! about this one. Few of their constraints would be permanent, and most would hold only under the
//! literal, so for a model that slides every value is a problem of its own.

use std::collections::HashSet;

use ployglot_base::{Budget, Limit, Poll};
use ployglot_csp::{Literal, Problem, Quantity};

use crate::instance::Fault;
use crate::unroll::{Bool, Layout, Terms, TooLarge, UnrolledTerms};

/// The instances of one model, one for each value of a parameter.
pub trait Family {
    /// What is kept of an instance.
    type Instance;

    /// Posts the constraints of the instance for this value.
    fn build(
        &mut self,
        value: i64,
        terms: &mut Terms,
        poll: &Poll,
    ) -> Result<Self::Instance, Fault>;

    /// The error for an instance with a number that does not fit a problem.
    fn too_large(&self, instance: &Self::Instance, poll: &Poll) -> Fault;
}

/// One growing problem, solved once for each value of a parameter.
pub struct Growing<F: Family> {
    family: F,
    /// The name of the parameter.
    name: String,
    terms: Terms,
    /// Ends the work at a limit.
    poll: Poll,
    /// Constraints that were posted permanently.
    posted: HashSet<Bool>,
    /// Instances for later values, unrolled for comparison.
    ahead: Vec<(i64, UnrolledTerms, F::Instance)>,
    /// The literal of the constraints of the current value only.
    active: Option<Literal>,
    /// The instance for the current value.
    current: Option<(F::Instance, Layout)>,
    /// Whether the model slides; `None` before the first value.
    slides: Option<bool>,
    /// No step with this problem was returned yet.
    fresh: bool,
}

/// How to solve the problem for one value of the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The value of the parameter.
    pub value: i64,
    /// The literals to assume for this value.
    pub assumptions: Vec<Literal>,
    /// The problem is a new one, for which new solvers are needed. True for the first step.
    pub fresh: bool,
    /// The number of constraints that hold permanently.
    pub permanent: usize,
    /// The number of constraints that hold under the assumptions.
    pub conditional: usize,
}

impl<F: Family> Growing<F> {
    /// A problem that grows with the parameter of this name.
    pub fn new(family: F, name: &str) -> Self {
        Growing {
            family,
            name: name.to_string(),
            terms: Terms::new(&Poll::default()),
            poll: Poll::default(),
            posted: HashSet::new(),
            ahead: Vec::new(),
            active: None,
            current: None,
            slides: None,
            fresh: true,
        }
    }

    /// Extends the problem for this value of the parameter, or starts a new one. The outer error is
    /// the limit that ended it; the next call then starts a new problem.
    pub fn unroll_within(
        &mut self,
        value: i64,
        budget: &Budget,
    ) -> Result<Result<Step, Fault>, Limit> {
        let step = budget.stoppable("unrolling", |poll| {
            self.poll = poll.clone();
            self.terms.unroller.set_poll(poll);
            self.step(value)
        });
        if step.is_err() {
            self.slides = None;
            self.current = None;
        }
        step
    }

    fn step(&mut self, value: i64) -> Result<Step, Fault> {
        if self.slides.is_none() {
            self.start(value);
        }
        match self.slides {
            Some(true) => self.unroll_alone(value),
            _ => self.extend(value),
        }
    }

    /// Starts a new problem.
    fn start(&mut self, value: i64) {
        self.terms = Terms::new(&self.poll);
        self.ahead.clear();
        self.slides = Some(self.seems_to_slide(value));
        self.posted.clear();
        self.active = None;
        self.fresh = true;
    }

    /// Whether this value and the next have a constraint in common that the one after the next
    /// lacks.
    fn seems_to_slide(&mut self, value: i64) -> bool {
        for steps in 0..=2 {
            let Some(value) = value.checked_add(steps) else {
                return false;
            };
            match self.build(value) {
                Ok((terms, instance)) => self.ahead.push((value, terms, instance)),
                Err(_) => return false,
            }
        }
        let conjuncts = |at: usize| -> HashSet<Bool> {
            let (_, terms, _) = &self.ahead[at];
            terms.conjuncts.iter().copied().collect()
        };
        let later = conjuncts(2);
        let common = &conjuncts(0) & &conjuncts(1);
        !common.is_subset(&later)
    }

    /// A problem for this value alone.
    fn unroll_alone(&mut self, value: i64) -> Result<Step, Fault> {
        self.terms = Terms::new(&self.poll);
        self.ahead.clear();
        let (mut terms, instance) = self.build(value)?;
        let conjuncts = terms.take_conjuncts();
        let permanent = conjuncts.len();
        let unroller = &mut self.terms.unroller;
        let posted = unroller.post_permanent(conjuncts);
        let posted = posted.and_then(|()| unroller.finish(&mut terms));
        posted.map_err(|TooLarge| self.family.too_large(&instance, &self.poll))?;
        self.current = Some((instance, terms.layout));
        Ok(Step {
            value,
            assumptions: Vec::new(),
            fresh: true,
            permanent,
            conditional: 0,
        })
    }

    /// Adds this value to the problem.
    fn extend(&mut self, value: i64) -> Result<Step, Fault> {
        let (mut terms, instance) = self.take_or_build(value)?;
        let conjuncts = terms.take_conjuncts();
        let constraints: HashSet<Bool> = conjuncts.iter().copied().collect();
        if !self.posted.is_subset(&constraints) {
            // A constraint that was posted permanently is not one of this value.
            self.start(value);
            return self.step(value);
        }
        let fresh = std::mem::take(&mut self.fresh);
        if let Some(active) = self.active.take() {
            self.terms.unroller.retire(active);
        }
        // Where there is no instance for the next value, no constraint is permanent.
        let next = value.checked_add(1);
        let next = next.and_then(|next| self.take_or_build(next).ok());
        let next_constraints: HashSet<Bool> = match &next {
            Some((next, _)) => next.conjuncts.iter().copied().collect(),
            None => HashSet::new(),
        };
        let (mut permanent, mut conditional) = (Vec::new(), Vec::new());
        for conjunct in conjuncts {
            if self.posted.contains(&conjunct) {
                continue;
            }
            match next_constraints.contains(&conjunct) {
                true => permanent.push(conjunct),
                false => conditional.push(conjunct),
            }
        }
        self.posted.extend(&permanent);
        let too_large = |TooLarge| self.family.too_large(&instance, &self.poll);
        let unroller = &mut self.terms.unroller;
        unroller.post_permanent(permanent).map_err(too_large)?;
        let mut assumptions = Vec::new();
        if !conditional.is_empty() {
            let name = format!("{}={value}", self.name);
            let active = unroller.post_conditional(&conditional, name);
            let active = active.map_err(too_large)?;
            assumptions.push(active);
            self.active = Some(active);
        }
        unroller.finish(&mut terms).map_err(too_large)?;
        self.ahead.retain(|&(at, ..)| at > value);
        let next = next.map(|(terms, instance)| (value + 1, terms, instance));
        self.ahead.extend(next);
        self.current = Some((instance, terms.layout));
        Ok(Step {
            value,
            assumptions,
            fresh,
            permanent: self.posted.len(),
            conditional: conditional.len(),
        })
    }

    /// The instance for this value, as terms: the one that was built for comparison, or a new one.
    fn take_or_build(&mut self, value: i64) -> Result<(UnrolledTerms, F::Instance), Fault> {
        match self.ahead.iter().position(|&(at, ..)| at == value) {
            Some(place) => {
                let (_, terms, instance) = self.ahead.swap_remove(place);
                Ok((terms, instance))
            }
            None => self.build(value),
        }
    }

    /// The instance for this value, as terms.
    fn build(&mut self, value: i64) -> Result<(UnrolledTerms, F::Instance), Fault> {
        let instance = self.family.build(value, &mut self.terms, &self.poll);
        // What a failed attempt has posted is dropped.
        let terms = std::mem::take(&mut self.terms.built);
        Ok((terms, instance?))
    }

    /// The problem for the last value that was unrolled; it grows from step to step.
    pub fn problem(&self) -> &Problem {
        self.terms.unroller.problem()
    }

    /// The instance for the last value that was unrolled.
    pub fn instance(&self) -> Option<&F::Instance> {
        self.current.as_ref().map(|(instance, _)| instance)
    }

    /// For each variable of the problem, the quantity that has its value.
    pub fn quantities(&self) -> Vec<Quantity> {
        self.terms.unroller.quantities()
    }

    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.current.as_ref().map(|(_, layout)| layout)
    }
}
