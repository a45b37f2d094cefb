//! The children of a state: listed, made, packed and interned together, in buffers that are used again for the next state.

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

    /// The start, as if it were a child.
    pub(crate) fn start(&mut self, space: &S) {
        self.children.clear();
        self.children.push(Child {
            state: space.start(),
            cost: 0,
        });
        self.pack(space);
    }

    /// The children of this state by the moves that the guide keeps.
    pub(crate) fn raise(&mut self, space: &S, guide: &mut impl Guide<S>, state: &S::State) {
        self.moves.clear();
        space.moves(state, &mut self.moves);
        guide.narrow(state, &mut self.moves);
        self.children.clear();
        self.children.extend(self.moves.iter().map(|&mv| Child {
            cost: space.cost(state, mv),
            state: space.apply(state, mv),
        }));
        self.pack(space);
    }

    fn pack(&mut self, space: &S) {
        let words = space.words();
        self.packed.resize(self.children.len() * words, 0);
        let packed = self.packed.chunks_exact_mut(words);
        for (child, packed) in self.children.iter().zip(packed) {
            space.pack(&child.state, packed);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.children.len()
    }

    pub(crate) fn costs(&self) -> impl Iterator<Item = u32> {
        self.children.iter().map(|child| child.cost)
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
