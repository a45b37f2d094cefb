//! Bit sets of cells: flood fills, pushes and frozen groups take a few shifts.
//!
//! A row of the board takes one bit more than it has columns. A bit that is shifted over the edge
//! lands in this extra column, or after the last row, and is masked by the ground, where such bits
//! are never set.

use std::ops::{BitAnd, BitOr, Not};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits<const N: usize>(pub(super) [u64; N]);

impl<const N: usize> Bits<N> {
    pub(super) const NONE: Self = Self([0; N]);

    pub(super) fn one(bit: usize) -> Self {
        let mut bits = Self::NONE;
        bits.insert(bit);
        bits
    }

    #[inline]
    pub(super) fn insert(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, bit: usize) {
        self.0[bit / 64] &= !(1 << (bit % 64));
    }

    #[inline]
    pub(super) fn contains(&self, bit: usize) -> bool {
        bit < N * 64 && self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    #[inline]
    pub(super) fn intersects(&self, other: Self) -> bool {
        !(*self & other).is_empty()
    }

    #[inline]
    pub(super) fn is_subset(&self, other: Self) -> bool {
        (*self & !other).is_empty()
    }

    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Shifts every bit up by `by`, which is not 0.
    #[inline]
    pub(super) fn up(self, by: usize) -> Self {
        let mut moved = [0; N];
        if by < 64 {
            // The common case: a row has fewer than 64 bits. The loop has a fixed length and no
            // branches.
            for (index, word) in moved.iter_mut().enumerate() {
                let carried = if index > 0 {
                    self.0[index - 1] >> (64 - by)
                } else {
                    0
                };
                *word = self.0[index] << by | carried;
            }
            return Self(moved);
        }
        let words = by / 64;
        if words < N {
            moved[words..].copy_from_slice(&self.0[..N - words]);
        }
        let rest = by % 64;
        if rest == 0 {
            Self(moved)
        } else {
            Self(moved).up(rest)
        }
    }

    /// Shifts every bit down by `by`, which is not 0.
    #[inline]
    pub(super) fn down(self, by: usize) -> Self {
        let mut moved = [0; N];
        if by < 64 {
            for (index, word) in moved.iter_mut().enumerate() {
                let carried = if index + 1 < N {
                    self.0[index + 1] << (64 - by)
                } else {
                    0
                };
                *word = self.0[index] >> by | carried;
            }
            return Self(moved);
        }
        let words = by / 64;
        if words < N {
            moved[..N - words].copy_from_slice(&self.0[words..]);
        }
        let rest = by % 64;
        if rest == 0 {
            Self(moved)
        } else {
            Self(moved).down(rest)
        }
    }

    /// The bits that are set, in ascending order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(index, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }
}

impl<const N: usize> BitAnd for Bits<N> {
    type Output = Self;
    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}

impl<const N: usize> BitOr for Bits<N> {
    type Output = Self;
    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
        self
    }
}

impl<const N: usize> Not for Bits<N> {
    type Output = Self;
    #[inline]
    fn not(mut self) -> Self {
        for word in &mut self.0 {
            *word = !*word;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_cross_words_and_drop_bits_out_of_range() {
        let bits = [0, 5, 63, 64, 130, 191];
        let mut set = Bits::<3>::NONE;
        bits.iter().for_each(|&bit| set.insert(bit));
        for by in [1, 13, 64, 65, 101, 150] {
            let up: Vec<usize> = bits
                .iter()
                .map(|bit| bit + by)
                .filter(|&bit| bit < 192)
                .collect();
            assert_eq!(set.up(by).iter().collect::<Vec<_>>(), up, "up by {by}");
            let down: Vec<usize> = bits.iter().filter_map(|bit| bit.checked_sub(by)).collect();
            assert_eq!(
                set.down(by).iter().collect::<Vec<_>>(),
                down,
                "down by {by}"
            );
        }
        assert_eq!(set.count(), 6);
    }
}
