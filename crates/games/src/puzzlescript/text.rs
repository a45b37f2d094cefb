//! Levels and moves as text.
//!
//! The header has the rules: `use: crates` for an example game, or the lines of a game's file, each
//! as `rules: …`. The board is the map in the symbols of the game's legend. A state may have cells
//! for which the legend has no symbol; then `legend: 1 = player and target` gives the level a symbol
//! of its own, which stands for exactly these objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use ployglot_base::text::unknown;
use ployglot_puzzlescript::{
    Entry as LevelEntry, Input, Level as Map, LevelSpace, Opening, PuzzleState, Set, Status,
};

use super::PuzzleScript;
use super::ruleset::{Origin, Ruleset};
use crate::document::LONGEST_SIDE;
use crate::*;

/// The largest number of cells of a map.
const MOST_CELLS: usize = 40_000;

impl Text for PuzzleScript {
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
    const OPTIONS: &'static [LevelOption] = &[
        LevelOption {
            name: "use",
            about: "the rules of an example game: crates, gems, ice, dominoes, lockout or twins",
        },
        LevelOption {
            name: "rules",
            about: "a line of the game's file, one entry for each line before its levels",
        },
        LevelOption {
            name: "legend",
            about: "a symbol of this level: 1 = player and target",
        },
        LevelOption {
            name: "background",
            about: "the object that fills cells without a background",
        },
        LevelOption {
            name: "state",
            about: "settled (no rules run at the start), won or stuck",
        },
        LevelOption {
            name: "moves",
            about: "the number of moves before, in a game with random choices",
        },
        LevelOption {
            name: "goals",
            about: "checkpoints: a rule that sets a checkpoint wins the level",
        },
    ];
    const LINES: &'static [&'static str] = &["rules", "legend"];
    const FORMATS: &'static [Format<Self>] = super::source::FORMATS;

    fn parse(document: &Document) -> Result<Self, BadText> {
        let keys: Vec<&str> = Self::OPTIONS.iter().map(|option| option.name).collect();
        document.only(&keys)?;
        let (rules, warnings) = Ruleset::read(document)?;
        let reader = Reader {
            document,
            rules: &rules,
        };
        let legend = reader.legend()?;
        let opening = reader.opening()?;
        let glyphs = reader.glyphs()?;
        let cells = reader.cells(&glyphs, &legend)?;
        let background = reader.background(&cells)?;
        Ok(Self::new(
            rules, glyphs, cells, legend, background, opening, warnings,
        ))
    }

    fn write(&self, state: &PuzzleState) -> LevelText {
        let mut options = Vec::new();
        match &self.rules.origin {
            Origin::Example(name) => options.push(("use", name.to_string())),
            Origin::Lines(lines) => {
                options.extend(lines.iter().map(|line| ("rules", line.clone())));
            }
        }
        if *state == self.start() {
            let used = |(symbol, _): &&(char, Set)| self.glyphs.cells().contains(symbol);
            let legend: Vec<(char, Set)> = self.legend.iter().filter(used).cloned().collect();
            self.write_options(&mut options, &legend, self.opening, self.glyphs.cells());
            let rows = (0..self.glyphs.rows()).map(|row| self.glyphs.row(row).iter().collect());
            return LevelText {
                options,
                rows: rows.collect(),
            };
        }
        let (glyphs, legend) = self.symbols_of(&self.space.cells(state));
        let opening = Opening {
            settled: self.rules.game.settings.run_rules_on_level_start
                || state.status() != Status::Playing,
            status: state.status(),
            moves: state.moves(),
            checkpoint_wins: self.opening.checkpoint_wins,
        };
        self.write_options(&mut options, &legend, opening, glyphs.cells());
        let rows = (0..glyphs.rows()).map(|row| glyphs.row(row).iter().collect());
        LevelText {
            options,
            rows: rows.collect(),
        }
    }

    fn warnings(&self) -> &[BadText] {
        &self.warnings
    }

    fn variant(&self) -> String {
        match self.opening.checkpoint_wins {
            true => "checkpoints are goals".to_string(),
            false => String::new(),
        }
    }

    fn symbols(&self) -> Vec<(String, String)> {
        let game = &self.rules.game;
        let own = self.legend.iter();
        let symbols = game.symbols.iter().filter(|(symbol, _)| is_safe(*symbol));
        let mut seen = BTreeSet::new();
        let symbols = symbols
            .chain(own)
            .filter(|(_, cell)| seen.insert(cell.iter().collect::<Vec<_>>()));
        symbols
            .map(|(symbol, cell)| (symbol.to_string(), self.names(cell)))
            .collect()
    }

    fn empty_cell(&self) -> String {
        let background = &self.background;
        let empty = |(_, cell): &&(char, Set)| {
            let mut filled = cell.clone();
            if self.rules.game.background.fills(&filled) {
                filled.add(background);
            }
            filled == *background
        };
        let symbol = self.rules.game.symbols.iter().find(empty);
        symbol.map_or_else(|| ".".to_string(), |(symbol, _)| symbol.to_string())
    }

    fn print_move(&self, _state: &PuzzleState, mv: Input) -> String {
        mv.name().to_string()
    }

    fn parse_move(&self, _state: &PuzzleState, text: &str) -> Result<Input, BadText> {
        let text = text.trim();
        let inputs = self.space.inputs();
        let named = |input: &&Input| input.name().eq_ignore_ascii_case(text);
        inputs.iter().find(named).copied().ok_or_else(|| {
            let names = inputs.iter().map(|input| input.name());
            BadText::new(1, 1, unknown("move", text, names)).wide(text.chars().count())
        })
    }

    /// Keys may be separated by blanks and commas.
    fn split_moves(line: &str) -> Vec<(usize, &str)> {
        let mut moves = Vec::new();
        let mut column = 1;
        for word in line.split([' ', '\t', ',', '\r']) {
            if !word.is_empty() {
                moves.push((column, word));
            }
            column += word.chars().count() + 1;
        }
        moves
    }
}

