//! The syntax tree: statements, expressions and domains with their spans. The checker resolves the
//! names in it and notes the type of each expression.

use ployglot_eprime::Span;

use crate::types::Type;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub span: Span,
    /// Set by the checker.
    pub ty: Type,
    pub kind: Kind,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(i64),
    Truth(bool),
    /// A name that the checker has not seen yet.
    Name(String),
    /// A declaration of the specification, by its place.
    Global(usize),
    /// A bound variable, by its place among those that are bound here.
    Local(usize),
    /// The k-th member (from 1) of the enumerated type that is the declaration at this place.
    Member(usize, i64),
    Not(Box<Node>),
    Negate(Box<Node>),
    Factorial(Box<Node>),
    /// `|x|`: the absolute value, or the number of members.
    Bars(Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    /// An operator with the syntax of a function.
    Call(Operator, Vec<Node>),
    /// `f(x)`, `r(x, _)`; `None` is `_`.
    Apply(Box<Node>, Vec<Option<Node>>),
    /// `m[i, ..]`; `None` is `..`.
    Index(Box<Node>, Vec<Option<Node>>),
    /// `m[a..b]`: the items between two places, as a list.
    Slice(Box<Node>, [Option<Box<Node>>; 2]),
    /// A field of a record or variant.
    Field(Box<Node>, String),
    /// `active(v, field)`.
    Active(Box<Node>, Identifier),
    /// An attribute as a constraint: `total(f)`, `maxSize(s, 3)`.
    Attribute(String, Box<Node>, Option<Box<Node>>),
    Tuple(Vec<Node>),
    Record(Vec<(Identifier, Node)>),
    Variant(Identifier, Box<Node>),
    Matrix(Vec<Node>, Option<Box<DomainNode>>),
    Set(Vec<Node>),
    MSet(Vec<Node>),
    Sequence(Vec<Node>),
    Function(Vec<(Node, Node)>),
    Relation(Vec<Node>),
    Partition(Vec<Node>),
    Permutation(Vec<Vec<Node>>),
    Comprehension(Box<Node>, Vec<Generator>),
    /// A domain in backticks, as the list of its values.
    Domain(Box<DomainNode>),
    /// A value with its type in backticks.
    Typed(Box<Node>, Box<DomainNode>),
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
    Union,
    Intersect,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    /// `<lex` and its fellows: `Less` or `AtMost` after the sides are put in order.
    Lex(bool),
    /// `.<`: an order of all values.
    Dot(bool),
    /// `~<`: the order by the least member that occurs a different number of times.
    Tilde(bool),
    In,
    Subset(bool),
    Subsequence,
    Substring,
    And,
    Or,
    Implies,
    Iff,
}

impl Binary {
    /// Whether `a ∘ (b ∘ c)` is `(a ∘ b) ∘ c`.
    pub fn is_associative(self) -> bool {
        use Binary::*;
        matches!(self, Plus | Times | And | Or | Union | Intersect)
    }
}

/// Operators with the syntax of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Xor,
    Sum,
    Product,
    Min,
    Max,
    AllDifferent,
    AllDifferentExcept,
    AtLeast,
    AtMost,
    Gcc,
    Apart,
    CatchUndefined,
    Compose,
    Concatenate,
    Count,
    Defined,
    ElementId,
    Factorial,
    Flatten,
    Freq,
    Hist,
    Image,
    ImageSet,
    Inverse,
    /// Advice to a solver: the constraint itself.
    MakeTable,
    Participants,
    Parts,
    Party,
    PermInverse,
    PowerSet,
    Pred,
    PreImage,
    Range,
    Restrict,
    Succ,
    Table,
    ToInt,
    ToMSet,
    ToRelation,
    ToSet,
    Together,
    Transform,
    True,
}

