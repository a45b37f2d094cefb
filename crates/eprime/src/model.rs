//! A model whose names are resolved and whose types fit. Evaluator and unroller both walk this tree; neither needs to ask
//! whether it makes sense.

use std::fmt;

use crate::lex::Span;
use crate::tree::{Compare, Quantifier};

/// A class of problems, ready for parameters.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) globals: Vec<Global>,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) constraints: Vec<Expr>,
    pub(crate) objective: Option<(bool, Expr)>,
    pub(crate) branching: Vec<Expr>,
    pub(crate) heuristic: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub name: String,
    pub span: Span,
    pub ty: Type,
    pub role: Role,
}

#[derive(Clone, Debug)]
pub(crate) enum Role {
    Given(Set),
    /// A parameter that is declared nowhere but as the bound of a given matrix's index.
    Inferred,
    Letting(Option<Set>, Expr),
    Domain(Set),
    Find(Set),
}

/// The place of a global in its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GlobalId(pub u32);

/// A matrix has at most this many dimensions.
pub(crate) const MAX_DIMENSIONS: usize = 20;

/// The type of an expression: a scalar, or a matrix of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub dims: u8,
    pub of: Scalar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    Int,
    /// Of nothing, so of anything: the empty matrix.
    Any,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub span: Span,
    pub ty: Type,
    /// A decision variable that it depends on, if there is one.
    pub depends_on: Option<GlobalId>,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Number(i64),
    Truth(bool),
    Global(GlobalId),
    /// A quantified variable, by its place in the environment.
    Local(usize),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
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
    Quantified(Quantifier, Vec<BoundVariable>, Box<Expr>),
    /// Over the items of a one-dimensional matrix.
    Fold(Fold, Box<Expr>),
    Matrix(Vec<Expr>, Option<Set>),
    Comprehension {
        body: Box<Expr>,
        binds: Vec<BoundVariable>,
        conditions: Vec<Expr>,
        index: Option<Set>,
    },
    /// `None` keeps the dimension.
    Index(Box<Expr>, Vec<Option<Expr>>),
    /// The first `n + 1` dimensions become one.
    Flatten(usize, Box<Expr>),
    AllDifferent(Box<Expr>, Option<Box<Expr>>),
    /// `at_least`, items, counts, values.
    Occurrences(bool, Box<[Expr; 3]>),
    /// Items, values, counts.
    Cardinality(Box<[Expr; 3]>),
    /// Whether the items are one of the rows, or none of them.
    Table(bool, Box<[Expr; 2]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Minus,
    Quotient,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Product,
    And,
    Or,
    Min,
    Max,
}

/// One variable of a quantifier or comprehension.
#[derive(Clone, Debug)]
pub(crate) struct BoundVariable {
    pub slot: usize,
    pub domain: Set,
}

/// A domain, before its bounds are known.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub span: Span,
    pub ty: Type,
    pub kind: SetKind,
}

#[derive(Clone, Debug)]
pub(crate) enum SetKind {
    Bool,
    /// `None` is all of them.
    Int(Option<Vec<Bounds>>),
    Named(GlobalId),
    Union(Box<[Set; 2]>),
    Intersect(Box<[Set; 2]>),
    Minus(Box<[Set; 2]>),
    /// `toSet(M)`.
    Items(Box<Expr>),
    Matrix(Vec<Set>, Box<Set>),
}

#[derive(Clone, Debug)]
pub(crate) enum Bounds {
    Single(Expr),
    Between(Option<Expr>, Option<Expr>),
}

impl Type {
    pub const BOOL: Type = Type {
        dims: 0,
        of: Scalar::Bool,
    };
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
    /// The parameters, in the order of their declarations; those read off a matrix's index too.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let is_given = |global: &&Global| matches!(global.role, Role::Given(_) | Role::Inferred);
        let given = self.globals.iter().filter(is_given);
        given.map(|global| global.name.as_str())
    }

    /// The decision variables, in the order of their declarations.
    pub fn finds(&self) -> impl Iterator<Item = &str> {
        let is_find = |global: &&Global| matches!(global.role, Role::Find(_));
        let finds = self.globals.iter().filter(is_find);
        finds.map(|global| global.name.as_str())
    }

    /// Whether the model asks for a best solution.
    pub fn optimises(&self) -> bool {
        self.objective.is_some()
    }

    /// The word after `heuristic`.
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
