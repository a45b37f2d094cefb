//! The slow rules: cell by cell, as in the README. The referee uses only these; `fast.rs`
//! implements the same rules with tables and bit sets, and tests compare the two.

use std::sync::Arc;

use super::fast::Tables;
use crate::*;

/// A board, its goal, and the spacecraft at the start.
#[derive(Clone, Debug)]
pub struct LunarLockout {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) goal: u16,
    /// The letter of each craft; the first is red.
    pub(super) names: Vec<char>,
    /// Where each craft is at the start.
    pub(super) start: Vec<u16>,
    /// Whether the board's edge stops a craft (`edge: stop`).
    pub(super) edge_stops: bool,
    /// Walls on each cell's own sides, `1 << Side as u8` each; a wall between two cells is on both.
    pub(super) walls: Grid<u8>,
    pub(super) tables: Arc<Tables>,
}

/// The most craft of a level: one for each letter and digit, except `X` for the goal.
pub const MAX_CRAFT: usize = 61;
/// The most cells of a board: a cell number fits in 16 bits, with one value to spare.
pub const MAX_CELLS: usize = u16::MAX as usize;

/// The cell of each craft, red first, in the order of the level's names. Cells are numbered row by
/// row from the top left; entries beyond the level's craft hold `u16::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) cells: [u16; MAX_CRAFT],
}

/// The craft on this cell slides to that side. A move holds the cell rather than the craft, because
/// the helpers are interchangeable: a search may have swapped them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub cell: u16,
    pub side: Side,
}

impl State {
    pub(super) fn new(cells: &[u16]) -> Self {
        let mut all = [u16::MAX; MAX_CRAFT];
        all[..cells.len()].copy_from_slice(cells);
        Self { cells: all }
    }
}

impl LunarLockout {
    /// The cells of the craft, red first.
    pub(super) fn craft<'a>(&self, state: &'a State) -> &'a [u16] {
        &state.cells[..self.names.len()]
    }

    /// The craft on a cell, as an index into the names.
    pub(super) fn craft_at(&self, state: &State, cell: u16) -> Option<usize> {
        self.craft(state).iter().position(|&other| other == cell)
    }

    pub(super) fn place(&self, cell: u16) -> (usize, usize) {
        (usize::from(cell) / self.cols, usize::from(cell) % self.cols)
    }

    pub(super) fn cell(&self, (row, col): (usize, usize)) -> u16 {
        (row * self.cols + col) as u16
    }

    pub(super) fn has_wall(&self, place: (usize, usize), side: Side) -> bool {
        self.walls[place] & (1 << side as u8) != 0
    }
}

