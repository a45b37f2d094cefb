//! Resolves names and checks types. Every expression gets its type, every name becomes a declaration,
//! a bound variable or a member of an enumerated type.
//!
//! Bound variables are numbered by their place on the stack of bound variables. The evaluator and the
//! refinement bind in the same order: a pattern from left to right, before what follows it.

mod call;
mod domain;
mod expression;

use ployglot_base::BadText;
use ployglot_base::text::unknown;
use ployglot_eprime::Span;

use crate::model::{Global, GlobalKind, Model, Objective};
use crate::tree::{Identifier, Node, Statement};
use crate::types::Type;

pub(crate) type Checked<T> = Result<T, BadText>;

/// What a name of the specification means to the checker.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// A value of this type; `true` if it depends on a decision variable.
    Value(Type, bool),
    Domain(Type),
    /// An enumerated or unnamed type.
    Named,
}

/// Resolves names in one text.
pub(crate) struct Checker {
    /// The name and meaning of each declaration so far.
    pub globals: Vec<(String, Meaning)>,
    /// The members of enumerated types: name, declaration, place from 1.
    pub members: Vec<(String, usize, i64)>,
    locals: Vec<(String, Type)>,
    /// An expression mentioned a decision variable.
    depends: bool,
}

/// Checks the statements of a specification.
pub(crate) fn check(statements: Vec<Statement>) -> Checked<Model> {
    let mut checker = Checker::new();
    let mut model = Model::default();
    for statement in statements {
        checker.statement(statement, &mut model)?;
    }
    model.members = checker.members;
    model.meanings = checker.globals;
    Ok(model)
}

impl Checker {
    fn new() -> Self {
        Checker {
            globals: Vec::new(),
            members: Vec::new(),
            locals: Vec::new(),
            depends: false,
        }
    }

    /// A checker for the values of parameters, which may use the names of the specification.
    pub fn of_model(model: &Model) -> Self {
        Checker {
            globals: model.meanings.clone(),
            members: model.members.clone(),
            ..Checker::new()
        }
    }

    fn declare(&mut self, name: &Identifier, meaning: Meaning) -> Checked<()> {
        if self.known(&name.name) {
            let message = format!("'{}' is declared twice", name.name);
            return Err(name.span.error(message));
        }
        self.globals.push((name.name.clone(), meaning));
        Ok(())
    }

    fn known(&self, name: &str) -> bool {
        self.globals.iter().any(|(known, _)| known == name)
            || self.members.iter().any(|(known, ..)| known == name)
    }

    /// Checks an expression that must have this type.
    pub fn expect(&mut self, node: &mut Node, ty: &Type, what: &str) -> Checked<()> {
        self.expression(node)?;
        match node.ty.unify(ty) {
            Some(_) => Ok(()),
            None => Err(node
                .span
                .error(format!("{what} is {ty}, this is {}", node.ty))),
        }
    }

    fn statement(&mut self, statement: Statement, model: &mut Model) -> Checked<()> {
        let (name, kind) = match statement {
            Statement::Given(name, mut domain) => {
                let ty = self.domain(&mut domain)?;
                self.declare(&name, Meaning::Value(ty, false))?;
                (name, GlobalKind::Given(domain))
            }
            Statement::GivenEnum(name) => {
                self.declare(&name, Meaning::Named)?;
                (name, GlobalKind::Enum(None))
            }
            Statement::Find(name, mut domain) => {
                self.depends = false;
                let ty = self.domain(&mut domain)?;
                if std::mem::take(&mut self.depends) {
                    let message = "a domain cannot depend on a decision variable";
                    return Err(domain.span.error(message));
                }
                self.declare(&name, Meaning::Value(ty, true))?;
                (name, GlobalKind::Find(domain))
            }
            Statement::Letting(name, domain, mut value) => {
                self.depends = false;
                self.expression(&mut value)?;
                let mut ty = value.ty.clone();
                let domain = match domain {
                    None => None,
                    Some(mut domain) => {
                        let declared = self.domain(&mut domain)?;
                        ty = declared.unify(&ty).ok_or_else(|| {
                            let message = format!("'{}' is {declared}, this is {ty}", name.name);
                            value.span.error(message)
                        })?;
                        Some(domain)
                    }
                };
                let depends = std::mem::take(&mut self.depends);
                self.declare(&name, Meaning::Value(ty, depends))?;
                (name, GlobalKind::Letting(domain, value, depends))
            }
            Statement::LettingDomain(name, mut domain) => {
                let ty = self.domain(&mut domain)?;
                self.declare(&name, Meaning::Domain(ty))?;
                (name, GlobalKind::Domain(domain))
            }
            Statement::LettingEnum(name, members) => {
                let place = self.globals.len();
                self.declare(&name, Meaning::Named)?;
                for (index, member) in members.iter().enumerate() {
                    if self.known(&member.name) {
                        let message = format!("'{}' is declared twice", member.name);
                        return Err(member.span.error(message));
                    }
                    self.members
                        .push((member.name.clone(), place, index as i64 + 1));
                }
                let names = members.into_iter().map(|member| member.name).collect();
                (name, GlobalKind::Enum(Some(names)))
            }
            Statement::LettingUnnamed(name, mut size) => {
                self.expect(&mut size, &Type::Int, "the size of a type")?;
                self.declare(&name, Meaning::Named)?;
                (name, GlobalKind::Unnamed(size))
            }
            Statement::Where(mut condition) => {
                self.depends = false;
                self.expect(&mut condition, &Type::Bool, "a condition")?;
                if std::mem::take(&mut self.depends) {
                    let message = "a 'where' condition cannot depend on a decision variable";
                    return Err(condition.span.error(message));
                }
                model.conditions.push(condition);
                return Ok(());
            }
            Statement::SuchThat(mut constraint) => {
                self.expect(&mut constraint, &Type::Bool, "a constraint")?;
                model.constraints.push(constraint);
                return Ok(());
            }
            Statement::Objective {
                minimise,
                mut of,
                span,
            } => {
                self.expression(&mut of)?;
                if !matches!(of.ty, Type::Int | Type::Any | Type::Member(..) | Type::Bool) {
                    let message = format!("an objective is int, this is {}", of.ty);
                    return Err(of.span.error(message));
                }
                if model.objective.is_some() {
                    return Err(span.error("there is an objective already"));
                }
                model.objective = Some(Objective { minimise, of });
                return Ok(());
            }
            Statement::Branching(mut items) => {
                for item in &mut items {
                    self.expression(item)?;
                }
                model.branching = items;
                return Ok(());
            }
            Statement::Heuristic(name) => {
                model.heuristic = Some(name.name);
                return Ok(());
            }
        };
        model.globals.push(Global {
            name: name.name,
            span: name.span,
            kind,
        });
        Ok(())
    }

    /// The error for a name that means nothing.
    fn unknown(&self, name: &str, span: Span) -> BadText {
        let locals = self.locals.iter().map(|(name, _)| name.as_str());
        let globals = self.globals.iter().map(|(name, _)| name.as_str());
        let members = self.members.iter().map(|(name, ..)| name.as_str());
        let all: Vec<&str> = locals.chain(globals).chain(members).collect();
        span.error(unknown("name", name, all))
    }
}
