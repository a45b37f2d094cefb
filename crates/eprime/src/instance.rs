//! A model with values for its parameters, and the judge of its solutions.

use std::collections::HashMap;
use std::fmt;

use ployglot_base::text::did_you_mean;
use ployglot_base::{BadText, Budget, Limit, Poll};

use crate::evaluate::{Evaluator, GlobalValue, Shape};
use crate::lex::Span;
use crate::model::{GlobalId, Model, Role};
use crate::parse::{parse, parse_value};
use crate::tree::{Identifier, Kind, Node, Placed, Statement, Unary};
use crate::value::Value;

/// Which text an error is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model.
    Model,
    /// The parameter file.
    Params,
    /// The name or value of [`Params::set`] or [`Params::set_number`].
    Setting,
}

/// An error in a model, in its parameters, or in how they fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The text that the error is in.
    pub source: Source,
    /// The place in that text, and the message.
    pub bad: BadText,
}

/// The statements of a parameter file, and values set by the caller.
#[derive(Clone, Debug, Default)]
pub struct Params {
    statements: Vec<Placed>,
    /// The names that were set by the caller.
    settings: Vec<String>,
}

/// A model whose parameters have values.
#[derive(Clone, Debug)]
pub struct Instance<'m> {
    pub(crate) model: &'m Model,
    pub(crate) evaluator: Evaluator<'m>,
    warnings: Vec<String>,
}

/// Values for all decision variables. Prints as `letting x be …`, one line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Names and values, in the order of the declarations.
    pub values: Vec<(String, Value)>,
}

/// The result of judging a solution by the original model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It is a solution; with the value of the objective, if there is one.
    Solves(Option<i64>),
    /// This decision variable has no value, or one outside its domain.
    Outside(String),
    /// The constraint at this place of the model does not hold.
    Breaks(BadText),
}

impl Params {
    /// Reads a parameter file.
    pub fn parse(text: &str) -> Result<Params, BadText> {
        Self::read(text, &Poll::default())
    }

    /// [`Params::parse`] within a budget; the outer error is the limit that ended the reading.
    pub fn parse_within(text: &str, budget: &Budget) -> Result<Result<Params, BadText>, Limit> {
        budget.stoppable("reading", |poll| Self::read(text, poll))
    }

    fn read(text: &str, poll: &Poll) -> Result<Params, BadText> {
        let statements = parse(text, poll)?;
        for placed in &statements {
            let is_letting = matches!(
                placed.statement,
                Statement::Letting(..) | Statement::LettingDomain(..)
            );
            if !is_letting {
                return Err(placed
                    .span
                    .error("a parameter file has only 'letting NAME be VALUE'"));
            }
        }
        Ok(Params {
            statements,
            settings: Vec::new(),
        })
    }

    /// Sets a parameter to the value of an expression, replacing the one it had.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadText> {
        let node = parse_value(value)?;
        self.put(name, node);
        Ok(())
    }

    /// Sets a parameter to a number, replacing the value it had.
    pub fn set_number(&mut self, name: &str, value: i64) {
        let number = |value: i64| Node {
            span: Span {
                line: 1,
                column: 1,
                width: 1,
            },
            depth: 0,
            kind: Kind::Number(value),
        };
        let node = match value.checked_neg() {
            Some(opposite) if value < 0 => Node {
                depth: 1,
                kind: Kind::Unary(Unary::Negate, Box::new(number(opposite))),
                ..number(0)
            },
            _ => number(value),
        };
        self.put(name, node);
    }

    fn put(&mut self, name: &str, node: Node) {
        let (name, span) = (name.to_string(), node.span);
        self.statements
            .retain(|placed| identifier(placed).is_none_or(|known| known.name != name));
        if !self.settings.contains(&name) {
            self.settings.push(name.clone());
        }
        let identifier = Identifier { name, span };
        self.statements.push(Placed {
            span,
            statement: Statement::Letting(identifier, None, node),
        });
    }

    /// The names that have values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let identifiers = self.statements.iter().filter_map(identifier);
        identifiers.map(|identifier| identifier.name.as_str())
    }

    /// Each name with its value. A value may use names of other statements.
    fn values(&self, poll: &Poll) -> Result<HashMap<String, Value>, BadText> {
        let model = Model::check(&self.statements, poll)?;
        let mut evaluator = Evaluator::new(&model, HashMap::new(), poll);
        let mut values = HashMap::new();
        for (place, global) in model.globals.iter().enumerate() {
            if let GlobalValue::Value(value) = evaluator.global_value(GlobalId(place as u32))? {
                values.insert(global.name.clone(), value);
            }
        }
        Ok(values)
    }
}

