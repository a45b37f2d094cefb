//! Pipe Mania in Essence Prime and Essence: the parameters of a level, and the moves of a solution.
//!
//! In Essence Prime both measures use the same model. A parameter gives, for each piece, the sides that it connects
//! and the turns this takes, so the model covers all options of a level.

use super::piece::Kind;
use super::rules::{Move, PipeMania, Place};
use crate::*;

pub(super) const MODELS: &[ConstraintModel<PipeMania>] = &[
    ConstraintModel {
        name: "path",
        about: "a path is built piece by piece, each in the rotation that fits",
        measure: "pieces",
        first_horizon: |level| {
            shortest_walk(level, false).unwrap_or_else(|| longest(level, false) + 1)
        },
        last_horizon: |level| Some(longest(level, false)),
        parameters: |level| Ok(parameters(level, false)),
        ..COMMON
    },
    ConstraintModel {
        name: "rotate",
        about: "a path is built piece by piece, and each quarter turn of a piece takes time",
        measure: "pieces+rotations",
        first_horizon: |level| {
            shortest_walk(level, true).unwrap_or_else(|| longest(level, true) + 1)
        },
        last_horizon: |level| Some(longest(level, true)),
        parameters: |level| Ok(parameters(level, true)),
        ..COMMON
    },
    ConstraintModel {
        language: Language::Essence,
        name: "sequence",
        about: "a path is a sequence of pieces, each left on a side",
        measure: "pieces",
        text: include_str!("models/sequence.essence"),
        switches: &[FROM_ONE],
        first_horizon: |level| {
            shortest_walk(level, false).unwrap_or_else(|| longest(level, false) + 1)
        },
        last_horizon: |level| Some(longest(level, false)),
        parameters: specification,
        moves: specification_moves,
        ..ConstraintModel::DEFAULT
    },
];

const COMMON: ConstraintModel<PipeMania> = ConstraintModel {
    text: include_str!("models/path.eprime"),
    switches: &[
        ModelSwitch {
            name: "no-implied",
            about: "without the implied constraint that a path leaves one piece at a time",
            without: "implied",
            ..ModelSwitch::DEFAULT
        },
        ModelSwitch {
            name: "no-symmetry",
            about: "a path that can be reversed may begin at either end",
            without: "symmetry",
            ..ModelSwitch::DEFAULT
        },
        FROM_ONE,
    ],
    moves,
    ..ConstraintModel::DEFAULT
};

/// The cost in turns for a piece to lead from one side to another.
fn turns(level: &PipeMania, place: Place, entered: Side, out: Side, rotations: bool) -> Option<u8> {
    let turns = level.board[place].turns_to_lead(entered, out)?;
    Some(if rotations { turns } else { 0 })
}

fn is_end(level: &PipeMania, place: Place, named: Option<Place>) -> bool {
    level.board[place].kind == Kind::End && named.is_none_or(|named| named == place)
}

fn parameters(level: &PipeMania, rotations: bool) -> String {
    let board = &level.board;
    let required = level.required();
    let mut text = "language ESSENCE' 1.0\n".to_string();
    let mut letting = |name: &str, cell: &dyn Fn(Place) -> String| {
        let row = |row| {
            let cells: Vec<String> = (0..board.cols()).map(|col| cell((row, col))).collect();
            format!(" [{}]", cells.join(", "))
        };
        let rows: Vec<String> = (0..board.rows()).map(row).collect();
        text.push_str(&format!("letting {name} be [\n{}\n]\n", rows.join(",\n")));
    };
    let number = |truth: bool| u8::from(truth).to_string();
    letting("mayBegin", &|place| {
        number(is_end(level, place, level.from))
    });
    letting("mayEnd", &|place| number(is_end(level, place, level.to)));
    letting("mustPass", &|place| number(required.contains(&place)));
    letting("cross", &|place| number(board[place].kind == Kind::Cross));
    letting("turns", &|place| {
        let from = |entered| {
            let to = |out| {
                turns(level, place, entered, out, rotations)
                    .map_or("-1".to_string(), |turns| turns.to_string())
            };
            format!("[{}]", Side::ALL.map(to).join(","))
        };
        format!("[{}]", Side::ALL.map(from).join(","))
    });
    text
}

/// An upper bound on the cost of a path: no piece is used twice (a cross has two channels), and
/// none needs more than three turns.
fn longest(level: &PipeMania, rotations: bool) -> u32 {
    let cost = |place| match level.board[place].kind {
        Kind::Empty => 0,
        Kind::Cross => 2,
        _ => {
            let sides = Side::ALL
                .into_iter()
                .flat_map(|a| Side::ALL.map(|b| (a, b)));
            let turns =
                sides.filter_map(|(entered, out)| turns(level, place, entered, out, rotations));
            1 + turns.max().map_or(0, u32::from)
        }
    };
    level
        .board
        .places()
        .map(cost)
        .sum::<u32>()
        .saturating_sub(1)
}

