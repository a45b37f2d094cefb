//! Reads a line of the section of rules as a rule: directions, patterns, the arrow, commands.

use std::rc::Rc;

use super::names::{Names, Symbol};
use crate::fault::{Faults, Place};
use crate::game::Command;
use crate::read::{RuleText, Source, is_blank, is_command};

/// What stands before a name in a cell, or before the brackets of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// Nothing.
    Plain,
    Up,
    Down,
    Left,
    Right,
    Action,
    Moving,
    Stationary,
    No,
    RandomDir,
    Random,
    Horizontal,
    Vertical,
    Orthogonal,
    Perpendicular,
    Parallel,
    /// `^`, `v`, `<` and `>`.
    Left90,
    Right90,
    Backward,
    Forward,
    /// `parallel` and `perpendicular`, once the direction of the rule is known.
    HorizontalParallel,
    HorizontalPerpendicular,
    VerticalParallel,
    VerticalPerpendicular,
    Ellipsis,
}

impl Mark {
    fn of(word: &str) -> Option<Mark> {
        Some(match word {
            ">" => Mark::Forward,
            "<" => Mark::Backward,
            "^" => Mark::Left90,
            "v" => Mark::Right90,
            "up" => Mark::Up,
            "down" => Mark::Down,
            "left" => Mark::Left,
            "right" => Mark::Right,
            "action" => Mark::Action,
            "moving" => Mark::Moving,
            "stationary" => Mark::Stationary,
            "no" => Mark::No,
            "randomdir" => Mark::RandomDir,
            "random" => Mark::Random,
            "horizontal" => Mark::Horizontal,
            "vertical" => Mark::Vertical,
            "orthogonal" => Mark::Orthogonal,
            "perpendicular" => Mark::Perpendicular,
            "parallel" => Mark::Parallel,
            _ => return None,
        })
    }

    /// Whether it depends on the direction of the rule.
    pub(super) fn is_relative(self) -> bool {
        matches!(
            self,
            Mark::Left90
                | Mark::Right90
                | Mark::Backward
                | Mark::Forward
                | Mark::Perpendicular
                | Mark::Parallel
        )
    }

    /// The movements that an ambiguous mark may be; empty for any other mark.
    pub(super) fn choices(self) -> &'static [Mark] {
        match self {
            Mark::Horizontal | Mark::HorizontalParallel | Mark::HorizontalPerpendicular => {
                &[Mark::Left, Mark::Right]
            }
            Mark::Vertical | Mark::VerticalParallel | Mark::VerticalPerpendicular => {
                &[Mark::Up, Mark::Down]
            }
            Mark::Moving => &[Mark::Up, Mark::Down, Mark::Left, Mark::Right, Mark::Action],
            Mark::Orthogonal => &[Mark::Up, Mark::Down, Mark::Left, Mark::Right],
            _ => &[],
        }
    }
}

/// A cell of a rule: names with what stands before them.
pub(super) type CellText = Vec<(Mark, Symbol)>;
/// One side of a rule: its rows of cells.
pub(super) type Side = Vec<Vec<CellText>>;

/// A rule as it is written.
#[derive(Clone, Debug)]
pub(super) struct WrittenRule {
    pub(super) line: usize,
    /// The first line of its group.
    pub(super) group: usize,
    pub(super) directions: Vec<Mark>,
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) late: bool,
    pub(super) rigid: bool,
    pub(super) random: bool,
    pub(super) commands: Rc<Vec<Command>>,
}

/// What a line among the rules is.
pub(super) enum RuleLine {
    Rule(WrittenRule),
    StartLoop,
    EndLoop,
}

/// A word of a rule and its column, from 0.
struct Token {
    word: String,
    column: usize,
}

fn tokens(text: &RuleText) -> Vec<Token> {
    let chars: Vec<char> = text.text.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut open = false;
    let mut index = 0;
    while index < chars.len() {
        let arrow = chars[index..].starts_with(&['-', '>']);
        let plus = tokens.is_empty() && chars[index] == '+';
        if is_blank(chars[index]) {
            open = false;
        } else if ['[', ']', '|'].contains(&chars[index]) || arrow || plus {
            let word = if arrow {
                "->".to_string()
            } else {
                chars[index].to_string()
            };
            tokens.push(Token {
                word,
                column: text.column + index,
            });
            open = false;
            index += usize::from(arrow);
        } else if open {
            let last = tokens.last_mut().expect("a word is open");
            last.word.push(chars[index]);
        } else {
            tokens.push(Token {
                word: chars[index].to_string(),
                column: text.column + index,
            });
            open = true;
        }
        index += 1;
    }
    tokens
}

