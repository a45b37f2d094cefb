//! Lunar Lockout: spacecraft slide until another one stops them, and the red one must come to rest
//! on the goal. README.md has the rules.

mod bound;
mod constraint;
mod fast;
mod formats;
mod generate;
mod lessons;
mod listing;
mod picture;
mod planning;
mod relax;
mod rules;
mod symbols;
pub mod table;
#[cfg(test)]
mod tests;
mod text;

pub use rules::{LunarLockout, Move, State};

use crate::*;

impl Game for LunarLockout {
    const NAME: &'static str = "lunar-lockout";
    const README: &'static str = include_str!("README.md");
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
    const LEVELS: &'static [BuiltinLevel] = levels![
        "01-touchdown",
        "02-make-way",
        "03-a-longer-line",
        "04-stepping-stones",
        "05-second-thoughts",
        "06-the-loose-end",
        "07-squatter",
        "08-solid-edges",
        "09-corner-to-centre",
        "10-lost-in-space",
        "11-asteroid-belt",
        "12-round-trip",
        "13-grand-tour",
        "14-deep-space",
        "15-the-longest-way",
    ];
}

impl Models for LunarLockout {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
}
