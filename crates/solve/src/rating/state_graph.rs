//! The graph of the states around the start: which moves connect them at what cost, and how far
//! each state is from a goal.
//!
//! States are expanded in the order of their cost from the start, so the first path to a state is a
//! cheapest one. A goal is not expanded: the game is over there. The graph is only a part of the
//! state space if `keep` drops states, or if the cap ends the exploration; only in the second case
//! `complete` is false.

use std::collections::{BTreeMap, HashMap, HashSet};

use ployglot_base::{Budget, Limit, Progress, Space};

/// States, numbered in the order in which they were generated; the start is 0.
pub(super) struct StateGraph<S: Space> {
    pub nodes: Vec<Node<S>>,
    ids: HashMap<Box<[u64]>, u32>,
    /// Words of a packed state.
    words: usize,
    /// Every state that is reachable through kept states is in the graph.
    pub complete: bool,
}

pub(super) struct Node<S: Space> {
    pub state: S::State,
    /// The least cost from the start.
    pub cost: u32,
    pub is_goal: bool,
    /// The moves to other states of the graph.
    pub edges: Vec<Edge<S>>,
    /// The least cost to a goal through states of the graph; `None`: no goal can be reached.
    pub to_goal: Option<u32>,
}

pub(super) struct Edge<S: Space> {
    pub mv: S::Move,
    pub to: u32,
    pub cost: u32,
}

impl<S: Space> StateGraph<S> {
    /// Expands states while there are fewer than `cap`. `keep` decides whether a state belongs to
    /// the graph, by the state and its cost from the start.
    pub fn explore(
        space: &S,
        cap: usize,
        mut keep: impl FnMut(&S::State, u32) -> bool,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let words = space.words();
        let mut graph = StateGraph {
            nodes: Vec::new(),
            ids: HashMap::new(),
            words,
            complete: true,
        };
        let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let start = graph.add(space, space.start(), 0);
        open.entry(0).or_default().push(start.0);
        let mut moves = Vec::new();
        while let Some(mut entry) = open.first_entry() {
            let cost = *entry.key();
            let Some(id) = entry.get_mut().pop() else {
                entry.remove();
                continue;
            };
            let node = &graph.nodes[id as usize];
            if node.cost != cost || node.is_goal || !node.edges.is_empty() {
                continue;
            }
            if graph.nodes.len() >= cap {
                graph.complete = false;
                break;
            }
            budget.check(|| Progress {
                phase: "graph",
                depth: cost,
                stored: graph.nodes.len() as u64,
                ..Progress::default()
            })?;
            let state = node.state.clone();
            moves.clear();
            space.moves(&state, &mut moves);
            let mut edges = Vec::with_capacity(moves.len());
            for &mv in &moves {
                let next = space.apply(&state, mv);
                let move_cost = space.cost(&state, mv);
                let next_cost = cost + move_cost;
                if !keep(&next, next_cost) {
                    continue;
                }
                let (to, new) = graph.add(space, next, next_cost);
                let node = &mut graph.nodes[to as usize];
                if new || next_cost < node.cost {
                    node.cost = next_cost;
                    open.entry(next_cost).or_default().push(to);
                }
                edges.push(Edge {
                    mv,
                    to,
                    cost: move_cost,
                });
            }
            graph.nodes[id as usize].edges = edges;
        }
        graph.compute_goal_distances();
        Ok(graph)
    }

    /// The number of a state, and whether it is new.
    fn add(&mut self, space: &S, state: S::State, cost: u32) -> (u32, bool) {
        let mut packed = vec![0; self.words].into_boxed_slice();
        space.pack(&state, &mut packed);
        let next = self.nodes.len() as u32;
        let id = *self.ids.entry(packed).or_insert(next);
        if id == next {
            self.nodes.push(Node {
                is_goal: space.is_goal(&state),
                state,
                cost,
                edges: Vec::new(),
                to_goal: None,
            });
        }
        (id, id == next)
    }

    /// The number of a state; `None` if the graph does not have it.
    pub fn find(&self, space: &S, state: &S::State) -> Option<u32> {
        let mut packed = vec![0; self.words];
        space.pack(state, &mut packed);
        self.ids.get(packed.as_slice()).copied()
    }

    /// Dijkstra's algorithm backward from the goals.
    fn compute_goal_distances(&mut self) {
        let mut predecessors: Vec<Vec<(u32, u32)>> =
            self.nodes.iter().map(|_| Vec::new()).collect();
        for (from, node) in self.nodes.iter().enumerate() {
            for edge in &node.edges {
                predecessors[edge.to as usize].push((from as u32, edge.cost));
            }
        }
        let goals = 0..self.nodes.len() as u32;
        let goals = goals.filter(|&id| self.nodes[id as usize].is_goal);
        let mut open = BTreeMap::from([(0, goals.collect::<Vec<_>>())]);
        while let Some((cost, ids)) = open.pop_first() {
            for id in ids {
                let node = &mut self.nodes[id as usize];
                if node.to_goal.is_some() {
                    continue;
                }
                node.to_goal = Some(cost);
                for &(from, move_cost) in &predecessors[id as usize] {
                    if self.nodes[from as usize].to_goal.is_none() {
                        open.entry(cost + move_cost).or_default().push(from);
                    }
                }
            }
        }
    }

    /// The edges out of a state that begin a cheapest path to a goal.
    pub fn best_edges(&self, id: u32) -> impl Iterator<Item = &Edge<S>> {
        let node = &self.nodes[id as usize];
        node.edges.iter().filter(move |edge| {
            let rest = self.nodes[edge.to as usize].to_goal;
            rest.is_some_and(|rest| Some(rest + edge.cost) == node.to_goal)
        })
    }

    /// The number of cheapest plans from the start; saturates at `u128::MAX`.
    pub fn count_best_plans(&self) -> u128 {
        let mut counts: HashMap<u32, u128> = HashMap::new();
        let mut order: Vec<u32> = vec![0];
        let mut seen = HashSet::from([0]);
        let mut next = 0;
        while next < order.len() {
            let id = order[next];
            next += 1;
            for edge in self.best_edges(id) {
                if seen.insert(edge.to) {
                    order.push(edge.to);
                }
            }
        }
        order.sort_by_key(|&id| self.nodes[id as usize].to_goal);
        for id in order {
            let node = &self.nodes[id as usize];
            let count = match node.is_goal {
                true => 1,
                false => self
                    .best_edges(id)
                    .map(|edge| counts.get(&edge.to).copied().unwrap_or(0))
                    .fold(0u128, u128::saturating_add),
            };
            counts.insert(id, count);
        }
        counts.get(&0).copied().unwrap_or(0)
    }
}
