//! Pipe Mania: turn pieces of pipe until a path connects two B pieces. README.md has the rules;
//! they follow the thesis of Guilherme Banci (Universidade de Brasília, 2022).

mod bound;
mod constraint;
mod count;
mod distances;
mod dominators;
mod formats;
mod generate;
mod graph;
mod label_search;
mod lessons;
mod listing;
mod path_problem;
mod paths;
mod picture;
mod piece;
mod planning;
mod rounds;
mod rules;
mod space;
mod splits;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod thesis;
mod thesis_search;
mod trim;

pub use piece::{Kind, Tile};
pub use rules::{Move, PipeMania, Place, State};

use crate::*;

impl Game for PipeMania {
    const NAME: &'static str = "pipe-mania";
    const README: &'static str = include_str!("README.md");
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
    const LEVELS: &'static [BuiltinLevel] = levels![
        "01-one-turn",
        "02-round-the-corner",
        "03-loop-the-loop",
        "04-no-second-helping",
        "05-the-far-side",
        "06-one-way-streets",
        "07-nailed-down",
        "08-scenic-route",
        "09-past-the-station",
        "10-crossroads",
        "11-join-them-all",
        "12-so-near",
        "13-chessboard",
        "14-water-garden",
        "15-long-way-home",
        "16-neighbours",
    ];
}

impl Models for PipeMania {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
}
