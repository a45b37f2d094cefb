//! The lower bound: every block needs so many pushes to its nearest goal, were it alone on a board whose ice never melts.
//! Each step pushes at most one block, so the sum over the blocks is safe.

use super::fast::NONE;
use super::rules::{Bombastic, State};
use crate::*;

pub(super) struct Pushes {
    /// For each cell: the pushes from there to the nearest goal; `NONE` where no goal can be reached.
    nearest: Vec<u32>,
    /// There are fewer goals than blocks.
    lost: bool,
}

impl Pushes {
    pub(super) fn new(level: &Bombastic, _switches: &Switches) -> Self {
        let board = &*level.board;
        let goals: Vec<u32> = board
            .live_cells()
            .iter()
            .copied()
            .filter(|&cell| board.goal[cell as usize])
            .collect();
        let lost = goals.len() < level.blocks.len();
        let mut nearest = vec![NONE; board.goal.len()];
        for &goal in &goals {
            nearest[goal as usize] = 0;
        }
        let mut queue = std::collections::VecDeque::from(goals);
        while let Some(cell) = queue.pop_front() {
            // Backwards: the block was pulled from `cell` to `before`, and the avatar stood behind it.
            for side in 0..4 {
                let before = board.beside[cell as usize][side];
                if before == NONE || nearest[before as usize] != NONE {
                    continue;
                }
                if board.beside[before as usize][side] != NONE {
                    nearest[before as usize] = nearest[cell as usize] + 1;
                    queue.push_back(before);
                }
            }
        }
        Self { nearest, lost }
    }
}

impl Guide<Bombastic> for Pushes {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        if self.lost {
            return None;
        }
        let mut pushes = state.blocks.iter().map(|&block| self.nearest[block as usize]);
        pushes.try_fold(0, |sum, pushes| (pushes != NONE).then(|| sum + pushes))
    }
}
