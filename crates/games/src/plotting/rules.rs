//! The level, the state and the move, and the rules cell by cell, as the README states them: `play`
//! and `shortfall`. `fast.rs` has the same rules on bitboards; tests compare the two. They share the
//! types only: a state is a bitboard, and the code here that reads and writes it, bit by bit, is
//! used by no fast rule.
//!
//! Where no shot is legal and the level has a wildcard left, the hand turns into a wildcard as part
//! of the previous shot. So there is no state just before that change, and the start state is the
//! state after it.

use super::bits::Layout;
use super::fast::{Board, Layouts, Planes};
use crate::*;

/// One level of Plotting.
#[derive(Clone, Debug)]
pub struct Plotting {
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// The letters of the colours, in the order of `text::LETTERS`.
    pub(super) letters: Vec<char>,
    /// How many blocks may remain in the grid.
    pub(super) goal: usize,
    pub(super) blocked_rows: Vec<bool>,
    pub(super) blocked_cols: Vec<bool>,
    /// The rows and columns that are not blocked, in the order of moves.
    pub(super) open: Vec<Move>,
    pub(super) start: State,
    pub(super) layouts: Layouts,
}

/// The grid and the hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) board: Board,
    pub(super) hand: Hand,
    /// How often the hand may still turn into a wildcard.
    pub(super) wildcards: u8,
}

/// A colour is an index into the level's letters.
pub(super) type Colour = u8;

/// The colour in the hand; `None` is the wildcard.
pub(super) type Hand = Option<Colour>;

/// Where a shot starts: a row from the left, or a column from above. Counted from 0, rows from the
/// top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    Row(u8),
    Col(u8),
}

/// A grid for the slow rules; `None` is an empty cell.
pub(super) type Cells = Grid<Option<Colour>>;

/// The parts from which a level is built.
pub(super) struct Parts {
    /// Colours in `cells` and `hand` are indices into this.
    pub letters: Vec<char>,
    pub cells: Cells,
    pub goal: usize,
    pub hand: Hand,
    pub blocked_rows: Vec<bool>,
    pub blocked_cols: Vec<bool>,
    pub wildcards: u8,
}

/// The path of one shot.
pub(super) struct Flight {
    /// The shot's colour; for a wildcard, that of the first block it hits.
    pub colour: Colour,
    /// Every cell that the shot passes, in order, and whether it consumes a block there.
    pub passed: Vec<((usize, usize), bool)>,
    /// The block that stops it, if it does not reach the floor.
    pub stopped: Option<((usize, usize), Colour)>,
}

impl Plotting {
    /// Whether a board of this size can be packed.
    pub(super) fn fits(rows: usize, cols: usize) -> bool {
        rows > 0 && cols > 0 && Layout::<u128>::fits(rows, cols)
    }

    /// The size must fit, and no block may hang in the air.
    pub(super) fn new(parts: Parts) -> Self {
        let (rows, cols) = (parts.cells.rows(), parts.cells.cols());
        let layouts = Layouts::new(rows, cols, parts.letters.len(), parts.wildcards);
        let start = State {
            board: board(&layouts, &parts.cells),
            hand: parts.hand,
            wildcards: parts.wildcards,
        };
        let mut level = Self {
            rows,
            cols,
            letters: parts.letters,
            goal: parts.goal,
            blocked_rows: parts.blocked_rows,
            blocked_cols: parts.blocked_cols,
            open: Vec::new(),
            start,
            layouts,
        };
        level.open = level.all_shots();
        level.open.retain(|&mv| {
            let (blocked, line) = match mv {
                Move::Row(row) => (&level.blocked_rows, row),
                Move::Col(col) => (&level.blocked_cols, col),
            };
            !blocked[usize::from(line)]
        });
        level.start = wildcard_if_stuck(&level, level.start.clone());
        level
    }

    /// The grid of a state.
    pub(super) fn cells(&self, state: &State) -> Cells {
        let (blocks, digits) = match &state.board {
            Board::Narrow(planes) => {
                let [first, second, third] = planes.digits.map(u128::from);
                (u128::from(planes.blocks), [first, second, third, 0, 0])
            }
            Board::Wide(planes) => (planes.blocks, planes.digits),
        };
        let mut cells = Grid::new(self.rows, self.cols, None);
        for place in cells.places() {
            let is_set = |plane: u128| plane >> bit(self.rows, place) & 1;
            if is_set(blocks) == 1 {
                let colour = (0..5)
                    .map(|digit| is_set(digits[digit]) << digit)
                    .sum::<u128>();
                cells[place] = Some(colour as Colour);
            }
        }
        cells
    }

    pub(super) fn letter(&self, colour: Colour) -> char {
        self.letters[usize::from(colour)]
    }
}

/// The bit of a cell in every plane: columns from the left, each from the floor up, with a spare bit
/// above.
fn bit(rows: usize, (row, col): (usize, usize)) -> usize {
    col * (rows + 1) + (rows - 1 - row)
}

