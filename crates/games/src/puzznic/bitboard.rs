//! The board as bits: one machine word of 128 bits for each pattern.
//!
//! Columns follow each other, each from the bottom up, with a bit that is always 0 between them. So "above" is a shift
//! by one, "to the right" a shift by the height of a column, and nothing wraps around. Then a pattern's matching blocks
//! are found by four shifts, and what a wall carries by one addition: a carry that starts at the ground runs up through
//! the blocks that lie on each other, and stops at the first hole.
//!
//! A packed board has the height of each shaft and, plane by plane, the binary digits of its blocks' patterns.
//! The levels of the papers fit; larger ones do not, and are left to the searches for any space.

use super::fast::State;
use super::rules::Puzznic;

/// What is in which cell: a bit board for each pattern, `N` at most.
pub(super) type Board<const N: usize> = [u128; N];

/// What the packed boards of a level look like, `W` words each.
pub(super) type Packed<const W: usize> = [u64; W];

/// The walls as bits, and where the cells went.
pub(super) struct Bitboard {
    pub(super) patterns: usize,
    /// The bit to the right is this much higher.
    pub(super) across: u32,
    /// The cells that are not wall, and those that have wall below.
    pub(super) floor: u128,
    ground: u128,
    /// By bit, the number of the cell; and the other way round.
    cell_of: Vec<u16>,
    bit_of: Vec<u8>,
    shafts: Vec<Shaft>,
    /// Binary digits of a pattern.
    planes: u32,
    bits: u32,
}

/// A shaft's plane fits into a machine word.
const HIGHEST: u32 = 60;

struct Shaft {
    bottom: u32,
    length: u32,
    height_bits: u32,
}

impl Bitboard {
    /// `None` where the level is too large.
    pub(super) fn new(level: &Puzznic) -> Option<Bitboard> {
        let places = &level.field.places;
        let rows = || places.iter().map(|&(row, _)| u32::from(row));
        let cols = || places.iter().map(|&(_, col)| u32::from(col));
        let (top, bottom) = (rows().min()?, rows().max()?);
        let (first, last) = (cols().min()?, cols().max()?);
        let across = bottom - top + 2;
        if (last - first + 1) * across > u128::BITS {
            return None;
        }
        let bit = |&(row, col): &(u16, u16)| {
            ((u32::from(col) - first) * across + bottom - u32::from(row)) as u8
        };
        let bit_of: Vec<u8> = places.iter().map(bit).collect();
        let mut cell_of = vec![0; u128::BITS as usize];
        for (cell, &bit) in bit_of.iter().enumerate() {
            cell_of[usize::from(bit)] = cell as u16;
        }
        let floor = bit_of.iter().fold(0u128, |floor, &bit| floor | 1 << bit);
        let ground = floor & !(floor << 1);
        let blocks = level.start.0.iter().filter(|&&block| block > 0).count() as u32;
        let shaft = |bottom: u32| {
            let length = (!(floor >> bottom)).trailing_zeros();
            let height_bits = u32::BITS - length.min(blocks).leading_zeros();
            Shaft {
                bottom,
                length,
                height_bits,
            }
        };
        let shafts: Vec<Shaft> = bits(ground).map(shaft).collect();
        if shafts
            .iter()
            .any(|shaft| shaft.length.min(blocks) > HIGHEST)
        {
            return None;
        }
        let patterns = level.letters.len();
        let planes = usize::BITS - patterns.saturating_sub(1).leading_zeros();
        let heights: u32 = shafts.iter().map(|shaft| shaft.height_bits).sum();
        Some(Bitboard {
            patterns,
            across,
            floor,
            ground,
            cell_of,
            bit_of,
            shafts,
            planes,
            bits: heights + planes * blocks,
        })
    }

    /// Words for a packed board.
    pub(super) fn words(&self) -> usize {
        (self.bits as usize).div_ceil(64).max(1)
    }

    pub(super) fn board<const N: usize>(&self, state: &State) -> Board<N> {
        let mut board = [0; N];
        for (cell, &block) in state.0.iter().enumerate() {
            if block > 0 {
                board[usize::from(block) - 1] |= 1 << self.bit_of[cell];
            }
        }
        board
    }

    /// The cells of a set of bits, ascending.
    pub(super) fn cells(&self, set: u128, cells: &mut Vec<u16>) {
        cells.clear();
        cells.extend(bits(set).map(|bit| self.cell_of[bit as usize]));
        cells.sort_unstable();
    }

    pub(super) fn blocks<const N: usize>(&self, board: &Board<N>) -> u128 {
        board[..self.patterns].iter().fold(0, |all, one| all | one)
    }

