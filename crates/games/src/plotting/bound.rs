//! The guide: an upper bound on the number of blocks that n shots can remove. A state that needs
//! more than the shots left can remove is pruned.
//!
//! The next shot is exact: the most blocks that it removes. The shots after it are relaxed, colour
//! by colour. A shot removes blocks of its own colour only.
//!
//! - From the left columns (all but the last), a column shot takes blocks of one column, and a row
//!   shot takes at most one block from each, at heights that do not rise from left to right (see
//!   `longest_descents`). The larger of the two is the length of a *line*; k shots take at most k
//!   lines.
//! - From the last column, down which a row shot may fall, k shots of a colour take at most its k
//!   longest runs of that colour (see `longest_runs`).
//! - Each shot recolours a block, which may count once more for each later shot of the new colour.
//! - The block that is shot is not consumed, so every colour keeps a block.
//!
//! An upper bound for the n − 1 relaxed shots is then the sum of the largest gains of all colours
//! together. (A rule that the first of them has the colour that the exact shot leaves in the hand
//! was dropped: on the ten 6×6 levels of CP 2022 it saved 0.2% of the expansions.)
//!
//! Gains are small numbers, so a curve is a word of eight bytes, its increments are one
//! subtraction, and the lines of all colours are computed at once with SIMD instructions. A table
//! of the curves of each set of blocks was slower than computing them: half of the time was spent
//! waiting for memory.
//!
//! A rule that pruned row shots equal to the shot down the last column was dropped: the search
//! detects the duplicate state anyway, and on the ten 6×6 levels of CP 2022 the rule saved 0.03% of
//! the expansions.

use super::bits::{Bits, Layout};
use super::fast::{Board, Layouts, Planes, SAME_LEVEL};
use super::gains::{Gains, ONES, increments, min_bytes};
use super::rules::{Colour, Hand, Plotting, State};
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
            name: "survivors",
            about: "every colour keeps one block in the grid or in the hand",
        },
    ];

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:bfhs"
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        RemovalBound::new(self, switches)
    }

    fn longest_plan(&self) -> Option<u32> {
        // Every shot removes a block.
        Some(self.blocks(&self.start()).saturating_sub(self.goal) as u32)
    }
}

/// The guide of Plotting, with its rules switched on or off.
pub(super) struct RemovalBound<'a> {
    level: &'a Plotting,
    #[cfg(target_arch = "x86_64")]
    has_simd: bool,
    /// For each set of cells in a column: the total length of its longest 1, 2, … 8 runs, one byte
    /// each.
    runs_of: Vec<u64>,
    next_shot: bool,
    lines: bool,
    descent: bool,
    runs: bool,
    survivors: bool,
}

/// Upper bounds on the blocks of one colour that 1, 2, … 8 shots remove, one byte each.
#[derive(Clone, Copy, Default)]
struct ColourCurves {
    /// From the left columns, including blocks that were recoloured.
    left_columns: u64,
    /// From the last column.
    last_column: u64,
    /// Number of blocks of the colour.
    count: u32,
}

/// Mask of the last byte.
const LAST_BYTE: u64 = 0xff << 56;
/// The bytes 1, 2, … 8.
const MULTIPLES: u64 = 0x0807_0605_0403_0201;
/// The bytes 0, 1, … 7: what recoloured blocks may add to 1, 2, … 8 shots.
const RECOLOURED: u64 = 0x0706_0504_0302_0100;
/// The heights of taller columns do not fit into a byte.
const TALLEST: u32 = 7;
/// Eight shorter lines have fewer than 128 blocks, which fits into a byte.
const LONGEST_LINE: u64 = 16;
/// With more blocks than this, bytes would overflow, and nothing is pruned.
const MOST_BLOCKS: u32 = 110;
/// As many left columns as a word has bytes, and the last column.
const WIDEST: u32 = 9;

impl<'a> RemovalBound<'a> {
    pub(super) fn new(level: &'a Plotting, switches: &Switches) -> Self {
        Self {
            level,
            #[cfg(target_arch = "x86_64")]
            has_simd: is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("avx2"),
            runs_of: (0..1 << TALLEST).map(longest_runs).collect(),
            next_shot: switches.on("next-shot"),
            lines: switches.on("lines"),
            descent: switches.on("descent"),
            runs: switches.on("runs"),
            survivors: switches.on("survivors"),
        }
    }

    /// `may_remove`, compiled for processors with bit-counting and 256-bit SIMD instructions, which
    /// are common since about 2013.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2,avx2")]
    fn may_remove_simd(
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

    /// Whether the bound allows `shots` shots to remove `surplus` blocks; both are at least 1.
    /// There are at most N colours.
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
        // Not a closure: it would be compiled without the target features.
        for hand in first..=last {
            if self.may_remove_with::<B, P, N>(layout, planes, hand, surplus, shots) {
                return true;
            }
        }
        false
    }

