//! The syntax tree: statements and expressions with their spans, before names are resolved and
//! types checked. Domains are expressions here (`int(1..3) union D` binds as `a + b` does); the
//! checker distinguishes the two.

use std::sync::Arc;

use crate::lex::Span;

/// An expression or a domain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub span: Span,
    /// The depth of the tree below, which is limited so that no text can exhaust the stack.
    pub depth: u32,
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Number(i64),
    Truth(bool),
    Name(String),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    /// Two or more operands of one associative operator, in order.
    Chain(Chain, Vec<Node>),
    Quantified {
        quantifier: Quantifier,
        binder: Box<Binder>,
        body: Box<Node>,
    },
    Call(String, Vec<Node>),
    Matrix {
        items: Vec<Node>,
        index: Option<Box<Node>>,
    },
    /// A matrix of constants: numbers, or bools as 0 and 1. Parameter files consist of these, and
    /// a node for each item would take ten times the memory of the text.
    Row {
        is_bool: bool,
        items: Arc<[i32]>,
        index: Option<Box<Node>>,
    },
    /// An empty matrix of the type of this domain.
    Empty(Box<Node>),
    Comprehension {
        body: Box<Node>,
        binders: Vec<Binder>,
        conditions: Vec<Node>,
        index: Option<Box<Node>>,
    },
    /// A matrix with its indices; `None` is `..`.
    Index(Box<Node>, Vec<Option<Node>>),
    BoolDomain,
    /// `None` is `int` alone.
    IntDomain(Option<Vec<Range>>),
    MatrixDomain {
        index: Vec<Node>,
        of: Box<Node>,
    },
}

/// `i, j : D` of a quantifier or comprehension.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binder {
    pub names: Vec<Identifier>,
    pub domain: Node,
}

/// A name where it is declared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Identifier {
    pub name: String,
    pub span: Span,
}

/// A part of `int(1, 3..5, 7..)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Range {
    Single(Node),
    Between(Option<Node>, Option<Node>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
    Absolute,
}

/// Associative operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    Sum,
    Product,
    And,
    Or,
    Xor,
}

/// Operators with two operands, on values and on domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Power,
    Quotient,
    Remainder,
    Intersect,
    Minus,
    Union,
    Compare(Compare),
    Lex(Compare),
    In,
    Implies,
    Iff,
}

/// Comparisons of numbers, and of rows in lexicographic order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Compare {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Operators that bind variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    ForAll,
    Exists,
    Sum,
}

/// The statements of models and parameter files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    Given(Vec<Identifier>, Node),
    /// `letting M : domain = value`; the domain is optional.
    Letting(Identifier, Option<Node>, Node),
    LettingDomain(Identifier, Node),
    Find(Vec<Identifier>, Node),
    Where(Vec<Node>),
    Objective {
        minimise: bool,
        of: Node,
    },
    Branching(Vec<Node>),
    Heuristic(Identifier),
    SuchThat(Vec<Node>),
}

/// A statement with the span of its keyword.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub span: Span,
    pub statement: Statement,
}
