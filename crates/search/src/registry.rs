//! States, interned: each packed state is kept once and known by a number.
//!
//! The packed words stand in an arena of chunks, so growth never copies a state. Over the arena lies a table of 64-bit
//! slots: half a slot is the upper half of the state's hash, the other half its number. The slots are *sorted by hash*,
//! with gaps: a state belongs at the place that its hash, read as a fraction, has in the table, or soon after it (ordered
//! linear probing: Amble and Knuth 1974). This buys three things over a general hash map of ids:
//! a new state costs one cache miss and not two or three, because the arena is read only where half a hash agrees; growth
//! never hashes a state again, and streams through the table from end to end; and it happens in place, so there is no
//! moment at which the old and the new table stand side by side in memory.
//!
//! Measured with ten million insertions of random states of three words, half of them known, sixteen at a time: 1.5 s,
//! where a table of ids (hashbrown's) over the same arena took 2.3 to 2.9 s; and 39 bytes a state, where that took 32.
//!
//! A registry knows its bytes, and asks the budget before it grows. For a state of three words it takes 24 bytes in the
//! arena and 10 to 15 in the table.

use std::hint::black_box;

use ployglot_base::{Budget, Limit, prefer_large_pages};

/// The number of a state in its registry: 0, 1, 2, … in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

pub struct Registry {
    words: usize,
    chunks: Vec<Box<[u64]>>,
    /// A chunk holds `1 << shift` states.
    shift: u32,
    len: usize,
    /// The upper half of the hash, then the id plus 1; 0 where empty.
    slots: Vec<u64>,
    /// Where a hash may send a state; a few slots after these take what overflows.
    homes: usize,
}

/// Words in a chunk: 2 MiB, which is small beside any memory limit and large beside the cost of asking the budget.
const CHUNK: usize = 1 << 18;
/// How many cache misses may overlap: about what a core can have under way.
const TOGETHER: usize = 16;
const FIRST_HOMES: usize = 1 << 12;
/// Growth below this many bytes is not worth a question to the budget.
const UNASKED: u64 = 1 << 20;

