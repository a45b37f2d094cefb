//! Reads the text of a game, section by section, into a [`Source`]: names, lines and words, not yet
//! what they mean.
//!
//! The reference reader is the syntax colouring of its editor: it looks at one token after the
//! other and stores what it sees on the way. Which faults it finds depends on that order, and on
//! small habits: a comment may come before anything, and what follows it counts as the start of
//! the line; a section name in the middle of a line is passed over; a line of `=` must be alone.
//! So this reader works token by token too. Each section has a file with what its tokens mean.

mod layers;
mod legend;
mod levels;
mod line;
mod objects;
mod prelude;
mod rules;
mod sounds;
mod wins;
mod words;

use std::collections::{HashMap, HashSet};

use legend::Meaning;
use line::{Line, is_wordy};
pub(crate) use line::{is_blank, trim};
pub(crate) use objects::{COLOURS, SPRITE_SIZE};
pub(crate) use sounds::SoundWord;
use words::SECTIONS;
pub(crate) use words::is_command;

use crate::fault::{Faults, Place};

/// An object as its section declares it.
#[derive(Clone, Debug)]
pub(crate) struct ObjectText {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) colours: Vec<String>,
    /// Rows of the sprite: digits and dots.
    pub(crate) sprite: Vec<String>,
}

/// What an entry of the legend makes of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegendKind {
    /// Another name for one thing.
    Synonym,
    /// Several things at once (`and`).
    Aggregate,
    /// Any one of several things (`or`).
    Property,
}

/// An entry of the legend, or a second name of an object.
#[derive(Clone, Debug)]
pub(crate) struct LegendText {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) kind: LegendKind,
    pub(crate) names: Vec<String>,
}

/// A line of the section of sounds.
#[derive(Clone, Debug)]
pub(crate) struct SoundText {
    pub(crate) line: usize,
    pub(crate) words: Vec<(String, SoundWord)>,
}

/// A line of the section of rules.
#[derive(Clone, Debug)]
pub(crate) struct RuleText {
    pub(crate) line: usize,
    /// Up to the first comment, in lower case.
    pub(crate) text: String,
    /// The column at which `text` starts, from 0.
    pub(crate) column: usize,
    /// The whole line as it was written.
    pub(crate) original: String,
}

/// A line of the section of win conditions.
#[derive(Clone, Debug)]
pub(crate) struct WinText {
    pub(crate) line: usize,
    pub(crate) words: Vec<String>,
}

/// An entry of the section of levels.
#[derive(Clone, Debug)]
pub(crate) enum LevelText {
    /// A text that is shown.
    Message { line: usize, text: String },
    /// A board.
    Map { line: usize, rows: Vec<Vec<char>> },
}

/// What the sections of a file say.
#[derive(Default)]
pub(crate) struct Source {
    /// Settings with their values and lines.
    pub(crate) prelude: Vec<(String, String, usize)>,
    pub(crate) objects: Vec<ObjectText>,
    pub(crate) legend: Vec<LegendText>,
    pub(crate) sounds: Vec<SoundText>,
    pub(crate) layers: Vec<Vec<String>>,
    pub(crate) rules: Vec<RuleText>,
    pub(crate) wins: Vec<WinText>,
    pub(crate) levels: Vec<LevelText>,
    /// The names that rules may use: those that were known when the section of sounds began.
    pub(crate) names: HashSet<String>,
    /// The line on which a name was last defined.
    pub(crate) defined: HashMap<String, usize>,
}

/// Reads a file; `None` where there are so many errors that reading was given up.
pub(crate) fn read(text: &str, faults: &mut Faults) -> Option<Source> {
    let mut reader = Reader {
        faults,
        source: Source::default(),
        line: Line::default(),
        number: 0,
        section: Section::Prelude,
        visited: Vec::new(),
        comments: 0,
        starts_after_comment: false,
        ended_by: None,
        step: 0,
        object: objects::Progress::default(),
        legend: Vec::new(),
        sound: sounds::Progress::default(),
        layer: Vec::new(),
        keys: HashSet::new(),
        map_is_open: false,
    };
    for line in text.split('\n') {
        reader.line = Line::new(line);
        loop {
            reader.token();
            if reader.faults.too_many() {
                return None;
            }
            if reader.line.at_end() {
                break;
            }
        }
    }
    Some(reader.source)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Prelude,
    Objects,
    Legend,
    Sounds,
    Layers,
    Rules,
    Wins,
    Levels,
}

/// `Reader::step` in a message: the rest of the line is text, also where it has brackets.
const MESSAGE: i32 = -4;

struct Reader<'f> {
    faults: &'f mut Faults,
    source: Source,
    line: Line,
    /// The number of the line, from 1.
    number: usize,
    section: Section,
    visited: Vec<&'static str>,
    /// How many comments are open.
    comments: usize,
    /// A comment ended that began the line: the next token counts as the first of its line.
    starts_after_comment: bool,
    /// What ended this line, so that only comments may follow.
    ended_by: Option<String>,
    /// How far the tokens of this line have come; each section counts in its own way.
    step: i32,
    object: objects::Progress,
    /// The words of the current line of the legend.
    legend: Vec<String>,
    sound: sounds::Progress,
    /// The names of the current line of the collision layers.
    layer: Vec<String>,
    /// The characters that a level may use.
    keys: HashSet<char>,
    /// Whether the next row belongs to the last map.
    map_is_open: bool,
}

