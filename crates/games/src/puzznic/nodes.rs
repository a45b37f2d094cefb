//! The memory of A*: every state once, with how it was reached.
//!
//! States lie in chunks, so that growing moves none of them; a table finds them. What costs time here is waiting for
//! memory, so the table has half of a state's hash beside its number, and a state that is new is seldom compared with
//! any other; and a state is *expected*, as soon as it is known, before it is inserted with the others of its batch.

use ployglot_base::prefer_large_pages;

use super::bitboard::Packed;
use crate::*;

#[derive(Clone, Copy)]
pub(super) struct Node<const W: usize> {
    pub(super) state: Packed<W>,
    pub(super) parent: u32,
    pub(super) g: u16,
}

/// All states that were stored, and where to find them.
pub(super) struct Nodes<const W: usize> {
    chunks: Vec<Vec<Node<W>>>,
    /// Open addressing. The upper half is that of the hash, the lower one the number; `EMPTY` marks an empty slot.
    table: Vec<u64>,
    count: usize,
    /// With their hashes.
    expected: Vec<(u64, Node<W>)>,
}

/// States in a chunk: several large pages.
const CHUNK: usize = 1 << 18;
/// Room is made for so many at a time.
const SOON: usize = 1 << 16;
const EMPTY: u64 = u64::MAX;

impl<const W: usize> Nodes<W> {
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            table: vec![EMPTY; 1 << 12],
            count: 0,
            expected: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, id: u32) -> &Node<W> {
        &self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }

    /// Whether the table, if it must grow soon, may. One turn adds at most a few hundred states.
    pub(super) fn has_room(&self, budget: &Budget) -> bool {
        let soon = self.count + SOON;
        let grows = soon * 4 > self.table.len() * 3;
        soon < u32::MAX as usize && (!grows || budget.affords(self.table.len() as u64 * 16))
    }

    /// A state that will be inserted with the next batch.
    pub(super) fn expect(&mut self, node: Node<W>) {
        let hash = hash(&node.state);
        fetch(&self.table[self.slot(hash)]);
        self.expected.push((hash, node));
    }

    /// Stores those expected that are new, or reached at less cost than before, and tells their numbers.
    pub(super) fn insert_expected(&mut self, mut stored: impl FnMut(u32)) {
        let mut expected = std::mem::take(&mut self.expected);
        if (self.count + expected.len()) * 4 >= self.table.len() * 3 {
            self.grow();
        }
        for (hash, _) in &expected {
            if let Some(id) = self.alike(self.slot(*hash), *hash).1 {
                fetch(self.get(id));
            }
        }
        for (hash, node) in expected.drain(..) {
            if let Some(id) = self.insert(hash, node) {
                stored(id);
            }
        }
        self.expected = expected;
    }

    fn insert(&mut self, hash: u64, node: Node<W>) -> Option<u32> {
        let mut slot = self.slot(hash);
        loop {
            let (at, id) = self.alike(slot, hash);
            let Some(id) = id else {
                self.table[at] = hash & UPPER | self.count as u64;
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
        self.chunks.last_mut().expect("there is one").push(node);
        self.count += 1;
        Some(id)
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    /// From this slot on, the first one that is empty or has a state with half of this hash; and that state's number.
    fn alike(&self, mut slot: usize, hash: u64) -> (usize, Option<u32>) {
        loop {
            let entry = self.table[slot];
            if entry == EMPTY {
                return (slot, None);
            }
            if entry & UPPER == hash & UPPER {
                return (slot, Some(entry as u32));
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        // The old table goes before the new one comes: memory is what is short.
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
            self.table[slot] = hash & UPPER | id as u64;
        }
    }
}

const UPPER: u64 = !(u32::MAX as u64);

/// Well mixed in all its bits.
pub(super) fn hash<const W: usize>(words: &[u64; W]) -> u64 {
    let mut hash = 0u64;
    for &word in words {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash
}

/// Asks memory for something that will be looked at soon.
#[inline]
pub(super) fn fetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(
            unsafe_code,
            reason = "a search waits for its table most; this reads nothing"
        )]
        // SAFETY: prefetching has no effect but on the caches.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
