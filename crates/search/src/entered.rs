//! States that a depth-first search entered in this round, and at what cost: as many as there is room for, and the rest
//! forgotten, which costs time but no proof.
//!
//! A state has one bucket of `WAYS` entries. A new one takes the place of one from an earlier round, or else of the one
//! with the least below it, which is the one that cost most to reach.

use ployglot_base::Budget;

/// The table.
pub(crate) struct Entered {
    /// Of a packed state.
    words: usize,
    /// An entry is the round and the cost in one word, and the packed state.
    entries: Vec<u64>,
    buckets: usize,
    most: usize,
    round: u32,
    len: u64,
}

const WAYS: usize = 4;
const FIRST_BUCKETS: usize = 1 << 10;

impl Entered {
    /// For states of so many words, in at most so many bytes.
    pub(crate) fn new(words: usize, bytes: u64) -> Self {
        let bucket = WAYS * (words + 1);
        let most = (bytes as usize / (bucket * size_of::<u64>())).max(1);
        let buckets = FIRST_BUCKETS.min(most);
        Self {
            words,
            entries: vec![0; buckets * bucket],
            buckets,
            most,
            round: 1,
            len: 0,
        }
    }

    /// How many states of this round it holds.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the state was entered in this round at this cost or less; if not, notes that it is now.
    pub(crate) fn before(&mut self, state: &[u64], hash: u64, g: u32) -> bool {
        let size = self.words + 1;
        let bucket = (((hash >> 32) * self.buckets as u64) >> 32) as usize;
        let start = bucket * WAYS * size;
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

    /// A new round begins, with a larger table if this one was too small.
    pub(crate) fn forget(&mut self, budget: &Budget) {
        self.round += 1;
        let capacity = (self.buckets * WAYS) as u64;
        let larger = (self.buckets * 8).min(self.most);
        let size = larger * WAYS * (self.words + 1);
        if self.len * 2 > capacity
            && larger > self.buckets
            && budget.affords((size * size_of::<u64>()) as u64)
        {
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

    /// It may forget, but what it says is true.
    #[test]
    fn it_never_claims_what_did_not_happen() {
        let mut random = Random::new(1);
        let budget = Budget::unlimited();
        for bytes in [0, 1 << 12, 1 << 24] {
            let mut entered = Entered::new(2, bytes);
            for _ in 0..5 {
                let mut truth: HashMap<u64, u32> = HashMap::new();
                let (mut known, mut claims) = (0, 0);
                for _ in 0..20_000 {
                    let state = [random.below(3000) as u64, 7];
                    let g = random.below(20) as u32;
                    let before = truth.get(&state[0]).is_some_and(|&cost| cost <= g);
                    let claim = entered.before(&state, hash(&state), g);
                    assert!(before || !claim);
                    known += u32::from(before);
                    claims += u32::from(claim);
                    let best = truth.entry(state[0]).or_insert(g);
                    *best = g.min(*best);
                }
                assert!(claims > 0);
                // With room for all, it forgets little.
                assert!(
                    bytes < 1 << 24 || claims * 10 > known * 9,
                    "{claims} of {known}"
                );
                entered.forget(&budget);
                assert_eq!(entered.len(), 0);
            }
        }
    }
}
