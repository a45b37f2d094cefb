//! The graph of the states around the start: which moves connect them at what cost, and how far
//! each state is from a goal.
//!
//! States are expanded in the order of their cost from the start, so the first path to a state is a
//! cheapest one. A goal is not expanded: the game is over there. The graph is only a part of the
//! state space if `keep` drops states, or if the cap or the budget ends the exploration; `complete`
//! is false in the second case only. Distances to the goals are known in complete graphs only.

use std::collections::{BTreeMap, HashMap, HashSet};

use ployglot_base::{Budget, Limit, Progress, Space};
use ployglot_search::plan::{self, FoundPlan};

/// States, numbered in the order in which they were generated; the start is 0.
pub struct StateGraph<S: Space> {
    /// The states.
    pub nodes: Vec<Node<S>>,
    ids: HashMap<Box<[u64]>, u32>,
    /// Words of a packed state.
    words: usize,
    /// Every state that is reachable through kept states is in the graph.
    pub complete: bool,
    /// The limit that ended the exploration.
    pub limit: Option<Limit>,
}

/// A state of the graph.
pub struct Node<S: Space> {
    /// The state.
    pub state: S::State,
    /// The least cost from the start.
    pub cost: u32,
    /// Whether the game is over here.
    pub is_goal: bool,
    /// The moves to other states of the graph.
    pub edges: Vec<Edge<S>>,
    /// The least cost to a goal through states of the graph; `None`: no goal can be reached.
    pub to_goal: Option<u32>,
    /// The next state on a cheapest path to a goal; a goal itself has none.
    next: Option<u32>,
}

/// A move from a state of the graph.
pub struct Edge<S: Space> {
    /// The move.
    pub mv: S::Move,
    /// The state after it.
    pub to: u32,
    /// What it costs.
    pub cost: u32,
}

impl<S: Space> StateGraph<S> {
    /// Expands states while there are fewer than `cap`. `keep` decides whether a state belongs to
    /// the graph, by the state and its cost from the start.
    #[inline(never)]
    pub fn explore(
        space: &S,
        cap: usize,
        keep: &mut dyn FnMut(&S::State, u32) -> bool,
        budget: &Budget,
    ) -> Self {
        let mut graph = StateGraph {
            nodes: Vec::new(),
            ids: HashMap::new(),
            words: space.words(),
            complete: true,
            limit: None,
        };
        let ended = graph.expand_all(space, cap, keep, budget);
        let ended = match graph.complete {
            true => ended.and_then(|()| graph.compute_goal_distances(budget)),
            false => ended,
        };
        graph.limit = ended.err();
        graph.complete &= graph.limit.is_none();
        graph
    }

    fn expand_all(
        &mut self,
        space: &S,
        cap: usize,
        keep: &mut dyn FnMut(&S::State, u32) -> bool,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let graph = self;
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
            let state = node.state.clone();
            moves.clear();
            space.moves(&state, &mut moves);
            let mut edges = Vec::with_capacity(moves.len());
            for &mv in &moves {
                // On large boards, states have thousands of moves, and moves and bounds are slow.
                graph.check(cost, budget)?;
                let next = space.apply(&state, mv);
                let move_cost = space.cost(&state, mv);
                let next_cost = cost.saturating_add(move_cost);
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
        Ok(())
    }

    /// Checks the budget, at this depth.
    fn check(&self, depth: u32, budget: &Budget) -> Result<(), Limit> {
        budget.check(|| Progress {
            phase: "graph",
            depth,
            stored: self.nodes.len() as u64,
            ..Progress::default()
        })
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
                next: None,
            });
        }
        (id, id == next)
    }

    /// The number of a state; `None` if the graph does not have it.
    #[inline(never)]
    pub fn find(&self, space: &S, state: &S::State) -> Option<u32> {
        let mut packed = vec![0; self.words];
        space.pack(state, &mut packed);
        self.ids.get(packed.as_slice()).copied()
    }

    /// Dijkstra's algorithm backward from the goals.
    fn compute_goal_distances(&mut self, budget: &Budget) -> Result<(), Limit> {
        let mut predecessors: Vec<Vec<(u32, u32)>> =
            self.nodes.iter().map(|_| Vec::new()).collect();
        for (from, node) in self.nodes.iter().enumerate() {
            self.check(node.cost, budget)?;
            for edge in &node.edges {
                predecessors[edge.to as usize].push((from as u32, edge.cost));
            }
        }
        let goals = 0..self.nodes.len() as u32;
        let goals = goals.filter(|&id| self.nodes[id as usize].is_goal);
        let goals = goals.map(|id| (id, None));
        let mut open = BTreeMap::from([(0, goals.collect::<Vec<_>>())]);
        while let Some((cost, ids)) = open.pop_first() {
            for (id, next) in ids {
                self.check(cost, budget)?;
                let node = &mut self.nodes[id as usize];
                if node.to_goal.is_some() {
                    continue;
                }
                (node.to_goal, node.next) = (Some(cost), next);
                for &(from, move_cost) in &predecessors[id as usize] {
                    if self.nodes[from as usize].to_goal.is_none() {
                        let cost = cost.saturating_add(move_cost);
                        open.entry(cost).or_default().push((from, Some(id)));
                    }
                }
            }
        }
        Ok(())
    }

    /// A cheapest plan from the start; `None`: no goal is in the graph, which must be complete.
    #[inline(never)]
    pub fn best_plan(&self, space: &S) -> Option<FoundPlan<S::Move>> {
        self.nodes[0].to_goal?;
        let next = |&id: &u32| self.nodes[id as usize].next;
        let path: Vec<Vec<u64>> = std::iter::successors(next(&0), next)
            .map(|id| {
                let mut packed = vec![0; self.words];
                space.pack(&self.nodes[id as usize].state, &mut packed);
                packed
            })
            .collect();
        Some(plan::along(space, path.iter().map(Vec::as_slice)))
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
    #[inline(never)]
    pub fn count_best_plans(&self, budget: &Budget) -> Result<u128, Limit> {
        let mut counts: HashMap<u32, u128> = HashMap::new();
        let mut order: Vec<u32> = vec![0];
        let mut seen = HashSet::from([0]);
        let mut next = 0;
        while next < order.len() {
            let id = order[next];
            next += 1;
            self.check(0, budget)?;
            for edge in self.best_edges(id) {
                if seen.insert(edge.to) {
                    order.push(edge.to);
                }
            }
        }
        order.sort_by_key(|&id| self.nodes[id as usize].to_goal);
        for id in order {
            self.check(0, budget)?;
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
        Ok(counts.get(&0).copied().unwrap_or(0))
    }
}
