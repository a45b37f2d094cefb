//! Plotting: shoot the block in the hand into a pile of coloured blocks until few remain (Taito
//! 1989; Espasa, Miguel and Villaret, CP 2022). The rules are in README.md.

mod bits;
mod bound;
mod constraint;
mod fast;
mod formats;
mod gains;
mod generate;
mod lessons;
mod listing;
mod picture;
mod planning;
mod rules;
mod symbols;
#[cfg(test)]
mod tests;
mod text;

pub use rules::{Move, Plotting, State};

use crate::*;

impl Game for Plotting {
    const NAME: &'static str = "plotting";
    const README: &'static str = include_str!("README.md");
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
    const LEVELS: &'static [BuiltinLevel] = levels![
        "01-first-shot",
        "02-around-the-corner",
        "03-swap-and-swap",
        "04-staircase",
        "05-loaded-hand",
        "06-one-too-few",
        "07-barred-windows",
        "08-second-wind",
        "09-tower",
        "10-long-shelf",
        "11-chequers",
        "12-four-winds",
        "13-mosaic",
    ];
}

impl Models for Plotting {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
}
