//! How many blocks a number of shots can remove at most. A state from which the goal would take more is given up.
//!
//! The next shot is exact: for each colour that it can leave in the hand, the most that it removes. What comes after is
//! relaxed, colour by colour. A shot removes blocks of its own colour only: from each column but the last a row shot takes at
//! most one, and these never rise from left to right (see `lines`); a column shot takes those of one column; and the
//! last column, down which a row shot may fall, is given away with any of them. So the most that k shots of a colour take
//! is the largest part of a Young diagram (the columns' blocks of that colour, sorted) that k lines cover. Blocks that are recoloured on the way may count once more for each later shot of
//! their new colour, and a colour never dies out: the shot itself survives. The best n − 1 shots are then the
//! largest gains of all colours together, the first of them of the colour that the exact shot left in the hand.
//!
//! Gains are small numbers, so a curve is a word of eight bytes and its prefix sums are one multiplication. What one colour
//! is good for depends on where its blocks are and on nothing else; it is looked up.

use super::bits::{Bits, Layout};
use super::fast::{Board, Layouts, MIXED, Planes};
use super::rules::{Colour, Hand, Move, Plotting, State};
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
        name: "descent",
        about: "a row shot takes blocks whose heights do not rise from left to right",
    },
    Rule {
        name: "turns",
        about: "the shot after the next is of the colour that the next one leaves in the hand",
    },
    Rule {
        name: "wall",
        about: "a shot over an empty row is the shot down the last column, and not tried again",
    },
    Rule {
        name: "survivors",
        about: "every colour keeps one block in the grid or in the hand",
    },
];

pub(super) struct Removal<'a> {
    level: &'a Plotting,
    /// What was found out about the blocks of one colour, by the hash of their columns' sizes.
    known: Box<[Known]>,
    next_shot: bool,
    lines: bool,
    descent: bool,
    turns: bool,
    survivors: bool,
    wall: bool,
}

/// What the blocks of one colour are good for.
#[derive(Clone, Copy)]
struct Known {
    /// These blocks; never `NOTHING`.
    blocks: u64,
    /// For the colour in the hand: see `curve`.
    own: u64,
    /// What 1, 2, … shots gain where the hand has another colour: see `Gains`.
    gains: u64,
    beyond: u8,
    /// The first of these gains.
    first: u8,
    count: u8,
}

const NOTHING: u64 = u64::MAX;
/// Half a megabyte: what a core has at hand.
const KNOWN_BITS: u32 = 14;

/// A byte in each place of a word.
const ONES: u64 = 0x0101_0101_0101_0101;
/// 1, 2, … 8.
const MULTIPLES: u64 = 0x0807_0605_0403_0201;
/// Columns of more than seven blocks of a colour do not fit into a diagram.
const TALLEST: u32 = 7;
/// The number of its byte in each byte: what recolouring may add to 1, 2, 3, … shots.
const RECOLOURED: u64 = 0x0706_0504_0302_0100;

impl<'a> Removal<'a> {
    pub(super) fn new(level: &'a Plotting, switches: &Switches) -> Self {
        let nothing = Known {
            blocks: NOTHING,
            own: 0,
            gains: 0,
            beyond: 0,
            first: 0,
            count: 0,
        };
        Self {
            level,
            known: vec![nothing; 1 << KNOWN_BITS].into_boxed_slice(),
            next_shot: switches.on("next-shot"),
            lines: switches.on("lines"),
            descent: switches.on("descent"),
            turns: switches.on("turns"),
            survivors: switches.on("survivors"),
            wall: switches.on("wall"),
        }
    }

