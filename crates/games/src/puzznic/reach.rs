//! The parameters of the model `reach`, and the moves of its solutions.
//!
//! The cells of the model are those that a block can reach: its own, the cells beside a cell that it
//! can reach, and all cells below one in the same shaft, since a pile may end at any height. Blocks
//! never rise, so what is missing of a shaft is its upper part.
//!
//! A parameter bounds when a block of each pattern can be in a cell: it moves sideways at cost 1, and
//! falls for free.
//!
//! The bounds are those of the native search: what two blocks must move to meet (`stars.rs`), and
//! three that must vanish together (`trios.rs`). Patterns with two or three blocks have lists of them
//! (`needs.rs`); for patterns with more there is a table of all pairs of cells.

use super::fast::{Field, NONE};
use super::meetings::{moves_from, pairs};
use super::needs::{Need, Needs, Stray};
use super::rules::{Move, Puzznic};
use super::stars::Stars;
use crate::*;

/// The blocks in two cells can never meet.
pub(super) const NEVER: u16 = 10_000;

/// The cells that a block can reach, in the order of their numbers.
pub(super) fn cells(level: &Puzznic) -> Vec<u16> {
    let field = &level.field;
    let mut reached = vec![false; field.places.len()];
    let start = level.start();
    let blocks = start.0.iter().enumerate().filter(|(_, block)| **block > 0);
    let mut open: Vec<u16> = blocks.map(|(cell, _)| cell as u16).collect();
    while let Some(cell) = open.pop() {
        if std::mem::replace(&mut reached[usize::from(cell)], true) {
            continue;
        }
        open.extend([
            field.left[usize::from(cell)],
            field.right[usize::from(cell)],
        ]);
        open.push(below(field, cell));
        open.retain(|&next| next != NONE && !reached[usize::from(next)]);
    }
    let numbers = 0..field.places.len() as u16;
    numbers.filter(|&cell| reached[usize::from(cell)]).collect()
}

/// The cell below in the same shaft.
pub(super) fn below(field: &Field, cell: u16) -> u16 {
    let shaft = field.shafts[usize::from(field.shaft_of[usize::from(cell)])];
    if cell + 1 < shaft.end { cell + 1 } else { NONE }
}

/// The parameters of a level.
pub(super) fn parameters(level: &Puzznic) -> Result<String, String> {
    let field = &level.field;
    let cells = cells(level);
    if cells.is_empty() {
        return Err("a level without blocks has no cells for this model".to_string());
    }
    let number = |cell: u16| match cells.binary_search(&cell) {
        Ok(at) if cell != NONE => at + 1,
        _ => 0,
    };
    let start = level.start();
    let mut text = "language ESSENCE' 1.0\n".to_string();
    let mut letting = |name: &str, value: &dyn Fn(u16) -> usize| {
        let values: Vec<String> = cells.iter().map(|&cell| value(cell).to_string()).collect();
        text.push_str(&format!("letting {name} be [{}]\n", values.join(", ")));
    };
    let shaft = |cell: u16| field.shafts[usize::from(field.shaft_of[usize::from(cell)])];
    let above = |cell: u16| match cell > shaft(cell).top {
        true => number(cell - 1),
        false => 0,
    };
    let top = |cell: u16| {
        let first = (shaft(cell).top..=cell).find(|&above| number(above) > 0);
        first.map_or(0, number)
    };
    letting("initPat", &|cell| usize::from(start.0[usize::from(cell)]));
    let count = |pattern: usize| {
        let of_pattern = start.0.iter();
        let of_pattern = of_pattern.filter(|&&block| usize::from(block) == pattern + 1);
        of_pattern.count().to_string()
    };
    let counts: Vec<String> = (0..level.letters.len()).map(count).collect();
    letting("up", &above);
    letting("right", &|cell| number(field.right[usize::from(cell)]));
    letting("down", &|cell| number(below(field, cell)));
    letting("left", &|cell| number(field.left[usize::from(cell)]));
    letting("column", &|cell| {
        usize::from(field.places[usize::from(cell)].1) + 1
    });
    letting("top", &top);
    letting("height", &|cell| usize::from(shaft(cell).end - cell));
    text.push_str(&format!("letting blocks be [{}]\n", counts.join(", ")));
    let mut stars = Stars::new(field, &Switches::all_on(), &[]);
    let meets = meets(&cells, &mut stars);
    let soonest = soonest(level, &cells);
    let lists = Needs::new(level, &cells, &mut stars);
    let furthest = lists.needs.iter().map(|need| need.moves);
    let furthest = furthest.chain(meets.iter().flatten().copied());
    let furthest = furthest.filter(|&moves| moves < NEVER).max().unwrap_or(0);
    text.push_str(&format!("letting furthest be {furthest}\n"));
    // The lists are sorted, so the entries that matter after some moves are the first ones.
    let waits = lists.needs.iter().map(|need| need.soonest);
    let waits = waits.chain(lists.strays.iter().map(|stray| stray.soonest));
    let last = waits.max().unwrap_or(0);
    let until = |count: &dyn Fn(u16) -> usize| {
        let counts: Vec<String> = (0..=last).map(|moves| count(moves).to_string()).collect();
        counts.join(", ")
    };
    let needs = until(&|moves| lists.needs.partition_point(|need| need.soonest <= moves));
    let strays = until(&|moves| lists.strays.partition_point(|stray| stray.soonest <= moves));
    text.push_str(&format!("letting longestWait be {last}\n"));
    text.push_str(&format!("letting needsUntil be [{needs}]\n"));
    text.push_str(&format!("letting straysUntil be [{strays}]\n"));
    let rows = lists.needs.iter().map(need_row).collect();
    push_rows(&mut text, "needs", rows, "[1, 1, 1, 1, 0]");
    let rows = lists.strays.iter().map(stray_row).collect();
    push_rows(&mut text, "strays", rows, "[1, 1, 1, 1, 0]");
    for (name, costs) in [("soonest", &soonest), ("meets", &meets)] {
        let row = |row: &Vec<u16>| {
            let values: Vec<String> = row.iter().map(u16::to_string).collect();
            format!(" [{}]", values.join(", "))
        };
        let rows: Vec<String> = costs.iter().map(row).collect();
        text.push_str(&format!("letting {name} be [\n{}\n]\n", rows.join(",\n")));
    }
    Ok(text)
}

