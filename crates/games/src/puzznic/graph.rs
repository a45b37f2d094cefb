//! The models of Puzznic on the graph of its cells, in Essence Prime and Essence: the parameters of a
//! level, and the moves of a solution.

use super::constraint::start;
use super::meetings::{Meetings, pairs};
use super::reach::cells;
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
    let column = |place: &(usize, usize)| format!("{} --> {}", name(place), place.1 + 1);
    let columns: Vec<String> = vertices.iter().map(column).collect();
    letting("column", format!("function({})", columns.join(", ")));
    for (parameter, value) in needs(level) {
        letting(parameter, value);
    }
    Ok(text)
}

/// The name of a vertex in Essence.
fn name(place: &(usize, usize)) -> String {
    format!("r{}c{}", place.0 + 1, place.1 + 1)
}

/// The parameters of our own constraints: the cells that a block can reach, and what blocks in two of
/// them need to meet.
fn needs(level: &Puzznic) -> [(&'static str, String); 5] {
    let cells = cells(level);
    let names: Vec<String> = cells.iter().map(|&cell| cell_name(level, cell)).collect();
    let meetings = Meetings::new(level, &cells);
    let (mut meets, mut falls, mut never) = (Vec::new(), Vec::new(), Vec::new());
    for (one, other) in pairs(cells.len()) {
        let pair = format!("({}, {})", names[one], names[other]);
        let Some(meeting) = meetings.of(one, other) else {
            never.push(pair);
            continue;
        };
        if meeting.moves > 0 {
            meets.push(format!("{pair} --> {}", meeting.moves));
        }
        if meeting.steps > meeting.moves {
            falls.push(format!("{pair} --> {}", meeting.steps - meeting.moves));
        }
    }
    // Only patterns of other than two blocks use the lists of partners, which are long.
    let start = level.start();
    let blocks = |pattern: usize| {
        let of_pattern = start
            .0
            .iter()
            .filter(|&&block| usize::from(block) == pattern);
        of_pattern.count()
    };
    let grouped = (1..=level.letters.len()).any(|pattern| blocks(pattern) != 2);
    let mut partners = Vec::new();
    for one in (0..cells.len()).filter(|_| grouped) {
        for (moves, nearer) in meetings.partners(one) {
            let nearer: Vec<&str> = nearer.iter().map(|&cell| names[cell].as_str()).collect();
            let nearer = nearer.join(", ");
            partners.push(format!("({}, {moves}) --> {{{nearer}}}", names[one]));
        }
    }
    let function = |pairs: Vec<String>| format!("function({})", pairs.join(", "));
    [
        ("reached", format!("{{{}}}", names.join(", "))),
        ("meets", function(meets)),
        ("falls", function(falls)),
        ("never", format!("{{{}}}", never.join(", "))),
        ("partners", function(partners)),
    ]
}

/// No plan is done earlier, by the specification: the steps that patterns of two blocks need, and a
/// round of matching. `None` if two blocks never meet, so that there is no plan.
pub(super) fn least_done(level: &Puzznic) -> Option<u32> {
    let cells = cells(level);
    let meetings = Meetings::new(level, &cells);
    let start = level.start();
    let (mut moves, mut falls) = (0, 0);
    for pattern in 1..=level.letters.len() {
        let holds = |at: &usize| usize::from(start.0[usize::from(cells[*at])]) == pattern;
        let blocks: Vec<usize> = (0..cells.len()).filter(holds).collect();
        if let [one, other] = blocks[..] {
            let meeting = meetings.of(one, other)?;
            moves += meeting.moves;
            falls = falls.max(meeting.steps - meeting.moves);
        }
    }
    Some(1 + moves + falls + u32::from(!cells.is_empty()))
}

fn cell_name(level: &Puzznic, cell: u16) -> String {
    let (row, col) = level.field.places[usize::from(cell)];
    name(&(row.into(), col.into()))
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
