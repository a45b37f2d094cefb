//! The board as bits: a set of cells for each pattern, in one machine word of 64 bits where the level has so few cells, and
//! in one of 128 bits otherwise.
//!
//! The cells of a shaft follow each other from the bottom up. A settled shaft is filled up to its height, so where a block
//! lands is a matter of counting bits, and what lay on a block falls by a shift. Who matches is found by one table lookup for
//! each block that fell: the set of a cell's neighbours. Only after a match the whole board is gone through, and most moves
//! match nothing.
//!
//! A packed board has the set of all blocks and, plane by plane, the binary digits of their patterns.
//! The levels of the papers fit; larger ones do not, and are left to the searches for any space.

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
    fn one(cell: u32) -> Self;
    /// The cells below this number, which may be `BITS`.
    fn below(cell: u32) -> Self;
    fn count(self) -> u32;
    /// The least cell; the set is not empty.
    fn first(self) -> u32;
    fn without_first(self) -> Self;
    fn from_words(low: u64, high: u64) -> Self;
    fn low_word(self) -> u64;
    fn high_word(self) -> u64;
    /// For a table: well mixed.
    fn hash(self) -> u64;
}

macro_rules! set {
    ($number:ty, $fold:expr, $high:expr, $join:expr) => {
        impl Set for $number {
            const BITS: u32 = <$number>::BITS;
            const EMPTY: Self = 0;
            fn one(cell: u32) -> Self {
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

/// What is in which cell: a set for each pattern, `N` at most.
pub(super) type Board<S, const N: usize> = [S; N];

/// A packed board of `W` words.
pub(super) type Packed<const W: usize> = [u64; W];

/// The level, as sets.
pub(super) struct Bitboard<S> {
    pub(super) patterns: usize,
    /// For each bit, its neighbours left and right; `WALL` where there is wall.
    pub(super) left: Vec<u8>,
    pub(super) right: Vec<u8>,
    neighbours: Vec<S>,
    /// The number of each cell in the level's field, and the other way round.
    cell_of: Vec<u16>,
    bit_of: Vec<u8>,
    shafts: Vec<Shaft<S>>,
    shaft_of: Vec<u8>,
    /// By bit.
    row_of: Vec<u16>,
    /// Binary digits of a pattern.
    planes: usize,
    bits: u32,
    packer: Packer,
}

struct Shaft<S> {
    bottom: u32,
    cells: S,
}

pub(super) const WALL: u8 = u8::MAX;

/// Binary digits of a pattern, at most.
const MOST_PLANES: usize = 6;

impl<S: Set> Bitboard<S> {
    /// `None` where the level is too large.
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
            sides.fold(S::EMPTY, |set, side| set | S::one(u32::from(bit(side))))
        };
        let (left, right) = (beside(&field.left), beside(&field.right));
        let neighbours = cell_of.iter().map(neighbours).collect();
        let row_of = cell_of
            .iter()
            .map(|&cell| field.places[usize::from(cell)].0)
            .collect();
        let patterns = level.letters.len();
        let planes = (usize::BITS - patterns.saturating_sub(1).leading_zeros()) as usize;
        Some(Bitboard {
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

    /// Words for a packed board.
    pub(super) fn words(&self) -> usize {
        (self.bits as usize).div_ceil(64).max(1)
    }

    pub(super) fn board<const N: usize>(&self, state: &State) -> Board<S, N> {
        let mut board = [S::EMPTY; N];
        for (cell, &block) in state.0.iter().enumerate() {
            if block > 0 {
                let one = &mut board[usize::from(block) - 1];
                *one = *one | S::one(u32::from(self.bit_of[cell]));
            }
        }
        board
    }

    /// The numbers of these cells in the level's field, ascending.
    pub(super) fn cells(&self, set: S, cells: &mut Vec<u16>) {
        cells.clear();
        cells.extend(members(set).map(|bit| self.cell_of[bit as usize]));
        cells.sort_unstable();
    }

    pub(super) fn blocks<const N: usize>(&self, board: &Board<S, N>) -> S {
        let sets = board[..self.patterns].iter();
        sets.fold(S::EMPTY, |all, &one| all | one)
    }

    /// The neighbours of a cell.
    pub(super) fn beside(&self, cell: u32) -> S {
        self.neighbours[cell as usize]
    }

    /// The cells of each shaft.
    pub(super) fn shafts(&self) -> impl Iterator<Item = S> {
        self.shafts.iter().map(|shaft| shaft.cells)
    }

    /// The rows that have cells, each once, from the top down.
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
        cells.fold(S::EMPTY, |set, (cell, _)| set | S::one(cell as u32))
    }

    /// The cells that hang together with these, among those allowed.
    pub(super) fn connected(&self, mut cells: S, allowed: S) -> S {
        loop {
            let beside = members(cells).fold(cells, |set, cell| set | self.beside(cell));
            if beside & allowed == cells {
                return cells;
            }
            cells = beside & allowed;
        }
    }

    /// The cells from which a block may come to one of these, if nothing but walls is in the way.
    pub(super) fn upstream(&self, mut cells: S) -> S {
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
                if sides.chain(below).any(|to| cells & S::one(to) != S::EMPTY) {
                    more = more | S::one(cell as u32);
                }
            }
            if more == cells {
                return cells;
            }
            cells = more;
        }
    }

    /// Moves the block of a pattern from one cell to the empty one beside it, and settles. `blocks` are all of them, before.
    /// The answer has a bit for each pattern that may have changed.
    pub(super) fn step<const N: usize>(
        &self,
        board: &mut Board<S, N>,
        blocks: S,
        pattern: usize,
        from: u32,
        to: u32,
    ) -> u32 {
        let (mut changed, matched) = self.shift(board, blocks, pattern, from, to);
        if matched {
            while self.round(board) {}
            changed = (1 << self.patterns) - 1;
        }
        changed
    }

    /// The same up to the first matching: whether anything matches is the second answer.
    pub(super) fn shift<const N: usize>(
        &self,
        board: &mut Board<S, N>,
        blocks: S,
        pattern: usize,
        from: u32,
        to: u32,
    ) -> (u32, bool) {
        let shaft = &self.shafts[usize::from(self.shaft_of[to as usize])];
        let landing = shaft.bottom + (blocks & shaft.cells).count();
        board[pattern] = board[pattern] & !S::one(from) | S::one(landing);
        let mut changed = 1 << pattern;
        let mut matched = board[pattern] & self.neighbours[landing as usize] != S::EMPTY;
        // What lay on it falls by one.
        let shaft = &self.shafts[usize::from(self.shaft_of[from as usize])];
        let load = blocks & shaft.cells & !S::below(from + 1);
        if load != S::EMPTY {
            for (pattern, one) in board[..self.patterns].iter_mut().enumerate() {
                let falling = *one & load;
                if falling != S::EMPTY {
                    let fallen = falling >> 1;
                    *one = *one & !falling | fallen;
                    changed |= 1 << pattern;
                    let mut fallen = members(fallen);
                    matched |= fallen.any(|cell| *one & self.neighbours[cell as usize] != S::EMPTY);
                }
            }
        }
        (changed, matched)
    }

    /// What matches vanishes, and what lay on it falls; whether anything did.
    pub(super) fn round<const N: usize>(&self, board: &mut Board<S, N>) -> bool {
        let mut gone = S::EMPTY;
        for one in &mut board[..self.patterns] {
            let set = *one;
            for cell in members(set) {
                if set & self.neighbours[cell as usize] != S::EMPTY {
                    gone = gone | S::one(cell);
                }
            }
            *one = set & !gone;
        }
        // From the top down, each hole lets what is above it fall by one.
        let mut blocks = self.blocks(board);
        let mut holes = gone;
        while holes != S::EMPTY {
            let hole = last(holes);
            holes = holes & !S::one(hole);
            let cells = self.shafts[usize::from(self.shaft_of[hole as usize])].cells;
            let load = blocks & cells & !S::below(hole + 1);
            if load != S::EMPTY {
                for one in &mut board[..self.patterns] {
                    *one = *one & !load | (*one & load) >> 1;
                }
                blocks = blocks & !load | load >> 1;
            }
        }
        gone != S::EMPTY
    }

    pub(super) fn pack<const N: usize, const W: usize>(&self, board: &Board<S, N>) -> Packed<W> {
        let blocks = self.blocks(board);
        let mut planes = [S::EMPTY; MOST_PLANES];
        for (pattern, &one) in board[..self.patterns].iter().enumerate() {
            for (digit, plane) in planes[..self.planes].iter_mut().enumerate() {
                if pattern >> digit & 1 == 1 {
                    *plane = *plane | one;
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

    pub(super) fn unpack<const N: usize, const W: usize>(&self, packed: &Packed<W>) -> Board<S, N> {
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
        for (pattern, one) in board[..self.patterns].iter_mut().enumerate() {
            *one = blocks;
            for (digit, &plane) in planes[..self.planes].iter().enumerate() {
                *one = *one
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

/// The greatest cell of a set that is not empty.
fn last<S: Set>(set: S) -> u32 {
    members(set).last().expect("the set is not empty")
}
