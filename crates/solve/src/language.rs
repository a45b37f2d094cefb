//! The two languages of constraint models, Essence Prime and Essence, as one interface: from the text
//! to a flat problem or a growing one, and from the values of its variables to a judged solution.

use ployglot_base::{BadText, Budget, Limit};
use ployglot_csp::{Problem, VarId};
use ployglot_eprime::{Fault, Step, Steps};

use crate::solution::Judge;

/// What may take long and ends at a limit: the outer error. The inner one is the user's or the
/// author's mistake.
pub type Limited<T, E> = Result<Result<T, E>, Limit>;

/// A model in one of the languages.
pub trait ModelText: Sized + Send + Sync {
    /// The values of its parameters.
    type Params: Clone + Send + Sync;
    /// Values of its decision variables.
    type Solution: Clone + PartialEq;
    /// The model with values for all parameters.
    type Instance<'m>: Judge<Solution = Self::Solution>
    where
        Self: 'm;
    /// The growing problem of a sweep over a parameter.
    type Horizon<'m>: GrowingProblem<Solution = Self::Solution>
    where
        Self: 'm;

    /// Reads a model.
    fn read(text: &str, budget: &Budget) -> Limited<Self, BadText>;

    /// Reads a parameter file.
    fn read_params(text: &str, budget: &Budget) -> Limited<Self::Params, BadText>;

    /// Sets or changes the value of a parameter.
    fn set(params: &mut Self::Params, name: &str, value: &str) -> Result<(), BadText>;

    /// The names of the parameters.
    fn parameter_names(&self) -> Vec<&str>;

    /// The search heuristic that the model asks for.
    fn search_heuristic(&self) -> Option<&str>;

    /// The model with these values.
    fn with_params(
        &self,
        params: &Self::Params,
        budget: &Budget,
    ) -> Limited<Self::Instance<'_>, Fault>;

    /// What is probably a mistake in the values of the parameters.
    fn warnings(instance: &Self::Instance<'_>) -> Vec<String>;

    /// The flat problem by these steps.
    fn flat(
        instance: &Self::Instance<'_>,
        steps: Steps,
        budget: &Budget,
    ) -> Limited<Flat<Self::Solution>, Fault>;

    /// A sweep over a parameter.
    fn horizon(&self, params: &Self::Params, name: &str) -> Self::Horizon<'_>;

    /// The names and values of a solution, in the language of the model.
    fn texts(solution: Self::Solution) -> Vec<(String, String)>;

    /// The number at this place of a decision variable: a matrix, function or sequence takes an
    /// index, a tuple the place of a part; `NAME.FIELD` is a field of the record or variant there.
    /// Booleans are 0 and 1; members of an enumerated type count from 1. `None` if there is nothing
    /// at this place.
    fn number_at(solution: &Self::Solution, name: &str, place: &[i32]) -> Option<i32>;
}

/// A flat problem of a model, and how to read its solutions.
pub struct Flat<S> {
    /// The problem, for a back end.
    pub problem: Problem,
    /// The variables that distinguish solutions.
    pub decisions: Vec<VarId>,
    /// The solution for these values of the problem's variables.
    pub read: ReadValues<S>,
}

/// Reads a solution from the values of a problem's variables.
pub type ReadValues<S> = Box<dyn Fn(&[i32]) -> S>;

/// A problem that grows with the value of a parameter.
pub trait GrowingProblem {
    /// Values of the decision variables.
    type Solution;

    /// Extends the problem for this value of the parameter, or starts a new one.
    fn unroll(&mut self, value: i64, budget: &Budget) -> Limited<Step, Fault>;

    /// The problem for the last value.
    fn problem(&self) -> &Problem;

    /// The judge of solutions for the last value; `None` before the first.
    fn judge(&self) -> Option<&dyn Judge<Solution = Self::Solution>>;

    /// The solution for these values of the problem's variables; `None` before the first value.
    fn solution(&self, values: &[i32]) -> Option<Self::Solution>;
}

impl ModelText for ployglot_eprime::Model {
    type Params = ployglot_eprime::Params;
    type Solution = ployglot_eprime::Solution;
    type Instance<'m> = ployglot_eprime::Instance<'m>;
    type Horizon<'m> = ployglot_eprime::Horizon<'m>;

    fn read(text: &str, budget: &Budget) -> Limited<Self, BadText> {
        Self::parse_within(text, budget)
    }

    fn read_params(text: &str, budget: &Budget) -> Limited<Self::Params, BadText> {
        Self::Params::parse_within(text, budget)
    }

    fn set(params: &mut Self::Params, name: &str, value: &str) -> Result<(), BadText> {
        params.set(name, value)
    }

    fn parameter_names(&self) -> Vec<&str> {
        self.parameters().collect()
    }

    fn search_heuristic(&self) -> Option<&str> {
        self.heuristic()
    }

    fn with_params(
        &self,
        params: &Self::Params,
        budget: &Budget,
    ) -> Limited<Self::Instance<'_>, Fault> {
        self.instance_within(params, budget)
    }

