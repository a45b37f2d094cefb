//! What a certificate lists: the blocks, the ice that has melted, and the avatar.
//!
//! Bytes: the cells of the blocks in ascending order, a bit for each ice cell (eight to a byte, the
//! lowest first), the cell of the avatar; a cell has four bytes, the high one first. Blocks are
//! interchangeable: no rule reads which block is where.

use super::rules::{Bombastic, Melted, State, Tile};
use crate::listing::list_states;
use crate::*;

impl Bombastic {
    /// How many cells are ice at the start.
    fn ice_cells(&self) -> usize {
        let ice = self.tiles.cells().iter().filter(|&&tile| tile == Tile::Ice);
        ice.count()
    }
}

impl Listing for Bombastic {
    list_states!("steps");

    const EXCLUSIONS: &'static [Exclusion<Self>] = &[Exclusion {
        name: "pushes",
        about: "a step pushes one block by one cell, and each block ends on a goal",
        prepare: |level, _| {
            Box::new(|state| {
                let goals: Vec<_> = level.goals.places().filter(|&it| level.goals[it]).collect();
                let pushes = |&block: &u32| {
                    let (row, col) = level.place(block);
                    let far = |&(r, c): &(usize, usize)| row.abs_diff(r) + col.abs_diff(c);
                    goals.iter().map(far).min()
                };
                let pushes = state.blocks.iter().map(pushes);
                pushes.sum::<Option<usize>>().map(|sum| sum as u32)
            })
        },
    }];

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        let mut blocks = state.blocks.clone();
        blocks.sort_unstable();
        bytes.extend(blocks.into_iter().flat_map(u32::to_be_bytes));
        let melted = state.melted.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.extend(melted.take(self.ice_cells().div_ceil(8)));
        bytes.extend(state.avatar.to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let ice = self.ice_cells();
        if bytes.len() != 4 * self.blocks.len() + ice.div_ceil(8) + 4 {
            return None;
        }
        let (blocks, rest) = bytes.split_at(4 * self.blocks.len());
        let (melted, avatar) = rest.split_at(ice.div_ceil(8));
        let cell = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes);
        let blocks: Vec<u32> = blocks.as_chunks().0.iter().map(cell).collect();
        let avatar = cell(avatar.try_into().ok()?);
        let mut state = State {
            avatar,
            blocks,
            melted: Melted::none(ice),
        };
        for number in 0..melted.len() * 8 {
            let is_melted = melted[number / 8] >> (number % 8) & 1 == 1;
            if is_melted && number >= ice {
                return None;
            }
            if is_melted {
                state.melted.insert(number);
            }
        }
        let cells = self.tiles.cells().len() as u32;
        let on_board = state.avatar < cells && state.blocks.iter().all(|&block| block < cells);
        let ordered = state.blocks.windows(2).all(|pair| pair[0] < pair[1]);
        let apart = !state.blocks.contains(&state.avatar);
        (ordered && apart && on_board).then_some(state)
    }
}