/// For each pattern and each cell, the fewest moves that bring one of the pattern's blocks there if
/// only walls are in its way; `NEVER` if none can come.
fn soonest(level: &Puzznic, cells: &[u16]) -> Vec<Vec<u16>> {
    let start = level.start();
    let mut soonest = vec![vec![NEVER; cells.len()]; level.letters.len()];
    for (&block, from) in start.0.iter().zip(0..) {
        let Some(pattern) = block.checked_sub(1) else {
            continue;
        };
        let of_pattern = &mut soonest[usize::from(pattern)];
        for (least, moves) in of_pattern.iter_mut().zip(moves_from(level, cells, from)) {
            *least = moves.map_or(*least, |moves| (moves as u16).min(*least));
        }
    }
    soonest
}

/// What the blocks in two cells must move to meet, for each pair of cells; `NEVER` if they cannot.
fn meets(cells: &[u16], stars: &mut Stars) -> Vec<Vec<u16>> {
    let mut meets = vec![vec![0; cells.len()]; cells.len()];
    for (one, other) in pairs(cells.len()) {
        let number = stars.number(&[cells[one], cells[other]]);
        let moves = stars.cost(number).unwrap_or(NEVER);
        meets[one][other] = moves;
        meets[other][one] = moves;
    }
    meets
}

/// Adds a matrix with these rows to the text.
fn push_rows(text: &mut String, name: &str, mut rows: Vec<String>, nothing: &str) {
    if rows.is_empty() {
        // A matrix has a row; this one is never read.
        rows.push(nothing.to_string());
    }
    let rows = rows.join(",\n ");
    text.push_str(&format!("letting {name} be [\n {rows}\n]\n"));
}

/// The pattern, the cells of its blocks, and the moves that they need.
fn need_row(need: &Need) -> String {
    let [one, two, three] = need.cells.map(|cell| cell + 1);
    let pattern = need.pattern + 1;
    format!("[{pattern}, {one}, {two}, {three}, {}]", need.moves)
}

/// The pattern, the cell of the block that moves, the side (1 left, 2 right), the cell of another block,
/// and what the move wastes.
fn stray_row(stray: &Stray) -> String {
    let [cell, other] = stray.cells.map(|cell| cell + 1);
    let side = 1 + u8::from(stray.to_right);
    let pattern = stray.pattern + 1;
    format!("[{pattern}, {cell}, {side}, {other}, {}]", stray.wasted)
}

/// The moves of a solution: all its ministeps are read.
pub(super) fn moves(level: &Puzznic, _horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let cells = cells(level);
    let mut moves = Vec::new();
    for step in 1.. {
        let Some(act) = value("act", &[step]) else {
            break;
        };
        let Some(act) = usize::try_from(act).ok().filter(|act| *act > 0) else {
            continue;
        };
        let cell = cells.get((act - 1) / 2);
        let cell = cell.ok_or_else(|| format!("step {step} does not name a cell"))?;
        let (row, col) = level.field.places[usize::from(*cell)];
        let side = match act % 2 {
            1 => Side::Left,
            _ => Side::Right,
        };
        moves.push(Move { row, col, side });
    }
    Ok(moves)
}
