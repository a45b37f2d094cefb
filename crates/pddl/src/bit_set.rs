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

    /// The least number in the set that is not less than this one.
    pub fn first_from(&self, from: usize) -> Option<usize> {
        let one_from = |words: &[u64], from: usize| {
            let rest = words.get(from / 64)? & !0 << (from % 64);
            (rest != 0).then(|| from / 64 * 64 + rest.trailing_zeros() as usize)
        };
        one_from(&self.words, from).or_else(|| {
            let next = from / 64 + 1;
            let starts = (next / 64 + 1..self.summary.len()).map(|word| word * 64);
            let word = std::iter::once(next)
                .chain(starts)
                .find_map(|start| one_from(&self.summary, start))?;
            Some(word * 64 + self.words[word].trailing_zeros() as usize)
        })
    }
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
            let least = expected[which].range(number..).next();
            assert_eq!(sets[which].first_from(number).as_ref(), least);
        }
        for (set, expected) in sets.iter().zip(expected) {
            let first = set.first_from(0);
            let all = std::iter::successors(first, |&last| set.first_from(last + 1));
            assert_eq!(Vec::from_iter(all), Vec::from_iter(expected));
        }
    }
}
