//! Memory: the pieces on a loop remember the piece where a walk crossed itself.
//!
//! We look for the cheapest walk with A* (a `Look`). When it crosses itself, every piece on the loop learns to remember the
//! piece of the crossing: from now on, walks that reach such a piece are told apart by which of the remembered pieces they
//! have used, and do not use them again. Then we look again. What we find costs no more than any path, so the first walk
//! that is a path is the cheapest, and where no walk is left, there is no path. Memories only grow, so it ends; and they are
//! local, so that a thousand crossings far apart do not multiply. (To add states only where a relaxed optimum breaks
//! the rule is the decremental state space relaxation of Boland, Dethridge and Dumitrescu, 2006, and of Righini and Salani,
//! 2008; memories along the loop are the dynamic ng-routes of Roberti and Mingozzi, 2014.) Pieces that the path must pass
//! are remembered everywhere, the other way round: walks are told apart by what they lack.
//!
//! What was tried and dropped: to extend only walks that are paths, and to note each time that one which had pushed another
//! aside ran into itself. It learns much in one round, but on a board without a path it learns all crossings, and most of
//! them do not matter. As `first_path` it stayed, to have a path at hand when time runs out.

use super::distances::Distances;
use super::graph::{NEVER, Node, Way};
use super::look::{Ended, Look};
use super::paths::Work;
use super::problem::{Best, Problem};
use crate::*;

/// For each slot, the slots that it remembers, sorted.
pub(super) struct Memory {
    index: Vec<u32>,
    lists: Vec<Vec<u32>>,
    longest: usize,
}

impl Memory {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            index: vec![0; slots],
            lists: vec![Vec::new()],
            longest: 0,
        }
    }

    pub(super) fn of(&self, slot: u32) -> &[u32] {
        &self.lists[self.index[slot as usize] as usize]
    }

    /// The most that one slot remembers.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    fn learn(&mut self, slot: u32, remembered: u32) {
        let index = &mut self.index[slot as usize];
        if *index == 0 {
            *index = self.lists.len() as u32;
            self.lists.push(Vec::new());
        }
        let list = &mut self.lists[*index as usize];
        if let Err(at) = list.binary_search(&remembered) {
            list.insert(at, remembered);
            self.longest = self.longest.max(list.len());
        }
    }
}

/// What is known of the ways that are left: the least cost to go on from each node to an end; and the same by way of a
/// required cell, for some of them.
pub(super) struct Onward {
    to_end: Distances,
    by_way_of: Vec<Vec<u32>>,
}

/// Tables by way of required cells may hold this many numbers.
const MOST_BY_WAY: usize = 1 << 24;

impl Onward {
    fn new(problem: &Problem, to_end: Distances, budget: &Budget) -> Result<Self, Limit> {
        let mut by_way_of = Vec::new();
        if problem.switches.on("required-bound") {
            for &cell in problem
                .required
                .iter()
                .take(MOST_BY_WAY / problem.graph.nodes())
            {
                let nodes = problem.graph.nodes_of(cell);
                let known: Vec<_> = nodes.map(|node| (node, to_end.of(node, NEVER))).collect();
                by_way_of.push(problem.graph.distances(&known, Way::Backward, budget)?);
            }
        }
        Ok(Self { to_end, by_way_of })
    }

    /// The least cost to go on from a node, for a walk from this source with these required cells lacking.
    pub(super) fn bound(&self, node: Node, source: u32, lacking: &[u64]) -> Option<u32> {
        let mut bound = self.to_end.of(node, source);
        for (index, by_way) in self.by_way_of.iter().enumerate() {
            if lacking[index / 64] >> (index % 64) & 1 == 1 {
                bound = bound.max(by_way[node as usize]);
            }
        }
        (bound != NEVER).then_some(bound)
    }
}

pub(super) struct Rounds {
    onward: Onward,
    memory: Memory,
    look: Option<Look>,
}

impl Rounds {
    /// Starts from the cost of the cheapest walk from each node.
    pub(super) fn new(
        problem: &Problem,
        distances: Distances,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        Ok(Self {
            onward: Onward::new(problem, distances, budget)?,
            memory: Memory::new(problem.graph.slots()),
            look: None,
        })
    }

    /// The same with what was learnt, on a board where more is closed.
    pub(super) fn on(
        self,
        problem: &Problem,
        distances: Distances,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let rounds = Self::new(problem, distances, budget)?;
        Ok(Self {
            memory: self.memory,
            ..rounds
        })
    }

    /// Looks and learns until the effort is spent.
    pub(super) fn work(
        &mut self,
        problem: &Problem,
        turn: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<Work, Limit> {
        let end = best.effort.expanded + turn;
        let mut look = match self.look.take() {
            Some(look) => look,
            None => Look::new(problem),
        };
        while best.effort.expanded < end {
            let left = end - best.effort.expanded;
            match look.run(problem, &self.onward, &self.memory, left, best, budget)? {
                Ended::Paused => break,
                Ended::Nothing => return Ok(Work::Proven),
                Ended::Walk(cost, walk) => {
                    best.at_least = best.at_least.max(cost);
                    let crossings = problem.crossings(&walk);
                    if crossings.is_empty() {
                        best.offer(cost, problem, &walk);
                        return Ok(Work::Proven);
                    }
                    self.learn(problem, &walk, crossings);
                    look.restart();
                }
            }
        }
        self.look = Some(look);
        Ok(Work::Paused)
    }

    fn learn(&mut self, problem: &Problem, walk: &[Node], crossings: Vec<(usize, usize)>) {
        for (first, second) in crossings {
            let slot = problem.graph.slot(walk[first]);
            if problem.switches.on("local-memory") {
                let onto = walk[first + 1..second].iter();
                onto.for_each(|&node| self.memory.learn(problem.graph.slot(node), slot));
            } else {
                let onto = 0..problem.graph.slots() as u32;
                onto.for_each(|onto| self.memory.learn(onto, slot));
            }
        }
    }

    /// Looks for any path, cheap ones first, with no claim that it is the cheapest.
    pub(super) fn first_path(
        &self,
        problem: &Problem,
        turn: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let at_least = best.at_least;
        let mut look = Look::strict(problem);
        let ended = look.run(problem, &self.onward, &self.memory, turn, best, budget);
        best.at_least = at_least;
        if let Ended::Walk(cost, walk) = ended? {
            best.offer(cost, problem, &walk);
        }
        Ok(())
    }
}
