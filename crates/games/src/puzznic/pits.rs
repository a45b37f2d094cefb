//! A lower bound on the moves that empty the lowest part of a board, whatever happens above it.
//!
//! A *pit* is a connected part of the cells from some row down. Blocks never rise, so a block in a
//! pit stays there until it is matched. The abstraction keeps the rules within the pit, and reduces
//! the cells above it to a supply: the number of blocks of each pattern that may still come. Any of
//! them may fall in at any time, into any column that is open above, at no cost, or match the
//! topmost block of a full column. The least number of moves *within* the pit that empty it is a
//! lower bound. If there is no way to empty it, the whole board is a dead end: on the hardest
//! levels most boards that the stars allow are dead ends of this kind, because two full columns
//! leave few choices.
//!
//! Every move starts in one cell. So the moves within disjoint pits and the moves above them add
//! up. The moves above are bounded by the stars again, with moves in the pits at no cost.
//!
//! Blocks may fall in while others vanish, and take part in the next matching. So falling in,
//! matching and moving are separate transitions here, the first two at no cost; a move is possible
//! only if nothing matches.
//!
//! The search for the bound stops after `MOST_STATES` states; every plan then costs at least as
//! much as the next state to expand. Bounds are cached by state.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::bitboard::{BitLevel, Bitboard, Set, WALL, members};

/// The blocks within a pit, and for each pattern the number of blocks that may still come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PitState<S, const N: usize> {
    board: Bitboard<S, N>,
    supply: [u8; N],
}

/// A connected part of the cells from some row down.
pub(super) struct Pit<S, const N: usize> {
    cells: S,
    /// The cells outside the pit from which a block can reach it.
    above: S,
    columns: Vec<Column<S>>,
    /// Bounds by state; `None`: the pit cannot be emptied.
    cache: HashMap<PitState<S, N>, Option<u8>, BuildHasherDefault<Mixer>>,
}

struct Column<S> {
    bottom: u32,
    cells: S,
    height: u32,
    /// Whether the cell above the highest one is not wall.
    open: bool,
}

/// The most states that are visited for one bound.
const MOST_STATES: usize = 2000;
/// The highest bound: the search for it stops there.
const MOST_COST: u8 = u8::MAX;
/// The most bounds in the cache.
const MOST_CACHED: usize = 1 << 18;

impl<S: Set, const N: usize> Pit<S, N> {
    /// The largest pits that have at most `most_cells` cells and a column of at least two.
    pub(super) fn all(level: &BitLevel<S>, most_cells: u32) -> Vec<Self> {
        let mut pits: Vec<Self> = Vec::new();
        let mut taken = S::EMPTY;
        for row in level.rows() {
            let mut left = level.row_and_below(row) & !taken;
            while left != S::EMPTY {
                let cells = level.connected(S::single(left.first()), left);
                left = left & !cells;
                let deep = level.shafts().any(|shaft| (shaft & cells).count() > 1);
                if cells.count() <= most_cells && deep {
                    taken = taken | cells;
                    pits.push(Self::new(level, cells));
                }
            }
        }
        pits
    }

    fn new(level: &BitLevel<S>, cells: S) -> Self {
        let column = |whole: S| {
            let part = whole & cells;
            (part != S::EMPTY).then(|| Column {
                bottom: part.first(),
                cells: part,
                height: part.count(),
                open: part != whole,
            })
        };
        Self {
            cells,
            above: level.backward_reachable(cells) & !cells,
            columns: level.shafts().filter_map(column).collect(),
            cache: HashMap::default(),
        }
    }

    pub(super) fn cells(&self) -> S {
        self.cells
    }

    /// Clears the cache and frees its memory.
    pub(super) fn clear_cache(&mut self) {
        self.cache = HashMap::default();
    }

