//! Finds where rules match, by planes of bits.

use super::board::{Bits, Shape, for_each_bit};
use super::program::{FastRule, Pattern, Row};
use super::turn::Run;
use crate::game::Direction;

/// A match of a row: where it starts, and how many cells its ellipses skip.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) start: u32,
    pub(super) gaps: [u32; 2],
}

impl Found {
    /// For each part of the row, how many cells are skipped before it.
    pub(super) fn gaps_before(self) -> [u32; 3] {
        [0, self.gaps[0], self.gaps[1]]
    }
}

/// More candidates than this for each word of a plane are checked by planes first.
const MANY: usize = 4;

impl Run<'_> {
    /// Keeps the cells that match a pattern. Returns whether any is left.
    pub(super) fn keep_matching(&self, pattern: &Pattern, cells: &mut [u64]) -> bool {
        let shape = self.shape;
        for check in &pattern.checks {
            let present = self.bits.present(shape, check.word);
            for_each_bit(&[check.set], |bit| {
                let plane = self.bits.plane(shape, check.word * 64 + bit);
                let words = cells.iter_mut().zip(plane);
                words.for_each(|(cells, plane)| *cells &= plane);
            });
            for_each_bit(&[check.clear & present], |bit| {
                let plane = self.bits.plane(shape, check.word * 64 + bit);
                let words = cells.iter_mut().zip(plane);
                words.for_each(|(cells, plane)| *cells &= !plane);
            });
        }
        for property in &pattern.any {
            for (index, cells) in cells.iter_mut().enumerate() {
                let mut any = 0;
                for &(word, bits) in property {
                    for_each_bit(&[bits & self.bits.present(shape, word)], |bit| {
                        any |= self.bits.plane(shape, word * 64 + bit)[index];
                    });
                }
                *cells &= any;
            }
        }
        cells.iter().any(|&word| word != 0)
    }

    pub(super) fn still_matches(&self, rule: &FastRule, index: usize) -> bool {
        let delta = self.shape.delta(rule.direction);
        let mut rest = index;
        rule.rows.iter().enumerate().all(|(number, row)| {
            let found = *choose(&self.scratch.found, &self.scratch.ends, number, &mut rest);
            let mut cell = found.start as isize;
            row.parts
                .iter()
                .zip(found.gaps_before())
                .all(|(part, gap)| {
                    cell += delta * gap as isize;
                    part.iter().all(|pattern| {
                        let at = cell as usize;
                        cell += delta;
                        matches(pattern, self.shape, self.bits, at)
                    })
                })
        })
    }

    /// Finds the matches of all rows of a rule. Returns whether each row has one.
    pub(super) fn find(&mut self, rule: &FastRule) -> bool {
        self.scratch.found.clear();
        self.scratch.ends.clear();
        for row in &rule.rows {
            let before = self.scratch.found.len();
            self.find_row(rule, row);
            if self.scratch.found.len() == before {
                return false;
            }
            self.scratch.ends.push(self.scratch.found.len());
        }
        true
    }

    fn find_row(&mut self, rule: &FastRule, row: &Row) {
        let shape = self.shape;
        let delta = shape.delta(rule.direction);
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        candidates.clear();
        candidates.extend_from_slice(shape.starts(rule.direction, row.length));
        let mut any = true;
        for &(bit, place) in &row.needs {
            let plane = self.bits.plane(shape, bit);
            any = intersect(&mut candidates, plane, delta * place as isize);
            if !any {
                break;
            }
        }
        if any && row.must_check {
            any = self.keep_possible(row, delta, &mut candidates);
        }
        if any {
            let first = self.scratch.found.len();
            for_each_bit(&candidates, |cell| self.find_from(rule, row, cell));
            // Horizontal rules go along the rows of the board, cells are numbered by columns.
            let horizontal = matches!(rule.direction, Direction::Left | Direction::Right);
            let found = &mut self.scratch.found[first..];
            if horizontal && found.len() > 1 {
                let height = shape.height as u32;
                found.sort_unstable_by_key(|found| (found.start % height, found.start, found.gaps));
            }
        }
        self.scratch.candidates = candidates;
    }

    /// Where many candidates are left, looks for the properties of the first part by planes. Returns
    /// whether any candidate is left.
    fn keep_possible(&mut self, row: &Row, delta: isize, candidates: &mut [u64]) -> bool {
        let shape = self.shape;
        let count: u32 = candidates.iter().map(|word| word.count_ones()).sum();
        if count as usize <= MANY * shape.words {
            return true;
        }
        let mut union = std::mem::take(&mut self.scratch.changing);
        let mut any = true;
        for (place, pattern) in row.parts[0].iter().enumerate() {
            for property in &pattern.any {
                union.clear();
                union.resize(shape.words, 0);
                for &(word, bits) in property {
                    for_each_bit(&[bits & self.bits.present(shape, word)], |bit| {
                        let plane = self.bits.plane(shape, word * 64 + bit);
                        let words = union.iter_mut().zip(plane);
                        words.for_each(|(union, plane)| *union |= plane);
                    });
                }
                any = any && intersect(candidates, &union, delta * place as isize);
            }
        }
        self.scratch.changing = union;
        any
    }

    /// Adds the matches that start in a cell, which has what the first part needs.
    fn find_from(&mut self, rule: &FastRule, row: &Row, cell: usize) {
        let (shape, bits): (&Shape, &Bits) = (self.shape, self.bits);
        let delta = shape.delta(rule.direction);
        let at = |first: usize, place: usize| (first as isize + delta * place as isize) as usize;
        let part = |part: &[Pattern], first: usize| {
            let mut cells = part.iter().enumerate();
            cells.all(|(place, pattern)| matches(pattern, shape, bits, at(first, place)))
        };
        if row.must_check && !part(&row.parts[0], cell) {
            return;
        }
        let start = cell as u32;
        let [first, rest @ ..] = row.parts.as_slice() else {
            return;
        };
        let room = shape.room(rule.direction, cell) - row.length;
        match rest {
            [] => self.scratch.found.push(Found {
                start,
                gaps: [0, 0],
            }),
            [second] => {
                for gap in 0..=room {
                    if part(second, at(cell, first.len() + gap)) {
                        let gaps = [gap as u32, 0];
                        self.scratch.found.push(Found { start, gaps });
                    }
                }
            }
            [second, third, ..] => {
                for gap in 0..=room {
                    let middle = first.len() + gap;
                    if !part(second, at(cell, middle)) {
                        continue;
                    }
                    for other in 0..=room - gap {
                        if part(third, at(cell, middle + second.len() + other)) {
                            let gaps = [gap as u32, other as u32];
                            self.scratch.found.push(Found { start, gaps });
                        }
                    }
                }
            }
        }
    }
}

