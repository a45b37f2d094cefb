//! The types of expressions.

use ployglot_eprime::Span;

use super::{Checked, Checker, Meaning};
use crate::tree::{Binary, DomainKind, DomainNode, Generator, Identifier, Kind, Node, Pattern};
use crate::types::Type;

impl Checker {
    /// Resolves the names of an expression and sets its type.
    pub fn expression(&mut self, node: &mut Node) -> Checked<()> {
        node.ty = crate::deep::deep(|| self.type_of(node))?;
        Ok(())
    }

    /// The type that all items have.
    pub(super) fn common(&mut self, items: &mut [Node]) -> Checked<Type> {
        let mut common = Type::Any;
        for item in items {
            self.expression(item)?;
            common = common.unify(&item.ty).ok_or_else(|| {
                let message = format!(
                    "the items before this one are {common}, this is {}",
                    item.ty
                );
                item.span.error(message)
            })?;
        }
        Ok(common)
    }

    fn type_of(&mut self, node: &mut Node) -> Checked<Type> {
        let span = node.span;
        Ok(match &mut node.kind {
            Kind::Number(_) => Type::Int,
            Kind::Truth(_) => Type::Bool,
            Kind::Name(name) => {
                let name = std::mem::take(name);
                let (kind, ty) = self.resolve(&name, span)?;
                node.kind = kind;
                ty
            }
            Kind::Global(_) | Kind::Local(_) | Kind::Member(..) => node.ty.clone(),
            Kind::Not(of) => {
                self.expect(of, &Type::Bool, "the operand of '!'")?;
                Type::Bool
            }
            Kind::Negate(of) => {
                self.expect(of, &Type::Int, "the operand of '-'")?;
                Type::Int
            }
            Kind::Factorial(of) => {
                self.expect(of, &Type::Int, "the operand of '!'")?;
                Type::Int
            }
            Kind::Bars(of) => {
                self.expression(of)?;
                if of.ty != Type::Int && of.ty.member().is_none() {
                    let message =
                        format!("'|x|' takes a number or a collection, this is {}", of.ty);
                    return Err(of.span.error(message));
                }
                Type::Int
            }
            Kind::Binary(operator, sides) => {
                let operator = *operator;
                let [left, right] = &mut **sides;
                self.expression(left)?;
                self.expression(right)?;
                binary(operator, left, right, span)?
            }
            Kind::Call(operator, operands) => {
                let operator = *operator;
                self.call(operator, operands, span)?
            }
            Kind::Apply(of, arguments) => {
                self.expression(of)?;
                for argument in arguments.iter_mut().flatten() {
                    self.expression(argument)?;
                }
                self.application(&of.ty, arguments, span)?
            }
            Kind::Index(of, indices) => {
                self.expression(of)?;
                // A field of a record or variant is not an expression.
                let label = match &indices[..] {
                    [
                        Some(Node {
                            kind: Kind::Name(name),
                            ..
                        }),
                    ] => Some(name.clone()),
                    _ => None,
                };
                if let (Type::Record(fields) | Type::Variant(fields, _), Some(label)) =
                    (&of.ty, label)
                {
                    let ty = field(fields, &label, span)?;
                    let of = std::mem::replace(&mut **of, placeholder());
                    node.kind = Kind::Field(Box::new(of), label);
                    return Ok(ty);
                }
                for index in indices.iter_mut().flatten() {
                    self.expression(index)?;
                }
                indexed(&of.ty, indices, span)?
            }
            Kind::Slice(of, bounds) => {
                self.expression(of)?;
                for bound in bounds.iter_mut().flatten() {
                    self.expect(bound, &Type::Int, "the bound of a slice")?;
                }
                match &of.ty {
                    Type::Matrix(index, inner) if index.unify(&Type::Int).is_some() => {
                        Type::Matrix(Box::new(Type::Int), inner.clone())
                    }
                    Type::Any => Type::Any,
                    ty => {
                        let message = format!("this is {ty}, which has no numbers as indices");
                        return Err(of.span.error(message));
                    }
                }
            }
            Kind::Field(of, _) => of.ty.clone(),
            Kind::Active(of, label) => {
                self.expression(of)?;
                match &of.ty {
                    Type::Variant(fields, _) => field(fields, &label.name, label.span)?,
                    Type::Any => Type::Any,
                    ty => {
                        return Err(of
                            .span
                            .error(format!("'active' takes a variant, this is {ty}")));
                    }
                };
                Type::Bool
            }
            Kind::Attribute(name, of, value) => {
                self.expression(of)?;
                if of.ty.member().is_none() {
                    let message = format!("'{name}' takes a collection, this is {}", of.ty);
                    return Err(of.span.error(message));
                }
                if let Some(value) = value {
                    self.expect(value, &Type::Int, "the value of this attribute")?;
                }
                Type::Bool
            }
            Kind::Tuple(items) => {
                for item in items.iter_mut() {
                    self.expression(item)?;
                }
                Type::Tuple(items.iter().map(|item| item.ty.clone()).collect())
            }
            Kind::Record(fields) => {
                let mut types: Vec<(String, Type)> = Vec::new();
                for (name, value) in fields {
                    self.expression(value)?;
                    if types.iter().any(|(known, _)| *known == name.name) {
                        let message = format!("the field '{}' has two values", name.name);
                        return Err(name.span.error(message));
                    }
                    types.push((name.name.clone(), value.ty.clone()));
                }
                Type::Record(types)
            }
            Kind::Variant(name, value) => {
                self.expression(value)?;
                Type::Variant(vec![(name.name.clone(), value.ty.clone())], true)
            }
            Kind::Matrix(items, index) => {
                let of = self.common(items)?;
                let index = match index {
                    None => Type::Int,
                    Some(index) => self.domain(index)?,
                };
                Type::Matrix(Box::new(index), Box::new(of))
            }
            Kind::Set(items) => Type::Set(Box::new(self.common(items)?)),
            Kind::MSet(items) => Type::MSet(Box::new(self.common(items)?)),
            Kind::Sequence(items) => Type::Sequence(Box::new(self.common(items)?)),
            Kind::Function(pairs) => {
                let (mut from, mut to) = (Type::Any, Type::Any);
                for (key, value) in pairs {
                    for (node, common) in [(key, &mut from), (value, &mut to)] {
                        self.expression(node)?;
                        *common = common.unify(&node.ty).ok_or_else(|| {
                            let message = format!("the others are {common}, this is {}", node.ty);
                            node.span.error(message)
                        })?;
                    }
                }
                Type::Function(Box::new(from), Box::new(to))
            }
            Kind::Relation(items) => match self.common(items)? {
                Type::Tuple(types) => Type::Relation(types),
                Type::Any => Type::Relation(Vec::new()),
                other => {
                    let message = format!("a relation consists of tuples, these are {other}");
                    return Err(span.error(message));
                }
            },
            Kind::Partition(items) => match self.common(items)? {
                Type::Set(of) => Type::Partition(of),
                Type::Any => Type::Partition(Box::new(Type::Any)),
                // Older texts write parts as lists.
                Type::Matrix(_, of) => Type::Partition(of),
                other => {
                    let message = format!("a partition consists of sets, these are {other}");
                    return Err(span.error(message));
                }
            },
            Kind::Permutation(cycles) => {
                let mut common = Type::Any;
                for cycle in cycles {
                    let of = self.common(cycle)?;
                    common = common.unify(&of).ok_or_else(|| {
                        span.error(format!("one cycle is of {common}, another of {of}"))
                    })?;
                }
                Type::Permutation(Box::new(common))
            }
            Kind::Comprehension(body, generators) => {
                let mark = self.locals.len();
                for generator in generators.iter_mut() {
                    self.generator(generator)?;
                }
                self.expression(body)?;
                self.locals.truncate(mark);
                Type::list(body.ty.clone())
            }
            Kind::Domain(domain) => Type::list(self.domain(domain)?),
            Kind::Typed(of, domain) => {
                let ty = self.domain(domain)?;
                self.expression(of)?;
                of.ty.unify(&ty).ok_or_else(|| {
                    of.span
                        .error(format!("its type is given as {ty}, this is {}", of.ty))
                })?
            }
        })
    }

