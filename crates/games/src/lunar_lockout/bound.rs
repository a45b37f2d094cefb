//! The lower bound: how soon could red rest on the goal if craft were generous with one another?
//!
//! We let every craft leave a copy of itself behind, pass through others, and be stopped by any copy beside its way. Then the
//! cells where helpers may rest after h slides of helpers and r slides of red, H[h][r], and the cells where red may
//! rest, R[h][r], only grow, and a real plan of h + r slides ends inside R[h][r]. So the least h + r with the goal in R[h][r]
//! is a lower bound. Counting the two kinds apart is worth it: red needs its own slides *and* the helpers theirs, where
//! the usual relaxation (the larger of the two) saturates at 2. If the goal is in no R at all, the state is lost.
//!
//! Sets of cells are words of bits, and all slides of a set to one side are a few shifts. Boards of more than 128 cells
//! get the exact answer to "can red arrive in one slide?" only.
//!
//! The box: in the void, without walls, no craft ever leaves the smallest rectangle around all craft, since each stops short of
//! another. Red comes to rest only between its way and what stops it, so the goal must lie inside, off the ends
//! of the line that red arrives on.

use super::fast::{Bits, NOWHERE, bits};
use super::rules::{LunarLockout, State};
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "relaxed",
        about: "counts the slides that red and the helpers need at least if craft leave copies behind",
    },
    Rule {
        name: "reach",
        about: "gives up where red cannot rest on the goal even if craft leave copies behind",
    },
    Rule {
        name: "box",
        about: "gives up where the goal lies outside the rectangle around all craft",
    },
];

/// The bound is not counted further than this; by then nearly every cell is reached.
const DEEPEST: usize = 8;

pub(super) struct Relaxed<'a> {
    level: &'a LunarLockout,
    shifts: Option<Shifts>,
    relaxed: bool,
    reach: bool,
    boxed: bool,
}

impl<'a> Relaxed<'a> {
    pub(super) fn new(level: &'a LunarLockout, switches: &Switches) -> Self {
        Self {
            level,
            shifts: Shifts::new(level),
            relaxed: switches.on("relaxed"),
            reach: switches.on("reach"),
            boxed: switches.on("box") && level.variant().is_empty(),
        }
    }
}

impl Guide<LunarLockout> for Relaxed<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        if self.level.is_goal(state) {
            return Some(0);
        }
        let craft = self.level.craft(state);
        if self.boxed && !box_holds_goal(self.level, craft) {
            return None;
        }
        let Some(shifts) = &self.shifts else {
            let arrives = |side| self.level.red_stop(state, side) == self.level.goal;
            return Some(if Side::ALL.into_iter().any(arrives) { 1 } else { 2 });
        };
        let start = Reached {
            red: 1 << craft[0],
            helpers: bits(&craft[1..]),
        };
        let goal = 1 << self.level.goal;
        if self.reach && !shifts.reaches(start, goal) {
            return None;
        }
        Some(if self.relaxed { shifts.least(start, goal) } else { 1 })
    }
}

/// Whether the rectangle around all craft leaves red a way to be stopped on the goal.
fn box_holds_goal(level: &LunarLockout, craft: &[u16]) -> bool {
    let (mut top, mut left) = (usize::MAX, usize::MAX);
    let (mut bottom, mut right) = (0, 0);
    for &cell in craft {
        let (row, col) = level.place(cell);
        (top, bottom) = (top.min(row), bottom.max(row));
        (left, right) = (left.min(col), right.max(col));
    }
    let (row, col) = level.place(level.goal);
    let (in_rows, in_cols) = ((top..=bottom).contains(&row), (left..=right).contains(&col));
    in_rows && left < col && col < right || in_cols && top < row && row < bottom
}

/// Where copies of red, and of the helpers, may rest.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Reached {
    red: Bits,
    helpers: Bits,
}