fn matches(pattern: &Pattern, shape: &Shape, bits: &Bits, cell: usize) -> bool {
    let word = |word: usize| bits.cell(shape, cell, word);
    let checks = pattern.checks.iter().all(|check| {
        let bits = word(check.word);
        bits & check.set == check.set && bits & check.clear == 0
    });
    checks
        && pattern.any.iter().all(|property| {
            let mut words = property.iter();
            words.any(|&(number, bits)| word(number) & bits != 0)
        })
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

/// Keeps the candidates from which the cell `shift` further on is in the plane. Returns whether any
/// is left.
fn intersect(candidates: &mut [u64], plane: &[u64], shift: isize) -> bool {
    if let ([candidates], [plane]) = (&mut *candidates, plane) {
        let distance = shift.unsigned_abs() as u32;
        let shifted = match shift >= 0 {
            true => plane.checked_shr(distance),
            false => plane.checked_shl(distance),
        };
        *candidates &= shifted.unwrap_or(0);
        return *candidates != 0;
    }
    let words = (shift.unsigned_abs() / 64).min(plane.len());
    let bits = shift.unsigned_abs() % 64;
    let mut any = 0;
    let mut keep = |word: &mut u64, near: u64, far: u64| {
        *word &= near | far;
        any |= *word;
    };
    // The bits of a word come from two neighbouring words of the plane.
    if shift >= 0 {
        let near = &plane[words..];
        let (shifted, beyond) = candidates.split_at_mut(near.len());
        beyond.fill(0);
        let far = near.iter().skip(1).chain([&0]);
        for ((word, near), far) in shifted.iter_mut().zip(near).zip(far) {
            let far = if bits == 0 { 0 } else { far << (64 - bits) };
            keep(word, near >> bits, far);
        }
    } else {
        let near = &plane[..plane.len() - words];
        let (beyond, shifted) = candidates.split_at_mut(words);
        beyond.fill(0);
        let far = [&0].into_iter().chain(near);
        for ((word, near), far) in shifted.iter_mut().zip(near).zip(far) {
            let far = if bits == 0 { 0 } else { far >> (64 - bits) };
            keep(word, near << bits, far);
        }
    }
    any != 0
}
