//! From the syntax tree to the model: names are resolved, types checked, and decision variables
//! refused where they may not occur.
//!
//! Statements may come in any order, so a declaration is checked when its type is first needed; one
//! that needs itself is an error.

mod call;
mod domain;
mod expression;

use std::collections::HashMap;

use ployglot_base::text::did_you_mean;
use ployglot_base::{BadText, Budget, Limit, Poll};

use crate::lex::Span;
use crate::model::{
    Bounds, Expr, Global, GlobalId, MAX_DIMENSIONS, Model, Role, Scalar, Set, SetKind, Type,
};
use crate::parse::parse;
use crate::tree::{Identifier, Kind, Node, Placed, Range, Statement};

impl Model {
    /// Reads a model and checks its types.
    pub fn parse(text: &str) -> Result<Model, BadText> {
        Self::check(&parse(text, &Poll::default())?, &Poll::default())
    }

    /// [`Model::parse`] within a budget; the outer error is the limit that ended the reading.
    pub fn parse_within(text: &str, budget: &Budget) -> Result<Result<Model, BadText>, Limit> {
        budget.stoppable("reading", |poll| Self::check(&parse(text, poll)?, poll))
    }

    /// Checks the statements of a model or parameter file.
    pub(crate) fn check(statements: &[Placed], poll: &Poll) -> Result<Model, BadText> {
        Checker::new(statements, poll)?.model(statements)
    }
}

