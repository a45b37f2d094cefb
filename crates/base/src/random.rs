//! Random numbers from a seed and from nothing else (SplitMix64: Steele, Lea and Flood 2014).
//!
//! Each number of the sequence depends on the seed and its index alone. So a sequence can be
//! repeated with some numbers changed, and a generator makes something similar of the second
//! sequence to what it made of the first.

use std::collections::BTreeMap;

/// A generator of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    drawn: u64,
    changes: Changes,
}

/// Replacements for numbers of a sequence, by index from 0.
pub type Changes = BTreeMap<u64, u64>;

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self::with_changes(seed, Changes::new())
    }

    /// The sequence of a seed with some numbers replaced.
    pub fn with_changes(seed: u64, changes: Changes) -> Self {
        Self {
            seed,
            drawn: 0,
            changes,
        }
    }

    /// How many numbers have been drawn.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// The number at an index of the sequence, whether it has been drawn or not.
    pub fn at(&self, index: u64) -> u64 {
        if !self.changes.is_empty()
            && let Some(&changed) = self.changes.get(&index)
        {
            return changed;
        }
        let steps = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed.wrapping_add(steps);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws the next number.
    pub fn next_u64(&mut self) -> u64 {
        let number = self.at(self.drawn);
        self.drawn += 1;
        number
    }

    /// A uniform number in `0..bound`; `bound` must not be 0. (The bias of the multiply-shift is
    /// below 2^-32 for bounds below 2^32, which is enough for levels.)
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "nothing to choose from");
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// True with probability `numerator / denominator`.
    pub fn chance(&mut self, numerator: usize, denominator: usize) -> bool {
        self.below(denominator) < numerator
    }

    /// A uniform choice among the items, of which there must be at least one.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Puts the items in random order (Fisher-Yates shuffle).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_numbers() {
        // The first numbers of SplitMix64 from the seed 1234567, as printed by the authors'
        // program.
        let mut random = Random::new(1_234_567);
        let first = [random.next_u64(), random.next_u64()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn a_sequence_can_be_repeated_with_some_numbers_changed() {
        let first_six =
            |mut random: Random| -> Vec<u64> { (0..6).map(|_| random.next_u64()).collect() };
        let plain = first_six(Random::new(7));
        let changed = first_six(Random::with_changes(7, Changes::from([(2, 5), (9, 1)])));
        assert_eq!(
            (changed[2], &changed[..2], &changed[3..]),
            (5, &plain[..2], &plain[3..])
        );
        assert_eq!(Random::new(7).at(4), plain[4]);
    }
}
