//! What the text says, before anybody asks what it means: statements and expressions with their places. Domains are
//! expressions here (`int(1..3) union D` binds as `a + b` does); the checker tells the two apart.

use crate::lex::Span;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub span: Span,
    /// How deep the tree is below, so that no text can exhaust the stack.
    pub depth: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Number(i64),
    Truth(bool),
    Name(String),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    /// Any number of operands of one associative operator, in their order.
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
    Comprehension {
        body: Box<Node>,
        binders: Vec<Binder>,
        conditions: Vec<Node>,
        index: Option<Box<Node>>,
    },
    /// `None` is `..`.
    Index(Box<Node>, Vec<Option<Node>>),
    BoolDomain,
    /// `None` is `int` alone.
    IntDomain(Option<Vec<Range>>),
    MatrixDomain {
        index: Vec<Node>,
        of: Box<Node>,
    },
}

/// `i, j : D`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binder {
    pub names: Vec<Identifier>,
    pub domain: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Identifier {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Range {
    Single(Node),
    Between(Option<Node>, Option<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
    Absolute,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    Sum,
    Product,
    And,
    Or,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Compare {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    ForAll,
    Exists,
    Sum,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    Given(Vec<Identifier>, Node),
    /// `letting M : domain = value`, the domain perhaps missing.
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

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub span: Span,
    pub statement: Statement,
}