/// What the patterns of a rule hold while they are read.
struct Patterns {
    /// Words of the current cell: marks and names in turn, in a well-formed cell.
    cell: Vec<Word>,
    row: Vec<CellText>,
    in_row: bool,
    open_brackets: i32,
    after_arrow: bool,
    left: Side,
    right: Side,
    commands: Vec<Command>,
}

/// A word in a cell.
#[derive(Clone, Copy, PartialEq)]
enum Word {
    Mark(Mark),
    Name(Symbol),
}

/// Reads a line of the section of rules; `None` for a line that is no rule. `earlier` are the rules
/// before it. `invalid` is set where no game can be made of the rule.
pub(super) fn read_rule(
    text: &RuleText,
    source: &Source,
    names: &mut Names,
    earlier: &[WrittenRule],
    invalid: &mut bool,
    faults: &mut Faults,
) -> Option<RuleLine> {
    let line = text.line;
    let place = Place::line(line);
    if text.original.contains('(') && !text.text.contains("->") {
        let message = "'(' starts a comment, and a rule cannot contain comments";
        faults.error(place, "comment-in-rule", message);
        return None;
    }
    let tokens = tokens(text);
    if tokens.is_empty() {
        faults.error(place, "empty-rule", "the line has no rule");
    }
    match tokens.as_slice() {
        [only] if only.word == "startloop" => return Some(RuleLine::StartLoop),
        [only] if only.word == "endloop" => return Some(RuleLine::EndLoop),
        _ => {}
    }
    if tokens.iter().all(|token| token.word != "->") {
        faults.error(place, "no-arrow", "a rule has an arrow, ->");
    }
    let mut rule = WrittenRule {
        line,
        group: line,
        directions: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        late: false,
        rigid: false,
        random: false,
        commands: Rc::default(),
    };
    let start = read_header(&tokens, &mut rule, earlier, faults);
    if start < tokens.len() && rule.directions.is_empty() {
        rule.directions = Mark::Orthogonal.choices().to_vec();
    }
    read_patterns(
        &tokens[start..],
        text,
        source,
        names,
        earlier,
        &mut rule,
        faults,
    )?;

    if rule.late && rule.rigid {
        let message = "a late rule cannot be rigid: it has no movements";
        faults.error(place, "late-rigid", message);
    }
    if rule.left.len() != rule.right.len() {
        if rule.commands.is_empty() || !rule.right.is_empty() {
            let message = "a rule has as many patterns on the right side as on the left";
            faults.warning(place, "pattern-count", message);
            return None;
        }
    } else {
        for (left, right) in rule.left.iter().zip(&rule.right) {
            if left.len() != right.len() {
                let message = "a pattern has as many cells on the right side as on the left";
                faults.error(place, "pattern-length", message);
                *invalid = true;
            }
            if left.is_empty() {
                let message = "a pattern without cells on the left side matches everything";
                faults.error(Place::FILE, "empty-pattern", message);
            }
        }
    }
    if rule.left.is_empty() {
        faults.error(place, "rule-without-pattern", "the rule has no pattern");
    }
    // A rule whose result does not depend on its direction needs only one.
    if !has_direction(&rule) {
        rule.directions.truncate(1);
    }
    Some(RuleLine::Rule(rule))
}

/// Reads what stands before the first bracket. Returns where that is.
fn read_header(
    tokens: &[Token],
    rule: &mut WrittenRule,
    earlier: &[WrittenRule],
    faults: &mut Faults,
) -> usize {
    let line = rule.line;
    let mut joined = false;
    for (index, token) in tokens.iter().enumerate() {
        let place = Place::at(line, token.column + 1);
        match token.word.as_str() {
            "[" => return index,
            "+" if rule.group != line => {
                faults.error(place, "plus-twice", "a rule has at most one '+'");
                joined = true;
            }
            "+" => {
                joined = true;
                match earlier.last() {
                    Some(last) => rule.group = last.group,
                    None => {
                        let message = "'+' joins a rule to the one before it, but there is none";
                        faults.error(place, "plus-without-rule", message);
                        joined = false;
                    }
                }
                if index != 0 {
                    let message = "'+' must be the first symbol of the line";
                    faults.error(place, "plus-not-first", message);
                }
            }
            "late" => rule.late = true,
            "rigid" => rule.rigid = true,
            "random" => {
                rule.random = true;
                if joined {
                    let message = "only the first rule of a group can make the group random";
                    faults.error(place, "random-in-group", message);
                }
            }
            word => match Mark::of(word) {
                Some(mark) if mark.is_relative() => {
                    let message = "the direction of a rule is absolute: up, down, left, right, \
                                   horizontal, vertical or orthogonal";
                    faults.error(place, "relative-rule-direction", message);
                }
                Some(mark @ (Mark::Up | Mark::Down | Mark::Left | Mark::Right)) => {
                    rule.directions.push(mark);
                }
                Some(mark) if !mark.choices().is_empty() => {
                    // A rule has no direction for the action key, though `moving` includes it.
                    let choices = mark.choices().iter();
                    rule.directions
                        .extend(choices.filter(|choice| **choice != Mark::Action));
                }
                _ => {
                    let message = format!(
                        "only directions may stand before the first bracket of a rule, found {}",
                        word.to_uppercase()
                    );
                    faults.error(place, "rule-start", message);
                }
            },
        }
    }
    tokens.len()
}

