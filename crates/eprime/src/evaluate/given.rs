//! Parameters: given by name, or read off the index of a given matrix.

use ployglot_base::BadText;
use ployglot_base::text::nearest;

use super::Evaluator;
use crate::model::{Bounds, Expr, ExprKind, Global, GlobalId, Role, Set, SetKind};
use crate::value::{Axis, Value};

impl Evaluator<'_> {
    /// `set` is the declared domain, if there is one.
    pub fn parameter(&mut self, global: &Global, set: Option<&Set>) -> Result<Value, BadText> {
        let value = match self.given.get(&global.name) {
            Some(value) => value.clone(),
            None => match self.infer(&global.name)? {
                Some(number) => Value::Number(number),
                None => return Err(global.span.error(self.missing(&global.name))),
            },
        };
        let admitted = match set {
            Some(set) => self.coerce(value, set)?,
            None => match value {
                Value::Number(number) => Ok(Value::Number(number)),
                other => Err(format!("is int, found {}", other.ty())),
            },
        };
        admitted.map_err(|why| {
            let message = format!("the parameter '{}' {why}", global.name);
            global.span.error(message)
        })
    }

    fn missing(&self, name: &str) -> String {
        let declared = |given: &&str| self.model.find_global(given).is_none();
        let mut strange: Vec<&str> = self.given.keys().map(String::as_str).collect();
        strange.sort_unstable();
        let near = nearest(name, strange.into_iter().filter(declared));
        let hint = near.map_or(String::new(), |near| {
            format!("; did you mean it by '{near}'?")
        });
        format!("the parameter '{name}' has no value{hint}")
    }

    /// The bound that this name must be, going by the matrices that are given.
    fn infer(&mut self, name: &str) -> Result<Option<i64>, BadText> {
        let model = self.model;
        let id = model.find_global(name).expect("it is declared");
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
            return Ok(from.map(|from| from + length - 1));
        }
        if is_it(from) {
            if axis.explicit && !axis.domain.is_empty() {
                return Ok(Some(i64::from(axis.domain.min())));
            }
            let to = self.number(to)?;
            return Ok(to.map(|to| to - length + 1));
        }
        Ok(None)
    }
}
