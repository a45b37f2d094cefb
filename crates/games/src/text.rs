//! Levels and moves as text.
//!
//! All games share the canonical level text (`document.rs`): a header of `key: value` lines, then
//! the board. A game reads and writes the board and its own options, and the moves of a plan.

use ployglot_base::{BadText, Space};

use crate::document::{Document, LevelText};
use crate::rules::Rules;
use crate::symmetry::Symmetries;

/// How a game reads and writes its levels and moves.
///
/// In a game's folder: `text.rs`, with other formats in `formats.rs` and the symbols in
/// `symbols.rs`.
pub trait Text: Rules {
    /// The cells of a level's text, for level editors.
    const SYMBOLS: &'static [Symbol];
    /// The symbol of a cell without anything in it, for the new rows and columns of level editors.
    const EMPTY_CELL: &'static str = ".";
    /// The options of a level's text.
    const OPTIONS: &'static [LevelOption] = &[];
    /// The options that have many values, each a whole line; the values of others have no comma.
    const LINES: &'static [&'static str] = &[];
    /// Other formats that levels of this game are published in.
    const FORMATS: &'static [Format<Self>] = &[];
    /// Which levels count as the same puzzle.
    const SYMMETRIES: Symmetries = Symmetries::NONE;

    /// Reads the options and the board of a canonical level text. The game checks the option names:
    /// `document.only(&["goal", "hand"])?`.
    fn parse(document: &Document) -> Result<Self, BadText>;

    /// The level that starts in this state, as `parse` reads it.
    fn write(&self, state: &Self::State) -> LevelText;

    /// What was repaired while the level was read, such as short rows, each with its place in the
    /// text.
    fn warnings(&self) -> &[BadText] {
        &[]
    }

    /// The options that change the rules of this level, in words, such as `edge stop`; empty where
    /// there are none.
    fn variant(&self) -> String {
        String::new()
    }

    /// The symbols of this level and what they mean, for level editors. A game whose levels have
    /// symbols of their own overrides this.
    fn symbols(&self) -> Vec<(String, String)> {
        let symbols = Self::SYMBOLS.iter();
        symbols
            .map(|symbol| (symbol.text.to_string(), symbol.about.to_string()))
            .collect()
    }

    /// The symbol of a cell without anything in it, in this level.
    fn empty_cell(&self) -> String {
        Self::EMPTY_CELL.to_string()
    }

    /// A move, made in this state, as one line of a plan.
    fn print_move(&self, state: &Self::State, mv: Self::Move) -> String;

    /// Reads what `print_move` writes, in any case and with any spacing. Columns in errors count
    /// from the start of `text`. The move need not be legal.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, BadText>;

    /// Splits one line of a plan, without its comment, into moves for `parse_move`: each with its
    /// column, in characters from 1. A game with a shorthand for several moves (`LLurRD`) overrides
    /// this.
    fn split_moves(line: &str) -> Vec<(usize, &str)> {
        vec![(1, line)]
    }
}

/// A level format of another program or paper.
pub struct Format<G: Space> {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for the list of formats.
    pub about: &'static str,
    /// Whether a text is probably of this format, judged by its content. It may be generous, but
    /// must not claim the texts of another format.
    pub recognise: fn(&str) -> bool,
    /// Reads a level.
    pub read: fn(&str) -> Result<G, BadText>,
    /// Writes the level that starts in this state; `Err`: why this format cannot express it.
    pub write: fn(&G, &G::State) -> Result<String, String>,
}

/// A cell of a level's text and its meaning.
///
/// A text that starts with `_` is added to what the cell holds already: `_!` turns `L2` into `L2!`.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// The text of the cell.
    pub text: &'static str,
    /// What it means.
    pub about: &'static str,
}

/// An option of a level's text: a key of its header.
#[derive(Clone, Copy, Debug)]
pub struct LevelOption {
    /// The key.
    pub name: &'static str,
    /// What it means and which values it takes.
    pub about: &'static str,
}
