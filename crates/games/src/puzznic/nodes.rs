//! The nodes of A*: every stored state once, with its parent and cost.
//!
//! Nodes are in chunks, so that growing moves none of them; a hash table finds them. Most of the
//! time here is spent waiting for memory. So the table has half of a state's hash beside its
//! number, and a new state is seldom compared with another one. And states are inserted in batches:
//! when a state is added to the batch, its slot in the table is prefetched.

use ployglot_base::prefer_large_pages;

use super::bitboard::Packed;
use crate::*;

#[derive(Clone, Copy)]
pub(super) struct Node<const W: usize> {
    pub(super) state: Packed<W>,
    pub(super) parent: u32,
    pub(super) g: u16,
}

/// All stored states, and a table that finds them.
pub(super) struct Nodes<const W: usize> {
    chunks: Vec<Vec<Node<W>>>,
    /// Hash table with open addressing. The upper half of an entry is that of the hash, the lower
    /// half is the node's number; `EMPTY` marks an empty slot.
    table: Vec<u64>,
    count: usize,
    /// Nodes to be inserted, with their hashes.
    batch: Vec<(u64, Node<W>)>,
}

/// Nodes in a chunk: several large pages.
const CHUNK: usize = 1 << 18;
/// The table always has room for this many more nodes, or may grow (see `has_room`).
const RESERVE: usize = 1 << 16;
const EMPTY: u64 = u64::MAX;

impl<const W: usize> Nodes<W> {
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            table: vec![EMPTY; 1 << 12],
            count: 0,
            batch: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, id: u32) -> &Node<W> {
        &self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }

    /// Whether there is room for `RESERVE` more nodes, or the budget allows the table to grow. That
    /// is enough for the 256 expansions between two calls: each adds at most a few hundred nodes.
    pub(super) fn has_room(&self, budget: &Budget) -> bool {
        let needed = self.count + RESERVE;
        let grows = needed * 4 > self.table.len() * 3;
        needed < u32::MAX as usize && (!grows || budget.affords(self.table.len() as u64 * 16))
    }

    /// Adds a node to the next batch.
    pub(super) fn add_to_batch(&mut self, node: Node<W>) {
        let hash = hash(&node.state);
        prefetch(&self.table[self.slot(hash)]);
        self.batch.push((hash, node));
    }

    /// Stores the nodes of the batch whose states are new or reached at lower cost than before, and
    /// calls `stored` with their numbers.
    pub(super) fn insert_batch(&mut self, mut stored: impl FnMut(u32)) {
        let mut batch = std::mem::take(&mut self.batch);
        if (self.count + batch.len()) * 4 >= self.table.len() * 3 {
            self.grow();
        }
        for (hash, _) in &batch {
            if let Some(id) = self.probe(self.slot(*hash), *hash).1 {
                prefetch(self.get(id));
            }
        }
        for (hash, node) in batch.drain(..) {
            if let Some(id) = self.insert(hash, node) {
                stored(id);
            }
        }
        self.batch = batch;
    }

    fn insert(&mut self, hash: u64, node: Node<W>) -> Option<u32> {
        let mut slot = self.slot(hash);
        loop {
            let (at, id) = self.probe(slot, hash);
            let Some(id) = id else {
                self.table[at] = hash & UPPER_HALF | self.count as u64;
                break;
            };
            let known = &mut self.chunks[id as usize / CHUNK][id as usize % CHUNK];
            if known.state == node.state {
                if known.g <= node.g {
                    return None;
                }
                *known = node;
                return Some(id);
            }
            slot = (at + 1) & (self.table.len() - 1);
        }
        let id = self.count as u32;
        if self.count.is_multiple_of(CHUNK) {
            let chunk = Vec::with_capacity(CHUNK);
            prefer_large_pages(&chunk);
            self.chunks.push(chunk);
        }
        self.chunks
            .last_mut()
            .expect("a chunk was just pushed or is not full")
            .push(node);
        self.count += 1;
        Some(id)
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    /// The first slot from this one on that is empty or has the upper half of this hash; in the
    /// latter case also the number of its node.
    fn probe(&self, mut slot: usize, hash: u64) -> (usize, Option<u32>) {
        loop {
            let entry = self.table[slot];
            if entry == EMPTY {
                return (slot, None);
            }
            if entry & UPPER_HALF == hash & UPPER_HALF {
                return (slot, Some(entry as u32));
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        // The old table is freed before the new one is allocated, to save memory.
        self.table = Vec::new();
        self.table.reserve_exact(size);
        prefer_large_pages(&self.table);
        self.table.resize(size, EMPTY);
        for (id, node) in self.chunks.iter().flatten().enumerate() {
            let hash = hash(&node.state);
            let mut slot = hash as usize & (size - 1);
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = hash & UPPER_HALF | id as u64;
        }
    }
}

const UPPER_HALF: u64 = !(u32::MAX as u64);

/// A hash that is well mixed in all its bits.
pub(super) fn hash<const W: usize>(words: &[u64; W]) -> u64 {
    let mut hash = 0u64;
    for &word in words {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash
}

/// Prefetches a value that will be read soon.
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(
            unsafe_code,
            reason = "a search mostly waits for its table; prefetching reads nothing"
        )]
        // SAFETY: prefetching affects only the caches.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