/// Reads patterns, the arrow and commands. `None` where the rest makes no sense.
fn read_patterns(
    tokens: &[Token],
    text: &RuleText,
    source: &Source,
    names: &mut Names,
    earlier: &[WrittenRule],
    rule: &mut WrittenRule,
    faults: &mut Faults,
) -> Option<()> {
    let ellipsis = names.symbol("...");
    let mut patterns = Patterns {
        cell: Vec::new(),
        row: Vec::new(),
        in_row: false,
        open_brackets: 0,
        after_arrow: false,
        left: Vec::new(),
        right: Vec::new(),
        commands: Vec::new(),
    };
    let p = &mut patterns;
    for (index, token) in tokens.iter().enumerate() {
        let place = Place::at(rule.line, token.column + 1);
        let word = token.word.as_str();
        if word == "[" {
            p.open_brackets += 1;
            if p.open_brackets > 1 {
                let message = "'[' within brackets: every '[' needs a ']' before the next one";
                faults.warning(place, "nested-brackets", message);
            }
            if !p.cell.is_empty() {
                let message = "'[' before the last bracket was closed";
                faults.error(place, "bracket-in-cell", message);
            }
            p.in_row = true;
            p.cell.clear();
        } else if let Some(mark) = Mark::of(word) {
            let allowed_late = matches!(mark, Mark::No | Mark::Random | Mark::RandomDir);
            if p.cell.len() % 2 == 1 {
                let message = "an object has at most one movement";
                faults.error(place, "two-movements", message);
            } else if !p.in_row {
                let message = "the directions of a rule stand at its start";
                faults.warning(place, "direction-outside-brackets", message);
            } else if rule.late && !allowed_late {
                faults.error(place, "late-movement", "a late rule has no movements");
            } else {
                p.cell.push(Word::Mark(mark));
            }
        } else if word == "|" {
            if !p.in_row {
                faults.warning(place, "bar-outside-brackets", "'|' stands within brackets");
            } else if p.cell.len() % 2 == 1 {
                movement_without_object(place, faults);
            } else {
                p.close_cell(ellipsis);
            }
        } else if word == "]" {
            p.open_brackets -= 1;
            if p.open_brackets < 0 {
                let message = "']' without a '[' before it";
                faults.warning(place, "stray-bracket", message);
                return None;
            }
            if p.cell.len().is_multiple_of(2) {
                p.close_cell(ellipsis);
            } else if p.cell[0] == Word::Mark(Mark::Ellipsis) {
                let message = "a pattern cannot end with an ellipsis";
                faults.error(place, "ends-with-ellipsis", message);
            } else {
                movement_without_object(place, faults);
            }
            let row = std::mem::take(&mut p.row);
            match p.after_arrow {
                true => p.right.push(row),
                false => p.left.push(row),
            }
            p.in_row = false;
        } else if word == "->" {
            let parent = earlier.last().filter(|_| rule.group != rule.line);
            if parent.is_some_and(|parent| parent.late != rule.late) {
                let message = "a group mixes late rules and others";
                faults.warning(place, "late-and-not-late", message);
            }
            if p.in_row {
                faults.warning(place, "arrow-in-brackets", "'->' stands between brackets");
            } else if p.after_arrow {
                faults.error(place, "two-arrows", "a rule has one arrow");
                return None;
            }
            p.after_arrow |= !p.in_row;
        } else if source.names.contains(word) {
            if !p.in_row {
                let message = format!("{} stands outside brackets", word.to_uppercase());
                faults.warning(place, "name-outside-brackets", message);
            } else {
                let symbol = names.symbol(word);
                p.add_name(symbol, place, names, faults);
            }
        } else if word == "..." {
            if !p.in_row {
                let message = "an ellipsis stands within brackets";
                faults.warning(place, "ellipsis-outside-brackets", message);
            } else {
                p.cell.push(Word::Mark(Mark::Ellipsis));
                p.cell.push(Word::Name(ellipsis));
            }
        } else if is_command(word) {
            let bracket_follows = tokens[index..].iter().any(|token| token.word == "]");
            let message = "commands stand at the end of a rule";
            if !p.after_arrow {
                faults.error(place, "command-too-early", message);
            } else if p.in_row || bracket_follows {
                faults.warning(place, "command-before-pattern", message);
            }
            let sound = word
                .strip_prefix("sfx")
                .and_then(|number| number.parse().ok());
            let command = match (word, sound) {
                ("cancel", _) => Command::Cancel,
                ("restart", _) => Command::Restart,
                ("win", _) => Command::Win,
                ("checkpoint", _) => Command::Checkpoint,
                ("again", _) => Command::Again,
                (_, Some(number)) => {
                    let declared = |sound: &crate::read::SoundText| sound.words[0].0 == word;
                    if !source.sounds.iter().any(declared) {
                        let message = format!("the sound effect {word} is not declared");
                        faults.warning(place, "undeclared-sound", message);
                    }
                    Command::Sound(number)
                }
                _ => {
                    let rest: String = text
                        .original
                        .chars()
                        .skip(token.column + word.len())
                        .collect();
                    let message = crate::read::trim(&rest).to_string();
                    p.commands.push(Command::Message(message));
                    break;
                }
            };
            p.commands.push(command);
        } else {
            let message = format!("expected the contents of a cell, found \"{word}\"");
            faults.error(place, "cell-text", message);
        }
    }
    rule.left = patterns.left;
    rule.right = patterns.right;
    rule.commands = Rc::new(patterns.commands);
    Some(())
}

