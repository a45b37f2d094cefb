//! A specification with values for its parameters, its solutions, and the judge of these.

use std::fmt;
use std::sync::Arc;

use ployglot_base::text::did_you_mean;
use ployglot_base::{BadText, Budget, Limit, Poll};
use ployglot_eprime::{Fault, Ruling, Source, Span};

use crate::check::{Checker, Meaning};
use crate::domain::Domain;
use crate::evaluate::{Evaluator, GlobalValue};
use crate::model::{Global, GlobalKind, Model};
use crate::parse;
use crate::tree::{Identifier, Kind, Node, Statement};
use crate::types::Type;
use crate::value::{Named, Value};

/// The values of parameters, as a parameter file gives them.
#[derive(Clone, Debug, Default)]
pub struct Params {
    values: Vec<(Identifier, Node, Source)>,
    types: Vec<(Identifier, Vec<Identifier>)>,
}

/// A specification with values for all its parameters.
#[derive(Clone)]
pub struct Instance<'m> {
    pub(crate) model: &'m Model,
    pub(crate) evaluator: Evaluator<'m>,
}

/// Values of the decision variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Names and values, in the order of the declarations.
    pub values: Vec<(String, Value)>,
}

/// An enumerated type may have this many members.
const MOST_MEMBERS: i64 = 1_000_000;

impl Params {
    /// Reads a parameter file.
    pub fn parse(text: &str) -> Result<Params, BadText> {
        Self::parsed(text, &Poll::default())
    }

    /// [`Params::parse`] within a budget; the outer error is the limit that ended it.
    pub fn parse_within(text: &str, budget: &Budget) -> Result<Result<Params, BadText>, Limit> {
        budget.stoppable("reading", |poll| Self::parsed(text, poll))
    }

    fn parsed(text: &str, poll: &Poll) -> Result<Params, BadText> {
        let mut params = Params::default();
        for statement in parse::parse(text, poll)? {
            let name = match statement {
                Statement::Letting(name, _, value) => {
                    params.values.push((name.clone(), value, Source::Params));
                    name
                }
                Statement::LettingEnum(name, members) => {
                    params.types.push((name.clone(), members));
                    name
                }
                Statement::Given(name, _)
                | Statement::GivenEnum(name)
                | Statement::Find(name, _)
                | Statement::LettingDomain(name, _)
                | Statement::LettingUnnamed(name, _)
                | Statement::Heuristic(name) => {
                    let message = "a parameter file has values and enumerated types only";
                    return Err(name.span.error(message));
                }
                Statement::Where(node) | Statement::SuchThat(node) => {
                    let message = "a parameter file has no conditions";
                    return Err(node.span.error(message));
                }
                Statement::Objective { span, .. } => {
                    return Err(span.error("a parameter file has no objective"));
                }
                Statement::Branching(_) => continue,
            };
            let names = params.values.iter().map(|(name, ..)| &name.name);
            let names = names.chain(params.types.iter().map(|(name, _)| &name.name));
            if names.filter(|known| **known == name.name).count() > 1 {
                let message = format!("'{}' has two values", name.name);
                return Err(name.span.error(message));
            }
        }
        Ok(params)
    }

    /// Sets or changes the value of a parameter.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadText> {
        let value = parse::parse_value(value)?;
        self.values.retain(|(known, ..)| known.name != name);
        let name = name.to_string();
        let span = value.span;
        let name = Identifier { name, span };
        self.values.push((name, value, Source::Setting));
        Ok(())
    }

    /// Sets or changes a number.
    pub fn set_number(&mut self, name: &str, value: i64) {
        self.values.retain(|(known, ..)| known.name != name);
        let (name, span) = (name.to_string(), Span::default());
        let value = Node {
            span,
            ty: Type::Int,
            kind: Kind::Number(value),
        };
        let name = Identifier { name, span };
        self.values.push((name, value, Source::Setting));
    }
}

fn fault(source: Source) -> impl Fn(BadText) -> Fault {
    move |bad| Fault { source, bad }
}

