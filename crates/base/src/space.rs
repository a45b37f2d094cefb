//! A deterministic state space. Searches see a level, or a grounded planning task, as such a space.
//!
//! A search holds millions of states, so a space also defines how a state is packed into machine
//! words. Searches hash, compare and store the packed form. It may be coarser than `==`: states
//! that do not differ for a search (interchangeable pieces that swapped places) may have equal
//! packed forms, and `unpack` then returns any one of them. What must hold: states with equal
//! packed forms have the same moves, the same costs of moves, and the same cost to the goal.

use std::fmt::Debug;
use std::hash::Hash;

/// A deterministic state space.
///
/// ```
/// use std::collections::{HashSet, VecDeque};
/// use ployglot_base::Space;
///
/// /// Measure `goal` litres with two jugs.
/// struct Jugs {
///     sizes: [u32; 2],
///     goal: u32,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// enum Move {
///     Fill(usize),
///     Empty(usize),
///     /// From this jug into the other one.
///     Pour(usize),
/// }
///
/// impl Space for Jugs {
///     type State = [u32; 2];
///     type Move = Move;
///
///     fn start(&self) -> [u32; 2] {
///         [0, 0]
///     }
///     fn is_goal(&self, state: &[u32; 2]) -> bool {
///         state.contains(&self.goal)
///     }
///     fn moves(&self, _: &[u32; 2], moves: &mut Vec<Move>) {
///         moves.extend([0, 1].map(Move::Fill));
///         moves.extend([0, 1].map(Move::Empty));
///         moves.extend([0, 1].map(Move::Pour));
///     }
///     fn apply(&self, state: &[u32; 2], mv: Move) -> [u32; 2] {
///         let mut after = *state;
///         match mv {
///             Move::Fill(jug) => after[jug] = self.sizes[jug],
///             Move::Empty(jug) => after[jug] = 0,
///             Move::Pour(jug) => {
///                 let other = 1 - jug;
///                 let litres = state[jug].min(self.sizes[other] - state[other]);
///                 after[jug] -= litres;
///                 after[other] += litres;
///             }
///         }
///         after
///     }
///     fn words(&self) -> usize {
///         1
///     }
///     fn pack(&self, state: &[u32; 2], words: &mut [u64]) {
///         words[0] = u64::from(state[0]) << 32 | u64::from(state[1]);
///     }
///     fn unpack(&self, words: &[u64]) -> [u32; 2] {
///         [(words[0] >> 32) as u32, words[0] as u32]
///     }
/// }
///
/// /// The length of a shortest plan, by plain breadth-first search.
/// fn shortest<S: Space>(space: &S) -> Option<u32> {
///     let mut seen = HashSet::from([space.start()]);
///     let mut queue = VecDeque::from([(space.start(), 0)]);
///     while let Some((state, depth)) = queue.pop_front() {
///         if space.is_goal(&state) {
///             return Some(depth);
///         }
///         let mut moves = Vec::new();
///         space.moves(&state, &mut moves);
///         for mv in moves {
///             let after = space.apply(&state, mv);
///             if seen.insert(after.clone()) {
///                 queue.push_back((after, depth + 1));
///             }
///         }
///     }
///     None
/// }
///
/// assert_eq!(shortest(&Jugs { sizes: [3, 5], goal: 4 }), Some(6));
/// assert_eq!(shortest(&Jugs { sizes: [2, 6], goal: 3 }), None);
/// ```
pub trait Space: Sync {
    /// What a move can change, and nothing else.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// A small value. It must be applicable in every state with the same packed form as the state
    /// that it was listed for.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// The state in which every plan starts.
    fn start(&self) -> Self::State;

    /// Whether a plan may end in this state.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// Appends the legal moves, always in the same order.
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>);

    /// The state after a move, which must be one that `moves` lists for the state.
    fn apply(&self, state: &Self::State, mv: Self::Move) -> Self::State;

    /// The cost of a move in a state; 1 unless the space defines other costs.
    fn cost(&self, _state: &Self::State, _mv: Self::Move) -> u32 {
        1
    }

    /// The number of machine words in every packed state of this space; at least 1.
    fn words(&self) -> usize;

    /// Writes the packed state to all of `words`, which has the length `words()`.
    fn pack(&self, state: &Self::State, words: &mut [u64]);

    /// A state with this packed form.
    fn unpack(&self, words: &[u64]) -> Self::State;
}
