//! The slow rules: cell by cell, as in the README, with a reason for every refusal. `fast.rs`
//! implements the same rules for searches, and tests compare the two.

use std::sync::Arc;

use super::fast::Board;
use crate::*;

/// A level: the ground, the goals, and the places of avatar and blocks at the start. Created only
/// by `Bombastic::new`, which checks the invariants that the rules rely on.
#[derive(Clone, Debug)]
pub struct Bombastic {
    pub(super) tiles: Grid<Tile>,
    pub(super) goals: Grid<bool>,
    pub(super) avatar: Place,
    pub(super) blocks: Vec<Place>,
    /// The tables of the fast rules.
    pub(super) board: Arc<Board>,
}

/// Row and column, from 0.
pub(super) type Place = (usize, usize);

/// The ground of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tile {
    /// Neither the avatar nor a block can be here.
    Dead,
    /// Becomes dead when the avatar leaves it.
    Ice,
    Normal,
}

/// Cells are numbered row by row from 0. Blocks keep their order, so that pictures can follow each
/// one; packed states do not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) avatar: u32,
    pub(super) blocks: Vec<u32>,
    pub(super) melted: Melted,
}

/// The ice cells that have melted: a bit for each ice cell of the level, in the order of the cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Melted(pub(super) Vec<u64>);

/// The avatar steps to this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(pub Side);

impl Melted {
    pub(super) fn none(ice_cells: usize) -> Self {
        Self(vec![0; ice_cells.div_ceil(64)])
    }

    pub(super) fn contains(&self, ice: usize) -> bool {
        self.0[ice / 64] >> (ice % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, ice: usize) {
        self.0[ice / 64] |= 1 << (ice % 64);
    }
}

impl Bombastic {
    /// `Err` holds the number of a piece that is where it cannot be (0 is the avatar, then come the
    /// blocks), and the reason.
    pub(super) fn new(
        tiles: Grid<Tile>,
        goals: Grid<bool>,
        avatar: Place,
        blocks: Vec<Place>,
    ) -> Result<Self, (usize, String)> {
        let name = |piece| if piece == 0 { "the avatar" } else { "a block" };
        let mut taken = std::collections::HashMap::new();
        for (piece, &place) in std::iter::once(&avatar).chain(&blocks).enumerate() {
            if tiles[place] == Tile::Dead {
                return Err((
                    piece,
                    format!("{} cannot stand on a dead cell", name(piece)),
                ));
            }
            if let Some(other) = taken.insert(place, piece) {
                let (one, two) = (name(other), name(piece));
                let message = format!(
                    "{one} and {two} cannot stand on one cell, {}",
                    describe(place)
                );
                return Err((piece, message));
            }
        }
        let board = Arc::new(Board::new(&tiles, &goals));
        Ok(Self {
            tiles,
            goals,
            avatar,
            blocks,
            board,
        })
    }

    pub(super) fn cell(&self, (row, col): Place) -> u32 {
        (row * self.tiles.cols() + col) as u32
    }

    pub(super) fn place(&self, cell: u32) -> Place {
        let cols = self.tiles.cols();
        (cell as usize / cols, cell as usize % cols)
    }

    /// The ground of a cell in a state.
    pub(super) fn tile(&self, state: &State, place: Place) -> Tile {
        match self.tiles[place] {
            Tile::Ice if state.melted.contains(self.ice_number(place)) => Tile::Dead,
            tile => tile,
        }
    }

    /// The number of the ice cell at this place.
    fn ice_number(&self, place: Place) -> usize {
        self.board.ice_number[self.cell(place) as usize] as usize
    }

    pub(super) fn block_at(&self, state: &State, place: Place) -> Option<usize> {
        let cell = self.cell(place);
        state.blocks.iter().position(|&block| block == cell)
    }
}

impl Rules for Bombastic {
    const MEASURES: &'static [Measure] = &[Measure {
        name: "steps",
        additive: true,
    }];

    /// The avatar steps to the neighbouring cell; a block there is pushed one cell further. The ice
    /// that the avatar leaves melts.
    fn play(&self, state: &State, Move(side): Move) -> Result<State, Refusal> {
        let refuse = |why: String| Err(Refusal::new(why));
        let direction = side.name();
        let here = self.place(state.avatar);

        let Some(there) = self.tiles.beside(here, side) else {
            return refuse(format!(
                "the board ends there: the avatar on {} cannot step {direction}",
                describe(here)
            ));
        };
        if self.tile(state, there) == Tile::Dead {
            return refuse(format!(
                "{} is dead{}: the avatar cannot step on it",
                describe(there),
                melted_note(self, there)
            ));
        }

        let mut next = state.clone();
        if let Some(block) = self.block_at(state, there) {
            let Some(beyond) = self.tiles.beside(there, side) else {
                return refuse(format!(
                    "the board ends behind the block on {}: it cannot be pushed {direction}",
                    describe(there)
                ));
            };
            if self.tile(state, beyond) == Tile::Dead {
                return refuse(format!(
                    "{} is dead{}: the block on {} cannot be pushed {direction} on it",
                    describe(beyond),
                    melted_note(self, beyond),
                    describe(there)
                ));
            }
            if self.block_at(state, beyond).is_some() {
                return refuse(format!(
                    "the block on {} stands behind the block on {}: only one can be pushed",
                    describe(beyond),
                    describe(there)
                ));
            }
            next.blocks[block] = self.cell(beyond);
        }

        next.avatar = self.cell(there);
        if self.tile(state, here) == Tile::Ice {
            next.melted.insert(self.ice_number(here));
        }
        Ok(next)
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        Side::ALL.map(Move).to_vec()
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        let off_goal: Vec<String> = state
            .blocks
            .iter()
            .map(|&block| self.place(block))
            .filter(|&place| !self.goals[place])
            .map(describe)
            .collect();
        match off_goal.as_slice() {
            [] => None,
            [one] => Some(format!("the block on {one} is not on a goal")),
            [most @ .., last] => Some(format!(
                "the blocks on {} and {last} are not on goals",
                most.join(", ")
            )),
        }
    }
}

