//! Iterative deepening A* (Korf 1985) with a transposition table, for when memory has run out.
//!
//! The table has as many entries as memory allows; a new entry replaces the old one in its slot. A
//! board that was entered at no more cost under the same limit need not be entered again:
//! everything below it was searched or will be.

use super::bitboard::{BitLevel, Bitboard, Packed, Set};
use super::bitboard_bound::BitboardBound;
use super::by_key::by_key;
use super::nodes::hash;
use crate::*;

pub(super) struct IterativeDeepening<'a, 'b, S, const N: usize, const W: usize> {
    bits: &'a BitLevel<S>,
    bound: &'a mut BitboardBound<'b, S, N>,
    budget: &'a Budget,
    /// The cost of the best known plan.
    best: Option<u32>,
    table: Vec<TableEntry<W>>,
    /// The boards on the current path, without the start.
    path: Vec<Packed<W>>,
    limit: u32,
    /// The least f above the limit that was seen in this round.
    next_limit: u32,
    effort: Effort,
}

#[derive(Clone, Copy)]
struct TableEntry<const W: usize> {
    state: Packed<W>,
    g: u16,
    limit: u16,
}

/// The number of entries of the table, if memory allows.
const MOST_ENTRIES: usize = 1 << 22;
/// The search stops when the limit has grown by this much: without a plan it would grow forever.
const MOST_DEEPENING: u32 = 200;
const FEWEST_ENTRIES: usize = 1 << 8;

impl<'a, 'b, S: Set, const N: usize, const W: usize> IterativeDeepening<'a, 'b, S, N, W> {
    pub(super) fn new(
        bits: &'a BitLevel<S>,
        bound: &'a mut BitboardBound<'b, S, N>,
        budget: &'a Budget,
        best: Option<u32>,
    ) -> Self {
        let mut size = MOST_ENTRIES;
        while size > FEWEST_ENTRIES
            && !budget.affords((size * size_of::<TableEntry<W>>()) as u64 * 2)
        {
            size /= 2;
        }
        let empty = TableEntry {
            state: [0; W],
            g: 0,
            limit: 0,
        };
        Self {
            bits,
            bound,
            budget,
            best,
            table: vec![empty; size],
            path: Vec::new(),
            limit: 0,
            next_limit: 0,
            effort: Effort::default(),
        }
    }

    pub(super) fn effort(&self) -> Effort {
        self.effort
    }

    /// Searches from a limit that no plan is below. Returns the proven lower bound, and the boards
    /// of the cheapest plan, or `None` if no plan is cheaper than the known one.
    pub(super) fn run(
        &mut self,
        start: &Bitboard<S, N>,
        limit: u32,
    ) -> (u32, Result<Option<Vec<Packed<W>>>, Limit>) {
        self.limit = limit;
        while self.best.is_none_or(|best| self.limit < best) {
            if self.limit > limit + MOST_DEEPENING {
                return (self.limit, Err(Limit::Memory));
            }
            self.next_limit = u32::MAX;
            match self.search(start, 1) {
                Err(why) => return (self.limit, Err(why)),
                Ok(true) => return (self.limit, Ok(Some(std::mem::take(&mut self.path)))),
                Ok(false) if self.next_limit == u32::MAX => break,
                Ok(false) => self.limit = self.next_limit,
            }
        }
        (self.limit, Ok(None))
    }

    /// Whether the limit allows a plan from this board; its successors cost `g`. The plan is then
    /// in `path`.
    fn search(&mut self, board: &Bitboard<S, N>, g: u32) -> Result<bool, Limit> {
        if self.effort.expanded.is_multiple_of(256) {
            let checked = self.budget.check(|| Progress {
                phase: "deepening",
                depth: self.limit,
                expanded: self.effort.expanded,
                stored: self.table.len() as u64,
                at_least: self.limit,
                best: self.best,
                ..Progress::default()
            });
            // The memory limit is ignored: the table has been allocated, and little more is needed.
            checked.or_else(|why| {
                if why == Limit::Memory {
                    Ok(())
                } else {
                    Err(why)
                }
            })?;
        }
        self.effort.expanded += 1;
        let (limit, next_limit) = (self.limit, &mut self.next_limit);
        let mut successors: Vec<(u32, Bitboard<S, N>)> = Vec::new();
        self.effort.generated += self.bound.successors(board, g, limit, |board, h| {
            if g + h > limit {
                *next_limit = (*next_limit).min(g + h);
            } else {
                successors.push((h, *board));
            }
        });
        for (_, at) in by_key(successors.iter().map(|&(h, _)| h)) {
            let (_, board) = successors[at as usize];
            let state = self.bits.pack(&board);
            let slot = hash(&state) as usize & (self.table.len() - 1);
            let entry = &mut self.table[slot];
            if entry.limit == limit as u16 && entry.state == state && u32::from(entry.g) <= g {
                continue;
            }
            *entry = TableEntry {
                state,
                g: g as u16,
                limit: limit as u16,
            };
            self.path.push(state);
            if self.bits.blocks(&board) == S::EMPTY || self.search(&board, g + 1)? {
                return Ok(true);
            }
            self.path.pop();
        }
        Ok(false)
    }
}
