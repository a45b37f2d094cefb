//! The registry interns states: each packed state is stored once and identified by a number.
//!
//! The packed words are in an arena of chunks, so growth never copies a state. States are found by
//! a table of 64-bit slots: one half of a slot is the upper half of the state's hash, the other
//! half is its id. The slots are *sorted by hash*, with gaps: the home of a state is the position
//! in the table that its hash has as a fraction, and the state is there or soon after it (ordered
//! linear probing: Amble and Knuth 1974). This has three advantages over a general hash map of ids.
//! A new state costs one cache miss and not two or three, because the arena is read only where the
//! upper halves of two hashes agree. Growth never hashes a state again, and passes through the
//! table from end to end. And growth happens in place, so the old and the new table are never in
//! memory at the same time.
//!
//! Measured with ten million insertions of random states of three words, half of them known,
//! sixteen at a time: 1.5 s, where a table of ids (hashbrown's) over the same arena took 2.3 to 2.9
//! s; and 39 bytes a state, where that took 32.
//!
//! A registry knows its size in bytes, and asks the budget before it grows. A state of three words
//! takes 24 bytes in the arena and 10 to 15 in the table.

use std::hint::black_box;

use ployglot_base::{Budget, Limit, prefer_large_pages};

/// The id of a state in its registry: 0, 1, 2, … in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The id as an index into data of the states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of packed states, each with an id.
pub struct Registry {
    /// Words of a packed state.
    words: usize,
    chunks: Vec<Box<[u64]>>,
    /// A chunk holds `1 << shift` states.
    shift: u32,
    len: usize,
    /// The upper half of the hash, then the id plus 1; 0 where empty.
    slots: Vec<u64>,
    /// How many of the slots are homes; a few slots after these take the overflow.
    homes: usize,
}

/// Words in a chunk: 2 MiB, which is small compared to any memory limit, and large enough that
/// asking the budget costs little.
const CHUNK: usize = 1 << 18;
/// How many states are looked up at once, so that their cache misses overlap: about as many as a
/// core can have outstanding.
const TOGETHER: usize = 16;
/// The homes of an empty table.
const FIRST_HOMES: usize = 1 << 12;
/// Growth by fewer bytes than this is not worth asking the budget.
const UNCHECKED: u64 = 1 << 20;

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

    /// The number of states.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all states, but keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.slots.fill(0);
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        let arena = self.chunks.len() * (self.words << self.shift);
        ((arena + self.slots.len()) * size_of::<u64>()) as u64
    }

    /// The packed words of a state.
    pub fn state(&self, id: StateId) -> &[u64] {
        let at = (id.index() & ((1 << self.shift) - 1)) * self.words;
        &self.chunks[id.index() >> self.shift][at..at + self.words]
    }

    /// The id of a state, if it is stored.
    pub fn find(&self, state: &[u64]) -> Option<StateId> {
        let hash = hash(state);
        self.search(self.home(hash), state, hash).ok()
    }

    /// Makes room for `more` states, such that `spare` bytes of the budget remain. `Err` if there
    /// is not enough memory for that.
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
        while wanted > capacity(self.homes) {
            // By half; if that is too much, by an eighth.
            let grown = [self.homes / 2, self.homes / 8]
                .into_iter()
                .find(|&more| afford(more, spare, budget).is_ok())
                .ok_or(Limit::Memory)?;
            self.grow(self.homes + grown);
        }
        Ok(())
    }

    /// Inserts a state; gives its id, and whether it is new. Room must have been made.
    pub fn insert(&mut self, state: &[u64]) -> (StateId, bool) {
        let hash = hash(state);
        self.insert_from(self.home(hash), state, hash)
    }

    /// Inserts consecutive packed states, and appends the result of `insert` for each. For a few
    /// states at a time, first the slots of all are read, then the states that they refer to, so
    /// that the cache misses overlap. (Prefetch instructions, issued long before, were no faster.)
    pub fn insert_all(&mut self, states: &[u64], inserted: &mut Vec<(StateId, bool)>) {
        // The hash of each state, and the slot from which to search for it.
        let mut lookups = [(0, 0); TOGETHER];
        for states in states.chunks(TOGETHER * self.words) {
            let states = states.chunks_exact(self.words);
            let lookups = &mut lookups[..states.len()];
            // The value of `seen` has no use: it keeps the compiler from removing the early reads.
            let mut seen = 0;
            for ((hashed, at), state) in lookups.iter_mut().zip(states.clone()) {
                *hashed = hash(state);
                *at = self.home(*hashed);
                seen ^= self.slots[*at];
            }
            for (hash, at) in lookups.iter_mut() {
                *at = self.skip_less(*at, *hash);
                let slot = self.slots.get(*at).copied().unwrap_or(0);
                if slot & UPPER == *hash & UPPER && slot != 0 {
                    seen ^= self.state(StateId(slot as u32 - 1))[0];
                }
            }
            black_box(seen);
            // Insertions move slots up, never down, so slots that were skipped may still be
            // skipped, unless the table grew.
            let homes = self.homes;
            for (state, &mut (hash, at)) in states.zip(lookups) {
                let at = if self.homes == homes {
                    at
                } else {
                    self.home(hash)
                };
                inserted.push(self.insert_from(at, state, hash));
            }
        }
    }

    /// Inserts a state; searches for it from this slot on.
    fn insert_from(&mut self, at: usize, state: &[u64], hash: u64) -> (StateId, bool) {
        let at = match self.search(at, state, hash) {
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
        let start = (self.len & ((1 << self.shift) - 1)) * self.words;
        self.chunks[self.len >> self.shift][start..start + self.words].copy_from_slice(state);
        self.len += 1;
        (id, true)
    }

    /// Searches for a state from this slot on; `Err`: the slot where it would have to be inserted.
    fn search(&self, at: usize, state: &[u64], hash: u64) -> Result<StateId, usize> {
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

    /// The first slot from this one on that is empty, or not less than the hash.
    fn skip_less(&self, mut at: usize, hash: u64) -> usize {
        while let Some(&slot) = self.slots.get(at)
            && slot != 0
            && slot & UPPER < hash & UPPER
        {
            at += 1;
        }
        at
    }

    /// The slot where a state with this hash would be in an empty table.
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.homes as u64) >> 32) as usize
    }

    /// Grows the table in place to this many homes: all slots are moved to the very end, in order,
    /// and from there to their new homes. No slot is written over one that has not been read,
    /// because all slots after it have room behind it.
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
            debug_assert!(at <= read, "a slot would overwrite one that was not read");
            self.slots[at] = slot;
            free = at + 1;
        }
    }
}