impl Rules for LunarLockout {
    const MEASURES: &'static [Measure] = &[Measure {
        name: "slides",
        additive: true,
    }];

    /// A craft slides until the cell before another craft, or before a wall, and stops there. It
    /// may not leave the board, unless the edge stops it, and may not move towards an obstacle that
    /// it already touches.
    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        let Some(mover) = self.craft_at(state, mv.cell) else {
            let (row, col) = self.place(mv.cell);
            return Err(Refusal::new(format!(
                "there is no spacecraft in row {}, column {}",
                row + 1,
                col + 1
            )));
        };
        let from = self.place(mv.cell);
        let mut here = from;
        let obstacle = loop {
            if self.has_wall(here, mv.side) {
                break "a wall".to_string();
            }
            let Some(next) = self.walls.beside(here, mv.side) else {
                if self.edge_stops {
                    break "the board's edge".to_string();
                }
                return Err(Refusal::new(
                    "nothing would stop it: it would leave the board",
                ));
            };
            if let Some(other) = self.craft_at(state, self.cell(next)) {
                break self.names[other].to_string();
            }
            here = next;
        };
        if here == from {
            return Err(Refusal::new(format!("it already touches {obstacle}")));
        }
        let mut after = *state;
        after.cells[mover] = self.cell(here);
        Ok(after)
    }

    /// Every craft to every side, ordered by cell, so that the order does not depend on names.
    fn writable_moves(&self, state: &State) -> Vec<Move> {
        let mut cells = self.craft(state).to_vec();
        cells.sort_unstable();
        let to_all_sides = |cell| Side::ALL.map(|side| Move { cell, side });
        cells.into_iter().flat_map(to_all_sides).collect()
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        let red = self.craft(state)[0];
        let ((row, col), (goal_row, goal_col)) = (self.place(red), self.place(self.goal));
        (red != self.goal).then(|| {
            format!(
                "R rests in row {}, column {}, not on the goal in row {}, column {}",
                row + 1,
                col + 1,
                goal_row + 1,
                goal_col + 1
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a move on a board with options, and compares the board after it, or the refusal.
    fn check_with(options: &str, board: &str, mv: &str, expected: &str) {
        let text = format!("game: lunar-lockout\n{options}{board}");
        let document = Document::parse(&text).unwrap();
        let level = LunarLockout::parse(&document).unwrap();
        let start = level.start();
        let mv = level.parse_move(&start, mv).unwrap();
        let found = match level.play(&start, mv) {
            Ok(next) => level.write(&next).rows.join("\n") + "\n",
            Err(refusal) => format!("refused: {}", refusal.0),
        };
        assert_eq!(found, expected);
    }

    fn check(board: &str, mv: &str, expected: &str) {
        check_with("", board, mv, expected);
    }

    #[test]
    fn a_craft_slides_until_the_cell_before_another() {
        check("R..a\n..X.\n", "R right", "..Ra\n..X.\n");
        check("R..a\n..X.\n", "a left", "Ra..\n..X.\n");
        check("R.\n..\n.X\na.\n", "R down", "..\n..\nRX\na.\n");
        check("R.\n..\n.X\na.\n", "a up", "R.\na.\n.X\n..\n");
    }

    #[test]
    fn helpers_stop_each_other_and_red_stops_helpers() {
        check("a..b\n.RX.\n", "a right", "..ab\n.RX.\n");
        check("a...\n.RX.\n.b..\n...c\n", "b right", LEAVES);
        check("a..R\n..X.\n", "a right", "..aR\n..X.\n");
    }

    const LEAVES: &str = "refused: nothing would stop it: it would leave the board";

    #[test]
    fn a_craft_may_not_leave_the_board() {
        for side in ["up", "left", "down"] {
            check("....\n.R.a\n..X.\n", &format!("R {side}"), LEAVES);
        }
        check("....\n.R.a\n..X.\n", "R right", "....\n..Ra\n..X.\n");
    }

    #[test]
    fn a_craft_that_already_touches_the_next_one_cannot_move_that_way() {
        check(".Ra\n.X.\n", "R right", "refused: it already touches a");
        check("..a\n.XR\n", "a down", "refused: it already touches R");
    }

    #[test]
    fn a_craft_stops_at_the_first_of_several() {
        check("R.a.b\n..X..\n", "R right", ".Ra.b\n..X..\n");
    }

    #[test]
    fn passing_over_the_goal_is_not_resting_there() {
        check("R.X..a\n", "R right", "..X.Ra\n");
        check("R.Xa..\n", "R right", "..+a..\n");
        check("+..a..\n", "R right", "X.Ra..\n");
    }

    #[test]
    fn an_edge_that_stops_is_an_option() {
        check_with("edge: stop\n", ".R..\n..X.\n", "R right", "...R\n..X.\n");
        check_with("edge: stop\n", ".R.a\n..X.\n", "R right", "..Ra\n..X.\n");
        let touches = "refused: it already touches the board's edge";
        check_with("edge: stop\n", ".R..\n..X.\n", "R up", touches);
    }

    #[test]
    fn a_wall_stops_from_both_of_its_sides() {
        check_with(
            "wall: 1 3 right\n",
            "R....a\nX.....\n",
            "R right",
            "..R..a\nX.....\n",
        );
        check_with(
            "wall: 1 3 right\n",
            "R....a\nX.....\n",
            "a left",
            "R..a..\nX.....\n",
        );
        let touches = "refused: it already touches a wall";
        check_with("wall: 1 3 left\n", ".aR.\n...X\n", "a right", touches);
        check_with("wall: 2 1 down\n", "R.\n.X\n..\n", "R down", "..\nRX\n..\n");
    }

    #[test]
    fn a_wall_at_the_edge_stops_a_craft() {
        check_with(
            "wall: 1 4 right\n",
            ".R..\n..X.\n",
            "R right",
            "...R\n..X.\n",
        );
        check_with("wall: 1 4 up\n", ".R..\n..X.\n", "R right", LEAVES);
    }

    #[test]
    fn a_helper_may_rest_on_the_goal() {
        check("a.Xb\nR...\n", "a right", "..ab\nR...\n");
    }

    #[test]
    fn a_move_from_an_empty_cell_is_refused() {
        let document = Document::parse("game: lunar-lockout\nRX.\n").unwrap();
        let level = LunarLockout::parse(&document).unwrap();
        let mv = Move {
            cell: 2,
            side: Side::Up,
        };
        let refusal = level.play(&level.start(), mv).unwrap_err();
        assert_eq!(refusal.0, "there is no spacecraft in row 1, column 3");
    }

    #[test]
    fn the_shortfall_names_both_places() {
        let document = Document::parse("game: lunar-lockout\nR..\n..X\n").unwrap();
        let level = LunarLockout::parse(&document).unwrap();
        assert_eq!(
            level.shortfall(&level.start()).unwrap(),
            "R rests in row 1, column 1, not on the goal in row 2, column 3"
        );
    }
}
