//! How many blocks a number of shots can remove at most. A state from which the goal would take more is given up.
//!
//! The next shot is exact: for each colour that it can leave in the hand, the most that it removes. What comes after is
//! relaxed, colour by colour. A shot removes blocks of its own colour only: from each column but the last a row shot takes at
//! most one, a column shot takes those of one column, and the last column, down which a row shot may fall, is given away
//! with any of them. So the most that k shots of a colour take is the largest part of a Young diagram (the columns' blocks of
//! that colour, sorted) that k lines cover. Blocks that are recoloured on the way may count once more for each later shot of
//! their new colour, and a colour never dies out: the shot itself survives. The best n − 1 shots are then the
//! largest gains of all colours together, the first of them of the colour that the exact shot left in the hand.
//!
//! With up to seven rows and eight columns, a column is a byte, and a diagram is handled in one machine word: its prefix
//! sums are one multiplication.

use super::bits::{Bits, Layout};
use super::fast::{Board, Layouts, MIXED, Planes};
use super::rules::{Colour, Hand, Plotting, State};
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "next-shot",
        about: "the next shot is played exactly",
    },
    Rule {
        name: "lines",
        about: "a row shot takes at most one block of each left column, a column shot takes one column",
    },
    Rule {
        name: "turns",
        about: "the shot after the next is of the colour that the next one leaves in the hand",
    },
    Rule {
        name: "survivors",
        about: "every colour keeps one block in the grid or in the hand",
    },
];

pub(super) struct Removal<'a> {
    level: &'a Plotting,
    next_shot: bool,
    lines: bool,
    turns: bool,
    survivors: bool,
}

/// More colours than there are letters.
const COLOURS: usize = 32;
/// A byte in each place of a word.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The number of its byte in each byte: what recolouring may add to 1, 2, 3, … shots.
const RECOLOURED: u64 = 0x0706_0504_0302_0100;

impl<'a> Removal<'a> {
    pub(super) fn new(level: &'a Plotting, switches: &Switches) -> Self {
        Self {
            level,
            next_shot: switches.on("next-shot"),
            lines: switches.on("lines"),
            turns: switches.on("turns"),
            survivors: switches.on("survivors"),
        }
    }

    /// Whether `shots` may remove `surplus` blocks; both are at least 1.
    #[inline]
    fn may_remove<B: Bits, const P: usize>(
        &self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Hand,
        surplus: u32,
        shots: u32,
    ) -> bool {
        let Some(hand) = hand else {
            let mut colours = 0..self.level.letters.len() as Colour;
            return colours
                .any(|colour| self.may_remove(layout, planes, Some(colour), surplus, shots));
        };
        // The most that the next shot removes, by the colour that it leaves in the hand.
        let mut next = [0u8; COLOURS];
        let mut most = 0;
        if self.next_shot {
            for mv in self.level.open_moves() {
                if let Some(hit) = planes.hit(layout, Some(hand), mv) {
                    let count = (hit.along | hit.falling).count() as u8;
                    let after = if hit.stopped.is_empty() {
                        hand
                    } else {
                        planes.at(hit.stopped)
                    };
                    let best = &mut next[usize::from(after)];
                    *best = (*best).max(count);
                    most = most.max(u32::from(count));
                }
            }
            if most == 0 {
                return false;
            }
            if most >= surplus {
                return true;
            }
            if shots == 1 {
                return false;
            }
        }
        self.relaxed(layout, planes, hand, &next, surplus, shots)
    }

    #[inline]
    fn relaxed<B: Bits, const P: usize>(
        &self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        next: &[u8; COLOURS],
        surplus: u32,
        shots: u32,
    ) -> bool {
        let colours = self.level.letters.len();
        let mut limits = [0u32; COLOURS];
        let mut curves = [0u64; COLOURS];
        let mut all = 0;
        for colour in 0..colours {
            let blocks = planes.of(colour as Colour);
            let count = blocks.count();
            let kept = self.survivors && colour != usize::from(hand);
            limits[colour] = count.saturating_sub(u32::from(kept));
            all += limits[colour];
            curves[colour] = self.curve(layout, blocks, count, colour == usize::from(hand));
        }
        if all < surplus {
            return false;
        }
        if !self.next_shot {
            let mut gains = Gains::default();
            for colour in 0..colours {
                gains.add(steps(curves[colour], limits[colour]));
            }
            return gains.best(shots) >= surplus;
        }
        let mut others = Gains::default();
        let mut firsts = [0u32; COLOURS];
        for colour in 0..colours {
            if colour != usize::from(hand) {
                let steps = steps(curves[colour], limits[colour]);
                firsts[colour] = (steps & 0xff) as u32;
                others.add(steps);
            }
        }
        for colour in 0..colours {
            let removed = u32::from(next[colour]);
            if removed == 0 {
                continue;
            }
            let mut gains = others.clone();
            let own = usize::from(hand);
            let steps = steps(curves[own], limits[own].saturating_sub(removed));
            firsts[own] = (steps & 0xff) as u32;
            gains.add(steps);
            let rest = if self.turns {
                gains.remove(firsts[colour]);
                firsts[colour] + gains.best(shots - 2)
            } else {
                gains.best(shots - 1)
            };
            if removed + rest >= surplus {
                return true;
            }
        }
        false
    }

