//! The rules as the README states them: a move, then falling cell by cell, then matching, until
//! nothing changes.
//!
//! Everything here works on a `Board`, a grid of tiles, and checks every cell each time. The
//! referee and the pictures use these rules; `fast.rs` has a fast version of them. Blocks have an
//! id that no rule reads: films use it to follow a block.

use super::fast::{Field, State};
use crate::*;

/// One level of Puzznic: the board as its author wrote it, and after it has settled (`start`).
#[derive(Clone, Debug)]
pub struct Puzznic {
    pub(super) written: Board,
    /// The letters of the patterns, in alphabetical order; a pattern is an index into this list.
    pub(super) letters: Vec<char>,
    pub(super) field: Field,
    pub(super) start: State,
}

/// Take the block at this place (counted from 0) and move it one cell to this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub row: u16,
    pub col: u16,
    pub side: Side,
}

/// A board that need not have settled. Everything outside it is wall.
pub(super) type Board = Grid<Tile>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tile {
    Wall,
    Empty,
    Block { pattern: u8, id: u32 },
}

impl Tile {
    pub(super) fn pattern(self) -> Option<u8> {
        match self {
            Tile::Block { pattern, .. } => Some(pattern),
            Tile::Wall | Tile::Empty => None,
        }
    }
}

impl Rules for Puzznic {
    /// Beside the moves, what the models of the paper count: `steps` also counts rounds of matching,
    /// `ticks` also falls by one cell, and `done` is the paper's Essence specification.
    const MEASURES: &'static [Measure] = &[
        Measure {
            name: "moves",
            additive: true,
        },
        Measure {
            name: "steps",
            additive: false,
        },
        Measure {
            name: "ticks",
            additive: false,
        },
        Measure {
            name: "done",
            additive: false,
        },
    ];

    /// The block moves into the empty cell beside it; then the board settles.
    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        let mut board = board(self, state);
        move_block(self, &mut board, mv)?;
        settle(&mut board, |_, _| {});
        Ok(self.field.state_of(&board))
    }

    /// Column by column from the top, in the order of `moves`.
    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        let (rows, cols) = (self.written.rows() as u16, self.written.cols() as u16);
        let places = (0..cols).flat_map(|col| (0..rows).map(move |row| (row, col)));
        let both = |(row, col)| [Side::Left, Side::Right].map(|side| Move { row, col, side });
        places.flat_map(both).collect()
    }

    /// The goal is a board without blocks.
    fn shortfall(&self, state: &State) -> Option<String> {
        let board = board(self, state);
        let left = board
            .cells()
            .iter()
            .filter(|tile| tile.pattern().is_some())
            .count();
        match left {
            0 => None,
            1 => Some("1 block remains".to_string()),
            _ => Some(format!("{left} blocks remain")),
        }
    }

    /// Replays the plan on a board, and counts.
    fn plan_cost(&self, measure: &str, plan: &[Move], _end: &State) -> u32 {
        let mut board = board(self, &self.start);
        let mut cost = u32::from(measure == "done");
        for &mv in plan {
            let moved = move_block(self, &mut board, mv);
            debug_assert!(moved.is_ok(), "the plan is legal");
            cost += 1 + settling_cost(&mut board, measure);
        }
        cost
    }
}

/// Lets the board settle, and returns what that costs by a measure: nothing by `moves`, a round of
/// matching 1 by the others, and a fall by one cell 1 by `ticks` and `done`.
pub(super) fn settling_cost(board: &mut Board, measure: &str) -> u32 {
    let mut cost = 0;
    if measure == "done" {
        // Falling in another way leads to the same board.
        loop {
            while fall_into_gaps(board) {
                cost += 1;
            }
            let matching = matching(board);
            if matching.is_empty() {
                return cost;
            }
            for place in matching {
                board[place] = Tile::Empty;
            }
            cost += 1;
        }
    }
    settle(board, |_, event| {
        cost += u32::from(match event {
            SettleEvent::Fallen => measure == "ticks",
            SettleEvent::Matching(_) => false,
            SettleEvent::Removed => measure != "moves",
        });
    });
    cost
}

/// Every block above an empty cell falls by one; a block on top of it waits. Returns whether any
/// fell.
fn fall_into_gaps(board: &mut Board) -> bool {
    let before = board.clone();
    let mut fallen = false;
    for row in 1..board.rows() {
        for col in 0..board.cols() {
            let above = before[(row - 1, col)];
            if before[(row, col)] == Tile::Empty && above.pattern().is_some() {
                board[(row, col)] = above;
                board[(row - 1, col)] = Tile::Empty;
                fallen = true;
            }
        }
    }
    fallen
}

