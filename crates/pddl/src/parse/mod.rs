//! PDDL 3.1 text to a typed, resolved planning problem, and every complaint with its place.
//!
//! The language taken is `:adl` with derived predicates, action costs and numeric fluents. A file that forgets a requirement
//! flag is taken with a warning that names it; what is not supported (durative actions, preferences, timed literals, object
//! fluents, trajectory constraints, processes) is refused by name, where it is used.

mod domain;
mod formula;
mod names;
mod problem;

use ployglot_base::BadText;

use crate::lifted::{Domain, Problem};
use crate::tree::{Spot, Tree};

/// What was read, and what the author may want to know about it.
#[derive(Clone, Debug)]
pub struct Read<T> {
    pub value: T,
    pub warnings: Vec<BadText>,
}

pub fn parse_domain(text: &str) -> Result<Read<Domain>, BadText> {
    domain::parse(&Tree::parse(text)?)
}

pub fn parse_problem(text: &str, domain: &Domain) -> Result<Read<Problem>, BadText> {
    problem::parse(&Tree::parse(text)?, domain)
}

/// Whether a text says that it is a domain, a problem, or neither. Used to tell files apart, so it never fails.
pub fn names_domain(text: &str) -> bool {
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
    /// Keyword (with its colon), its place, and what follows it.
    sections: Vec<(&'a str, Spot, &'a [Tree])>,
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
                    sections.push((keyword, section.spot, &items[1..]));
                }
                _ => return Err(section.expected("a section such as '(:init …)'")),
            }
        }
        Ok(Self { name, sections })
    }

    fn all(&self, keyword: &str) -> impl Iterator<Item = (Spot, &'a [Tree])> {
        let fitting = self
            .sections
            .iter()
            .filter(move |(known, _, _)| *known == keyword);
        fitting.map(|&(_, spot, items)| (spot, items))
    }

    /// The section of this name, of which there may be only one.
    fn one(&self, keyword: &str) -> Result<Option<(Spot, &'a [Tree])>, BadText> {
        let mut found = self.all(keyword);
        let first = found.next();
        match found.next() {
            Some((spot, _)) => Err(spot.bad(format!("'{keyword}' is given twice"))),
            None => Ok(first),
        }
    }

    /// Refuses sections that are not in the list: by name, where they are known but not supported.
    fn only(&self, known: &[&str]) -> Result<(), BadText> {
        const UNSUPPORTED: &[(&str, &str)] = &[
            (":durative-action", "durative actions are"),
            (":constraints", "trajectory constraints are"),
            (":process", "processes are"),
            (":event", "events are"),
        ];
        for &(keyword, spot, _) in &self.sections {
            if known.contains(&keyword) {
                continue;
            }
            if let Some((_, what)) = UNSUPPORTED.iter().find(|(name, _)| *name == keyword) {
                return Err(spot.bad(format!("{what} not supported")));
            }
            return Err(spot.bad(names::unknown("section", keyword, known.iter().copied())));
        }
        Ok(())
    }
}
