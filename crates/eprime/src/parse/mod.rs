//! Tokens to statements, by recursive descent. Recursive functions count their depth, and the depth
//! of the tree that they build, so that deeply nested text is an error and does not exhaust the
//! stack.

mod expression;
mod statement;

use ployglot_base::BadText;

use crate::lex::{Span, Token, lex};
use crate::tree::{Identifier, Kind, Node, Placed};

/// Deeper nesting is refused; the deepest real models have a few dozen levels.
pub(crate) const MAX_DEPTH: u32 = 300;

/// Words that cannot be names of a model.
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

/// A text that is one expression: the value of `Params::set`.
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

/// A position in the tokens of a text.
struct Parser<'a> {
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    /// The next token.
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    /// The token behind the next one.
    fn peek_second(&self) -> Token<'a> {
        let next = (self.at + 1).min(self.tokens.len() - 1);
        self.tokens[next].0
    }

    /// The span of the next token.
    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the token before the next one.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Whether the next token is this symbol.
    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if found == symbol)
    }

    /// Whether the next token is this word.
    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    /// Steps over the symbol, if it is the next token.
    fn accept_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Steps over the word, if it is the next token.
    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Steps over the symbol, which must be the next token.
    fn expect_symbol(&mut self, symbol: &str) -> Result<(), BadText> {
        match self.accept_symbol(symbol) {
            true => Ok(()),
            false => Err(self.expected(&format!("'{symbol}'"))),
        }
    }

    /// Steps over the word, which must be the next token.
    fn expect_word(&mut self, word: &str) -> Result<(), BadText> {
        match self.accept_word(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("'{word}'"))),
        }
    }

    /// An error at the next token.
    fn expected(&self, wanted: &str) -> BadText {
        let found = self.peek().found();
        self.span()
            .error(format!("expected {wanted}, found {found}"))
    }

    /// A name that is not reserved.
    fn name(&mut self) -> Result<Identifier, BadText> {
        let span = self.span();
        match self.peek() {
            Token::Name(name) if RESERVED.contains(&name) => {
                let message = format!("expected a name, found the reserved word '{name}'");
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

    /// Names with commas between them.
    fn names(&mut self) -> Result<Vec<Identifier>, BadText> {
        let mut names = vec![self.name()?];
        while self.accept_symbol(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    /// The depth of a node with these parts: one more than the deepest of them.
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

    /// Calls a function one level deeper.
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

/// A node without parts.
fn leaf(span: Span, kind: Kind) -> Node {
    Node {
        span,
        depth: 0,
        kind,
    }
}