impl Model {
    /// The model with these parameters.
    pub fn instance(&self, params: &Params) -> Result<Instance<'_>, Fault> {
        self.instantiated(params, &Poll::default())
    }

    /// [`Model::instance`] within a budget; the outer error is the limit that ended it.
    pub fn instance_within(
        &self,
        params: &Params,
        budget: &Budget,
    ) -> Result<Result<Instance<'_>, Fault>, Limit> {
        budget.stoppable("instantiating", |poll| self.instantiated(params, poll))
    }

    pub(crate) fn instantiated(&self, params: &Params, poll: &Poll) -> Result<Instance<'_>, Fault> {
        let given = params.values(poll).map_err(|bad| Fault {
            source: Source::Params,
            bad,
        })?;
        let in_model = |bad| Fault {
            source: Source::Model,
            bad,
        };
        let mut warnings = Vec::new();
        for identifier in params.statements.iter().filter_map(identifier) {
            let is_setting = params.settings.contains(&identifier.name);
            let message = match self.unexpected(&identifier.name, params) {
                None => continue,
                Some(Unexpected::Unused(message)) if !is_setting => {
                    let line = identifier.span.line;
                    warnings.push(format!(
                        "parameters, line {line}: {message}; it is not used"
                    ));
                    continue;
                }
                Some(Unexpected::Unused(message) | Unexpected::Taken(message)) => message,
            };
            let source = match is_setting {
                true => Source::Setting,
                false => Source::Params,
            };
            let bad = identifier.span.error(message);
            return Err(Fault { source, bad });
        }
        let mut evaluator = Evaluator::new(self, given, poll);
        for place in 0..self.globals.len() {
            evaluator
                .global_value(GlobalId(place as u32))
                .map_err(in_model)?;
        }
        for condition in &self.conditions {
            if !evaluator.truth(condition).map_err(in_model)? {
                let bad = condition
                    .span
                    .error("the parameters do not meet this condition");
                return Err(in_model(bad));
            }
        }
        Ok(Instance {
            model: self,
            evaluator,
            warnings,
        })
    }

    /// The message about a value for a name that is no parameter.
    fn unexpected(&self, name: &str, params: &Params) -> Option<Unexpected> {
        let global = self.find_global(name).map(|id| self.global(id));
        match global.map(|global| &global.role) {
            Some(Role::Given(_) | Role::Inferred) => None,
            Some(_) => {
                let message = format!("'{name}' is not a parameter of the model");
                Some(Unexpected::Taken(message))
            }
            // The file may define names for its own use.
            None if params.uses(name) => None,
            None => {
                let hint = did_you_mean(name, self.parameters());
                let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
                let message = format!("the model has no parameter '{name}'{hint}");
                Some(Unexpected::Unused(message))
            }
        }
    }
}

/// A value for a name that is no parameter.
enum Unexpected {
    /// The model does not have the name. In a parameter file, that serves several models, it is no
    /// error.
    Unused(String),
    /// The model has the name for something else.
    Taken(String),
}

impl Params {
    /// Whether a value mentions the name.
    fn uses(&self, name: &str) -> bool {
        fn mentions(node: &Node, name: &str) -> bool {
            match &node.kind {
                Kind::Row { .. } | Kind::Empty(_) => false,
                Kind::Name(found) => found == name,
                Kind::Unary(_, of) => mentions(of, name),
                Kind::Binary(_, sides) => sides.iter().any(|side| mentions(side, name)),
                Kind::Chain(_, parts) | Kind::Call(_, parts) => {
                    parts.iter().any(|part| mentions(part, name))
                }
                Kind::Matrix { items, .. } => items.iter().any(|item| mentions(item, name)),
                Kind::Index(of, indices) => {
                    mentions(of, name) || indices.iter().flatten().any(|node| mentions(node, name))
                }
                Kind::Number(_) | Kind::Truth(_) | Kind::BoolDomain | Kind::IntDomain(None) => {
                    false
                }
                // Rare in parameter files, and a missing error does no harm.
                _ => true,
            }
        }
        self.statements
            .iter()
            .any(|placed| match &placed.statement {
                Statement::Letting(_, _, node) => mentions(node, name),
                _ => false,
            })
    }
}