    fn warnings(instance: &Self::Instance<'_>) -> Vec<String> {
        instance.warnings().to_vec()
    }

    fn flat(
        instance: &Self::Instance<'_>,
        steps: Steps,
        budget: &Budget,
    ) -> Limited<Flat<Self::Solution>, Fault> {
        let unrolled = instance.unroll_by(steps, budget)?;
        Ok(unrolled.map(|mut unrolled| Flat {
            problem: std::mem::take(&mut unrolled.problem),
            decisions: unrolled.shown(),
            read: Box::new(move |values| unrolled.solution(values)),
        }))
    }

    fn horizon(&self, params: &Self::Params, name: &str) -> Self::Horizon<'_> {
        ployglot_eprime::Horizon::new(self, params, name)
    }

    fn texts(solution: Self::Solution) -> Vec<(String, String)> {
        let values = solution.values.into_iter();
        values
            .map(|(name, value)| (name, value.to_string()))
            .collect()
    }

    fn number_at(solution: &Self::Solution, name: &str, place: &[i32]) -> Option<i32> {
        let value = match solution.get(name)? {
            ployglot_eprime::Value::Matrix(matrix) => {
                let place: Vec<i64> = place.iter().map(|&index| i64::from(index)).collect();
                matrix.at(&place)?
            }
            scalar if place.is_empty() => scalar.number()?,
            _ => return None,
        };
        i32::try_from(value).ok()
    }
}

impl GrowingProblem for ployglot_eprime::Horizon<'_> {
    type Solution = ployglot_eprime::Solution;

    fn unroll(&mut self, value: i64, budget: &Budget) -> Limited<Step, Fault> {
        self.unroll_within(value, budget)
    }

    fn problem(&self) -> &Problem {
        ployglot_eprime::Horizon::problem(self)
    }

    fn judge(&self) -> Option<&dyn Judge<Solution = Self::Solution>> {
        self.instance().map(|instance| instance as _)
    }

    fn solution(&self, values: &[i32]) -> Option<Self::Solution> {
        ployglot_eprime::Horizon::solution(self, values)
    }
}

impl ModelText for ployglot_essence::Model {
    type Params = ployglot_essence::Params;
    type Solution = ployglot_essence::Solution;
    type Instance<'m> = ployglot_essence::Instance<'m>;
    type Horizon<'m> = ployglot_essence::Horizon<'m>;

    fn read(text: &str, budget: &Budget) -> Limited<Self, BadText> {
        Self::parse_within(text, budget)
    }

    fn read_params(text: &str, budget: &Budget) -> Limited<Self::Params, BadText> {
        Self::Params::parse_within(text, budget)
    }

    fn set(params: &mut Self::Params, name: &str, value: &str) -> Result<(), BadText> {
        params.set(name, value)
    }

    fn parameter_names(&self) -> Vec<&str> {
        self.parameters().collect()
    }

    fn search_heuristic(&self) -> Option<&str> {
        self.heuristic()
    }

    fn with_params(
        &self,
        params: &Self::Params,
        budget: &Budget,
    ) -> Limited<Self::Instance<'_>, Fault> {
        self.instance_within(params, budget)
    }

    fn warnings(_: &Self::Instance<'_>) -> Vec<String> {
        Vec::new()
    }

    fn flat(
        instance: &Self::Instance<'_>,
        steps: Steps,
        budget: &Budget,
    ) -> Limited<Flat<Self::Solution>, Fault> {
        let refined = instance.refine_by(steps, budget)?;
        Ok(refined.map(|mut refined| Flat {
            problem: std::mem::take(&mut refined.problem),
            decisions: refined.decisions().collect(),
            read: Box::new(move |values| refined.solution(values)),
        }))
    }

    fn horizon(&self, params: &Self::Params, name: &str) -> Self::Horizon<'_> {
        ployglot_essence::Horizon::new(self, params, name)
    }

    fn texts(solution: Self::Solution) -> Vec<(String, String)> {
        let values = solution.values.into_iter();
        values
            .map(|(name, value)| (name, value.to_string()))
            .collect()
    }

    fn number_at(solution: &Self::Solution, name: &str, place: &[i32]) -> Option<i32> {
        let place: Vec<i64> = place.iter().map(|&index| i64::from(index)).collect();
        let (name, field) = match name.split_once('.') {
            Some((name, field)) => (name, Some(field)),
            None => (name, None),
        };
        let number = solution.get(name)?.number_at(&place, field)?;
        i32::try_from(number).ok()
    }
}

impl GrowingProblem for ployglot_essence::Horizon<'_> {
    type Solution = ployglot_essence::Solution;

    fn unroll(&mut self, value: i64, budget: &Budget) -> Limited<Step, Fault> {
        self.refine_within(value, budget)
    }

    fn problem(&self) -> &Problem {
        ployglot_essence::Horizon::problem(self)
    }

    fn judge(&self) -> Option<&dyn Judge<Solution = Self::Solution>> {
        self.instance().map(|instance| instance as _)
    }

    fn solution(&self, values: &[i32]) -> Option<Self::Solution> {
        ployglot_essence::Horizon::solution(self, values)
    }
}
