//! A game that does almost nothing, to be copied for a new one: a token on a row of cells steps
//! left or right until it is on the goal. README.md has its rules; CONTRIBUTING.md describes how to
//! copy it.

mod bound;
mod constraint;
mod generate;
mod lessons;
mod listing;
mod picture;
mod planning;
mod rules;
mod symbols;
mod text;

pub use rules::{Move, State, Template};

use crate::*;

impl Game for Template {
    const NAME: &'static str = "template";
    const README: &'static str = include_str!("README.md");
    const LEVELS: &'static [BuiltinLevel] = levels!["1-step", "2-walk", "3-no-goal"];
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
}

impl Models for Template {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
}
