//! The children of a few states: listed, made, packed and interned together, in buffers that are used again. Several
//! states at once, because then their children's cache misses overlap; the order is as if it were one after another.

use ployglot_base::{Budget, Guide, Limit, Space};

use crate::registry::{Registry, StateId};

pub(crate) struct Brood<S: Space> {
    moves: Vec<S::Move>,
    children: Vec<Child<S>>,
    packed: Vec<u64>,
    found: Vec<(StateId, bool)>,
}

pub(crate) struct Child<S: Space> {
    pub(crate) state: S::State,
    pub(crate) parent: u32,
    /// Of the move that led here.
    pub(crate) cost: u32,
}

impl<S: Space> Brood<S> {
    pub(crate) fn new() -> Self {
        Self {
            moves: Vec::new(),
            children: Vec::new(),
            packed: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Adds the start, as if it were a child.
    pub(crate) fn start(&mut self, space: &S, parent: u32) {
        self.children.clear();
        self.children.push(Child {
            state: space.start(),
            parent,
            cost: 0,
        });
        self.pack_from(0, space);
    }

    /// Adds the children of this state by the moves that the guide keeps.
    pub(crate) fn raise(
        &mut self,
        space: &S,
        guide: &mut impl Guide<S>,
        state: &S::State,
        parent: u32,
    ) {
        self.moves.clear();
        space.moves(state, &mut self.moves);
        guide.narrow(state, &mut self.moves);
        let before = self.children.len();
        self.children.extend(self.moves.iter().map(|&mv| Child {
            cost: space.cost(state, mv),
            state: space.apply(state, mv),
            parent,
        }));
        self.pack_from(before, space);
    }

    fn pack_from(&mut self, first: usize, space: &S) {
        let words = space.words();
        self.packed.resize(self.children.len() * words, 0);
        let packed = self.packed[first * words..].chunks_exact_mut(words);
        for (child, packed) in self.children[first..].iter().zip(packed) {
            space.pack(&child.state, packed);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.children.clear();
    }

    /// Of the children of the state that was raised last.
    pub(crate) fn last_costs(&self) -> impl Iterator<Item = u32> {
        let last = self.children.len() - self.moves.len();
        self.children[last..].iter().map(|child| child.cost)
    }

    pub(crate) fn len(&self) -> usize {
        self.children.len()
    }

    /// The children and their packed states.
    pub(crate) fn packed(&self, space: &S) -> impl Iterator<Item = (&Child<S>, &[u64])> {
        self.children
            .iter()
            .zip(self.packed.chunks_exact(space.words()))
    }

    /// Takes all children into a registry, if the budget has room for them. Gives each with its number, and whether it
    /// is new there.
    pub(crate) fn intern<'b>(
        &'b mut self,
        registry: &mut Registry,
        spare: u64,
        budget: &Budget,
    ) -> Result<impl Iterator<Item = (Child<S>, StateId, bool)> + use<'b, S>, Limit> {
        registry.make_room(self.children.len(), spare, budget)?;
        registry.insert_all(&self.packed, &mut self.found);
        let children = self.children.drain(..).zip(self.found.drain(..));
        Ok(children.map(|(child, (id, new))| (child, id, new)))
    }
}
