//! Statements: each starts with a word of its own, and reaches to the next such word.

use ployglot_base::BadText;
use ployglot_base::text::nearest;

use super::Parser;
use crate::lex::Token;
use crate::tree::{Node, Placed, Statement};

const STARTS: [&str; 11] = [
    "given",
    "letting",
    "find",
    "where",
    "minimising",
    "minimizing",
    "maximising",
    "maximizing",
    "branching",
    "heuristic",
    "such",
];

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Result<Placed, BadText> {
        let spot = self.spot();
        let Token::Name(word) = self.peek() else {
            return Err(self.expected("a statement ('given', 'letting', 'find', 'such that', …)"));
        };
        if !STARTS.contains(&word) {
            let near = nearest(word, STARTS.iter().copied());
            let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            let message = format!(
                "expected a statement ('given', 'letting', 'find', 'such that', …), found '{word}'{hint}"
            );
            return Err(spot.bad(message));
        }
        self.advance();
        let statement = match word {
            "given" => {
                let names = self.names()?;
                self.sign(":")?;
                Statement::Given(names, self.domain()?)
            }
            "find" => {
                let names = self.names()?;
                self.sign(":")?;
                Statement::Find(names, self.domain()?)
            }
            "letting" => self.letting()?,
            "where" => Statement::Where(self.constraints()?),
            "minimising" | "minimizing" => Statement::Objective {
                minimise: true,
                of: self.expression()?,
            },
            "maximising" | "maximizing" => Statement::Objective {
                minimise: false,
                of: self.expression()?,
            },
            "branching" => {
                self.word("on")?;
                self.sign("[")?;
                let mut items = Vec::new();
                if !self.is_sign("]") {
                    items.push(self.expression()?);
                    while self.takes_sign(",") {
                        items.push(self.expression()?);
                    }
                }
                self.sign("]")?;
                Statement::Branching(items)
            }
            "heuristic" => {
                let named = crate::tree::Named {
                    name: match self.peek() {
                        Token::Name(name) => name.to_string(),
                        _ => String::new(),
                    },
                    spot: self.spot(),
                };
                const KNOWN: [&str; 6] =
                    ["static", "sdf", "conflict", "srf", "wdeg", "domoverwdeg"];
                if !KNOWN.contains(&named.name.as_str()) {
                    return Err(self.expected("'static', 'sdf', 'conflict' or 'srf'"));
                }
                self.advance();
                Statement::Heuristic(named)
            }
            _ => {
                self.word("that")?;
                Statement::SuchThat(self.constraints()?)
            }
        };
        Ok(Placed { spot, statement })
    }

    fn letting(&mut self) -> Result<Statement, BadText> {
        let name = self.name()?;
        let declared = match self.takes_sign(":") {
            true => Some(self.domain()?),
            false => None,
        };
        if !self.takes_word("be") && !self.takes_sign("=") {
            return Err(self.expected("'be' or '='"));
        }
        if declared.is_none() && self.takes_word("domain") {
            return Ok(Statement::LettingDomain(name, self.domain()?));
        }
        Ok(Statement::Letting(name, declared, self.expression()?))
    }

    /// `c1, c2, …`: the comma is "and".
    fn constraints(&mut self) -> Result<Vec<Node>, BadText> {
        let mut constraints = vec![self.expression()?];
        while self.takes_sign(",") {
            constraints.push(self.expression()?);
        }
        let ends = match self.peek() {
            Token::End => true,
            Token::Name(word) => STARTS.contains(&word),
            _ => false,
        };
        match ends {
            true => Ok(constraints),
            false => Err(self.expected("',' or an operator")),
        }
    }
}
