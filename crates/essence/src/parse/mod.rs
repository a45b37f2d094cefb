//! Reads specifications and parameter files: recursive descent over tokens that are read once.
//!
//! The binding strengths are those of Conjure: `**`, unary operators, `* / % intersect`,
//! `+ - union`, `in`, comparisons, `/\`, `\/`, `-> <->`. Every rule looks ahead by tokens only; where a
//! pattern could be an expression (`i, j : D` or a condition), the reader looks for the symbol behind
//! the pattern before it decides.

mod domain;
mod expression;
mod literal;
mod statement;

pub(crate) use domain::ATTRIBUTES;

use ployglot_base::{BadText, Poll};
use ployglot_eprime::{Language, Lexer, Span, Token};

use crate::tree::{Identifier, Node, Statement};

/// Expressions and domains are nested at most this deep.
pub(crate) const MAX_DEPTH: u32 = 200;

const ESSENCE: Language = Language {
    name: "Essence",
    symbols: &[
        "<=lex", ">=lex", "<lex", ">lex", "-->", "<->", "<=>", "<-", "->", "=>", "<=", ">=", "!=",
        "**", "/\\", "\\/", "..", ".<=", ".>=", ".<", ".>", "~<=", "~>=", "~<", "~>", "=", "<",
        ">", "+", "-", "*", "/", "%", "!", "|", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".",
        "'", "^", "`", "?",
    ],
};

/// A domain or list is copied for each of the variables before it (`i, j : D`), and those inside it
/// with it: at most this often.
const MAX_COPIES: usize = 1000;

/// The statements of a text.
pub(crate) fn parse(text: &str, poll: &Poll) -> Result<Vec<Statement>, BadText> {
    let mut parser = Parser::new(text, poll)?;
    parser.statements()
}

/// An expression alone, as in `--set n=3`.
pub(crate) fn parse_value(text: &str) -> Result<Node, BadText> {
    let mut parser = Parser::new(text, &Poll::default())?;
    let node = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(node),
        _ => Err(parser.wrong("the end of the value")),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    depth: u32,
    /// How many copies of the current expression or domain the tree will have.
    copies: usize,
}

type Parsed<T> = Result<T, BadText>;

impl<'a> Parser<'a> {
    fn new(text: &'a str, poll: &Poll) -> Parsed<Self> {
        let mut lexer = Lexer::new(text, &ESSENCE)?;
        let mut tokens = Vec::new();
        loop {
            poll.step();
            let (token, span) = lexer.next()?;
            tokens.push((token, span));
            if token == Token::End {
                break;
            }
        }
        Ok(Parser {
            tokens,
            at: 0,
            depth: 0,
            copies: 1,
        })
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    /// The token this many places ahead.
    fn ahead(&self, by: usize) -> Token<'a> {
        self.tokens[(self.at + by).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the last token that was read.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) -> (Token<'a>, Span) {
        let token = self.tokens[self.at];
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// An error here: this was expected.
    fn wrong(&self, expected: &str) -> BadText {
        let found = self.peek().found();
        self.span()
            .error(format!("expected {expected}, found {found}"))
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if found == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek() == Token::Name(word)
    }

    /// Reads the symbol if it is next.
    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Reads the word if it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<Span> {
        match self.is(symbol) {
            true => Ok(self.advance().1),
            false => Err(self.wrong(&format!("'{symbol}'"))),
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        match self.is_word(word) {
            true => Ok(self.advance().1),
            false => Err(self.wrong(&format!("'{word}'"))),
        }
    }

    fn identifier(&mut self, what: &str) -> Parsed<Identifier> {
        match self.peek() {
            Token::Name(name) if !RESERVED.contains(&name) => {
                let span = self.advance().1;
                let name = name.to_string();
                Ok(Identifier { name, span })
            }
            _ => Err(self.wrong(what)),
        }
    }

    /// Reads items separated by commas up to the closing symbol, which is read too. A comma before
    /// the closing symbol is allowed.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.eat(",") && !self.is(close) {
                return Err(self.wrong(&format!("',' or '{close}'")));
            }
        }
        Ok(items)
    }

    /// Reads something of which the tree has a copy for each of so many variables.
    fn copied<T>(&mut self, times: usize, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outside = self.copies;
        self.copies *= times;
        if self.copies > MAX_COPIES {
            let message = format!("a domain or list is shared by at most {MAX_COPIES} variables");
            return Err(self.span().error(message));
        }
        let result = read(self);
        self.copies = outside;
        result
    }

    /// Reads something nested one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("expressions are nested at most {MAX_DEPTH} deep");
            return Err(self.span().error(message));
        }
        let result = crate::deep::deep(|| read(self));
        self.depth -= 1;
        result
    }
}

/// Words that cannot name anything.
pub(crate) const RESERVED: [&str; 36] = [
    "find",
    "given",
    "letting",
    "where",
    "such",
    "be",
    "branching",
    "minimising",
    "maximising",
    "minimizing",
    "maximizing",
    "heuristic",
    "forAll",
    "exists",
    "in",
    "union",
    "intersect",
    "subset",
    "subsetEq",
    "supset",
    "supsetEq",
    "subsequence",
    "substring",
    "true",
    "false",
    "int",
    "bool",
    "matrix",
    "set",
    "mset",
    "sequence",
    "relation",
    "partition",
    "tuple",
    "record",
    "variant",
];
