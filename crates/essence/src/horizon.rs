//! One specification for increasing values of one parameter (the horizon), in one growing problem, as
//! for Essence Prime: what the instances of two values have in common is posted permanently.

use ployglot_base::{Budget, Limit, Poll};
use ployglot_csp::Problem;
use ployglot_eprime::{Family, Fault, Growing, Step, Terms};

use crate::instance::{Instance, Params, Solution};
use crate::model::Model;
use crate::refine::{Layouts, in_model, read_solution, too_large};

/// A sweep over the values of one parameter: one growing problem, solved once for each value.
pub struct Horizon<'m> {
    growing: Growing<Instances<'m>>,
}

/// The instances of a specification.
struct Instances<'m> {
    model: &'m Model,
    params: Params,
    name: String,
}

impl<'m> Family for Instances<'m> {
    type Instance = (Instance<'m>, Layouts);

    fn build(
        &mut self,
        value: i64,
        terms: &mut Terms,
        poll: &Poll,
    ) -> Result<Self::Instance, Fault> {
        self.params.set_number(&self.name, value);
        let instance = self.model.instantiate(&self.params, poll)?;
        let layouts = instance.post(terms, poll).map_err(in_model)?;
        Ok((instance, layouts))
    }

    fn too_large(&self, _: &Self::Instance, _: &Poll) -> Fault {
        too_large()
    }
}

impl<'m> Horizon<'m> {
    /// A sweep over the parameter `name`; a value for it in `params` is ignored.
    pub fn new(model: &'m Model, params: &Params, name: &str) -> Self {
        let instances = Instances {
            model,
            params: params.clone(),
            name: name.to_string(),
        };
        Horizon {
            growing: Growing::new(instances, name),
        }
    }

    /// Extends the problem for this value of the parameter, or starts a new one. The outer error is
    /// the limit that ended it; the next call then starts a new problem.
    pub fn refine_within(
        &mut self,
        value: i64,
        budget: &Budget,
    ) -> Result<Result<Step, Fault>, Limit> {
        self.growing.unroll_within(value, budget)
    }

    /// The problem for the last value; it grows from step to step.
    pub fn problem(&self) -> &Problem {
        self.growing.problem()
    }

    /// The instance for the last value.
    pub fn instance(&self) -> Option<&Instance<'m>> {
        self.growing.instance().map(|(instance, _)| instance)
    }

    /// The solution of the specification for these values of the problem's variables; `None` before
    /// the first step.
    pub fn solution(&self, values: &[i32]) -> Option<Solution> {
        let (_, layouts) = self.growing.instance()?;
        Some(read_solution(layouts, &self.growing.quantities(), values))
    }
}
