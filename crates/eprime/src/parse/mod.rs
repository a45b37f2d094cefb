//! Tokens to statements, by recursive descent. Everything recursive counts its depth, and the depth of what it builds, so
//! that hostile text ends in a message and not in an exhausted stack.

mod expression;
mod statement;

use ployglot_base::BadText;

use crate::lex::{Span, Token, lex};
use crate::tree::{Kind, Identifier, Node, Placed};

/// A deeper text is junk: the deepest real models are a few dozen levels deep.
pub(crate) const MAX_DEPTH: u32 = 300;

/// Words that cannot be names.
pub(crate) const RESERVED: [&str; 60] = [
    "alldiff",
    "allDiff",
    "alldifferent",
    "alldifferent_except",
    "and",
    "atleast",
    "atmost",
    "be",
    "bool",
    "branching",
    "by",
    "domain",
    "exists",
    "factorial",
    "false",
    "find",
    "flatten",
    "forAll",
    "forall",
    "gcc",
    "given",
    "heuristic",
    "in",
    "indexed",
    "int",
    "intersect",
    "language",
    "letting",
    "matrix",
    "max",
    "maximising",
    "maximizing",
    "min",
    "minimising",
    "minimizing",
    "negativetable",
    "of",
    "on",
    "or",
    "popcount",
    "product",
    "such",
    "sum",
    "table",
    "that",
    "toInt",
    "toSet",
    "true",
    "union",
    "where",
    "lex",
    "branchingOn",
    "conflict",
    "sdf",
    "srf",
    "static",
    "wdeg",
    "domoverwdeg",
    "minimal",
    "toMSet",
];

/// The statements of a model or parameter file.
pub(crate) fn parse(text: &str) -> Result<Vec<Placed>, BadText> {
    let mut parser = Parser {
        tokens: lex(text)?,
        at: 0,
        depth: 0,
    };
    let mut statements = Vec::new();
    while parser.peek() != Token::End {
        statements.push(parser.statement()?);
    }
    Ok(statements)
}

/// One expression and nothing else: the value of an override.
pub(crate) fn parse_value(text: &str) -> Result<Node, BadText> {
    let mut parser = Parser {
        tokens: lex(text)?,
        at: 0,
        depth: 0,
    };
    let value = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(value),
        _ => Err(parser.expected("the end of the value")),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn peek_second(&self) -> Token<'a> {
        let next = (self.at + 1).min(self.tokens.len() - 1);
        self.tokens[next].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// Where the last token that was taken stands.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if found == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn accept_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<(), BadText> {
        match self.accept_symbol(symbol) {
            true => Ok(()),
            false => Err(self.expected(&format!("'{symbol}'"))),
        }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), BadText> {
        match self.accept_word(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("'{word}'"))),
        }
    }

    fn expected(&self, wanted: &str) -> BadText {
        let found = self.peek().found();
        self.span().error(format!("expected {wanted}, found {found}"))
    }

    /// A name that the model may choose.
    fn name(&mut self) -> Result<Identifier, BadText> {
        let span = self.span();
        match self.peek() {
            Token::Name(name) if RESERVED.contains(&name) => {
                let message = format!("expected a name, found '{name}', a word of the language");
                Err(span.error(message))
            }
            Token::Name(name) => {
                self.advance();
                let name = name.to_string();
                Ok(Identifier { name, span })
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn names(&mut self) -> Result<Vec<Identifier>, BadText> {
        let mut names = vec![self.name()?];
        while self.accept_symbol(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    /// A node that is as deep as its deepest part and one more.
    fn depth_above<'n>(
        &self,
        span: Span,
        parts: impl IntoIterator<Item = &'n Node>,
    ) -> Result<u32, BadText> {
        let depth = parts.into_iter().map(|part| part.depth).max();
        let depth = depth.map_or(0, |depth| depth + 1);
        match depth > MAX_DEPTH {
            true => Err(span.error(format!("expressions are nested at most {MAX_DEPTH} deep"))),
            false => Ok(depth),
        }
    }

    /// Goes one level down for the time of the call.
    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, BadText>,
    ) -> Result<T, BadText> {
        if self.depth == MAX_DEPTH {
            let message = format!("expressions are nested at most {MAX_DEPTH} deep");
            return Err(self.span().error(message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

fn leaf(span: Span, kind: Kind) -> Node {
    Node {
        span,
        depth: 0,
        kind,
    }
}
