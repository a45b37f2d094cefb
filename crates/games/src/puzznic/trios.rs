//! A lower bound on the moves after which three equal blocks vanish together, if only walls are
//! obstacles.
//!
//! Two blocks that touch vanish immediately and leave the third behind. So until the three meet, no
//! two of them may touch, and one move must bring all of them together: a sideways move of one, and
//! the falls that follow. Whether a block is supported depends on the other patterns, so each of
//! the three may fall or not, as needed. Three blocks in a row on a floor never vanish together,
//! because the middle one would have to come from above.
//!
//! The costs of all triples of cells come from one backward search from the triples that touch. A
//! triple in which two touch and the third does not is passed only while blocks fall; no move
//! starts there.

use std::collections::VecDeque;

use super::fast::{Field, NONE};

/// The least cost of every triple of cells.
pub(super) struct Trios {
    costs: Vec<u8>,
}

/// With more cells, computing the table takes too long.
const MOST_CELLS: usize = 128;

const UNREACHABLE: u8 = u8::MAX;

type Trio = [u16; 3];

impl Trios {
    /// A move from a cell in `free` costs nothing. `None` if there are too many cells.
    pub(super) fn new(field: &Field, free: &[bool]) -> Option<Trios> {
        let cells = field.places.len();
        if cells > MOST_CELLS {
            return None;
        }
        let mut trios = Trios {
            costs: vec![UNREACHABLE; choose(cells, 3)],
        };
        let touch = |a: u16, b: u16| field.beside(a).contains(&b);
        let touches = |&[a, b, c]: &Trio| {
            u8::from(touch(a, b)) + u8::from(touch(b, c)) + u8::from(touch(a, c))
        };
        let mut queue = VecDeque::new();
        for c in 0..cells as u16 {
            for b in 0..c {
                for a in 0..b {
                    let trio = [a, b, c];
                    if touches(&trio) >= 2 {
                        trios.costs[index(trio)] = 0;
                        queue.push_back((trio, 0));
                    }
                }
            }
        }
        while let Some((trio, cost)) = queue.pop_front() {
            if trios.costs[index(trio)] < cost {
                continue;
            }
            for member in 0..3 {
                let cell = trio[member];
                let [left, right, above, _] = field.beside(cell);
                for (from, falls) in [(above, true), (left, false), (right, false)] {
                    if from == NONE || trio.contains(&from) {
                        continue;
                    }
                    let mut before = trio;
                    before[member] = from;
                    before.sort_unstable();
                    let is_free = falls || free[usize::from(from)];
                    let cost = cost + u8::from(!is_free);
                    if cost >= trios.costs[index(before)] || !falls && touches(&before) > 0 {
                        continue;
                    }
                    trios.costs[index(before)] = cost;
                    if is_free {
                        queue.push_front((before, cost));
                    } else {
                        queue.push_back((before, cost));
                    }
                }
            }
        }
        Some(trios)
    }

    /// The cost of three cells in ascending order; `None` if the blocks cannot meet.
    pub(super) fn cost(&self, trio: Trio) -> Option<u16> {
        let cost = self.costs[index(trio)];
        (cost < UNREACHABLE).then_some(u16::from(cost))
    }
}

/// The index of a triple of cells in ascending order.
fn index([a, b, c]: Trio) -> usize {
    choose(usize::from(c), 3) + choose(usize::from(b), 2) + usize::from(a)
}

fn choose(all: usize, some: usize) -> usize {
    match some {
        2 => all * all.saturating_sub(1) / 2,
        _ => all * all.saturating_sub(1) * all.saturating_sub(2) / 6,
    }
}
