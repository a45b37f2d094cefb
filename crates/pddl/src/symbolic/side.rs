//! Uniform-cost search over sets of states, in one direction.

use std::collections::BTreeMap;

use super::bdd::{Bdd, Diagrams, Direction, NONE, Relation};
use super::garbage::Garbage;

/// A set of states that all have the same distance from where the search began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub cost: u32,
    pub states: Bdd,
}

/// A search from the start forward, or from the goal backward.
pub(super) struct Side {
    pub direction: Direction,
    /// Sets that were generated, by their distance; states of `closed` may be among them.
    open: BTreeMap<u32, Vec<Bdd>>,
    /// The states that were expanded, and their layers in this order. Where operators are free, several
    /// layers have the same cost.
    closed: Bdd,
    pub layers: Vec<Layer>,
    /// The recursive calls of the last expansion, and the number of nodes of its layer.
    last: (u64, usize),
    /// The forecast for the next one, once it was computed.
    forecast: Option<u64>,
}

/// Sizes of layers are not counted further.
const LARGE: usize = 10_000_000;

impl Side {
    pub fn new(direction: Direction, from: Bdd) -> Self {
        Self {
            direction,
            open: BTreeMap::from([(0, vec![from])]),
            closed: NONE,
            layers: Vec::new(),
            last: (1, 1),
            forecast: None,
        }
    }

    /// The least distance of a state that was not expanded; `None`: all were.
    pub fn next_cost(&self) -> Option<u32> {
        self.open.keys().next().copied()
    }

    pub fn closed(&self) -> Bdd {
        self.closed
    }

    /// The sets that were generated and not expanded, each with its distance.
    pub fn open(&self) -> impl Iterator<Item = Layer> {
        self.open.iter().flat_map(|(&cost, sets)| {
            let layers = sets.iter();
            layers.map(move |&states| Layer { cost, states })
        })
    }

    /// All sets that are still needed.
    pub fn sets(&self) -> impl Iterator<Item = Bdd> {
        let layers = self.layers.iter().map(|layer| layer.states);
        let open = self.open.values().flatten().copied();
        layers.chain(open).chain([self.closed])
    }

    /// How many recursive calls the next expansion may take: as the last one did, in proportion to the
    /// sizes of the layers.
    pub fn forecast(&mut self, diagrams: &Diagrams) -> u64 {
        let open = &self.open;
        *self.forecast.get_or_insert_with(|| {
            let (work, nodes) = self.last;
            let next = open.values().next();
            let next = next.map_or(0, |sets| diagrams.size(sets, LARGE));
            (work as f64 * next as f64 / nodes.max(1) as f64) as u64
        })
    }

    /// Moves the nearest states to `closed`. `None`: they were there already.
    pub fn close(&mut self, diagrams: &mut Diagrams) -> Option<Layer> {
        self.forecast = None;
        let (cost, sets) = self.open.pop_first()?;
        let states = diagrams.any_of(&sets);
        let states = diagrams.without(states, self.closed);
        if states == NONE {
            return None;
        }
        self.closed = diagrams.or(self.closed, states);
        let layer = Layer { cost, states };
        self.layers.push(layer);
        Some(layer)
    }

    /// Generates the neighbours of a layer, and returns them. Those that are not in all invariants are left
    /// out. `live` are the sets of the other side and of the relations.
    pub fn expand(
        &mut self,
        diagrams: &mut Diagrams,
        layer: Layer,
        relations: &BTreeMap<u32, Vec<Relation>>,
        invariants: &[Bdd],
        garbage: &mut Garbage,
        live: &[Bdd],
    ) -> Vec<Layer> {
        let before = diagrams.work();
        let mut generated = Vec::new();
        for (&cost, relations) in relations {
            let mut images = Vec::new();
            for relation in relations {
                let mut image = diagrams.apply_relation(layer.states, relation, self.direction);
                for &invariant in invariants {
                    image = diagrams.and(image, invariant);
                }
                image = diagrams.without(image, self.closed);
                if image != NONE {
                    images.push(image);
                }
                garbage.collect(diagrams, || {
                    let new = generated.iter().map(|layer: &Layer| layer.states);
                    let kept = self.sets().chain(new).chain(images.iter().copied());
                    kept.chain(live.iter().copied()).collect()
                });
            }
            let states = diagrams.any_of(&images);
            if states != NONE {
                let cost = layer.cost.saturating_add(cost);
                generated.push(Layer { cost, states });
            }
        }
        for layer in &generated {
            self.open.entry(layer.cost).or_default().push(layer.states);
        }
        let nodes = diagrams.size(&[layer.states], LARGE);
        self.last = (diagrams.work() - before, nodes);
        generated
    }
}