    /// A lower bound on the moves within the pit that empty it; `None` if it cannot be emptied.
    pub(super) fn bound(&mut self, level: &BitLevel<S>, whole: &Bitboard<S, N>) -> Option<u32> {
        let mut state = PitState {
            board: *whole,
            supply: [0; N],
        };
        let mut empty = true;
        let parts = state.board[..level.patterns].iter_mut();
        for ((part, supply), &set) in parts.zip(&mut state.supply).zip(whole) {
            *part = set & self.cells;
            *supply = (set & self.above).count() as u8;
            empty &= *part == S::EMPTY;
        }
        if empty {
            return Some(0);
        }
        if let Some(&bound) = self.cache.get(&state) {
            return bound.map(u32::from);
        }
        let bound = self.search(level, state);
        if self.cache.len() > MOST_CACHED {
            self.cache.clear();
        }
        self.cache.insert(state, bound);
        bound.map(u32::from)
    }

    fn search(&self, level: &BitLevel<S>, start: PitState<S, N>) -> Option<u8> {
        let mut seen: HashSet<PitState<S, N>, BuildHasherDefault<Mixer>> = HashSet::default();
        let (mut now, mut later) = (vec![start], Vec::new());
        let mut cost = 0;
        loop {
            while let Some(state) = now.pop() {
                if self.is_dead_end(level, &state) || !seen.insert(state) {
                    continue;
                }
                if state.board[..level.patterns]
                    .iter()
                    .all(|&set| set == S::EMPTY)
                {
                    return Some(cost);
                }
                if seen.len() > MOST_STATES || cost == MOST_COST {
                    return Some(cost);
                }
                if let Some(None) = self.cache.get(&state) {
                    continue;
                }
                self.fall_in(level, &state, &mut now);
                let mut matched = state;
                if level.remove_matches(&mut matched.board) {
                    now.push(matched);
                } else {
                    self.moves(level, &state, &mut later);
                }
            }
            if later.is_empty() {
                return None;
            }
            std::mem::swap(&mut now, &mut later);
            cost += 1;
        }
    }

    /// Whether some pattern has a single block in the pit and none to come.
    fn is_dead_end(&self, level: &BitLevel<S>, state: &PitState<S, N>) -> bool {
        let sets = state.board[..level.patterns].iter();
        let mut alone = sets.zip(&state.supply);
        alone.any(|(set, &supply)| supply == 0 && set.count() == 1)
    }

    /// The states after a block falls in from above, or matches the topmost block of a full column.
    fn fall_in(&self, level: &BitLevel<S>, state: &PitState<S, N>, next: &mut Vec<PitState<S, N>>) {
        let blocks = level.blocks(&state.board);
        let mut matching = Vec::new();
        for column in self.columns.iter().filter(|column| column.open) {
            let height = (blocks & column.cells).count();
            let full = height == column.height;
            let place = column.bottom + height - u32::from(full);
            for pattern in 0..level.patterns {
                if state.supply[pattern] == 0 {
                    continue;
                }
                let mut after = *state;
                after.supply[pattern] -= 1;
                let set = &mut after.board[pattern];
                if full {
                    if *set & S::single(place) != S::EMPTY {
                        *set = *set & !S::single(place);
                        matching.push(after);
                    }
                } else {
                    let meets = *set & level.neighbours_of(place) != S::EMPTY;
                    *set = *set | S::single(place);
                    if meets {
                        matching.push(after);
                    } else {
                        next.push(after);
                    }
                }
            }
        }
        next.append(&mut matching);
    }

    fn moves(&self, level: &BitLevel<S>, state: &PitState<S, N>, next: &mut Vec<PitState<S, N>>) {
        let blocks = level.blocks(&state.board);
        for pattern in 0..level.patterns {
            for from in members(state.board[pattern]) {
                for to in [level.left[from as usize], level.right[from as usize]] {
                    if to != WALL && blocks & S::single(u32::from(to)) == S::EMPTY {
                        let mut after = *state;
                        level.move_block(&mut after.board, blocks, pattern, from, u32::from(to));
                        next.push(after);
                    }
                }
            }
        }
    }
}

impl<S: Set, const N: usize> std::hash::Hash for PitState<S, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for &set in &self.board {
            state.write_u64(set.hash());
        }
        for supply in self.supply.chunks(8) {
            let number = supply
                .iter()
                .fold(0, |number, &supply| number << 8 | u64::from(supply));
            state.write_u64(number);
        }
    }
}

/// A fast hasher, without protection against chosen keys.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}