impl Reader<'_> {
    /// Here: this line, and the column of the next character.
    fn here(&self) -> Place {
        Place::at(self.number, self.line.at + 1)
    }

    fn error(&mut self, place: Place, code: &'static str, message: impl Into<String>) {
        self.faults.error(place, code, message);
    }

    fn warning(&mut self, place: Place, code: &'static str, message: impl Into<String>) {
        self.faults.warning(place, code, message);
    }

    /// Reads one token, and at least one character of a line that is not empty.
    fn token(&mut self) {
        let mut starts = self.line.at == 0;
        if starts {
            self.number += 1;
            self.step = 0;
            self.ended_by = None;
            self.legend.clear();
            self.sound = sounds::Progress::default();
        }
        if std::mem::take(&mut self.starts_after_comment) {
            starts = true;
        }
        self.line.skip_blanks();
        let first = self.line.peek();
        if self.comment(first, starts) {
            return;
        }
        self.line.skip_blanks();
        if starts && self.line.at_end() {
            self.end_of_line();
            self.blank_line();
            return;
        }
        if let Some(what) = self.ended_by.clone()
            && !self.line.at_end()
        {
            let message = format!("only a comment may follow {what} on its line");
            self.error(self.here(), "line-should-end", message);
            self.line.skip_to_end();
            return;
        }
        if starts && self.row_of_equals() || self.section_name(starts) {
            return;
        }
        if self.line.at_end() {
            self.end_of_line();
            return;
        }
        match self.section {
            Section::Prelude => self.prelude(starts),
            Section::Objects => self.objects(starts),
            Section::Legend => self.legend(),
            Section::Sounds => self.sounds(),
            Section::Layers => self.layers(starts),
            Section::Rules => self.rules(starts, first),
            Section::Wins => self.wins(starts),
            Section::Levels => self.levels(starts),
        }
    }

    /// Reads a comment, if one is open or opens here. Returns whether the token is complete.
    fn comment(&mut self, first: Option<char>, starts: bool) -> bool {
        match first {
            Some('(') if self.step != MESSAGE => {
                self.line.advance();
                self.comments += 1;
            }
            Some(')') if self.comments == 0 => {
                let message = "')' closes a comment, but none is open";
                self.warning(self.here(), "stray-comment-end", message);
                self.line.advance();
                return true;
            }
            Some(')') => {
                self.line.advance();
                self.comments -= 1;
                if self.comments == 0 {
                    self.starts_after_comment = true;
                    return true;
                }
            }
            _ => {}
        }
        if self.comments == 0 {
            return false;
        }
        if starts {
            self.starts_after_comment = true;
        }
        while self.comments > 0 {
            self.line.take_while(|c| c != '(' && c != ')');
            match self.line.peek() {
                Some('(') => self.comments += 1,
                Some(_) => self.comments -= 1,
                None => break,
            }
            self.line.advance();
        }
        if self.line.at_end() {
            self.end_of_line();
        }
        true
    }

    /// A row of `=` between the sections. In the levels `=` may be a symbol, so there the rest of
    /// the line must be nothing else.
    fn row_of_equals(&mut self) -> bool {
        let only = |c: &char| *c == '=' || is_blank(*c);
        if self.section == Section::Levels && !self.line.rest().iter().all(only) {
            return false;
        }
        if self.line.take_while(|c| c == '=').is_empty() {
            return false;
        }
        self.ended_by = Some("a row of equals signs".to_string());
        true
    }

    /// The heading of a section. Levels are the last section, so headings are not looked for in
    /// them. A section name that does not start its line is passed over.
    fn section_name(&mut self, starts: bool) -> bool {
        if self.section == Section::Levels {
            return false;
        }
        let place = self.here();
        let Some(name) = self.line.one_of(&SECTIONS, is_wordy) else {
            return false;
        };
        if !starts {
            return false;
        }
        let index = SECTIONS.iter().position(|known| *known == name);
        let index = index.expect("the name is one of the sections");
        let upper = name.to_uppercase();
        if self.visited.contains(&name) {
            let message = format!("the section {upper} occurs twice");
            self.error(place, "section-twice", message);
        }
        self.ended_by = Some(format!("the section name {upper}"));
        self.visited.push(name);
        if index == 0 {
            self.object.restart();
            if self.visited.len() > 1 {
                let message = format!("the section {upper} must be the first one");
                self.error(place, "section-not-first", message);
            }
        } else if !self.visited.contains(&SECTIONS[index - 1]) {
            let before = SECTIONS[index - 1].to_uppercase();
            let message = format!(
                "the section {upper} must follow {before}, which is missing or comes later; an \
                 empty section needs its heading too"
            );
            self.error(place, "section-order", message);
        }
        self.section = [
            Section::Objects,
            Section::Legend,
            Section::Sounds,
            Section::Layers,
            Section::Rules,
            Section::Wins,
            Section::Levels,
        ][index];
        match self.section {
            Section::Sounds => {
                let objects = self.source.objects.iter().map(|object| &object.name);
                let legend = self.source.legend.iter().map(|entry| &entry.name);
                let names = objects.chain(legend).cloned();
                self.source.names.extend(names);
            }
            Section::Levels => self.collect_keys(),
            _ => {}
        }
        true
    }

    /// What is complete at the end of its line.
    fn end_of_line(&mut self) {
        match self.section {
            Section::Legend => self.finish_legend(),
            Section::Sounds => self.finish_sound(),
            _ => {}
        }
    }

    fn blank_line(&mut self) {
        match self.section {
            Section::Objects => self.object.restart(),
            Section::Levels => self.map_is_open = false,
            _ => {}
        }
    }
}
