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
use crate::unroll::{Bool, Layout, Raw, Workshop, in_model};

/// A sweep over the values of one parameter.
pub struct Horizon<'m> {
    model: &'m Model,
    params: Params,
    name: String,
    workshop: Workshop,
    /// Constraints that were posted for good.
    posted: HashSet<Bool>,
    /// What was unrolled ahead.
    ahead: Option<(i64, Raw, Instance<'m>)>,
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
            workshop: Workshop::new(),
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
        self.workshop = Workshop::new();
        self.posted.clear();
        self.ahead = None;
        self.active = None;
        self.fresh = true;
    }

    /// Whether this value and the next have a constraint in common that the one after the next lacks.
    fn seems_to_slide(&mut self, value: i64) -> bool {
        let mut pieces = |value| -> Option<HashSet<Bool>> {
            let (raw, _) = self.build(value).ok()?;
            Some(raw.pieces.into_iter().collect())
        };
        let (Some(here), Some(next), Some(later)) =
            (pieces(value), pieces(value + 1), pieces(value + 2))
        else {
            return false;
        };
        here.intersection(&next).any(|piece| !later.contains(piece))
    }

    /// A problem of its own.
    fn unroll_alone(&mut self, value: i64) -> Result<Step, Fault> {
        self.workshop = Workshop::new();
        let (mut raw, instance) = self.build(value)?;
        let pieces = std::mem::take(&mut raw.pieces);
        let kept = pieces.len();
        self.workshop.post_for_good(pieces).map_err(in_model)?;
        self.workshop.finish(&mut raw).map_err(in_model)?;
        self.current = Some((instance, raw.layout));
        Ok(Step {
            value,
            assumptions: Vec::new(),
            fresh: true,
            kept,
            passing: 0,
        })
    }

    fn unroll_on_top(&mut self, value: i64) -> Result<Step, Fault> {
        let (mut raw, instance) = match self.ahead.take() {
            Some((at, raw, instance)) if at == value => (raw, instance),
            _ => self.build(value)?,
        };
        let here: HashSet<Bool> = raw.pieces.iter().copied().collect();
        if !self.posted.is_subset(&here) {
            // Something that we posted for good does not hold here.
            self.begin(value);
            return self.unroll(value);
        }
        let fresh = std::mem::take(&mut self.fresh);
        if let Some(active) = self.active.take() {
            self.workshop.retire(active);
        }
        // The next value may not exist: then nothing is known to last.
        let next = self.build(value + 1).ok();
        let lasting: HashSet<Bool> = match &next {
            Some((next, _)) => next.pieces.iter().copied().collect(),
            None => HashSet::new(),
        };
        let (mut kept, mut passing) = (Vec::new(), Vec::new());
        for &piece in &raw.pieces {
            if self.posted.contains(&piece) {
                continue;
            }
            match lasting.contains(&piece) {
                true => kept.push(piece),
                false => passing.push(piece),
            }
        }
        self.posted.extend(&kept);
        self.workshop.post_for_good(kept).map_err(in_model)?;
        let mut assumptions = Vec::new();
        let passed = passing.len();
        if !passing.is_empty() {
            let name = format!("{}={value}", self.name);
            let active = self.workshop.post_under(&passing, name).map_err(in_model)?;
            assumptions.push(active);
            self.active = Some(active);
        }
        self.workshop.finish(&mut raw).map_err(in_model)?;
        self.ahead = next.map(|(raw, instance)| (value + 1, raw, instance));
        self.current = Some((instance, raw.layout));
        Ok(Step {
            value,
            assumptions,
            fresh,
            kept: self.posted.len(),
            passing: passed,
        })
    }

    fn build(&mut self, value: i64) -> Result<(Raw, Instance<'m>), Fault> {
        self.params.set_number(&self.name, value);
        let instance = self.model.instance(&self.params)?;
        let raw = self.workshop.build(&instance)?;
        Ok((raw, instance))
    }

    /// The problem for the value that was unrolled last; it grows from step to step.
    pub fn problem(&self) -> &Problem {
        self.workshop.problem()
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