/// A place in words, counted from 1.
pub(super) fn describe((row, col): Place) -> String {
    format!("row {} column {}", row + 1, col + 1)
}

/// An addition to messages about a dead cell that was ice.
fn melted_note(level: &Bombastic, place: Place) -> &'static str {
    match level.tiles[place] {
        Tile::Ice => " since its ice melted",
        Tile::Dead | Tile::Normal => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a line of moves on a board and compares the board after them, or the refusal.
    fn check(board: &str, moves: &str, expected: &str) {
        let document = Document::parse(&format!("game: bombastic\n{board}\n")).unwrap();
        let level = Bombastic::parse(&document).unwrap();
        let mut state = level.start();
        for (_, text) in Bombastic::split_moves(moves) {
            let mv = level.parse_move(&state, text).unwrap();
            match level.play(&state, mv) {
                Ok(next) => state = next,
                Err(refusal) => {
                    assert_eq!(format!("refused: {}", refusal.0), expected);
                    return;
                }
            }
        }
        assert_eq!(level.write(&state).rows.join("\n"), expected);
    }

    #[test]
    fn the_avatar_steps_to_any_neighbour() {
        let board = "---$\n-@--\n-.--";
        check(board, "up", "-@-$\n----\n-.--");
        check(board, "right", "---$\n--@-\n-.--");
        check(board, "down", "---$\n----\n-+--");
        check(board, "left", "---$\n@---\n-.--");
    }

    #[test]
    fn neither_avatar_nor_block_leaves_the_board() {
        check(
            "@-$.",
            "left",
            "refused: the board ends there: the avatar on row 1 column 1 cannot step left",
        );
        check(
            ".@$",
            "right",
            "refused: the board ends behind the block on row 1 column 3: it cannot be pushed right",
        );
    }

    #[test]
    fn neither_avatar_nor_block_enters_a_dead_cell() {
        check(
            "$@#.",
            "right",
            "refused: row 1 column 3 is dead: the avatar cannot step on it",
        );
        check(
            "@$#.",
            "right",
            "refused: row 1 column 3 is dead: the block on row 1 column 2 cannot be pushed right on it",
        );
        check(
            "@$x.",
            "right",
            "refused: row 1 column 3 is dead: the block on row 1 column 2 cannot be pushed right on it",
        );
    }

    #[test]
    fn one_block_is_pushed_and_never_two() {
        check("@$-.", "right", "-@$.");
        check("@$-.", "RR", "--@*");
        check(
            "@$$.",
            "right",
            "refused: the block on row 1 column 3 stands behind the block on row 1 column 2: only one can be pushed",
        );
    }

    #[test]
    fn blocks_are_never_pulled() {
        check("-@$.", "left", "@-$.");
    }

    #[test]
    fn ice_melts_when_the_avatar_leaves_it() {
        check("@~~\n$-.", "right", "-a~\n$-.");
        check("@~~\n$-.", "RR", "-#a\n$-.");
        check(
            "@~~\n$-.",
            "RRL",
            "refused: row 1 column 2 is dead since its ice melted: the avatar cannot step on it",
        );
    }

    #[test]
    fn the_ice_of_the_start_melts_too() {
        check("a-$.", "right", "#@$.");
        check("A-$.", "right", "x@$.");
    }

    #[test]
    fn blocks_do_not_melt_ice() {
        check("@b~,", "right", "-ab,");
        check("@b~,", "RR", "-#aB");
        check("@b-.\n----", "R", "-a$.\n----");
    }

    #[test]
    fn a_goal_that_melted_is_lost() {
        check("@,-\n-$.", "RR", "-x@\n-$.");
    }

    #[test]
    fn a_block_is_not_pushed_onto_melted_ice() {
        check(
            "a$-.\n----",
            "DRRUL",
            "refused: row 1 column 1 is dead since its ice melted: the block on row 1 column 2 cannot be pushed left on it",
        );
    }

    #[test]
    fn the_goal_is_every_block_on_some_goal() {
        let shortfall = |board: &str| {
            let document = Document::parse(&format!("game: bombastic\n{board}\n")).unwrap();
            let level = Bombastic::parse(&document).unwrap();
            level.shortfall(&level.start()).unwrap_or_default()
        };
        assert_eq!(shortfall("@*.B,"), "");
        assert_eq!(
            shortfall("@*$."),
            "the block on row 1 column 3 is not on a goal"
        );
        assert_eq!(
            shortfall("@b$$."),
            "the blocks on row 1 column 2, row 1 column 3 and row 1 column 4 are not on goals"
        );
    }
}
