//! The successors of a few states: listed, generated, packed and interned together, in buffers that
//! are used again. Several states at once, because then the cache misses of their successors
//! overlap; the order is the same as for one state after another.

use ployglot_base::{Budget, Guide, Limit, Space};

use crate::registry::{Registry, StateId};
use crate::throttle::Throttle;

/// The budget is checked at most once for this many successors of a state. On large boards a state
/// has thousands of them, and each takes a while.
const CHECKED: usize = 64;

pub(crate) struct Successors<S: Space> {
    moves: Vec<S::Move>,
    successors: Vec<Successor<S>>,
    /// The packed successors, in the same order.
    packed: Vec<u64>,
    interned: Vec<(StateId, bool)>,
    throttle: Throttle,
}

pub(crate) struct Successor<S: Space> {
    pub(crate) state: S::State,
    pub(crate) parent: u32,
    /// The cost of the move from the parent.
    pub(crate) cost: u32,
}

impl<S: Space> Successors<S> {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            moves: Vec::new(),
            successors: Vec::new(),
            packed: Vec::new(),
            interned: Vec::new(),
            throttle: Throttle::new(budget),
        }
    }

    /// Adds the start as if it were a successor, with this parent.
    pub(crate) fn start(&mut self, space: &S, parent: u32) {
        self.clear();
        self.successors.push(Successor {
            state: space.start(),
            parent,
            cost: 0,
        });
        pack_from(0, space, &self.successors, &mut self.packed);
    }

    /// Adds the successors of a stored state by the moves that the guide keeps. Gives their number.
    /// `Err`: a limit was reached, and some of them are missing.
    #[inline]
    pub(crate) fn expand(
        &mut self,
        space: &S,
        guide: &mut impl Guide<S>,
        registry: &Registry,
        id: StateId,
        budget: &Budget,
    ) -> Result<usize, Limit> {
        let state = space.unpack(registry.state(id));
        self.moves.clear();
        space.moves(&state, &mut self.moves);
        guide.narrow(&state, &mut self.moves);
        for moves in self.moves.chunks(CHECKED) {
            self.throttle.tick_quietly(budget)?;
            let before = self.successors.len();
            self.successors.extend(moves.iter().map(|&mv| Successor {
                cost: space.cost(&state, mv),
                state: space.apply(&state, mv),
                parent: id.0,
            }));
            pack_from(before, space, &self.successors, &mut self.packed);
        }
        Ok(self.moves.len())
    }

    pub(crate) fn clear(&mut self) {
        self.successors.clear();
        self.packed.clear();
    }

    /// The costs of the moves of the state that was expanded last.
    pub(crate) fn last_costs(&self) -> impl Iterator<Item = u32> {
        let first = self.successors.len() - self.moves.len();
        self.successors[first..]
            .iter()
            .map(|successor| successor.cost)
    }

    pub(crate) fn len(&self) -> usize {
        self.successors.len()
    }

    /// The successors and their packed states.
    pub(crate) fn packed(&self, space: &S) -> impl Iterator<Item = (&Successor<S>, &[u64])> {
        self.successors
            .iter()
            .zip(self.packed.chunks_exact(space.words()))
    }

    /// Inserts all successors into a registry, if the budget has room for them. Gives each with its
    /// id, and whether it is new in the registry.
    pub(crate) fn intern<'b>(
        &'b mut self,
        registry: &mut Registry,
        spare: u64,
        budget: &Budget,
    ) -> Result<impl Iterator<Item = (Successor<S>, StateId, bool)> + use<'b, S>, Limit> {
        registry.make_room(self.successors.len(), spare, budget)?;
        registry.insert_all(&self.packed, &mut self.interned);
        self.packed.clear();
        let successors = self.successors.drain(..).zip(self.interned.drain(..));
        Ok(successors.map(|(successor, (id, new))| (successor, id, new)))
    }
}

/// Packs the successors from this one on.
fn pack_from<S: Space>(
    first: usize,
    space: &S,
    successors: &[Successor<S>],
    packed: &mut Vec<u64>,
) {
    let words = space.words();
    packed.resize(successors.len() * words, 0);
    let packed = packed[first * words..].chunks_exact_mut(words);
    for (successor, packed) in successors[first..].iter().zip(packed) {
        space.pack(&successor.state, packed);
    }
}
