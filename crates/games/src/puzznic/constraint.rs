//! Puzznic in Essence Prime: from a level to parameters, and from a solution to moves.
//!
//! The models differ in what they count, and so in the measure that they optimise: `moves` counts
//! moves of the player, which is the game's own measure; `fixed-steps` also counts rounds of
//! matching, `graph` also falls by one cell. A plan with the fewest steps need not have the fewest
//! moves; `bounds` gives the number of moves that every plan of a horizon has at least.

use super::graph::{graph, graph_moves, without_columns};
use super::rules::{Board, Move, Puzznic, Tile, board};
use crate::constraint::{NO_ORDER, least_moves};
use crate::*;

pub(super) const MODELS: &[ConstraintModel<Puzznic>] = &[
    ConstraintModel {
        name: "fixed-steps",
        about: "a step is a move or a round of matching",
        measure: "steps",
        bounds: &[MOVES_OF_STEPS],
        text: include_str!("models/fixed-steps.eprime"),
        switches: &[
            ModelSwitch {
                text: include_str!("models/no-repeat.eprime"),
                ..NO_REPEAT
            },
            ModelSwitch {
                text: include_str!("models/lower-bound.eprime"),
                ..LOWER_BOUND
            },
            ModelSwitch {
                text: include_str!("models/dead-end.eprime"),
                ..DEAD_END
            },
            NO_IMPLIED,
            NO_ORDER,
            FROM_ONE,
        ],
        first_horizon: |level| least_moves(level) + u32::from(most_matches(level) > 0),
        last_horizon: |level| Some(level.longest_plan()? + most_matches(level)),
        parameters: |level| Ok(grid(&start(level))),
        moves,
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        name: "moves",
        about: "a step is a move; rounds of matching come in between",
        measure: "moves",
        text: include_str!("models/moves.eprime"),
        switches: &[
            ModelSwitch {
                text: include_str!("models/no-repeat-moves.eprime"),
                ..NO_REPEAT
            },
            ModelSwitch {
                text: include_str!("models/lower-bound-moves.eprime"),
                ..LOWER_BOUND
            },
            ModelSwitch {
                text: include_str!("models/dead-end.eprime"),
                ..DEAD_END
            },
            NO_IMPLIED,
            NO_ORDER,
            FROM_ONE,
        ],
        first_horizon: least_moves,
        last_horizon: Puzznic::longest_plan,
        parameters: |level| Ok(grid(&start(level))),
        moves,
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        name: "reach",
        about: "a step is a move, on the cells that blocks can reach, with bounds on the moves that are needed",
        measure: "moves",
        text: include_str!("models/reach.eprime"),
        switches: &[
            ModelSwitch {
                name: "no-needs",
                about: "without the bounds on the moves that each pattern needs",
                without: "needs",
                ..ModelSwitch::DEFAULT
            },
            NO_COMMUTING,
            NO_ORDER,
            FROM_ONE,
        ],
        first_horizon: least_moves,
        last_horizon: Puzznic::longest_plan,
        parameters: super::reach::parameters,
        moves: super::reach::moves,
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        name: "graph",
        about: "a step is a move, a round of matching, or a fall by one cell, on the graph of the cells",
        measure: "ticks",
        bounds: &[OtherMeasure {
            measure: "moves",
            least_cost: |level, horizon| {
                horizon.saturating_sub(most_matches(level) + most_falls(level))
            },
        }],
        text: include_str!("models/graph.eprime"),
        switches: &[
            ModelSwitch {
                text: include_str!("models/no-repeat-graph.eprime"),
                ..NO_REPEAT
            },
            ModelSwitch {
                text: include_str!("models/lower-bound-graph.eprime"),
                ..LOWER_BOUND
            },
            ModelSwitch {
                text: include_str!("models/dead-end-graph.eprime"),
                ..DEAD_END
            },
            NO_ORDER,
            FROM_ONE,
        ],
        first_horizon: |level| least_moves(level) + u32::from(most_matches(level) > 0),
        last_horizon: |level| Some(level.longest_plan()? + most_matches(level) + most_falls(level)),
        parameters: graph,
        moves: graph_moves,
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        language: Language::Essence,
        name: "graph",
        about: "the paper's specification: a plan of states, and a partial function of moves",
        measure: "done",
        text: include_str!("models/graph.essence"),
        switches: &[
            ModelSwitch {
                name: "plain",
                about: "as in the paper, without the parts that are ours",
                without: "ours",
                ..ModelSwitch::DEFAULT
            },
            ModelSwitch {
                name: "all-cells",
                about: "also with the cells that no block can reach",
                without: "reach",
                ..ModelSwitch::DEFAULT
            },
            ModelSwitch {
                name: "no-needs",
                about: "without the bounds on the steps that each pattern needs",
                without: "needs",
                ..ModelSwitch::DEFAULT
            },
            NO_COMMUTING,
            NO_ORDER,
            FROM_ONE,
        ],
        horizon: "horizon",
        first_horizon: |level| {
            let moves = level.guide(&Switches::all_on()).lower_bound(&level.start());
            match moves.zip(super::graph::least_done(level)) {
                // A state for each move and for the first round of matching, and the empty one.
                Some((moves, done)) => done.max(moves + u32::from(most_matches(level) > 0) + 1),
                None => last_done(level).map_or(1, |last| last + 1),
            }
        },
        last_horizon: last_done,
        parameters: super::graph::specification,
        moves: super::graph::specification_moves,
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        name: "paper-4.1",
        about: "Fixed Steps of the paper: a step is a move or a round of matching",
        measure: "steps",
        bounds: &[MOVES_OF_STEPS],
        text: include_str!("models/paper-4.1.eprime"),
        switches: &[
            ModelSwitch {
                text: include_str!("models/paper-4.3-no-repeat.eprime"),
                ..NO_REPEAT
            },
            ModelSwitch {
                text: include_str!("models/paper-4.3-order.eprime"),
                ..ORDER
            },
            ModelSwitch {
                text: include_str!("models/paper-4.3-lower-bound.eprime"),
                ..LOWER_BOUND
            },
            ModelSwitch {
                text: include_str!("models/paper-4.3-dead-end.eprime"),
                ..DEAD_END
            },
        ],
        last_horizon: |level| Some(level.longest_plan()? + most_matches(level)),
        parameters: |level| Ok(grid(&framed(&start(level)))),
        moves: |level, _, value| paper_moves(level, value, "matching", 0),
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        name: "paper-4.2",
        about: "Variable Moves of the paper: at most so many moves, and their number is minimised",
        measure: "moves",
        text: include_str!("models/paper-4.2.eprime"),
        switches: &[
            ModelSwitch {
                text: include_str!("models/paper-4.3-no-repeat-moves.eprime"),
                ..NO_REPEAT
            },
            ModelSwitch {
                text: include_str!("models/paper-4.3-order-moves.eprime"),
                ..ORDER
            },
            ModelSwitch {
                text: include_str!("models/paper-4.3-lower-bound-moves.eprime"),
                ..LOWER_BOUND
            },
            ModelSwitch {
                text: include_str!("models/paper-4.3-dead-end-moves.eprime"),
                ..DEAD_END
            },
        ],
        sweep: Sweep::Doubling,
        last_horizon: Puzznic::longest_plan,
        parameters: |level| Ok(grid(&framed(&start(level)))),
        moves: |level, _, value| paper_moves(level, value, "moving", 1),
        ..ConstraintModel::DEFAULT
    },
    ConstraintModel {
        name: "paper-5",
        about: "the Essence specification of the paper: blocks fall by one cell a step, and wait for a gap",
        measure: "done",
        text: include_str!("models/paper-5.eprime"),
        horizon: "horizon",
        sweep: Sweep::Doubling,
        last_horizon: last_done,
        parameters: |level| graph(level).map(|text| without_columns(&text)),
        moves: graph_moves,
        ..ConstraintModel::DEFAULT
    },
];

