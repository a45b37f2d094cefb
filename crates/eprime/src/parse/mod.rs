//! Tokens to statements, by recursive descent. Recursive functions count their depth, and the depth
//! of the tree that they build, so that deeply nested text is an error and does not exhaust the
//! stack.

mod expression;
mod statement;

use std::collections::VecDeque;

use ployglot_base::{BadText, Poll};

use crate::deep::deep;
use crate::lex::{ESSENCE_PRIME, Lexer, Span, Token};
use crate::tree::{Identifier, Kind, Node, Placed};

/// Deeper nesting is refused; the deepest real models have a few dozen levels.
pub(crate) const MAX_DEPTH: u32 = 300;

/// Words that cannot be names of a model, as the language's description lists them. Other words of
/// the language (`table`, `max`, `domain`, …) have a meaning only in their places, and are names
/// elsewhere.
pub(crate) const RESERVED: [&str; 18] = [
    "bool",
    "exists",
    "false",
    "find",
    "forAll",
    "forall",
    "given",
    "in",
    "int",
    "intersect",
    "language",
    "letting",
    "such",
    "sum",
    "that",
    "true",
    "union",
    "where",
];

/// The statements of a model or parameter file.
pub(crate) fn parse(text: &str, poll: &Poll) -> Result<Vec<Placed>, BadText> {
    let mut parser = Parser::new(text, poll)?;
    let mut statements = Vec::new();
    let mut read = || {
        while parser.peek() != Token::End {
            statements.push(parser.statement()?);
        }
        Ok(())
    };
    let read = read();
    parser.first_error(read)?;
    Ok(statements)
}

/// A text that is one expression: the value of `Params::set`.
pub(crate) fn parse_value(text: &str) -> Result<Node, BadText> {
    let mut parser = Parser::new(text, &Poll::default())?;
    let value = parser.expression().and_then(|value| match parser.peek() {
        Token::End => Ok(value),
        _ => Err(parser.expected("the end of the value")),
    });
    parser.first_error(value)
}

/// A position in a text.
#[derive(Clone)]
struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next tokens, at least two; `End` follows `End`.
    ahead: VecDeque<(Token<'a>, Span)>,
    /// The span of the token before the next one.
    last: Span,
    depth: u32,
    /// What the lexer could not read; the tokens end there.
    unreadable: Option<BadText>,
    poll: Poll,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, poll: &Poll) -> Result<Self, BadText> {
        let mut parser = Parser {
            lexer: Lexer::new(text, &ESSENCE_PRIME)?,
            ahead: VecDeque::new(),
            last: Span::default(),
            depth: 0,
            unreadable: None,
            poll: poll.clone(),
        };
        parser.token(1);
        parser.last = parser.span();
        Ok(parser)
    }

    /// The result, or the error of the lexer, which is what misled the parser.
    fn first_error<T>(self, result: Result<T, BadText>) -> Result<T, BadText> {
        match (result, self.unreadable) {
            (Ok(_), Some(unreadable)) => Err(unreadable),
            (Err(bad), Some(unreadable)) => {
                let place = |bad: &BadText| (bad.line, bad.column);
                Err(if place(&bad) < place(&unreadable) {
                    bad
                } else {
                    unreadable
                })
            }
            (result, None) => result,
        }
    }

    /// The token this many places behind the next one.
    fn token(&mut self, behind: usize) -> Token<'a> {
        while self.ahead.len() <= behind {
            let end = match self.ahead.back() {
                Some(&(Token::End, span)) => Some(span),
                _ => None,
            };
            let next = match end {
                Some(span) => (Token::End, span),
                None => self.lexer.next().unwrap_or_else(|bad| {
                    let span = Span {
                        line: bad.line as u32,
                        column: bad.column as u32,
                        width: 1,
                    };
                    self.unreadable = Some(bad);
                    (Token::End, span)
                }),
            };
            self.ahead.push_back(next);
        }
        self.ahead[behind].0
    }

    /// The next token.
    fn peek(&self) -> Token<'a> {
        self.ahead[0].0
    }

    /// The token behind the next one.
    fn peek_second(&self) -> Token<'a> {
        self.ahead[1].0
    }

    /// The span of the next token.
    fn span(&self) -> Span {
        self.ahead[0].1
    }

    /// The span of the token before the next one.
    fn last(&self) -> Span {
        self.last
    }

    fn advance(&mut self) {
        if self.peek() != Token::End {
            self.poll.step();
            self.last = self.span();
            self.ahead.pop_front();
            self.token(1);
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
        let result = deep(|| read(self));
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
