//! A set of small numbers, kept as bits.

/// A set of small numbers, such as the objects of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    words: Vec<u64>,
}

impl Set {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The numbers below `count`.
    pub fn below(count: usize) -> Self {
        (0..count).collect()
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        if self.words.len() <= number / 64 {
            self.words.resize(number / 64 + 1, 0);
        }
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// Adds all numbers of another set.
    pub fn add(&mut self, other: &Set) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Removes all numbers of another set.
    pub fn remove(&mut self, other: &Set) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
        // Equal sets have equal words, so there are no empty words at the end.
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Whether the number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.words
            .get(number / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether the sets share a number.
    pub fn meets(&self, other: &Set) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Whether all numbers of this set are in the other one.
    pub fn within(&self, other: &Set) -> bool {
        let of_other = other.words.iter().chain(std::iter::repeat(&0));
        self.words.iter().zip(of_other).all(|(a, b)| a & !b == 0)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| index * 64 + bit)
        })
    }
}

impl FromIterator<usize> for Set {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Set::new();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}