    /// What a name means in an expression.
    fn resolve(&mut self, name: &str, span: Span) -> Checked<(Kind, Type)> {
        if let Some(place) = self.locals.iter().rposition(|(known, _)| known == name) {
            return Ok((Kind::Local(place), self.locals[place].1.clone()));
        }
        if let Some((_, of, place)) = self.members.iter().find(|(known, ..)| known == name) {
            let ty = Type::Member(*of, self.globals[*of].0.clone());
            return Ok((Kind::Member(*of, *place), ty));
        }
        let Some(place) = self.globals.iter().position(|(known, _)| known == name) else {
            return Err(self.unknown(name, span));
        };
        match &self.globals[place].1 {
            Meaning::Value(ty, depends) => {
                self.depends |= depends;
                Ok((Kind::Global(place), ty.clone()))
            }
            // A domain without backticks: the list of its values.
            _ => {
                let kind = DomainKind::Name(name.to_string(), None);
                let mut domain = DomainNode { span, kind };
                let ty = Type::list(self.domain(&mut domain)?);
                Ok((Kind::Domain(Box::new(domain)), ty))
            }
        }
    }

    fn generator(&mut self, generator: &mut Generator) -> Checked<()> {
        match generator {
            Generator::Domain(pattern, domain) => {
                let ty = self.domain(domain)?;
                self.bind(pattern, &ty)
            }
            Generator::Collection(pattern, of) => {
                self.expression(of)?;
                let Some(member) = of.ty.member() else {
                    let message = format!("this is {}, not a collection", of.ty);
                    return Err(of.span.error(message));
                };
                self.bind(pattern, &member)
            }
            Generator::Subsets(pattern, of) => {
                self.expression(of)?;
                if !matches!(of.ty, Type::Set(_) | Type::Any) {
                    let message = format!("'subsetEq' takes a set here, this is {}", of.ty);
                    return Err(of.span.error(message));
                }
                let ty = of.ty.clone();
                self.bind(pattern, &ty)
            }
            Generator::Letting(pattern, of) => {
                self.expression(of)?;
                let ty = of.ty.clone();
                self.bind(pattern, &ty)
            }
            Generator::Condition(condition) => self.expect(condition, &Type::Bool, "a condition"),
        }
    }

