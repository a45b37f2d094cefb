//! A model after checking: names are resolved and types fit. The evaluator and the unroller both
//! walk this tree, and neither checks it again.

use std::fmt;
use std::sync::Arc;

use crate::lex::Span;
use crate::tree::{Compare, Quantifier};

/// A model whose names and types are checked. With parameters it becomes an
/// [`Instance`](crate::Instance).
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) globals: Vec<Global>,
    /// The conditions of `where`.
    pub(crate) conditions: Vec<Expr>,
    pub(crate) constraints: Vec<Expr>,
    /// Whether to minimise, and what.
    pub(crate) objective: Option<(bool, Expr)>,
    pub(crate) branching: Vec<Expr>,
    pub(crate) heuristic: Option<String>,
}

/// A name that a statement declares.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub name: String,
    pub span: Span,
    pub ty: Type,
    pub role: Role,
}

/// How a global is declared.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    Given(Set),
    /// A parameter without a declaration of its own: the bound of an index of a given matrix, from
    /// which its value is inferred.
    Inferred,
    Letting(Option<Set>, Expr),
    Domain(Set),
    Find(Set),
}

/// The place of a global in `Model::globals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GlobalId(pub u32);

/// A matrix has at most this many dimensions.
pub(crate) const MAX_DIMENSIONS: usize = 20;

/// The type of an expression: a scalar, or a matrix of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// The number of dimensions; 0 for a scalar.
    pub dims: u8,
    /// The type of the scalar or of the items.
    pub of: Scalar,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// The items of an empty matrix, which fit any type.
    Any,
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub span: Span,
    pub ty: Type,
    /// A decision variable that the expression depends on, if there is one.
    pub depends_on: Option<GlobalId>,
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Number(i64),
    Truth(bool),
    Global(GlobalId),
    /// A quantified variable, by its slot in the environment.
    Local(usize),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// An odd number of the parts holds.
    Xor(Vec<Expr>),
    Implies(Box<[Expr; 2]>),
    Iff(Box<[Expr; 2]>),
    Compare(Compare, Box<[Expr; 2]>),
    Lex(Compare, Box<[Expr; 2]>),
    In(Box<Expr>, Box<Set>),
    Negate(Box<Expr>),
    Absolute(Box<Expr>),
    Factorial(Box<Expr>),
    PopCount(Box<Expr>),
    /// A bool as 0 or 1.
    ToInt(Box<Expr>),
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    Arithmetic(Arithmetic, Box<[Expr; 2]>),
    /// The first where it is defined, otherwise the second.
    CatchUndef(Box<[Expr; 2]>),
    /// How many items of a row have a value.
    Count(Box<[Expr; 2]>),
    /// The number of items of a row, which no decision changes.
    Length(Box<Expr>),
    Quantified(Quantifier, Vec<BoundVariable>, Box<Expr>),
    /// A function of the items of a one-dimensional matrix.
    Fold(Fold, Box<Expr>),
    Matrix(Vec<Expr>, Option<Set>),
    /// A matrix of constants: ints, or bools as 0 and 1.
    Row(Arc<[i32]>, Option<Set>),
    Comprehension {
        body: Box<Expr>,
        binds: Vec<BoundVariable>,
        conditions: Vec<Expr>,
        index: Option<Set>,
    },
    /// A matrix with its indices; `None` keeps the dimension.
    Index(Box<Expr>, Vec<Option<Expr>>),
    /// The first `n + 1` dimensions become one.
    Flatten(usize, Box<Expr>),
    /// The items, and a value that may occur more than once.
    AllDifferent(Box<Expr>, Option<Box<Expr>>),
    /// `at_least`, items, counts, values.
    Occurrences(bool, Box<[Expr; 3]>),
    /// Items, values, counts.
    Cardinality(Box<[Expr; 3]>),
    /// Whether the items are one of the rows, or none of them.
    Table(bool, Box<[Expr; 2]>),
    /// Whether the items agree with one of the rows, each a list of pairs: a place, counted from 1,
    /// and its value.
    ShortTable(Box<[Expr; 2]>),
    /// A bool that the model wants to have as a table.
    MakeTable(Box<Expr>),
}

/// Operators on two ints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Minus,
    Quotient,
    Remainder,
    Power,
}

/// Functions of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Product,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// A variable of a quantifier or comprehension; the slot is its place in the environment.
#[derive(Clone, Debug)]
pub(crate) struct BoundVariable {
    pub slot: usize,
    pub domain: Set,
}

/// A domain as the model writes it: a set of values whose bounds are expressions.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub span: Span,
    pub ty: Type,
    pub kind: SetKind,
}

/// What a domain is.
#[derive(Clone, Debug)]
pub(crate) enum SetKind {
    Bool,
    /// `None` is `int` without bounds.
    Int(Option<Vec<Bounds>>),
    Named(GlobalId),
    Union(Box<[Set; 2]>),
    Intersect(Box<[Set; 2]>),
    Minus(Box<[Set; 2]>),
    /// `toSet(M)`: the items of a matrix.
    Items(Box<Expr>),
    /// `indexOf(M)`: the first index of a matrix.
    IndexOf(Box<Expr>),
    /// All matrices with these indices and items.
    Matrix(Vec<Set>, Box<Set>),
}

/// A part of an int domain; `None` is an open end.
#[derive(Clone, Debug)]
pub(crate) enum Bounds {
    Single(Expr),
    /// `int(M)`: the items of a row.
    Items(Expr),
    Between(Option<Expr>, Option<Expr>),
}

impl Type {
    /// A scalar of type `bool`.
    pub const BOOL: Type = Type {
        dims: 0,
        of: Scalar::Bool,
    };
    /// A scalar of type `int`.
    pub const INT: Type = Type {
        dims: 0,
        of: Scalar::Int,
    };
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.dims {
            0 => {}
            1 => write!(f, "matrix of ")?,
            dims => write!(f, "{dims}-dimensional matrix of ")?,
        }
        f.write_str(match self.of {
            Scalar::Bool => "bool",
            Scalar::Int => "int",
            Scalar::Any => "nothing",
        })
    }
}

impl Model {
    /// The names of the parameters, in the order of their declarations; those that are inferred
    /// from the index of a given matrix come last.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let is_given = |global: &&Global| matches!(global.role, Role::Given(_) | Role::Inferred);
        let given = self.globals.iter().filter(is_given);
        given.map(|global| global.name.as_str())
    }

    /// The names of the decision variables, in the order of their declarations.
    pub fn finds(&self) -> impl Iterator<Item = &str> {
        let is_find = |global: &&Global| matches!(global.role, Role::Find(_));
        let finds = self.globals.iter().filter(is_find);
        finds.map(|global| global.name.as_str())
    }

    /// Whether the model has an objective.
    pub fn optimises(&self) -> bool {
        self.objective.is_some()
    }

    /// The word after `heuristic`, if there is such a statement.
    pub fn heuristic(&self) -> Option<&str> {
        self.heuristic.as_deref()
    }

    pub(crate) fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    pub(crate) fn find_global(&self, name: &str) -> Option<GlobalId> {
        let place = self.globals.iter().position(|global| global.name == name);
        place.map(|place| GlobalId(place as u32))
    }
}
