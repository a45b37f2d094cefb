//! Random numbers from a seed and from nothing else (SplitMix64: Steele, Lea and Flood 2014).
//!
//! Each number of the row depends on the seed and its place alone. So a row can be had again with some numbers changed: whatever
//! a generator made of the first row, it makes something much alike of the second.

use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    drawn: u64,
    changes: Changes,
}

/// Other numbers at some places of a row, counted from 0.
pub type Changes = BTreeMap<u64, u64>;

impl Random {
    pub fn new(seed: u64) -> Self {
        Self::changed(seed, Changes::new())
    }

    /// The numbers of a seed, with these in their places.
    pub fn changed(seed: u64, changes: Changes) -> Self {
        Self {
            seed,
            drawn: 0,
            changes,
        }
    }

    /// How many numbers were drawn.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// The number at a place of the row, whether it was drawn or not.
    pub fn at(&self, place: u64) -> u64 {
        if !self.changes.is_empty()
            && let Some(&changed) = self.changes.get(&place)
        {
            return changed;
        }
        let steps = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed.wrapping_add(steps);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn next_u64(&mut self) -> u64 {
        let number = self.at(self.drawn);
        self.drawn += 1;
        number
    }

    /// Uniform in `0..bound`; `bound` is not 0. (The bias of the multiply-shift is below 2^-32 for
    /// bounds below 2^32, which is what levels need.)
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "nothing to choose from");
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// True with probability `numerator / denominator`.
    pub fn chance(&mut self, numerator: usize, denominator: usize) -> bool {
        self.below(denominator) < numerator
    }

    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

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
    fn the_numbers_of_a_seed_are_those_of_the_paper() {
        // The first numbers of SplitMix64 from the seed 1234567, as its authors' program prints them.
        let mut random = Random::new(1_234_567);
        let first = [random.next_u64(), random.next_u64()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn a_row_is_had_again_with_some_numbers_changed() {
        let row = |mut random: Random| -> Vec<u64> { (0..6).map(|_| random.next_u64()).collect() };
        let plain = row(Random::new(7));
        let changed = row(Random::changed(7, Changes::from([(2, 5), (9, 1)])));
        assert_eq!(
            (changed[2], &changed[..2], &changed[3..]),
            (5, &plain[..2], &plain[3..])
        );
        assert_eq!(Random::new(7).at(4), plain[4]);
    }
}