/// What has just happened on a board that settles; each is a frame of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettleEvent<'a> {
    /// All blocks that can fall have fallen by one cell.
    Fallen,
    /// These blocks match, and are about to vanish.
    Matching(&'a [(usize, usize)]),
    /// The matching blocks have vanished.
    Removed,
}

/// First every block falls as far as it can; then all blocks with an equal neighbour vanish at the
/// same time. This repeats until nothing changes.
pub(super) fn settle(board: &mut Board, mut watch: impl FnMut(&Board, SettleEvent)) {
    loop {
        while fall_by_one(board) {
            watch(board, SettleEvent::Fallen);
        }
        let matching = matching(board);
        if matching.is_empty() {
            return;
        }
        watch(board, SettleEvent::Matching(&matching));
        for &place in &matching {
            board[place] = Tile::Empty;
        }
        watch(board, SettleEvent::Removed);
    }
}

/// Every block above an empty cell falls by one, together with the blocks on it. Returns whether
/// any did.
fn fall_by_one(board: &mut Board) -> bool {
    let mut fallen = false;
    // From the bottom up: a block that falls leaves an empty cell for the one above it.
    for row in (1..board.rows()).rev() {
        for col in 0..board.cols() {
            let above = board[(row - 1, col)];
            if board[(row, col)] == Tile::Empty && above.pattern().is_some() {
                board[(row, col)] = above;
                board[(row - 1, col)] = Tile::Empty;
                fallen = true;
            }
        }
    }
    fallen
}

/// The blocks that have a neighbour of their own pattern above, below, left or right.
fn matching(board: &Board) -> Vec<(usize, usize)> {
    let matches = |&place: &(usize, usize)| {
        board[place].pattern().is_some_and(|pattern| {
            let mut beside = Side::ALL
                .into_iter()
                .filter_map(|side| board.beside(place, side));
            beside.any(|beside| board[beside].pattern() == Some(pattern))
        })
    };
    board.places().filter(matches).collect()
}

/// The first half of a move: puts the block into the cell beside it, before anything falls.
pub(super) fn move_block(level: &Puzznic, board: &mut Board, mv: Move) -> Result<(), Refusal> {
    let from = (usize::from(mv.row), usize::from(mv.col));
    let at = |(row, col): (usize, usize)| format!("row {}, column {}", row + 1, col + 1);
    match board.get(from.0, from.1) {
        None | Some(Tile::Wall) => {
            return Err(Refusal::new(format!("{} is wall, not a block", at(from))));
        }
        Some(Tile::Empty) => {
            return Err(Refusal::new(format!("there is no block at {}", at(from))));
        }
        Some(Tile::Block { .. }) => {}
    }
    if !matches!(mv.side, Side::Left | Side::Right) {
        let side = mv.side.name();
        return Err(Refusal::new(format!(
            "a block moves left or right, never {side}"
        )));
    }
    let Some(to) = board.beside(from, mv.side) else {
        let side = mv.side.name();
        return Err(Refusal::new(format!(
            "the board ends to the {side} of {}, and everything outside it is wall",
            at(from)
        )));
    };
    match board[to] {
        Tile::Empty => {
            board[to] = board[from];
            board[from] = Tile::Empty;
            Ok(())
        }
        Tile::Wall => Err(Refusal::new(format!(
            "{} is wall, and a block moves into an empty cell only",
            at(to)
        ))),
        Tile::Block { pattern, .. } => Err(Refusal::new(format!(
            "{} holds the block {}, and a block moves into an empty cell only",
            at(to),
            level.letters[usize::from(pattern)]
        ))),
    }
}

