//! Bitboards: a set of cells for each pattern, as a 64-bit number if the level has at most 64
//! cells, and as a 128-bit number otherwise.
//!
//! The cells of a shaft have consecutive bits, from the bottom up. A settled shaft is filled up to
//! its height, so the cell where a block lands follows from a bit count, and the blocks above a
//! removed one fall by a shift. Matches are found with one lookup for each block that fell: the set
//! of a cell's neighbours. The whole board is scanned only after a match, and most moves match
//! nothing.
//!
//! A packed board has the set of all blocks and, plane by plane, the binary digits of their
//! patterns. The levels of the papers fit; larger ones use the generic searches.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::fast::{NONE, State};
use super::packer::{Packer, Reader, Writer};
use super::rules::Puzznic;

/// A set of cells, as bits of one number.
pub(super) trait Set:
    Copy
    + Eq
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const BITS: u32;
    const EMPTY: Self;
    /// The set of one cell.
    fn single(cell: u32) -> Self;
    /// All cells with a smaller number; `cell` may be `BITS`.
    fn below(cell: u32) -> Self;
    fn count(self) -> u32;
    /// The smallest cell; the set is not empty.
    fn first(self) -> u32;
    fn without_first(self) -> Self;
    fn from_words(low: u64, high: u64) -> Self;
    fn low_word(self) -> u64;
    fn high_word(self) -> u64;
    /// A hash whose low bits are well mixed.
    fn hash(self) -> u64;
}

macro_rules! set {
    ($number:ty, $fold:expr, $high:expr, $join:expr) => {
        impl Set for $number {
            const BITS: u32 = <$number>::BITS;
            const EMPTY: Self = 0;
            fn single(cell: u32) -> Self {
                1 << cell
            }
            fn below(cell: u32) -> Self {
                if cell == <$number>::BITS {
                    <$number>::MAX
                } else {
                    (1 << cell) - 1
                }
            }
            fn count(self) -> u32 {
                self.count_ones()
            }
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
            fn without_first(self) -> Self {
                self & (self - 1)
            }
            fn from_words(low: u64, high: u64) -> Self {
                let join: fn(u64, u64) -> $number = $join;
                join(low, high)
            }
            fn low_word(self) -> u64 {
                self as u64
            }
            fn high_word(self) -> u64 {
                let high: fn($number) -> u64 = $high;
                high(self)
            }
            fn hash(self) -> u64 {
                let fold: fn($number) -> u64 = $fold;
                fold(self).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30
            }
        }
    };
}

set!(u64, |set| set, |_| 0, |low, _| low);
set!(
    u128,
    |set| set as u64 ^ ((set >> 64) as u64).rotate_left(23),
    |set| (set >> 64) as u64,
    |low, high| u128::from(low) | u128::from(high) << 64
);

/// The cells of each pattern; at most `N` patterns.
pub(super) type Bitboard<S, const N: usize> = [S; N];

/// A packed board of `W` words.
pub(super) type Packed<const W: usize> = [u64; W];

/// The tables of a level for the rules on bitboards. Most of them are indexed by bit.
pub(super) struct BitLevel<S> {
    pub(super) patterns: usize,
    /// The left and right neighbours of each bit; `WALL` if there is none.
    pub(super) left: Vec<u8>,
    pub(super) right: Vec<u8>,
    neighbours: Vec<S>,
    /// The cell of each bit in the level's `Field`, and the bit of each cell.
    cell_of: Vec<u16>,
    bit_of: Vec<u8>,
    shafts: Vec<Shaft<S>>,
    shaft_of: Vec<u8>,
    row_of: Vec<u16>,
    /// Number of binary digits of a pattern.
    planes: usize,
    /// Number of bits of a packed board.
    bits: u32,
    packer: Packer,
}

struct Shaft<S> {
    bottom: u32,
    cells: S,
}

pub(super) const WALL: u8 = u8::MAX;

/// The most binary digits of a pattern.
const MOST_PLANES: usize = 6;