    /// Whether `shots` may remove `surplus` blocks; both are at least 1. There are at most N colours.
    #[inline]
    fn may_remove<B: Bits, const P: usize, const N: usize>(
        &mut self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Hand,
        surplus: u32,
        shots: u32,
    ) -> bool {
        let Some(hand) = hand else {
            let mut colours = 0..self.level.letters.len() as Colour;
            return colours.any(|colour| {
                self.may_remove::<B, P, N>(layout, planes, Some(colour), surplus, shots)
            });
        };
        let mut next = [0u32; N];
        if self.next_shot {
            let most = self.next_shots(layout, planes, hand, &mut next);
            if most == 0 || shots == 1 && most < surplus {
                return false;
            }
            if most >= surplus {
                return true;
            }
        }
        self.relaxed(layout, planes, hand, &next, surplus, shots)
    }

    /// The most that the next shot removes, and also by the colour that it leaves in the hand.
    #[inline]
    fn next_shots<B: Bits, const P: usize, const N: usize>(
        &self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        next: &mut [u32; N],
    ) -> u32 {
        let sight = planes.sight(layout, hand);
        let tops = planes.blocks & !(planes.blocks >> 1) & sight.same;
        let mut most = 0;
        let mut note = |count: u32, stopped: B| {
            let after = if stopped.is_empty() {
                hand
            } else {
                planes.at(stopped)
            };
            let best = &mut next[usize::from(after)];
            *best = (*best).max(count);
            most = most.max(count);
        };
        // What falls through these cells consumes the blocks above the first other one.
        let fall = |path: B| {
            let others = path & !sight.same;
            if others.is_empty() {
                return (path.count(), others);
            }
            let stopped = others.highest();
            ((path & !(stopped | stopped.below())).count(), stopped)
        };
        for &mv in &self.level.open {
            match mv {
                Move::Row(row) => {
                    let level = layout.rows - 1 - u32::from(row);
                    let line = layout.levels[level as usize];
                    let along = sight.before & line;
                    let stopped = sight.stops & line;
                    if !stopped.is_empty() {
                        if !along.is_empty() {
                            note(along.count(), stopped);
                        }
                    } else if !along.is_empty() {
                        let (fallen, stopped) = fall(planes.blocks & layout.under(level));
                        note(along.count() + fallen, stopped);
                    } else if sight.over_wall {
                        let (fallen, stopped) = fall(planes.blocks & layout.last_column());
                        note(fallen, stopped);
                    }
                }
                Move::Col(col) => {
                    let column = layout.columns[usize::from(col)];
                    if !(tops & column).is_empty() {
                        let (fallen, stopped) = fall(planes.blocks & column);
                        note(fallen, stopped);
                    }
                }
            }
        }
        most
    }

    /// After the next shot, which is given, all shots are relaxed.
    #[inline]
    fn relaxed<B: Bits, const P: usize, const N: usize>(
        &mut self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        next: &[u32; N],
        surplus: u32,
        shots: u32,
    ) -> bool {
        let colours = self.level.letters.len().min(N);
        let own = usize::from(hand);
        let mut all = 0;
        let (mut curve, mut limit) = (0, 0);
        let mut firsts = [0u32; N];
        let mut others = Gains::default();
        for (colour, first) in firsts.iter_mut().enumerate().take(colours) {
            let known = self.look_up(layout, planes.of(colour as Colour));
            if colour == own {
                curve = known.own;
                limit = u32::from(known.count);
                all += limit;
            } else {
                all += self.limit(u32::from(known.count));
                *first = u32::from(known.first);
                others.add(known.gains, u32::from(known.beyond));
            }
        }
        if all < surplus {
            return false;
        }
        if !self.next_shot {
            let (gains, beyond) = tally(steps(curve, limit));
            others.add(gains, beyond);
            return others.best(shots) >= surplus;
        }
        for colour in 0..colours {
            let removed = next[colour];
            if removed == 0 {
                continue;
            }
            let mut gains = others;
            let steps = steps(curve, limit.saturating_sub(removed));
            firsts[own] = (steps & 0xff) as u32;
            let (own_gains, beyond) = tally(steps);
            gains.add(own_gains, beyond);
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

    /// How many blocks of a colour may go that is not in the hand.
    #[inline]
    fn limit(&self, count: u32) -> u32 {
        count.saturating_sub(u32::from(self.survivors))
    }

    #[inline]
    fn look_up<B: Bits>(&mut self, layout: &Layout<B>, blocks: B) -> Known {
        if B::WORDS > 1 {
            return self.find_out(layout, blocks);
        }
        let word = blocks.number() as u64;
        let place = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KNOWN_BITS)) as usize;
        if self.known[place].blocks != word {
            self.known[place] = self.find_out(layout, blocks);
        }
        self.known[place]
    }