    /// The most blocks of one colour that 1, 2, … 8 shots of it remove, byte by byte. The last byte is everything.
    #[inline]
    fn curve<B: Bits>(&self, layout: &Layout<B>, blocks: B, count: u32, in_hand: bool) -> u64 {
        let everything = u64::from(count) * ONES;
        if !self.lines {
            return everything;
        }
        let last = (blocks & layout.last_column()).count();
        let mut rows = layout.diagram(blocks & !layout.last_column());

        // Some column shots take the tallest columns, and row shots the longest rows of what is left.
        let mut best = rows.wrapping_mul(ONES);
        if (best >> 56) as u32 + last < count {
            // Some column is too tall for a diagram.
            return everything;
        }
        let mut taken = 0;
        let mut shift = 8;
        while rows != 0 && shift < 64 {
            let reached = ((rows + 0x7f * ONES) >> 7) & ONES;
            taken += reached.wrapping_mul(ONES) >> 56;
            rows -= reached;
            let with_columns = ((rows.wrapping_mul(ONES) << 8) + taken * ONES) << (shift - 8);
            best = larger(best, with_columns);
            shift += 8;
        }
        best += u64::from(last) * ONES + RECOLOURED + if in_hand { ONES } else { 0 };
        best | (0xff << 56)
    }
}

/// What each further shot adds, the largest first, if the curve may not rise above the limit.
#[inline]
fn steps(curve: u64, limit: u32) -> u64 {
    let limit = u64::from(limit) * ONES;
    let curve = smaller(curve & (0x7f * ONES), limit);
    let steps = curve - (curve << 8);
    // A later step may be larger than an earlier one: then the earlier one counts as much.
    let steps = larger(steps, steps >> 8);
    let steps = larger(steps, steps >> 16);
    larger(steps, steps >> 32)
}

/// Byte by byte; bytes are below 128.
#[inline]
fn larger(a: u64, b: u64) -> u64 {
    let wins = (((a | (0x80 * ONES)) - b) >> 7) & ONES;
    let mask = wins * 0xff;
    (a & mask) | (b & !mask)
}

#[inline]
fn smaller(a: u64, b: u64) -> u64 {
    a ^ b ^ larger(a, b)
}

/// How often each gain can be had.
#[derive(Clone)]
struct Gains {
    times: [u8; 128],
    largest: usize,
}

impl Default for Gains {
    fn default() -> Self {
        Self {
            times: [0; 128],
            largest: 0,
        }
    }
}

impl Gains {
    #[inline]
    fn add(&mut self, mut steps: u64) {
        self.largest = self.largest.max((steps & 0x7f) as usize);
        while steps != 0 {
            self.times[(steps & 0x7f) as usize] += 1;
            steps >>= 8;
        }
    }

    #[inline]
    fn remove(&mut self, gain: u32) {
        self.times[gain as usize] = self.times[gain as usize].saturating_sub(1);
    }

    /// The sum of the largest.
    #[inline]
    fn best(&self, shots: u32) -> u32 {
        let (mut left, mut sum) = (shots, 0);
        for gain in (1..=self.largest).rev() {
            let times = u32::from(self.times[gain]).min(left);
            sum += times * gain as u32;
            left -= times;
            if left == 0 {
                break;
            }
        }
        sum
    }
}

impl Guide<Plotting> for Removal<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        let surplus = self.level.blocks(state).saturating_sub(self.level.goal) as u32;
        // Every shot removes a block.
        (0..=surplus).find(|&shots| self.allows(state, shots))
    }

    fn estimate(&mut self, state: &State) -> u32 {
        self.level.blocks(state) as u32
    }

    #[inline]
    fn allows(&mut self, state: &State, shots: u32) -> bool {
        let surplus = self.level.blocks(state).saturating_sub(self.level.goal) as u32;
        if surplus == 0 {
            return true;
        }
        let shots = shots.min(surplus);
        if shots == 0 {
            return false;
        }
        if state.wildcards > 0 {
            // A new wildcard brings a block of any colour: only the size of a shot is sure.
            let most = (self.level.rows + self.level.cols - 1) as u32;
            return shots * most >= surplus;
        }
        match (&self.level.layouts, &state.board) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes)) => {
                self.may_remove(layout, planes, state.hand, surplus, shots)
            }
            (Layouts::Wide(layout, _), Board::Wide(planes)) => {
                self.may_remove(layout, planes, state.hand, surplus, shots)
            }
            _ => unreachable!("{MIXED}"),
        }
    }
}
