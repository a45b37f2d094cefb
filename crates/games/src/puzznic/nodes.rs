//! The memory of A*: every state once, with how it was reached.
//!
//! States lie in chunks, so that growing moves none of them; a table of numbers finds them.

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
    /// Open addressing; `u32::MAX` is empty.
    table: Vec<u32>,
    count: usize,
}

const CHUNK: usize = 1 << 16;

impl<const W: usize> Nodes<W> {
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            table: vec![u32::MAX; 1 << 12],
            count: 0,
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
        let soon = self.count + CHUNK;
        let grows = soon * 4 > self.table.len() * 3;
        soon < u32::MAX as usize && (!grows || budget.affords(self.table.len() as u64 * 8))
    }

    /// Stores a state that is new, or reached at less cost than before; its number then.
    pub(super) fn insert(&mut self, node: Node<W>) -> Option<u32> {
        if self.count * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(&node.state) as usize & mask;
        while self.table[slot] != u32::MAX {
            let id = self.table[slot];
            let known = &mut self.chunks[id as usize / CHUNK][id as usize % CHUNK];
            if known.state == node.state {
                if known.g <= node.g {
                    return None;
                }
                *known = node;
                return Some(id);
            }
            slot = (slot + 1) & mask;
        }
        let id = self.count as u32;
        self.table[slot] = id;
        if self.count.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks.last_mut().expect("there is one").push(node);
        self.count += 1;
        Some(id)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        // The old table goes before the new one comes: memory is what is short.
        self.table = Vec::new();
        self.table = vec![u32::MAX; size];
        for (id, node) in self.chunks.iter().flatten().enumerate() {
            let mut slot = hash(&node.state) as usize & (size - 1);
            while self.table[slot] != u32::MAX {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = id as u32;
        }
    }
}

pub(super) fn hash<const W: usize>(words: &[u64; W]) -> u64 {
    let mut hash = 0u64;
    for &word in words {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash
}
