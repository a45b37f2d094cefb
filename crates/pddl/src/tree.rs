//! PDDL text as trees: words and lists, each with its position in the text. The parser gives the
//! words their meaning.
//!
//! Reading keeps its own stack and limits the nesting depth, so that no text can exhaust the
//! program's stack, here or when the tree is traversed later.

use ployglot_base::BadText;

/// The greatest nesting depth. The deepest real models have a few dozen levels.
const MAX_DEPTH: usize = 400;
/// The greatest length of a text in bytes.
const MAX_BYTES: usize = 256 << 20;

/// A word or a list, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The word, or the opening parenthesis of the list.
    pub span: Span,
    /// The word, or the items of the list.
    pub kind: Kind,
}

/// The content of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word in lower case: PDDL is case-insensitive.
    Word(String),
    /// The items between two parentheses.
    List(Vec<Tree>),
}

/// A position in a text, and the number of characters that are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// How many characters of the line are meant.
    pub width: u32,
}

impl Span {
    /// An error at this position.
    pub fn error(self, message: impl Into<String>) -> BadText {
        BadText::new(self.line as usize, self.column as usize, message).wide(self.width as usize)
    }
}

impl Tree {
    /// Reads a text that holds exactly one list.
    pub fn parse(text: &str) -> Result<Tree, BadText> {
        if text.len() > MAX_BYTES {
            return Err(BadText::new(
                1,
                1,
                format!("a file has at most {} MB", MAX_BYTES >> 20),
            ));
        }
        let mut open: Vec<Tree> = Vec::new();
        let mut whole: Option<Tree> = None;
        let mut words = Words {
            rest: text,
            line: 1,
            column: 1,
        };
        while let Some((span, word)) = words.next() {
            if whole.is_some() {
                return Err(span.error(format!("the file ends with the ')' above, found '{word}'")));
            }
            let finished = match word {
                "(" => {
                    if open.len() == MAX_DEPTH {
                        return Err(
                            span.error(format!("lists are nested at most {MAX_DEPTH} deep"))
                        );
                    }
                    open.push(Tree {
                        span,
                        kind: Kind::List(Vec::new()),
                    });
                    continue;
                }
                ")" => match open.pop() {
                    Some(list) => list,
                    None => return Err(span.error("this ')' closes nothing")),
                },
                word => Tree {
                    span,
                    kind: Kind::Word(word.to_lowercase()),
                },
            };
            match open.last_mut() {
                Some(Tree {
                    kind: Kind::List(items),
                    ..
                }) => items.push(finished),
                _ if matches!(finished.kind, Kind::List(_)) => whole = Some(finished),
                _ => return Err(span.error(format!("expected '(define …)', found '{word}'"))),
            }
        }
        if let Some(list) = open.last() {
            return Err(list.span.error("this '(' is never closed"));
        }
        whole.ok_or_else(|| BadText::new(1, 1, "the file is empty; expected '(define …)'"))
    }

    /// The word; `None` for a list.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            Kind::List(_) => None,
        }
    }

    /// The items of the list; `None` for a word.
    pub fn list(&self) -> Option<&[Tree]> {
        match &self.kind {
            Kind::Word(_) => None,
            Kind::List(items) => Some(items),
        }
    }

    /// The tree in a message: the word in quotes, or the list by its first word.
    pub fn found(&self) -> String {
        match &self.kind {
            Kind::Word(word) => format!("'{word}'"),
            Kind::List(items) => match items.first().and_then(Tree::word) {
                Some(head) => format!("'({head} …)'"),
                None if items.is_empty() => "'()'".to_string(),
                None => "a list".to_string(),
            },
        }
    }

    /// The error that `what` was expected here.
    pub fn expected(&self, what: &str) -> BadText {
        self.span
            .error(format!("expected {what}, found {}", self.found()))
    }
}

/// The tokens of a text: parentheses and words, without comments (from `;` to the end of the line).
struct Words<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<(Span, &'a str)> {
        loop {
            let first = self.rest.chars().next()?;
            let length = match first {
                '\n' => {
                    self.rest = &self.rest[1..];
                    self.line += 1;
                    self.column = 1;
                    continue;
                }
                c if c.is_whitespace() => {
                    self.skip(c.len_utf8());
                    continue;
                }
                ';' => {
                    self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
                    continue;
                }
                '(' | ')' => 1,
                _ => {
                    let end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';');
                    self.rest.find(end).unwrap_or(self.rest.len())
                }
            };
            let word = &self.rest[..length];
            let width = word.chars().count() as u32;
            let span = Span {
                line: self.line,
                column: self.column,
                width,
            };
            self.skip(length);
            return Some((span, word));
        }
    }

    /// Skips bytes that hold no newline.
    fn skip(&mut self, bytes: usize) {
        self.column += self.rest[..bytes].chars().count() as u32;
        self.rest = &self.rest[bytes..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lists_have_positions() {
        let tree = Tree::parse("; hello\n(define (Domain X)\n  ?a)").unwrap();
        let items = tree.list().unwrap();
        assert_eq!(items[1].list().unwrap()[1].word(), Some("x"));
        assert_eq!(
            items[2].span,
            Span {
                line: 3,
                column: 3,
                width: 2
            }
        );
    }

    #[test]
    fn errors_name_the_position_and_the_cause() {
        for (text, line, column, part) in [
            ("", 1, 1, "empty"),
            ("(a (b)", 1, 1, "never closed"),
            ("(a))", 1, 4, "ends with the ')'"),
            (")", 1, 1, "closes nothing"),
            ("a", 1, 1, "expected '(define"),
        ] {
            let bad = Tree::parse(text).unwrap_err();
            assert_eq!((bad.line, bad.column), (line, column), "{text}");
            assert!(bad.message.contains(part), "{bad}");
        }
        assert!(
            Tree::parse(&"(".repeat(1 << 20))
                .unwrap_err()
                .message
                .contains("nested")
        );
    }
}
