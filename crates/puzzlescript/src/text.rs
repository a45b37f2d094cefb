//! Games, levels and plans as people name and write them.

use ployglot_base::BadText;
use ployglot_base::text::unknown;

use crate::game::{Entry, Game, Input};
use crate::set::Set;

/// The games that come with the program: their names and texts.
pub const GAMES: &[(&str, &str)] = &[
    ("crates", include_str!("../games/crates.txt")),
    ("gems", include_str!("../games/gems.txt")),
    ("ice", include_str!("../games/ice.txt")),
    ("dominoes", include_str!("../games/dominoes.txt")),
    ("lockout", include_str!("../games/lockout.txt")),
    ("twins", include_str!("../games/twins.txt")),
];

/// Whether a text is a PuzzleScript game: it has the headings of two of its sections.
pub fn is_puzzlescript(text: &str) -> bool {
    ["objects", "collisionlayers"].iter().all(|heading| {
        text.lines()
            .any(|line| line.trim().eq_ignore_ascii_case(heading))
    })
}

impl Game {
    /// The level of a name: its number, from 1, or part of the message before it. Returns its index
    /// among levels and messages.
    pub fn find_level(&self, name: &str) -> Option<usize> {
        if let Ok(number) = name.parse::<usize>() {
            return self.levels().nth(number.checked_sub(1)?);
        }
        let name = name.to_lowercase();
        let is_named = |entry: &Entry| match entry {
            Entry::Message(text) => text.to_lowercase().contains(&name),
            Entry::Level(_) => false,
        };
        let message = self.entries.iter().position(is_named)?;
        self.levels().find(|&entry| entry > message)
    }
}

impl Game {
    /// A board as rows of symbols. A cell for which the legend has no symbol shows the one of its
    /// uppermost object that has one, or a question mark.
    pub fn picture(&self, cells: &[Set], height: usize) -> String {
        let symbol = |cell: &Set| {
            // The lowest layer is left out, unless there is nothing else: it is the background.
            let layers = (0..self.layers.len()).rev();
            let mut seen = Set::new();
            let mut best = None;
            for layer in layers {
                let objects = self.layers[layer]
                    .iter()
                    .filter(|&object| cell.contains(object));
                seen.add(&objects.collect());
                if seen.is_empty() {
                    continue;
                }
                let exact = self.symbols.iter().find(|(_, objects)| *objects == seen);
                best = exact.map(|(symbol, _)| *symbol).or(best);
            }
            best.unwrap_or('?')
        };
        let mut picture = String::new();
        for row in 0..height {
            picture.extend(cells.iter().skip(row).step_by(height).map(symbol));
            picture.push('\n');
        }
        picture
    }
}

/// The moves of a plan text: names of keys, separated by blanks or commas; `;` starts a comment.
pub fn parse_plan(text: &str) -> Result<Vec<Input>, BadText> {
    let mut plan = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or("");
        let mut column = 1;
        for word in line.split([' ', '\t', ',', '\r']) {
            let names = Input::ALL.iter().map(|input| input.name());
            let input = Input::ALL
                .iter()
                .find(|input| input.name().eq_ignore_ascii_case(word));
            match input {
                Some(&input) => plan.push(input),
                None if word.is_empty() => {}
                None => {
                    let message = unknown("move", word, names);
                    let bad = BadText::new(index + 1, column, message);
                    return Err(bad.wide(word.chars().count()));
                }
            }
            column += word.chars().count() + 1;
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_as_they_are_printed() {
        let plan = parse_plan("up\nleft, Down right ; a comment\n\naction\n").expect("a plan");
        let names: Vec<&str> = plan.iter().map(|input| input.name()).collect();
        assert_eq!(names, ["up", "left", "down", "right", "action"]);
        let bad = parse_plan("up\n left lift\n").expect_err("no such key");
        assert_eq!((bad.line, bad.column, bad.width), (2, 7, 4));
        assert!(
            bad.message.contains("did you mean 'left'?"),
            "{}",
            bad.message
        );
    }

    #[test]
    fn levels_are_found_by_number_and_by_message() {
        let (_, text) = GAMES[0];
        assert!(is_puzzlescript(text) && !is_puzzlescript("game: plotting\n"));
        let game = crate::compile(text).game.expect("a game");
        let level = game.level(1).expect("the first level");
        let picture = "######\n#p...#\n#.*.o#\n#....#\n######\n";
        assert_eq!(game.picture(&level.cells, level.height), picture);
        assert_eq!(game.find_level("2"), Some(3));
        assert_eq!(game.find_level("which one"), Some(3));
        assert_eq!(game.find_level("0"), None);
        assert_eq!(game.find_level("4"), None);
    }
}
