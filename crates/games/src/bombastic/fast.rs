//! The fast rules: the same moves as in `rules.rs`, with tables that are built once for each level.
//!
//! A packed state is the avatar's cell, the blocks' cells in ascending order (blocks are
//! interchangeable), and one bit for each ice cell: whether it melted. Cells are renumbered for
//! this without those that are dead from the start, so a 12×12 board with five blocks and seventy
//! ice cells takes two words.

use super::rules::{Bombastic, Melted, Move, Place, State, Tile};
use crate::*;

/// No cell.
pub(super) const NONE: u32 = u32::MAX;

/// The tables of the fast rules, by cell number (row by row from 0).
#[derive(Debug)]
pub(super) struct Board {
    /// The neighbours in the order of `Side::ALL`; `NONE` beyond the edge, or for a cell that is
    /// dead from the start.
    pub(super) beside: Vec<[u32; 4]>,
    /// The number of each ice cell; `NONE` for other cells.
    pub(super) ice_number: Vec<u32>,
    pub(super) ice_cells: usize,
    pub(super) goal: Vec<bool>,
    /// The number of each cell that is not dead from the start; `NONE` for other cells.
    live_number: Vec<u32>,
    /// The inverse of `live_number`.
    live_cells: Vec<u32>,
    /// The number of bits of a live number.
    live_bits: u32,
}

impl Board {
    pub(super) fn new(tiles: &Grid<Tile>, goals: &Grid<bool>) -> Self {
        let cols = tiles.cols();
        let neighbour = |place: Place, side| match tiles.beside(place, side) {
            Some(next) if tiles[next] != Tile::Dead => (next.0 * cols + next.1) as u32,
            _ => NONE,
        };
        let beside = tiles
            .places()
            .map(|place| Side::ALL.map(|side| neighbour(place, side)))
            .collect();
        let (ice_number, ice_cells) = number(tiles, |tile| tile == Tile::Ice);
        let (live_number, live_cells) = number(tiles, |tile| tile != Tile::Dead);
        let live_bits = usize::BITS - live_cells.len().leading_zeros();
        Self {
            beside,
            ice_number,
            ice_cells: ice_cells.len(),
            goal: goals.cells().to_vec(),
            live_number,
            live_cells,
            live_bits,
        }
    }

    pub(super) fn live_cells(&self) -> &[u32] {
        &self.live_cells
    }

    /// Whether the cell is ice that has melted.
    fn melted(&self, melted: &Melted, cell: u32) -> bool {
        let ice = self.ice_number[cell as usize];
        ice != NONE && melted.contains(ice as usize)
    }
}

/// Numbers the tiles of one kind, and lists them.
fn number(tiles: &Grid<Tile>, kind: impl Fn(Tile) -> bool) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = vec![NONE; tiles.cells().len()];
    let mut cells = Vec::new();
    for (cell, &tile) in tiles.cells().iter().enumerate() {
        if kind(tile) {
            numbers[cell] = cells.len() as u32;
            cells.push(cell as u32);
        }
    }
    (numbers, cells)
}

impl Space for Bombastic {
    type State = State;
    type Move = Move;

    fn start(&self) -> State {
        State {
            avatar: self.cell(self.avatar),
            blocks: self.blocks.iter().map(|&place| self.cell(place)).collect(),
            melted: Melted::none(self.board.ice_cells),
        }
    }

    fn is_goal(&self, state: &State) -> bool {
        let goal = &self.board.goal;
        state.blocks.iter().all(|&block| goal[block as usize])
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        let board = &*self.board;
        let open = |cell: u32| cell != NONE && !board.melted(&state.melted, cell);
        for side in Side::ALL {
            let there = board.beside[state.avatar as usize][side as usize];
            if !open(there) {
                continue;
            }
            if state.blocks.contains(&there) {
                let beyond = board.beside[there as usize][side as usize];
                if !open(beyond) || state.blocks.contains(&beyond) {
                    continue;
                }
            }
            moves.push(Move(side));
        }
    }

    fn apply(&self, state: &State, Move(side): Move) -> State {
        let board = &*self.board;
        let mut next = state.clone();
        next.avatar = board.beside[state.avatar as usize][side as usize];
        if let Some(block) = next.blocks.iter_mut().find(|block| **block == next.avatar) {
            *block = board.beside[next.avatar as usize][side as usize];
        }
        let left = board.ice_number[state.avatar as usize];
        if left != NONE {
            next.melted.insert(left as usize);
        }
        next
    }

    fn words(&self) -> usize {
        let bits = self.board.live_bits as usize * (1 + self.blocks.len()) + self.board.ice_cells;
        bits.div_ceil(64).max(1)
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        let board = &*self.board;
        words.fill(0);
        let mut at = 0;
        let mut put = |value: u64, bits: u32| {
            words[at / 64] |= value << (at % 64);
            if at % 64 + bits as usize > 64 {
                words[at / 64 + 1] |= value >> (64 - at % 64);
            }
            at += bits as usize;
        };
        let number = |cell: u32| u64::from(board.live_number[cell as usize]);
        put(number(state.avatar), board.live_bits);
        let mut blocks: Vec<u64> = state.blocks.iter().map(|&block| number(block)).collect();
        blocks.sort_unstable();
        for block in blocks {
            put(block, board.live_bits);
        }
        for (index, &word) in state.melted.0.iter().enumerate() {
            put(word, (board.ice_cells - index * 64).min(64) as u32);
        }
    }

    fn unpack(&self, words: &[u64]) -> State {
        let board = &*self.board;
        let mut at = 0;
        let mut take = |bits: u32| {
            let mut value = words[at / 64] >> (at % 64);
            if at % 64 + bits as usize > 64 {
                value |= words[at / 64 + 1] << (64 - at % 64);
            }
            at += bits as usize;
            if bits < 64 {
                value & ((1 << bits) - 1)
            } else {
                value
            }
        };
        let avatar = board.live_cells[take(board.live_bits) as usize];
        let mut cell = |_| board.live_cells[take(board.live_bits) as usize];
        let blocks = (0..self.blocks.len()).map(&mut cell).collect();
        let mut melted = Melted::none(board.ice_cells);
        for (index, word) in melted.0.iter_mut().enumerate() {
            *word = take((board.ice_cells - index * 64).min(64) as u32);
        }
        State {
            avatar,
            blocks,
            melted,
        }
    }
}
