//! Level texts that can be changed piece by piece: random ones, and smaller ones.
//!
//! Everything here is written for texts of any game. A change that gives an invalid text is
//! dropped, so no game has code of its own here, and a new game is drawn as soon as it is in the
//! list of games.

use ployglot_games::*;

/// The options and the cells of a level text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    options: Vec<(String, String)>,
    cells: Vec<Vec<String>>,
}

/// A mark that can be added to the text of a cell, such as `!` in Pipe Mania.
fn mark<G: Game>() -> Option<&'static str> {
    G::SYMBOLS
        .iter()
        .find_map(|symbol| symbol.text.strip_prefix('_'))
}

/// The symbols that fill a cell.
fn symbols<G: Game>() -> Vec<&'static str> {
    let texts = G::SYMBOLS.iter().map(|symbol| symbol.text);
    texts.filter(|text| !text.starts_with('_')).collect()
}

impl Draft {
    pub fn of<G: Game>(level: &G) -> Self {
        let text = level.write(&level.start());
        let marked = mark::<G>().filter(|mark| text.rows.iter().any(|row| row.contains(mark)));
        let width = G::EMPTY_CELL.chars().count() + marked.map_or(0, |mark| mark.chars().count());
        let split = |row: &String| -> Vec<String> {
            let letters: Vec<char> = row.chars().collect();
            let cell = |cell: &[char]| cell.iter().collect::<String>().trim_end().to_string();
            letters.chunks(width).map(cell).collect()
        };
        let options = text.options.into_iter();
        Self {
            options: options
                .map(|(key, value)| (key.to_string(), value))
                .collect(),
            cells: text.rows.iter().map(split).collect(),
        }
    }

    /// The text, with these comment lines in its header.
    pub fn text<G: Game>(&self, header: &[String]) -> String {
        let cells = self.cells.iter().flatten();
        let width = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        let mut lines = vec![format!("game: {}", G::NAME)];
        lines.extend(header.iter().cloned());
        let options = self.options.iter();
        lines.extend(options.map(|(key, value)| format!("{key}: {value}")));
        lines.push(String::new());
        lines.extend(self.cells.iter().map(|row| {
            let padded = row.iter().map(|cell| format!("{cell:width$}"));
            padded.collect::<String>().trim_end().to_string()
        }));
        lines.join("\n") + "\n"
    }

    pub fn level<G: Game>(&self) -> Option<G> {
        let document = Document::parse(&self.text::<G>(&[])).ok()?;
        let level = Level::<G>::parse(&document).ok()?;
        Some(level.game)
    }

    fn rows(&self) -> usize {
        self.cells.len()
    }