impl Registry {
    /// For states of this many words, at least 1.
    pub fn new(words: usize) -> Self {
        assert!(words > 0, "a packed state has at least one word");
        Self {
            words,
            chunks: Vec::new(),
            shift: (CHUNK / words).max(1).ilog2(),
            len: 0,
            slots: vec![0; FIRST_HOMES + overflow(FIRST_HOMES)],
            homes: FIRST_HOMES,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets all states, and keeps its memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.slots.fill(0);
    }

    /// What it occupies.
    pub fn bytes(&self) -> u64 {
        let arena = self.chunks.len() * (self.words << self.shift);
        ((arena + self.slots.len()) * size_of::<u64>()) as u64
    }

    /// The packed words of a state.
    pub fn state(&self, id: StateId) -> &[u64] {
        let at = (id.index() & ((1 << self.shift) - 1)) * self.words;
        &self.chunks[id.index() >> self.shift][at..at + self.words]
    }

    pub fn find(&self, state: &[u64]) -> Option<StateId> {
        let hash = hash(state);
        self.place(self.home(hash), state, hash).ok()
    }

    /// Makes sure that `more` states can be inserted, and that `spare` bytes remain to others; or says that the memory
    /// is at its limit.
    pub fn make_room(&mut self, more: usize, spare: u64, budget: &Budget) -> Result<(), Limit> {
        let wanted = self.len + more;
        if wanted >= u32::MAX as usize {
            return Err(Limit::Memory);
        }
        while self.chunks.len() << self.shift < wanted {
            let size = self.words << self.shift;
            afford(size, spare, budget)?;
            self.chunks.push(vec![0; size].into_boxed_slice());
        }
        while wanted > most(self.homes) {
            // By half; where that is too much, by an eighth.
            let grown = [self.homes / 2, self.homes / 8]
                .into_iter()
                .find(|&more| afford(more, spare, budget).is_ok())
                .ok_or(Limit::Memory)?;
            self.grow(self.homes + grown);
        }
        Ok(())
    }

    /// The number of a state, and whether it is new. Room must have been made.
    pub fn insert(&mut self, state: &[u64]) -> (StateId, bool) {
        let hash = hash(state);
        self.insert_from(self.home(hash), state, hash)
    }

    /// Inserts states that stand one after another, and appends what `insert` says of each. A few at a time, first the
    /// slots of all are read, then the states that they point to, so that the cache misses overlap. (Prefetch
    /// instructions, given long before, were no faster.)
    pub fn insert_all(&mut self, states: &[u64], found: &mut Vec<(StateId, bool)>) {
        let mut few = [(0, 0); TOGETHER];
        for states in states.chunks(TOGETHER * self.words) {
            let states = states.chunks_exact(self.words);
            let few = &mut few[..states.len()];
            let mut seen = 0;
            for ((hashed, at), state) in few.iter_mut().zip(states.clone()) {
                *hashed = hash(state);
                *at = self.home(*hashed);
                seen ^= self.slots[*at];
            }
            for (hash, at) in few.iter_mut() {
                *at = self.skip_less(*at, *hash);
                let slot = self.slots.get(*at).copied().unwrap_or(0);
                if slot & UPPER == *hash & UPPER && slot != 0 {
                    seen ^= self.state(StateId(slot as u32 - 1))[0];
                }
            }
            black_box(seen);
            // Insertions move slots up, never down, so what was skipped may still be skipped, unless the table grew.
            let homes = self.homes;
            for (state, &mut (hash, at)) in states.zip(few) {
                let at = if self.homes == homes {
                    at
                } else {
                    self.home(hash)
                };
                found.push(self.insert_from(at, state, hash));
            }
        }
    }

    /// Inserts a state, looking for its place from this slot on.
    fn insert_from(&mut self, at: usize, state: &[u64], hash: u64) -> (StateId, bool) {
        let at = match self.place(at, state, hash) {
            Ok(id) => return (id, false),
            Err(at) => at,
        };
        // The slots from here to the next gap move up by one.
        match self.slots[at..].iter().position(|&slot| slot == 0) {
            Some(0) => {}
            Some(gap) => self.slots.copy_within(at..at + gap, at + 1),
            None => {
                self.grow(self.homes + self.homes / 2);
                return self.insert(state);
            }
        }
        let id = StateId(self.len as u32);
        self.slots[at] = hash & UPPER | u64::from(id.0 + 1);
        let place = (self.len & ((1 << self.shift) - 1)) * self.words;
        self.chunks[self.len >> self.shift][place..place + self.words].copy_from_slice(state);
        self.len += 1;
        (id, true)
    }

    /// Where the state is, looked for from this slot on; `Err`: the slot where it would have to be.
    fn place(&self, at: usize, state: &[u64], hash: u64) -> Result<StateId, usize> {
        let mut at = self.skip_less(at, hash);
        while let Some(&slot) = self.slots.get(at) {
            if slot & UPPER != hash & UPPER || slot == 0 {
                break;
            }
            let id = StateId(slot as u32 - 1);
            if self.state(id) == state {
                return Ok(id);
            }
            at += 1;
        }
        Err(at)
    }

    /// The first slot from here on that is empty, or not less than the hash.
    fn skip_less(&self, mut at: usize, hash: u64) -> usize {
        while let Some(&slot) = self.slots.get(at)
            && slot != 0
            && slot & UPPER < hash & UPPER
        {
            at += 1;
        }
        at
    }

    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.homes as u64) >> 32) as usize
    }

    /// More homes, in place: all slots go to the very end, in order, and from there forward to their new homes. No slot
    /// overtakes one that has not been read, because those that come after it all find a place behind it.
    fn grow(&mut self, homes: usize) {
        let old = self.slots.len();
        let new = homes + overflow(homes);
        self.slots.reserve_exact(new - old);
        prefer_large_pages(&self.slots);
        self.slots.resize(new, 0);
        self.homes = homes;
        let mut write = new;
        for read in (0..old).rev() {
            let slot = std::mem::take(&mut self.slots[read]);
            if slot != 0 {
                write -= 1;
                self.slots[write] = slot;
            }
        }
        let mut free = 0;
        for read in write..new {
            let slot = std::mem::take(&mut self.slots[read]);
            let at = self.home(slot).max(free);
            debug_assert!(at <= read, "a slot has overtaken one that was not read");
            self.slots[at] = slot;
            free = at + 1;
        }
    }
}

