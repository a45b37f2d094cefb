//! PDDL text as trees: words and lists, each with its position in the text. The parser gives the
//! words their meaning.
//!
//! Reading keeps its own stack and limits the nesting depth, so that no text can exhaust the
//! program's stack, here or when the tree is traversed later. A tree takes about ten times the
//! memory of its text, so one section, which may have millions of items, can be left out and read
//! item by item later (`parse_without`).

use std::borrow::Cow;

use ployglot_base::{BadText, Budget, Poll};

/// The greatest nesting depth. The deepest real models have a few dozen levels.
const MAX_DEPTH: usize = 400;
/// The greatest length of a text in bytes.
pub const MAX_BYTES: usize = 1 << 30;

/// A word or a list, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<'a> {
    /// The word, or the opening parenthesis of the list.
    pub span: Span,
    /// The word, or the items of the list.
    pub kind: Kind<'a>,
}

/// The content of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A word in lower case: PDDL is case-insensitive.
    Word(Cow<'a, str>),
    /// The items between two parentheses.
    List(Vec<Tree<'a>>),
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

impl<'a> Tree<'a> {
    /// Reads a text that holds exactly one list.
    pub fn parse(text: &'a str) -> Result<Tree<'a>, BadText> {
        let budget = Budget::unlimited();
        Ok(Self::parse_without(text, "", &Poll::new(&budget, "read"))?.tree)
    }

    /// Reads a text that holds exactly one list, without the items of the inner lists that start
    /// with the word `section`. At a limit, which `poll` has, the result is an error without
    /// meaning.
    pub(crate) fn parse_without(
        text: &'a str,
        section: &str,
        poll: &Poll,
    ) -> Result<Read<'a>, BadText> {
        if text.len() > MAX_BYTES {
            let message = format!("a file has at most {} MB", MAX_BYTES >> 20);
            return Err(BadText::new(1, 1, message));
        }
        let mut words = Words::new(text);
        let mut open: Vec<Tree> = Vec::new();
        let mut left_out = None;
        loop {
            poll.try_step()
                .map_err(|_| words.span(0).error("stopped"))?;
            let Some((span, word)) = words.next() else {
                let unclosed = open
                    .last()
                    .map(|list| list.span.error("this '(' is never closed"));
                let empty = || BadText::new(1, 1, "the file is empty; expected '(define …)'");
                return Err(unclosed.unwrap_or_else(empty));
            };
            let finished = match word {
                "(" => {
                    open.push(opened(span, open.len())?);
                    continue;
                }
                ")" => open
                    .pop()
                    .ok_or_else(|| span.error("this ')' closes nothing"))?,
                word => Tree::word_at(span, word),
            };
            let depth = open.len();
            match open.last_mut().map(|list| &mut list.kind) {
                Some(Kind::List(items)) => {
                    let starts = items.is_empty() && depth == 2;
                    if starts && finished.word() == Some(section) {
                        left_out = Some(Items {
                            words: words.clone(),
                        });
                        words.skip_items(depth, poll)?;
                    }
                    items.push(finished);
                }
                _ if finished.list().is_some() => {
                    if let Some((span, word)) = words.next() {
                        let message = format!("the file ends with the ')' above, found '{word}'");
                        return Err(span.error(message));
                    }
                    return Ok(Read {
                        tree: finished,
                        left_out,
                        warnings: words.warnings(text),
                    });
                }
                _ => return Err(span.error(format!("expected '(define …)', found '{word}'"))),
            }
        }
    }

    fn word_at(span: Span, word: &'a str) -> Tree<'a> {
        let upper = |c: char| c.is_ascii_uppercase() || !c.is_ascii();
        let word = match word.contains(upper) {
            true => Cow::Owned(word.to_lowercase()),
            false => Cow::Borrowed(word),
        };
        Tree {
            span,
            kind: Kind::Word(word),
        }
    }

    /// The word; `None` for a list.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            Kind::List(_) => None,
        }
    }

    /// The items of the list; `None` for a word.
    pub fn list(&self) -> Option<&[Tree<'a>]> {
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

/// A text that was read.
pub(crate) struct Read<'a> {
    pub tree: Tree<'a>,
    /// The items of the list that was left out; where there are several, of the last.
    pub left_out: Option<Items<'a>>,
    pub warnings: Vec<BadText>,
}

/// A list that was just opened inside `depth` others.
fn opened<'a>(span: Span, depth: usize) -> Result<Tree<'a>, BadText> {
    if depth >= MAX_DEPTH {
        return Err(span.error(format!("lists are nested at most {MAX_DEPTH} deep")));
    }
    Ok(Tree {
        span,
        kind: Kind::List(Vec::new()),
    })
}

/// The items of a list that was left out of its tree.
#[derive(Clone)]
pub(crate) struct Items<'a> {
    /// Starts after the first word of the list. The parentheses up to the end of the list match.
    words: Words<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Tree<'a>;

    fn next(&mut self) -> Option<Tree<'a>> {
        let mut open: Vec<Tree> = Vec::new();
        loop {
            let (span, word) = self.words.next()?;
            let finished = match word {
                "(" => {
                    open.push(Tree {
                        span,
                        kind: Kind::List(Vec::new()),
                    });
                    continue;
                }
                ")" => open.pop()?,
                word => Tree::word_at(span, word),
            };
            match open.last_mut().map(|list| &mut list.kind) {
                Some(Kind::List(items)) => items.push(finished),
                _ => return Some(finished),
            }
        }
    }
}

