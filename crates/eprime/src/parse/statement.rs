//! Statements: each starts with a keyword of its own, and ends before the next one.

use ployglot_base::BadText;
use ployglot_base::text::did_you_mean;

use super::Parser;
use crate::lex::Token;
use crate::tree::{Identifier, Node, Placed, Statement};

/// The words that start a statement.
const KEYWORDS: [&str; 11] = [
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

/// The words that may follow `heuristic`.
const HEURISTICS: [&str; 7] = [
    "static",
    "sdf",
    "ldf",
    "srf",
    "conflict",
    "wdeg",
    "domoverwdeg",
];

const EXPECTED: &str = "a statement ('given', 'letting', 'find', 'such that', …)";

impl Parser<'_> {
    /// One statement.
    pub(super) fn statement(&mut self) -> Result<Placed, BadText> {
        let span = self.span();
        let Token::Name(word) = self.peek() else {
            return Err(self.expected(EXPECTED));
        };
        if !KEYWORDS.contains(&word) {
            let mut error = self.expected(EXPECTED);
            if let Some(hint) = did_you_mean(word, KEYWORDS) {
                error.message += &format!("; {hint}");
            }
            return Err(error);
        }
        self.advance();
        let statement = match word {
            "given" => {
                let names = self.names()?;
                self.expect_symbol(":")?;
                Statement::Given(names, self.domain()?)
            }
            "find" => {
                let names = self.names()?;
                self.expect_symbol(":")?;
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
                self.expect_word("on")?;
                self.expect_symbol("[")?;
                let mut items = Vec::new();
                while !self.is_symbol("]") {
                    items.push(self.expression()?);
                    if !self.accept_symbol(",") {
                        break;
                    }
                }
                if !self.is_symbol("]") {
                    return Err(self.expected("',' or ']'"));
                }
                self.advance();
                Statement::Branching(items)
            }
            "heuristic" => {
                let identifier = Identifier {
                    name: match self.peek() {
                        Token::Name(name) => name.to_string(),
                        _ => String::new(),
                    },
                    span: self.span(),
                };
                if !HEURISTICS.contains(&identifier.name.as_str()) {
                    let names = HEURISTICS.map(|name| format!("'{name}'"));
                    return Err(self.expected(&names.join(", ")));
                }
                self.advance();
                Statement::Heuristic(identifier)
            }
            _ => {
                self.expect_word("that")?;
                Statement::SuchThat(self.constraints()?)
            }
        };
        Ok(Placed { span, statement })
    }

    /// What follows `letting`.
    fn letting(&mut self) -> Result<Statement, BadText> {
        let name = self.name()?;
        let declared = match self.accept_symbol(":") {
            true => Some(self.domain()?),
            false => None,
        };
        if !self.accept_word("be") && !self.accept_symbol("=") {
            return Err(self.expected("'be' or '='"));
        }
        if declared.is_none() && self.accept_word("domain") {
            return Ok(Statement::LettingDomain(name, self.domain()?));
        }
        Ok(Statement::Letting(name, declared, self.expression()?))
    }

    /// `c1, c2, …`, which all must hold. There may be none, and a comma behind the last one.
    fn constraints(&mut self) -> Result<Vec<Node>, BadText> {
        let mut constraints = Vec::new();
        while !self.ends_statement() {
            constraints.push(self.expression()?);
            if !self.accept_symbol(",") {
                break;
            }
        }
        match self.ends_statement() {
            true => Ok(constraints),
            false => Err(self.expected("',' or an operator")),
        }
    }

    fn ends_statement(&self) -> bool {
        match self.peek() {
            Token::End => true,
            Token::Name(word) => KEYWORDS.contains(&word),
            _ => false,
        }
    }
}