impl<S: Set> BitLevel<S> {
    /// `None` if the level is too large.
    pub(super) fn new(level: &Puzznic) -> Option<Self> {
        let field = &level.field;
        let cells = field.places.len();
        if cells > S::BITS as usize {
            return None;
        }
        // The field's shafts run from the top down.
        let mut cell_of = Vec::new();
        let mut shafts = Vec::new();
        let mut shaft_of = Vec::new();
        let blocks = level.start.0.iter().filter(|&&block| block > 0).count() as u32;
        for shaft in &field.shafts {
            let bottom = cell_of.len() as u32;
            cell_of.extend((shaft.top..shaft.end).rev());
            let end = cell_of.len() as u32;
            shaft_of.resize(cell_of.len(), shafts.len() as u8);
            shafts.push(Shaft {
                bottom,
                cells: S::below(end) & !S::below(bottom),
            });
        }
        let mut bit_of = vec![0; cells];
        for (bit, &cell) in cell_of.iter().enumerate() {
            bit_of[usize::from(cell)] = bit as u8;
        }
        let bit = |cell: u16| {
            if cell == NONE {
                WALL
            } else {
                bit_of[usize::from(cell)]
            }
        };
        let beside = |sides: &[u16]| -> Vec<u8> {
            cell_of
                .iter()
                .map(|&cell| bit(sides[usize::from(cell)]))
                .collect()
        };
        let neighbours = |&cell: &u16| {
            let sides = field.beside(cell).into_iter().filter(|&side| side != NONE);
            sides.fold(S::EMPTY, |set, side| set | S::single(u32::from(bit(side))))
        };
        let (left, right) = (beside(&field.left), beside(&field.right));
        let neighbours = cell_of.iter().map(neighbours).collect();
        let row_of = cell_of
            .iter()
            .map(|&cell| field.places[usize::from(cell)].0)
            .collect();
        let patterns = level.letters.len();
        let planes = (usize::BITS - patterns.saturating_sub(1).leading_zeros()) as usize;
        Some(BitLevel {
            patterns,
            left,
            right,
            neighbours,
            bits: cells as u32 + planes as u32 * blocks,
            packer: Packer::new(),
            cell_of,
            bit_of,
            shafts,
            shaft_of,
            row_of,
            planes,
        })
    }

    /// Number of words of a packed board.
    pub(super) fn words(&self) -> usize {
        (self.bits as usize).div_ceil(64).max(1)
    }

    pub(super) fn bitboard_of<const N: usize>(&self, state: &State) -> Bitboard<S, N> {
        let mut board = [S::EMPTY; N];
        for (cell, &block) in state.0.iter().enumerate() {
            if block > 0 {
                let set = &mut board[usize::from(block) - 1];
                *set = *set | S::single(u32::from(self.bit_of[cell]));
            }
        }
        board
    }

    /// The cells of a set as numbers of the level's `Field`, ascending.
    pub(super) fn cell_numbers(&self, set: S, cells: &mut Vec<u16>) {
        cells.clear();
        cells.extend(members(set).map(|bit| self.cell_of[bit as usize]));
        cells.sort_unstable();
    }

    /// The cells that hold a block.
    pub(super) fn blocks<const N: usize>(&self, board: &Bitboard<S, N>) -> S {
        let sets = board[..self.patterns].iter();
        sets.fold(S::EMPTY, |all, &set| all | set)
    }

    /// The neighbours of a cell.
    pub(super) fn neighbours_of(&self, cell: u32) -> S {
        self.neighbours[cell as usize]
    }

    /// The cells of each shaft.
    pub(super) fn shafts(&self) -> impl Iterator<Item = S> {
        self.shafts.iter().map(|shaft| shaft.cells)
    }

