//! Memory: the pieces on a loop remember the piece where a walk crossed itself.
//!
//! We search the cheapest walk with A* (`LabelSearch`). If it crosses itself, every piece on the
//! loop adds the piece of the crossing to its memory: from now on, walks that reach such a piece
//! are distinguished by which of the remembered pieces they have used, and do not use them again.
//! Then we search again. The walk of each round costs no more than any path, so the first walk that
//! is a path is the cheapest one; and if no walk is left, there is no path. Memories only grow, so
//! the rounds end; and they are local, so that a thousand crossings far apart do not multiply the
//! labels.
//!
//! Adding states only where a relaxed optimum breaks a constraint is decremental state space
//! relaxation (Boland, Dethridge and Dumitrescu, 2006; Righini and Salani, 2008); memories along
//! the loop are dynamic ng-routes (Roberti and Mingozzi, 2014). Required pieces are remembered
//! everywhere, in reverse: walks are distinguished by the required pieces that they still miss.
//!
//! Tried and dropped: extending only walks that are paths, and adding to the memory whenever a walk
//! that had dominated another one crossed itself. It learns much in one round, but on a board
//! without a path it learns all crossings, most of which do not matter. It is kept as `first_path`,
//! to have a path when time runs out.

use super::distances::Distances;
use super::graph::{Direction, Node, UNREACHABLE};
use super::label_search::{Ended, LabelSearch};
use super::path_problem::{Best, PathProblem};
use super::paths::RunEnd;
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

    /// The slots that a slot remembers, sorted.
    pub(super) fn of(&self, slot: u32) -> &[u32] {
        &self.lists[self.index[slot as usize] as usize]
    }

    /// The length of the longest list.
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

/// Lower bounds on the remaining cost of a walk.
pub(super) struct RemainingCost {
    /// For each node, the least cost to an end.
    to_end: Distances,
    /// For some of the required cells, and each node: the least cost to an end through that cell.
    through: Vec<Vec<u32>>,
}

/// The tables through required cells hold at most this many numbers.
const MAX_THROUGH_ENTRIES: usize = 1 << 24;

impl RemainingCost {
    fn new(problem: &PathProblem, to_end: Distances, budget: &Budget) -> Result<Self, Limit> {
        let mut through = Vec::new();
        if problem.switches.on("required-bound") {
            for &cell in problem
                .required
                .iter()
                .take(MAX_THROUGH_ENTRIES / problem.graph.nodes())
            {
                let nodes = problem.graph.nodes_of(cell);
                let known: Vec<_> = nodes
                    .map(|node| (node, to_end.of(node, UNREACHABLE)))
                    .collect();
                through.push(
                    problem
                        .graph
                        .distances(&known, Direction::Backward, budget)?,
                );
            }
        }
        Ok(Self { to_end, through })
    }

    /// A lower bound from a node, for a walk that began in `source` and still misses these required
    /// cells; `None`: there is no way to an end.
    pub(super) fn bound(&self, node: Node, source: u32, missing: &[u64]) -> Option<u32> {
        let mut bound = self.to_end.of(node, source);
        for (index, distances) in self.through.iter().enumerate() {
            if missing[index / 64] >> (index % 64) & 1 == 1 {
                bound = bound.max(distances[node as usize]);
            }
        }
        (bound != UNREACHABLE).then_some(bound)
    }
}

/// The rounds of searching and learning.
pub(super) struct Rounds {
    remaining: RemainingCost,
    memory: Memory,
    /// The search of the current round, if it is paused.
    search: Option<LabelSearch>,
}

impl Rounds {
    /// Takes the cost of the cheapest walk from each node to an end.
    pub(super) fn new(
        problem: &PathProblem,
        distances: Distances,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        Ok(Self {
            remaining: RemainingCost::new(problem, distances, budget)?,
            memory: Memory::new(problem.graph.slots()),
            search: None,
        })
    }

    /// Keeps the memory, and continues on a board where more nodes are closed.
    pub(super) fn restricted_to(
        self,
        problem: &PathProblem,
        distances: Distances,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let rounds = Self::new(problem, distances, budget)?;
        Ok(Self {
            memory: self.memory,
            ..rounds
        })
    }

    /// Searches and learns until the effort is spent.
    pub(super) fn run(
        &mut self,
        problem: &PathProblem,
        effort: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<RunEnd, Limit> {
        let end = best.effort.expanded + effort;
        let mut search = match self.search.take() {
            Some(search) => search,
            None => LabelSearch::new(problem),
        };
        while best.effort.expanded < end {
            let left = end - best.effort.expanded;
            match search.run(problem, &self.remaining, &self.memory, left, best, budget)? {
                Ended::Paused => break,
                Ended::Nothing => return Ok(RunEnd::Proven),
                Ended::Walk(cost, walk) => {
                    best.at_least = best.at_least.max(cost);
                    let crossings = problem.crossings(&walk);
                    if crossings.is_empty() {
                        best.offer(cost, problem, &walk);
                        return Ok(RunEnd::Proven);
                    }
                    self.learn(problem, &walk, crossings);
                    search.restart();
                }
            }
        }
        self.search = Some(search);
        Ok(RunEnd::Paused)
    }

    fn learn(&mut self, problem: &PathProblem, walk: &[Node], crossings: Vec<(usize, usize)>) {
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

    /// Searches for any path, cheap ones first; it need not be the cheapest.
    pub(super) fn first_path(
        &self,
        problem: &PathProblem,
        effort: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let at_least = best.at_least;
        let mut search = LabelSearch::strict(problem);
        let ended = search.run(problem, &self.remaining, &self.memory, effort, best, budget);
        best.at_least = at_least;
        if let Ended::Walk(cost, walk) = ended? {
            best.offer(cost, problem, &walk);
        }
        Ok(())
    }
}
