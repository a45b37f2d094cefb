//! The same model for a row of values of one parameter, in one growing problem.
//!
//! Unrolling is cheap and every constraint is one stored term, so we unroll for this value *and the next* and compare:
//! constraints that both have are posted for good; those that only this value has (the goal, as a rule) hold under a
//! literal that is assumed for this question and retired after it. A matrix cell with the same name, index and domain is
//! the same variable for all values.
//!
//! Nothing is guessed. If a later value lacks a constraint that was posted for good, or the sweep goes elsewhere, the
//! problem is begun afresh and the caller is told so. Some models *slide*: what they say of a state they say again of the next
//! one for the next value, and of this one no more. Little would last, and all of it would be burdened with the literal, so
//! that for a model that slides every value is a problem of its own.

use std::collections::HashSet;

use ployglot_csp::{Literal, Problem, VarId};

use crate::instance::{Fault, Instance, Params, Solution};
use crate::model::Model;
use crate::unroll::{Bool, Layout, UnrolledTerms, Unroller, in_model};

/// A sweep over the values of one parameter.
pub struct Horizon<'m> {
    model: &'m Model,
    params: Params,
    name: String,
    unroller: Unroller,
    /// Constraints that were posted for good.
    posted: HashSet<Bool>,
    /// What was unrolled ahead.
    ahead: Option<(i64, UnrolledTerms, Instance<'m>)>,
    active: Option<Literal>,
    current: Option<(Instance<'m>, Layout)>,
    /// Known once a problem is begun.
    slides: Option<bool>,
    /// Nobody has seen the problem yet.
    fresh: bool,
}

/// How to ask about one value of the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub value: i64,
    /// These hold for this value.
    pub assumptions: Vec<Literal>,
    /// The problem is a new one: solvers that followed the old one must start anew. True for the first step.
    pub fresh: bool,
    /// How many constraints hold for good, and how many under the assumption.
    pub kept: usize,
    pub passing: usize,
}

impl<'m> Horizon<'m> {
    /// `name` is the parameter that is swept.
    pub fn new(model: &'m Model, params: &Params, name: &str) -> Self {
        Horizon {
            model,
            params: params.clone(),
            name: name.to_string(),
            unroller: Unroller::new(),
            posted: HashSet::new(),
            ahead: None,
            active: None,
            current: None,
            slides: None,
            fresh: true,
        }
    }

    /// Makes the problem ready for this value of the parameter.
    pub fn unroll(&mut self, value: i64) -> Result<Step, Fault> {
        if self.slides.is_none() {
            self.begin(value);
        }
        match self.slides {
            Some(true) => self.unroll_alone(value),
            _ => self.unroll_on_top(value),
        }
    }

    /// A new problem, to which nothing is posted yet.
    fn begin(&mut self, value: i64) {
        self.slides = Some(self.seems_to_slide(value));
        self.unroller = Unroller::new();
        self.posted.clear();
        self.ahead = None;
        self.active = None;
        self.fresh = true;
    }

    /// Whether this value and the next have a constraint in common that the one after the next lacks.
    fn seems_to_slide(&mut self, value: i64) -> bool {
        let mut conjuncts = |value| -> Option<HashSet<Bool>> {
            let (terms, _) = self.build(value).ok()?;
            Some(terms.conjuncts.into_iter().collect())
        };
        let (Some(here), Some(next), Some(later)) =
            (conjuncts(value), conjuncts(value + 1), conjuncts(value + 2))
        else {
            return false;
        };
        here.intersection(&next).any(|conjunct| !later.contains(conjunct))
    }

    /// A problem of its own.
    fn unroll_alone(&mut self, value: i64) -> Result<Step, Fault> {
        self.unroller = Unroller::new();
        let (mut terms, instance) = self.build(value)?;
        let conjuncts = std::mem::take(&mut terms.conjuncts);
        let kept = conjuncts.len();
        self.unroller.post_permanent(conjuncts).map_err(in_model)?;
        self.unroller.finish(&mut terms).map_err(in_model)?;
        self.current = Some((instance, terms.layout));
        Ok(Step {
            value,
            assumptions: Vec::new(),
            fresh: true,
            kept,
            passing: 0,
        })
    }

    fn unroll_on_top(&mut self, value: i64) -> Result<Step, Fault> {
        let (mut terms, instance) = match self.ahead.take() {
            Some((at, terms, instance)) if at == value => (terms, instance),
            _ => self.build(value)?,
        };
        let here: HashSet<Bool> = terms.conjuncts.iter().copied().collect();
        if !self.posted.is_subset(&here) {
            // Something that we posted for good does not hold here.
            self.begin(value);
            return self.unroll(value);
        }
        let fresh = std::mem::take(&mut self.fresh);
        if let Some(active) = self.active.take() {
            self.unroller.retire(active);
        }
        // The next value may not exist: then nothing is known to last.
        let next = self.build(value + 1).ok();
        let lasting: HashSet<Bool> = match &next {
            Some((next, _)) => next.conjuncts.iter().copied().collect(),
            None => HashSet::new(),
        };
        let (mut kept, mut passing) = (Vec::new(), Vec::new());
        for &conjunct in &terms.conjuncts {
            if self.posted.contains(&conjunct) {
                continue;
            }
            match lasting.contains(&conjunct) {
                true => kept.push(conjunct),
                false => passing.push(conjunct),
            }
        }
        self.posted.extend(&kept);
        self.unroller.post_permanent(kept).map_err(in_model)?;
        let mut assumptions = Vec::new();
        let passed = passing.len();
        if !passing.is_empty() {
            let name = format!("{}={value}", self.name);
            let active = self.unroller.post_conditional(&passing, name).map_err(in_model)?;
            assumptions.push(active);
            self.active = Some(active);
        }
        self.unroller.finish(&mut terms).map_err(in_model)?;
        self.ahead = next.map(|(terms, instance)| (value + 1, terms, instance));
        self.current = Some((instance, terms.layout));
        Ok(Step {
            value,
            assumptions,
            fresh,
            kept: self.posted.len(),
            passing: passed,
        })
    }

    fn build(&mut self, value: i64) -> Result<(UnrolledTerms, Instance<'m>), Fault> {
        self.params.set_number(&self.name, value);
        let instance = self.model.instance(&self.params)?;
        let terms = self.unroller.build(&instance)?;
        Ok((terms, instance))
    }

    /// The problem for the value that was unrolled last; it grows from step to step.
    pub fn problem(&self) -> &Problem {
        self.unroller.problem()
    }

    /// The instance for the value that was unrolled last.
    pub fn instance(&self) -> Option<&Instance<'m>> {
        self.current.as_ref().map(|(instance, _)| instance)
    }

    /// The model's view of the problem's values, for the value that was unrolled last.
    pub fn solution(&self, values: &[i32]) -> Option<Solution> {
        let (_, layout) = self.current.as_ref()?;
        Some(layout.solution(values))
    }

    /// The variables that stand for decision variables of the model now.
    pub fn decisions(&self) -> Vec<VarId> {
        let layout = self.current.as_ref().map(|(_, layout)| layout);
        layout.map_or(Vec::new(), |layout| layout.decisions().collect())
    }
}
