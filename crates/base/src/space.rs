//! A deterministic state space: what a level, or a grounded planning task, is to a searcher.
//!
//! A search holds millions of states, so a space also says how a state packs into machine words.
//! The packed form is what is hashed, compared and kept. It may be coarser than `==`: states that are
//! the same to a searcher (interchangeable pieces that swapped places) may pack alike, and `unpack`
//! then gives back any one of them. What must hold: equal packed words mean the same moves, the same
//! costs, and the same cost to the goal.

use std::fmt::Debug;
use std::hash::Hash;

pub trait Space: Sync {
    /// Only what a move can change.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// Small; must make sense in every state that packs like the one it was listed for.
    type Move: Copy + Eq + Debug + Send + Sync;

    fn start(&self) -> Self::State;

    fn is_goal(&self, state: &Self::State) -> bool;

    /// Appends the legal moves, always in the same order.
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>);

    /// The state after a move that `moves` listed.
    fn apply(&self, state: &Self::State, mv: Self::Move) -> Self::State;

    fn cost(&self, _state: &Self::State, _mv: Self::Move) -> u32 {
        1
    }

    /// How many machine words every packed state of this space takes; at least 1.
    fn words(&self) -> usize;

    /// Fills `words()` words. Every word is written.
    fn pack(&self, state: &Self::State, words: &mut [u64]);

    fn unpack(&self, words: &[u64]) -> Self::State;
}