const UPPER: u64 = !0 << 32;

/// Slots after the last home.
fn overflow(homes: usize) -> usize {
    64 + homes / 64
}

/// How many states this many homes may hold.
fn most(homes: usize) -> usize {
    homes / 5 * 4
}

fn afford(words: usize, spare: u64, budget: &Budget) -> Result<(), Limit> {
    let bytes = (words * size_of::<u64>()) as u64;
    if bytes < UNASKED && spare == 0 || budget.affords(bytes + spare) {
        Ok(())
    } else {
        Err(Limit::Memory)
    }
}

/// The bytes that a search keeps free for its queues and vectors beside the registry.
pub fn spare(budget: &Budget) -> u64 {
    budget.memory_left().map_or(0, |left| left / 16)
}

/// Folded multiplication, word by word: every bit of a word reaches every bit of the hash, which a plain multiplication
/// does not do for the upper bits.
pub fn hash(state: &[u64]) -> u64 {
    const SEED: u64 = 0x2d35_8dcc_aa6c_78a5;
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    state.iter().fold(SEED, |hash, &word| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        (product as u64) ^ (product >> 64) as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Random;
    use std::collections::HashMap;

    fn room(registry: &mut Registry, more: usize) {
        registry
            .make_room(more, 0, &Budget::unlimited())
            .expect("there is no limit");
    }

    #[test]
    fn it_answers_like_a_map() {
        let mut random = Random::new(1);
        for words in [1, 2, 3, 7] {
            for spread in [10, 1000, 1 << 20] {
                let mut registry = Registry::new(words);
                let mut truth: HashMap<Vec<u64>, u32> = HashMap::new();
                for round in 0..10_000 {
                    let states = 1 + usize::from(round % 4 == 0) * random.below(9);
                    let all: Vec<u64> = (0..states * words)
                        .map(|_| random.below(spread) as u64)
                        .collect();
                    let known = registry.find(&all[..words]).map(|id| id.0);
                    assert_eq!(known, truth.get(&all[..words]).copied());
                    room(&mut registry, states);
                    let mut found = Vec::new();
                    registry.insert_all(&all, &mut found);
                    for (state, (id, new)) in all.chunks(words).zip(found) {
                        let next = truth.len() as u32;
                        assert_eq!(new, !truth.contains_key(state));
                        assert_eq!(id.0, *truth.entry(state.to_vec()).or_insert(next));
                        assert_eq!(registry.state(id), state);
                    }
                }
                assert_eq!(registry.len(), truth.len());
            }
        }
    }

    /// What packed boards look like: few bits set, in few places, close together or far apart.
    #[test]
    fn alike_states_spread_well() {
        for shift in [0, 1, 3, 20, 40, 43] {
            for words in [1, 3] {
                let mut registry = Registry::new(words);
                for n in 0..1u64 << 17 {
                    let mut state = vec![0; words];
                    state[0] = n << shift;
                    state[words - 1] |= (n & 63) << 5;
                    room(&mut registry, 1);
                    registry.insert(&state);
                }
                let far = |(at, &slot): (usize, &u64)| {
                    if slot == 0 {
                        0
                    } else {
                        at - registry.home(slot)
                    }
                };
                let slots = || registry.slots.iter().enumerate();
                let sum: usize = slots().map(far).sum();
                let most = slots().map(far).max().unwrap();
                // Random hashes at this load: about 1 on average, and seldom above 40.
                assert!(sum < 3 * registry.len(), "{shift} {words}: {sum}");
                assert!(most < 100, "{shift} {words}: {most}");
            }
        }
    }

    #[test]
    fn a_state_of_three_words_takes_less_than_forty_bytes() {
        let mut registry = Registry::new(3);
        for n in 0..1_000_000 {
            room(&mut registry, 1);
            registry.insert(&[n, n * n, 1]);
        }
        assert!(registry.bytes() < 40_000_000, "{}", registry.bytes());
    }
}
