//! Essence Prime text to tokens, each with its span. Keywords and names of the model are both
//! `Name` here; the parser distinguishes them.

use ployglot_base::BadText;

/// A part of one line of a text: its first character, and how many characters it covers. Lines and
/// columns count from 1. (The lexer counts them as it reads; `ployglot_base::text::position` would
/// read the text again for each token.)
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

/// A longer text is refused.
const MAX_BYTES: usize = 256 << 20;

/// All symbols; a symbol comes before its own prefixes.
const SYMBOLS: [&str; 36] = [
    "<=lex", ">=lex", "<lex", ">lex", "<->", "->", "<=", ">=", "!=", "**", "/\\", "\\/", "..", "=",
    "<", ">", "+", "-", "*", "/", "%", "!", "|", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".",
    "'", "^", "&",
];

impl Span {
    /// An error at this span.
    pub fn error(self, message: impl Into<String>) -> BadText {
        BadText::new(self.line as usize, self.column as usize, message).wide(self.width as usize)
    }

    /// From the start of this span to the end of the other one; this span if they are on different
    /// lines.
    pub(crate) fn to(self, end: Span) -> Span {
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

/// The tokens of the text; the last one is `End`.
pub(crate) fn lex(text: &str) -> Result<Vec<(Token<'_>, Span)>, BadText> {
    if text.len() > MAX_BYTES {
        let most = format!("a file has at most {} MB", MAX_BYTES >> 20);
        return Err(BadText::new(1, 1, most));
    }
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let (mut rest, mut line, mut column) = (text, 1u32, 1u32);
    while let Some(first) = rest.chars().next() {
        let span = |width: usize| Span {
            line,
            column,
            width: width as u32,
        };
        // Blanks and comments.
        if first == '\n' {
            (line, column, rest) = (line + 1, 1, &rest[1..]);
            continue;
        }
        if first.is_whitespace() || first == '\u{feff}' {
            (column, rest) = (column + 1, &rest[first.len_utf8()..]);
            continue;
        }
        if first == '$' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        // The language line ends with its line; the version is optional.
        if tokens.is_empty() && rest.starts_with("language") {
            let end = rest.find('\n').unwrap_or(rest.len());
            let words = rest[..end].split('$').next().unwrap_or_default();
            let words: Vec<&str> = words.split_whitespace().collect();
            let version = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
            match words[..] {
                ["language", "ESSENCE'"] => {}
                ["language", "ESSENCE'", number] if version(number) => {}
                _ => {
                    let wanted = "expected 'language ESSENCE' 1.0', or no language line";
                    return Err(span(words.join(" ").chars().count()).error(wanted));
                }
            }
            rest = &rest[end..];
            continue;
        }
        let (token, length) = if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = rest[..length].parse::<i64>().ok();
            let number = number.filter(|&number| number <= 1 << 31);
            let too_large = || span(length).error("numbers are below 2147483648");
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
            let found = SYMBOLS.iter().find(starts_here);
            let unknown = || span(1).error(format!("{first:?} has no meaning in Essence Prime"));
            let symbol = found.ok_or_else(unknown)?;
            (Token::Symbol(symbol), symbol.len())
        };
        let width = rest[..length].chars().count();
        tokens.push((token, span(width)));
        column += width as u32;
        rest = &rest[length..];
    }
    let span = Span {
        line,
        column,
        width: 1,
    };
    tokens.push((Token::End, span));
    Ok(tokens)
}

fn is_part_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
