//! One line of a file, and a position in it: the classes of characters and the small steps from
//! which the readers of the sections are made.

/// Whether PuzzleScript counts the character as a blank. It is the class `\s` of JavaScript, which
/// differs from Rust's: a byte order mark is a blank, the control character U+0085 is none.
pub(crate) fn is_blank(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Whether the character may be part of a word: a letter, a digit or an underscore.
pub(crate) fn is_wordy(c: char) -> bool {
    // Circled letters count as alphabetic in Rust, but they are symbols, not letters.
    (c.is_alphabetic() && !('\u{24b6}'..='\u{24e9}').contains(&c)) || c.is_numeric() || c == '_'
}

/// The text without the blanks at both ends.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// A line of the file, in lower case, and how far it was read.
#[derive(Default)]
pub(crate) struct Line {
    text: Vec<char>,
    original: Vec<char>,
    /// How many characters were read.
    pub(crate) at: usize,
}

impl Line {
    /// A line of which nothing was read yet.
    pub(crate) fn new(text: &str) -> Self {
        let original: Vec<char> = text.chars().collect();
        // One character for each, so that positions in both forms agree.
        let lower = |c: &char| c.to_lowercase().next().unwrap_or(*c);
        Self {
            text: original.iter().map(lower).collect(),
            original,
            at: 0,
        }
    }

    /// Whether all of it was read.
    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next character.
    pub(crate) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Passes one character.
    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.text.len());
    }

    /// The whole line in lower case.
    pub(crate) fn whole(&self) -> String {
        self.text.iter().collect()
    }

    /// The whole line as it was written.
    pub(crate) fn whole_original(&self) -> String {
        self.original.iter().collect()
    }

    /// What was not read yet, in lower case.
    pub(crate) fn rest(&self) -> &[char] {
        &self.text[self.at..]
    }

    /// What was not read yet, as it was written.
    pub(crate) fn rest_original(&self) -> String {
        self.original[self.at..].iter().collect()
    }

    /// Passes characters while they are wanted, and returns them.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let count = self.rest().iter().take_while(|&&c| wanted(c)).count();
        let taken = self.rest()[..count].iter().collect();
        self.at += count;
        taken
    }

    /// Passes blanks.
    pub(crate) fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }

    /// Passes everything.
    pub(crate) fn skip_to_end(&mut self) {
        self.at = self.text.len();
    }

    /// Passes everything up to the next comment.
    pub(crate) fn skip_to_comment(&mut self) -> String {
        self.take_while(|c| c != '(')
    }

    /// A word and the blanks after it; `None` where no word starts.
    pub(crate) fn word(&mut self) -> Option<String> {
        let word = self.take_while(is_wordy);
        self.skip_blanks_after(&word)
    }

    /// Anything but blanks and brackets of comments, and the blanks after it.
    pub(crate) fn chunk(&mut self) -> Option<String> {
        let chunk = self.take_while(|c| !is_blank(c) && c != '(' && c != ')');
        self.skip_blanks_after(&chunk)
    }

    fn skip_blanks_after(&mut self, taken: &str) -> Option<String> {
        if taken.is_empty() {
            return None;
        }
        self.skip_blanks();
        Some(taken.to_string())
    }

    /// The first of these words that stands here and is not part of a longer word; passes it and
    /// the blanks after it. `continues` tells which characters would make the word longer.
    pub(crate) fn one_of<'w>(
        &mut self,
        words: &[&'w str],
        continues: impl Fn(char) -> bool,
    ) -> Option<&'w str> {
        let rest = self.rest();
        let word = *words.iter().find(|word| {
            let length = word.chars().count();
            rest.len() >= length
                && word.chars().eq(rest[..length].iter().copied())
                && !rest.get(length).is_some_and(|&c| continues(c))
        })?;
        self.at += word.chars().count();
        self.skip_blanks();
        Some(word)
    }
}

/// Whether the character continues an ASCII word.
pub(crate) fn is_ascii_wordy(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
