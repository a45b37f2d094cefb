//! What it costs three equal blocks to vanish together, if only walls are in the way.
//!
//! Two that touch vanish at once, and leave the third behind. So until the three meet, no two of them may touch, and
//! one move must bring all of them together: a move to the side of one, and whatever falls after it. That a block is
//! carried, or loses what carries it, is up to the others, so each of the three may fall or not as it likes. On a floor
//! three blocks in a row never vanish together, for the one in the middle would have to come from above.
//!
//! The costs of all triples of cells come from one search backward from the triples that touch. A triple in which two
//! touch and the third does not is only passed while blocks fall; no move is made from there.

use std::collections::VecDeque;

use super::fast::{Field, NONE};

/// For every three cells, the least cost.
pub(super) struct Trios {
    costs: Vec<u8>,
}

/// Above this many cells the table would take too long.
const MOST_CELLS: usize = 128;

const FAR: u8 = u8::MAX;

type Trio = [u16; 3];

impl Trios {
    /// A move from a free cell costs nothing. `None` where there are too many cells.
    pub(super) fn new(field: &Field, free: &[bool]) -> Option<Trios> {
        let cells = field.places.len();
        if cells > MOST_CELLS {
            return None;
        }
        let mut trios = Trios {
            costs: vec![FAR; choose(cells, 3)],
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
            for which in 0..3 {
                let cell = trio[which];
                let [left, right, above, _] = field.beside(cell);
                for (from, fell) in [(above, true), (left, false), (right, false)] {
                    if from == NONE || trio.contains(&from) {
                        continue;
                    }
                    let mut before = trio;
                    before[which] = from;
                    before.sort_unstable();
                    let at_once = fell || free[usize::from(from)];
                    let cost = cost + u8::from(!at_once);
                    if cost >= trios.costs[index(before)] || !fell && touches(&before) > 0 {
                        continue;
                    }
                    trios.costs[index(before)] = cost;
                    if at_once {
                        queue.push_front((before, cost));
                    } else {
                        queue.push_back((before, cost));
                    }
                }
            }
        }
        Some(trios)
    }

    /// For cells in ascending order; `None` if there is no way.
    pub(super) fn cost(&self, trio: Trio) -> Option<u16> {
        let cost = self.costs[index(trio)];
        (cost < FAR).then_some(u16::from(cost))
    }
}

/// The number of a triple in ascending order.
fn index([a, b, c]: Trio) -> usize {
    choose(usize::from(c), 3) + choose(usize::from(b), 2) + usize::from(a)
}

fn choose(all: usize, some: usize) -> usize {
    match some {
        2 => all * all.saturating_sub(1) / 2,
        _ => all * all.saturating_sub(1) * all.saturating_sub(2) / 6,
    }
}