impl Model {
    /// The specification with these values of its parameters.
    pub fn instance(&self, params: &Params) -> Result<Instance<'_>, Fault> {
        self.instantiate(params, &Poll::default())
    }

    /// [`Model::instance`] within a budget; the outer error is the limit that ended it.
    pub fn instance_within(
        &self,
        params: &Params,
        budget: &Budget,
    ) -> Result<Result<Instance<'_>, Fault>, Limit> {
        budget.stoppable("evaluating parameters", |poll| {
            self.instantiate(params, poll)
        })
    }

    pub(crate) fn instantiate(&self, params: &Params, poll: &Poll) -> Result<Instance<'_>, Fault> {
        self.refuse_unknown(params)?;
        let mut checker = Checker::of_model(self);
        let mut evaluator = Evaluator {
            model: self,
            globals: vec![GlobalValue::Undefined; self.globals.len()],
            locals: Vec::new(),
            poll: poll.clone(),
        };
        for (place, global) in self.globals.iter().enumerate() {
            let value = self.global(place, global, params, &mut checker, &mut evaluator)?;
            evaluator.globals[place] = value;
        }
        for condition in &self.conditions {
            if !evaluator.truth(condition).map_err(fault(Source::Model))? {
                let message = "this condition does not hold for the parameters";
                return Err(fault(Source::Model)(condition.span.error(message)));
            }
        }
        evaluator.poll = Poll::default();
        Ok(Instance {
            model: self,
            evaluator,
        })
    }

    /// A value for a name that the specification declares otherwise is an error; one for a name that
    /// it does not have is ignored, unless it comes from the command line.
    fn refuse_unknown(&self, params: &Params) -> Result<(), Fault> {
        for (name, _, source) in &params.values {
            if self.parameters().any(|known| known == name.name) {
                continue;
            }
            let declared = self.globals.iter().any(|global| global.name == name.name);
            if !declared && *source == Source::Params {
                continue;
            }
            let hint = did_you_mean(&name.name, self.parameters());
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            let message = format!("the specification has no parameter '{}'{hint}", name.name);
            return Err(fault(*source)(name.span.error(message)));
        }
        Ok(())
    }

    fn global<'m>(
        &'m self,
        place: usize,
        global: &Global,
        params: &Params,
        checker: &mut Checker,
        evaluator: &mut Evaluator<'m>,
    ) -> Result<GlobalValue, Fault> {
        let in_model = fault(Source::Model);
        let name = &global.name;
        let missing = |what: &str| {
            let message = format!("the parameters have no {what} '{name}'");
            in_model(global.span.error(message))
        };
        Ok(match &global.kind {
            GlobalKind::Given(domain) => {
                let domain = evaluator.domain(domain).map_err(&in_model)?;
                let found = params.values.iter().find(|(known, ..)| known.name == *name);
                let (_, node, source) = found.ok_or_else(|| missing("value for"))?;
                let in_params = fault(*source);
                let mut node = node.clone();
                let Meaning::Value(ty, _) = &self.meanings[place].1 else {
                    return Err(missing("value for"));
                };
                checker.expression(&mut node).map_err(&in_params)?;
                let value = evaluator.value(&node).map_err(&in_params)?;
                let Some(value) = value else {
                    let message = format!("the value of '{name}' is undefined");
                    return Err(in_params(node.span.error(message)));
                };
                let Some(domain) = domain else {
                    let message = format!("the domain of '{name}' is undefined");
                    return Err(in_model(global.span.error(message)));
                };
                let value = reindexed(&domain, value);
                if !domain.contains(&value) {
                    // An empty value whose type is given wrongly does no harm.
                    let message = match node.ty.unify(ty) {
                        Some(_) => format!("this value is not in the domain of '{name}'"),
                        None => format!("'{name}' is {ty}, this is {}", node.ty),
                    };
                    return Err(in_params(node.span.error(message)));
                }
                GlobalValue::Value(value)
            }
            GlobalKind::Find(domain) => {
                GlobalValue::Find(evaluator.domain(domain).map_err(&in_model)?)
            }
            GlobalKind::Letting(_, _, true) => GlobalValue::Open,
            GlobalKind::Letting(domain, node, false) => {
                let value = evaluator.value(node).map_err(&in_model)?;
                let domain = match domain {
                    None => None,
                    Some(domain) => evaluator.domain(domain).map_err(&in_model)?,
                };
                match (value, domain) {
                    (None, _) => GlobalValue::Undefined,
                    (Some(value), None) => GlobalValue::Value(value),
                    (Some(value), Some(domain)) => {
                        let value = reindexed(&domain, value);
                        if !domain.contains(&value) {
                            let message = format!("this value is not in the domain of '{name}'");
                            return Err(in_model(node.span.error(message)));
                        }
                        GlobalValue::Value(value)
                    }
                }
            }
            GlobalKind::Domain(domain) => match evaluator.domain(domain).map_err(&in_model)? {
                Some(domain) => GlobalValue::Domain(domain),
                None => GlobalValue::Undefined,
            },
            GlobalKind::Enum(Some(members)) => {
                GlobalValue::Named(named(place, name, members.clone()))
            }
            GlobalKind::Enum(None) => {
                let found = params.types.iter().find(|(known, _)| known.name == *name);
                let (_, members) = found.ok_or_else(|| missing("enumerated type"))?;
                let in_params = fault(Source::Params);
                for (index, member) in members.iter().enumerate() {
                    if checker
                        .members
                        .iter()
                        .any(|(known, ..)| *known == member.name)
                    {
                        let message = format!("'{}' is declared twice", member.name);
                        return Err(in_params(member.span.error(message)));
                    }
                    let entry = (member.name.clone(), place, index as i64 + 1);
                    checker.members.push(entry);
                }
                let members = members.iter().map(|member| member.name.clone()).collect();
                GlobalValue::Named(named(place, name, members))
            }
            GlobalKind::Unnamed(size) => {
                let count = evaluator.value(size).map_err(&in_model)?;
                let count = count.and_then(|count| count.number());
                let Some(count) = count else {
                    return Ok(GlobalValue::Undefined);
                };
                if !(0..=MOST_MEMBERS).contains(&count) {
                    let message = format!("a type has 0 to {MOST_MEMBERS} members, not {count}");
                    return Err(in_model(size.span.error(message)));
                }
                let members = (1..=count).map(|place| format!("{name}_{place}"));
                GlobalValue::Named(named(place, name, members.collect()))
            }
        })
    }
}

