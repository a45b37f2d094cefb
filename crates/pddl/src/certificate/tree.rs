//! Sets of states, shared as much as possible: the facts are the leaves of a binary tree, and each
//! combination of values of the facts below one position of the tree is one node, wherever it
//! occurs (tree compression: Laarman, van de Pol and Weber 2011). A state that differs from a known
//! one in a few facts adds a few nodes, and a step that changes a few facts changes a few nodes.

use rustc_hash::FxHashMap;

use super::encode::fact;
use super::opb::{Constraint, Kind, Lit};
use crate::circuit::FactId;
use crate::task::State;

/// The number of facts of a leaf, at most.
const LEAF: usize = 8;

/// A node: an index into `Tree::nodes`.
pub type NodeAt = u32;

pub struct Tree {
    /// The root is the first.
    pub positions: Vec<Position>,
    pub nodes: Vec<TreeNode>,
    numbers: FxHashMap<TreeNode, NodeAt>,
}

/// A part of the state: the facts of a range.
pub struct Position {
    pub facts: std::ops::Range<usize>,
    /// `None` for a leaf.
    pub children: Option<[usize; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeNode {
    pub position: u32,
    pub content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// The values of a leaf's facts, as bits.
    Leaf(u8),
    Inner([NodeAt; 2]),
}

impl Tree {
    pub fn new(facts: usize) -> Self {
        let mut tree = Self {
            positions: Vec::new(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
        };
        tree.position(0..facts);
        tree
    }

    fn position(&mut self, facts: std::ops::Range<usize>) -> usize {
        let at = self.positions.len();
        let leaves = facts.len().div_ceil(LEAF);
        let middle = facts.start + leaves.div_ceil(2) * LEAF;
        self.positions.push(Position {
            facts: facts.clone(),
            children: None,
        });
        if leaves > 1 {
            let left = self.position(facts.start..middle);
            let right = self.position(middle..facts.end);
            self.positions[at].children = Some([left, right]);
        }
        at
    }

    /// The node of the whole state.
    pub fn insert(&mut self, state: &State) -> NodeAt {
        self.insert_at(state, 0)
    }

    fn insert_at(&mut self, state: &State, at: usize) -> NodeAt {
        let content = match self.positions[at].children {
            Some(children) => Content::Inner(children.map(|child| self.insert_at(state, child))),
            None => {
                let facts = self.positions[at].facts.clone().enumerate();
                let bits =
                    facts.map(|(bit, fact)| u8::from(state.holds(FactId(fact as u32))) << bit);
                Content::Leaf(bits.fold(0, |all, bit| all | bit))
            }
        };
        let node = TreeNode {
            position: at as u32,
            content,
        };
        let next = self.nodes.len() as NodeAt;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    /// The definition of a node: its facts have their values.
    pub fn definition(&self, node: NodeAt) -> Constraint {
        let node = &self.nodes[node as usize];
        let lits: Vec<Lit> = match node.content {
            Content::Inner(children) => children.map(lit).to_vec(),
            Content::Leaf(bits) => {
                let facts = self.positions[node.position as usize].facts.clone();
                let values = facts.enumerate().map(|(bit, at)| {
                    let holds = bits >> bit & 1 == 1;
                    fact(FactId(at as u32)).var.is(holds)
                });
                values.collect()
            }
        };
        Constraint {
            degree: lits.len() as u64,
            terms: lits.into_iter().map(|lit| (1, lit)).collect(),
        }
    }
}

/// The variable of a node.
pub fn lit(node: NodeAt) -> Lit {
    Lit::of(Kind::Tree, node)
}