fn movement_without_object(place: Place, faults: &mut Faults) {
    let message = "a movement needs an object after it";
    faults.error(place, "movement-without-object", message);
}

impl Patterns {
    /// Ends a cell whose words are pairs of a mark and a name. An ellipsis is a pair of its own; it
    /// may also stand in the place of a mark or of a name, where that is missing.
    fn close_cell(&mut self, ellipsis: Symbol) {
        let words = std::mem::take(&mut self.cell);
        let pair = |pair: &[Word]| {
            let mark = match pair[0] {
                Word::Mark(mark) => mark,
                Word::Name(_) => Mark::Ellipsis,
            };
            let name = match pair[1] {
                Word::Name(name) => name,
                Word::Mark(_) => ellipsis,
            };
            (mark, name)
        };
        self.row.push(words.chunks_exact(2).map(pair).collect());
    }

    fn add_name(&mut self, name: Symbol, place: Place, names: &Names, faults: &mut Faults) {
        let mark = match self.cell.last() {
            Some(&Word::Mark(mark)) if self.cell.len() % 2 == 1 => Some(mark),
            _ => None,
        };
        for pair in self.cell.chunks(2) {
            if pair.get(1) != Some(&Word::Name(name)) {
                continue;
            }
            let upper = names.upper(name);
            if pair[0] == Word::Mark(Mark::No) && mark == Some(Mark::No) {
                let message = format!("NO {upper} occurs twice in a cell");
                faults.warning(place, "no-twice", message);
                continue;
            }
            let message = format!("{upper} occurs twice in a cell");
            faults.error(place, "name-twice", message);
            if names.of(name).property.is_some() {
                let message = "two properties of the same objects, with different names, may be \
                               what you want where a property occurs twice in a cell";
                faults.warning(Place::FILE, "property-twice", message);
            }
        }
        if self.cell.len().is_multiple_of(2) {
            self.cell.push(Word::Mark(Mark::Plain));
        }
        self.cell.push(Word::Name(name));
    }
}

/// Whether the result of a rule can depend on its direction.
fn has_direction(rule: &WrittenRule) -> bool {
    let relative = |side: &Side| {
        let mut cells = side.iter().flatten().flatten();
        cells.any(|(mark, _)| mark.is_relative())
    };
    rule.left.iter().any(|row| row.len() > 1) || relative(&rule.left) || relative(&rule.right)
}