    #[inline]
    fn find_out<B: Bits>(&self, layout: &Layout<B>, blocks: B) -> Known {
        let count = blocks.count();
        let curve = self.curve(layout, blocks, count);
        let steps = steps(curve, self.limit(count));
        let (gains, beyond) = tally(steps);
        Known {
            blocks: blocks.number() as u64,
            // The next shot, which is of this colour, recolours one more.
            own: curve + ONES,
            gains,
            beyond: beyond as u8,
            first: (steps & 0xff) as u8,
            count: count as u8,
        }
    }

    /// The most blocks of one colour that 1, 2, … 8 shots of it remove, byte by byte.
    #[inline]
    fn curve<B: Bits>(&self, layout: &Layout<B>, blocks: B, count: u32) -> u64 {
        let everything = u64::from(count) * ONES;
        if !self.lines || layout.rows > TALLEST {
            return everything;
        }
        let (mut rows, longest) = lines(layout, blocks);
        let most = if self.descent {
            longest * MULTIPLES
        } else {
            0x7f * ONES
        };

        // Some column shots take the tallest columns, and row shots the longest rows of what is left.
        let mut best = smaller(rows.wrapping_mul(ONES), most);
        let last = u64::from(count) - (rows.wrapping_mul(ONES) >> 56);
        let mut taken = 0;
        let mut shift = 0;
        while rows != 0 && shift < 64 {
            let reached = ((rows + 0x7f * ONES) >> 7) & ONES;
            taken += reached.wrapping_mul(ONES) >> 56;
            rows -= reached;
            let left = smaller(rows.wrapping_mul(ONES), most);
            best = larger(best, ((left << 8) + taken * ONES) << shift);
            shift += 8;
        }
        // The last byte is everything, whatever the lines are.
        let everything = everything & (0xff << 56);
        larger(best + last * ONES + RECOLOURED, everything)
    }
}

/// The columns of a set without the last one, sorted by size, as a Young diagram: how many columns have at least 1, 2, … 7 of
/// these blocks, a byte for each. And the most of them that one row shot could ever take: the longest choice of one from
/// each column whose heights do not rise from left to right.
///
/// For let x be lower than y, and y in a column to the right, but not the last. What makes y fall alone is a shot between
/// their heights, and it leaves y above x. A shot below x that reaches y's column has passed x's, where it consumes a
/// block under x, so both fall. Thus y stays above x for good, and no shot takes both. (In the last column a shot can
/// consume several blocks and y falls by as many, past x.)
#[inline]
fn lines<B: Bits>(layout: &Layout<B>, blocks: B) -> (u64, u64) {
    let mut diagram = 0;
    // Patience: for each length the greatest height at which a choice of that length can end, as a tally of
    // heights, four bits for each.
    let (mut ends, mut longest) = (0u64, 0);
    for column in layout.left_columns(blocks) {
        let mut rest = column as u64;
        let mut size = 0;
        while rest != 0 {
            let height = 4 * rest.trailing_zeros();
            rest &= rest - 1;
            size += 8;
            let lower = ends & ((1 << height) - 1);
            if lower == 0 {
                longest += 1;
            } else {
                ends -= 1 << ((63 - lower.leading_zeros()) & !3);
            }
            ends += 1 << height;
        }
        diagram += ONES & ((1 << size) - 1);
    }
    (diagram, longest)
}

