//! From packed states back to moves. A search remembers for each state the one that it came from, not the move: the move
//! is found again. Packed states may be coarser than states, so the plan is replayed from the real start, and each move is
//! chosen for leading to a state that packs like the next one.

use ployglot_base::{Blind, Guide, Limit, Outcome, Space};

use crate::registry::StateId;

/// A plan and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    pub plan: Vec<M>,
    pub cost: u32,
}

/// The plan that leads from the start along packed states, each the successor of the one before; the start itself is not
/// among them. Of several moves between the same two states it takes the cheapest, and of those the first.
pub fn along<'a, S: Space>(
    space: &S,
    states: impl IntoIterator<Item = &'a [u64]>,
) -> Found<S::Move> {
    along_kept(space, &mut Blind, states)
}

/// The same by moves that the guide keeps, wherever one of them leads to the next state.
pub fn along_kept<'a, S: Space>(
    space: &S,
    guide: &mut impl Guide<S>,
    states: impl IntoIterator<Item = &'a [u64]>,
) -> Found<S::Move> {
    let mut walk = Walk::new(space);
    states.into_iter().for_each(|next| walk.step(next, guide));
    walk.found
}

/// The states on the way to this one, by way of those that `parent` names; the one without a parent is the start, and
/// left out.
pub fn way(end: StateId, parent: impl Fn(StateId) -> Option<StateId>) -> Vec<StateId> {
    let mut ids: Vec<_> = std::iter::successors(Some(end), |&id| parent(id)).collect();
    ids.pop();
    ids.reverse();
    ids
}

struct Walk<'s, S: Space> {
    space: &'s S,
    state: S::State,
    moves: Vec<S::Move>,
    packed: Vec<u64>,
    found: Found<S::Move>,
}

impl<'s, S: Space> Walk<'s, S> {
    fn new(space: &'s S) -> Self {
        Self {
            space,
            state: space.start(),
            moves: Vec::new(),
            packed: vec![0; space.words()],
            found: Found {
                plan: Vec::new(),
                cost: 0,
            },
        }
    }

    /// Moves that the guide keeps come before all others.
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

/// What may be said of the best plan so far, if any, given what is proven of all plans and why the search ended.
pub fn outcome<M>(found: Option<Found<M>>, at_least: u32, why: Limit) -> Outcome<M> {
    match found {
        Some(Found { plan, cost }) if cost <= at_least => Outcome::Optimal { plan, cost },
        Some(Found { plan, cost }) => Outcome::Feasible {
            plan,
            cost,
            at_least,
            why,
        },
        None => Outcome::GaveUp { at_least, why },
    }
}
