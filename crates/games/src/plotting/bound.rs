//! How many blocks a number of shots can remove at most. A state from which the goal would take more is given up.
//!
//! The next shot is exact: for each colour that it can leave in the hand, the most that it removes. What comes after is
//! relaxed, colour by colour. A shot removes blocks of its own colour only. From the left columns, that is all but the last,
//! a column shot takes those of one column, and a row shot at most one from each, and these never rise from left to right
//! (see `longest_choices`); the longer of the two is a *line*, and k shots take no more than k lines. The last column, down
//! which a row shot may fall, gives k shots no more than its k longest runs of their colour (see `longest_runs`). Each shot
//! recolours a block, which may count once more for each later shot of the new colour, and a colour never dies out: the
//! shot itself survives. The best n − 1 shots are then the largest gains of all colours together, the first of them of the
//! colour that the exact shot left in the hand.
//!
//! Gains are small numbers, so a curve is a word of eight bytes, a step along it is one subtraction, and the lines of all
//! colours are found at once, in vectors. A table of what each set of blocks is good for was slower than finding it out:
//! half of the time went into waiting for the table.

use super::bits::{Bits, Layout};
use super::fast::{Board, Layouts, MIXED, Planes};
use super::gains::{Gains, ONES, smaller, steps};
use super::rules::{Colour, Hand, Move, Plotting, State};
use crate::*;

impl Knowledge for Plotting {
    const RULES: &'static [Rule] = &[
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
            name: "runs",
            about: "in the last column, a shot takes at most one run of its colour",
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

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:bfhs"
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        Removal::new(self, switches)
    }

    fn longest_plan(&self) -> Option<u32> {
        // Every shot removes a block.
        Some(self.blocks(&self.start()).saturating_sub(self.goal) as u32)
    }
}

pub(super) struct Removal<'a> {
    level: &'a Plotting,
    #[cfg(target_arch = "x86_64")]
    has_vectors: bool,
    /// For each set of places in a column: what 1, 2, … 8 of its runs have together, the longest first, byte by byte.
    runs_of: Vec<u64>,
    next_shot: bool,
    lines: bool,
    descent: bool,
    runs: bool,
    turns: bool,
    survivors: bool,
    wall: bool,
}

/// What the blocks of one colour are good for.
#[derive(Clone, Copy, Default)]
struct Worth {
    /// The most of them that 1, 2, … 8 shots take from the left columns, and what is recoloured, byte by byte.
    curve: u64,
    /// The most that these shots take from the last column.
    fallen: u64,
    count: u32,
}

/// The last byte.
const LAST: u64 = 0xff << 56;
/// 1, 2, … 8.
const MULTIPLES: u64 = 0x0807_0605_0403_0201;
/// The number of its byte in each byte: what recolouring may add to 1, 2, 3, … shots.
const RECOLOURED: u64 = 0x0706_0504_0302_0100;
/// Taller columns do not fit into a byte of heights.
const TALLEST: u32 = 7;
/// Eight lines that are shorter have less than 128 blocks, which fits into a byte.
const LONGEST: u64 = 16;
/// With more blocks than this, bytes would overflow; nothing is known about so large a board.
const MOST_BLOCKS: u32 = 110;
/// As many left columns as a word has bytes, and the last one.
const WIDEST: u32 = 9;

impl<'a> Removal<'a> {
    pub(super) fn new(level: &'a Plotting, switches: &Switches) -> Self {
        Self {
            level,
            #[cfg(target_arch = "x86_64")]
            has_vectors: is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("avx2"),
            runs_of: (0..1 << TALLEST).map(longest_runs).collect(),
            next_shot: switches.on("next-shot"),
            lines: switches.on("lines"),
            descent: switches.on("descent"),
            runs: switches.on("runs"),
            turns: switches.on("turns"),
            survivors: switches.on("survivors"),
            wall: switches.on("wall"),
        }
    }

    /// `may_remove`, compiled for processors that count bits in one instruction and have vectors of four words, as all have
    /// since about 2013.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2,avx2")]
    fn may_remove_in_vectors(
        &mut self,
        layout: &Layout<u64>,
        planes: &Planes<u64, 3>,
        hand: Hand,
        surplus: u32,
        shots: u32,
    ) -> bool {
        if self.level.letters.len() <= 4 {
            self.may_remove::<u64, 3, 4>(layout, planes, hand, surplus, shots)
        } else {
            self.may_remove::<u64, 3, 8>(layout, planes, hand, surplus, shots)
        }
    }

