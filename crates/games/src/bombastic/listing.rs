//! What a certificate lists: the blocks, the avatar, and the ice that has melted.
//!
//! Bytes: the cells of the blocks in ascending order, the cell of the avatar, and a bit for each ice
//! cell (eight to a byte, the lowest first). A cell has one byte on boards of up to 256 cells and
//! otherwise four, the high one first. Blocks are interchangeable: no rule reads which block is where.

use std::collections::VecDeque;

use super::rules::{Bombastic, Melted, State, Tile};
use crate::listing::list_states;
use crate::*;

impl Bombastic {
    /// How many cells are ice at the start.
    fn ice_cells(&self) -> usize {
        let ice = self.tiles.cells().iter().filter(|&&tile| tile == Tile::Ice);
        ice.count()
    }

    /// How many bytes a cell has.
    fn cell_bytes(&self) -> usize {
        match self.tiles.cells().len() {
            0..=256 => 1,
            _ => 4,
        }
    }
}

impl Listing for Bombastic {
    list_states!("steps");

    const EXCLUSIONS: &'static [Exclusion<Self>] = &[
        Exclusion {
            name: "ice",
            about: "with less melted ice, and avatar and blocks in the same places, no plan becomes longer",
            reason: Reason::Losses(|level| level.ice_cells().div_ceil(8)),
        },
        Exclusion {
            name: "pushes",
            about: "each block is pushed to a goal of its own, on the ground as it is at the start",
            reason: Reason::Bound(|level, _| {
                let all: Vec<bool> = ground(level, |place| level.tiles[place]);
                let goals = pushes_to_goals(level, &all);
                Box::new(move |state: &State| matching(&goals, &state.blocks))
            }),
        },
        Exclusion {
            name: "ground",
            about: "the same on the ground that is left where the avatar can walk, which it does before the first push",
            reason: Reason::Bound(|level, _| {
                Box::new(|state: &State| {
                    let ground = ground(level, |place| level.tile(state, place));
                    let walk = walks(level, &ground, state.avatar);
                    let reached: Vec<bool> = walk.iter().map(Option::is_some).collect();
                    let goals = pushes_to_goals(level, &reached);
                    let movable = |&block: &u32| reached[block as usize];
                    let (moved, left): (Vec<u32>, Vec<u32>) =
                        state.blocks.iter().copied().partition(movable);
                    if left.iter().any(|&block| !level.goals[level.place(block)]) {
                        return None;
                    }
                    let pushes = matching(&goals, &moved)?;
                    let walk = moved.iter().filter_map(|&block| walk[block as usize]);
                    match pushes {
                        0 => Some(0),
                        // The last step of the walk to a block would be its push.
                        _ => Some(pushes + walk.min()? - 1),
                    }
                })
            }),
        },
    ];

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        let mut blocks = state.blocks.clone();
        blocks.sort_unstable();
        let skipped = 4 - self.cell_bytes();
        for cell in blocks.into_iter().chain([state.avatar]) {
            bytes.extend(&cell.to_be_bytes()[skipped..]);
        }
        let melted = state.melted.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.extend(melted.take(self.ice_cells().div_ceil(8)));
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let (ice, size) = (self.ice_cells(), self.cell_bytes());
        let pieces = self.blocks.len() + 1;
        if bytes.len() != size * pieces + ice.div_ceil(8) {
            return None;
        }
        let (cells, melted) = bytes.split_at(size * pieces);
        let cell = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |cell, &byte| cell << 8 | u32::from(byte))
        };
        let mut blocks: Vec<u32> = cells.chunks(size).map(cell).collect();
        let avatar = blocks.pop()?;
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
        if !(ordered && apart && on_board) {
            return None;
        }
        let stands = |&cell: &u32| self.tile(&state, self.place(cell)) != Tile::Dead;
        let all_stand = state.blocks.iter().chain([&state.avatar]).all(stands);
        all_stand.then_some(state)
    }
}

/// For each cell, whether it is not dead.
fn ground(level: &Bombastic, tile: impl Fn((usize, usize)) -> Tile) -> Vec<bool> {
    let places = level.tiles.places();
    places.map(|place| tile(place) != Tile::Dead).collect()
}

/// The neighbour of a cell, if it is ground.
fn beside(level: &Bombastic, ground: &[bool], cell: u32, side: Side) -> Option<u32> {
    let place = level.tiles.beside(level.place(cell), side)?;
    let next = level.cell(place);
    ground[next as usize].then_some(next)
}

/// For each cell the least steps to it on this ground, if no block is in the way.
fn walks(level: &Bombastic, ground: &[bool], from: u32) -> Vec<Option<u32>> {
    breadth_first(ground.len(), from, |cell| {
        let next = |side| beside(level, ground, cell, side);
        Side::ALL.map(next).into_iter().flatten().collect()
    })
}

/// For each goal and each cell, the least pushes that bring a lone block from there to the goal, on
/// this ground; `None`: no pushes do.
fn pushes_to_goals(level: &Bombastic, ground: &[bool]) -> Vec<Vec<Option<u32>>> {
    let goals = level.goals.places().filter(|&place| level.goals[place]);
    let goals = goals.map(|place| level.cell(place));
    let from_goal = |goal| {
        breadth_first(ground.len(), goal, |to| {
            let pulled = |side| {
                // The block came from `from`, and the avatar stood behind it.
                let from = beside(level, ground, to, side)?;
                beside(level, ground, from, side).map(|_| from)
            };
            Side::ALL.map(pulled).into_iter().flatten().collect()
        })
    };
    let goals = goals.filter(|&goal| ground[goal as usize]);
    goals.map(from_goal).collect()
}

/// The least number of edges from a cell to each cell.
fn breadth_first(cells: usize, from: u32, next: impl Fn(u32) -> Vec<u32>) -> Vec<Option<u32>> {
    let mut distances = vec![None; cells];
    distances[from as usize] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((cell, distance)) = queue.pop_front() {
        for next in next(cell) {
            let known = &mut distances[next as usize];
            if known.is_none() {
                *known = Some(distance + 1);
                queue.push_back((next, distance + 1));
            }
        }
    }
    distances
}

/// The least pushes by which every block reaches a goal, each its own one; with many goals, some may
/// be used twice.
fn matching(goals: &[Vec<Option<u32>>], blocks: &[u32]) -> Option<u32> {
    const MOST_GOALS: usize = 10;
    let to = |goal: usize, block: u32| goals[goal][block as usize];
    if goals.len() > MOST_GOALS {
        let nearest = |&block: &u32| (0..goals.len()).filter_map(|goal| to(goal, block)).min();
        return blocks.iter().map(nearest).sum();
    }
    // The least pushes for each set of used goals, one block after the other.
    let mut least = vec![None; 1 << goals.len()];
    least[0] = Some(0);
    for &block in blocks {
        let mut next = vec![None; least.len()];
        for (used, pushes) in least.iter().enumerate() {
            let Some(pushes) = pushes else { continue };
            for goal in (0..goals.len()).filter(|goal| used >> goal & 1 == 0) {
                if let Some(more) = to(goal, block) {
                    let known: &mut Option<u32> = &mut next[used | 1 << goal];
                    *known = Some(known.map_or(pushes + more, |known| known.min(pushes + more)));
                }
            }
        }
        least = next;
    }
    least.into_iter().flatten().min()
}
