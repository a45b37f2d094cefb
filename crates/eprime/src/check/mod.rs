//! From what the text says to what it means: every name resolved, every type fitting, decision variables only where they
//! may be.
//!
//! Statements may stand in any order, so a letting is checked when somebody first asks for its type; one that asks for
//! itself on the way is refused.

mod call;
mod domain;
mod expression;

use std::collections::HashMap;

use ployglot_base::BadText;
use ployglot_base::text::nearest;

use crate::lex::Span;
use crate::model::{
    Bounds, Expr, Global, GlobalId, MAX_DIMENSIONS, Model, Role, Scalar, Set, SetKind, Type,
};
use crate::parse::parse;
use crate::tree::{Kind, Identifier, Node, Placed, Range, Statement};

impl Model {
    /// Reads a model and checks its types.
    pub fn parse(text: &str) -> Result<Model, BadText> {
        Self::check(&parse(text)?)
    }

    pub(crate) fn check(statements: &[Placed]) -> Result<Model, BadText> {
        Checker::new(statements)?.model(statements)
    }
}

/// What was declared under a name, before it is checked.
enum Declared<'a> {
    Given(&'a Node),
    Inferred,
    Letting(Option<&'a Node>, &'a Node),
    Domain(&'a Node),
    Find(&'a Node),
}

enum Progress {
    Unchecked,
    InProgress,
    Done(Box<Global>),
}

struct Entry<'a> {
    name: &'a str,
    span: Span,
    declared: Declared<'a>,
    progress: Progress,
}

struct Checker<'a> {
    entries: Vec<Entry<'a>>,
    places: HashMap<&'a str, usize>,
    /// Quantified variables, innermost last.
    locals: Vec<(&'a str, Type)>,
}

impl<'a> Checker<'a> {
    fn new(statements: &'a [Placed]) -> Result<Self, BadText> {
        let mut checker = Checker {
            entries: Vec::new(),
            places: HashMap::new(),
            locals: Vec::new(),
        };
        for placed in statements {
            match &placed.statement {
                Statement::Given(names, domain) => {
                    for named in names {
                        checker.declare(named, Declared::Given(domain))?;
                    }
                }
                Statement::Find(names, domain) => {
                    for named in names {
                        checker.declare(named, Declared::Find(domain))?;
                    }
                }
                Statement::Letting(named, domain, value) => {
                    checker.declare(named, Declared::Letting(domain.as_ref(), value))?;
                }
                Statement::LettingDomain(named, domain) => {
                    checker.declare(named, Declared::Domain(domain))?;
                }
                _ => {}
            }
        }
        // Bounds of given matrices that nobody declares are parameters too.
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

    fn declare(&mut self, named: &'a Identifier, declared: Declared<'a>) -> Result<(), BadText> {
        if let Some(&place) = self.places.get(named.name.as_str()) {
            let first = self.entries[place].span.line;
            let message = format!(
                "'{}' is declared twice; the first time in line {first}",
                named.name
            );
            return Err(named.span.error(message));
        }
        self.add(&named.name, named.span, declared);
        Ok(())
    }

    fn add(&mut self, name: &'a str, span: Span, declared: Declared<'a>) {
        self.places.insert(name, self.entries.len());
        self.entries.push(Entry {
            name,
            span,
            declared,
            progress: Progress::Unchecked,
        });
    }

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
                        return Err(placed.span.error("a model has one objective, found a second"));
                    }
                    objective = Some((*minimise, self.expect(of, Type::INT, "an objective")?));
                }
                Statement::Branching(nodes) => {
                    for node in nodes {
                        branching.push(self.expression(node)?);
                    }
                }
                Statement::Heuristic(named) => heuristic = Some(named.name.clone()),
                _ => {}
            }
        }
        let finished = |entry: Entry| match entry.progress {
            Progress::Done(global) => *global,
            _ => unreachable!("every entry was demanded"),
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

    /// Checks a declaration, if that was not done yet.
    fn check_entry(&mut self, place: usize, asked_at: Span) -> Result<(), BadText> {
        let entry = &mut self.entries[place];
        match entry.progress {
            Progress::Done(_) => return Ok(()),
            Progress::InProgress => {
                let message = format!("'{}' is declared by way of itself", entry.name);
                return Err(asked_at.error(message));
            }
            Progress::Unchecked => entry.progress = Progress::InProgress,
        }
        // A declaration sees no quantified variables of whoever asked for it.
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
        entry.progress = Progress::Done(Box::new(Global {
            name: entry.name.to_string(),
            span: entry.span,
            ty,
            role,
        }));
        Ok(())
    }

    fn global(&mut self, name: &str, span: Span) -> Result<(GlobalId, &Global), BadText> {
        let Some(&place) = self.places.get(name) else {
            return Err(span.error(self.unknown(name)));
        };
        self.check_entry(place, span)?;
        match &self.entries[place].progress {
            Progress::Done(global) => Ok((GlobalId(place as u32), global)),
            _ => unreachable!("just demanded"),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let locals = self.locals.iter().map(|&(name, _)| name);
        let known = locals.chain(self.entries.iter().map(|entry| entry.name));
        match nearest(name, known) {
            Some(near) => format!("unknown name '{name}'; did you mean '{near}'?"),
            None => format!("unknown name '{name}'; it is declared nowhere"),
        }
    }

    fn require_constant(&self, expr: &Expr, what: &str) -> Result<(), BadText> {
        let Some(GlobalId(place)) = expr.depends_on else {
            return Ok(());
        };
        let name = self.entries[place as usize].name;
        let message = format!("{what} cannot depend on the decision variable '{name}'");
        Err(expr.span.error(message))
    }
}

/// The names that stand alone as a bound of an index: `h` in `int(1..h)`.
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

/// Whether a value of one type may stand where another is expected: a bool is 0 or 1, never the other way.
pub(crate) fn fits(found: Type, wanted: Type) -> bool {
    found.dims == wanted.dims
        && match (found.of, wanted.of) {
            (Scalar::Any, _) | (_, Scalar::Any) => true,
            (Scalar::Int, Scalar::Bool) => false,
            _ => true,
        }
}

/// The type of things of which some have this type, some that.
fn join(a: Type, b: Type) -> Option<Type> {
    let of = match (a.of, b.of) {
        (Scalar::Any, other) | (other, Scalar::Any) => other,
        (Scalar::Bool, Scalar::Bool) => Scalar::Bool,
        _ => Scalar::Int,
    };
    (a.dims == b.dims).then_some(Type { dims: a.dims, of })
}

/// Where a set is wanted whose members can be counted.
fn require_finite(set: &Set) -> Result<(), BadText> {
    match &set.kind {
        SetKind::Int(None) => Err(set.span.error("expected a finite domain, found 'int'")),
        SetKind::Int(Some(ranges)) => {
            let open = |range: &Bounds| match range {
                Bounds::Single(_) => false,
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
        // `int(1..) intersect int(..5)` is finite; whether, the values say.
        _ => Ok(()),
    }
}

fn too_many_dimensions(span: Span) -> BadText {
    span.error(format!("a matrix has at most {MAX_DIMENSIONS} dimensions"))
}