    /// Moves the block of a pattern from one bit to the empty one beside it, and settles. `blocks` are all of them, before.
    /// The answer has a bit for each pattern that may have changed.
    pub(super) fn step<const N: usize>(
        &self,
        board: &mut Board<N>,
        blocks: u128,
        pattern: usize,
        from: u32,
        to: u32,
    ) -> u32 {
        // The block comes to rest on the highest solid cell below.
        let below = (blocks | !self.floor) & ((1 << to) - 1);
        let landing = u128::BITS - below.leading_zeros();
        board[pattern] = board[pattern] & !(1 << from) | 1 << landing;
        let mut changed = 1 << pattern;
        // What lay on it falls by one.
        let above = blocks >> from >> 1;
        let load = (!above).trailing_zeros();
        if load > 0 {
            let load = ((1 << load) - 1) << from << 1;
            for (pattern, one) in board[..self.patterns].iter_mut().enumerate() {
                let falling = *one & load;
                if falling > 0 {
                    *one = *one & !load | falling >> 1;
                    changed |= 1 << pattern;
                }
            }
        }
        let matches = |pattern: u32| {
            let one = board[pattern as usize];
            one & (one << 1 | one << self.across) > 0
        };
        if bits(u128::from(changed)).any(matches) {
            self.settle(board);
            changed = (1 << self.patterns) - 1;
        }
        changed
    }

    fn settle<const N: usize>(&self, board: &mut Board<N>) {
        loop {
            let mut matching = 0;
            for one in &mut board[..self.patterns] {
                let across = self.across;
                let goes = *one & (*one << 1 | *one >> 1 | *one << across | *one >> across);
                *one &= !goes;
                matching |= goes;
            }
            if matching == 0 {
                return;
            }
            let mut blocks = self.blocks(board);
            loop {
                let carried = (blocks.wrapping_add(blocks & self.ground) ^ blocks) & blocks;
                let falling = blocks & !carried;
                if falling == 0 {
                    break;
                }
                for one in &mut board[..self.patterns] {
                    *one = *one & carried | (*one & falling) >> 1;
                }
                blocks = carried | falling >> 1;
            }
        }
    }

    pub(super) fn pack<const N: usize, const W: usize>(&self, board: &Board<N>) -> Packed<W> {
        let blocks = self.blocks(board);
        let mut planes = [0u128; 8];
        for (pattern, one) in board[..self.patterns].iter().enumerate() {
            for digit in bits(pattern as u128) {
                planes[digit as usize] |= one;
            }
        }
        let mut packed = [0; W];
        let mut at = 0;
        let mut put = |value: u64, bits: u32| {
            let (word, shift) = ((at / 64) as usize, at % 64);
            packed[word] |= value << shift;
            if shift + bits > 64 {
                packed[word + 1] |= value >> (64 - shift);
            }
            at += bits;
        };
        for shaft in &self.shafts {
            let column = (blocks >> shaft.bottom) & ((1 << shaft.length) - 1);
            let height = column.count_ones();
            put(u64::from(height), shaft.height_bits);
            if height > 0 {
                for plane in &planes[..self.planes as usize] {
                    put((plane >> shaft.bottom & column) as u64, height);
                }
            }
        }
        packed
    }

    pub(super) fn unpack<const N: usize, const W: usize>(&self, packed: &Packed<W>) -> Board<N> {
        let mut at = 0;
        let mut take = |bits: u32| {
            let (word, shift) = ((at / 64) as usize, at % 64);
            at += bits;
            let mut value = packed.get(word).map_or(0, |word| word >> shift);
            if shift + bits > 64 {
                value |= packed[word + 1] << (64 - shift);
            }
            value & ((1 << bits) - 1)
        };
        let mut blocks = 0u128;
        let mut planes = [0u128; 8];
        for shaft in &self.shafts {
            let height = take(shaft.height_bits) as u32;
            if height > 0 {
                blocks |= ((1 << height) - 1) << shaft.bottom;
                for plane in &mut planes[..self.planes as usize] {
                    *plane |= u128::from(take(height)) << shaft.bottom;
                }
            }
        }
        let mut board = [0; N];
        for (pattern, one) in board[..self.patterns].iter_mut().enumerate() {
            *one = blocks;
            for (digit, plane) in planes[..self.planes as usize].iter().enumerate() {
                *one &= if pattern >> digit & 1 == 1 {
                    *plane
                } else {
                    !plane
                };
            }
        }
        board
    }
}

/// The bits of a set, ascending.
pub(super) fn bits(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set > 0).then(|| {
            let bit = set.trailing_zeros();
            set &= set - 1;
            bit
        })
    })
}
