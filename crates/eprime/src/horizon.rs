//! One model for increasing values of one parameter (the horizon), in one growing problem
//! (`growing.rs`).

use ployglot_base::{Budget, Limit, Poll};
use ployglot_csp::{Problem, VarId};

use crate::growing::{Family, Growing, Step};
use crate::instance::{Fault, Instance, Params, Solution};
use crate::model::Model;
use crate::unroll::Terms;

/// A sweep over the values of one parameter: one growing problem, solved once for each value.
pub struct Horizon<'m> {
    growing: Growing<Instances<'m>>,
}

/// The instances of a model.
struct Instances<'m> {
    model: &'m Model,
    params: Params,
    name: String,
}

impl<'m> Family for Instances<'m> {
    type Instance = Instance<'m>;

    fn build(&mut self, value: i64, terms: &mut Terms, poll: &Poll) -> Result<Instance<'m>, Fault> {
        self.params.set_number(&self.name, value);
        let instance = self.model.instantiated(&self.params, poll)?;
        terms.built = terms.unroller.build(&instance, None)?;
        Ok(instance)
    }

    fn too_large(&self, instance: &Instance<'m>, poll: &Poll) -> Fault {
        instance.too_large(poll)
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
        self.growing.unroll_within(value, budget)
    }

    /// The problem for the last value given to [`Horizon::unroll`]; it grows from step to step.
    pub fn problem(&self) -> &Problem {
        self.growing.problem()
    }

    /// The instance for the last value given to [`Horizon::unroll`].
    pub fn instance(&self) -> Option<&Instance<'m>> {
        self.growing.instance()
    }

    /// The solution of the model for these values of the problem's variables; `None` before the
    /// first step.
    pub fn solution(&self, values: &[i32]) -> Option<Solution> {
        Some(self.growing.layout()?.solution(values))
    }

    /// The problem's variables for the decision variables of the current instance, each once.
    pub fn decisions(&self) -> Vec<VarId> {
        let layout = self.growing.layout();
        layout.map_or(Vec::new(), |layout| layout.decisions().collect())
    }
}