    fn cols(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    pub fn area(&self) -> usize {
        self.rows() * self.cols()
    }

    /// A random level: one of the game's generator with random settings, and then some changes that
    /// the generator would not make. `None`: the generator refuses the settings.
    pub fn random<G: Game>(random: &mut Random) -> Option<Self> {
        let area = *random.choose(&[2, 4, 6, 6, 9, 9, 12, 12, 16]);
        let rows = 1 + random.below(area.min(5));
        let mut spec = Spec::size(rows, (area / rows).max(1));
        for knob in G::KNOBS {
            if random.chance(1, 2) {
                let most = (2 * knob.default as usize).max(3);
                let value = match random.below(4) {
                    0 => random.below(4),
                    1 => random.below(101),
                    _ => random.below(most + 1),
                };
                spec = spec.with(knob.name, value as u32);
            }
        }
        let level = G::generate(&spec, random).ok()?;
        let mut draft = Self::of(&level);
        for _ in 0..*random.choose(&[0, 0, 0, 1, 1, 2, 3, 6]) {
            draft.change::<G>(random);
        }
        // As the game writes it.
        draft.level::<G>().as_ref().map(Self::of)
    }

    /// Makes a random change after which the text is still a level, if one is found.
    fn change<G: Game>(&mut self, random: &mut Random) {
        for _ in 0..10 {
            let mut changed = self.clone();
            changed.try_change::<G>(random);
            if changed.area() > 0 && changed != *self && changed.level::<G>().is_some() {
                *self = changed;
                return;
            }
        }
    }

    fn try_change<G: Game>(&mut self, random: &mut Random) {
        let symbols = symbols::<G>();
        let (row, col) = (random.below(self.rows()), random.below(self.cols()));
        match random.below(9) {
            0 | 1 => self.cells[row][col] = random.choose(&symbols).to_string(),
            2 => {
                let (other_row, other_col) = (random.below(self.rows()), random.below(self.cols()));
                let cell = self.cells[row][col].clone();
                self.cells[row][col] = self.cells[other_row][other_col].clone();
                self.cells[other_row][other_col] = cell;
            }
            3 if random.chance(1, 2) => self.remove_row(row),
            3 => self.remove_col(col),
            4 => {
                let from = self.cells[row][col].clone();
                let to = random.choose(&symbols).to_string();
                self.replace_all(&from, &to);
            }
            5 => {
                if let Some(mark) = mark::<G>() {
                    self.cells[row][col].push_str(mark);
                }
            }
            6 if !self.options.is_empty() => {
                let at = random.below(self.options.len());
                self.options.remove(at);
            }
            _ if !G::OPTIONS.is_empty() => {
                let key = random.choose(G::OPTIONS).name;
                let value = self.option_value(&symbols, random);
                let same = self.options.iter_mut().find(|(known, _)| known == key);
                match same {
                    Some((_, old)) if random.chance(1, 2) => *old = value,
                    _ => self.options.push((key.to_string(), value)),
                }
            }
            _ => {}
        }
    }

    /// A value that some option of some game takes.
    fn option_value(&self, symbols: &[&str], random: &mut Random) -> String {
        let row = 1 + random.below(self.rows());
        let col = 1 + random.below(self.cols());
        match random.below(8) {
            0 => random.below(self.area() + 2).to_string(),
            1 => random.below(4).to_string(),
            2 => random.choose(symbols).to_string(),
            3 => format!("row {row}"),
            4 => format!("col {col}"),
            5 => format!("{row} {col}"),
            6 => format!("{row} {col} {}", random.choose(&Side::ALL).name()),
            _ => random.choose(&["yes", "stop"]).to_string(),
        }
    }

    fn remove_row(&mut self, row: usize) {
        self.cells.remove(row);
    }

    fn remove_col(&mut self, col: usize) {
        for row in &mut self.cells {
            row.remove(col);
        }
    }

    fn replace_all(&mut self, from: &str, to: &str) {
        let cells = self.cells.iter_mut().flatten();
        cells
            .filter(|cell| *cell == from)
            .for_each(|cell| *cell = to.to_string());
    }

    /// Texts with one row, column, option, piece, kind of piece or number less, those that are
    /// much smaller first. Not all of them are levels.
    pub fn smaller<G: Game>(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut draft = self.clone();
            change(&mut draft);
            smaller.push(draft);
        };
        if self.rows() > 1 {
            (0..self.rows()).for_each(|row| add(&|draft| draft.remove_row(row)));
        }
        if self.cols() > 1 {
            (0..self.cols()).for_each(|col| add(&|draft| draft.remove_col(col)));
        }
        for at in 0..self.options.len() {
            add(&|draft| {
                draft.options.remove(at);
            });
        }
        for (row, cells) in self.cells.iter().enumerate() {
            for (col, cell) in cells.iter().enumerate() {
                if cell != G::EMPTY_CELL {
                    add(&|draft| draft.cells[row][col] = G::EMPTY_CELL.to_string());
                }
                if let Some(plain) = mark::<G>().and_then(|mark| cell.strip_suffix(mark)) {
                    add(&|draft| draft.cells[row][col] = plain.to_string());
                }
            }
        }
        // Pieces of one kind become pieces of a kind that is listed before it and is there already.
        let symbols = symbols::<G>();
        for (at, from) in symbols.iter().enumerate() {
            for to in &symbols[..at] {
                if self.has(from) && self.has(to) && *from != G::EMPTY_CELL {
                    add(&|draft| draft.replace_all(from, to));
                }
            }
        }
        for at in 0..self.options.len() {
            if let Ok(number @ 1..) = self.options[at].1.parse::<u32>() {
                add(&|draft| draft.options[at].1 = (number - 1).to_string());
            }
        }
        smaller
    }

    fn has(&self, symbol: &str) -> bool {
        self.cells.iter().flatten().any(|cell| cell == symbol)
    }

    /// The smallest level that can be reached by such steps while `fails` holds. Every step makes
    /// the text smaller, so this ends; `fails` may also end it by answering no.
    pub fn shrink<G: Game>(mut self, fails: &mut dyn FnMut(&G) -> bool) -> Self {
        while let Some(smaller) = self
            .smaller::<G>()
            .into_iter()
            .find(|draft| draft.level::<G>().is_some_and(|level| fails(&level)))
        {
            self = smaller;
        }
        self
    }
}
