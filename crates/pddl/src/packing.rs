//! States in few bits: a mutex group becomes one variable with a value for each of its facts and
//! one for none of them. Groups overlap, so they are chosen greedily: each time the one that covers
//! the most facts that are not covered yet.

use ployglot_base::{Limit, Poll};
use smallvec::SmallVec;

use crate::circuit::FactId;
use crate::task::{State, Task};

/// How states of a task are packed.
pub(crate) struct Packing {
    variables: Vec<Variable>,
    /// For each fact, a packed word, and the bits that are set there where the fact holds.
    codes: Vec<(u32, u64)>,
    /// Words of an unpacked state that hold facts.
    fact_words: usize,
    /// Words that hold numbers, packed or not.
    numbers: usize,
    /// Words of a packed state that hold variables.
    packed: usize,
}

/// Bits of a packed word.
struct Variable {
    word: usize,
    shift: u32,
    mask: u64,
    /// The facts of the values from 1 on; value 0 means that none of them holds.
    facts: Box<[FactId]>,
}

impl Packing {
    /// Chooses the variables, and their places in the words.
    pub fn new(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        let mut free = vec![true; task.facts.len()];
        let mut chosen: Vec<Vec<FactId>> = Vec::new();
        // Buckets of groups by the number of uncovered facts. A group moves to a lower bucket when
        // some of its facts were covered.
        let most = task.groups.iter().map(Vec::len).max().unwrap_or(0);
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); most + 1];
        for (id, group) in task.groups.iter().enumerate().rev() {
            buckets[group.len()].push(id);
        }
        for size in (2..=most).rev() {
            while let Some(id) = buckets[size].pop() {
                poll.try_step()?;
                let left: Vec<FactId> = task.groups[id]
                    .iter()
                    .copied()
                    .filter(|fact| free[fact.0 as usize])
                    .collect();
                if left.len() < size {
                    buckets[left.len()].push(id);
                    continue;
                }
                left.iter().for_each(|fact| free[fact.0 as usize] = false);
                chosen.push(left);
            }
        }
        let single = (0..task.facts.len()).filter(|&fact| free[fact]);
        chosen.extend(single.map(|fact| vec![FactId(fact as u32)]));

        let mut packing = Self {
            variables: Vec::new(),
            codes: vec![(0, 0); task.facts.len()],
            fact_words: task.fact_words(),
            numbers: task.numbers.len(),
            packed: 0,
        };
        let mut used = 64;
        for facts in chosen {
            let bits = usize::BITS - facts.len().leading_zeros();
            if used + bits > 64 {
                packing.packed += 1;
                used = 0;
            }
            let word = packing.packed - 1;
            for (value, fact) in facts.iter().enumerate() {
                packing.codes[fact.0 as usize] = (word as u32, (value as u64 + 1) << used);
            }
            packing.variables.push(Variable {
                word,
                shift: used,
                mask: (1 << bits) - 1,
                facts: facts.into_boxed_slice(),
            });
            used += bits;
        }
        Ok(packing)
    }

    /// The facts of each variable.
    pub fn groups(&self) -> impl Iterator<Item = &[FactId]> {
        self.variables.iter().map(|variable| &variable.facts[..])
    }

    /// The number of words of a packed state.
    pub fn words(&self) -> usize {
        (self.packed + self.numbers).max(1)
    }

    /// Packs a state.
    pub fn pack(&self, state: &State, words: &mut [u64]) {
        words.fill(0);
        let (facts, numbers) = state.0.split_at(self.fact_words);
        for (at, &word) in facts.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let fact = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let (word, code) = self.codes[fact];
                words[word as usize] |= code;
            }
        }
        words[self.packed..self.packed + self.numbers].copy_from_slice(numbers);
    }

    /// The state that was packed.
    pub fn unpack(&self, words: &[u64]) -> State {
        let mut state = State(SmallVec::from_elem(0, self.fact_words + self.numbers));
        for variable in &self.variables {
            let value = (words[variable.word] >> variable.shift & variable.mask) as usize;
            if value > 0 {
                state.set(variable.facts[value - 1], true);
            }
        }
        state.0[self.fact_words..].copy_from_slice(&words[self.packed..self.packed + self.numbers]);
        state
    }
}
