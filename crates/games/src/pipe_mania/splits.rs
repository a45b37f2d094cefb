//! Splitting: where the cheapest walk uses a piece in two ways, a path uses it in one of them at most. So we make two boards, and
//! close the one way on the first and the other way on the second.
//!
//! Each board is trimmed, which often closes much more than that one way, and the one with the cheapest walk is next. The
//! first walk without a crossing is the cheapest path. (Sharon, Stern, Felner and Sturtevant search for the paths of many
//! agents in this way: conflict-based search, 2015.) It knows nothing of required pieces, so boards that have some are
//! left to memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Node;
use super::paths::Work;
use super::problem::{Best, Problem};
use crate::*;

#[derive(Default)]
pub(super) struct Splits {
    /// By the cost of the cheapest walk, the newest first among equals.
    open: BinaryHeap<(Reverse<u32>, u32)>,
    boards: Vec<Option<Board>>,
}

/// A board on which some ways are closed.
struct Board {
    open: Vec<u8>,
    roots: Vec<Node>,
    /// Two nodes of its cheapest walk that use the same slot.
    crossing: Crossing,
}

type Crossing = (Node, Node);

impl Splits {
    /// Splits boards until the effort is spent.
    pub(super) fn work(
        &mut self,
        problem: &mut Problem,
        turn: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<Work, Limit> {
        let end = best.effort.expanded + turn;
        if self.boards.is_empty() {
            let (open, roots) = (problem.graph.open().to_vec(), problem.roots.clone());
            self.add(problem, open, roots, best, budget)?;
        }
        while best.effort.expanded < end {
            let Some((Reverse(cost), index)) = self.open.pop() else {
                return Ok(Work::Proven);
            };
            best.at_least = best.at_least.max(cost.min(best.cost()));
            if cost >= best.cost() {
                return Ok(Work::Proven);
            }
            let board = self.boards[index as usize].take().expect("it was open");
            let (first, second) = board.crossing;
            let without = |node: Node| {
                let mut open = board.open.clone();
                open[node as usize / 4] &= !(1 << (node % 4));
                open
            };
            if board.roots.contains(&first) {
                // The walk came back to the B where it began: begin elsewhere, or do not come back.
                let cell = first / 4;
                let elsewhere = board.roots.iter().copied().filter(|&root| root / 4 != cell);
                self.add(
                    problem,
                    board.open.clone(),
                    elsewhere.collect(),
                    best,
                    budget,
                )?;
            } else {
                self.add(problem, without(first), board.roots.clone(), best, budget)?;
            }
            self.add(problem, without(second), board.roots, best, budget)?;
        }
        Ok(Work::Paused)
    }

    /// Trims a board, and keeps it if a path on it could be the best.
    fn add(
        &mut self,
        problem: &mut Problem,
        open: Vec<u8>,
        roots: Vec<Node>,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<(), Limit> {
        if !budget.affords(open.len() as u64) {
            return Err(Limit::Memory);
        }
        // The problem takes on the board while we look at it, and then its own again.
        let own = problem.take_on(open, roots);
        let found = self.look(problem, best, budget);
        let (open, roots) = problem.take_on(own.0, own.1);
        if let Some((cost, crossing)) = found? {
            self.open.push((Reverse(cost), self.boards.len() as u32));
            self.boards.push(Some(Board {
                open,
                roots,
                crossing,
            }));
        }
        Ok(())
    }

    /// The cost of the cheapest walk and a crossing, if there is a walk cheaper than the best path that is no path itself.
    fn look(
        &self,
        problem: &mut Problem,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<Option<(u32, Crossing)>, Limit> {
        if problem.switches.on("trim") {
            problem.trim(best, budget)?;
        }
        best.effort.expanded += problem.graph.nodes() as u64 / 8;
        let distance = problem.distances(budget)?;
        let Some((cost, walk)) = problem.cheapest_walk(&distance) else {
            return Ok(None);
        };
        if cost >= best.cost() {
            return Ok(None);
        }
        let crossings = problem.crossings(&walk).into_iter();
        Ok(
            match crossings.max_by_key(|&(first, second)| (second - first, first)) {
                Some((first, second)) => Some((cost, (walk[first], walk[second]))),
                None => {
                    best.offer(cost, problem, &walk);
                    None
                }
            },
        )
    }
}
