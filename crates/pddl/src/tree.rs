//! PDDL text as trees: words and lists, each with its place. What the words mean is the parser's business.
//!
//! Reading uses a stack of its own and refuses absurd depth, so that no text can exhaust the program's stack, here or when
//! the tree is walked later.

use ployglot_base::BadText;

/// A deeper text is junk: the deepest real models are a few dozen levels deep.
const DEEPEST: usize = 400;
const LONGEST: usize = 256 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub spot: Spot,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In lower case: PDDL does not tell cases apart.
    Word(String),
    List(Vec<Tree>),
}

/// Where something stands, and how many characters it covers on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Spot {
    pub line: u32,
    pub column: u32,
    pub width: u32,
}

impl Spot {
    pub fn bad(self, message: impl Into<String>) -> BadText {
        BadText::new(self.line as usize, self.column as usize, message).wide(self.width as usize)
    }
}

impl Tree {
    /// Reads the one list that a file holds.
    pub fn parse(text: &str) -> Result<Tree, BadText> {
        if text.len() > LONGEST {
            return Err(BadText::new(
                1,
                1,
                format!("a file has at most {} MB", LONGEST >> 20),
            ));
        }
        let mut open: Vec<Tree> = Vec::new();
        let mut whole: Option<Tree> = None;
        let mut words = Words {
            rest: text,
            line: 1,
            column: 1,
        };
        while let Some((spot, word)) = words.next() {
            if whole.is_some() {
                return Err(spot.bad(format!("the file ends with the ')' above, found '{word}'")));
            }
            let finished = match word {
                "(" => {
                    if open.len() == DEEPEST {
                        return Err(spot.bad(format!("lists are nested at most {DEEPEST} deep")));
                    }
                    open.push(Tree {
                        spot,
                        kind: Kind::List(Vec::new()),
                    });
                    continue;
                }
                ")" => match open.pop() {
                    Some(list) => list,
                    None => return Err(spot.bad("this ')' closes nothing")),
                },
                word => Tree {
                    spot,
                    kind: Kind::Word(word.to_lowercase()),
                },
            };
            match open.last_mut() {
                Some(Tree {
                    kind: Kind::List(items),
                    ..
                }) => items.push(finished),
                _ if matches!(finished.kind, Kind::List(_)) => whole = Some(finished),
                _ => return Err(spot.bad(format!("expected '(define …)', found '{word}'"))),
            }
        }
        if let Some(list) = open.last() {
            return Err(list.spot.bad("this '(' is never closed"));
        }
        whole.ok_or_else(|| BadText::new(1, 1, "the file is empty; expected '(define …)'"))
    }

    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            Kind::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Tree]> {
        match &self.kind {
            Kind::Word(_) => None,
            Kind::List(items) => Some(items),
        }
    }

    /// What this is, for a message: the word in quotes, or a list by its head.
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

    /// Something else was expected here.
    pub fn expected(&self, what: &str) -> BadText {
        self.spot
            .bad(format!("expected {what}, found {}", self.found()))
    }
}

/// Parentheses and words; comments from `;` to the end of the line.
struct Words<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<(Spot, &'a str)> {
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
            let spot = Spot {
                line: self.line,
                column: self.column,
                width,
            };
            self.skip(length);
            return Some((spot, word));
        }
    }

    /// Passes over bytes that hold no newline.
    fn skip(&mut self, bytes: usize) {
        self.column += self.rest[..bytes].chars().count() as u32;
        self.rest = &self.rest[bytes..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lists_with_their_places() {
        let tree = Tree::parse("; hello\n(define (Domain X)\n  ?a)").unwrap();
        let items = tree.list().unwrap();
        assert_eq!(items[1].list().unwrap()[1].word(), Some("x"));
        assert_eq!(
            items[2].spot,
            Spot {
                line: 3,
                column: 3,
                width: 2
            }
        );
    }

    #[test]
    fn what_is_not_a_tree_is_told() {
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
