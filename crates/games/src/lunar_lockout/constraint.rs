//! Lunar Lockout in Essence Prime and Essence: the parameters of a level, and the moves of a solution.

use super::rules::{LunarLockout, Move};
use crate::constraint::{NO_ORDER, least_moves};
use crate::*;

pub(super) const MODELS: &[ConstraintModel<LunarLockout>] = &[SLIDES, CRAFT];

const SLIDES: ConstraintModel<LunarLockout> = ConstraintModel {
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
};

const CRAFT: ConstraintModel<LunarLockout> = ConstraintModel {
    language: Language::Essence,
    name: "craft",
    about: "the places of the craft are a function, and a slide is a craft and a side",
    measure: "slides",
    text: include_str!("models/craft.essence"),
    switches: &[FROM_ONE],
    first_horizon: least_moves,
    last_horizon: LunarLockout::longest_plan,
    parameters: |level| Ok(specification(level)),
    moves: specification_moves,
    ..ConstraintModel::DEFAULT
};

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

/// The parameters in Essence. Cells are named by row and column, craft by their numbers.
fn specification(level: &LunarLockout) -> String {
    let name = |cell: u16| {
        let (row, col) = level.place(cell);
        format!("r{}c{}", row + 1, col + 1)
    };
    let cells: Vec<u16> = level
        .walls
        .places()
        .map(|place| level.cell(place))
        .collect();
    let next = |cell: u16, side: Side| {
        let place = level.place(cell);
        let open = !level.has_wall(place, side);
        let next = level.walls.beside(place, side).filter(|_| open);
        next.map(|place| level.cell(place))
    };
    let (mut beyond, mut stops) = (Vec::new(), Vec::new());
    for &cell in &cells {
        for side in Side::ALL {
            let (here, to) = (name(cell), side.name());
            let far = std::iter::successors(next(cell, side), |&far| next(far, side));
            let far: Vec<String> = far.map(name).collect();
            beyond.push(format!("({here}, {to}) --> sequence({})", far.join(", ")));
            let place = level.place(cell);
            let edge = level.edge_stops && level.walls.beside(place, side).is_none();
            if edge || level.has_wall(place, side) {
                stops.push(format!("({here}, {to})"));
            }
        }
    }
    let craft = |number: usize| format!("craft{}", number + 1);
    let state = level.start();
    let start = level.craft(&state).iter().enumerate();
    let start: Vec<String> = start
        .map(|(number, &cell)| format!("{} --> {}", craft(number), name(cell)))
        .collect();
    let cells: Vec<String> = cells.into_iter().map(name).collect();
    let all: Vec<String> = (0..start.len()).map(craft).collect();
    format!(
        "language Essence 1.3\n\
         letting cells be new type enum {{{}}}\n\
         letting craft be new type enum {{{}}}\n\
         letting red be {}\n\
         letting goal be {}\n\
         letting start be function({})\n\
         letting beyond be function({})\n\
         letting stops be relation({})\n",
        cells.join(", "),
        all.join(", "),
        craft(0),
        name(level.goal),
        start.join(", "),
        beyond.join(", "),
        stops.join(", "),
    )
}

/// The slides of a solution in Essence.
fn specification_moves(
    level: &LunarLockout,
    horizon: u32,
    value: Lookup,
) -> Result<Vec<Move>, String> {
    let slide = |step: i32| {
        let craft = value("slide", &[step, 1])?;
        let side = usize::try_from(value("slide", &[step, 2])?.checked_sub(1)?).ok()?;
        let cell = value("place", &[step - 1, craft])?.checked_sub(1)?;
        let cell = u16::try_from(cell).ok()?;
        let on_board = usize::from(cell) < level.rows * level.cols;
        let side = *Side::ALL.get(side)?;
        on_board.then_some(Move { cell, side })
    };
    let slides = 1..=horizon as i32;
    slides
        .map(|step| slide(step).ok_or_else(|| format!("slide {step} has no craft or no side")))
        .collect()
}
