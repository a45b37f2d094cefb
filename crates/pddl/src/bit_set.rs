//! A set of small numbers as bits, with a summary of the words that are not empty.

/// A set of small numbers. The summary makes iterating over a sparse set fast.
#[derive(Clone)]
pub(crate) struct BitSet {
    words: Box<[u64]>,
    summary: Box<[u64]>,
}

impl BitSet {
    /// An empty set for numbers below `len`.
    pub fn new(len: usize) -> Self {
        let words = len.div_ceil(64);
        Self {
            words: vec![0; words].into_boxed_slice(),
            summary: vec![0; words.div_ceil(64)].into_boxed_slice(),
        }
    }

    /// Inserts or removes a number.
    pub fn set(&mut self, at: usize, inside: bool) {
        let word = at / 64;
        if inside {
            self.words[word] |= 1 << (at % 64);
            self.summary[word / 64] |= 1 << (word % 64);
        } else {
            self.words[word] &= !(1 << (at % 64));
            if self.words[word] == 0 {
                self.summary[word / 64] &= !(1 << (word % 64));
            }
        }
    }

    /// The least number that is in both sets.
    pub fn first_common(&self, other: &BitSet) -> Option<usize> {
        let summaries = self.summary.iter().zip(&other.summary).enumerate();
        let words = summaries.flat_map(|(at, (a, b))| ones(a & b).map(move |bit| at * 64 + bit));
        let mut common = words
            .map(|at| (at, self.words[at] & other.words[at]))
            .filter(|(_, word)| *word != 0);
        common
            .next()
            .map(|(at, word)| at * 64 + word.trailing_zeros() as usize)
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self
            .summary
            .iter()
            .enumerate()
            .flat_map(|(at, &word)| ones(word).map(move |bit| at * 64 + bit));
        words.flat_map(|at| ones(self.words[at]).map(move |bit| at * 64 + bit))
    }
}

/// The positions of the bits that are set.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ployglot_base::Random;

    use super::*;

    #[test]
    fn agrees_with_an_ordered_set() {
        const SIZE: usize = 10_000;
        let mut random = Random::new(1);
        let mut sets = [BitSet::new(SIZE), BitSet::new(SIZE)];
        let mut expected = [BTreeSet::new(), BTreeSet::new()];
        for _ in 0..2000 {
            let (which, number) = (random.below(2), random.below(SIZE));
            let inside = random.chance(1, 2);
            sets[which].set(number, inside);
            if inside {
                expected[which].insert(number);
            } else {
                expected[which].remove(&number);
            }
            let common = expected[0].intersection(&expected[1]).next();
            assert_eq!(sets[0].first_common(&sets[1]).as_ref(), common);
        }
        for (set, expected) in sets.iter().zip(expected) {
            assert_eq!(set.iter().collect::<Vec<_>>(), Vec::from_iter(expected));
        }
    }
}
