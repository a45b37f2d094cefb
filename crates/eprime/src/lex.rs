//! Text to tokens, each with its span, for Essence Prime and Essence. Keywords and names of the model
//! are both `Name` here; the parsers distinguish them.

use ployglot_base::BadText;

/// A part of one line of a text: its first character, and how many characters it covers. Lines and
/// columns count from 1. (The lexer counts them as it reads; `ployglot_base::text::position` would
/// read the text again for each token.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The line.
    pub line: u32,
    /// The first character.
    pub column: u32,
    /// How many characters.
    pub width: u32,
}

/// The smallest parts of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name or a keyword.
    Name(&'a str),
    /// A number without a sign.
    Number(i64),
    /// One of the language's symbols.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// What the languages differ in.
#[derive(Debug)]
pub struct Language {
    /// As messages call it.
    pub name: &'static str,
    /// The symbols; a symbol comes before its own prefixes.
    pub symbols: &'static [&'static str],
}

/// A longer text is refused.
const MAX_BYTES: usize = 256 << 20;

pub(crate) const ESSENCE_PRIME: Language = Language {
    name: "Essence Prime",
    symbols: &[
        "<=lex", ">=lex", "<lex", ">lex", "<=>", "<->", "=>", "->", "<=", ">=", "!=", "**", "/\\",
        "\\/", "..", "=", "<", ">", "+", "-", "*", "/", "%", "!", "|", "(", ")", "[", "]", "{",
        "}", ",", ":", ";", ".", "'", "^", "&", "`",
    ],
};

impl Span {
    /// An error at this span.
    pub fn error(self, message: impl Into<String>) -> BadText {
        BadText::new(self.line as usize, self.column as usize, message).wide(self.width as usize)
    }

    /// An error at this span: what the model describes is too large for this program.
    pub fn too_large(self, message: impl Into<String>) -> BadText {
        self.error(message).beyond_limit()
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

/// Reads one token after the other, so that a text of 100 MB takes no more memory than its values.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    language: &'static Language,
    rest: &'a str,
    line: u32,
    column: u32,
    /// No token was read yet: a language line may follow.
    at_start: bool,
}

impl<'a> Lexer<'a> {
    /// Refuses a text that is too long.
    pub fn new(text: &'a str, language: &'static Language) -> Result<Self, BadText> {
        if text.len() > MAX_BYTES {
            let most = format!("a file has at most {} MB", MAX_BYTES >> 20);
            return Err(BadText::new(1, 1, most));
        }
        Ok(Lexer {
            language,
            rest: text,
            line: 1,
            column: 1,
            at_start: true,
        })
    }

    /// A span of this many characters from here on.
    fn span(&self, width: usize) -> Span {
        Span {
            line: self.line,
            column: self.column,
            width: width as u32,
        }
    }

    /// The next token; `End` at the end of the text and from then on.
    #[allow(clippy::should_implement_trait, reason = "it never ends, and may fail")]
    pub fn next(&mut self) -> Result<(Token<'a>, Span), BadText> {
        loop {
            let Some(first) = self.rest.chars().next() else {
                return Ok((Token::End, self.span(1)));
            };
            // Blanks and comments.
            if first == '\n' {
                (self.line, self.column, self.rest) = (self.line + 1, 1, &self.rest[1..]);
            } else if first.is_whitespace() || first == '\u{feff}' {
                (self.column, self.rest) = (self.column + 1, &self.rest[first.len_utf8()..]);
            } else if first == '$' {
                self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
            } else if std::mem::take(&mut self.at_start) && self.rest.starts_with("language") {
                self.language_line()?;
            } else {
                return self.token(first);
            }
        }
    }

    /// The language line ends with its line; the version is optional. Savile Row and Conjure write
    /// `ESSENCE'`; Conjure writes `Essence` in parameter files. The version does not matter.
    fn language_line(&mut self) -> Result<(), BadText> {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let words = self.rest[..end].split('$').next().unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().collect();
        let version = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        };
        let name = |word: &str| {
            let word = word.strip_suffix('\'').unwrap_or(word);
            word.eq_ignore_ascii_case("essence") || word.eq_ignore_ascii_case("eprime")
        };
        match words[..] {
            ["language", word] if name(word) => {}
            ["language", word, number] if name(word) && version(number) => {}
            _ => {
                let wanted = "expected 'language ESSENCE' 1.0', 'language Essence 1.3', or no \
                    language line";
                return Err(self.span(words.join(" ").chars().count()).error(wanted));
            }
        }
        self.rest = &self.rest[end..];
        self.at_start = true;
        Ok(())
    }

    /// The token that starts with this character.
    fn token(&mut self, first: char) -> Result<(Token<'a>, Span), BadText> {
        let rest = self.rest;
        let (token, length) = if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = rest[..length].parse::<i64>().ok();
            let too_large = || {
                let message = "numbers are below 9223372036854775808 (64 bits)";
                self.span(length).too_large(message)
            };
            (Token::Number(number.ok_or_else(too_large)?), length)
        } else if is_part_of_a_name(first) {
            let length = rest.find(|c: char| !is_part_of_a_name(c));
            let length = length.unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else {
            let starts_here = |symbol: &&&str| {
                symbol.as_bytes()[0] == rest.as_bytes()[0]
                    && rest.starts_with(**symbol)
                    && !(symbol.ends_with('x')
                        && rest[symbol.len()..].starts_with(is_part_of_a_name))
            };
            // Most symbols of a long text are commas.
            let found = match first {
                ',' => Some(&","),
                _ => self.language.symbols.iter().find(starts_here),
            };
            let unknown = || {
                let message = format!("{first:?} has no meaning in {}", self.language.name);
                self.span(1).error(message)
            };
            let symbol = found.ok_or_else(unknown)?;
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

/// Letters, digits and underscores, and pictures, which Conjure takes as letters, with the
/// characters that join and vary them.
fn is_part_of_a_name(c: char) -> bool {
    c.is_alphanumeric()
        || c == '_'
        || matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}' | '\u{200d}')
}
