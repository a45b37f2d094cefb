//! Plotting in Essence Prime: from a level to parameters, and from a solution to shots.
//!
//! Both models have the same viewpoint (the same main variables), so they share the switches. The
//! parameters have the names of the published models, so published parameter files work too. They
//! cannot express the options of our levels; `parameters` returns an error for these.

use super::formats::{init_grid, without_options};
use super::rules::{Move, Plotting};
use crate::constraint::least_moves;
use crate::*;

pub(super) const MODELS: &[ConstraintModel<Plotting>] = &[
    ConstraintModel {
        name: "action",
        about: "for each shot: its preconditions and effects",
        text: include_str!("models/action.eprime"),
        ..COMMON
    },
    ConstraintModel {
        name: "state",
        about: "for the hand and each cell: the possible changes and their causes",
        text: include_str!("models/state.eprime"),
        ..COMMON
    },
];

const COMMON: ConstraintModel<Plotting> = ConstraintModel {
    name: "",
    about: "",
    measure: "shots",
    text: "",
    switches: SWITCHES,
    horizon: "noSteps",
    least_cost: |_, horizon| horizon,
    first_horizon: least_moves,
    last_horizon: Plotting::longest_plan,
    parameters,
    moves,
    fix_move: Some(fix_move),
};

const SWITCHES: &[ModelSwitch] = &[
    ModelSwitch {
        name: "dead-end",
        about: "no colour comes into the hand if none of its blocks remains in the grid",
        text: include_str!("models/dead-end.eprime"),
    },
    ModelSwitch {
        name: "empty-row",
        about: "no shot along a row if a shot down the last column has the same effect",
        text: include_str!("models/empty-row.eprime"),
    },
    ModelSwitch {
        name: "lines",
        about: "no state whose colours need more shots than are left, by a bound on the blocks of a shot",
        text: include_str!("models/lines.eprime"),
    },
    ModelSwitch {
        name: "monochrome",
        about: "columns that have only the hand's colour are shot from left to right",
        text: include_str!("models/monochrome.eprime"),
    },
    GUESS,
];

fn parameters(level: &Plotting) -> Result<String, String> {
    let start = level.start();
    without_options(level, &start)?;
    Ok(format!(
        "language ESSENCE' 1.0\n{}letting goalBlocksRemaining be {}\n",
        init_grid(level, &start),
        level.goal
    ))
}

fn moves(level: &Plotting, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let line = |name: &str, step: i32, most: usize| {
        let line = value(name, &[step])?.checked_sub(1)?;
        u8::try_from(line)
            .ok()
            .filter(|&line| usize::from(line) < most)
    };
    let shot = |step: u32| {
        let step = step as i32;
        let row = line("fpRow", step, level.rows).map(Move::Row);
        let shot = row.or_else(|| line("fpCol", step, level.cols).map(Move::Col));
        shot.ok_or_else(|| format!("step {step} has neither a row nor a column"))
    };
    (1..=horizon).map(shot).collect()
}

fn fix_move(_level: &Plotting, step: usize, shot: Move) -> String {
    match shot {
        Move::Row(row) => format!("fpRow[{step}] = {}", row + 1),
        Move::Col(col) => format!("fpCol[{step}] = {}", col + 1),
    }
}
