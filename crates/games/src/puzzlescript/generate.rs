//! Random levels: a given level with some of its cells changed, or a random map for one of the
//! example games.
//!
//! A change puts the symbol of the level's own legend into a cell, or exchanges two cells. Each
//! change takes four random numbers, so that a neighbour of a level (`solve/level_search`) differs
//! from it in a change or two.

use ployglot_puzzlescript::{GAMES, Set};

use super::PuzzleScript;
use super::ruleset::{Origin, Ruleset};
use crate::*;

impl Generation for PuzzleScript {
    const KNOBS: &'static [Knob] = &[
        Knob {
            name: "changes",
            about: "how many changes are made to the level of --from",
            default: 6,
        },
        Knob {
            name: "example",
            about: "without --from: a random map for this example game, from 1; 0 for any",
            default: 0,
        },
    ];
    const DEFAULT_SIZE: (usize, usize) = (6, 7);
    const FROM: bool = true;

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        match &spec.from {
            Some((_, text)) => {
                let changes = spec.knob::<Self>("changes").min(1000);
                let base = read_base(text)?;
                base.changed(changes, random)
            }
            None => random_map(spec, random),
        }
    }
}

/// The level of `--from`.
fn read_base(text: &str) -> Result<PuzzleScript, String> {
    let document = Document::parse(text);
    let level = document.and_then(|document| PuzzleScript::parse(&document));
    level.map_err(|bad| format!("the level to change cannot be read: {bad}"))
}

impl PuzzleScript {
    /// The level with some cells changed. The cells of players stay one each.
    fn changed(&self, changes: u32, random: &mut Random) -> Result<Self, String> {
        let game = &self.rules.game;
        let is_player = |symbol: char| {
            let cell = self.rules.cell(symbol, &self.legend).unwrap_or_default();
            game.player.objects.meets(&cell)
        };
        let mut glyphs = self.glyphs.clone();
        // Symbols that the level has already are likelier than others of the legend.
        let mut palette: Vec<char> = glyphs.cells().to_vec();
        palette.sort_unstable();
        palette.dedup();
        let symbols = self.symbols().into_iter();
        palette.extend(symbols.filter_map(|(symbol, _)| symbol.chars().next()));
        palette.retain(|&symbol| !is_player(symbol));
        if palette.is_empty() {
            return Err("the level has no cell that could be changed".to_string());
        }
        let (rows, cols) = (glyphs.rows(), glyphs.cols());
        for _ in 0..changes {
            let one = (random.below(rows), random.below(cols));
            let (what, other) = (random.below(2 * palette.len()), random.below(rows * cols));
            match palette.get(what) {
                Some(&symbol) if !is_player(glyphs[one]) => glyphs[one] = symbol,
                Some(_) => {}
                None => {
                    let other = (other / cols, other % cols);
                    let (here, there) = (glyphs[one], glyphs[other]);
                    (glyphs[one], glyphs[other]) = (there, here);
                }
            }
        }
        Ok(self.with_map(glyphs))
    }

    /// The same rules with another map.
    fn with_map(&self, glyphs: Grid<char>) -> Self {
        let (rows, cols) = (glyphs.rows(), glyphs.cols());
        let cell = |index: usize| {
            let symbol = glyphs[(index % rows, index / rows)];
            self.rules.cell(symbol, &self.legend).unwrap_or_default()
        };
        let cells: Vec<Set> = (0..rows * cols).map(cell).collect();
        let background = self.rules.game.background.of_cells(&cells);
        let legend = self.legend.iter();
        let legend = legend.filter(|(symbol, _)| glyphs.cells().contains(symbol));
        PuzzleScript::new(
            self.rules.clone(),
            glyphs.clone(),
            cells,
            legend.cloned().collect(),
            background,
            self.opening,
            Vec::new(),
        )
    }
}

/// A random map for an example game: half of it floor, the rest any symbol of the legend.
fn random_map(spec: &Spec, random: &mut Random) -> Result<PuzzleScript, String> {
    let (rows, cols) = (spec.rows, spec.cols);
    if rows == 0 || cols == 0 || rows * cols > 2500 {
        return Err(format!(
            "a random map has 1 to 2500 cells, not {rows}x{cols}"
        ));
    }
    // The first one, in which things only push each other, three times as often: it has a model.
    let any = random.below(GAMES.len() + 2).saturating_sub(2);
    let index = match spec.knob::<PuzzleScript>("example") as usize {
        0 => any,
        number if number <= GAMES.len() => number - 1,
        number => return Err(format!("there is no example game {number}")),
    };
    let rules = Ruleset::of(Origin::Example(GAMES[index].0));
    let rules = rules.map_err(|_| "the example game has errors".to_string())?;
    let player = &rules.game.player;
    let symbols = &rules.game.symbols;
    let (players, others): (Vec<_>, Vec<_>) = symbols
        .iter()
        .partition(|(_, cell)| player.objects.meets(cell));
    let floor = others
        .iter()
        .position(|(symbol, _)| *symbol == '.')
        .unwrap_or(0);
    let mut glyphs = Grid::new(rows, cols, '.');
    for place in glyphs.clone().places() {
        let (chance, other) = (random.below(2), random.below(others.len()));
        let chosen = others[if chance == 0 { floor } else { other }];
        glyphs[place] = chosen.0;
    }
    let place = (random.below(rows), random.below(cols));
    if let Some((symbol, _)) = players.get(random.below(players.len().max(1))) {
        glyphs[place] = *symbol;
    }
    let base = PuzzleScript::new(
        rules.clone(),
        Grid::new(1, 1, '.'),
        vec![Set::new()],
        Vec::new(),
        rules.game.background.default.clone(),
        Default::default(),
        Vec::new(),
    );
    Ok(base.with_map(glyphs))
}
