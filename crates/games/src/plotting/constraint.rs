//! Plotting in Essence Prime and Essence: from a level to parameters, and from a solution to shots.
//!
//! Both models in Essence Prime have the same viewpoint (the same main variables), so they share the switches. The
//! parameters have the names of the published models, so published parameter files work too. They
//! cannot express the options of our levels; `parameters` returns an error for these.

use super::formats::{init_grid, without_options};
use super::rules::{Move, Plotting};
use crate::constraint::{NO_ORDER, least_moves};
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
        switches: STATE_SWITCHES,
        ..COMMON
    },
    ConstraintModel {
        language: Language::Essence,
        name: "functions",
        about: "the grid is a partial function, and a shot passes so many cells",
        text: include_str!("models/functions.essence"),
        switches: &[FROM_ONE],
        parameters: specification,
        moves: specification_moves,
        fix_move: None,
        ..COMMON
    },
    ConstraintModel {
        name: "paper-5.3",
        about: "model A of the paper: the preconditions and effects of each shot",
        text: include_str!("models/paper-5.3.eprime"),
        ..PAPER
    },
    ConstraintModel {
        name: "paper-5.4",
        about: "model S of the paper: the changes of the hand and of each cell, with wallFall",
        text: include_str!("models/paper-5.4.eprime"),
        ..PAPER
    },
];

const COMMON: ConstraintModel<Plotting> = ConstraintModel {
    measure: "shots",
    switches: ACTION_SWITCHES,
    first_horizon: least_moves,
    last_horizon: Plotting::longest_plan,
    parameters,
    moves,
    fix_move: Some(fix_move),
    ..ConstraintModel::DEFAULT
};

/// The models of the paper are swept from the first horizon to the number of blocks less the goal.
const PAPER: ConstraintModel<Plotting> = ConstraintModel {
    switches: PAPER_SWITCHES,
    first_horizon: |_| 1,
    fix_move: None,
    ..COMMON
};

const ACTION_SWITCHES: &[ModelSwitch] = &[
    DEAD_END,
    EMPTY_ROW,
    LINES,
    MONOCHROME,
    NO_FIRST_BLOCK,
    NO_GRAVITY,
    NO_LAST_SHOTS,
    NO_ORDER,
    FROM_ONE,
    GUESS,
];

const STATE_SWITCHES: &[ModelSwitch] = &[
    DEAD_END,
    EMPTY_ROW,
    LINES,
    MONOCHROME,
    NO_FIRST_BLOCK,
    NO_LAST_SHOTS,
    NO_ORDER,
    FROM_ONE,
    GUESS,
];

/// Sections 5.5 and 5.6 of the paper, as it states them.
const PAPER_SWITCHES: &[ModelSwitch] = &[
    ModelSwitch {
        text: include_str!("models/paper-5.6-dead-end.eprime"),
        ..DEAD_END
    },
    ModelSwitch {
        text: include_str!("models/paper-5.5-empty-row.eprime"),
        ..EMPTY_ROW
    },
    ModelSwitch {
        text: include_str!("models/paper-5.5-monochrome.eprime"),
        ..MONOCHROME
    },
];

const DEAD_END: ModelSwitch = ModelSwitch {
    name: "dead-end",
    about: "no colour comes into the hand if none of its blocks remains in the grid",
    text: include_str!("models/dead-end.eprime"),
    ..ModelSwitch::DEFAULT
};
const EMPTY_ROW: ModelSwitch = ModelSwitch {
    name: "empty-row",
    about: "no shot along a row if a shot down the last column has the same effect",
    text: include_str!("models/empty-row.eprime"),
    ..ModelSwitch::DEFAULT
};
const LINES: ModelSwitch = ModelSwitch {
    name: "lines",
    about: "no state whose colours need more shots than are left, by a bound on the blocks of a shot",
    text: include_str!("models/lines.eprime"),
    ..ModelSwitch::DEFAULT
};
const MONOCHROME: ModelSwitch = ModelSwitch {
    name: "monochrome",
    about: "columns that have only the hand's colour are shot from left to right",
    text: include_str!("models/monochrome.eprime"),
    ..ModelSwitch::DEFAULT
};
const NO_FIRST_BLOCK: ModelSwitch = ModelSwitch {
    name: "no-first-block",
    about: "without the implied constraint that the first block of a shot has its colour",
    without: "first-block",
    ..ModelSwitch::DEFAULT
};
const NO_GRAVITY: ModelSwitch = ModelSwitch {
    name: "no-gravity",
    about: "without the implied constraint that no cell below a block is empty",
    without: "gravity",
    ..ModelSwitch::DEFAULT
};
const NO_LAST_SHOTS: ModelSwitch = ModelSwitch {
    name: "no-last-shots",
    about: "without the implied constraint on the blocks that the last shots cannot touch",
    without: "last-shots",
    ..ModelSwitch::DEFAULT
};

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

/// The parameters in Essence. Colours are named by their numbers.
fn specification(level: &Plotting) -> Result<String, String> {
    let start = level.start();
    without_options(level, &start)?;
    let cells = level.cells(&start);
    let colour = |number: usize| format!("colour{}", number + 1);
    let block = |place: (usize, usize)| {
        let found = colour(cells[place]?.into());
        Some(format!("({}, {}) --> {found}", place.0 + 1, place.1 + 1))
    };
    let blocks: Vec<String> = cells.places().filter_map(block).collect();
    let colours: Vec<String> = (0..level.letters.len().max(1)).map(colour).collect();
    Ok(format!(
        "language Essence 1.3\n\
         letting height be {}\n\
         letting width be {}\n\
         letting colours be new type enum {{{}}}\n\
         letting initGrid be function({})\n\
         letting goalBlocksRemaining be {}\n",
        level.rows,
        level.cols,
        colours.join(", "),
        blocks.join(", "),
        level.goal
    ))
}

/// The shots of a solution in Essence.
fn specification_moves(level: &Plotting, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let line = |name: &str, step: i32, most: usize| {
        let line = u8::try_from(value(name, &[step])?.checked_sub(1)?).ok()?;
        (usize::from(line) < most).then_some(line)
    };
    let shot = |step: i32| {
        let row = line("shot.row", step, level.rows).map(Move::Row);
        let shot = row.or_else(|| line("shot.col", step, level.cols).map(Move::Col));
        shot.ok_or_else(|| format!("step {step} has neither a row nor a column"))
    };
    (1..=horizon as i32).map(shot).collect()
}