/// Whether a text starts with `(define (KIND`, as a domain or a problem does.
pub(crate) fn starts_with_kind(text: &str, kind: &str) -> bool {
    let mut words = Words::new(text);
    let expected = ["(", "define", "(", kind];
    expected.iter().all(|expected| {
        let found = words.next();
        found.is_some_and(|(_, word)| word.eq_ignore_ascii_case(expected))
    })
}

/// The tokens of a text: parentheses and words, without comments (from `;` to the end of the line).
#[derive(Clone)]
struct Words<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    /// The first variable that follows a name without a space.
    glued: Option<Span>,
}

impl<'a> Words<'a> {
    /// A byte-order mark at the start is not part of the text.
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            line: 1,
            column: 1,
            glued: None,
        }
    }

    /// What was accepted although PDDL does not have it.
    fn warnings(&self, text: &str) -> Vec<BadText> {
        let mark = text.starts_with('\u{feff}');
        let mark = mark.then(|| BadText::new(1, 1, "the file starts with a byte-order mark"));
        let glued = self.glued.map(|span| {
            span.error("a space is missing before the '?'; it is read as if it were there")
        });
        mark.into_iter().chain(glued).collect()
    }

    /// The current position.
    fn span(&self, width: u32) -> Span {
        Span {
            line: self.line,
            column: self.column,
            width,
        }
    }

    fn next(&mut self) -> Option<(Span, &'a str)> {
        loop {
            let &first = self.rest.as_bytes().first()?;
            let length = match first {
                b'\n' => {
                    self.rest = &self.rest[1..];
                    self.line += 1;
                    self.column = 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    self.rest = &self.rest[1..];
                    self.column += 1;
                    continue;
                }
                b';' => {
                    self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
                    continue;
                }
                b'(' | b')' => 1,
                _ => {
                    let end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '?');
                    let first = self.rest.chars().next()?;
                    if first.is_whitespace() {
                        self.skip(first.len_utf8());
                        continue;
                    }
                    let after = &self.rest[first.len_utf8()..];
                    let length = first.len_utf8() + after.find(end).unwrap_or(after.len());
                    // As Fast Downward does, a '?' starts a new word.
                    if self.rest[length..].starts_with('?') && self.glued.is_none() {
                        let before = self.rest[..length].chars().count() as u32;
                        let column = self.column + before;
                        self.glued = Some(Span {
                            column,
                            ..self.span(1)
                        });
                    }
                    length
                }
            };
            let word = &self.rest[..length];
            let span = self.span(word.chars().count() as u32);
            self.column += span.width;
            self.rest = &self.rest[length..];
            return Some((span, word));
        }
    }

    /// Skips bytes that hold no newline.
    fn skip(&mut self, bytes: usize) {
        self.column += self.rest[..bytes].chars().count() as u32;
        self.rest = &self.rest[bytes..];
    }

    /// Skips the items up to the parenthesis that closes the current list, which is inside `depth`
    /// lists, itself included.
    fn skip_items(&mut self, depth: usize, poll: &Poll) -> Result<(), BadText> {
        let mut open: Vec<Span> = Vec::new();
        loop {
            poll.try_step().map_err(|_| self.span(0).error("stopped"))?;
            let before = self.clone();
            match self.next() {
                Some((span, "(")) => {
                    opened(span, depth + open.len())?;
                    open.push(span);
                }
                Some((_, ")")) => {
                    if open.pop().is_none() {
                        *self = before;
                        return Ok(());
                    }
                }
                Some(_) => {}
                None => {
                    let unclosed = open
                        .last()
                        .map(|span| span.error("this '(' is never closed"));
                    return unclosed.map_or(Ok(()), Err);
                }
            }
        }
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
