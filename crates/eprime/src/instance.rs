//! A model with its parameters: checked, and ready to be unrolled; and the judge of its solutions.

use std::collections::HashMap;
use std::fmt;

use ployglot_base::BadText;

use crate::evaluate::{Evaluator, GlobalValue, Shape};
use crate::lex::Span;
use crate::model::{GlobalId, Model, Role};
use crate::parse::{parse, parse_value};
use crate::tree::{Kind, Identifier, Node, Placed, Statement};
use crate::value::Value;

/// Which text an error is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Model,
    Params,
    /// The text of an override ([`Params::set`]).
    Setting,
}

/// What is wrong with a model, its parameters, or both together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub source: Source,
    pub bad: BadText,
}

/// Values for parameters, as text gave them.
#[derive(Clone, Debug, Default)]
pub struct Params {
    statements: Vec<Placed>,
    /// Names whose values came from elsewhere than the file.
    settings: Vec<String>,
}

/// A model whose parameters have values.
#[derive(Clone, Debug)]
pub struct Instance<'m> {
    pub(crate) model: &'m Model,
    pub(crate) evaluator: Evaluator<'m>,
}

/// Values for all decision variables, in the order of their declarations. Prints as `letting x be …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    pub values: Vec<(String, Value)>,
}

/// What the judge says of a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It solves the instance; with the value of the objective, if there is one.
    Solves(Option<i64>),
    /// A decision variable has no value, or one outside its domain.
    Outside(String),
    /// The constraint at this place does not hold.
    Breaks(BadText),
}

impl Params {
    /// Reads a parameter file.
    pub fn parse(text: &str) -> Result<Params, BadText> {
        let statements = parse(text)?;
        for placed in &statements {
            if !matches!(placed.statement, Statement::Letting(..)) {
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

    /// Gives a parameter a value, whatever it had before.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadText> {
        let node = parse_value(value)?;
        self.put(name, node);
        Ok(())
    }

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
        let node = match value {
            0.. => number(value),
            _ => Node {
                depth: 1,
                kind: Kind::Unary(crate::tree::Unary::Negate, Box::new(number(-value))),
                ..number(0)
            },
        };
        self.put(name, node);
    }

    fn put(&mut self, name: &str, node: Node) {
        let span = node.span;
        let named = Identifier {
            name: name.to_string(),
            span,
        };
        self.statements
            .retain(|placed| !matches!(&placed.statement, Statement::Letting(named, ..) if named.name == name));
        if !self.settings.contains(&named.name) {
            self.settings.push(named.name.clone());
        }
        self.statements.push(Placed {
            span,
            statement: Statement::Letting(named, None, node),
        });
    }

    /// The names that have values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let name = |placed: &'_ Placed| matches!(placed.statement, Statement::Letting(..));
        self.statements
            .iter()
            .filter(move |placed| name(placed))
            .map(|placed| match &placed.statement {
                Statement::Letting(named, ..) => named.name.as_str(),
                _ => unreachable!("only lettings are kept"),
            })
    }

    /// Each name with its value. Values may use names that stand elsewhere among them.
    fn values(&self) -> Result<HashMap<String, Value>, BadText> {
        let model = Model::check(&self.statements)?;
        let mut evaluator = Evaluator::new(&model, HashMap::new());
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
        let given = params.values().map_err(|bad| Fault {
            source: Source::Params,
            bad,
        })?;
        let in_model = |bad| Fault {
            source: Source::Model,
            bad,
        };
        // A value that nobody asked for is a slip of the user's.
        for placed in &params.statements {
            if let Statement::Letting(named, ..) = &placed.statement {
                let global = self.find_global(&named.name).map(|id| self.global(id));
                let why = match global.map(|global| &global.role) {
                    Some(Role::Given(_) | Role::Inferred) => continue,
                    Some(_) => format!("'{}' is no parameter of the model", named.name),
                    // Names of the parameter file's own are fine if something uses them.
                    None if params.uses(&named.name) => continue,
                    None => {
                        let known = self.parameters();
                        let near = ployglot_base::text::nearest(&named.name, known);
                        let hint =
                            near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
                        format!("the model has no parameter '{}'{hint}", named.name)
                    }
                };
                let source = match params.settings.contains(&named.name) {
                    true => Source::Setting,
                    false => Source::Params,
                };
                let bad = named.span.error(why);
                return Err(Fault { source, bad });
            }
        }
        let mut evaluator = Evaluator::new(self, given);
        for place in 0..self.globals.len() {
            evaluator.global_value(GlobalId(place as u32)).map_err(in_model)?;
        }
        for condition in &self.conditions {
            if !evaluator.truth(condition).map_err(in_model)? {
                let bad = condition
                    .span
                    .error("the parameters do not fit this condition");
                return Err(in_model(bad));
            }
        }
        Ok(Instance {
            model: self,
            evaluator,
        })
    }
}

impl Params {
    fn uses(&self, name: &str) -> bool {
        fn mentions(node: &Node, name: &str) -> bool {
            match &node.kind {
                Kind::Name(found) => found == name,
                Kind::Unary(_, of) => mentions(of, name),
                Kind::Binary(_, sides) => sides.iter().any(|side| mentions(side, name)),
                Kind::Chain(_, parts) | Kind::Call(_, parts) => {
                    parts.iter().any(|part| mentions(part, name))
                }
                Kind::Matrix { items, .. } => items.iter().any(|item| mentions(item, name)),
                Kind::Index(of, places) => {
                    mentions(of, name) || places.iter().flatten().any(|node| mentions(node, name))
                }
                Kind::Number(_) | Kind::Truth(_) | Kind::BoolDomain | Kind::IntDomain(None) => {
                    false
                }
                // Rare in parameter files; nobody is scolded for what is hard to see.
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
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The value of a parameter or letting.
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

    /// Whether the solution solves the instance, by the original model.
    pub fn judge(&self, solution: &Solution) -> Result<Ruling, BadText> {
        let mut evaluator = self.evaluator.clone();
        for (id, shape) in self.shapes() {
            let name = &self.model.global(id).name;
            let value = solution.values.iter().find(|(found, _)| found == name);
            let fitting = value.filter(|(_, value)| {
                let items = match value {
                    Value::Matrix(matrix) => {
                        if matrix.axes.len() != shape.axes.len()
                            || !matrix
                                .axes
                                .iter()
                                .zip(&shape.axes)
                                .all(|(found, wanted)| found.domain == wanted.domain)
                        {
                            return false;
                        }
                        matrix.items.as_slice()
                    }
                    _ if !shape.axes.is_empty() => return false,
                    scalar => &[scalar.number().expect("a scalar")],
                };
                let inside =
                    |&item: &i64| i32::try_from(item).is_ok_and(|v| shape.domain.contains(v));
                items.iter().all(inside)
            });
            match fitting {
                None => return Ok(Ruling::Outside(name.clone())),
                Some((_, value)) => evaluator.solution.insert(id.0, value.clone()),
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

impl Solution {
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Result<Solution, BadText> {
        let params = Params::parse(text)?;
        let mut values = params.values()?;
        let values = params
            .names()
            .filter_map(|name| Some((name.to_string(), values.remove(name)?)))
            .collect();
        Ok(Solution { values })
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