/// The half of a slot that holds the upper half of a hash.
const UPPER: u64 = !0 << 32;

/// The number of slots after the last home.
fn overflow(homes: usize) -> usize {
    64 + homes / 64
}

/// How many states this many homes may hold.
fn capacity(homes: usize) -> usize {
    homes / 5 * 4
}

/// Whether this many words may be allocated such that `spare` bytes remain.
fn afford(words: usize, spare: u64, budget: &Budget) -> Result<(), Limit> {
    let bytes = (words * size_of::<u64>()) as u64;
    if bytes < UNCHECKED && spare == 0 || budget.affords(bytes + spare) {
        Ok(())
    } else {
        Err(Limit::Memory)
    }
}

/// The bytes that a search keeps free for its queues and vectors beside the registry.
pub fn spare(budget: &Budget) -> u64 {
    budget.memory_left().map_or(0, |left| left / 16)
}

/// The hash of a packed state, by folded multiplication, word by word: every bit of a word affects
/// every bit of the hash. In a plain multiplication the upper bits do not affect the lower ones.
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
    fn it_behaves_like_a_map() {
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

    /// Packed boards have few bits set, in few positions, close together or far apart.
    #[test]
    fn similar_states_are_distributed_well() {
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
                let distance = |(at, &slot): (usize, &u64)| {
                    if slot == 0 {
                        0
                    } else {
                        at - registry.home(slot)
                    }
                };
                let slots = || registry.slots.iter().enumerate();
                let sum: usize = slots().map(distance).sum();
                let largest = slots().map(distance).max().unwrap();
                // The distance for random hashes at this load: about 1 on average, and seldom above
                // 40.
                assert!(sum < 3 * registry.len(), "{shift} {words}: {sum}");
                assert!(largest < 100, "{shift} {words}: {largest}");
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