/// Whether a symbol can be anywhere in the map of a level's text: `;` starts a comment there, and
/// `:` could make a row look like an option.
fn is_safe(symbol: char) -> bool {
    !symbol.is_whitespace() && symbol != ';' && symbol != ':'
}

impl PuzzleScript {
    /// A level from a map. Cells without a background get it, except those with a symbol of the
    /// level's own.
    pub(super) fn new(
        rules: Arc<Ruleset>,
        glyphs: Grid<char>,
        mut cells: Vec<Set>,
        legend: Vec<(char, Set)>,
        background: Set,
        opening: Opening,
        warnings: Vec<BadText>,
    ) -> Self {
        let height = glyphs.rows();
        for (index, cell) in cells.iter_mut().enumerate() {
            let symbol = glyphs[(index % height, index / height)];
            let exact = legend.iter().any(|(own, _)| *own == symbol);
            if !exact && rules.game.background.fills(cell) {
                cell.add(&background);
            }
        }
        let map = Map {
            line: 1,
            width: glyphs.cols(),
            height,
            cells,
        };
        let game = ployglot_puzzlescript::Game {
            entries: vec![LevelEntry::Level(map)],
            ..rules.game.clone()
        };
        let space = LevelSpace::new(game.into(), 0, opening, &Switches::all_on());
        Self {
            rules,
            space: space.expect("the game has one level").into(),
            glyphs,
            legend,
            background,
            opening,
            warnings,
        }
    }

    /// The objects of a cell by their names.
    fn names(&self, cell: &Set) -> String {
        let objects = &self.rules.game.objects;
        let names: Vec<&str> = cell.iter().map(|it| objects[it].name.as_str()).collect();
        match names.is_empty() {
            true => "nothing".to_string(),
            false => names.join(" and "),
        }
    }

