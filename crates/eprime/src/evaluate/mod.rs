//! The evaluator, by which solutions are judged: the value of an expression of the original model,
//! computed operator by operator in the simplest way. It shares no code with the unroller.
//!
//! Undefinedness is relational (Frisch and Stuckey 2009): an int or a matrix with an undefined part
//! is undefined (`None`), and the smallest boolean expression around it is false. That is one line
//! of [`Evaluator::value`].
//!
//! Globals are evaluated when they are first needed, as declarations may come in any order.

mod domain;
mod expression;
mod given;
mod rows;

pub(crate) use domain::MAX_CELLS;

use std::collections::HashMap;

use ployglot_base::{BadText, Poll};
use ployglot_csp::Domain;

use crate::deep::deep;
use crate::model::{Expr, GlobalId, Model, Role, Type};
use crate::value::{Axis, Value};

/// What a global is once the parameters have values.
#[derive(Clone, Debug)]
pub(crate) enum GlobalValue {
    Value(Value),
    Domain(Domain),
    Find(Shape),
    /// The rows have different lengths: the matrix has no value, only its expression has rows.
    Ragged,
}

/// The indices, type and domain of a decision variable; a scalar has no axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub axes: Vec<Axis>,
    pub ty: Type,
    pub domain: Domain,
}

/// A model with values for its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator<'m> {
    pub model: &'m Model,
    /// The values of the parameter file, by name.
    pub given: HashMap<String, Value>,
    /// The globals evaluated so far.
    pub globals: Vec<Option<GlobalValue>>,
    /// The values of decision variables, when a solution is judged.
    pub solution: HashMap<u32, Value>,
    /// The values of quantified variables, by slot.
    locals: Vec<Value>,
    /// The globals under evaluation: two bounds of one index cannot both be inferred from it.
    in_progress: Vec<GlobalId>,
    /// The last error was that the rows of a matrix differ in their index.
    ragged: bool,
    /// Ends the evaluation at a limit.
    pub poll: Poll,
}

/// The message for rows that differ in their index, where they must not.
pub(crate) const RAGGED: &str = "the rows of a matrix have one length and one index";

/// `Ok(None)` is undefined.
type Evaluated<T> = Result<Option<T>, BadText>;

impl<'m> Evaluator<'m> {
    pub fn new(model: &'m Model, given: HashMap<String, Value>, poll: &Poll) -> Self {
        Evaluator {
            model,
            given,
            globals: vec![None; model.globals.len()],
            solution: HashMap::new(),
            locals: Vec::new(),
            in_progress: Vec::new(),
            ragged: false,
            poll: poll.clone(),
        }
    }

    /// Whether a boolean expression holds.
    pub fn truth(&mut self, expr: &Expr) -> Result<bool, BadText> {
        let value = self.value(expr)?;
        Ok(matches!(value, Some(Value::Truth(true))))
    }

    /// The value of an expression; `None` if it is undefined, which a bool never is.
    pub fn value(&mut self, expr: &Expr) -> Evaluated<Value> {
        self.poll.step();
        let value = deep(|| self.maybe_undefined(expr))?;
        match expr.ty {
            Type::BOOL => Ok(Some(value.unwrap_or(Value::Truth(false)))),
            _ => Ok(value),
        }
    }

    /// The value of a scalar, a bool as 0 or 1.
    fn number(&mut self, expr: &Expr) -> Evaluated<i64> {
        let value = self.value(expr)?;
        Ok(value.and_then(|value| value.number()))
    }

    /// The value of a parameter, letting or decision variable.
    pub fn global(&mut self, id: GlobalId, expr: &Expr) -> Evaluated<Value> {
        match self.global_value(id)? {
            GlobalValue::Value(value) => Ok(Some(value)),
            GlobalValue::Domain(_) => unreachable!("the checker refuses domains in expressions"),
            GlobalValue::Ragged => {
                self.ragged = true;
                Err(expr.span.error(RAGGED))
            }
            GlobalValue::Find(_) => match self.solution.get(&id.0) {
                Some(value) => Ok(Some(value.clone())),
                None => {
                    let name = &self.model.global(id).name;
                    Err(expr.span.error(format!("'{name}' has no value yet")))
                }
            },
        }
    }

    /// What the global is, evaluated if it was not yet.
    pub fn global_value(&mut self, id: GlobalId) -> Result<GlobalValue, BadText> {
        let place = id.0 as usize;
        if let Some(value) = &self.globals[place] {
            return Ok(value.clone());
        }
        let model = self.model;
        let global = model.global(id);
        if self.in_progress.contains(&id) {
            let message = format!(
                "'{}' cannot be inferred from an index whose other bound is unknown too",
                global.name
            );
            return Err(global.span.error(message));
        }
        self.in_progress.push(id);
        // Quantified variables around the use are not in scope in the declaration.
        let locals = std::mem::take(&mut self.locals);
        let value = match &global.role {
            Role::Given(set) => GlobalValue::Value(self.parameter(global, Some(set))?),
            Role::Inferred => GlobalValue::Value(self.parameter(global, None)?),
            Role::Domain(set) => GlobalValue::Domain(self.defined_domain(set)?),
            Role::Find(set) => GlobalValue::Find(self.shape(set)?),
            Role::Letting(set, expr) => {
                self.ragged = false;
                let value = match self.value(expr) {
                    Err(_) if self.ragged && set.is_none() => {
                        self.locals = locals;
                        self.in_progress.pop();
                        self.globals[place] = Some(GlobalValue::Ragged);
                        return Ok(GlobalValue::Ragged);
                    }
                    value => value?,
                };
                let undefined = || {
                    let message = format!("the value of '{}' is undefined", global.name);
                    expr.span.error(message)
                };
                let value = value.ok_or_else(undefined)?;
                match set {
                    None => GlobalValue::Value(value),
                    Some(set) => {
                        let coerced = self.coerce(value, set)?;
                        let wrong = |why| {
                            let message = format!("'{}' {why}", global.name);
                            expr.span.error(message)
                        };
                        GlobalValue::Value(coerced.map_err(wrong)?)
                    }
                }
            }
        };
        self.locals = locals;
        self.in_progress.pop();
        self.globals[place] = Some(value.clone());
        Ok(value)
    }
}
