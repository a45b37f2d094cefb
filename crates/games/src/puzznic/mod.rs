//! Puzznic (Taito 1989): blocks are moved to the left and right until equal ones meet and vanish.
//! The rules are in README.md.

mod beam;
mod bitboard;
mod bitboard_bound;
mod bound;
mod by_key;
mod constraint;
mod deepening;
mod fast;
mod formats;
mod generate;
mod graph;
mod lessons;
mod listing;
mod meetings;
mod needs;
mod nodes;
mod packer;
mod picture;
mod pits;
mod planning;
mod reach;
mod rules;
mod search;
mod stars;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod trios;
mod uniform;

pub use fast::State;
pub use rules::{Move, Puzznic};

use crate::*;

impl Game for Puzznic {
    const NAME: &'static str = "puzznic";
    const README: &'static str = include_str!("README.md");
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
    const LEVELS: &'static [BuiltinLevel] = levels![
        "01-first-step",
        "02-over-the-edge",
        "03-three-at-once",
        "04-pull-the-rug",
        "05-so-near",
        "06-bridge",
        "07-diamond",
        "08-stepping-down",
        "09-drawbridge",
        "10-odd-ones",
        "11-octagon",
        "12-upstairs-downstairs",
        "13-two-doors",
        "14-hourglass"
    ];
}

impl Models for Puzznic {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
}
