//! A map of the states around the start: who leads to whom at what cost, and how far each is from a goal.
//!
//! States are explored in the order of their cost from the start, so the first way to a state is a cheapest one. A goal is
//! not explored further: the game is over there. Where `keep` drops states, or the cap ends it, the map has an edge, and says
//! so.

use std::collections::{BTreeMap, HashMap, HashSet};

use ployglot_base::{Budget, Limit, Progress, Space};

pub(super) struct Atlas<S: Space> {
    pub states: Vec<Place<S>>,
    ids: HashMap<Box<[u64]>, u32>,
    words: usize,
    /// Every state that is reachable through kept states is here.
    pub complete: bool,
}

pub(super) struct Place<S: Space> {
    pub state: S::State,
    /// From the start.
    pub cost: u32,
    pub is_goal: bool,
    /// The moves to states on the map.
    pub ways: Vec<Way<S>>,
    /// The cost to the nearest goal through states on the map.
    pub to_goal: Option<u32>,
}

pub(super) struct Way<S: Space> {
    pub mv: S::Move,
    pub to: u32,
    pub cost: u32,
}

impl<S: Space> Atlas<S> {
    /// Explores while there are fewer than `cap` states. `keep` sees a state and its cost from the start.
    pub fn explore(
        space: &S,
        cap: usize,
        mut keep: impl FnMut(&S::State, u32) -> bool,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let words = space.words();
        let mut atlas = Atlas {
            states: Vec::new(),
            ids: HashMap::new(),
            words,
            complete: true,
        };
        let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let start = atlas.add(space, space.start(), 0);
        open.entry(0).or_default().push(start.0);
        let mut moves = Vec::new();
        while let Some(mut entry) = open.first_entry() {
            let cost = *entry.key();
            let Some(id) = entry.get_mut().pop() else {
                entry.remove();
                continue;
            };
            let place = &atlas.states[id as usize];
            if place.cost != cost || place.is_goal || !place.ways.is_empty() {
                continue;
            }
            if atlas.states.len() >= cap {
                atlas.complete = false;
                break;
            }
            budget.check(|| Progress {
                phase: "map",
                depth: cost,
                stored: atlas.states.len() as u64,
                ..Progress::default()
            })?;
            let state = place.state.clone();
            moves.clear();
            space.moves(&state, &mut moves);
            let mut ways = Vec::with_capacity(moves.len());
            for &mv in &moves {
                let next = space.apply(&state, mv);
                let step = space.cost(&state, mv);
                let reached = cost + step;
                if !keep(&next, reached) {
                    continue;
                }
                let (to, new) = atlas.add(space, next, reached);
                let place = &mut atlas.states[to as usize];
                if new || reached < place.cost {
                    place.cost = reached;
                    open.entry(reached).or_default().push(to);
                }
                ways.push(Way { mv, to, cost: step });
            }
            atlas.states[id as usize].ways = ways;
        }
        atlas.measure_goals();
        Ok(atlas)
    }

    fn add(&mut self, space: &S, state: S::State, cost: u32) -> (u32, bool) {
        let mut packed = vec![0; self.words].into_boxed_slice();
        space.pack(&state, &mut packed);
        let next = self.states.len() as u32;
        let id = *self.ids.entry(packed).or_insert(next);
        if id == next {
            self.states.push(Place {
                is_goal: space.is_goal(&state),
                state,
                cost,
                ways: Vec::new(),
                to_goal: None,
            });
        }
        (id, id == next)
    }

    pub fn find(&self, space: &S, state: &S::State) -> Option<u32> {
        let mut packed = vec![0; self.words];
        space.pack(state, &mut packed);
        self.ids.get(packed.as_slice()).copied()
    }

    /// Backward from the goals, nearest first.
    fn measure_goals(&mut self) {
        let mut back: Vec<Vec<(u32, u32)>> = self.states.iter().map(|_| Vec::new()).collect();
        for (from, place) in self.states.iter().enumerate() {
            for way in &place.ways {
                back[way.to as usize].push((from as u32, way.cost));
            }
        }
        let goals = 0..self.states.len() as u32;
        let goals = goals.filter(|&id| self.states[id as usize].is_goal);
        let mut open = BTreeMap::from([(0, goals.collect::<Vec<_>>())]);
        while let Some((cost, ids)) = open.pop_first() {
            for id in ids {
                let place = &mut self.states[id as usize];
                if place.to_goal.is_some() {
                    continue;
                }
                place.to_goal = Some(cost);
                for &(from, step) in &back[id as usize] {
                    if self.states[from as usize].to_goal.is_none() {
                        open.entry(cost + step).or_default().push(from);
                    }
                }
            }
        }
    }

    /// The ways out of a state that lie on a cheapest way to a goal.
    pub fn best_ways(&self, id: u32) -> impl Iterator<Item = &Way<S>> {
        let place = &self.states[id as usize];
        place.ways.iter().filter(move |way| {
            let rest = self.states[way.to as usize].to_goal;
            rest.is_some_and(|rest| Some(rest + way.cost) == place.to_goal)
        })
    }

    /// How many cheapest plans there are from the start; more than can be counted is `u128::MAX`.
    pub fn plans(&self) -> u128 {
        let mut known: HashMap<u32, u128> = HashMap::new();
        let mut order: Vec<u32> = vec![0];
        let mut seen = HashSet::from([0]);
        let mut next = 0;
        while next < order.len() {
            let id = order[next];
            next += 1;
            for way in self.best_ways(id) {
                if seen.insert(way.to) {
                    order.push(way.to);
                }
            }
        }
        order.sort_by_key(|&id| self.states[id as usize].to_goal);
        for id in order {
            let place = &self.states[id as usize];
            let count = match place.is_goal {
                true => 1,
                false => self
                    .best_ways(id)
                    .map(|way| known.get(&way.to).copied().unwrap_or(0))
                    .fold(0u128, u128::saturating_add),
            };
            known.insert(id, count);
        }
        known.get(&0).copied().unwrap_or(0)
    }
}
