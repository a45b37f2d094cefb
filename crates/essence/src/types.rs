//! Types: what remains of a domain without its attributes and bounds.

use std::fmt;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Not known: the members of an empty literal.
    Any,
    Bool,
    Int,
    /// An enumerated or unnamed type: the place of its declaration, and its name.
    Member(usize, String),
    Tuple(Vec<Type>),
    Record(Vec<(String, Type)>),
    /// The fields; `true` if there may be more, as for a literal.
    Variant(Vec<(String, Type)>, bool),
    /// The type of the index and of the items.
    Matrix(Box<Type>, Box<Type>),
    Set(Box<Type>),
    MSet(Box<Type>),
    Sequence(Box<Type>),
    Function(Box<Type>, Box<Type>),
    Relation(Vec<Type>),
    Partition(Box<Type>),
    Permutation(Box<Type>),
}

impl Type {
    /// A list: a matrix indexed by numbers from 1.
    pub fn list(of: Type) -> Type {
        Type::Matrix(Box::new(Type::Int), Box::new(of))
    }

    /// The type that both are; `None` if there is none.
    pub fn unify(&self, other: &Type) -> Option<Type> {
        let boxed = |a: &Type, b: &Type| a.unify(b).map(Box::new);
        let all = |a: &[Type], b: &[Type]| {
            let same = a.len() == b.len();
            let types = a.iter().zip(b).map(|(a, b)| a.unify(b));
            types.collect::<Option<Vec<Type>>>().filter(|_| same)
        };
        Some(match (self, other) {
            (Type::Any, known) | (known, Type::Any) => known.clone(),
            (Type::Bool, Type::Bool) => Type::Bool,
            (Type::Int, Type::Int) => Type::Int,
            (Type::Member(a, _), Type::Member(b, _)) if a == b => self.clone(),
            (Type::Tuple(a), Type::Tuple(b)) => Type::Tuple(all(a, b)?),
            (Type::Record(a), Type::Record(b)) => {
                if a.len() != b.len() {
                    return None;
                }
                let field = |(name, ty): &(String, Type)| {
                    let (_, other) = b.iter().find(|(known, _)| known == name)?;
                    Some((name.clone(), ty.unify(other)?))
                };
                Type::Record(a.iter().map(field).collect::<Option<_>>()?)
            }
            (Type::Variant(a, a_open), Type::Variant(b, b_open)) => {
                let mut fields = a.clone();
                for (name, ty) in b {
                    match fields.iter_mut().find(|(known, _)| known == name) {
                        Some((_, known)) => *known = known.unify(ty)?,
                        None if *a_open => fields.push((name.clone(), ty.clone())),
                        None => return None,
                    }
                }
                let missing =
                    |(name, _): &(String, Type)| !b.iter().any(|(known, _)| known == name);
                if !b_open && a.iter().any(missing) {
                    return None;
                }
                Type::Variant(fields, *a_open && *b_open)
            }
            (Type::Matrix(a, b), Type::Matrix(c, d)) => Type::Matrix(boxed(a, c)?, boxed(b, d)?),
            (Type::Set(a), Type::Set(b)) => Type::Set(boxed(a, b)?),
            (Type::MSet(a), Type::MSet(b)) => Type::MSet(boxed(a, b)?),
            (Type::Sequence(a), Type::Sequence(b)) => Type::Sequence(boxed(a, b)?),
            (Type::Function(a, b), Type::Function(c, d)) => {
                Type::Function(boxed(a, c)?, boxed(b, d)?)
            }
            // A sequence is a function from numbers.
            (Type::Function(a, b), Type::Sequence(c))
            | (Type::Sequence(c), Type::Function(a, b)) => {
                a.unify(&Type::Int)?;
                Type::Sequence(boxed(b, c)?)
            }
            (Type::Relation(a), Type::Relation(b)) if a.is_empty() => Type::Relation(b.clone()),
            (Type::Relation(a), Type::Relation(b)) if b.is_empty() => Type::Relation(a.clone()),
            (Type::Relation(a), Type::Relation(b)) => Type::Relation(all(a, b)?),
            (Type::Partition(a), Type::Partition(b)) => Type::Partition(boxed(a, b)?),
            (Type::Permutation(a), Type::Permutation(b)) => Type::Permutation(boxed(a, b)?),
            _ => return None,
        })
    }

    /// What a generator over a collection of this type binds; `None` if it is no collection.
    pub fn member(&self) -> Option<Type> {
        Some(match self {
            Type::Any => Type::Any,
            Type::Matrix(_, of) | Type::Set(of) | Type::MSet(of) => (**of).clone(),
            Type::Sequence(of) => Type::Tuple(vec![Type::Int, (**of).clone()]),
            Type::Function(from, to) => Type::Tuple(vec![(**from).clone(), (**to).clone()]),
            Type::Relation(parts) if parts.is_empty() => Type::Any,
            Type::Relation(parts) => Type::Tuple(parts.clone()),
            Type::Partition(of) => Type::Set(of.clone()),
            Type::Permutation(of) => Type::Tuple(vec![(**of).clone(), (**of).clone()]),
            _ => return None,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let list = |types: &[Type], between: &str| {
            let texts: Vec<String> = types.iter().map(Type::to_string).collect();
            texts.join(between)
        };
        let fields = |fields: &[(String, Type)]| {
            let texts: Vec<String> = fields.iter().map(|(n, t)| format!("{n} : {t}")).collect();
            texts.join(", ")
        };
        match self {
            Type::Any => f.write_str("?"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Member(_, name) => f.write_str(name),
            Type::Tuple(types) => write!(f, "tuple ({})", list(types, ", ")),
            Type::Record(all) => write!(f, "record {{{}}}", fields(all)),
            Type::Variant(all, _) => write!(f, "variant {{{}}}", fields(all)),
            Type::Matrix(index, of) => write!(f, "matrix indexed by [{index}] of {of}"),
            Type::Set(of) => write!(f, "set of {of}"),
            Type::MSet(of) => write!(f, "mset of {of}"),
            Type::Sequence(of) => write!(f, "sequence of {of}"),
            Type::Function(from, to) => write!(f, "function {from} --> {to}"),
            Type::Relation(types) => write!(f, "relation of ({})", list(types, " * ")),
            Type::Partition(of) => write!(f, "partition from {of}"),
            Type::Permutation(of) => write!(f, "permutation of {of}"),
        }
    }
}
