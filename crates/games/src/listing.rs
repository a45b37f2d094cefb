//! What a certificate lists: the nodes that have to be considered to prove that no plan is cheaper,
//! by the slow rules alone.
//!
//! For most games a node is a state, its successors are what [`Rules::play`] makes of it, and a plan
//! is a way from the start to a state without shortfall. Pipe Mania's nodes are paths instead. A node
//! also has a form in bytes. It may be coarser than the node: nodes with equal bytes must have the
//! same successors, the same ends and the same costs. Nothing here is used by a search, and nothing
//! here uses the fast rules.
//!
//! An [`Exclusion`] is a rule by which nodes may be left out. Its proof is in the README of the game.
//! With a lower bound `h` on the cost to an end, a node at cost `g` need not be listed if `g + h` is
//! not below the claim. With *losses*, a node need not be listed if one with fewer losses is.

use ployglot_base::Space;

use crate::rules::Rules;

/// What a certificate of this game lists.
///
/// In a game's folder: `listing.rs`.
pub trait Listing: Rules {
    /// A node: a state, for most games.
    type Node: Clone;

    /// The rules by which nodes may be left out.
    const EXCLUSIONS: &'static [Exclusion<Self>] = &[];

    /// Whether the cost of a plan by this measure is the cost of a way through the nodes.
    fn lists(measure: &str) -> bool;

    /// The nodes at which a way begins, with what they cost.
    fn roots(&self, measure: &str) -> Vec<(Self::Node, u32)>;

    /// The nodes after this one, and what each step costs; at least 1.
    fn successors(&self, measure: &str, node: &Self::Node) -> Vec<(Self::Node, u32)>;

    /// Whether a way may end here.
    fn is_end(&self, node: &Self::Node) -> bool;

    /// Appends the bytes of a node.
    fn encode(&self, node: &Self::Node, bytes: &mut Vec<u8>);

    /// A node with these bytes; `None` if there is none. The bytes may come from a stranger.
    fn decode(&self, bytes: &[u8]) -> Option<Self::Node>;

    /// The node in words or as a picture, for messages.
    fn describe(&self, node: &Self::Node) -> String;
}

/// A rule by which nodes may be left out.
pub struct Exclusion<G: Listing> {
    /// The name in certificates.
    pub name: &'static str,
    /// What it says, in one line. The proof is in the README.
    pub about: &'static str,
    /// Which nodes it leaves out.
    pub reason: Reason<G>,
}

/// Why nodes may be left out.
pub enum Reason<G: Listing> {
    /// A lower bound on the cost from a node to an end, prepared for a level and a measure.
    Bound(for<'a> fn(&'a G, measure: &str) -> NodeBound<'a, G>),
    /// The last bytes of every node, so many, are a set of *losses*: two nodes whose other bytes are
    /// equal cost the same, or the one with fewer losses less.
    Losses(fn(&G) -> usize),
}

/// The least cost from a node to an end; `None`: no end can be reached.
pub type NodeBound<'a, G> = Box<dyn Fn(&<G as Listing>::Node) -> Option<u32> + 'a>;

/// The states that the legal moves lead to, each for a cost of 1.
pub(crate) fn played<G: Rules>(level: &G, state: &G::State) -> Vec<(G::State, u32)> {
    let play = |mv| level.play(state, mv).ok().map(|after| (after, 1));
    let moves = level.writable_moves(state);
    moves.into_iter().filter_map(play).collect()
}

/// The rows of the board of a state, for messages.
pub(crate) fn rows<G: crate::text::Text>(level: &G, state: &<G as Space>::State) -> String {
    level.write(state).rows.join("\n")
}

/// Implements the parts of [`Listing`] for a game whose nodes are its states and whose moves cost 1
/// by these measures.
macro_rules! list_states {
    ($($measure:literal)|+) => {
        type Node = State;

        fn lists(measure: &str) -> bool {
            matches!(measure, $($measure)|+)
        }

        fn roots(&self, _measure: &str) -> Vec<(State, u32)> {
            vec![(self.start(), 0)]
        }

        fn successors(&self, _measure: &str, state: &State) -> Vec<(State, u32)> {
            $crate::listing::played(self, state)
        }

        fn is_end(&self, state: &State) -> bool {
            self.shortfall(state).is_none()
        }

        fn describe(&self, state: &State) -> String {
            $crate::listing::rows(self, state)
        }
    };
}

pub(crate) use list_states;
