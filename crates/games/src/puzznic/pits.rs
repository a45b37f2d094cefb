//! What it takes to empty the lowest part of a board, whatever happens above.
//!
//! Blocks never rise. So what lies at a row or below it stays there, in the *pit* that it is in, until it is matched:
//! a pit is a connected part of the cells from some row down. The rules hold in a pit as everywhere; what is above is
//! reduced to how many blocks of each pattern there are that may still come. Any of them may fall in at any time, into
//! any column that is open above, at no cost, or match the uppermost block of a full column. The least number of moves
//! *within* the pit that empty it is a bound, and where there are none the whole board is lost: on the hardest levels
//! most boards that the stars allow are lost in this way, since two packed columns leave little to choose.
//!
//! Every move is made in one cell. So the moves within all pits of a row and the moves above them add up, and the moves
//! above are bounded by the stars again, with walks that cost nothing within the pits.
//!
//! Blocks may fall in while others vanish, and take part in the next matching. So here falling in, matching and moving
//! are steps of their own, the first two without cost; a move has to wait until nothing matches.
//!
//! The search for the bound ends after so many boards; then every plan costs at least as much as the next board to look
//! at. What is found out about a board is kept.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::bitboard::{Bitboard, Board, Set, WALL, members};

/// A board of which only a pit is filled, and for each pattern how many blocks may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content<S, const N: usize> {
    board: Board<S, N>,
    supply: [u8; N],
}

/// A connected part of the cells from some row down.
pub(super) struct Pit<S, const N: usize> {
    cells: S,
    /// The cells outside from which a block may come.
    above: S,
    columns: Vec<Column<S>>,
    known: HashMap<Content<S, N>, u8, BuildHasherDefault<Mixer>>,
}

struct Column<S> {
    bottom: u32,
    cells: S,
    height: u32,
    /// Whether the cell above the highest one is no wall.
    open: bool,
}

/// The cost where there is no way.
pub(super) const LOST: u32 = 200;

/// At most so many boards are looked at for one bound.
const MOST_BOARDS: usize = 2000;
/// At most so many bounds are kept.
const MOST_KNOWN: usize = 1 << 18;

impl<S: Set, const N: usize> Pit<S, N> {
    /// The largest pits of at most so many cells that have room for two blocks on each other.
    pub(super) fn all(board: &Bitboard<S>, most_cells: u32) -> Vec<Self> {
        let mut pits: Vec<Self> = Vec::new();
        let mut taken = S::EMPTY;
        for row in board.rows() {
            let mut left = board.row_and_below(row) & !taken;
            while left != S::EMPTY {
                let cells = board.connected(S::one(left.first()), left);
                left = left & !cells;
                let deep = board.shafts().any(|shaft| (shaft & cells).count() > 1);
                if cells.count() <= most_cells && deep {
                    taken = taken | cells;
                    pits.push(Self::new(board, cells));
                }
            }
        }
        pits
    }

    fn new(board: &Bitboard<S>, cells: S) -> Self {
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
            above: board.upstream(cells) & !cells,
            columns: board.shafts().filter_map(column).collect(),
            known: HashMap::default(),
        }
    }

    pub(super) fn cells(&self) -> S {
        self.cells
    }

    /// Gives back the memory.
    pub(super) fn forget(&mut self) {
        self.known = HashMap::default();
    }

    /// The least number of moves within the pit that empty it, or less; `LOST` where there is no way.
    pub(super) fn bound(&mut self, board: &Bitboard<S>, whole: &Board<S, N>) -> u32 {
        let mut content = Content {
            board: *whole,
            supply: [0; N],
        };
        let mut empty = true;
        let parts = content.board[..board.patterns].iter_mut();
        for ((part, supply), &one) in parts.zip(&mut content.supply).zip(whole) {
            *part = one & self.cells;
            *supply = (one & self.above).count() as u8;
            empty &= *part == S::EMPTY;
        }
        if empty {
            return 0;
        }
        if let Some(&bound) = self.known.get(&content) {
            return u32::from(bound);
        }
        let bound = self.search(board, content);
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(content, bound as u8);
        bound
    }

    fn search(&self, board: &Bitboard<S>, start: Content<S, N>) -> u32 {
        let mut seen: HashSet<Content<S, N>, BuildHasherDefault<Mixer>> = HashSet::default();
        let (mut now, mut later) = (vec![start], Vec::new());
        let mut cost = 0;
        loop {
            while let Some(content) = now.pop() {
                if self.is_lost(board, &content) || !seen.insert(content) {
                    continue;
                }
                if content.board[..board.patterns]
                    .iter()
                    .all(|&one| one == S::EMPTY)
                {
                    return cost;
                }
                if seen.len() > MOST_BOARDS {
                    return cost;
                }
                if let Some(&known) = self.known.get(&content)
                    && u32::from(known) == LOST
                {
                    continue;
                }
                self.fall_in(board, &content, &mut now);
                let mut matched = content;
                if board.round(&mut matched.board) {
                    now.push(matched);
                } else {
                    self.moves(board, &content, &mut later);
                }
            }
            if later.is_empty() {
                return LOST;
            }
            std::mem::swap(&mut now, &mut later);
            cost += 1;
        }
    }

    /// A block alone, and nobody to come.
    fn is_lost(&self, board: &Bitboard<S>, content: &Content<S, N>) -> bool {
        let sets = content.board[..board.patterns].iter();
        let mut alone = sets.zip(&content.supply);
        alone.any(|(set, &supply)| supply == 0 && set.count() == 1)
    }

    /// Where a block falls in from above, or matches the uppermost one of a full column.
    fn fall_in(&self, board: &Bitboard<S>, content: &Content<S, N>, next: &mut Vec<Content<S, N>>) {
        let blocks = board.blocks(&content.board);
        let mut better = Vec::new();
        for column in self.columns.iter().filter(|column| column.open) {
            let height = (blocks & column.cells).count();
            let full = height == column.height;
            let place = column.bottom + height - u32::from(full);
            for pattern in 0..board.patterns {
                if content.supply[pattern] == 0 {
                    continue;
                }
                let mut after = *content;
                after.supply[pattern] -= 1;
                let one = &mut after.board[pattern];
                if full {
                    if *one & S::one(place) != S::EMPTY {
                        *one = *one & !S::one(place);
                        better.push(after);
                    }
                } else {
                    let meets = *one & board.beside(place) != S::EMPTY;
                    *one = *one | S::one(place);
                    if meets {
                        better.push(after);
                    } else {
                        next.push(after);
                    }
                }
            }
        }
        next.append(&mut better);
    }

    fn moves(&self, board: &Bitboard<S>, content: &Content<S, N>, next: &mut Vec<Content<S, N>>) {
        let blocks = board.blocks(&content.board);
        for pattern in 0..board.patterns {
            for from in members(content.board[pattern]) {
                for to in [board.left[from as usize], board.right[from as usize]] {
                    if to != WALL && blocks & S::one(u32::from(to)) == S::EMPTY {
                        let mut after = *content;
                        board.shift(&mut after.board, blocks, pattern, from, u32::from(to));
                        next.push(after);
                    }
                }
            }
        }
    }
}

impl<S: Set, const N: usize> std::hash::Hash for Content<S, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for &one in &self.board {
            state.write_u64(one.hash());
        }
        for supply in self.supply.chunks(8) {
            let number = supply
                .iter()
                .fold(0, |number, &supply| number << 8 | u64::from(supply));
            state.write_u64(number);
        }
    }
}

/// Fast, for keys that nobody chooses to collide.
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
