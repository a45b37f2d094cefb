//! The nodes of a list while it is made: their bytes one after the other, and a table of indices.
//!
//! A map from boxed bytes was used before. It took more memory, and freeing millions of boxes took
//! seconds after the time limit.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::{is_subset, split};

/// The index of a node.
pub(super) type NodeId = u32;

/// The cost of a node that another one has made superfluous.
const REMOVED: u32 = u32::MAX;
/// The end of a chain.
const NONE: NodeId = NodeId::MAX;

/// Nodes with their least costs.
///
/// The last `losses` bytes of a node are a set of bits, and the others are its key: see
/// [`Reason::Losses`](ployglot_games::Reason::Losses). Nodes with equal keys form a chain.
pub(super) struct Arena {
    nodes: Nodes,
    costs: Vec<u32>,
    /// The first node of each chain, by its key.
    heads: HashTable<NodeId>,
    /// The next node of the chain; empty without losses, where every chain has one node.
    next: Vec<NodeId>,
    losses: usize,
    removed: usize,
}

impl Arena {
    pub(super) fn new(losses: usize) -> Self {
        Self {
            nodes: Nodes::default(),
            costs: Vec::new(),
            heads: HashTable::new(),
            next: Vec::new(),
            losses,
            removed: 0,
        }
    }

    /// The number of nodes that are listed.
    pub(super) fn len(&self) -> usize {
        self.costs.len() - self.removed
    }

    /// All nodes that are listed, in the order in which they were found.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.costs.len() as NodeId).filter(|&id| self.cost(id) != REMOVED)
    }

    pub(super) fn cost(&self, id: NodeId) -> u32 {
        self.costs[id as usize]
    }

    pub(super) fn node(&self, id: NodeId) -> &[u8] {
        self.nodes.get(id)
    }

    /// The nodes with this key, removed ones included.
    fn chain(&self, key: &[u8]) -> impl Iterator<Item = NodeId> {
        let same = |&id: &NodeId| split(self.node(id), self.losses).0 == key;
        let head = self.heads.find(hash(key), same).copied();
        std::iter::successors(head, |&id| {
            let next = self.next.get(id as usize).copied();
            next.filter(|&next| next != NONE)
        })
    }

    /// Whether a listed node costs at most this, and has the same key and at most these losses.
    pub(super) fn covers(&self, node: &[u8], cost: u32) -> bool {
        let (key, lost) = split(node, self.losses);
        self.chain(key)
            .any(|id| self.cost(id) <= cost && is_subset(split(self.node(id), self.losses).1, lost))
    }

    /// Lists a node that is not covered, and removes those that it covers.
    pub(super) fn insert(&mut self, node: &[u8], cost: u32) -> NodeId {
        let (key, lost) = split(node, self.losses);
        let head = self.chain(key).next();
        if let (Some(id), 0) = (head, self.losses) {
            self.costs[id as usize] = cost;
            return id;
        }
        let covered = |&id: &NodeId| {
            let known = self.cost(id);
            let more = split(self.node(id), self.losses).1;
            known != REMOVED && known >= cost && is_subset(lost, more)
        };
        let covered: Vec<NodeId> = self.chain(key).filter(covered).collect();
        self.removed += covered.len();
        for id in covered {
            self.costs[id as usize] = REMOVED;
        }
        let id = self.nodes.push(node);
        self.costs.push(cost);
        match head {
            // The new node becomes the second of its chain.
            Some(head) => {
                let second = std::mem::replace(&mut self.next[head as usize], id);
                self.next.push(second);
            }
            None => {
                let hash_of = |&id: &NodeId| hash(split(self.nodes.get(id), self.losses).0);
                self.heads.insert_unique(hash(key), id, hash_of);
                if self.losses > 0 {
                    self.next.push(NONE);
                }
            }
        }
        id
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

/// Strings of bytes, one after the other.
#[derive(Default)]
struct Nodes {
    bytes: Vec<u8>,
    count: NodeId,
    /// The length of each node while all are equally long.
    width: usize,
    /// Where each node ends; empty while all are equally long.
    ends: Vec<u64>,
}

impl Nodes {
    fn get(&self, id: NodeId) -> &[u8] {
        let id = id as usize;
        if self.ends.is_empty() {
            return &self.bytes[id * self.width..(id + 1) * self.width];
        }
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[id] as usize]
    }

    fn push(&mut self, node: &[u8]) -> NodeId {
        let id = self.count;
        self.count = id.checked_add(1).expect("the memory ends first");
        if id == 0 {
            self.width = node.len();
        }
        if self.ends.is_empty() && node.len() != self.width {
            let ends = (1..=u64::from(id)).map(|nodes| nodes * self.width as u64);
            self.ends.extend(ends);
        }
        self.bytes.extend(node);
        if !self.ends.is_empty() || node.len() != self.width {
            self.ends.push(self.bytes.len() as u64);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_any_length_are_found_again() {
        let mut arena = Arena::new(0);
        let nodes: [&[u8]; 5] = [b"ab", b"cd", b"", b"abc", b"d"];
        for (node, cost) in nodes.iter().zip(3..) {
            assert!(!arena.covers(node, 100));
            arena.insert(node, cost);
        }
        let found: Vec<&[u8]> = arena.ids().map(|id| arena.node(id)).collect();
        assert_eq!(found, nodes);
        assert!(arena.covers(b"cd", 4) && !arena.covers(b"cd", 3));
        arena.insert(b"cd", 3);
        assert!(arena.covers(b"cd", 3));
        assert_eq!(arena.len(), 5);
    }

    /// The last byte is a set of losses.
    #[test]
    fn fewer_losses_cover_more() {
        let mut arena = Arena::new(1);
        arena.insert(&[7, 0b011], 2);
        for (node, cost, covered) in [
            ([7, 0b011], 2, true),
            ([7, 0b111], 5, true),
            ([7, 0b011], 1, false),
            ([7, 0b110], 9, false),
            ([8, 0b011], 9, false),
        ] {
            assert_eq!(arena.covers(&node, cost), covered, "{node:?} at {cost}");
        }
        arena.insert(&[7, 0b110], 3);
        // It covers the second, which is removed, and not the first, which is cheaper.
        arena.insert(&[7, 0b010], 3);
        assert_eq!(arena.ids().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(arena.len(), 2);
    }
}
