//! The statements of specifications and parameter files.

use ployglot_eprime::Token;

use super::{Parsed, Parser};
use crate::tree::{Identifier, Statement};

/// The words that start a statement.
const STATEMENTS: [&str; 11] = [
    "find",
    "given",
    "letting",
    "where",
    "such",
    "branching",
    "minimising",
    "maximising",
    "heuristic",
    "minimizing",
    "maximizing",
];

impl Parser<'_> {
    pub(super) fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut all = Vec::new();
        loop {
            let (token, span) = self.advance();
            match token {
                Token::End => return Ok(all),
                Token::Name("find") => self.declarations(&mut all, false)?,
                Token::Name("given") => self.declarations(&mut all, true)?,
                Token::Name("letting") => self.lettings(&mut all)?,
                Token::Name("where") => self.conditions(&mut all, false)?,
                Token::Name("such") => {
                    self.expect_word("that")?;
                    self.conditions(&mut all, true)?;
                }
                Token::Name(word @ ("minimising" | "maximising" | "minimizing" | "maximizing")) => {
                    let minimise = word.starts_with("min");
                    let of = self.expression()?;
                    all.push(Statement::Objective { minimise, of, span });
                }
                Token::Name("branching") => {
                    self.expect_word("on")?;
                    self.expect("[")?;
                    let items = self.list("]", Self::expression)?;
                    all.push(Statement::Branching(items));
                }
                Token::Name("heuristic") => {
                    let name = self.identifier("the name of a heuristic")?;
                    all.push(Statement::Heuristic(name));
                }
                _ => {
                    let words = STATEMENTS[..9].join(", ");
                    let found = token.found();
                    let message = format!("a statement starts with one of {words}; found {found}");
                    return Err(span.error(message));
                }
            }
        }
    }

    /// Whether a statement or the end of the text is next.
    fn at_statement(&self) -> bool {
        match self.peek() {
            Token::End => true,
            Token::Name(name) => STATEMENTS.contains(&name),
            _ => false,
        }
    }

    /// `a, b : D, c : E`, after `find` or `given`.
    fn declarations(&mut self, all: &mut Vec<Statement>, given: bool) -> Parsed<()> {
        loop {
            let mut names = vec![self.identifier("a name")?];
            while self.eat(",") {
                names.push(self.identifier("a name")?);
            }
            if given && self.eat_word("new") {
                self.expect_word("type")?;
                self.expect_word("enum")?;
                all.extend(names.into_iter().map(Statement::GivenEnum));
            } else {
                if !self.eat(":") {
                    let wanted = match given {
                        true => "',', ':' or 'new type enum'",
                        false => "',' or ':'",
                    };
                    return Err(self.wrong(wanted));
                }
                let domain = self.domain()?;
                all.extend(names.into_iter().map(|name| match given {
                    true => Statement::Given(name, domain.clone()),
                    false => Statement::Find(name, domain.clone()),
                }));
            }
            if !self.eat(",") || self.at_statement() {
                return Ok(());
            }
        }
    }

    /// `a be e, D be domain d`, after `letting`.
    fn lettings(&mut self, all: &mut Vec<Statement>) -> Parsed<()> {
        loop {
            let mut names = vec![self.identifier("a name")?];
            while self.eat(",") {
                names.push(self.identifier("a name")?);
            }
            let annotation = match self.eat(":") {
                true => Some(self.domain()?),
                false => None,
            };
            if !self.eat("=") {
                self.expect_word("be")?;
            }
            self.letting(all, names, annotation)?;
            if !self.eat(",") || self.at_statement() {
                return Ok(());
            }
        }
    }

    fn letting(
        &mut self,
        all: &mut Vec<Statement>,
        names: Vec<Identifier>,
        annotation: Option<crate::tree::DomainNode>,
    ) -> Parsed<()> {
        if self.eat_word("domain") {
            let domain = self.domain()?;
            for name in names {
                all.push(Statement::LettingDomain(name, domain.clone()));
            }
            return Ok(());
        }
        if self.is_word("new") && self.ahead(1) == Token::Name("type") {
            self.advance();
            self.advance();
            if self.eat_word("enum") {
                self.expect("{")?;
                let members = self.list("}", |parser| parser.identifier("a name"))?;
                for name in names {
                    all.push(Statement::LettingEnum(name, members.clone()));
                }
            } else if self.eat_word("of") {
                self.expect_word("size")?;
                let size = self.expression()?;
                for name in names {
                    all.push(Statement::LettingUnnamed(name, size.clone()));
                }
            } else {
                return Err(self.wrong("'enum' or 'of size'"));
            }
            return Ok(());
        }
        // A domain without the word `domain`.
        if let Token::Name(
            "int" | "bool" | "matrix" | "function" | "set" | "mset" | "sequence" | "relation"
            | "partition" | "tuple" | "record" | "variant" | "permutation",
        ) = self.peek()
        {
            let start = self.at;
            match self.domain() {
                Ok(domain) if self.is(",") || self.at_statement() => {
                    for name in names {
                        all.push(Statement::LettingDomain(name, domain.clone()));
                    }
                    return Ok(());
                }
                _ => (self.at, self.depth, self.copies) = (start, 0, 1),
            }
        }
        let value = self.expression()?;
        for name in names {
            all.push(Statement::Letting(name, annotation.clone(), value.clone()));
        }
        Ok(())
    }

    /// Conditions separated by commas; there may be none.
    fn conditions(&mut self, all: &mut Vec<Statement>, constraints: bool) -> Parsed<()> {
        while !self.at_statement() {
            let condition = self.expression()?;
            all.push(match constraints {
                true => Statement::SuchThat(condition),
                false => Statement::Where(condition),
            });
            if !self.eat(",") {
                break;
            }
        }
        Ok(())
    }
}
