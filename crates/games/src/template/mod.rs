//! A game that does almost nothing, to be copied for a new one: a token on a row of cells steps left or right until
//! it stands on the goal. README.md has its rules; CONTRIBUTING.md says how to copy it.

mod bound;
mod generate;
mod picture;
mod rules;
mod symbols;
mod text;

pub use rules::{Move, State, Template};

use crate::*;

impl Game for Template {
    const NAME: &'static str = "template";
    const README: &'static str = include_str!("README.md");
    const LEVELS: &'static [BuiltinLevel] = levels!["1-step", "2-walk", "3-no-goal"];
}

impl Models for Template {}