    /// The same for a hand of this colour.
    #[inline(always)]
    fn may_remove_with<B: Bits, const P: usize, const N: usize>(
        &mut self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        surplus: u32,
        shots: u32,
    ) -> bool {
        let mut next = 0;
        if self.next_shot {
            next = self.most_of_next_shot(layout, planes, hand);
            if next == 0 || shots == 1 && next < surplus {
                return false;
            }
            if next >= surplus {
                return true;
            }
        }
        planes.blocks.count() > MOST_BLOCKS
            || self.relaxed_allows::<B, P, N>(layout, planes, hand, next, surplus, shots)
    }

    /// The most blocks that the next shot removes.
    #[inline(always)]
    fn most_of_next_shot<B: Bits, const P: usize>(
        &self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
    ) -> u32 {
        let targets = planes.targets(layout, hand);
        let mut most = 0;
        // A shot that falls along these blocks consumes those above the first of another colour.
        let fall = |path: B| {
            let others = path & !targets.same;
            if others.is_empty() {
                return path.count();
            }
            let stopped = others.highest();
            (path & !(stopped | stopped.below())).count()
        };
        let row_at_height = |height: usize| layout.rows as usize - 1 - height;
        let mut rows = layout.heights(targets.before);
        while !rows.is_empty() {
            let height = rows.index();
            rows &= !rows.lowest();
            if self.level.blocked_rows[row_at_height(height as usize)] {
                continue;
            }
            let line = layout.row_at[height as usize];
            let mut count = (targets.before & line).count();
            if (targets.stops & line).is_empty() {
                count += fall(planes.blocks & layout.last_column_below(height));
            }
            most = most.max(count);
        }
        let mut tops = planes.blocks & !(planes.blocks >> 1) & targets.same;
        while !tops.is_empty() {
            let col = layout.column_of(tops.index());
            tops &= !tops.lowest();
            if !self.level.blocked_cols[col]
                || col + 1 == layout.cols as usize && self.open_above(layout, planes.blocks)
            {
                most = most.max(fall(planes.blocks & layout.columns[col]));
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
            .zip(layout.row_at.iter().rev());
        rows.take_while(|&(_, &line)| (blocks & line).is_empty())
            .any(|(&blocked, _)| !blocked)
    }

    /// Whether the relaxed bound allows `shots` shots to remove `surplus` blocks. `next` is the
    /// most that the first of them removes.
    #[inline(always)]
    fn relaxed_allows<B: Bits, const P: usize, const N: usize>(
        &mut self,
        layout: &Layout<B>,
        planes: &Planes<B, P>,
        hand: Colour,
        next: u32,
        surplus: u32,
        shots: u32,
    ) -> bool {
        let colours = self.level.letters.len().min(N);
        let hand_index = usize::from(hand);
        let mut removable = 0;
        let mut in_hand = ColourCurves::default();
        let mut gains = Gains::default();
        let mut sets = [B::EMPTY; N];
        for (colour, set) in sets.iter_mut().enumerate() {
            *set = planes.of_colour(colour as Colour);
        }
        let mut longest = [0; N];
        if self.lines && self.descent && fits_in_bytes(layout) {
            longest = longest_descents(layout, &sets);
        }
        for colour in 0..colours {
            let curves = self.colour_curves(layout, sets[colour], longest[colour]);
            if colour == hand_index {
                in_hand = curves;
                removable += curves.count;
            } else {
                let limit = self.limit(curves.count);
                removable += limit;
                gains.add(increments(curves.left_columns + curves.last_column, limit));
            }
        }
        if removable < surplus {
            return false;
        }
        if !self.next_shot {
            gains.add(increments(
                in_hand.left_columns + in_hand.last_column,
                in_hand.count,
            ));
            return gains.best(shots) >= surplus;
        }
        // The next shot has the colour of the hand. It may join two runs of that colour in the last
        // column, and it recolours a block.
        let longer = (in_hand.last_column >> 8) | (in_hand.last_column & LAST_BYTE);
        let curve = in_hand.left_columns + longer + ONES;
        // A next shot that removes fewer blocks leaves as many more for later shots, no more: so
        // the shot that removes the most gives an upper bound for all.
        gains.add(increments(curve, in_hand.count.saturating_sub(next)));
        next + gains.best(shots - 1) >= surplus
    }

    /// How many of `count` blocks of a colour that is not in the hand can be removed.
    #[inline(always)]
    fn limit(&self, count: u32) -> u32 {
        count.saturating_sub(u32::from(self.survivors))
    }

    /// The curves of one colour, given its longest descent (see `longest_descents`).
    #[inline(always)]
    fn colour_curves<B: Bits>(&self, layout: &Layout<B>, blocks: B, longest: u32) -> ColourCurves {
        let count = blocks.count();
        let last = (blocks & layout.last_column()).count();
        let left = count - last;
        let (line, last_column) = if !self.lines || !fits_in_bytes(layout) {
            (left, u64::from(last) * ONES)
        } else {
            let last_column = if self.runs {
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
            (row.max(tallest), last_column)
        };
        // A curve has eight bytes, so eight lines must take everything.
        let line = u64::from(line.max(left.div_ceil(8))).min(LONGEST_LINE);
        let most = if line < LONGEST_LINE {
            line * MULTIPLES
        } else {
            0x7f * ONES
        };
        ColourCurves {
            left_columns: min_bytes(most, u64::from(left) * ONES) + RECOLOURED,
            last_column,
            count,
        }
    }
}

/// Whether the heights of a column fit into a byte, and the left columns into a word.
#[inline(always)]
fn fits_in_bytes<B: Bits>(layout: &Layout<B>) -> bool {
    layout.rows <= TALLEST && layout.cols <= WIDEST
}

/// For each set, the most blocks that one row shot can ever take from the left columns: the longest
/// *descent*, a choice of at most one block from each left column whose heights do not rise from
/// left to right.
///
/// Proof. Let x be lower than y, and y in a left column further to the right. A shot that lowers y
/// but not x is between their heights, and leaves y above x. A shot below x that reaches the column
/// of y has passed the column of x, where it consumes a block under x, so both fall. Thus y stays
/// above x, and no shot takes both. (In the last column this fails: a shot can consume several
/// blocks there, and y can fall past x.)
#[inline(always)]
fn longest_descents<B: Bits, const N: usize>(layout: &Layout<B>, sets: &[B; N]) -> [u32; N] {
    // The heights at which descents of 1, 2, … 8 blocks can end, one byte each.
    let mut ends = [0u64; N];
    for col in 0..layout.cols - 1 {
        // All sets at once: the compiler vectorises this loop.
        for (ends, &set) in ends.iter_mut().zip(sets) {
            let mut column = layout.column(set, col);
            column |= column << 8;
            column |= column << 16;
            column |= column << 32;
            // A descent can continue at the height of its end, and below.
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

/// The total length of the longest 1, 2, … 8 runs of this set, one byte each.
///
/// This is the most that 1, 2, … 8 shots of one colour take of its blocks in the last column.
/// Proof. A shot that falls there ends on the floor or recolours the block that stops it. So a shot
/// of another colour never joins two runs: if it consumes everything between them, it is stopped by
/// the top of the lower run and recolours it. A shot of the runs' own colour takes blocks of one
/// run; or it recolours the only block between two runs and takes blocks of neither; or both: it
/// takes the lower part of one run, and the upper part comes to lie on the next run. In each case
/// at most one more run has been touched than before, or has been joined to one that was counted.
/// So k shots touch at most k runs.
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
    let totals = (0..8).map(|index| runs.iter().take(index + 1).sum::<u64>() << (8 * index));
    totals.sum()
}

impl Guide<Plotting> for RemovalBound<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        let surplus = self.level.blocks(state).saturating_sub(self.level.goal) as u32;
        // Every shot removes a block.
        (0..=surplus).find(|&shots| self.allows(state, shots))
    }

    /// Fewer blocks are better, and so are more pairs of neighbours with the same colour.
    fn estimate(&mut self, state: &State) -> u32 {
        let (blocks, pairs) = match (&self.level.layouts, &state.board) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes)) => planes.same_colour_pairs(layout),
            (Layouts::Wide(layout, _), Board::Wide(planes)) => planes.same_colour_pairs(layout),
            _ => unreachable!("{SAME_LEVEL}"),
        };
        8 * blocks + 640 - 5 * pairs
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
            // A new wildcard takes any colour, so only the length of a shot's path bounds it.
            let most = (self.level.rows + self.level.cols - 1) as u32;
            return shots * most >= surplus;
        }
        match (&self.level.layouts, &state.board) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes)) => {
                #[cfg(target_arch = "x86_64")]
                if self.has_simd {
                    #[allow(
                        unsafe_code,
                        reason = "with SIMD instructions the bound takes two thirds of the time"
                    )]
                    // SAFETY: `has_simd` is true only if the processor has these instructions.
                    return unsafe {
                        self.may_remove_simd(layout, planes, state.hand, surplus, shots)
                    };
                }
                self.may_remove::<u64, 3, 8>(layout, planes, state.hand, surplus, shots)
            }
            (Layouts::Wide(layout, _), Board::Wide(planes)) => {
                self.may_remove::<u128, 5, 32>(layout, planes, state.hand, surplus, shots)
            }
            _ => unreachable!("{SAME_LEVEL}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_summed_from_the_longest() {
        assert_eq!(longest_runs(0), 0);
        assert_eq!(longest_runs(0b111_1111), 7 * ONES);
        assert_eq!(longest_runs(0b110_1101), 0x0505_0505_0505_0402);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn simd_gives_the_same_bound() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let (rows, cols) = *random.choose(&[(7, 7), (6, 6), (3, 5), (7, 8), (2, 9)]);
            let spec = Spec::size(rows, cols)
                .with("colours", 2 + random.below(6) as u32)
                .with("goal", random.below(6) as u32);
            let level = Plotting::generate(&spec, &mut random).expect("the spec is sound");
            let mut guide = RemovalBound::new(&level, &Switches::all_on());
            let mut plain = RemovalBound::new(&level, &Switches::all_on());
            plain.has_simd = false;
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