    fn write_options(
        &self,
        options: &mut Vec<(&'static str, String)>,
        legend: &[(char, Set)],
        opening: Opening,
        glyphs: &[char],
    ) {
        for (symbol, cell) in legend {
            options.push(("legend", format!("{symbol} = {}", self.names(cell))));
        }
        // The map decides what fills its cells, unless the level says so.
        let rows = self.glyphs.rows();
        let cols = self.glyphs.cols();
        let by_columns = (0..rows * cols).map(|index| {
            let symbol = glyphs[index % rows * cols + index / rows];
            self.rules.cell(symbol, legend).unwrap_or_default()
        });
        let by_columns: Vec<Set> = by_columns.collect();
        if self.rules.game.background.of_cells(&by_columns) != self.background {
            options.push(("background", self.names(&self.background)));
        }
        let state = match opening.status {
            Status::Won => Some("won"),
            Status::Stuck => Some("stuck"),
            Status::Playing => opening.settled.then_some("settled"),
        };
        options.extend(state.map(|state| ("state", state.to_string())));
        if opening.moves > 0 {
            options.push(("moves", opening.moves.to_string()));
        }
        if opening.checkpoint_wins {
            options.push(("goals", "checkpoints".to_string()));
        }
    }

    /// Symbols for the cells of a board, given column by column, and what those mean that the
    /// legend of the game does not have. A cell that is as at the start keeps its symbol.
    pub(super) fn symbols_of(&self, cells: &[Set]) -> (Grid<char>, Vec<(char, Set)>) {
        let start = self.space.level().cells.clone();
        self.symbols_like(&start, cells)
    }

    /// The same without regard to the start.
    pub(super) fn symbols_for(&self, cells: &[Set]) -> (Grid<char>, Vec<(char, Set)>) {
        self.symbols_like(&[], cells)
    }

    fn symbols_like(&self, start: &[Set], cells: &[Set]) -> (Grid<char>, Vec<(char, Set)>) {
        let height = self.glyphs.rows();
        let mut glyphs = self.glyphs.clone();
        let mut legend: Vec<(char, Set)> = Vec::new();
        for (index, cell) in cells.iter().enumerate() {
            let place = (index % height, index / height);
            let kept = (start.get(index) == Some(cell)).then_some(self.glyphs[place]);
            let symbol = kept.or_else(|| self.symbol(cell)).unwrap_or_else(|| {
                let known = legend.iter().find(|(_, own)| own == cell);
                known.map_or_else(|| self.fresh_symbol(&legend), |(symbol, _)| *symbol)
            });
            glyphs[place] = symbol;
            let is_own = self.rules.cell(symbol, &[]).is_none();
            if is_own && legend.iter().all(|(known, _)| *known != symbol) {
                legend.push((symbol, cell.clone()));
            }
        }
        (glyphs, legend)
    }

    /// A symbol of the game or of the level that means exactly this cell.
    fn symbol(&self, cell: &Set) -> Option<char> {
        let background = &self.rules.game.background;
        let of_game = self.rules.game.symbols.iter().find(|(symbol, objects)| {
            let mut filled = objects.clone();
            if background.fills(&filled) {
                filled.add(&self.background);
            }
            is_safe(*symbol) && filled == *cell
        });
        let of_level = || self.legend.iter().find(|(_, objects)| objects == cell);
        of_game.or_else(of_level).map(|(symbol, _)| *symbol)
    }

    /// A symbol that means nothing yet.
    fn fresh_symbol(&self, legend: &[(char, Set)]) -> char {
        let known = |symbol: char| {
            let mut own = self.legend.iter().chain(legend);
            self.rules.cell(symbol, &[]).is_some() || own.any(|(known, _)| *known == symbol)
        };
        let letters = ('0'..='9').chain('a'..='z').chain('\u{3b1}'..='\u{3c9}');
        let more = ('\u{4e00}'..='\u{9fff}').filter(|c| c.is_lowercase() || c.is_alphabetic());
        letters
            .chain(more)
            .find(|&symbol| !known(symbol))
            .unwrap_or('?')
    }
}

impl Ruleset {
    /// What a symbol puts into a cell.
    pub(super) fn cell(&self, symbol: char, legend: &[(char, Set)]) -> Option<Set> {
        let own = legend.iter().find(|(known, _)| *known == symbol);
        let lower = symbol.to_lowercase().next().unwrap_or(symbol);
        let symbols = &self.game.symbols;
        let of_game = || {
            let exact = symbols.iter().find(|(known, _)| *known == symbol);
            exact.or_else(|| symbols.iter().find(|(known, _)| *known == lower))
        };
        own.or_else(of_game).map(|(_, cell)| cell.clone())
    }
}

/// Reads the parts of a level's text.
struct Reader<'a> {
    document: &'a Document,
    rules: &'a Ruleset,
}

