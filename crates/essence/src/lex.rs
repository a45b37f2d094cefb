//! Essence text to tokens, each with its span. Keywords and names are both `Name` here; the parser
//! distinguishes them by their place.

use ployglot_base::BadText;

/// A part of one line of a text: its first character, and how many characters it covers. Lines and
/// columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub line: u32,
    pub column: u32,
    pub width: u32,
}

/// The smallest parts of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Name(&'a str),
    Number(i64),
    Symbol(&'static str),
    End,
}

/// All symbols; a symbol comes before its own prefixes.
const SYMBOLS: [&str; 49] = [
    "<=lex", ">=lex", "<lex", ">lex", "-->", "<->", "<=>", "<-", "->", "=>", "<=", ">=", "!=",
    "**", "/\\", "\\/", "..", ".<=", ".>=", ".<", ".>", "~<=", "~>=", "~<", "~>", "=", "<", ">",
    "+", "-", "*", "/", "%", "!", "|", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "'", "^",
    "`", "?",
];

impl Span {
    /// An error at this span.
    pub fn error(self, message: impl Into<String>) -> BadText {
        BadText::new(self.line as usize, self.column as usize, message).wide(self.width as usize)
    }

    /// From the start of this span to the end of the other one; this span if they are on different
    /// lines.
    pub fn to(self, end: Span) -> Span {
        if end.line != self.line {
            return self;
        }
        let width = (end.column + end.width).saturating_sub(self.column);
        Span {
            width: width.max(self.width),
            ..self
        }
    }
}

impl Token<'_> {
    /// The token as a message quotes it.
    pub fn found(self) -> String {
        match self {
            Token::Name(name) => format!("'{name}'"),
            Token::Number(number) => format!("'{number}'"),
            Token::Symbol(symbol) => format!("'{symbol}'"),
            Token::End => "the end of the text".to_string(),
        }
    }
}

/// Reads one token after the other.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer {
            rest: text,
            line: 1,
            column: 1,
        }
    }

    fn span(&self, width: usize) -> Span {
        Span {
            line: self.line,
            column: self.column,
            width: width as u32,
        }
    }

    /// Skips the rest of the line.
    pub fn skip_line(&mut self) {
        self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
    }

    /// The next token; `End` at the end of the text and from then on.
    pub fn next(&mut self) -> Result<(Token<'a>, Span), BadText> {
        loop {
            let Some(first) = self.rest.chars().next() else {
                return Ok((Token::End, self.span(1)));
            };
            if first == '\n' {
                (self.line, self.column, self.rest) = (self.line + 1, 1, &self.rest[1..]);
            } else if first.is_whitespace() || first == '\u{feff}' {
                (self.column, self.rest) = (self.column + 1, &self.rest[first.len_utf8()..]);
            } else if first == '$' {
                self.skip_line();
            } else {
                return self.token(first);
            }
        }
    }

    /// The token that starts with this character.
    fn token(&mut self, first: char) -> Result<(Token<'a>, Span), BadText> {
        let rest = self.rest;
        let (token, length) = if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = rest[..length].parse::<i64>().ok();
            let number = number.filter(|&number| number <= 1 << 60);
            let too_large = || self.span(length).error("numbers are at most 2^60");
            (Token::Number(number.ok_or_else(too_large)?), length)
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !is_part_of_a_name(c));
            let length = length.unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else {
            let starts_here = |symbol: &&&str| {
                rest.starts_with(**symbol)
                    && !(symbol.ends_with('x')
                        && rest[symbol.len()..].starts_with(is_part_of_a_name))
            };
            let unknown = || {
                let message = format!("{first:?} has no meaning in Essence");
                self.span(1).error(message)
            };
            let symbol = SYMBOLS.iter().find(starts_here).ok_or_else(unknown)?;
            (Token::Symbol(symbol), symbol.len())
        };
        let width = match token {
            Token::Name(name) => name.chars().count(),
            _ => length,
        };
        let span = self.span(width);
        self.column += width as u32;
        self.rest = &rest[length..];
        Ok((token, span))
    }
}

fn is_part_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