/// The declaration of a name, before it is checked.
enum Declared<'a> {
    Given(&'a Node),
    Inferred,
    Letting(Option<&'a Node>, &'a Node),
    Domain(&'a Node),
    Find(&'a Node),
}

/// How far a declaration is checked.
enum Status {
    Unchecked,
    InProgress,
    Done(Box<Global>),
}

/// A declared name.
struct Entry<'a> {
    name: &'a str,
    span: Span,
    declared: Declared<'a>,
    status: Status,
}

/// The declared names and the scope.
struct Checker<'a> {
    entries: Vec<Entry<'a>>,
    /// The place of each name in `entries`.
    places: HashMap<&'a str, usize>,
    /// Quantified variables, innermost last.
    locals: Vec<(&'a str, Type)>,
    poll: Poll,
}

impl<'a> Checker<'a> {
    fn new(statements: &'a [Placed], poll: &Poll) -> Result<Self, BadText> {
        let mut checker = Checker {
            entries: Vec::new(),
            places: HashMap::new(),
            locals: Vec::new(),
            poll: poll.clone(),
        };
        for placed in statements {
            match &placed.statement {
                Statement::Given(names, domain) => {
                    for identifier in names {
                        checker.declare(identifier, Declared::Given(domain))?;
                    }
                }
                Statement::Find(names, domain) => {
                    for identifier in names {
                        checker.declare(identifier, Declared::Find(domain))?;
                    }
                }
                Statement::Letting(identifier, domain, value) => {
                    checker.declare(identifier, Declared::Letting(domain.as_ref(), value))?;
                }
                Statement::LettingDomain(identifier, domain) => {
                    checker.declare(identifier, Declared::Domain(domain))?;
                }
                _ => {}
            }
        }
        checker.find_domains();
        // Bounds of given matrices that have no declaration are parameters too.
        for placed in statements {
            if let Statement::Given(_, domain) = &placed.statement
                && let Kind::MatrixDomain { index, .. } = &domain.kind
            {
                for (name, span) in index.iter().flat_map(bound_names) {
                    if !checker.places.contains_key(name) {
                        checker.add(name, span, Declared::Inferred);
                    }
                }
            }
        }
        Ok(checker)
    }

    /// `letting D be int(1..3)` declares a domain too, and so does a name for one that is a domain.
    fn find_domains(&mut self) {
        loop {
            let mut found = false;
            for place in 0..self.entries.len() {
                if let Declared::Letting(None, node) = self.entries[place].declared
                    && self.is_domain(node)
                {
                    self.entries[place].declared = Declared::Domain(node);
                    found = true;
                }
            }
            if !found {
                return;
            }
        }
    }

    /// Adds a name that must be new.
    fn declare(
        &mut self,
        identifier: &'a Identifier,
        declared: Declared<'a>,
    ) -> Result<(), BadText> {
        if let Some(&place) = self.places.get(identifier.name.as_str()) {
            let first = self.entries[place].span.line;
            let message = format!(
                "'{}' is declared twice; the first declaration is in line {first}",
                identifier.name
            );
            return Err(identifier.span.error(message));
        }
        self.add(&identifier.name, identifier.span, declared);
        Ok(())
    }

    fn add(&mut self, name: &'a str, span: Span, declared: Declared<'a>) {
        self.places.insert(name, self.entries.len());
        self.entries.push(Entry {
            name,
            span,
            declared,
            status: Status::Unchecked,
        });
    }

    /// The checked model.
    fn model(mut self, statements: &'a [Placed]) -> Result<Model, BadText> {
        for place in 0..self.entries.len() {
            self.check_entry(place, self.entries[place].span)?;
        }
        let (mut conditions, mut constraints, mut branching) = (Vec::new(), Vec::new(), Vec::new());
        let (mut objective, mut heuristic) = (None, None);
        for placed in statements {
            match &placed.statement {
                Statement::Where(nodes) => {
                    for node in nodes {
                        let condition = self.expect(node, Type::BOOL, "'where'")?;
                        self.require_constant(&condition, "'where'")?;
                        conditions.push(condition);
                    }
                }
                Statement::SuchThat(nodes) => {
                    for node in nodes {
                        constraints.push(self.expect(node, Type::BOOL, "'such that'")?);
                    }
                }
                Statement::Objective { minimise, of } => {
                    if objective.is_some() {
                        return Err(placed
                            .span
                            .error("a model has one objective, found a second"));
                    }
                    objective = Some((*minimise, self.expect(of, Type::INT, "an objective")?));
                }
                Statement::Branching(nodes) => {
                    for node in nodes {
                        branching.push(self.expression(node)?);
                    }
                }
                Statement::Heuristic(identifier) => heuristic = Some(identifier.name.clone()),
                _ => {}
            }
        }
        let finished = |entry: Entry| match entry.status {
            Status::Done(global) => *global,
            _ => unreachable!("every entry was checked"),
        };
        Ok(Model {
            globals: self.entries.into_iter().map(finished).collect(),
            conditions,
            constraints,
            objective,
            branching,
            heuristic,
        })
    }

    /// Checks a declaration, if that was not done yet. `used_at` is where it is needed.
    fn check_entry(&mut self, place: usize, used_at: Span) -> Result<(), BadText> {
        let entry = &mut self.entries[place];
        match entry.status {
            Status::Done(_) => return Ok(()),
            Status::InProgress => {
                let message = format!("the declaration of '{}' depends on itself", entry.name);
                return Err(used_at.error(message));
            }
            Status::Unchecked => entry.status = Status::InProgress,
        }
        // Quantified variables around the use are not in scope in the declaration.
        let outer = std::mem::take(&mut self.locals);
        let role = match self.entries[place].declared {
            Declared::Given(node) => Role::Given(self.domain(node)?),
            Declared::Inferred => Role::Inferred,
            Declared::Domain(node) => Role::Domain(self.domain(node)?),
            Declared::Find(node) => Role::Find(self.domain(node)?),
            Declared::Letting(domain, node) => {
                let domain = domain.map(|domain| self.domain(domain)).transpose()?;
                let value = match &domain {
                    Some(domain) => self.expect(node, domain.ty, "this letting")?,
                    None => self.expression(node)?,
                };
                self.require_constant(&value, "a letting")?;
                Role::Letting(domain, value)
            }
        };
        self.locals = outer;
        let ty = match &role {
            Role::Given(set) | Role::Domain(set) | Role::Find(set) => set.ty,
            Role::Letting(Some(set), _) => set.ty,
            Role::Letting(None, value) => value.ty,
            Role::Inferred => Type::INT,
        };
        let entry = &mut self.entries[place];
        entry.status = Status::Done(Box::new(Global {
            name: entry.name.to_string(),
            span: entry.span,
            ty,
            role,
        }));
        Ok(())
    }

    /// A declared name, checked.
    fn global(&mut self, name: &str, span: Span) -> Result<(GlobalId, &Global), BadText> {
        let Some(&place) = self.places.get(name) else {
            return Err(span.error(self.unknown(name)));
        };
        self.check_entry(place, span)?;
        match &self.entries[place].status {
            Status::Done(global) => Ok((GlobalId(place as u32), global)),
            _ => unreachable!("just checked"),
        }
    }

    /// The message for a name without declaration.
    fn unknown(&self, name: &str) -> String {
        let locals = self.locals.iter().map(|&(name, _)| name);
        let known = locals.chain(self.entries.iter().map(|entry| entry.name));
        let hint = did_you_mean(name, known).unwrap_or_else(|| "it has no declaration".to_string());
        format!("unknown name '{name}'; {hint}")
    }

    /// An error if the expression depends on a decision variable.
    fn require_constant(&self, expr: &Expr, what: &str) -> Result<(), BadText> {
        let Some(GlobalId(place)) = expr.depends_on else {
            return Ok(());
        };
        let name = self.entries[place as usize].name;
        let message = format!("{what} cannot depend on the decision variable '{name}'");
        Err(expr.span.error(message))
    }
}

/// The names that are a bound of an index: `h` in `int(1..h)`.
fn bound_names(index: &Node) -> Vec<(&str, Span)> {
    let Kind::IntDomain(Some(ranges)) = &index.kind else {
        return Vec::new();
    };
    let bounds = ranges.iter().flat_map(|range| match range {
        Range::Single(_) => [None, None],
        Range::Between(from, to) => [from.as_ref(), to.as_ref()],
    });
    bounds
        .flatten()
        .filter_map(|node| match &node.kind {
            Kind::Name(name) => Some((name.as_str(), node.span)),
            _ => None,
        })
        .collect()
}

/// Whether a value of type `found` may be used where `wanted` is expected: a bool may be used as an
/// int, but not the reverse.
pub(crate) fn fits(found: Type, wanted: Type) -> bool {
    found.dims == wanted.dims
        && match (found.of, wanted.of) {
            (Scalar::Any, _) | (_, Scalar::Any) => true,
            (Scalar::Int, Scalar::Bool) => false,
            _ => true,
        }
}

/// The type that both types fit, if there is one.
fn join(a: Type, b: Type) -> Option<Type> {
    let of = match (a.of, b.of) {
        (Scalar::Any, other) | (other, Scalar::Any) => other,
        (Scalar::Bool, Scalar::Bool) => Scalar::Bool,
        _ => Scalar::Int,
    };
    (a.dims == b.dims).then_some(Type { dims: a.dims, of })
}

/// An error if the domain is open.
fn require_finite(set: &Set) -> Result<(), BadText> {
    match &set.kind {
        SetKind::Int(None) => Err(set.span.error("expected a finite domain, found 'int'")),
        SetKind::Int(Some(ranges)) => {
            let open = |range: &Bounds| match range {
                Bounds::Single(_) | Bounds::Items(_) => false,
                Bounds::Between(from, to) => from.is_none() || to.is_none(),
            };
            match ranges.iter().any(open) {
                true => Err(set
                    .span
                    .error("expected a finite domain, found an open range")),
                false => Ok(()),
            }
        }
        SetKind::Matrix(index, of) => index.iter().chain([&**of]).try_for_each(require_finite),
        SetKind::Union(sides) => sides.iter().try_for_each(require_finite),
        // `int(1..) intersect int(..5)` is finite; this is checked when the bounds have values.
        _ => Ok(()),
    }
}

fn too_many_dimensions(span: Span) -> BadText {
    span.error(format!("a matrix has at most {MAX_DIMENSIONS} dimensions"))
}