/// All operators with the syntax of a function, and how many operands they take.
pub(crate) const OPERATORS: [(&str, Operator, std::ops::RangeInclusive<usize>); 49] = [
    ("and", Operator::And, 1..=1),
    ("or", Operator::Or, 1..=1),
    ("xor", Operator::Xor, 1..=1),
    ("sum", Operator::Sum, 1..=1),
    ("product", Operator::Product, 1..=1),
    ("min", Operator::Min, 1..=2),
    ("max", Operator::Max, 1..=2),
    ("allDiff", Operator::AllDifferent, 1..=1),
    ("alldiff", Operator::AllDifferent, 1..=1),
    ("allDifferent", Operator::AllDifferent, 1..=1),
    ("alldifferent_except", Operator::AllDifferentExcept, 2..=2),
    ("atleast", Operator::AtLeast, 3..=3),
    ("atmost", Operator::AtMost, 3..=3),
    ("gcc", Operator::Gcc, 3..=3),
    ("makeTable", Operator::MakeTable, 1..=1),
    ("apart", Operator::Apart, 2..=2),
    ("catchUndef", Operator::CatchUndefined, 2..=2),
    ("compose", Operator::Compose, 2..=2),
    ("concatenate", Operator::Concatenate, 1..=2),
    ("count", Operator::Count, 2..=2),
    ("defined", Operator::Defined, 1..=1),
    ("elementId", Operator::ElementId, 2..=2),
    ("factorial", Operator::Factorial, 1..=1),
    ("flatten", Operator::Flatten, 1..=2),
    ("freq", Operator::Freq, 2..=2),
    ("hist", Operator::Hist, 1..=2),
    ("image", Operator::Image, 2..=2),
    ("imageSet", Operator::ImageSet, 2..=2),
    ("inverse", Operator::Inverse, 2..=2),
    ("participants", Operator::Participants, 1..=1),
    ("parts", Operator::Parts, 1..=1),
    ("party", Operator::Party, 2..=2),
    ("permInverse", Operator::PermInverse, 1..=1),
    ("permutationInverse", Operator::PermInverse, 1..=1),
    ("powerSet", Operator::PowerSet, 1..=1),
    ("pred", Operator::Pred, 1..=1),
    ("preImage", Operator::PreImage, 2..=2),
    ("range", Operator::Range, 1..=1),
    ("restrict", Operator::Restrict, 2..=2),
    ("succ", Operator::Succ, 1..=1),
    ("table", Operator::Table, 2..=2),
    ("toInt", Operator::ToInt, 1..=1),
    ("toMSet", Operator::ToMSet, 1..=1),
    ("toRelation", Operator::ToRelation, 1..=1),
    ("toSet", Operator::ToSet, 1..=1),
    ("together", Operator::Together, 2..=2),
    ("transform", Operator::Transform, 2..=2),
    ("image_set", Operator::ImageSet, 2..=2),
    ("true", Operator::True, 1..=1),
];

/// A part of a comprehension or quantified expression.
#[derive(Clone, Debug)]
pub(crate) enum Generator {
    /// `p : D`.
    Domain(Pattern, DomainNode),
    /// `p <- e`, `p in e`.
    Collection(Pattern, Node),
    /// `p subsetEq e`.
    Subsets(Pattern, Node),
    /// `letting p be e`.
    Letting(Pattern, Node),
    Condition(Node),
}

/// What a generator binds.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Name(Identifier),
    Wildcard,
    Tuple(Vec<Pattern>, Span),
    Matrix(Vec<Pattern>, Span),
    Set(Vec<Pattern>, Span),
}

impl Pattern {
    /// How many variables the pattern binds.
    pub fn names(&self) -> usize {
        match self {
            Pattern::Name(_) | Pattern::Wildcard => 1,
            Pattern::Tuple(parts, _) | Pattern::Matrix(parts, _) | Pattern::Set(parts, _) => {
                parts.iter().map(Pattern::names).sum()
            }
        }
    }
}

/// A name where it is declared or used as a label.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    pub name: String,
    pub span: Span,
}

/// A domain.
#[derive(Clone, Debug)]
pub(crate) struct DomainNode {
    pub span: Span,
    pub kind: DomainKind,
}

/// The attributes of a domain, with their values.
pub(crate) type Attributes = Vec<(Identifier, Option<Node>)>;

/// What a domain is.
#[derive(Clone, Debug)]
pub(crate) enum DomainKind {
    Bool,
    /// `None` is `int` alone.
    Int(Option<Vec<Range>>),
    /// A name that the checker has not seen yet.
    Name(String, Option<Vec<Range>>),
    /// A named domain, enumerated or unnamed type, by its place.
    Global(usize, Option<Vec<Range>>),
    Tuple(Vec<DomainNode>),
    Record(Vec<(Identifier, DomainNode)>),
    Variant(Vec<(Identifier, DomainNode)>),
    Matrix(Vec<DomainNode>, Box<DomainNode>),
    Set(Attributes, Box<DomainNode>),
    MSet(Attributes, Box<DomainNode>),
    Sequence(Attributes, Box<DomainNode>),
    Function(Attributes, Box<[DomainNode; 2]>),
    Relation(Attributes, Vec<DomainNode>),
    Partition(Attributes, Box<DomainNode>),
    Permutation(Attributes, Box<DomainNode>),
    /// `?`: any type.
    Any,
}

/// A part of `int(1, 3..5, 7..)`.
#[derive(Clone, Debug)]
pub(crate) enum Range {
    /// One value; or, if its type is a collection, all its members.
    Single(Node),
    Between(Option<Node>, Option<Node>),
}

/// The statements of specifications and parameter files.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Given(Identifier, DomainNode),
    GivenEnum(Identifier),
    Find(Identifier, DomainNode),
    Letting(Identifier, Option<DomainNode>, Node),
    LettingDomain(Identifier, DomainNode),
    LettingEnum(Identifier, Vec<Identifier>),
    LettingUnnamed(Identifier, Node),
    Where(Node),
    SuchThat(Node),
    Objective {
        minimise: bool,
        of: Node,
        span: Span,
    },
    Branching(Vec<Node>),
    Heuristic(Identifier),
}