    /// Binds the names of a pattern, from left to right.
    fn bind(&mut self, pattern: &Pattern, ty: &Type) -> Checked<()> {
        let count = |span: Span, found: usize| {
            span.error(format!(
                "this pattern has {found} parts, the values are {ty}"
            ))
        };
        match pattern {
            Pattern::Name(Identifier { name, .. }) => self.locals.push((name.clone(), ty.clone())),
            Pattern::Wildcard => self.locals.push(("_".to_string(), ty.clone())),
            Pattern::Tuple(parts, span) => match ty {
                Type::Tuple(types) if types.len() == parts.len() => {
                    for (part, ty) in parts.iter().zip(types) {
                        self.bind(part, ty)?;
                    }
                }
                Type::Any => {
                    for part in parts {
                        self.bind(part, ty)?;
                    }
                }
                _ => return Err(count(*span, parts.len())),
            },
            Pattern::Matrix(parts, span) => match ty {
                Type::Matrix(_, of) => {
                    for part in parts {
                        self.bind(part, of)?;
                    }
                }
                Type::Any => {
                    for part in parts {
                        self.bind(part, ty)?;
                    }
                }
                _ => return Err(count(*span, parts.len())),
            },
            Pattern::Set(parts, span) => match ty {
                Type::Set(of) => {
                    for part in parts {
                        self.bind(part, of)?;
                    }
                }
                Type::Any => {
                    for part in parts {
                        self.bind(part, ty)?;
                    }
                }
                _ => return Err(count(*span, parts.len())),
            },
        }
        Ok(())
    }

    /// The type of `f(x)`.
    fn application(&self, of: &Type, arguments: &[Option<Node>], span: Span) -> Checked<Type> {
        let fits = |ty: &Type, argument: &Node| match ty.unify(&argument.ty) {
            Some(_) => Ok(()),
            None => Err(argument
                .span
                .error(format!("expected {ty}, this is {}", argument.ty))),
        };
        match of {
            Type::Any => Ok(Type::Any),
            Type::Relation(types) => {
                if types.len() != arguments.len() {
                    let (wanted, found) = (types.len(), arguments.len());
                    let message = format!("the relation has {wanted} columns, here are {found}");
                    return Err(span.error(message));
                }
                let mut open = Vec::new();
                for (ty, argument) in types.iter().zip(arguments) {
                    match argument {
                        Some(argument) => fits(ty, argument)?,
                        None => open.push(ty.clone()),
                    }
                }
                Ok(match open.is_empty() {
                    true => Type::Bool,
                    false => Type::Relation(open),
                })
            }
            Type::Function(..) | Type::Sequence(_) | Type::Permutation(_) => {
                let (from, to) = match of {
                    Type::Function(from, to) => ((**from).clone(), (**to).clone()),
                    Type::Sequence(to) => (Type::Int, (**to).clone()),
                    Type::Permutation(inner) => ((**inner).clone(), (**inner).clone()),
                    _ => unreachable!("matched above"),
                };
                match (arguments, &from) {
                    ([Some(argument)], _) => fits(&from, argument)?,
                    (several, Type::Tuple(types)) if several.len() == types.len() => {
                        for (argument, ty) in several.iter().zip(types) {
                            let Some(argument) = argument else {
                                return Err(span.error("a function has no columns to leave open"));
                            };
                            fits(ty, argument)?;
                        }
                    }
                    _ => return Err(span.error(format!("a function takes one value of {from}"))),
                }
                Ok(to)
            }
            other => {
                let message = format!("this is {other}, which takes no arguments");
                Err(span.error(message))
            }
        }
    }
}

