//! The parser: PDDL 3.1 text to a typed planning problem with resolved names. Errors and warnings
//! carry their position.
//!
//! The supported language is `:adl` with derived predicates, action costs and numeric fluents. A
//! file that uses a feature without declaring its requirement is accepted with a warning that names
//! the requirement. Features that are not supported (durative actions, preferences, timed literals,
//! object fluents, trajectory constraints, processes) are errors, reported by name where they are
//! used.

mod domain;
mod formula;
mod names;
mod problem;

use ployglot_base::BadText;
use ployglot_base::text::unknown;

use crate::lifted::{Domain, Problem};
use crate::tree::{Span, Tree};

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    /// The content of the text.
    pub value: T,
    /// Mistakes that do not prevent reading, such as a missing requirement.
    pub warnings: Vec<BadText>,
}

/// Reads the text of a domain.
pub fn parse_domain(text: &str) -> Result<Parsed<Domain>, BadText> {
    domain::parse(&Tree::parse(text)?)
}

/// Reads the text of a problem of this domain.
pub fn parse_problem(text: &str, domain: &Domain) -> Result<Parsed<Problem>, BadText> {
    problem::parse(&Tree::parse(text)?, domain)
}

/// Whether a text starts with `(define (domain …`. False for a text that cannot be read.
pub fn is_domain_text(text: &str) -> bool {
    Tree::parse(text).is_ok_and(|tree| {
        let items = tree.list().unwrap_or(&[]);
        items
            .get(1)
            .and_then(Tree::list)
            .and_then(<[Tree]>::first)
            .and_then(Tree::word)
            == Some("domain")
    })
}

/// The sections of `(define (domain NAME) …)` or `(define (problem NAME) …)`.
struct Sections<'a> {
    name: String,
    /// The keyword of each section (with its colon), its position, and the items after it.
    sections: Vec<(&'a str, Span, &'a [Tree])>,
}

impl<'a> Sections<'a> {
    fn of(tree: &'a Tree, what: &str) -> Result<Self, BadText> {
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

    fn all(&self, keyword: &str) -> impl Iterator<Item = (Span, &'a [Tree])> {
        let fitting = self
            .sections
            .iter()
            .filter(move |(known, _, _)| *known == keyword);
        fitting.map(|&(_, span, items)| (span, items))
    }

    /// The section of this name; more than one is an error.
    fn one(&self, keyword: &str) -> Result<Option<(Span, &'a [Tree])>, BadText> {
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