    /// The rows that have a cell, each once, from the top down.
    pub(super) fn rows(&self) -> Vec<u16> {
        let mut rows = self.row_of.clone();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The cells of this row and the rows below it.
    pub(super) fn row_and_below(&self, row: u16) -> S {
        let rows = self.row_of.iter().enumerate();
        let cells = rows.filter(|&(_, &of_cell)| of_cell >= row);
        cells.fold(S::EMPTY, |set, (cell, _)| set | S::single(cell as u32))
    }

    /// The cells that are connected to these within `allowed`.
    pub(super) fn connected(&self, mut cells: S, allowed: S) -> S {
        loop {
            let beside = members(cells).fold(cells, |set, cell| set | self.neighbours_of(cell));
            if beside & allowed == cells {
                return cells;
            }
            cells = beside & allowed;
        }
    }

    /// The cells from which a block can reach one of these if only walls are obstacles.
    pub(super) fn backward_reachable(&self, mut cells: S) -> S {
        loop {
            let mut more = cells;
            for cell in 0..self.cell_of.len() {
                let shaft = &self.shafts[usize::from(self.shaft_of[cell])];
                let below = (cell as u32 > shaft.bottom).then(|| cell as u32 - 1);
                let sides = [self.left[cell], self.right[cell]];
                let sides = sides
                    .into_iter()
                    .filter(|&side| side != WALL)
                    .map(u32::from);
                if sides
                    .chain(below)
                    .any(|to| cells & S::single(to) != S::EMPTY)
                {
                    more = more | S::single(cell as u32);
                }
            }
            if more == cells {
                return cells;
            }
            cells = more;
        }
    }

    /// Moves a block of `pattern` to an empty neighbouring cell, and settles. `blocks` has all
    /// blocks before the move. Returns a bit for each pattern that may have changed.
    pub(super) fn move_and_settle<const N: usize>(
        &self,
        board: &mut Bitboard<S, N>,
        blocks: S,
        pattern: usize,
        from: u32,
        to: u32,
    ) -> u32 {
        let (mut changed, matched) = self.move_block(board, blocks, pattern, from, to);
        if matched {
            while self.remove_matches(board) {}
            changed = (1 << self.patterns) - 1;
        }
        changed
    }

    /// The same without matching. The second result is whether any blocks match now.
    pub(super) fn move_block<const N: usize>(
        &self,
        board: &mut Bitboard<S, N>,
        blocks: S,
        pattern: usize,
        from: u32,
        to: u32,
    ) -> (u32, bool) {
        let shaft = &self.shafts[usize::from(self.shaft_of[to as usize])];
        let landing = shaft.bottom + (blocks & shaft.cells).count();
        board[pattern] = board[pattern] & !S::single(from) | S::single(landing);
        let mut changed = 1 << pattern;
        let mut matched = board[pattern] & self.neighbours[landing as usize] != S::EMPTY;
        // The blocks that lay on it fall by one.
        let shaft = &self.shafts[usize::from(self.shaft_of[from as usize])];
        let above = blocks & shaft.cells & !S::below(from + 1);
        if above != S::EMPTY {
            for (pattern, set) in board[..self.patterns].iter_mut().enumerate() {
                let falling = *set & above;
                if falling != S::EMPTY {
                    let fallen = falling >> 1;
                    *set = *set & !falling | fallen;
                    changed |= 1 << pattern;
                    let mut fallen = members(fallen);
                    matched |= fallen.any(|cell| *set & self.neighbours[cell as usize] != S::EMPTY);
                }
            }
        }
        (changed, matched)
    }

    /// Removes all blocks that match, and lets the blocks above them fall. Returns whether any
    /// matched.
    pub(super) fn remove_matches<const N: usize>(&self, board: &mut Bitboard<S, N>) -> bool {
        let mut matched = S::EMPTY;
        for set in &mut board[..self.patterns] {
            let before = *set;
            for cell in members(before) {
                if before & self.neighbours[cell as usize] != S::EMPTY {
                    matched = matched | S::single(cell);
                }
            }
            *set = before & !matched;
        }
        // From the top down, for each hole, the blocks above it fall by one.
        let mut blocks = self.blocks(board);
        let mut holes = matched;
        while holes != S::EMPTY {
            let hole = last(holes);
            holes = holes & !S::single(hole);
            let cells = self.shafts[usize::from(self.shaft_of[hole as usize])].cells;
            let above = blocks & cells & !S::below(hole + 1);
            if above != S::EMPTY {
                for set in &mut board[..self.patterns] {
                    *set = *set & !above | (*set & above) >> 1;
                }
                blocks = blocks & !above | above >> 1;
            }
        }
        matched != S::EMPTY
    }

    pub(super) fn pack<const N: usize, const W: usize>(&self, board: &Bitboard<S, N>) -> Packed<W> {
        let blocks = self.blocks(board);
        let mut planes = [S::EMPTY; MOST_PLANES];
        for (pattern, &set) in board[..self.patterns].iter().enumerate() {
            for (digit, plane) in planes[..self.planes].iter_mut().enumerate() {
                if pattern >> digit & 1 == 1 {
                    *plane = *plane | set;
                }
            }
        }
        let mut writer = Writer {
            words: [0; W],
            at: 0,
        };
        writer.put(blocks, self.cell_of.len() as u32);
        let count = blocks.count();
        for &plane in &planes[..self.planes] {
            writer.put(self.packer.gather(plane, blocks), count);
        }
        writer.words
    }

    pub(super) fn unpack<const N: usize, const W: usize>(
        &self,
        packed: &Packed<W>,
    ) -> Bitboard<S, N> {
        let mut reader = Reader {
            words: packed,
            at: 0,
        };
        let blocks: S = reader.take(self.cell_of.len() as u32);
        let count = blocks.count();
        let mut planes = [S::EMPTY; MOST_PLANES];
        for plane in &mut planes[..self.planes] {
            *plane = self.packer.scatter(reader.take(count), blocks);
        }
        let mut board = [S::EMPTY; N];
        for (pattern, set) in board[..self.patterns].iter_mut().enumerate() {
            *set = blocks;
            for (digit, &plane) in planes[..self.planes].iter().enumerate() {
                *set = *set
                    & if pattern >> digit & 1 == 1 {
                        plane
                    } else {
                        !plane
                    };
            }
        }
        board
    }
}

/// The cells of a set, ascending.
pub(super) fn members<S: Set>(mut set: S) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != S::EMPTY).then(|| {
            let first = set.first();
            set = set.without_first();
            first
        })
    })
}

/// The largest cell of a set that is not empty.
fn last<S: Set>(set: S) -> u32 {
    members(set).last().expect("the set is not empty")
}
