//! A transposition table for depth-first search: the states that were reached in this round, and at
//! what cost. It has a bounded size. States that it has no room for are forgotten, which costs time
//! but does not affect the proof.
//!
//! A state belongs to one bucket of `WAYS` entries. A new state replaces one of an earlier round,
//! or else the one with the highest cost, which has the least search below it.

use ployglot_base::Budget;

pub(crate) struct TranspositionTable {
    /// Words of a packed state.
    words: usize,
    /// An entry is the round and the cost in one word, followed by the packed state.
    entries: Vec<u64>,
    buckets: usize,
    max_buckets: usize,
    round: u32,
    len: u64,
}

/// Entries of a bucket.
const WAYS: usize = 4;
/// Buckets of a new table.
const FIRST_BUCKETS: usize = 1 << 10;

impl TranspositionTable {
    /// For packed states of this many words, in at most this many bytes.
    pub(crate) fn new(words: usize, bytes: u64) -> Self {
        let bucket = WAYS * (words + 1);
        let max_buckets = (bytes as usize / (bucket * size_of::<u64>())).max(1);
        let buckets = FIRST_BUCKETS.min(max_buckets);
        Self {
            words,
            entries: vec![0; buckets * bucket],
            buckets,
            max_buckets,
            round: 1,
            len: 0,
        }
    }

    /// The number of states of this round in the table.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the table knows that the state was reached in this round at this cost or less. If
    /// not, records that it is reached now.
    pub(crate) fn reached_before(&mut self, state: &[u64], hash: u64, g: u32) -> bool {
        let size = self.words + 1;
        let bucket = (((hash >> 32) * self.buckets as u64) >> 32) as usize;
        let start = bucket * WAYS * size;
        // The entry to replace: one of an earlier round, or else the one with the highest cost.
        let mut victim = (false, 0, start);
        for at in (start..).step_by(size).take(WAYS) {
            let (round, cost) = ((self.entries[at] >> 32) as u32, self.entries[at] as u32);
            if round == self.round && self.entries[at + 1..at + size] == *state {
                if g < cost {
                    self.entries[at] = u64::from(round) << 32 | u64::from(g);
                }
                return cost <= g;
            }
            let old = round != self.round;
            victim = victim.max((old, if old { 0 } else { cost }, at));
        }
        let (old, _, at) = victim;
        self.len += u64::from(old);
        self.entries[at] = u64::from(self.round) << 32 | u64::from(g);
        self.entries[at + 1..at + size].copy_from_slice(state);
        false
    }

    /// Begins a new round, with a larger table if this one was too small.
    pub(crate) fn next_round(&mut self, budget: &Budget) {
        self.round += 1;
        let capacity = (self.buckets * WAYS) as u64;
        let larger = (self.buckets * 8).min(self.max_buckets);
        let size = larger * WAYS * (self.words + 1);
        if self.len * 2 > capacity
            && larger > self.buckets
            && budget.affords((size * size_of::<u64>()) as u64)
        {
            // The old table is freed before the new one is allocated.
            self.entries = Vec::new();
            self.entries = vec![0; size];
            self.buckets = larger;
        }
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::hash;
    use ployglot_base::Random;
    use std::collections::HashMap;

    /// The table may forget states, but it never claims that a state was reached when it was not.
    #[test]
    fn every_claim_is_true() {
        let mut random = Random::new(1);
        let budget = Budget::unlimited();
        for bytes in [0, 1 << 12, 1 << 24] {
            let mut table = TranspositionTable::new(2, bytes);
            for _ in 0..5 {
                let mut truth: HashMap<u64, u32> = HashMap::new();
                let (mut known, mut claims) = (0, 0);
                for _ in 0..20_000 {
                    let state = [random.below(3000) as u64, 7];
                    let g = random.below(20) as u32;
                    let before = truth.get(&state[0]).is_some_and(|&cost| cost <= g);
                    let claim = table.reached_before(&state, hash(&state), g);
                    assert!(before || !claim);
                    known += u32::from(before);
                    claims += u32::from(claim);
                    let best = truth.entry(state[0]).or_insert(g);
                    *best = g.min(*best);
                }
                assert!(claims > 0);
                // With room for all states, it forgets few.
                assert!(
                    bytes < 1 << 24 || claims * 10 > known * 9,
                    "{claims} of {known}"
                );
                table.next_round(&budget);
                assert_eq!(table.len(), 0);
            }
        }
    }
}
