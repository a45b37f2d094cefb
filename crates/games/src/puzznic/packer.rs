//! Packing of bitboards: the bits of some cells are gathered into the lowest bits of a number, and
//! scattered again.
//!
//! Processors with BMI2 have an instruction for each (`pext` and `pdep`), which is used if
//! available. A search packs every board that it stores, so this matters: packing shaft by shaft
//! took a fifth of the time of a search.

use super::bitboard::{Set, members};

/// Gathers and scatters with the instructions of this processor.
#[derive(Clone, Copy)]
pub(super) struct Packer {
    #[cfg(target_arch = "x86_64")]
    has_bmi2: bool,
}

impl Packer {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            has_bmi2: is_x86_feature_detected!("bmi2"),
        }
    }

    /// The members of `set` that are in `cells`, as a set of their ranks in `cells`.
    #[inline]
    pub(super) fn gather<S: Set>(self, set: S, cells: S) -> S {
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            #[allow(
                unsafe_code,
                reason = "one instruction instead of a loop over the blocks"
            )]
            // SAFETY: `has_bmi2` is true only if the processor has the instruction.
            return unsafe { instructions::gather(set, cells) };
        }
        gather(set, cells)
    }

    /// The members of `cells` that have these ranks.
    #[inline]
    pub(super) fn scatter<S: Set>(self, ranks: S, cells: S) -> S {
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            #[allow(
                unsafe_code,
                reason = "one instruction instead of a loop over the blocks"
            )]
            // SAFETY: `has_bmi2` is true only if the processor has the instruction.
            return unsafe { instructions::scatter(ranks, cells) };
        }
        scatter(ranks, cells)
    }
}

fn gather<S: Set>(set: S, cells: S) -> S {
    let ranks = members(cells).zip(0..);
    let ranks = ranks.filter(|&(cell, _)| set & S::single(cell) != S::EMPTY);
    ranks.fold(S::EMPTY, |all, (_, rank)| all | S::single(rank))
}

fn scatter<S: Set>(ranks: S, cells: S) -> S {
    let cells = members(cells).zip(0..);
    let cells = cells.filter(|&(_, rank)| ranks & S::single(rank) != S::EMPTY);
    cells.fold(S::EMPTY, |all, (cell, _)| all | S::single(cell))
}

#[cfg(target_arch = "x86_64")]
mod instructions {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    use super::Set;

    #[target_feature(enable = "bmi2")]
    pub(super) fn gather<S: Set>(set: S, cells: S) -> S {
        let low = S::from_words(_pext_u64(set.low_word(), cells.low_word()), 0);
        if S::BITS == 64 {
            return low;
        }
        let high = S::from_words(_pext_u64(set.high_word(), cells.high_word()), 0);
        let lower = cells.low_word().count_ones();
        low | high << lower
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn scatter<S: Set>(ranks: S, cells: S) -> S {
        let low = _pdep_u64(ranks.low_word(), cells.low_word());
        if S::BITS == 64 {
            return S::from_words(low, 0);
        }
        let higher = ranks >> cells.low_word().count_ones();
        S::from_words(low, _pdep_u64(higher.low_word(), cells.high_word()))
    }
}

/// Writes sets into words, one after the other.
pub(super) struct Writer<const W: usize> {
    pub(super) words: [u64; W],
    pub(super) at: u32,
}

impl<const W: usize> Writer<W> {
    /// Writes the lowest `bits` bits of a set, which has no others.
    #[inline]
    pub(super) fn put<S: Set>(&mut self, set: S, bits: u32) {
        self.put_word(set.low_word(), bits.min(64));
        if bits > 64 {
            self.put_word(set.high_word(), bits - 64);
        }
    }

    #[inline]
    fn put_word(&mut self, word: u64, bits: u32) {
        if bits == 0 {
            return;
        }
        let (to, shift) = ((self.at / 64) as usize, self.at % 64);
        self.words[to] |= word << shift;
        if shift + bits > 64 {
            self.words[to + 1] |= word >> (64 - shift);
        }
        self.at += bits;
    }
}

/// Reads what a `Writer` wrote.
pub(super) struct Reader<'a, const W: usize> {
    pub(super) words: &'a [u64; W],
    pub(super) at: u32,
}

impl<const W: usize> Reader<'_, W> {
    #[inline]
    pub(super) fn take<S: Set>(&mut self, bits: u32) -> S {
        let low = self.take_word(bits.min(64));
        let high = if bits > 64 {
            self.take_word(bits - 64)
        } else {
            0
        };
        S::from_words(low, high)
    }

    #[inline]
    fn take_word(&mut self, bits: u32) -> u64 {
        if bits == 0 {
            return 0;
        }
        let (from, shift) = ((self.at / 64) as usize, self.at % 64);
        let mut word = self.words[from] >> shift;
        if shift + bits > 64 {
            word |= self.words[from + 1] << (64 - shift);
        }
        self.at += bits;
        word & (u64::MAX >> (64 - bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// The instructions agree with the loops, and scattering inverts gathering.
    #[test]
    fn scattering_inverts_gathering() {
        let mut random = Random::new(1);
        let packer = Packer::new();
        for _ in 0..10_000 {
            let mut number = || u128::from(random.next_u64()) | u128::from(random.next_u64()) << 64;
            let (set, cells) = (number() & number(), number() | number());
            let ranks = packer.gather(set, cells);
            assert_eq!(ranks, gather(set, cells));
            assert_eq!(packer.scatter(ranks, cells), set & cells);
            assert_eq!(scatter(ranks, cells), set & cells);
            let (set, cells) = (set as u64, cells as u64);
            let ranks = packer.gather(set, cells);
            assert_eq!(ranks, gather(set, cells));
            assert_eq!(packer.scatter(ranks, cells), set & cells);
        }
    }
}
