//! The guide: `analysis.rs` with the number of words that the level's bit sets take. A board that
//! is too large for all of them gets a weaker bound.

use super::analysis::{Analysis, BitState, words};
use super::bits::Bits;
use super::fast::NONE;
use super::rules::{Bombastic, State};
use crate::*;

impl Knowledge for Bombastic {
    const RULES: &'static [Rule] = super::analysis::RULES;
    const SEARCHES: &'static [GameSearch<Self>] = &[GameSearch {
        name: "dominance",
        about: "A* that prunes states which differ from a better one only in melted ice",
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

    /// The depth of the search that prunes by dominance (`dominance.rs`), if that takes a fraction of a second. Otherwise:
    /// an optimal plan never returns to the same places of avatar and blocks, because less ice would
    /// be left then, and every plan with less ice also works with more. So it is shorter than the
    /// number of placements.
    fn longest_plan(&self) -> Option<u32> {
        const MOST_WORK: u64 = 1_000_000;
        if let Some(depth) = super::dominance::depth(self, MOST_WORK) {
            return Some(depth);
        }
        let cells = self.board.live_cells().len() as u64;
        // The avatar's cell times a binomial coefficient for the blocks: each division is exact.
        let mut placements = cells;
        for taken in 1..=self.blocks.len() as u64 {
            placements = placements.checked_mul(cells.checked_sub(taken)?)? / taken;
        }
        u32::try_from(placements.saturating_sub(1)).ok()
    }
}

/// Calls a generic function with the number of words that the level's bit sets take, rounded up to
/// one of a few; evaluates the last expression if the board is larger than all of them.
macro_rules! with_words {
    ($level:expr, $function:ident ( $($argument:expr),* ), $otherwise:expr) => {
        match $crate::bombastic::analysis::words($level) {
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

/// Whether the board fits in the largest bit sets.
pub(super) fn fits(level: &Bombastic) -> bool {
    words(level) <= 160
}

/// Maps a state to its lower bound; `None`: a dead end.
type BoundFunction = Box<dyn FnMut(&State) -> Option<u32> + Send>;

pub(super) struct Bound(BoundFunction);

impl Bound {
    pub(super) fn new(level: &Bombastic, switches: &Switches) -> Self {
        Self(with_words!(
            level,
            full_bound(level, switches),
            nearest_goal_bound(level)
        ))
    }
}

impl Guide<Bombastic> for Bound {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.0(state)
    }
}

fn full_bound<const N: usize>(level: &Bombastic, switches: &Switches) -> BoundFunction {
    let mut analysis = Analysis::<N>::new(level, switches);
    let level = level.clone();
    Box::new(move |state| {
        let bound = analysis.assess(&mut bit_state(&level, state));
        bound.map(|bound| bound.steps)
    })
}

/// A state as bit sets.
pub(super) fn bit_state<const N: usize>(level: &Bombastic, state: &State) -> BitState<N> {
    let bit = |cell: u32| {
        let (row, col) = level.place(cell);
        row * (level.tiles.cols() + 1) + col
    };
    let mut bit_state = BitState {
        avatar: bit(state.avatar),
        blocks: Bits::NONE,
        ground: Bits::NONE,
    };
    for &block in &state.blocks {
        bit_state.blocks.insert(bit(block));
    }
    for &cell in level.board.live_cells() {
        let ice = level.board.ice_number[cell as usize];
        if ice == NONE || !state.melted.contains(ice as usize) {
            bit_state.ground.insert(bit(cell));
        }
    }
    bit_state
}

/// The sum over the blocks of the pushes to the nearest goal, ignoring other blocks and melted ice.
fn nearest_goal_bound(level: &Bombastic) -> BoundFunction {
    let board = level.board.clone();
    let is_goal = |cell: &u32| board.goal[*cell as usize];
    let goals: Vec<u32> = board.live_cells().iter().copied().filter(is_goal).collect();
    if goals.len() < level.blocks.len() {
        return Box::new(|_| None);
    }
    let mut pushes_to_goal = vec![NONE; board.goal.len()];
    for &goal in &goals {
        pushes_to_goal[goal as usize] = 0;
    }
    let mut queue = std::collections::VecDeque::from(goals);
    while let Some(cell) = queue.pop_front() {
        // Backwards: the block came from `before`, and the avatar was behind it.
        for side in 0..4 {
            let before = board.beside[cell as usize][side];
            if before != NONE
                && pushes_to_goal[before as usize] == NONE
                && board.beside[before as usize][side] != NONE
            {
                pushes_to_goal[before as usize] = pushes_to_goal[cell as usize] + 1;
                queue.push_back(before);
            }
        }
    }
    Box::new(move |state| {
        let mut pushes = state
            .blocks
            .iter()
            .map(|&block| pushes_to_goal[block as usize]);
        pushes.try_fold(0, |sum, pushes| (pushes != NONE).then(|| sum + pushes))
    })
}
