//! A specification whose names are resolved and whose types are checked.

use ployglot_base::{BadText, Budget, Limit, Poll};
use ployglot_eprime::Span;

use crate::check::{self, Meaning};
use crate::parse;
use crate::tree::{DomainNode, Node, OPERATORS};

/// Whether the language line of a text names Essence and not Essence Prime; `None` without such a line.
pub fn is_essence(text: &str) -> Option<bool> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('$'));
    let language = lines.next()?.strip_prefix("language")?;
    Some(!language.trim_start().starts_with("ESSENCE'"))
}

/// The names of all attributes of domains, and of all operators with the syntax of a function.
pub fn attributes_and_operators() -> impl Iterator<Item = &'static str> {
    let attributes = parse::ATTRIBUTES.iter().map(|(name, _)| *name);
    attributes.chain(OPERATORS.iter().map(|(name, ..)| *name))
}

/// An Essence specification.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) globals: Vec<Global>,
    pub(crate) meanings: Vec<(String, Meaning)>,
    /// The members of enumerated types: name, declaration, place from 1.
    pub(crate) members: Vec<(String, usize, i64)>,
    pub(crate) conditions: Vec<Node>,
    pub(crate) constraints: Vec<Node>,
    pub(crate) objective: Option<Objective>,
    pub(crate) branching: Vec<Node>,
    pub(crate) heuristic: Option<String>,
}

/// What is optimised.
#[derive(Clone, Debug)]
pub(crate) struct Objective {
    pub minimise: bool,
    pub of: Node,
}

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub name: String,
    pub span: Span,
    pub kind: GlobalKind,
}

/// What a declaration declares.
#[derive(Clone, Debug)]
pub(crate) enum GlobalKind {
    Given(DomainNode),
    Find(DomainNode),
    /// A letting, and whether it depends on decision variables.
    Letting(Option<DomainNode>, Node, bool),
    Domain(DomainNode),
    /// An enumerated type; `None` if the parameters list its members.
    Enum(Option<Vec<String>>),
    Unnamed(Node),
}

impl Model {
    /// Reads and checks a specification.
    pub fn parse(text: &str) -> Result<Model, BadText> {
        Self::parsed(text, &Poll::default())
    }

    /// [`Model::parse`] within a budget; the outer error is the limit that ended it.
    pub fn parse_within(text: &str, budget: &Budget) -> Result<Result<Model, BadText>, Limit> {
        budget.stoppable("reading", |poll| Self::parsed(text, poll))
    }

    fn parsed(text: &str, poll: &Poll) -> Result<Model, BadText> {
        check::check(parse::parse(text, poll)?)
    }

    /// The names of the parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let given =
            |global: &&Global| matches!(global.kind, GlobalKind::Given(_) | GlobalKind::Enum(None));
        self.globals
            .iter()
            .filter(given)
            .map(|global| global.name.as_str())
    }

    /// The names of the decision variables.
    pub fn decisions(&self) -> impl Iterator<Item = &str> {
        let find = |global: &&Global| matches!(global.kind, GlobalKind::Find(_));
        self.globals
            .iter()
            .filter(find)
            .map(|global| global.name.as_str())
    }

    /// Whether something is optimised.
    pub fn has_objective(&self) -> bool {
        self.objective.is_some()
    }

    /// The search heuristic that the specification asks for.
    pub fn heuristic(&self) -> Option<&str> {
        self.heuristic.as_deref()
    }
}
