//! Lunar Lockout in Essence Prime: the parameters of a level, and the moves of a solution.

use super::rules::{LunarLockout, Move};
use crate::constraint::{NO_ORDER, least_moves};
use crate::*;

pub(super) const MODELS: &[ConstraintModel<LunarLockout>] = &[ConstraintModel {
    name: "slides",
    about: "a slide sweeps cell after cell until something blocks it",
    measure: "slides",
    text: include_str!("models/slides.eprime"),
    switches: &[
        ModelSwitch {
            name: "no-return",
            about: "no craft slides twice in a row along the same line",
            text: include_str!("models/no-return.eprime"),
            ..ModelSwitch::DEFAULT
        },
        NO_ORDER,
        FROM_ONE,
        GUESS,
    ],
    first_horizon: least_moves,
    last_horizon: LunarLockout::longest_plan,
    parameters: |level| Ok(parameters(level)),
    moves,
    fix_move: Some(fix_move),
    ..ConstraintModel::DEFAULT
}];

fn parameters(level: &LunarLockout) -> String {
    let start = level.start();
    let rows = |cell: &dyn Fn((usize, usize)) -> String| {
        let row = |row| {
            let cells: Vec<String> = (0..level.cols).map(|col| cell((row, col))).collect();
            format!(" [{}]", cells.join(", "))
        };
        let rows: Vec<String> = (0..level.rows).map(row).collect();
        format!("[\n{}\n]", rows.join(",\n"))
    };
    let craft = |place| match level.craft_at(&start, level.cell(place)) {
        None => "0".to_string(),
        Some(0) => "2".to_string(),
        Some(_) => "1".to_string(),
    };
    let barred = |place| {
        let stops = |side| {
            let edge = level.edge_stops && level.walls.beside(place, side).is_none();
            u8::from(edge || level.has_wall(place, side)).to_string()
        };
        format!("[{}]", Side::ALL.map(stops).join(", "))
    };
    let (row, col) = level.place(level.goal);
    format!(
        "language ESSENCE' 1.0\nletting craft be {}\nletting goalRow be {}\nletting goalCol be {}\nletting barred be {}\n",
        rows(&craft),
        row + 1,
        col + 1,
        rows(&barred)
    )
}

fn moves(level: &LunarLockout, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let slide = |slide: u32| {
        let slide = slide as i32;
        let starts = |&(row, col): &(usize, usize)| {
            value("leaves", &[slide, row as i32 + 1, col as i32 + 1]) == Some(1)
        };
        let from = level.walls.places().find(starts);
        let side = value("side", &[slide])
            .and_then(|side| Side::ALL.get(usize::try_from(side).ok()?.checked_sub(1)?));
        let (Some(from), Some(&side)) = (from, side) else {
            return Err(format!("slide {slide} has no start cell or no side"));
        };
        Ok(Move {
            cell: level.cell(from),
            side,
        })
    };
    (1..=horizon).map(slide).collect()
}

fn fix_move(level: &LunarLockout, slide: usize, mv: Move) -> String {
    let (row, col) = level.place(mv.cell);
    format!(
        "leaves[{slide},{},{}] /\\ side[{slide}] = {}",
        row + 1,
        col + 1,
        mv.side as u8 + 1
    )
}
