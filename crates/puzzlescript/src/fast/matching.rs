//! Finds where rules match, by planes of bits.

use super::board::{for_each_bit, shifted};
use super::program::{FastRule, Mask, Part, Pattern, Row};
use super::turn::Run;
use crate::game::Direction;

/// A match of a row: where it starts, and how many cells its ellipses skip.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) start: u32,
    pub(super) gaps: [u32; 2],
}

/// Sorts matches by the rows of a board of this height. It is not generic, so that sorting is compiled once,
/// and not for each size of board.
fn sort_by_rows(found: &mut [Found], height: u32) {
    found.sort_unstable_by_key(|found| (found.start % height, found.start, found.gaps));
}

impl Found {
    /// For each part of the row, how many cells are skipped before it.
    pub(super) fn gaps_before(self) -> [u32; 3] {
        [0, self.gaps[0], self.gaps[1]]
    }
}

impl<const W: usize> Run<'_, W> {
    /// Keeps the cells in which a part of a row may start and matches. Returns whether any is left.
    #[inline]
    pub(super) fn keep_matching(&self, part: &Part, delta: isize, cells: &mut [u64]) -> bool {
        let words = self.words();
        let cells = &mut cells[..words];
        for &(plane, place) in &part.wanted {
            let plane = self.plane(plane);
            let shift = delta * place as isize;
            let mut any = 0;
            for (index, cells) in cells.iter_mut().enumerate() {
                *cells &= shifted(plane, index, shift);
                any |= *cells;
            }
            if any == 0 {
                return false;
            }
        }
        for (place, pattern) in part.patterns.iter().enumerate() {
            if pattern.is_picky() && !self.keep_allowed(pattern, delta * place as isize, cells) {
                return false;
            }
        }
        true
    }

    /// Keeps the cells from which the cell `shift` further on has nothing that is excluded, and an
    /// object of each property.
    fn keep_allowed(&self, pattern: &Pattern, shift: isize, cells: &mut [u64]) -> bool {
        let mut left = 0;
        for (index, cells) in cells.iter_mut().enumerate() {
            if *cells == 0 {
                continue;
            }
            *cells &= !self.union(&pattern.excluded, index, shift);
            for property in &pattern.any {
                *cells &= self.union(property, index, shift);
            }
            left |= *cells;
        }
        left != 0
    }

    /// A word of the union of planes.
    #[inline(always)]
    pub(super) fn union(&self, planes: &Mask, index: usize, shift: isize) -> u64 {
        let mut union = 0;
        for &(word, bits) in planes {
            let mut bits = bits & self.bits.0[word];
            while bits != 0 {
                let plane = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                union |= shifted(self.plane(plane), index, shift);
            }
        }
        union
    }

    /// The cells from which a row changes something, among those in which it starts.
    pub(super) fn effective(&self, row: &Row, delta: isize, cells: &[u64], effect: &mut [u64]) {
        let patterns = row.parts.iter().flat_map(|part| &part.patterns);
        for (place, pattern) in patterns.enumerate() {
            let shift = delta * place as isize;
            for (index, (effect, &cells)) in effect.iter_mut().zip(cells).enumerate() {
                if cells & !*effect == 0 {
                    continue;
                }
                for &plane in &pattern.set {
                    *effect |= cells & !shifted(self.plane(plane), index, shift);
                }
                *effect |= cells & self.union(&pattern.clear, index, shift);
            }
        }
    }

    /// Whether a cell fits a pattern.
    pub(super) fn fits(&self, pattern: &Pattern, cell: usize) -> bool {
        let (index, bit) = (cell / 64, cell % 64);
        let has = |plane: usize| self.plane(plane)[index] >> bit & 1 == 1;
        pattern.wanted.iter().all(|&plane| has(plane))
            && self.union(&pattern.excluded, index, 0) >> bit & 1 == 0
            && pattern
                .any
                .iter()
                .all(|property| self.union(property, index, 0) >> bit & 1 == 1)
    }

    /// Whether the patterns of a part fit from a cell on.
    pub(super) fn part_fits(&self, part: &Part, delta: isize, cell: isize) -> bool {
        let mut patterns = part.patterns.iter().enumerate();
        patterns.all(|(place, pattern)| {
            let cell = cell + delta * place as isize;
            self.fits(pattern, cell as usize)
        })
    }

    /// Whether a combination of matches still matches.
    pub(super) fn still_matches(&self, rule: &FastRule, index: usize) -> bool {
        let delta = self.shape.delta(rule.direction);
        let mut rest = index;
        rule.rows.iter().enumerate().all(|(number, row)| {
            let found = *choose(&self.scratch.found, &self.scratch.ends, number, &mut rest);
            let mut cell = found.start as isize;
            let mut parts = row.parts.iter().zip(found.gaps_before());
            parts.all(|(part, gap)| {
                let first = cell + delta * gap as isize;
                cell = first + delta * part.patterns.len() as isize;
                self.part_fits(part, delta, first)
            })
        })
    }

    /// Finds the cells in which the first part of each row matches, for all rows one after the
    /// other. Returns whether each row has one.
    pub(super) fn find_starts(&mut self, rule: &FastRule) -> bool {
        let words = self.words();
        let delta = self.shape.delta(rule.direction);
        let mut starts = std::mem::take(&mut self.scratch.starts);
        starts.clear();
        let found = rule.rows.iter().all(|row| {
            starts.extend_from_slice(self.shape.starts(rule.direction, row.length));
            let first = starts.len() - words;
            self.keep_matching(&row.parts[0], delta, &mut starts[first..])
        });
        self.scratch.starts = starts;
        found
    }

    /// Lists the matches of all rows of a rule. Returns whether each row has one.
    pub(super) fn find(&mut self, rule: &FastRule) -> bool {
        self.find_starts(rule) && self.list(rule)
    }

    /// Lists the matches from the cells in which the rows start. Returns whether each row has one.
    pub(super) fn list(&mut self, rule: &FastRule) -> bool {
        let words = self.words();
        self.scratch.found.clear();
        self.scratch.ends.clear();
        let starts = std::mem::take(&mut self.scratch.starts);
        let complete = rule
            .rows
            .iter()
            .zip(starts.chunks_exact(words))
            .all(|(row, starts)| {
                let first = self.scratch.found.len();
                match row.parts.len() {
                    1 => for_each_bit(starts, |cell| {
                        let (start, gaps) = (cell as u32, [0, 0]);
                        self.scratch.found.push(Found { start, gaps });
                    }),
                    _ => self.list_with_gaps(rule, row, starts),
                }
                // Horizontal rules go along the rows of the board, cells are numbered by columns.
                let horizontal = matches!(rule.direction, Direction::Left | Direction::Right);
                let found = &mut self.scratch.found[first..];
                if horizontal && found.len() > 1 {
                    sort_by_rows(found, self.shape.height as u32);
                }
                self.scratch.ends.push(self.scratch.found.len());
                self.scratch.found.len() > first
            });
        self.scratch.starts = starts;
        complete
    }

    /// Lists the matches of a row with ellipses.
    fn list_with_gaps(&mut self, rule: &FastRule, row: &Row, starts: &[u64]) {
        let shape = self.shape;
        let delta = shape.delta(rule.direction);
        // Where each of the other parts matches.
        let mut later = std::mem::take(&mut self.scratch.later);
        later.clear();
        let words = self.words();
        let complete = row.parts[1..].iter().all(|part| {
            later.extend_from_slice(shape.starts(rule.direction, part.patterns.len()));
            let first = later.len() - words;
            self.keep_matching(part, delta, &mut later[first..])
        });
        let matches = |part: usize, cell: isize| {
            if row.parts[part].patterns.is_empty() {
                return true;
            }
            let cell = cell as usize;
            later[(part - 1) * words + cell / 64] >> (cell % 64) & 1 == 1
        };
        let length = |part: usize| row.parts[part].patterns.len() as isize;
        let found = &mut self.scratch.found;
        if complete {
            for_each_bit(starts, |cell| {
                let start = cell as u32;
                let room = shape.room(rule.direction, cell) - row.length;
                for gap in 0..=room {
                    let second = cell as isize + delta * (length(0) + gap as isize);
                    if !matches(1, second) {
                        continue;
                    }
                    if row.parts.len() == 2 {
                        let gaps = [gap as u32, 0];
                        found.push(Found { start, gaps });
                        continue;
                    }
                    for other in 0..=room - gap {
                        let third = second + delta * (length(1) + other as isize);
                        if matches(2, third) {
                            let gaps = [gap as u32, other as u32];
                            found.push(Found { start, gaps });
                        }
                    }
                }
            });
        }
        self.scratch.later = later;
    }
}

/// In how many ways a match of each row can be chosen. `ends`: where the matches of each row end.
pub(super) fn combinations(ends: &[usize]) -> usize {
    let starts = std::iter::once(&0).chain(ends);
    ends.iter()
        .zip(starts)
        .map(|(end, start)| end - start)
        .product()
}

/// The match of a row in a combination; `rest` is what remains of its number. The first row changes
/// fastest.
pub(super) fn choose<'f>(
    found: &'f [Found],
    ends: &[usize],
    row: usize,
    rest: &mut usize,
) -> &'f Found {
    let start = if row == 0 { 0 } else { ends[row - 1] };
    let count = ends[row] - start;
    let chosen = &found[start + *rest % count];
    *rest /= count;
    chosen
}