impl Reader<'_> {
    /// The objects of these names: `player and target`, or `nothing`.
    fn objects(&self, names: &str, entry: &document::Entry) -> Result<Set, BadText> {
        let objects = &self.rules.game.objects;
        let mut cell = Set::new();
        for name in names.split_whitespace() {
            if name == "and" || name == "nothing" {
                continue;
            }
            let named = |object: &ployglot_puzzlescript::Object| object.name == name.to_lowercase();
            let number = objects.iter().position(named).ok_or_else(|| {
                let known = objects.iter().map(|object| object.name.as_str());
                entry.bad(unknown("object", name, known))
            })?;
            // A cell has one object of each layer.
            let layer = &self.rules.game.layers[objects[number].layer];
            if layer.meets(&cell) {
                return Err(entry.bad(format!("'{name}' is in a layer that is taken")));
            }
            cell.insert(number);
        }
        Ok(cell)
    }

    fn legend(&self) -> Result<Vec<(char, Set)>, BadText> {
        let mut legend: Vec<(char, Set)> = Vec::new();
        for entry in self.document.all("legend") {
            let form = || entry.bad("a symbol of this level has the form '1 = player and target'");
            let (symbol, names) = entry.value.split_once('=').ok_or_else(form)?;
            let mut chars = symbol.trim().chars();
            let (Some(symbol), None) = (chars.next(), chars.next()) else {
                return Err(form());
            };
            let taken = self.rules.cell(symbol, &legend).is_some();
            if taken || !is_safe(symbol) {
                let why = match taken {
                    true => format!("the symbol '{symbol}' has a meaning already"),
                    false => format!("'{symbol}' cannot be a symbol of a level"),
                };
                return Err(entry.bad(why));
            }
            legend.push((symbol, self.objects(names, entry)?));
        }
        Ok(legend)
    }

    fn opening(&self) -> Result<Opening, BadText> {
        let mut opening = Opening::default();
        if let Some(entry) = self.document.option("state")? {
            opening.settled = true;
            opening.status = match entry.value.as_str() {
                "settled" => Status::Playing,
                "won" => Status::Won,
                "stuck" => Status::Stuck,
                found => {
                    let names = ["settled", "won", "stuck"];
                    return Err(entry.bad(unknown("state", found, names)));
                }
            };
        }
        if let Some(entry) = self.document.option("moves")? {
            opening.moves = entry.number(0..=u32::MAX as usize)? as u32;
        }
        if let Some(entry) = self.document.option("goals")? {
            if entry.value != "checkpoints" {
                return Err(entry.bad(unknown("kind of goals", &entry.value, ["checkpoints"])));
            }
            opening.checkpoint_wins = true;
        }
        Ok(opening)
    }

    /// The symbols of the map. A short row is continued by its last symbol.
    fn glyphs(&self) -> Result<Grid<char>, BadText> {
        let board = &self.document.board;
        let mut rows: Vec<Vec<char>> = board
            .iter()
            .map(|line| line.text.trim().chars().collect())
            .collect();
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if width == 0 {
            return Err(BadText::new(
                self.document.last_line.max(1),
                1,
                "the board is missing",
            ));
        }
        if width > LONGEST_SIDE || rows.len() * width > MOST_CELLS {
            let message = format!("a level has at most {MOST_CELLS} cells");
            return Err(BadText::new(self.document.board_line(), 1, message));
        }
        for row in &mut rows {
            let last = row.last().copied().unwrap_or('.');
            row.resize(width, last);
        }
        Ok(Grid::from_rows(rows))
    }

    /// The objects of each cell, column by column, without the background.
    fn cells(&self, glyphs: &Grid<char>, legend: &[(char, Set)]) -> Result<Vec<Set>, BadText> {
        let mut cells = Vec::new();
        for column in 0..glyphs.cols() {
            for row in 0..glyphs.rows() {
                let symbol = glyphs[(row, column)];
                let cell = self.rules.cell(symbol, legend).ok_or_else(|| {
                    let line = &self.document.board[row];
                    let text = &line.text;
                    let indent = text.chars().take_while(|c| c.is_whitespace()).count();
                    let known = self.rules.game.symbols.iter();
                    let known: String = known.map(|(symbol, _)| *symbol).collect();
                    let message = format!("the symbol '{symbol}' is not in the legend ({known})");
                    BadText::new(line.line, indent + column + 1, message)
                })?;
                cells.push(cell);
            }
        }
        Ok(cells)
    }

    fn background(&self, cells: &[Set]) -> Result<Set, BadText> {
        match self.document.option("background")? {
            Some(entry) => self.objects(&entry.value, entry),
            None => Ok(self.rules.game.background.of_cells(cells)),
        }
    }
}
