//! One model for increasing values of one parameter (the horizon), in one growing problem.
//!
//! Unrolling is cheap and every constraint is one stored term, so the model is unrolled for this
//! value *and the next* and the two are compared. Constraints of both are posted permanently. Those
//! of this value only (usually the goal) hold under a literal, which is assumed while this value is
//! solved and made false afterwards. A matrix cell with the same name, index and domain is the same
//! variable for all values.
//!
//! No constraint is taken to be permanent without a check: if a later value lacks one that was
//! posted permanently, a new problem is started, and [`Step::fresh`] reports it. Some models
//! *slide*: for the next value they state the same constraints about the next state, and no longer
//! about this one. Few of their constraints would be permanent, and most would hold only under the
//! literal, so for a model that slides every value is a problem of its own.

use std::collections::HashSet;

use ployglot_base::{Budget, Limit, Poll};
use ployglot_csp::{Literal, Problem, VarId};

use crate::instance::{Fault, Instance, Params, Solution};
use crate::model::Model;
use crate::unroll::{Bool, Layout, TooLarge, UnrolledTerms, Unroller};

/// A sweep over the values of one parameter: one growing problem, solved once for each value.
pub struct Horizon<'m> {
    model: &'m Model,
    params: Params,
    name: String,
    unroller: Unroller,
    /// Ends the work at a limit.
    poll: Poll,
    /// Constraints that were posted permanently.
    posted: HashSet<Bool>,
    /// The next value, unrolled for comparison.
    next: Option<(i64, UnrolledTerms, Instance<'m>)>,
    /// The literal of the constraints of the current value only.
    active: Option<Literal>,
    /// The instance for the current value.
    current: Option<(Instance<'m>, Layout)>,
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

impl<'m> Horizon<'m> {
    /// A sweep over the parameter `name`; a value for it in `params` is ignored.
    pub fn new(model: &'m Model, params: &Params, name: &str) -> Self {
        Horizon {
            model,
            params: params.clone(),
            name: name.to_string(),
            unroller: Unroller::new(),
            poll: Poll::default(),
            posted: HashSet::new(),
            next: None,
            active: None,
            current: None,
            slides: None,
            fresh: true,
        }
    }

    /// Extends the problem for this value of the parameter, or starts a new one.
    pub fn unroll(&mut self, value: i64) -> Result<Step, Fault> {
        let step = self.unroll_within(value, &Budget::unlimited());
        step.expect("there is no limit")
    }

    /// [`Horizon::unroll`] within a budget; the outer error is the limit that ended it. The next
    /// call then starts a new problem.
    pub fn unroll_within(
        &mut self,
        value: i64,
        budget: &Budget,
    ) -> Result<Result<Step, Fault>, Limit> {
        let step = budget.stoppable("unrolling", |poll| {
            self.poll = poll.clone();
            self.unroller.set_poll(poll);
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
        self.slides = Some(self.seems_to_slide(value));
        self.unroller = Unroller::new().with_poll(&self.poll);
        self.posted.clear();
        self.next = None;
        self.active = None;
        self.fresh = true;
    }

    /// Whether this value and the next have a constraint in common that the one after the next
    /// lacks.
    fn seems_to_slide(&mut self, value: i64) -> bool {
        let mut conjuncts = |value| -> Option<HashSet<Bool>> {
            let (terms, _) = self.build(value).ok()?;
            Some(terms.conjuncts.into_iter().collect())
        };
        let mut after = |steps: i64| conjuncts(value.checked_add(steps)?);
        let (Some(here), Some(next), Some(later)) = (after(0), after(1), after(2)) else {
            return false;
        };
        here.intersection(&next)
            .any(|conjunct| !later.contains(conjunct))
    }

    /// A problem for this value alone.
    fn unroll_alone(&mut self, value: i64) -> Result<Step, Fault> {
        self.unroller = Unroller::new().with_poll(&self.poll);
        let (mut terms, instance) = self.build(value)?;
        let conjuncts = std::mem::take(&mut terms.conjuncts);
        let permanent = conjuncts.len();
        let posted = self.unroller.post_permanent(conjuncts);
        let posted = posted.and_then(|()| self.unroller.finish(&mut terms));
        posted.map_err(|TooLarge| instance.too_large(&self.poll))?;
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
        let (mut terms, instance) = match self.next.take() {
            Some((at, terms, instance)) if at == value => (terms, instance),
            _ => self.build(value)?,
        };
        let constraints: HashSet<Bool> = terms.conjuncts.iter().copied().collect();
        if !self.posted.is_subset(&constraints) {
            // A constraint that was posted permanently is not one of this value.
            self.start(value);
            return self.step(value);
        }
        let fresh = std::mem::take(&mut self.fresh);
        if let Some(active) = self.active.take() {
            self.unroller.retire(active);
        }
        // Where there is no instance for the next value, no constraint is permanent.
        let next = value.checked_add(1).and_then(|next| self.build(next).ok());
        let next_constraints: HashSet<Bool> = match &next {
            Some((next, _)) => next.conjuncts.iter().copied().collect(),
            None => HashSet::new(),
        };
        let (mut permanent, mut conditional) = (Vec::new(), Vec::new());
        for &conjunct in &terms.conjuncts {
            if self.posted.contains(&conjunct) {
                continue;
            }
            match next_constraints.contains(&conjunct) {
                true => permanent.push(conjunct),
                false => conditional.push(conjunct),
            }
        }
        self.posted.extend(&permanent);
        let too_large = |TooLarge| instance.too_large(&self.poll);
        self.unroller.post_permanent(permanent).map_err(too_large)?;
        let mut assumptions = Vec::new();
        if !conditional.is_empty() {
            let name = format!("{}={value}", self.name);
            let active = self.unroller.post_conditional(&conditional, name);
            let active = active.map_err(too_large)?;
            assumptions.push(active);
            self.active = Some(active);
        }
        self.unroller.finish(&mut terms).map_err(too_large)?;
        self.next = next.map(|(terms, instance)| (value + 1, terms, instance));
        self.current = Some((instance, terms.layout));
        Ok(Step {
            value,
            assumptions,
            fresh,
            permanent: self.posted.len(),
            conditional: conditional.len(),
        })
    }

    /// The instance for this value, as terms.
    fn build(&mut self, value: i64) -> Result<(UnrolledTerms, Instance<'m>), Fault> {
        self.params.set_number(&self.name, value);
        let instance = self.model.instantiated(&self.params, &self.poll)?;
        let terms = self.unroller.build(&instance, None)?;
        Ok((terms, instance))
    }

    /// The problem for the last value given to [`Horizon::unroll`]; it grows from step to step.
    pub fn problem(&self) -> &Problem {
        self.unroller.problem()
    }

    /// The instance for the last value given to [`Horizon::unroll`].
    pub fn instance(&self) -> Option<&Instance<'m>> {
        self.current.as_ref().map(|(instance, _)| instance)
    }

    /// The solution of the model for these values of the problem's variables; `None` before the
    /// first step.
    pub fn solution(&self, values: &[i32]) -> Option<Solution> {
        let (_, layout) = self.current.as_ref()?;
        Some(layout.solution(values))
    }

    /// The problem's variables for the decision variables of the current instance, each once.
    pub fn decisions(&self) -> Vec<VarId> {
        let layout = self.current.as_ref().map(|(_, layout)| layout);
        layout.map_or(Vec::new(), |layout| layout.decisions().collect())
    }
}
