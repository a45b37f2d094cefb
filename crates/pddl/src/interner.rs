//! Numbers for values, in the order of their first use. Each value is stored once.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use ployglot_base::{Limit, Poll};
use rustc_hash::FxBuildHasher;

/// Values, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Interner<K> {
    keys: Vec<K>,
    ids: HashTable<u32>,
}

impl<K> Default for Interner<K> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            ids: HashTable::new(),
        }
    }
}

impl<K: Eq + Hash> Interner<K> {
    /// The number of the value, and whether it is new.
    pub fn insert(&mut self, key: K) -> (u32, bool) {
        let keys = &self.keys;
        let hash = |key: &K| FxBuildHasher.hash_one(key);
        let entry = self.ids.entry(
            hash(&key),
            |&id| keys[id as usize] == key,
            |&id| hash(&keys[id as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(known) => (*known.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = u32::try_from(keys.len()).expect("fewer than 2^32 values fit in memory");
                free.insert(id);
                self.keys.push(key);
                (id, true)
            }
        }
    }

    /// Whether the value has a number.
    pub fn contains(&self, key: &K) -> bool {
        let same = |&id: &u32| self.keys[id as usize] == *key;
        self.ids.find(FxBuildHasher.hash_one(key), same).is_some()
    }

    /// The number of the value.
    pub fn id(&mut self, key: K) -> u32 {
        self.insert(key).0
    }

    /// The values in the order of their numbers.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The values in the order of their numbers.
    pub fn into_keys(self) -> Vec<K> {
        self.keys
    }

    /// `Err` where the memory does not allow one more value.
    pub fn affords_one(&self, poll: &Poll) -> Result<(), Limit> {
        let (len, capacity) = (self.keys.len(), self.keys.capacity());
        poll.affords_entry(len, capacity, size_of::<K>() + size_of::<u32>())
    }
}