/// The board in this state. The id of a block is the number of its place, row by row.
pub(super) fn board(level: &Puzznic, state: &State) -> Board {
    let mut board = level.written.clone();
    for place in board.places() {
        if board[place] == Tile::Wall {
            continue;
        }
        let id = (place.0 * board.cols() + place.1) as u32;
        board[place] = match level.field.pattern_at(state, place) {
            Some(pattern) => Tile::Block { pattern, id },
            None => Tile::Empty,
        };
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(rows: &str) -> Puzznic {
        let document = Document::parse(&format!("game: puzznic\n\n{rows}\n")).unwrap();
        Puzznic::parse(&document).unwrap()
    }

    /// Plays one move by the slow and the fast rules, and compares the result.
    fn check(rows: &str, mv: &str, expected: &str) {
        let level = level(rows);
        let mv = level.parse_move(&level.start, mv).unwrap();
        let found = match level.play(&level.start, mv) {
            Ok(next) => {
                assert_eq!(level.apply(&level.start, mv), next);
                level.write(&next).rows.join("\n")
            }
            Err(refusal) => format!("refused: {}", refusal.0),
        };
        assert_eq!(found, expected);
    }

    /// Compares the board after it has settled for the first time.
    fn check_settling(rows: &str, expected: &str) {
        let level = level(rows);
        let mut board = level.written.clone();
        settle(&mut board, |_, _| {});
        assert_eq!(level.field.state_of(&board), level.start);
        let found = super::super::text::rows(&board, &level.letters);
        assert_eq!(found.join("\n"), expected);
    }

    /// The start of a level is settled by the fast rules, because the slow ones take too long on
    /// large boards.
    #[test]
    fn the_start_is_the_board_settled_by_the_slow_rules() {
        let mut random = Random::new(1);
        for _ in 0..500 {
            let (rows, cols) = (1 + random.below(7), 1 + random.below(7));
            let mut cell = || *random.choose(&['#', '.', '.', 'A', 'B', 'C']);
            let mut row = |_| (0..cols).map(|_| cell()).collect();
            let rows: Vec<String> = (0..rows).map(&mut row).collect();
            let level = level(&rows.join("\n"));
            let mut board = level.written.clone();
            settle(&mut board, |_, _| {});
            assert_eq!(level.field.state_of(&board), level.start, "{rows:#?}");
        }
    }

    #[test]
    fn a_block_moves_into_the_empty_cell_beside_it() {
        check(
            "######\n#A..B#\n######",
            "2 2 right",
            "######\n#.A.B#\n######",
        );
        check(
            "######\n#A..B#\n######",
            "2 5 left",
            "######\n#A.B.#\n######",
        );
    }

    #[test]
    fn a_block_moves_into_empty_cells_only() {
        let board = "#####\n#AB.#\n#####";
        let only = "and a block moves into an empty cell only";
        check(
            board,
            "2 2 right",
            &format!("refused: row 2, column 3 holds the block B, {only}"),
        );
        check(
            board,
            "2 2 left",
            &format!("refused: row 2, column 1 is wall, {only}"),
        );
        check(
            board,
            "2 4 left",
            "refused: there is no block at row 2, column 4",
        );
        check(
            board,
            "1 1 right",
            "refused: row 1, column 1 is wall, not a block",
        );
        check(
            "A.",
            "1 1 left",
            "refused: the board ends to the left of row 1, column 1, and everything outside it is wall",
        );
    }

    #[test]
    fn a_block_over_a_hole_falls_with_the_blocks_on_it() {
        check(
            "####\n#C.#\n#A.#\n#B.#\n####",
            "3 2 right",
            "####\n#..#\n#C.#\n#BA#\n####",
        );
        check("A..\n#..\n#.B", "1 1 right", "...\n#..\n#AB");
    }

    #[test]
    fn equal_neighbours_vanish() {
        check("A.A", "1 1 right", "...");
        check("B.\n#B", "1 1 right", "..\n#.");
    }

    #[test]
    fn three_and_more_vanish_together() {
        check("A.A\n#A#", "1 1 right", "...\n#.#");
        check("B..\nA.A\n#A#", "2 1 right", "...\nB..\n#.#");
    }

    #[test]
    fn nothing_matches_in_flight() {
        // A falls past the other A and comes to rest below it.
        check("A..\n#.A\n#.#\n#B#", "1 1 right", "...\n#.A\n#A#\n#B#");
    }

    #[test]
    fn falling_comes_before_matching() {
        // Two columns fall at the same time: neighbours in flight are not neighbours after landing.
        check_settling("A.\n.A\n..\n#.", "..\n..\nA.\n#A");
        check_settling("AA\n..\n#.", "..\nA.\n#A");
    }

    #[test]
    fn cascades_continue_until_nothing_changes() {
        check("C..\nB..\nA.A\nBDC", "3 1 right", "...\n...\n...\nCDC");
        check("C..\nB..\nA.A\nBC#", "3 1 right", "...\n...\n...\n..#");
    }

    #[test]
    fn the_example_of_the_readme() {
        check(
            "#####\n#C..#\n#B..#\n#A.A#\n#BC##\n#####",
            "4 2 right",
            "#####\n#...#\n#...#\n#...#\n#..##\n#####",
        );
    }

    #[test]
    fn the_first_board_settles_before_the_first_move() {
        check_settling("A.B\n...\n..B", "...\n...\nA..");
        check_settling("B\nA\nA\nB", ".\n.\n.\n.");
    }

    #[test]
    fn the_goal_is_an_empty_board() {
        let level = level("A.A");
        assert_eq!(
            level.shortfall(&level.start).as_deref(),
            Some("2 blocks remain")
        );
        let mv = level.parse_move(&level.start, "1 1 right").unwrap();
        assert_eq!(
            level.shortfall(&level.play(&level.start, mv).unwrap()),
            None
        );
    }
}
