//! The guide: `knowledge.rs` for whichever number of words the level's bits take. A board too large for any of them has a
//! guide that knows less.

use super::bits::Bits;
use super::fast::NONE;
use super::knowledge::{Knowledge, Position, words};
use super::rules::{Bombastic, State};
use crate::*;

impl crate::Knowledge for Bombastic {
    const RULES: &'static [Rule] = super::knowledge::RULES;
    const SEARCHES: &'static [GameSearch<Self>] = &[GameSearch {
        name: "dominance",
        about: "A* that forgets positions which differ from a better one only in melted ice",
        measures: &["steps"],
        run: super::dominance::run,
    }];

    fn best_route(&self, _measure: &str) -> &'static str {
        if fits(self) {
            "search:dominance"
        } else {
            "search:astar"
        }
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        Bound::new(self, switches)
    }

    /// An optimal plan never has avatar and blocks where they all were before: less ice would be left the second time,
    /// and what can be done with less can be done with more. So it is shorter than the number of ways to place them.
    fn longest_plan(&self) -> Option<u32> {
        let cells = self.board.live_cells().len() as u64;
        // The avatar's cell, then a choice of blocks among the rest: the product so far is always a whole number.
        let mut ways = cells;
        for taken in 1..=self.blocks.len() as u64 {
            ways = ways.checked_mul(cells.checked_sub(taken)?)? / taken;
        }
        u32::try_from(ways.saturating_sub(1)).ok()
    }
}

/// Calls a generic function with the number of words that the level's bits take, rounded up to one of a few; or the last
/// expression, where the board is larger than all of them.
macro_rules! with_words {
    ($level:expr, $function:ident ( $($argument:expr),* ), $otherwise:expr) => {
        match $crate::bombastic::knowledge::words($level) {
            0..=1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5..=16 => $function::<16>($($argument),*),
            17..=160 => $function::<160>($($argument),*),
            _ => $otherwise,
        }
    };
}
pub(super) use with_words;

/// Boards of more bits than this are too large for the tables.
pub(super) fn fits(level: &Bombastic) -> bool {
    words(level) <= 160
}

/// Answers for a state.
type Oracle = Box<dyn FnMut(&State) -> Option<u32> + Send>;

pub(super) struct Bound(Oracle);

impl Bound {
    pub(super) fn new(level: &Bombastic, switches: &Switches) -> Self {
        Self(with_words!(level, known(level, switches), nearest(level)))
    }
}

impl Guide<Bombastic> for Bound {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.0(state)
    }
}

fn known<const N: usize>(level: &Bombastic, switches: &Switches) -> Oracle {
    let mut knowledge = Knowledge::<N>::new(level, switches);
    let level = level.clone();
    Box::new(move |state| {
        let bound = knowledge.assess(&mut position(&level, state));
        bound.map(|bound| bound.steps)
    })
}

/// A state in bits.
pub(super) fn position<const N: usize>(level: &Bombastic, state: &State) -> Position<N> {
    let bit = |cell: u32| {
        let (row, col) = level.place(cell);
        row * (level.tiles.cols() + 1) + col
    };
    let mut position = Position {
        avatar: bit(state.avatar),
        blocks: Bits::NONE,
        ground: Bits::NONE,
    };
    for &block in &state.blocks {
        position.blocks.insert(bit(block));
    }
    for &cell in level.board.live_cells() {
        let ice = level.board.ice_number[cell as usize];
        if ice == NONE || !state.melted.contains(ice as usize) {
            position.ground.insert(bit(cell));
        }
    }
    position
}

/// Every block needs so many pushes to its nearest goal, were it alone on a board whose ice never melts.
fn nearest(level: &Bombastic) -> Oracle {
    let board = level.board.clone();
    let is_goal = |cell: &u32| board.goal[*cell as usize];
    let goals: Vec<u32> = board.live_cells().iter().copied().filter(is_goal).collect();
    if goals.len() < level.blocks.len() {
        return Box::new(|_| None);
    }
    let mut nearest = vec![NONE; board.goal.len()];
    for &goal in &goals {
        nearest[goal as usize] = 0;
    }
    let mut queue = std::collections::VecDeque::from(goals);
    while let Some(cell) = queue.pop_front() {
        // Backwards: the block came from `before`, and the avatar stood behind it.
        for side in 0..4 {
            let before = board.beside[cell as usize][side];
            if before != NONE
                && nearest[before as usize] == NONE
                && board.beside[before as usize][side] != NONE
            {
                nearest[before as usize] = nearest[cell as usize] + 1;
                queue.push_back(before);
            }
        }
    }
    Box::new(move |state| {
        let mut pushes = state.blocks.iter().map(|&block| nearest[block as usize]);
        pushes.try_fold(0, |sum, pushes| (pushes != NONE).then(|| sum + pushes))
    })
}