/// Slides of whole sets of cells.
#[derive(Clone, Debug)]
struct Shifts {
    /// For each side, the cells from which a craft can go on to the next one.
    open: [Bits; 4],
    /// For each side, the cells where a craft comes to rest by itself: at a wall, or at an edge that stops.
    rest: [Bits; 4],
    /// How far the next cell's number is.
    distance: [u32; 4],
    /// Doubling the way this often covers the longest line.
    doublings: [u32; 4],
}

impl Shifts {
    /// `None` where the board is too large for bits.
    fn new(level: &LunarLockout) -> Option<Self> {
        let cells = level.rows * level.cols;
        if cells > Bits::BITS as usize {
            return None;
        }
        let (tall, wide) = (level.rows, level.cols);
        let doublings = [tall, wide, tall, wide].map(|line| usize::BITS - line.leading_zeros());
        let distance = [wide, 1, wide, 1].map(|distance| distance as u32);
        let (mut open, mut rest) = ([0; 4], [0; 4]);
        for side in Side::ALL {
            let index = side as usize;
            for cell in 0..cells {
                let bit = 1 << cell;
                if level.tables.rays[index][cell] != 0 {
                    open[index] |= bit;
                } else if level.tables.ends[index][cell] != NOWHERE {
                    rest[index] |= bit;
                }
            }
        }
        Some(Self {
            open,
            rest,
            distance,
            doublings,
        })
    }

    fn shift(side: Side, set: Bits, distance: u32) -> Bits {
        match side {
            Side::Up | Side::Left => set.checked_shr(distance).unwrap_or(0),
            Side::Down | Side::Right => set.checked_shl(distance).unwrap_or(0),
        }
    }

    /// The neighbours to one side, where no wall is between.
    fn step(&self, side: Side, set: Bits) -> Bits {
        let index = side as usize;
        Self::shift(side, set & self.open[index], self.distance[index])
    }

    /// Where one slide may take any of the movers, if copies of the blockers stand wherever they may.
    fn slide(&self, movers: Bits, blockers: Bits) -> Bits {
        let mut stops = 0;
        for side in Side::ALL {
            let index = side as usize;
            let before_blocker = self.step(side.opposite(), blockers) | self.rest[index];
            if before_blocker == 0 {
                continue;
            }
            // The cells beyond a mover, doubling the way each time.
            let mut beyond = self.step(side, movers);
            let mut enterable = self.step(side, !0);
            let mut distance = self.distance[index];
            for _ in 0..self.doublings[index] {
                beyond |= enterable & Self::shift(side, beyond, distance);
                enterable &= Self::shift(side, enterable, distance);
                distance *= 2;
            }
            stops |= beyond & before_blocker;
        }
        stops
    }

    /// Whether red reaches the goal after any number of relaxed slides.
    fn reaches(&self, start: Reached, goal: Bits) -> bool {
        let mut now = start;
        while now.red & goal == 0 {
            let next = Reached {
                red: now.red | self.slide(now.red, now.helpers),
                helpers: now.helpers | self.slide(now.helpers, now.helpers | now.red),
            };
            if next == now {
                return false;
            }
            now = next;
        }
        true
    }

    /// The least number of relaxed slides to the goal, where the slides of red and of the helpers add up; at most `DEEPEST`.
    fn least(&self, start: Reached, goal: Bits) -> u32 {
        // The sets for all splits of the same number of slides; the index counts the helpers'.
        let mut diagonal = [start; DEEPEST + 1];
        for slides in 1..DEEPEST {
            let before = diagonal;
            for helper_slides in 0..=slides {
                let mut now = Reached { red: 0, helpers: 0 };
                if helper_slides < slides {
                    let Reached { red, helpers } = before[helper_slides];
                    now.red |= red | self.slide(red, helpers);
                    now.helpers |= helpers;
                }
                if helper_slides > 0 {
                    let Reached { red, helpers } = before[helper_slides - 1];
                    now.red |= red;
                    now.helpers |= helpers | self.slide(helpers, helpers | red);
                }
                if now.red & goal != 0 {
                    return slides as u32;
                }
                diagonal[helper_slides] = now;
            }
        }
        DEEPEST as u32
    }
}