    /// Whether `shots` may remove `surplus` blocks; both are at least 1. There are at most N colours.
    #[inline(always)]
    fn may_remove<B: Bits, const P: usize, const N: usize>(
        &mut self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Hand,
        surplus: u32,
        shots: u32,
    ) -> bool {
        let (first, last) = match hand {
            Some(hand) => (hand, hand),
            None => (0, self.level.letters.len() as Colour - 1),
        };
        // No closure: that would be compiled for any processor.
        for hand in first..=last {
            if self.may_remove_with::<B, P, N>(layout, planes, hand, surplus, shots) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn may_remove_with<B: Bits, const P: usize, const N: usize>(
        &mut self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        surplus: u32,
        shots: u32,
    ) -> bool {
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
        planes.blocks.count() > MOST_BLOCKS
            || self.relaxed(layout, planes, hand, &next, surplus, shots)
    }

    /// The most that the next shot removes, and also by the colour that it leaves in the hand.
    #[inline(always)]
    fn next_shots<B: Bits, const P: usize, const N: usize>(
        &self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        next: &mut [u32; N],
    ) -> u32 {
        let sight = planes.sight(layout, hand);
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
        let level_of_row = |row: usize| layout.rows as usize - 1 - row;
        let mut rows = layout.heights(sight.before);
        while !rows.is_empty() {
            let level = rows.index();
            rows &= !rows.lowest();
            if self.level.blocked_rows[level_of_row(level as usize)] {
                continue;
            }
            let line = layout.levels[level as usize];
            let along = (sight.before & line).count();
            let stopped = sight.stops & line;
            if stopped.is_empty() {
                let (fallen, stopped) = fall(planes.blocks & layout.under(level));
                note(along + fallen, stopped);
            } else {
                note(along, stopped);
            }
        }
        let mut tops = planes.blocks & !(planes.blocks >> 1) & sight.same;
        while !tops.is_empty() {
            let col = layout.column_of(tops.index());
            tops &= !tops.lowest();
            if !self.level.blocked_cols[col]
                || col + 1 == layout.cols as usize && self.open_above(layout, planes.blocks)
            {
                let (fallen, stopped) = fall(planes.blocks & layout.columns[col]);
                note(fallen, stopped);
            }
        }
        most
    }

    /// Whether a row above all blocks is open.
    fn open_above<B: Bits>(&self, layout: &Layout<B>, blocks: B) -> bool {
        let rows = self
            .level
            .blocked_rows
            .iter()
            .zip(layout.levels.iter().rev());
        rows.take_while(|&(_, &line)| (blocks & line).is_empty())
            .any(|(&blocked, _)| !blocked)
    }

    /// After the next shot, which is given, all shots are relaxed.
    #[inline(always)]
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
        let mut in_hand = Worth::default();
        let mut firsts = [0u32; N];
        let mut others = Gains::default();
        let mut sets = [B::EMPTY; N];
        for (colour, set) in sets.iter_mut().enumerate() {
            *set = planes.of(colour as Colour);
        }
        let mut longest = [0; N];
        if self.lines && self.descent && ruled(layout) {
            longest = longest_choices(layout, &sets);
        }
        for (colour, first) in firsts.iter_mut().enumerate().take(colours) {
            let worth = self.worth(layout, sets[colour], longest[colour]);
            if colour == own {
                in_hand = worth;
                all += worth.count;
            } else {
                let limit = self.limit(worth.count);
                all += limit;
                *first = others.add(steps(worth.curve + worth.fallen, limit));
            }
        }
        if all < surplus {
            return false;
        }
        if !self.next_shot {
            others.add(steps(in_hand.curve + in_hand.fallen, in_hand.count));
            return others.best(shots) >= surplus;
        }
        // The next shot, which is of the colour in the hand, may join two runs in the last column, and recolours a block.
        let longer = (in_hand.fallen >> 8) | (in_hand.fallen & LAST);
        let curve = in_hand.curve + longer + ONES;
        for colour in 0..colours {
            let removed = next[colour];
            if removed == 0 {
                continue;
            }
            let mut gains = others;
            firsts[own] = gains.add(steps(curve, in_hand.count.saturating_sub(removed)));
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
    #[inline(always)]
    fn limit(&self, count: u32) -> u32 {
        count.saturating_sub(u32::from(self.survivors))
    }

    /// What the blocks of one colour are good for, given the longest choice of them (see `longest_choices`).
    #[inline(always)]
    fn worth<B: Bits>(&self, layout: &Layout<B>, blocks: B, longest: u32) -> Worth {
        let count = blocks.count();
        let last = (blocks & layout.last_column()).count();
        let left = count - last;
        let (line, fallen) = if !self.lines || !ruled(layout) {
            (left, u64::from(last) * ONES)
        } else {
            let fallen = if self.runs {
                self.runs_of[layout.column(blocks, layout.cols - 1) as usize]
            } else {
                u64::from(last) * ONES
            };
            let columns = 0..layout.cols - 1;
            let sizes = columns.map(|col| layout.column(blocks, col).count_ones());
            let (mut tallest, mut reached) = (0, 0);
            for size in sizes {
                tallest = tallest.max(size);
                reached += u32::from(size > 0);
            }
            let row = if self.descent { longest } else { reached };
            (row.max(tallest), fallen)
        };
        // Eight lines take everything: a curve has no more than eight bytes.
        let line = u64::from(line.max(left.div_ceil(8))).min(LONGEST);
        let most = if line < LONGEST {
            line * MULTIPLES
        } else {
            0x7f * ONES
        };
        let curve = smaller(most, u64::from(left) * ONES) + RECOLOURED;
        Worth {
            curve,
            fallen,
            count,
        }
    }
}

/// Whether the columns of a board fit into bytes.
#[inline(always)]
fn ruled<B: Bits>(layout: &Layout<B>) -> bool {
    layout.rows <= TALLEST && layout.cols <= WIDEST
}

/// Of each set: the most blocks that one row shot could ever take from the columns but the last, which is the longest choice of
/// one from each column whose heights do not rise from left to right.
///
/// For let x be lower than y, and y in a column to the right, but not the last. What makes y fall alone is a shot
/// between their heights, and it leaves y above x. A shot below x that reaches y's column has passed x's, where it
/// consumes a block under x, so both fall. Thus y stays above x for good, and no shot takes both. (In the last
/// column a shot can consume several blocks and y falls by as many, past x.)
#[inline(always)]
fn longest_choices<B: Bits, const N: usize>(layout: &Layout<B>, sets: &[B; N]) -> [u32; N] {
    // The heights at which choices of 1, 2, … 8 blocks can end, byte by byte.
    let mut ends = [0u64; N];
    for col in 0..layout.cols - 1 {
        // All sets at once: a compiler makes vectors of this.
        for (ends, &set) in ends.iter_mut().zip(sets) {
            let mut column = layout.column(set, col);
            column |= column << 8;
            column |= column << 16;
            column |= column << 32;
            // A choice can go on at the height of its end, and below.
            let mut open = *ends;
            open |= (open >> 1) & (0x7f * ONES);
            open |= (open >> 2) & (0x3f * ONES);
            open |= (open >> 4) & (0x0f * ONES);
            *ends |= ((open << 8) | 0xff) & column;
        }
    }
    let mut longest = [0; N];
    for (longest, ends) in longest.iter_mut().zip(ends) {
        *longest = (u64::BITS - ends.leading_zeros()).div_ceil(8);
    }
    longest
}

/// A row shot that meets nothing before the top of the last column is the shot down the last column.
#[inline(always)]
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

/// What 1, 2, … 8 runs of this set have together, the longest first.
///
/// This is the most that so many shots of one colour take of its blocks in the last column. For whatever falls there ends on
/// the floor or recolours the block that stops it, so a shot of another colour never brings two runs together: where it
/// takes what is between them, the top of the lower one is lost to it. A shot of the runs' own colour takes from one run, or
/// recolours what is between two and takes from neither, or both: it takes the lower part of one run, and the upper part comes to
/// lie on the next. In each case one run more can have been touched than before, or be joined to one that has been counted,
/// and no more; so k shots touch at most k.
fn longest_runs(set: u64) -> u64 {
    let mut runs = Vec::new();
    let mut rest = set;
    while rest != 0 {
        rest >>= rest.trailing_zeros();
        let run = rest.trailing_ones();
        runs.push(u64::from(run));
        rest >>= run;
    }
    runs.sort_unstable_by(|a, b| b.cmp(a));
    let together = (0..8).map(|index| runs.iter().take(index + 1).sum::<u64>() << (8 * index));
    together.sum()
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

    #[inline(always)]
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
                #[cfg(target_arch = "x86_64")]
                if self.has_vectors {
                    #[allow(
                        unsafe_code,
                        reason = "with vectors a bound takes two thirds of the time"
                    )]
                    // SAFETY: `has_vectors` says that the processor has these instructions.
                    return unsafe {
                        self.may_remove_in_vectors(layout, planes, state.hand, surplus, shots)
                    };
                }
                self.may_remove::<u64, 3, 8>(layout, planes, state.hand, surplus, shots)
            }
            (Layouts::Wide(layout, _), Board::Wide(planes)) => {
                self.may_remove::<u128, 5, 32>(layout, planes, state.hand, surplus, shots)
            }
            _ => unreachable!("{MIXED}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_added_up_from_the_longest() {
        assert_eq!(longest_runs(0), 0);
        assert_eq!(longest_runs(0b111_1111), 7 * ONES);
        assert_eq!(longest_runs(0b110_1101), 0x0505_0505_0505_0402);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_change_nothing() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let (rows, cols) = *random.choose(&[(7, 7), (6, 6), (3, 5), (7, 8), (2, 9)]);
            let spec = Spec::size(rows, cols)
                .with("colours", 2 + random.below(6) as u32)
                .with("goal", random.below(6) as u32);
            let level = Plotting::generate(&spec, &mut random).expect("the spec is sound");
            let mut guide = Removal::new(&level, &Switches::all_on());
            let mut plain = Removal::new(&level, &Switches::all_on());
            plain.has_vectors = false;
            let mut state = level.start();
            let mut moves = Vec::new();
            loop {
                for shots in 0..20 {
                    let answer = guide.allows(&state, shots);
                    assert_eq!(answer, plain.allows(&state, shots), "{seed} {shots}");
                }
                moves.clear();
                level.moves(&state, &mut moves);
                if moves.is_empty() {
                    break;
                }
                state = level.apply(&state, *random.choose(&moves));
            }
        }
    }
}
