//! The parser: PDDL 3.1 text to a typed planning problem with resolved names. Errors and warnings
//! carry their position.
//!
//! The supported language is `:adl` with derived predicates, action costs and numeric fluents. A
//! file that uses a feature without declaring its requirement is accepted with a warning that names
//! the requirement. Features that are not supported (durative actions, preferences, timed literals,
//! object fluents, trajectory constraints, processes) are errors, reported by name where they are
//! used. What Fast Downward accepts although PDDL does not have it (`docs/formats.md` has the list)
//! is accepted with a warning where it has one meaning.
//!
//! The functions of the reader report errors in the text only. Where a limit ends them, they return
//! an error without meaning, and `within` replaces it by the limit.

mod domain;
mod formula;
mod names;
mod problem;

use ployglot_base::text::unknown;
use ployglot_base::{BadText, Budget, Limit, Poll};

use crate::lifted::{Domain, Problem};
use crate::tree::{Span, Tree, starts_with_kind};

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    /// The content of the text.
    pub value: T,
    /// Mistakes that do not prevent reading, such as a missing requirement.
    pub warnings: Vec<BadText>,
}

/// Why a text was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotRead {
    /// The text has an error.
    Text(BadText),
    /// A limit ended the reading.
    Limit(Limit),
}

/// Reads the text of a domain.
pub fn parse_domain(text: &str) -> Result<Parsed<Domain>, BadText> {
    without_limit(parse_domain_within(text, &Budget::unlimited()))
}

/// Reads the text of a domain within a budget.
pub fn parse_domain_within(text: &str, budget: &Budget) -> Result<Parsed<Domain>, CannotRead> {
    within(budget, |poll| domain::parse(text, poll))
}

/// Reads the text of a problem of this domain.
pub fn parse_problem(text: &str, domain: &Domain) -> Result<Parsed<Problem>, BadText> {
    without_limit(parse_problem_within(text, domain, &Budget::unlimited()))
}

/// Reads the text of a problem of this domain within a budget.
pub fn parse_problem_within(
    text: &str,
    domain: &Domain,
    budget: &Budget,
) -> Result<Parsed<Problem>, CannotRead> {
    within(budget, |poll| problem::parse(text, domain, poll))
}

fn within<T>(
    budget: &Budget,
    read: impl FnOnce(&Poll) -> Result<T, BadText>,
) -> Result<T, CannotRead> {
    let poll = Poll::new(budget, "read");
    read(&poll).map_err(|bad| match poll.ended() {
        Some(limit) => CannotRead::Limit(limit),
        None => CannotRead::Text(bad),
    })
}

fn without_limit<T>(read: Result<T, CannotRead>) -> Result<T, BadText> {
    read.map_err(|why| match why {
        CannotRead::Text(bad) => bad,
        CannotRead::Limit(limit) => unreachable!("there is no limit, and {limit} was reached"),
    })
}

/// Whether a text starts with `(define (domain`.
pub fn is_domain_text(text: &str) -> bool {
    starts_with_kind(text, "domain")
}

/// The sections of `(define (domain NAME) …)` or `(define (problem NAME) …)`.
struct Sections<'a> {
    name: String,
    /// The keyword of each section (with its colon), its position, and the items after it.
    sections: Vec<(&'a str, Span, &'a [Tree<'a>])>,
}

impl<'a> Sections<'a> {
    fn of(tree: &'a Tree<'a>, what: &str) -> Result<Self, BadText> {
        let items = tree.list().expect("a file is a list");
        let [define, head, rest @ ..] = items else {
            return Err(tree.expected(&format!("'(define ({what} NAME) …)'")));
        };
        if define.word() != Some("define") {
            return Err(define.expected("'define'"));
        }
        let name = match head.list() {
            Some([kind, name]) if kind.word() == Some(what) && name.word().is_some() => {
                name.word().unwrap_or_default().to_string()
            }
            _ => return Err(head.expected(&format!("'({what} NAME)'"))),
        };
        let mut sections = Vec::new();
        for section in rest {
            let keyword = section
                .list()
                .and_then(<[Tree]>::first)
                .and_then(Tree::word);
            match (keyword, section.list()) {
                (Some(keyword), Some(items)) if keyword.starts_with(':') => {
                    sections.push((keyword, section.span, &items[1..]));
                }
                _ => return Err(section.expected("a section such as '(:init …)'")),
            }
        }
        Ok(Self { name, sections })
    }

    fn all(&self, keyword: &str) -> impl Iterator<Item = (Span, &'a [Tree<'a>])> {
        let fitting = self
            .sections
            .iter()
            .filter(move |(known, _, _)| *known == keyword);
        fitting.map(|&(_, span, items)| (span, items))
    }

    /// The section of this name; more than one is an error.
    fn one(&self, keyword: &str) -> Result<Option<(Span, &'a [Tree<'a>])>, BadText> {
        let mut found = self.all(keyword);
        let first = found.next();
        match found.next() {
            Some((span, _)) => Err(span.error(format!("'{keyword}' is given twice"))),
            None => Ok(first),
        }
    }

    /// An error for the first section that is not in the list; it differs for sections of PDDL that
    /// are not supported and for unknown ones.
    fn only(&self, known: &[&str]) -> Result<(), BadText> {
        const UNSUPPORTED: &[(&str, &str)] = &[
            (":durative-action", "durative actions are"),
            (":constraints", "trajectory constraints are"),
            (":process", "processes are"),
            (":event", "events are"),
        ];
        for &(keyword, span, _) in &self.sections {
            if known.contains(&keyword) {
                continue;
            }
            if let Some((_, what)) = UNSUPPORTED.iter().find(|(name, _)| *name == keyword) {
                return Err(span.error(format!("{what} not supported")));
            }
            return Err(span.error(unknown("section", keyword, known.iter().copied())));
        }
        Ok(())
    }
}
