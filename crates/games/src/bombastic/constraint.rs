//! Bombastic in Essence Prime: the parameters of a level, and the moves of a solution. The
//! parameters have the names of the original exercise, so its parameter files can be used too.

use super::formats::parameters;
use super::rules::{Bombastic, Move};
use crate::constraint::least_moves;
use crate::*;

pub(super) const MODELS: &[ConstraintModel<Bombastic>] = &[
    ConstraintModel {
        name: "initial",
        about: "constraints on cells quantify over all cells",
        text: include_str!("models/initial.eprime"),
        ..COMMON
    },
    ConstraintModel {
        name: "direct",
        about: "cells are looked up by the places of the avatar and the blocks",
        text: include_str!("models/direct.eprime"),
        ..COMMON
    },
    ConstraintModel {
        name: "paper-2.1",
        about: "the initial model of the report",
        text: include_str!("models/paper-2.1.eprime"),
        ..PAPER
    },
    ConstraintModel {
        name: "paper-2.2.1",
        about: "the improved model of the report, with places as indices",
        text: include_str!("models/paper-2.2.1.eprime"),
        ..PAPER
    },
];

const COMMON: ConstraintModel<Bombastic> = ConstraintModel {
    measure: "steps",
    switches: &[FROM_ONE, GUESS],
    horizon: "steps",
    first_horizon: least_moves,
    last_horizon: Bombastic::longest_plan,
    parameters: |level| Ok(parameters(level, &level.start())),
    moves,
    fix_move: Some(fix_move),
    ..ConstraintModel::DEFAULT
};

/// The models of the report have no switches, and are swept from the first horizon.
const PAPER: ConstraintModel<Bombastic> = ConstraintModel {
    switches: &[],
    first_horizon: |_| 1,
    fix_move: None,
    ..COMMON
};

fn moves(_level: &Bombastic, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let step = |step: u32| {
        let offset = |name| value(name, &[step as i32]);
        let side = match (offset("moveRow"), offset("moveCol")) {
            (Some(-1), Some(0)) => Side::Up,
            (Some(0), Some(1)) => Side::Right,
            (Some(1), Some(0)) => Side::Down,
            (Some(0), Some(-1)) => Side::Left,
            _ => return Err(format!("step {step} has no side")),
        };
        Ok(Move(side))
    };
    (1..=horizon).map(step).collect()
}

fn fix_move(_level: &Bombastic, step: usize, Move(side): Move) -> String {
    let (row, col) = match side {
        Side::Up => (-1, 0),
        Side::Right => (0, 1),
        Side::Down => (1, 0),
        Side::Left => (0, -1),
    };
    format!("moveRow[{step}] = {row} /\\ moveCol[{step}] = {col}")
}
