//! Plans from packed states. A search stores for each state the state that it came from, but not
//! the move, which is found again here. Packed states may be coarser than states. So the plan is
//! replayed from the real start, and each move is chosen such that the state after it has the
//! packed form of the next state.

use ployglot_base::{Blind, Guide, Limit, Outcome, Space};

use crate::registry::StateId;

/// A plan with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPlan<M> {
    /// The moves from the start to a goal.
    pub plan: Vec<M>,
    /// The sum of the costs of the moves.
    pub cost: u32,
}

/// The plan from the start along a path of packed states, each a successor of the one before; the
/// start itself is not one of them. Among several moves between the same two states it takes the
/// cheapest, and among those the first.
pub fn along<'a, S: Space>(
    space: &S,
    states: impl IntoIterator<Item = &'a [u64]>,
) -> FoundPlan<S::Move> {
    along_kept(space, &mut Blind, states)
}

/// Like `along`, but with moves that the guide keeps wherever one of them leads to the next state.
pub fn along_kept<'a, S: Space>(
    space: &S,
    guide: &mut impl Guide<S>,
    states: impl IntoIterator<Item = &'a [u64]>,
) -> FoundPlan<S::Move> {
    let mut replay = Replay::new(space);
    states.into_iter().for_each(|next| replay.step(next, guide));
    replay.found
}

/// The states on the path to `end`, found by following the parents. The state without a parent is
/// the start, which is left out.
pub fn path(end: StateId, parent: impl Fn(StateId) -> Option<StateId>) -> Vec<StateId> {
    let mut ids: Vec<_> = std::iter::successors(Some(end), |&id| parent(id)).collect();
    ids.pop();
    ids.reverse();
    ids
}

struct Replay<'s, S: Space> {
    space: &'s S,
    state: S::State,
    moves: Vec<S::Move>,
    packed: Vec<u64>,
    found: FoundPlan<S::Move>,
}

impl<'s, S: Space> Replay<'s, S> {
    fn new(space: &'s S) -> Self {
        Self {
            space,
            state: space.start(),
            moves: Vec::new(),
            packed: vec![0; space.words()],
            found: FoundPlan {
                plan: Vec::new(),
                cost: 0,
            },
        }
    }

    /// Appends the move to the next state. Moves that the guide keeps are tried before all others.
    fn step(&mut self, next: &[u64], guide: &mut impl Guide<S>) {
        self.moves.clear();
        self.space.moves(&self.state, &mut self.moves);
        let all = self.moves.len();
        guide.narrow(&self.state, &mut self.moves);
        if self.moves.len() < all {
            self.space.moves(&self.state, &mut self.moves);
        }
        let mut best: Option<(u32, S::Move, S::State)> = None;
        for &mv in &self.moves {
            let cost = self.space.cost(&self.state, mv);
            if best.as_ref().is_some_and(|(least, ..)| *least <= cost) {
                continue;
            }
            let after = self.space.apply(&self.state, mv);
            self.space.pack(&after, &mut self.packed);
            if self.packed == next {
                best = Some((cost, mv, after));
            }
        }
        let (cost, mv, after) = best.expect("a stored state is a successor of its parent");
        self.found.plan.push(mv);
        self.found.cost += cost;
        self.state = after;
    }
}

/// The outcome of a search that ended early, given its best plan, its proven lower bound and the
/// reason why it ended.
pub fn outcome<M>(found: Option<FoundPlan<M>>, at_least: u32, why: Limit) -> Outcome<M> {
    Outcome::at_limit(found.map(FoundPlan::into_parts), at_least, why)
}

/// The outcome of a search that was complete: its best plan is optimal, and without one there is
/// none. `at_least` is a lower bound that it proved on the way.
pub fn proven<M>(best: Option<FoundPlan<M>>, at_least: u32) -> Outcome<M> {
    Outcome::proven(best.map(FoundPlan::into_parts), at_least)
}

impl<M> FoundPlan<M> {
    fn into_parts(self) -> (Vec<M>, u32) {
        (self.plan, self.cost)
    }
}
