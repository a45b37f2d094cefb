//! The judge: what the model says of given values, term by term, slowly and obviously. It shares no code with the unroller.
//!
//! Undefinedness is relational: an int or a matrix with an undefined part is undefined (`None`), and the smallest boolean
//! expression around it is false. That is one line of [`Evaluator::value`].
//!
//! Globals are evaluated when somebody first asks for them, as declarations may stand in any order.

mod domain;
mod expression;
mod given;

use std::collections::HashMap;

use ployglot_base::BadText;
use ployglot_csp::Domain;

use crate::model::{Expr, GlobalId, Model, Role, Type};
use crate::value::{Axis, Value};

/// What a global stands for, once the parameters are known.
#[derive(Clone, Debug)]
pub(crate) enum GlobalValue {
    Value(Value),
    Domain(Domain),
    Find(Shape),
}

/// What a decision variable looks like: a scalar has no axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub axes: Vec<Axis>,
    pub ty: Type,
    pub domain: Domain,
}

#[derive(Clone, Debug)]
pub(crate) struct Evaluator<'m> {
    pub model: &'m Model,
    pub given: HashMap<String, Value>,
    pub globals: Vec<Option<GlobalValue>>,
    /// The values of decision variables, when a solution is judged.
    pub solution: HashMap<u32, Value>,
    locals: Vec<Value>,
    /// Who is being evaluated: two bounds of one index cannot both be read off it.
    in_progress: Vec<GlobalId>,
}

type Evaluated<T> = Result<Option<T>, BadText>;

impl<'m> Evaluator<'m> {
    pub fn new(model: &'m Model, given: HashMap<String, Value>) -> Self {
        Evaluator {
            model,
            given,
            globals: vec![None; model.globals.len()],
            solution: HashMap::new(),
            locals: Vec::new(),
            in_progress: Vec::new(),
        }
    }

    pub fn truth(&mut self, expr: &Expr) -> Result<bool, BadText> {
        let value = self.value(expr)?;
        Ok(matches!(value, Some(Value::Truth(true))))
    }

    /// `None`: undefined, which a bool never is.
    pub fn value(&mut self, expr: &Expr) -> Evaluated<Value> {
        let value = self.maybe_undefined(expr)?;
        match expr.ty {
            Type::BOOL => Ok(Some(value.unwrap_or(Value::Truth(false)))),
            _ => Ok(value),
        }
    }

    fn number(&mut self, expr: &Expr) -> Evaluated<i64> {
        let value = self.value(expr)?;
        Ok(value.and_then(|value| value.number()))
    }

    /// The value of a parameter, letting or decision variable.
    pub fn global(&mut self, id: GlobalId, expr: &Expr) -> Evaluated<Value> {
        match self.global_value(id)? {
            GlobalValue::Value(value) => Ok(Some(value)),
            GlobalValue::Domain(_) => unreachable!("the checker keeps domains out of expressions"),
            GlobalValue::Find(_) => match self.solution.get(&id.0) {
                Some(value) => Ok(Some(value.clone())),
                None => {
                    let name = &self.model.global(id).name;
                    Err(expr.span.error(format!("'{name}' has no value yet")))
                }
            },
        }
    }

    pub fn global_value(&mut self, id: GlobalId) -> Result<GlobalValue, BadText> {
        let place = id.0 as usize;
        if let Some(known) = &self.globals[place] {
            return Ok(known.clone());
        }
        let model = self.model;
        let global = model.global(id);
        if self.in_progress.contains(&id) {
            let message = format!(
                "'{}' cannot be read off an index without the other bound",
                global.name
            );
            return Err(global.span.error(message));
        }
        self.in_progress.push(id);
        // Declarations see no quantified variables of whoever asks.
        let locals = std::mem::take(&mut self.locals);
        let known = match &global.role {
            Role::Given(set) => GlobalValue::Value(self.parameter(global, Some(set))?),
            Role::Inferred => GlobalValue::Value(self.parameter(global, None)?),
            Role::Domain(set) => GlobalValue::Domain(self.defined_domain(set)?),
            Role::Find(set) => GlobalValue::Find(self.shape(set)?),
            Role::Letting(set, expr) => {
                let value = self.value(expr)?;
                let undefined = || {
                    let message = format!("the value of '{}' is undefined", global.name);
                    expr.span.error(message)
                };
                let value = value.ok_or_else(undefined)?;
                match set {
                    None => GlobalValue::Value(value),
                    Some(set) => {
                        let admitted = self.coerce(value, set)?;
                        let wrong = |why| {
                            let message = format!("'{}' {why}", global.name);
                            expr.span.error(message)
                        };
                        GlobalValue::Value(admitted.map_err(wrong)?)
                    }
                }
            }
        };
        self.locals = locals;
        self.in_progress.pop();
        self.globals[place] = Some(known.clone());
        Ok(known)
    }
}
