//! Bitboards: a set of cells as the bits of one machine number, column by column from the left,
//! each column from the floor up.
//!
//! Every column has one bit more than it has rows. The spare bit keeps neighbouring columns apart
//! when bits are shifted, and marks the height of a packed column (see `fast.rs`). The boards of
//! the papers fit into 64 bits; larger ones take 128.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

/// A set of places (cells and spare bits of a layout).
pub(super) trait Bits:
    Copy
    + Eq
    + Hash
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const EMPTY: Self;
    const WIDTH: u32;
    /// Number of 64-bit words.
    const WORDS: usize;

    fn bit(index: u32) -> Self;
    fn is_empty(self) -> bool;
    fn count(self) -> u32;
    /// The set of the lowest bit only; empty if the set is empty.
    fn lowest(self) -> Self;
    /// The set of the highest bit only; the set must not be empty.
    fn highest(self) -> Self;
    /// All places below this single bit.
    fn below(self) -> Self;
    /// Index of the lowest bit.
    fn index(self) -> u32;
    /// Wrapping subtraction of the two numbers.
    fn minus(self, other: Self) -> Self;
    /// The lowest 64 places.
    fn low(self) -> u64;
    fn write(self, words: &mut [u64]);
    fn read(words: &[u64]) -> Self;
}

macro_rules! bits {
    ($number:ty, $words:literal) => {
        impl Bits for $number {
            const EMPTY: Self = 0;
            const WIDTH: u32 = <$number>::BITS;
            const WORDS: usize = $words;

            #[inline(always)]
            fn bit(index: u32) -> Self {
                1 << index
            }
            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> Self {
                self & self.wrapping_neg()
            }
            #[inline(always)]
            fn highest(self) -> Self {
                1 << (Self::WIDTH - 1 - self.leading_zeros())
            }
            #[inline(always)]
            fn below(self) -> Self {
                self.wrapping_sub(1)
            }
            #[inline(always)]
            fn index(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn write(self, words: &mut [u64]) {
                for (index, word) in words[..$words].iter_mut().enumerate() {
                    *word = (self >> (64 * index)) as u64;
                }
            }
            #[inline(always)]
            fn read(words: &[u64]) -> Self {
                let mut number = 0;
                for (index, &word) in words[..$words].iter().enumerate() {
                    number |= Self::from(word) << (64 * index);
                }
                number
            }
        }
    };
}

bits!(u64, 1);
bits!(u128, 2);

/// The bits of the cells of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout<B> {
    pub rows: u32,
    pub cols: u32,
    /// Bits of one column, including the spare one.
    pub stride: u32,
    /// The cells of each row, indexed by height above the floor.
    pub row_at: Vec<B>,
    /// The cells of each column, from the left, without the spare bits.
    pub columns: Vec<B>,
    /// The column of each bit.
    column_of: Vec<u8>,
    /// Shifts that together fill a column from a bit down to the floor, each with the places that
    /// it may set.
    fill_shifts: Vec<(u32, B)>,
}

impl<B: Bits> Layout<B> {
    pub(super) fn fits(rows: usize, cols: usize) -> bool {
        rows < B::WIDTH as usize && (rows + 1).saturating_mul(cols) <= B::WIDTH as usize
    }

    pub(super) fn new(rows: usize, cols: usize) -> Self {
        assert!(
            Self::fits(rows, cols),
            "the caller chose a number wide enough"
        );
        let (rows, cols) = (rows as u32, cols as u32);
        let stride = rows + 1;
        let row =
            |height: u32| (0..cols).fold(B::EMPTY, |set, col| set | B::bit(col * stride + height));
        let row_at: Vec<B> = (0..rows).map(row).collect();
        let column =
            |col: u32| (0..rows).fold(B::EMPTY, |set, height| set | B::bit(col * stride + height));
        let columns = (0..cols).map(column).collect();
        let mut fill_shifts = Vec::new();
        let mut shift = 1;
        while shift < stride {
            let targets = (0..stride - shift).map(row);
            fill_shifts.push((shift, targets.fold(B::EMPTY, |set, row| set | row)));
            shift *= 2;
        }
        Self {
            rows,
            cols,
            stride,
            row_at,
            columns,
            column_of: (0..stride * cols)
                .map(|index| (index / stride) as u8)
                .collect(),
            fill_shifts,
        }
    }

    pub(super) fn place(&self, height: u32, col: u32) -> B {
        B::bit(col * self.stride + height)
    }

    #[inline(always)]
    pub(super) fn last_column(&self) -> B {
        self.columns[self.columns.len() - 1]
    }

    /// The cells of the last column below this height.
    #[inline(always)]
    pub(super) fn last_column_below(&self, height: u32) -> B {
        self.last_column() & self.place(height, self.cols - 1).below()
    }

    /// These places, which are all at one height, and everything above them in their columns,
    /// including the spare bits.
    #[inline(always)]
    pub(super) fn upward(&self, places: B, height: u32) -> B {
        // Where the board fills the number, the bit above the last column is shifted out, and the
        // wrapping subtraction still sets the right bits.
        let shift = self.stride - height;
        let next = if shift < B::WIDTH {
            places << shift
        } else {
            B::EMPTY
        };
        next.minus(places)
    }