/// The cost of the cheapest walk between two ends, which may use pieces twice; `None` if there is
/// no walk.
fn shortest_walk(level: &PipeMania, rotations: bool) -> Option<u32> {
    let board = &level.board;
    // A node is a piece and the side through which it is entered. An edge costs 1 to 4, so five
    // buckets hold the open nodes.
    let index = |(row, col): Place, side: Side| (row * board.cols() + col) * 4 + side as usize;
    let mut seen = vec![false; board.cells().len() * 4];
    let mut buckets: [Vec<(Place, Side)>; 5] = Default::default();
    for place in board
        .places()
        .filter(|&place| is_end(level, place, level.from))
    {
        for out in Side::ALL
            .into_iter()
            .filter(|&out| turns(level, place, out.opposite(), out, false).is_some())
        {
            buckets[1].extend(board.beside(place, out).map(|next| (next, out.opposite())));
        }
    }
    let mut empty_buckets = 0;
    for now in 1.. {
        let bucket = std::mem::take(&mut buckets[now % 5]);
        empty_buckets = if bucket.is_empty() {
            empty_buckets + 1
        } else {
            0
        };
        if empty_buckets == 5 {
            return None;
        }
        for (place, entered) in bucket {
            if std::mem::replace(&mut seen[index(place, entered)], true) {
                continue;
            }
            let opens = turns(level, place, entered, entered.opposite(), false).is_some();
            if is_end(level, place, level.to) && opens {
                return Some(now as u32);
            }
            for out in Side::ALL {
                let next = board.beside(place, out);
                if let (Some(turns), Some(next)) =
                    (turns(level, place, entered, out, rotations), next)
                {
                    buckets[(now + 1 + usize::from(turns)) % 5].push((next, out.opposite()));
                }
            }
        }
    }
    None
}

/// The moves along the path of a solution.
fn moves(level: &PipeMania, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let leaves = |time: u32, (row, col): Place, side: Side| {
        let index = [time as i32, row as i32 + 1, col as i32 + 1, side as i32 + 1];
        value("leaves", &index) == Some(1)
    };
    let ends = |(row, col): Place| value("ends", &[row as i32 + 1, col as i32 + 1]) == Some(1);
    let mut anywhere = level
        .board
        .places()
        .flat_map(|place| Side::ALL.map(|side| (place, side)));
    let mut at = anywhere.find(|&(place, side)| leaves(0, place, side));
    let mut moves = Vec::new();
    let mut time = 0;
    while let Some((place, side)) = at {
        let entered = side.opposite();
        let next = level
            .board
            .beside(place, side)
            .ok_or("the path leaves the board")?;
        if ends(next) {
            return Ok(moves);
        }
        let tile = level.board[next];
        let exit_at = |time: u32| {
            let out = Side::ALL.into_iter().filter(|&out| leaves(time, next, out));
            let mut turns = out.filter_map(|out| Some((out, tile.turns_to_lead(entered, out)?)));
            turns.next().map(|(out, turns)| (time, out, turns))
        };
        let (later, out, turns) = (time + 1..horizon)
            .find_map(exit_at)
            .ok_or("the path is interrupted")?;
        let turn = Move {
            row: next.0 as u16,
            col: next.1 as u16,
        };
        moves.extend(std::iter::repeat_n(turn, usize::from(turns)));
        (at, time) = (Some((next, out)), later);
    }
    Err("the path has no beginning".to_string())
}

/// The pieces of the board, row by row: the members of the type `pieces`.
fn pieces(level: &PipeMania) -> Vec<Place> {
    let board = &level.board;
    board
        .places()
        .filter(|&place| board[place].kind != Kind::Empty)
        .collect()
}

/// The parameters in Essence. Pieces are named by row and column.
fn specification(level: &PipeMania) -> Result<String, String> {
    let pieces = pieces(level);
    if pieces.is_empty() {
        return Err("there is no piece".to_string());
    }
    let name = |place: &Place| format!("r{}c{}", place.0 + 1, place.1 + 1);
    let names = |places: Vec<Place>| places.iter().map(name).collect::<Vec<_>>().join(", ");
    let (mut beside, mut joins) = (Vec::new(), Vec::new());
    for place in &pieces {
        let piece = name(place);
        for side in Side::ALL {
            let next = level.board.beside(*place, side);
            if let Some(next) = next.filter(|next| pieces.binary_search(next).is_ok()) {
                let (side, next) = (side.name(), name(&next));
                beside.push(format!("({piece}, {side}) --> {next}"));
            }
            for out in Side::ALL {
                if turns(level, *place, side, out, false).is_some() {
                    joins.push(format!("({piece}, {}, {})", side.name(), out.name()));
                }
            }
        }
    }
    let those = |is: &dyn Fn(&Place) -> bool| {
        names(pieces.iter().copied().filter(|place| is(place)).collect())
    };
    let required = level.required();
    Ok(format!(
        "language Essence 1.3\n\
         letting pieces be new type enum {{{}}}\n\
         letting beside be function({})\n\
         letting joins be relation({})\n\
         letting mayBegin be {{{}}}\n\
         letting mayEnd be {{{}}}\n\
         letting mustPass be {{{}}}\n\
         letting crosses be {{{}}}\n",
        names(pieces.clone()),
        beside.join(", "),
        joins.join(", "),
        those(&|&place| is_end(level, place, level.from)),
        those(&|&place| is_end(level, place, level.to)),
        those(&|place| required.contains(place)),
        those(&|&place| level.board[place].kind == Kind::Cross),
    ))
}

/// The moves along the sequence of a solution.
fn specification_moves(
    level: &PipeMania,
    horizon: u32,
    value: Lookup,
) -> Result<Vec<Move>, String> {
    let pieces = pieces(level);
    let step = |step: u32| {
        let part = |part| {
            let number = usize::try_from(value("path", &[step as i32, part])?).ok()?;
            number.checked_sub(1)
        };
        let (piece, side) = (pieces.get(part(1)?)?, Side::ALL.get(part(2)?)?);
        Some((*piece, *side))
    };
    let path: Option<Vec<(Place, Side)>> = (1..=horizon).map(step).collect();
    let path = path.ok_or("the path is interrupted")?;
    let mut moves = Vec::new();
    for pair in path.windows(2) {
        let ((_, before), (place, out)) = (pair[0], pair[1]);
        let turns = level.board[place].turns_to_lead(before.opposite(), out);
        let turns = turns.ok_or("a piece does not lead on")?;
        let turn = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        moves.extend(std::iter::repeat_n(turn, usize::from(turns)));
    }
    Ok(moves)
}
