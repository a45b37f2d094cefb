//! Template in Essence Prime: the parameters of a level, and the moves of a solution.

use super::rules::{Move, Template};
use crate::constraint::least_moves;
use crate::*;

pub(super) const MODELS: &[ConstraintModel<Template>] = &[ConstraintModel {
    name: "steps",
    about: "the cell of the token after each step",
    measure: "steps",
    text: include_str!("models/steps.eprime"),
    switches: &[GUESS, FROM_ONE],
    first_horizon: least_moves,
    last_horizon: Template::longest_plan,
    parameters,
    moves,
    fix_move: Some(fix_move),
    ..ConstraintModel::DEFAULT
}];

fn parameters(level: &Template) -> Result<String, String> {
    Ok(format!(
        "language ESSENCE' 1.0\nletting cells be {}\nletting start be {}\nletting goal be {}\n",
        level.cells,
        level.start + 1,
        level.goal.map_or(0, |goal| goal + 1)
    ))
}

fn moves(_level: &Template, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let read = |step: u32| match value("right", &[step as i32]) {
        Some(1) => Ok(Move(Side::Right)),
        Some(0) => Ok(Move(Side::Left)),
        _ => Err(format!("step {step} has no direction")),
    };
    (1..=horizon).map(read).collect()
}

fn fix_move(_level: &Template, step: usize, mv: Move) -> String {
    format!("right[{step}] = {}", mv.0 == Side::Right)
}