/// A horizon in steps has at least this many moves.
const MOVES_OF_STEPS: OtherMeasure<Puzznic> = OtherMeasure {
    measure: "moves",
    least_cost: |level, horizon| horizon.saturating_sub(most_matches(level)),
};

const NO_REPEAT: ModelSwitch = ModelSwitch {
    name: "no-repeat",
    about: "no state is repeated",
    ..ModelSwitch::DEFAULT
};
const ORDER: ModelSwitch = ModelSwitch {
    name: "order",
    about: "independent moves in a row are made from left to right",
    ..ModelSwitch::DEFAULT
};
const LOWER_BOUND: ModelSwitch = ModelSwitch {
    name: "lower-bound",
    about: "blocks of a pattern are near enough to meet in the steps that are left",
    ..ModelSwitch::DEFAULT
};
const DEAD_END: ModelSwitch = ModelSwitch {
    name: "dead-end",
    about: "no block is ever the only one of its pattern",
    ..ModelSwitch::DEFAULT
};
const NO_COMMUTING: ModelSwitch = ModelSwitch {
    name: "no-commuting",
    about: "independent moves may be made in either order",
    without: "commuting",
    ..ModelSwitch::DEFAULT
};
const NO_IMPLIED: ModelSwitch = ModelSwitch {
    name: "no-implied",
    about: "without the implied constraints on floating blocks and on columns that a move leaves alone",
    without: "implied",
    ..ModelSwitch::DEFAULT
};

