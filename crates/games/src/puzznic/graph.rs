//! The models of Puzznic on the graph of its cells, in Essence Prime and Essence: the parameters of a
//! level, and the moves of a solution.

use super::constraint::start;
use super::rules::{Board, Move, Puzznic, Tile};
use crate::*;

/// The cells of the graph's vertices 1, 2, …: all cells that are not wall, row by row.
fn vertices(board: &Board) -> Vec<(usize, usize)> {
    board
        .places()
        .filter(|&place| board[place] != Tile::Wall)
        .collect()
}

pub(super) fn graph(level: &Puzznic) -> Result<String, String> {
    let board = start(level);
    let vertices = vertices(&board);
    if vertices.is_empty() {
        return Err("a graph needs at least one cell that is not wall".to_string());
    }
    let mut text = "language ESSENCE' 1.0\n".to_string();
    let mut letting = |name: &str, numbers: Vec<usize>| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        text.push_str(&format!("letting {name} be [{}]\n", numbers.join(", ")));
    };
    let pattern = |&place: &(usize, usize)| {
        board[place]
            .pattern()
            .map_or(0, |found| usize::from(found) + 1)
    };
    letting("initPat", vertices.iter().map(pattern).collect());
    for side in Side::ALL {
        let beside = |&place: &(usize, usize)| {
            let next = board.beside(place, side);
            next.and_then(|next| vertices.binary_search(&next).ok())
                .map_or(0, |vertex| vertex + 1)
        };
        letting(side.name(), vertices.iter().map(beside).collect());
    }
    letting("column", vertices.iter().map(|place| place.1 + 1).collect());
    Ok(text)
}

/// The parameters of the graph without the columns, which only a switch of `graph` needs.
pub(super) fn without_columns(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("letting column"));
    lines.map(|line| format!("{line}\n")).collect()
}

pub(super) fn graph_moves(
    level: &Puzznic,
    horizon: u32,
    value: Lookup,
) -> Result<Vec<Move>, String> {
    let vertices = vertices(&start(level));
    let mut moves = Vec::new();
    for step in 1..=horizon as i32 {
        let vertex = |name| {
            let vertex = value(name, &[step]).and_then(|vertex| usize::try_from(vertex).ok());
            vertex.ok_or_else(|| format!("step {step} has no {name}"))
        };
        let (from, to) = (vertex("moveFrom")?, vertex("moveTo")?);
        if from == 0 {
            continue;
        }
        moves.push(between(&vertices, step, (from, to))?);
    }
    Ok(moves)
}

/// The move from one vertex to another.
fn between(
    vertices: &[(usize, usize)],
    step: i32,
    (from, to): (usize, usize),
) -> Result<Move, String> {
    let place = |vertex: usize| vertices.get(vertex.wrapping_sub(1));
    let (Some(&from), Some(&to)) = (place(from), place(to)) else {
        return Err(format!("step {step} does not name a cell"));
    };
    let side = if to.1 < from.1 {
        Side::Left
    } else {
        Side::Right
    };
    Ok(Move {
        row: from.0 as u16,
        col: from.1 as u16,
        side,
    })
}

/// The parameters in Essence. Vertices are named by row and column, patterns by their letters.
pub(super) fn specification(level: &Puzznic) -> Result<String, String> {
    let board = start(level);
    let vertices = vertices(&board);
    if vertices.is_empty() {
        return Err("a graph needs at least one cell that is not wall".to_string());
    }
    let name = |place: &(usize, usize)| format!("r{}c{}", place.0 + 1, place.1 + 1);
    let pattern = |number: usize| format!("block{}", number + 1);
    let patterns: Vec<String> = (0..level.letters.len()).map(pattern).collect();
    let (mut arcs, mut blocks) = (Vec::new(), Vec::new());
    for place in &vertices {
        for side in Side::ALL {
            let next = board.beside(*place, side);
            if let Some(next) = next.filter(|next| vertices.binary_search(next).is_ok()) {
                arcs.push(format!(
                    "({}, {}, {})",
                    name(place),
                    name(&next),
                    side.name()
                ));
            }
        }
        if let Some(found) = board[*place].pattern() {
            blocks.push(format!("{} --> {}", name(place), pattern(found.into())));
        }
    }
    let names: Vec<String> = vertices.iter().map(name).collect();
    let mut text = "language Essence 1.3\n".to_string();
    let mut letting = |name: &str, value: String| {
        text.push_str(&format!("letting {name} be {value}\n"));
    };
    letting(
        "vertices",
        format!("new type enum {{{}}}", names.join(", ")),
    );
    let patterns = [vec!["none".to_string()], patterns].concat().join(", ");
    letting("patterns", format!("new type enum {{{patterns}}}"));
    letting("free", "none".to_string());
    letting("A", format!("relation({})", arcs.join(", ")));
    letting("initPat", format!("function({})", blocks.join(", ")));
    let most = level.longest_plan().unwrap_or(u32::from(u16::MAX)).max(1);
    letting("maxMoves", most.to_string());
    Ok(text)
}

/// The moves of a solution of the specification.
pub(super) fn specification_moves(
    level: &Puzznic,
    horizon: u32,
    value: Lookup,
) -> Result<Vec<Move>, String> {
    let vertices = vertices(&start(level));
    let mut moves = Vec::new();
    for step in 1..=horizon as i32 {
        let vertex = |part| usize::try_from(value("move", &[step, part])?).ok();
        if let (Some(from), Some(to)) = (vertex(1), vertex(2)) {
            moves.push(between(&vertices, step, (from, to))?);
        }
    }
    Ok(moves)
}
