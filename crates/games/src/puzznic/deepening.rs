//! Depth-first search below a growing limit on f, for when memory has run out.
//!
//! It remembers as many boards as it may, each in a place of its own, where the younger takes the elder's. A board that was
//! entered at no more cost below the same limit need not be entered again: all that it leads to was or will be seen.

use super::bitboard::{Bitboard, Board, Packed, Set};
use super::estimate::Estimate;
use super::nodes::hash;
use crate::*;

pub(super) struct Deepening<'a, 'b, S, const N: usize, const W: usize> {
    board: &'a Bitboard<S>,
    estimate: &'a mut Estimate<'b, S, N>,
    budget: &'a Budget,
    /// What the best plan costs that is known already.
    best: Option<u32>,
    seen: Vec<Seen<W>>,
    /// The boards on the way, the start left out.
    way: Vec<Packed<W>>,
    limit: u32,
    /// The least f above the limit.
    next: u32,
    effort: Effort,
}

#[derive(Clone, Copy)]
struct Seen<const W: usize> {
    state: Packed<W>,
    g: u16,
    limit: u16,
}

/// As many boards are remembered, if memory allows.
const MOST_SEEN: usize = 1 << 22;
/// Where there is no plan the limit would grow for ever, so that it ends after so much more.
const FURTHEST: u32 = 200;
const FEWEST_SEEN: usize = 1 << 8;

impl<'a, 'b, S: Set, const N: usize, const W: usize> Deepening<'a, 'b, S, N, W> {
    pub(super) fn new(
        board: &'a Bitboard<S>,
        estimate: &'a mut Estimate<'b, S, N>,
        budget: &'a Budget,
        best: Option<u32>,
    ) -> Self {
        let mut size = MOST_SEEN;
        while size > FEWEST_SEEN && !budget.affords((size * size_of::<Seen<W>>()) as u64 * 2) {
            size /= 2;
        }
        let nothing = Seen {
            state: [0; W],
            g: 0,
            limit: 0,
        };
        Self {
            board,
            estimate,
            budget,
            best,
            seen: vec![nothing; size],
            way: Vec::new(),
            limit: 0,
            next: 0,
            effort: Effort::default(),
        }
    }

    pub(super) fn effort(&self) -> Effort {
        self.effort
    }

    /// From a limit that every plan reaches on. First what is proven of every plan; then the boards of the cheapest plan,
    /// `None` where no plan is cheaper than the one that is known.
    pub(super) fn run(
        &mut self,
        start: &Board<S, N>,
        limit: u32,
    ) -> (u32, Result<Option<Vec<Packed<W>>>, Limit>) {
        self.limit = limit;
        while self.best.is_none_or(|best| self.limit < best) {
            if self.limit > limit + FURTHEST {
                return (self.limit, Err(Limit::Memory));
            }
            self.next = u32::MAX;
            match self.below(start, 1) {
                Err(why) => return (self.limit, Err(why)),
                Ok(true) => return (self.limit, Ok(Some(std::mem::take(&mut self.way)))),
                Ok(false) if self.next == u32::MAX => break,
                Ok(false) => self.limit = self.next,
            }
        }
        (self.limit, Ok(None))
    }

    /// Whether a plan goes on from this board; its successors cost `g`.
    fn below(&mut self, board: &Board<S, N>, g: u32) -> Result<bool, Limit> {
        if self.effort.expanded.is_multiple_of(256) {
            let checked = self.budget.check(|| Progress {
                phase: "deepening",
                depth: self.limit,
                expanded: self.effort.expanded,
                stored: self.seen.len() as u64,
                at_least: self.limit,
                best: self.best,
                ..Progress::default()
            });
            // What is needed here has been taken; that it is little is the reason to be here.
            checked.or_else(|why| {
                if why == Limit::Memory {
                    Ok(())
                } else {
                    Err(why)
                }
            })?;
        }
        self.effort.expanded += 1;
        let (limit, next) = (self.limit, &mut self.next);
        let mut after: Vec<(u32, Board<S, N>)> = Vec::new();
        self.effort.generated += self.estimate.successors(board, g, limit, |board, h| {
            if g + h > limit {
                *next = (*next).min(g + h);
            } else {
                after.push((h, *board));
            }
        });
        after.sort_by_key(|&(h, _)| h);
        for (_, board) in after {
            let state = self.board.pack(&board);
            let place = hash(&state) as usize & (self.seen.len() - 1);
            let seen = &mut self.seen[place];
            if seen.limit == limit as u16 && seen.state == state && u32::from(seen.g) <= g {
                continue;
            }
            *seen = Seen {
                state,
                g: g as u16,
                limit: limit as u16,
            };
            self.way.push(state);
            if self.board.blocks(&board) == S::EMPTY || self.below(&board, g + 1)? {
                return Ok(true);
            }
            self.way.pop();
        }
        Ok(false)
    }
}