/// The type of a field.
fn field(fields: &[(String, Type)], label: &str, span: Span) -> Checked<Type> {
    match fields.iter().find(|(name, _)| name == label) {
        Some((_, ty)) => Ok(ty.clone()),
        None => {
            let names = fields.iter().map(|(name, _)| name.as_str());
            let message = ployglot_base::text::unknown("field", label, names);
            Err(span.error(message))
        }
    }
}

/// A node that is about to be replaced.
fn placeholder() -> Node {
    Node {
        span: Span::default(),
        ty: Type::Any,
        kind: Kind::Truth(false),
    }
}

/// The type of `m[i, j]`.
fn indexed(of: &Type, indices: &[Option<Node>], span: Span) -> Checked<Type> {
    let Some((first, rest)) = indices.split_first() else {
        return Ok(of.clone());
    };
    match of {
        Type::Any => Ok(Type::Any),
        Type::Matrix(index, inner) => {
            let inner = indexed(inner, rest, span)?;
            match first {
                None => Ok(Type::Matrix(index.clone(), Box::new(inner))),
                Some(node) => match node.ty.unify(index) {
                    Some(_) => Ok(inner),
                    None => Err(node
                        .span
                        .error(format!("the index is {index}, this is {}", node.ty))),
                },
            }
        }
        Type::Tuple(types) => {
            let Some(node) = first else {
                return Err(span.error("a tuple has no slices"));
            };
            let inner = match node.kind {
                Kind::Number(number) => {
                    let found = usize::try_from(number - 1)
                        .ok()
                        .and_then(|at| types.get(at));
                    found.cloned().ok_or_else(|| {
                        let count = types.len();
                        let message = format!("the tuple has {count} components");
                        node.span.error(message)
                    })?
                }
                _ => types
                    .iter()
                    .try_fold(Type::Any, |all, ty| all.unify(ty))
                    .ok_or_else(|| node.span.error("the component of a tuple is a number"))?,
            };
            indexed(&inner, rest, span)
        }
        other => Err(span.error(format!("this is {other}, which has no index"))),
    }
}

fn binary(operator: Binary, left: &Node, right: &Node, span: Span) -> Checked<Type> {
    use Binary::*;
    let same = || {
        left.ty.unify(&right.ty).ok_or_else(|| {
            let message = format!("the sides are {} and {}", left.ty, right.ty);
            span.error(message)
        })
    };
    let both = |wanted: &Type| {
        for side in [left, right] {
            if side.ty.unify(wanted).is_none() {
                let message = format!("this operator takes {wanted}, this is {}", side.ty);
                return Err(side.span.error(message));
            }
        }
        Ok(())
    };
    let collection = |ty: &Type| {
        matches!(
            ty,
            Type::Set(_) | Type::MSet(_) | Type::Function(..) | Type::Relation(_) | Type::Any
        )
    };
    Ok(match operator {
        Plus | Times | Divide | Modulo | Power => {
            both(&Type::Int)?;
            Type::Int
        }
        Minus => match same()? {
            Type::Any | Type::Int => Type::Int,
            ty if collection(&ty) => ty,
            ty => return Err(span.error(format!("'-' takes numbers or sets, these are {ty}"))),
        },
        Union | Intersect => match same()? {
            ty if collection(&ty) => ty,
            ty => return Err(span.error(format!("this operator takes sets, these are {ty}"))),
        },
        And | Or | Implies | Iff => {
            both(&Type::Bool)?;
            Type::Bool
        }
        Equal | NotEqual | Dot(_) | Tilde(_) => {
            same()?;
            Type::Bool
        }
        Less | AtMost | Greater | AtLeast => {
            match same()? {
                Type::Int | Type::Bool | Type::Member(..) | Type::Any => {}
                ty => {
                    let message = format!("'<' compares numbers, these are {ty}; see '<lex', '.<'");
                    return Err(span.error(message));
                }
            }
            Type::Bool
        }
        Lex(_) => {
            match same()? {
                Type::Matrix(..) | Type::Sequence(_) | Type::Tuple(_) | Type::Any => {}
                ty => return Err(span.error(format!("'<lex' compares lists, these are {ty}"))),
            }
            Type::Bool
        }
        In => {
            let Some(member) = right.ty.member() else {
                let message = format!("this is {}, not a collection", right.ty);
                return Err(right.span.error(message));
            };
            if member.unify(&left.ty).is_none() {
                let message = format!("the members are {member}, this is {}", left.ty);
                return Err(left.span.error(message));
            }
            Type::Bool
        }
        Subset(_) => {
            let ty = same()?;
            if !collection(&ty) {
                return Err(span.error(format!("this operator takes sets, these are {ty}")));
            }
            Type::Bool
        }
        Subsequence | Substring => {
            match same()? {
                Type::Sequence(_) | Type::Any | Type::Matrix(..) => {}
                ty => return Err(span.error(format!("this takes sequences, these are {ty}"))),
            }
            Type::Bool
        }
    })
}