/// A grid as the bitboard of a state.
pub(super) fn board(layouts: &Layouts, cells: &Cells) -> Board {
    let (mut blocks, mut digits) = (0, [0; 5]);
    for place in cells.places() {
        if let Some(colour) = cells[place] {
            let bit = 1_u128 << bit(cells.rows(), place);
            blocks |= bit;
            for (digit, plane) in digits.iter_mut().enumerate() {
                if colour >> digit & 1 == 1 {
                    *plane |= bit;
                }
            }
        }
    }
    match layouts {
        Layouts::Narrow(..) => Board::Narrow(Planes {
            blocks: blocks as u64,
            digits: [digits[0] as u64, digits[1] as u64, digits[2] as u64],
        }),
        Layouts::Wide(..) => Board::Wide(Box::new(Planes { blocks, digits })),
    }
}

impl Rules for Plotting {
    const MEASURES: &'static [Measure] = &[Measure {
        name: "shots",
        additive: true,
    }];

    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        let mut cells = self.cells(state);
        let flight = trace(self, &cells, state.hand, mv)?;
        let mut hand = Some(flight.colour);

        // The block that stops the shot goes into the hand, and the shot takes its cell.
        if let Some((place, colour)) = flight.stopped {
            cells[place] = hand;
            hand = Some(colour);
        }
        for &(place, consumed) in &flight.passed {
            if consumed {
                cells[place] = None;
            }
        }
        settle(&mut cells);
        let after = State {
            board: board(&self.layouts, &cells),
            hand,
            wildcards: state.wildcards,
        };
        Ok(wildcard_if_stuck(self, after))
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        self.all_shots()
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        let cells = self.cells(state);
        let blocks = cells.cells().iter().flatten().count();
        (blocks > self.goal).then(|| {
            format!(
                "{blocks} {} in the grid, and at most {} may",
                if blocks == 1 {
                    "block remains"
                } else {
                    "blocks remain"
                },
                self.goal
            )
        })
    }
}

/// Follows a shot through the grid. An error if it consumes no block.
pub(super) fn trace(
    level: &Plotting,
    cells: &Cells,
    hand: Hand,
    mv: Move,
) -> Result<Flight, Refusal> {
    let mut colour = hand;
    let mut passed = Vec::new();
    let mut stopped = None;
    for place in path(level, mv)? {
        match cells[place] {
            None => passed.push((place, false)),
            Some(block) if block == *colour.get_or_insert(block) => passed.push((place, true)),
            Some(block) => {
                stopped = Some((place, block));
                break;
            }
        }
    }
    if passed.iter().any(|&(_, consumed)| consumed) {
        let colour = colour.expect("a shot that consumed a block has a colour");
        return Ok(Flight {
            colour,
            passed,
            stopped,
        });
    }
    Err(Refusal(match (stopped, colour) {
        (Some(((row, col), block)), Some(colour)) => format!(
            "the shot must first hit a block of its own colour: the hand holds {}, and the shot first hits {} in row {}, column {}",
            level.letter(colour),
            level.letter(block),
            row + 1,
            col + 1,
        ),
        _ => "the shot must consume a block, and there is none in its way".to_string(),
    }))
}

/// The cells that a shot passes if nothing stops it: along its row and then down the last column
/// from the cell below the row, or down its column.
fn path(level: &Plotting, mv: Move) -> Result<Vec<(usize, usize)>, Refusal> {
    let last = level.cols - 1;
    match mv {
        Move::Row(row) => {
            let row = usize::from(row);
            if level.blocked_rows[row] {
                let why = format!("row {} is blocked: no shot can start there", row + 1);
                return Err(Refusal(why));
            }
            let along = (0..level.cols).map(|col| (row, col));
            let down = (row + 1..level.rows).map(|below| (below, last));
            Ok(along.chain(down).collect())
        }
        Move::Col(col) => {
            let col = usize::from(col);
            if level.blocked_cols[col] {
                let why = format!("column {} is blocked: no shot can start there", col + 1);
                return Err(Refusal(why));
            }
            Ok((0..level.rows).map(|row| (row, col)).collect())
        }
    }
}

/// Every block falls as far as it can.
pub(super) fn settle(cells: &mut Cells) {
    for col in 0..cells.cols() {
        // From the bottom up: each block falls onto those below it.
        let mut floor = cells.rows();
        for row in (0..cells.rows()).rev() {
            if let Some(block) = cells[(row, col)].take() {
                floor -= 1;
                cells[(floor, col)] = Some(block);
            }
        }
    }
}

/// The state in which the hand has turned into a wildcard, if no shot is legal, the goal is not
/// met, and there is a wildcard left; otherwise the same state.
fn wildcard_if_stuck(level: &Plotting, state: State) -> State {
    let cells = level.cells(&state);
    let legal = |mv| trace(level, &cells, state.hand, mv).is_ok();
    if state.wildcards == 0
        || state.hand.is_none()
        || level.shortfall(&state).is_none()
        || level.all_shots().into_iter().any(legal)
    {
        return state;
    }
    State {
        hand: None,
        wildcards: state.wildcards - 1,
        ..state
    }
}

impl Plotting {
    /// Rows from the top, then columns from the left, including the blocked ones.
    pub(super) fn all_shots(&self) -> Vec<Move> {
        let rows = (0..self.rows).map(|row| Move::Row(row as u8));
        let cols = (0..self.cols).map(|col| Move::Col(col as u8));
        rows.chain(cols).collect()
    }
}