fn named(place: usize, name: &str, members: Vec<String>) -> Arc<Named> {
    let name = name.to_string();
    Arc::new(Named {
        place,
        name,
        members,
    })
}

/// The value with the indices of the domain, where it has as many from 1.
fn reindexed(domain: &Domain, value: Value) -> Value {
    match (domain, value) {
        (Domain::Matrix(index, of), Value::Matrix(old, items)) => {
            let items: Vec<Value> = items.into_iter().map(|item| reindexed(of, item)).collect();
            let from_one = |(at, member): (usize, &Value)| *member == Value::Int(at as i64 + 1);
            let new = match old.iter().enumerate().all(from_one) {
                true => index.values(&Poll::default()),
                false => None,
            };
            match new {
                Some(new) if new.len() == items.len() => Value::Matrix(new, items),
                _ => Value::Matrix(old, items),
            }
        }
        (_, value) => value,
    }
}

impl<'m> Instance<'m> {
    /// The specification.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The value of a parameter or letting; `None` if there is none of this name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        let place = self
            .model
            .globals
            .iter()
            .position(|global| global.name == name)?;
        match &self.evaluator.globals[place] {
            GlobalValue::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the values are a solution, evaluated on abstract values by the original specification.
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
        for (place, global) in self.model.globals.iter().enumerate() {
            let GlobalValue::Find(domain) = &self.evaluator.globals[place] else {
                continue;
            };
            let inside = |value: &&Value| domain.as_ref().is_some_and(|of| of.contains(value));
            match solution.get(&global.name).filter(inside) {
                None => return Ok(Ruling::Outside(global.name.clone())),
                Some(value) => evaluator.globals[place] = GlobalValue::Value(value.clone()),
            }
        }
        evaluator.close()?;
        for constraint in &self.model.constraints {
            if !evaluator.truth(constraint)? {
                let bad = constraint.span.error("this constraint does not hold");
                return Ok(Ruling::Breaks(bad));
            }
        }
        let Some(objective) = &self.model.objective else {
            return Ok(Ruling::Solves(None));
        };
        let value = evaluator.value(&objective.of)?;
        match value.and_then(|value| value.number()) {
            Some(number) => Ok(Ruling::Solves(Some(number))),
            None => {
                let bad = objective.of.span.error("the objective is undefined");
                Ok(Ruling::Breaks(bad))
            }
        }
    }
}

impl Solution {
    /// The value of a decision variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
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
