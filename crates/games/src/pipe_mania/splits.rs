//! Splitting: best-first branching on a crossing of the cheapest walk.
//!
//! If the cheapest walk enters a piece through two nodes, a path uses at most one of them. So we
//! make two boards, and close the first node on one and the second node on the other. Each board is
//! trimmed, which often closes much more than that node, and the board with the cheapest walk is
//! split next. The first walk without a crossing is the cheapest path. (Conflict-based search for
//! the paths of many agents branches in the same way: Sharon, Stern, Felner and Sturtevant, 2015.)
//! Splitting does not support required pieces, so levels that have some are left to memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Node;
use super::path_problem::{Best, PathProblem};
use super::paths::RunEnd;
use crate::*;

#[derive(Default)]
pub(super) struct Splits {
    /// Open boards by the cost of their cheapest walk; the newest first among equals.
    open: BinaryHeap<(Reverse<u32>, u32)>,
    /// All boards, in the order in which they were added; `None` once a board has been split.
    boards: Vec<Option<Board>>,
}

/// A board on which some nodes are closed.
struct Board {
    open: Vec<u8>,
    roots: Vec<Node>,
    /// Two nodes of its cheapest walk that use the same slot.
    crossing: Crossing,
}

type Crossing = (Node, Node);

impl Splits {
    /// Splits boards until the effort is spent.
    pub(super) fn run(
        &mut self,
        problem: &mut PathProblem,
        effort: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<RunEnd, Limit> {
        let end = best.effort.expanded + effort;
        if self.boards.is_empty() {
            let (open, roots) = (problem.graph.open().to_vec(), problem.roots.clone());
            self.add(problem, open, roots, best, budget)?;
        }
        while best.effort.expanded < end {
            let Some((Reverse(cost), index)) = self.open.pop() else {
                return Ok(RunEnd::Proven);
            };
            best.at_least = best.at_least.max(cost.min(best.cost()));
            if cost >= best.cost() {
                return Ok(RunEnd::Proven);
            }
            let board = self.boards[index as usize].take().expect("it was open");
            let (first, second) = board.crossing;
            let without = |node: Node| {
                let mut open = board.open.clone();
                open[node as usize / 4] &= !(1 << (node % 4));
                open
            };
            if board.roots.contains(&first) {
                // The walk re-entered the B where it began: begin elsewhere, or do not re-enter it.
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
        Ok(RunEnd::Paused)
    }

    /// Trims a board, and keeps it if a path on it could be the best.
    fn add(
        &mut self,
        problem: &mut PathProblem,
        open: Vec<u8>,
        roots: Vec<Node>,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<(), Limit> {
        if !budget.affords(open.len() as u64) {
            return Err(Limit::Memory);
        }
        // The problem holds this board while we evaluate it; then its own board is restored.
        let own = problem.swap_board(open, roots);
        let found = self.evaluate(problem, best, budget);
        let (open, roots) = problem.swap_board(own.0, own.1);
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

    /// The cost of the cheapest walk and one of its crossings; `None` if the walk is not cheaper
    /// than the best path, or is a path itself, which is then recorded.
    fn evaluate(
        &self,
        problem: &mut PathProblem,
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
