//! Packed states that wait to be inserted into a registry together, so that its cache misses
//! overlap.

use ployglot_base::{Budget, Limit, Space};

use crate::registry::{Registry, StateId};

/// Packed states, each with an item of data.
pub(crate) struct Batch<T> {
    packed: Vec<u64>,
    pub(crate) items: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self {
            packed: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T> Batch<T> {
    pub(crate) fn push<S: Space>(&mut self, space: &S, state: &S::State, item: T) {
        let end = self.packed.len();
        self.packed.resize(end + space.words(), 0);
        space.pack(state, &mut self.packed[end..]);
        self.items.push(item);
    }

    pub(crate) fn push_packed(&mut self, packed: &[u64], item: T) {
        self.packed.extend_from_slice(packed);
        self.items.push(item);
    }

    pub(crate) fn clear(&mut self) {
        self.packed.clear();
        self.items.clear();
    }

    /// The packed states, which have this many words, and their items.
    pub(crate) fn iter(&self, words: usize) -> impl Iterator<Item = (&[u64], &T)> {
        self.packed.chunks_exact(words).zip(&self.items)
    }

    /// Inserts all states into a registry, and appends what `Registry::insert` returns for each.
    /// Nothing is inserted if the budget has no room for all.
    pub(crate) fn insert_into(
        &self,
        registry: &mut Registry,
        spare: u64,
        budget: &Budget,
        inserted: &mut Vec<(StateId, bool)>,
    ) -> Result<(), Limit> {
        registry.make_room(self.items.len(), spare, budget)?;
        registry.insert_all(&self.packed, inserted);
        Ok(())
    }
}