/// The latest time at which a plan without wasted moves is done, by the paper's specification.
fn last_done(level: &Puzznic) -> Option<u32> {
    let settling = most_matches(level) + most_falls(level);
    Some(level.longest_plan()? + settling + 1)
}

/// The settled board before the first move, which the models start from.
pub(super) fn start(level: &Puzznic) -> Board {
    board(level, &level.start())
}

/// The most rounds of matching: each removes at least two blocks of a pattern.
fn most_matches(level: &Puzznic) -> u32 {
    let board = start(level);
    let count = |pattern: usize| {
        let of_pattern = |tile: &&Tile| tile.pattern().map(usize::from) == Some(pattern);
        board.cells().iter().filter(of_pattern).count() as u32
    };
    (0..level.letters.len())
        .map(|pattern| count(pattern) / 2)
        .sum()
}

/// The most steps of falling: each lowers at least one block by a cell, and blocks never rise.
fn most_falls(level: &Puzznic) -> u32 {
    let board = start(level);
    let blocks = board
        .places()
        .filter(|&place| board[place].pattern().is_some());
    blocks.map(|(row, _)| (board.rows() - 1 - row) as u32).sum()
}

fn grid(board: &Board) -> String {
    let number = |tile: &Tile| match tile {
        Tile::Wall => "0".to_string(),
        Tile::Empty => "1".to_string(),
        Tile::Block { pattern, .. } => (pattern + 2).to_string(),
    };
    let row = |row: usize| {
        let numbers: Vec<String> = board.row(row).iter().map(number).collect();
        format!(" [{}]", numbers.join(", "))
    };
    let rows: Vec<String> = (0..board.rows()).map(row).collect();
    format!(
        "language ESSENCE' 1.0\nletting initGrid be [\n{}\n]\n",
        rows.join(",\n")
    )
}

/// The board with a border of walls around it, which the paper's models need.
fn framed(board: &Board) -> Board {
    let mut rows = vec![vec![Tile::Wall; board.cols() + 2]; board.rows() + 2];
    for (row, col) in board.places() {
        rows[row + 1][col + 1] = board[(row, col)];
    }
    Board::from_rows(rows)
}

/// The moves of a solution of a model of the paper, whose board has a border. A step is a move where
/// the variable `mode` has this value.
fn paper_moves(
    level: &Puzznic,
    value: Lookup,
    mode: &str,
    moving: i32,
) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for step in 1.. {
        let Some(now) = value(mode, &[step]) else {
            break;
        };
        if now != moving {
            continue;
        }
        let place = |name| {
            let at = value(name, &[step])?.checked_sub(2)?;
            u16::try_from(at).ok()
        };
        let side = match value("moveDir", &[step]) {
            Some(-1) => Some(Side::Left),
            Some(1) => Some(Side::Right),
            _ => None,
        };
        let (Some(row), Some(col), Some(side)) = (place("moveRow"), place("moveCol"), side) else {
            return Err(format!("step {step} does not name a cell and a side"));
        };
        if level.written.get(row.into(), col.into()).is_none() {
            return Err(format!("step {step} names a cell outside the board"));
        }
        moves.push(Move { row, col, side });
    }
    Ok(moves)
}

/// The moves of a solution. All steps of the solution are read: between the moves there may be
/// rounds of matching that the horizon does not count.
fn moves(level: &Puzznic, _horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for step in 1.. {
        let Some(dir) = value("moveDir", &[step]) else {
            break;
        };
        let side = match dir {
            -1 => Side::Left,
            1 => Side::Right,
            _ => continue,
        };
        let place = |name| {
            value(name, &[step])?
                .checked_sub(1)
                .and_then(|at| u16::try_from(at).ok())
        };
        let (Some(row), Some(col)) = (place("moveRow"), place("moveCol")) else {
            return Err(format!("step {step} does not name a cell"));
        };
        let on_board = level.written.get(row.into(), col.into()).is_some();
        if !on_board {
            return Err(format!("step {step} names a cell outside the board"));
        }
        moves.push(Move { row, col, side });
    }
    Ok(moves)
}
