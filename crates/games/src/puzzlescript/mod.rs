//! Levels of PuzzleScript games: the rules are data, read from the game's own text.
//!
//! The language, its two engines and what is known about a level are in the crate
//! `ployglot-puzzlescript`. This folder makes such a level a level like those of the other games:
//! its text, its pictures, its random levels. So every command and the studio take it, and none has
//! code for it.

mod bound;
mod generate;
mod lessons;
mod listing;
mod picture;
mod planning;
mod rules;
mod ruleset;
mod source;
mod symbols;
mod text;

use std::fmt;
use std::sync::Arc;

use ployglot_puzzlescript::{LevelSpace, Opening, Set};

use crate::*;
pub use ployglot_puzzlescript::{GAMES, is_puzzlescript};
use ruleset::Ruleset;
pub use source::{LevelOfFile, PuzzleFile};

/// A level of a PuzzleScript game.
#[derive(Clone)]
pub struct PuzzleScript {
    rules: Arc<Ruleset>,
    space: Arc<LevelSpace>,
    /// The symbols of the map, row by row.
    glyphs: Grid<char>,
    /// Symbols of this level's own, with exactly what they put into a cell.
    legend: Vec<(char, Set)>,
    /// What fills the cells of the map.
    background: Set,
    opening: Opening,
    warnings: Vec<BadText>,
}

impl fmt::Debug for PuzzleScript {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("PuzzleScript")
            .field("map", &self.glyphs)
            .finish_non_exhaustive()
    }
}

impl Game for PuzzleScript {
    const NAME: &'static str = "puzzlescript";
    const README: &'static str = include_str!("README.md");
    const LEVELS: &'static [BuiltinLevel] = levels![
        "crates#1",
        "crates#2",
        "crates#3",
        "crates-cornered",
        "gems#1",
        "gems#2",
        "gems#3",
        "ice#1",
        "ice#2",
        "ice#3",
        "dominoes#1",
        "dominoes#2",
        "lockout#1",
        "lockout#2",
        "twins#1",
        "twins#2",
    ];
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
}

impl Models for PuzzleScript {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
}