/// A row shot that meets nothing before the top of the last column is the shot down the last column.
#[inline]
fn drop_twins<B: Bits>(layout: &Layout<B>, blocks: B, moves: &mut Vec<Move>) {
    let last = Move::Col(layout.cols as u8 - 1);
    if moves.last() != Some(&last) {
        return;
    }
    moves.retain(|&mv| match mv {
        Move::Row(row) => {
            let level = layout.rows - 1 - u32::from(row);
            let line = blocks & layout.levels[level as usize] & !layout.last_column();
            let above = blocks & (layout.place(level, layout.cols - 1) << 1);
            !line.is_empty() || !above.is_empty()
        }
        Move::Col(_) => true,
    });
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

/// How often each gain from 1 to 15 is in the bytes of a word, four bits for each; and what larger gains, which are rare, have
/// above 15.
#[inline]
fn tally(mut steps: u64) -> (u64, u32) {
    let (mut times, mut beyond) = (0, 0);
    while steps != 0 {
        let gain = (steps & 0x7f) as u32;
        times += 1 << (4 * gain.min(15));
        beyond += gain.saturating_sub(15);
        steps >>= 8;
    }
    (times, beyond)
}

/// How often each gain can be had, of all colours together: a byte for each, the even gains in one word and the odd ones in
/// the other. What large gains have above 15 counts as had in any case.
#[derive(Clone, Copy, Default)]
struct Gains {
    words: [u64; 2],
    beyond: u32,
}

impl Gains {
    /// Adds what `tally` gives.
    #[inline]
    fn add(&mut self, times: u64, beyond: u32) {
        self.words[0] += times & (0x0f * ONES);
        self.words[1] += (times >> 4) & (0x0f * ONES);
        self.beyond += beyond;
    }

    /// Takes away a gain that was added.
    #[inline]
    fn remove(&mut self, gain: u32) {
        if gain > 0 {
            self.beyond -= gain.saturating_sub(15);
            let gain = gain.min(15);
            self.words[(gain & 1) as usize] -= 1 << (8 * (gain >> 1));
        }
    }

    /// The sum of the largest.
    #[inline]
    fn best(&self, shots: u32) -> u32 {
        let (mut left, mut sum) = (shots, self.beyond);
        let highest = (self.words[0] | self.words[1]) | 1;
        let mut place = (63 - highest.leading_zeros()) / 8;
        loop {
            for parity in [1, 0] {
                let times = ((self.words[parity] >> (8 * place)) & 0xff) as u32;
                let had = times.min(left);
                sum += had * (2 * place + parity as u32);
                left -= had;
            }
            if place == 0 || left == 0 {
                return sum;
            }
            place -= 1;
        }
    }
}

impl Guide<Plotting> for Removal<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        let surplus = self.level.blocks(state).saturating_sub(self.level.goal) as u32;
        // Every shot removes a block.
        (0..=surplus).find(|&shots| self.allows(state, shots))
    }

    /// Blocks are the worse the more they are, and the better the more of them touch one of their own colour.
    fn estimate(&mut self, state: &State) -> u32 {
        let (blocks, pairs) = match (&self.level.layouts, &state.board) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes)) => planes.pairs(layout),
            (Layouts::Wide(layout, _), Board::Wide(planes)) => planes.pairs(layout),
            _ => unreachable!("{MIXED}"),
        };
        8 * blocks + 640 - 5 * pairs
    }

    fn narrow(&mut self, state: &State, moves: &mut Vec<Move>) {
        if !self.wall || moves.len() < 2 {
            return;
        }
        match (&self.level.layouts, &state.board) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes)) => {
                drop_twins(layout, planes.blocks, moves);
            }
            (Layouts::Wide(layout, _), Board::Wide(planes)) => {
                drop_twins(layout, planes.blocks, moves);
            }
            _ => unreachable!("{MIXED}"),
        }
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
                self.may_remove::<u64, 3, 8>(layout, planes, state.hand, surplus, shots)
            }
            (Layouts::Wide(layout, _), Board::Wide(planes)) => {
                self.may_remove::<u128, 5, 32>(layout, planes, state.hand, surplus, shots)
            }
            _ => unreachable!("{MIXED}"),
        }
    }
}