    /// The place just above the topmost block of each column.
    #[inline(always)]
    pub(super) fn tops(&self, blocks: B) -> B {
        ((blocks << 1) | self.row_at[0]) & !blocks
    }

    /// The places that have one of the given places to their left in the same row.
    #[inline(always)]
    pub(super) fn right_of(&self, places: B) -> B {
        let mut reached = places << self.stride;
        let mut shift = self.stride;
        while shift < self.stride * (self.cols - 1) {
            reached |= reached << shift;
            shift *= 2;
        }
        reached
    }

    /// The heights that occur in a set, as places of the first column.
    #[inline(always)]
    pub(super) fn heights(&self, places: B) -> B {
        let mut folded = places;
        let mut shift = self.stride;
        while shift < self.stride * self.cols {
            folded |= folded >> shift;
            shift *= 2;
        }
        folded & self.columns[0]
    }

    /// The column of the cell with this index.
    #[inline(always)]
    pub(super) fn column_of(&self, index: u32) -> usize {
        usize::from(self.column_of[index as usize])
    }

    /// The places of a set in this column, as bits from the floor up; at most the lowest 64.
    #[inline(always)]
    pub(super) fn column(&self, places: B, col: u32) -> u64 {
        (places >> (col * self.stride)).low() & self.columns[0].low()
    }

    /// The places below the highest bit of each column.
    #[inline(always)]
    pub(super) fn under_highest(&self, marks: B) -> B {
        let mut filled = marks;
        for &(shift, targets) in &self.fill_shifts {
            filled |= (filled >> shift) & targets;
        }
        (filled >> 1) & self.fill_shifts[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_stay_within_their_column() {
        let layout = Layout::<u64>::new(3, 2);
        assert_eq!(layout.columns, [0b0111, 0b0111_0000]);
        assert_eq!(layout.row_at, [0b0001_0001, 0b0010_0010, 0b0100_0100]);
        assert_eq!(layout.upward(0b0010_0010, 1), 0b1110_1110);
        assert_eq!(layout.last_column_below(2), 0b0011_0000);
        let blocks = 0b0001_0111;
        assert_eq!(layout.tops(blocks), 0b0010_1000);
        assert_eq!(layout.under_highest(layout.tops(blocks)), blocks);
    }

    #[test]
    fn largest_boards_fit() {
        assert!(Layout::<u64>::fits(7, 8) && !Layout::<u64>::fits(8, 8));
        assert!(Layout::<u128>::fits(10, 11) && !Layout::<u128>::fits(11, 11));
        assert!(!Layout::<u128>::fits(usize::MAX - 1, 3));
        let layout = Layout::<u64>::new(7, 8);
        let top = layout.place(6, 7);
        assert_eq!(layout.upward(top, 6), top | top << 1);
        let layout = Layout::<u64>::new(63, 1);
        assert_eq!(layout.upward(1, 0), u64::MAX);
    }

    #[test]
    fn right_of_is_in_the_same_row() {
        for (rows, cols) in [(3, 2), (7, 8), (2, 1), (1, 32), (4, 5)] {
            let layout = Layout::<u64>::new(rows, cols);
            for (row, col) in
                (0..rows as u32).flat_map(|row| (0..cols as u32).map(move |col| (row, col)))
            {
                let found = layout.right_of(layout.place(row, col));
                for other in 0..cols as u32 {
                    let hit = found & layout.place(row, other) != 0;
                    assert_eq!(hit, other > col, "{rows}x{cols}: {row} {col} {other}");
                    let above = (row + 1) % rows as u32;
                    assert!(above == row || found & layout.place(above, other) == 0);
                }
            }
        }
    }

    #[test]
    fn heights_are_places_of_the_first_column() {
        for (rows, cols) in [(3, 2), (7, 8), (2, 1), (1, 32), (4, 5)] {
            let layout = Layout::<u64>::new(rows, cols);
            let mut random = crate::Random::new(3);
            for _ in 0..100 {
                let cells = layout.columns.iter().fold(0, |all, column| all | column);
                let places = random.next_u64() & random.next_u64() & random.next_u64() & cells;
                let heights = layout.heights(places);
                for (height, row) in layout.row_at.iter().enumerate() {
                    assert_eq!(heights >> height & 1 == 1, places & row != 0);
                }
                assert_eq!(heights >> rows, 0);
                if places != 0 {
                    let column = layout.columns[layout.column_of(places.index())];
                    assert_ne!(column & places.lowest(), 0);
                }
            }
        }
    }

    #[test]
    fn columns_are_read_from_the_floor_up() {
        let layout = Layout::<u64>::new(3, 3);
        let places =
            layout.place(0, 0) | layout.place(2, 1) | layout.place(1, 1) | layout.place(0, 2);
        let columns = [0, 1, 2].map(|col| layout.column(places, col));
        assert_eq!(columns, [0b001, 0b110, 0b001]);
    }
}
