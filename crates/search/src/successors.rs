//! The successors of a few states: listed, generated, packed and interned together, in buffers that
//! are used again. Several states at once, because then the cache misses of their successors
//! overlap; the order is the same as for one state after another.

use ployglot_base::{Budget, Guide, Limit, Space};

use crate::registry::{Registry, StateId};

pub(crate) struct Successors<S: Space> {
    moves: Vec<S::Move>,
    successors: Vec<Successor<S>>,
    /// The packed successors, in the same order.
    packed: Vec<u64>,
    interned: Vec<(StateId, bool)>,
}

pub(crate) struct Successor<S: Space> {
    pub(crate) state: S::State,
    pub(crate) parent: u32,
    /// The cost of the move from the parent.
    pub(crate) cost: u32,
}

impl<S: Space> Successors<S> {
    pub(crate) fn new() -> Self {
        Self {
            moves: Vec::new(),
            successors: Vec::new(),
            packed: Vec::new(),
            interned: Vec::new(),
        }
    }

    /// Adds the start as if it were a successor, with this parent.
    pub(crate) fn start(&mut self, space: &S, parent: u32) {
        self.successors.clear();
        self.successors.push(Successor {
            state: space.start(),
            parent,
            cost: 0,
        });
        self.pack_from(0, space);
    }

    /// Adds the successors of a stored state by the moves that the guide keeps. Gives their number.
    #[inline]
    pub(crate) fn expand(
        &mut self,
        space: &S,
        guide: &mut impl Guide<S>,
        registry: &Registry,
        id: StateId,
    ) -> usize {
        let state = space.unpack(registry.state(id));
        self.moves.clear();
        space.moves(&state, &mut self.moves);
        guide.narrow(&state, &mut self.moves);
        let before = self.successors.len();
        self.successors
            .extend(self.moves.iter().map(|&mv| Successor {
                cost: space.cost(&state, mv),
                state: space.apply(&state, mv),
                parent: id.0,
            }));
        self.pack_from(before, space);
        self.moves.len()
    }

    fn pack_from(&mut self, first: usize, space: &S) {
        let words = space.words();
        self.packed.resize(self.successors.len() * words, 0);
        let packed = self.packed[first * words..].chunks_exact_mut(words);
        for (successor, packed) in self.successors[first..].iter().zip(packed) {
            space.pack(&successor.state, packed);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.successors.clear();
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
        let successors = self.successors.drain(..).zip(self.interned.drain(..));
        Ok(successors.map(|(successor, (id, new))| (successor, id, new)))
    }
}