impl<'m> Instance<'m> {
    /// The model of the instance.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// What is probably a mistake in the parameters: values that the model does not use.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The value of a parameter or letting; `None` if there is none of this name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        let id = self.model.find_global(name)?;
        match self.evaluator.globals[id.0 as usize].as_ref()? {
            GlobalValue::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The decision variables with their shapes.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = (GlobalId, &Shape)> {
        let globals = self.evaluator.globals.iter().enumerate();
        globals.filter_map(|(place, known)| match known {
            Some(GlobalValue::Find(shape)) => Some((GlobalId(place as u32), shape)),
            _ => None,
        })
    }

    /// Whether the values are a solution, evaluated by the original model. This shares no code with
    /// [`Instance::unroll`], whose result it can check.
    pub fn judge(&self, solution: &Solution) -> Result<Ruling, BadText> {
        self.judged(solution, &Poll::default())
    }

    /// [`Instance::judge`] within a budget; the outer error is the limit that ended it.
    pub fn judge_within(
        &self,
        solution: &Solution,
        budget: &Budget,
    ) -> Result<Result<Ruling, BadText>, Limit> {
        budget.stoppable("judging", |poll| self.judged(solution, poll))
    }

    fn judged(&self, solution: &Solution, poll: &Poll) -> Result<Ruling, BadText> {
        let mut evaluator = self.evaluator.clone();
        evaluator.poll = poll.clone();
        for (id, shape) in self.shapes() {
            let name = &self.model.global(id).name;
            match solution.get(name).filter(|value| shape.contains(value)) {
                None => return Ok(Ruling::Outside(name.clone())),
                Some(value) => evaluator.solution.insert(id.0, value.clone()),
            };
        }
        for constraint in &self.model.constraints {
            if !evaluator.truth(constraint)? {
                return Ok(Ruling::Breaks(
                    constraint.span.error("this constraint does not hold"),
                ));
            }
        }
        let Some((_, objective)) = &self.model.objective else {
            return Ok(Ruling::Solves(None));
        };
        let value = evaluator.value(objective)?;
        match value.and_then(|value| value.number()) {
            Some(number) => Ok(Ruling::Solves(Some(number))),
            None => Ok(Ruling::Breaks(
                objective.span.error("the objective is undefined"),
            )),
        }
    }
}

impl Shape {
    /// Whether the value has these indices, and items of this domain.
    fn contains(&self, value: &Value) -> bool {
        let items = match value {
            Value::Matrix(matrix) => {
                let found = matrix.axes.iter().map(|axis| &axis.domain);
                if !found.eq(self.axes.iter().map(|axis| &axis.domain)) {
                    return false;
                }
                matrix.items.as_slice()
            }
            _ if !self.axes.is_empty() => return false,
            scalar => &[scalar.number().expect("a scalar")],
        };
        let is_inside = |&item: &i64| i32::try_from(item).is_ok_and(|v| self.domain.contains(v));
        items.iter().all(is_inside)
    }
}

impl Solution {
    /// The value of a decision variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Reads a solution in the form in which it prints.
    pub fn parse(text: &str) -> Result<Solution, BadText> {
        let params = Params::parse(text)?;
        let mut values = params.values(&Poll::default())?;
        let values = params
            .names()
            .filter_map(|name| Some((name.to_string(), values.remove(name)?)))
            .collect();
        Ok(Solution { values })
    }
}

/// The name that a statement gives a value.
fn identifier(placed: &Placed) -> Option<&Identifier> {
    match &placed.statement {
        Statement::Letting(identifier, ..) => Some(identifier),
        _ => None,
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (name, value) in &self.values {
            writeln!(f, "letting {name} be {value}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let source = match self.source {
            Source::Model => "model",
            Source::Params => "parameters",
            Source::Setting => "setting",
        };
        write!(f, "{source}, {}", self.bad)
    }
}

impl std::error::Error for Fault {}
