//! Parameters: their values are given by name, or inferred from the index of a given matrix.

use ployglot_base::BadText;
use ployglot_base::text::nearest;

use super::Evaluator;
use crate::model::{Bounds, Expr, ExprKind, Global, GlobalId, Role, Set, SetKind};
use crate::value::{Axis, Value};

impl Evaluator<'_> {
    /// The value of a parameter; `set` is its declared domain, if there is one.
    pub fn parameter(&mut self, global: &Global, set: Option<&Set>) -> Result<Value, BadText> {
        let value = match self.given.get(&global.name) {
            Some(value) => value.clone(),
            None => match self.infer(&global.name)? {
                Some(number) => Value::Number(number),
                None => return Err(global.span.error(self.missing(&global.name))),
            },
        };
        let coerced = match set {
            Some(set) => self.coerce(value, set)?,
            None => match value {
                Value::Number(number) => Ok(Value::Number(number)),
                other => Err(format!("is int, found {}", other.ty())),
            },
        };
        coerced.map_err(|why| {
            let message = format!("the parameter '{}' {why}", global.name);
            global.span.error(message)
        })
    }

    /// The message for a parameter without value. Where a given name that the model does not
    /// declare is similar, it is probably the same one misspelt.
    fn missing(&self, name: &str) -> String {
        let is_undeclared = |given: &&str| self.model.find_global(given).is_none();
        let mut given: Vec<&str> = self.given.keys().map(String::as_str).collect();
        given.sort_unstable();
        let near = nearest(name, given.into_iter().filter(is_undeclared));
        let hint = near.map_or(String::new(), |near| {
            format!("; is '{near}' meant to be '{name}'?")
        });
        format!("the parameter '{name}' has no value{hint}")
    }

    /// The value of a parameter that is the bound of an index, by the length or the index of a
    /// given matrix.
    fn infer(&mut self, name: &str) -> Result<Option<i64>, BadText> {
        let model = self.model;
        let id = model.find_global(name).expect("parameters are globals");
        for global in &model.globals {
            let Role::Given(set) = &global.role else {
                continue;
            };
            let SetKind::Matrix(index, _) = &set.kind else {
                continue;
            };
            let Some(Value::Matrix(matrix)) = self.given.get(&global.name).cloned() else {
                continue;
            };
            for (set, axis) in index.iter().zip(&matrix.axes) {
                if let Some(bound) = self.bound(set, axis, id)? {
                    return Ok(Some(bound));
                }
            }
        }
        Ok(None)
    }

    /// The bound `id` of an index, where this axis is the index of the given matrix.
    fn bound(&mut self, set: &Set, axis: &Axis, id: GlobalId) -> Result<Option<i64>, BadText> {
        let SetKind::Int(Some(ranges)) = &set.kind else {
            return Ok(None);
        };
        let [Bounds::Between(Some(from), Some(to))] = ranges.as_slice() else {
            return Ok(None);
        };
        let is_it = |expr: &Expr| matches!(expr.kind, ExprKind::Global(global) if global == id);
        let length = axis.length() as i64;
        if is_it(to) {
            if axis.explicit && !axis.domain.is_empty() {
                return Ok(Some(i64::from(axis.domain.max())));
            }
            if is_it(from) {
                return Ok((length == 1).then_some(1));
            }
            let from = self.number(from)?;
            return Ok(from.and_then(|from| from.checked_add(length - 1)));
        }
        if is_it(from) {
            if axis.explicit && !axis.domain.is_empty() {
                return Ok(Some(i64::from(axis.domain.min())));
            }
            let to = self.number(to)?;
            return Ok(to.and_then(|to| to.checked_sub(length - 1)));
        }
        Ok(None)
    }
}
