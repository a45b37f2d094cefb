//! Slides of whole sets of cells, for the relaxed bound.
//!
//! A set is a few words of bits, `STRIDE` bits for each row, so that every slide is a shift by a
//! distance known at compile time, which the compiler vectorises. The rays of all cells of a set to
//! one side are found by doubling: after n rounds every mover has gone up to 2^n cells (parallel
//! prefix, as in the Kogge-Stone adder). Bits that a shift carries into another row, or across a
//! wall, are masked: for each side and distance, a mask holds the cells that can be entered.
//!
//! Tried and dropped: the whole board as one 128-bit number with as many bits for a row as it has
//! columns (shifts by distances known only at run time took twice as long, and a board of 12×12 did
//! not fit); and rows as lanes of 16-bit vectors (no faster, because shifting lanes by one is
//! slow).

use super::rules::LunarLockout;
use crate::*;

/// A set of cells on a board of at most `STRIDE` columns, and as many rows as fit in the words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Set<const WORDS: usize, const STRIDE: usize>([u64; WORDS]);

impl<const WORDS: usize, const STRIDE: usize> Set<WORDS, STRIDE> {
    pub(super) const EMPTY: Self = Self([0; WORDS]);
    const MAX_ROWS: usize = WORDS * 64 / STRIDE;

    pub(super) fn insert(&mut self, (row, col): (usize, usize)) {
        let bit = row * STRIDE + col;
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    #[inline(always)]
    pub(super) fn intersects(&self, other: &Self) -> bool {
        let both = |word: usize| self.0[word] & other.0[word];
        (0..WORDS).fold(0, |all, word| all | both(word)) != 0
    }

    /// Every cell moved to a side by `cells`, a power of two. The caller masks what leaves its row
    /// or the board.
    #[inline(always)]
    fn shift(self, side: Side, cells: usize) -> Self {
        let (words, bits) = (cells * STRIDE / 64, (cells * STRIDE % 64) as u32);
        let word = |word: usize| self.0.get(word).copied().unwrap_or(0);
        Self(match side {
            Side::Left => std::array::from_fn(|to| self.0[to] >> cells),
            Side::Right => std::array::from_fn(|to| self.0[to] << cells),
            Side::Up if bits == 0 => std::array::from_fn(|to| word(to + words)),
            Side::Down if bits == 0 => std::array::from_fn(|to| word(to.wrapping_sub(words))),
            // Some rows come from the next word.
            Side::Up => std::array::from_fn(|to| self.0[to] >> bits | word(to + 1) << (64 - bits)),
            Side::Down => std::array::from_fn(|to| {
                self.0[to] << bits | word(to.wrapping_sub(1)) >> (64 - bits)
            }),
        })
    }
}

/// No side of a board that fits is longer than 2 to the power of this.
const MAX_DOUBLINGS: usize = 6;

/// The masks of a level for slides of sets.
#[derive(Clone)]
pub(super) struct Relaxation<const WORDS: usize, const STRIDE: usize> {
    /// By side and number of doublings n: the cells that can be entered by 2^n steps to that side.
    enterable: [[Set<WORDS, STRIDE>; MAX_DOUBLINGS]; 4],
    /// By side: the cells where a craft stops without a blocker: at a wall, or at an edge that
    /// stops.
    rest: [Set<WORDS, STRIDE>; 4],
    /// The last slides that can bring red to the goal.
    arrivals: Vec<Arrival<WORDS, STRIDE>>,
}

/// A slide of red that ends on the goal.
#[derive(Clone)]
struct Arrival<const WORDS: usize, const STRIDE: usize> {
    /// The cells from which red may slide.
    from: Set<WORDS, STRIDE>,
    /// The cell where a helper must stop red; `None`: a wall or an edge stops it.
    blocker: Option<Set<WORDS, STRIDE>>,
}

/// The cells where copies of red and of the helpers may rest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Reached<const WORDS: usize, const STRIDE: usize> {
    pub(super) red: Set<WORDS, STRIDE>,
    pub(super) helpers: Set<WORDS, STRIDE>,
}

impl<const WORDS: usize, const STRIDE: usize> Relaxation<WORDS, STRIDE> {
    /// `None` if the board is too large.
    pub(super) fn new(level: &LunarLockout) -> Option<Self> {
        if level.rows > Set::<WORDS, STRIDE>::MAX_ROWS || level.cols > STRIDE {
            return None;
        }
        let mut relaxation = Self {
            enterable: [[Set::EMPTY; MAX_DOUBLINGS]; 4],
            rest: [Set::EMPTY; 4],
            arrivals: Vec::new(),
        };
        for side in Side::ALL {
            let index = side as usize;
            for place in level.walls.places() {
                let barred = level.has_wall(place, side);
                match level.walls.beside(place, side).filter(|_| !barred) {
                    Some(next) => relaxation.enterable[index][0].insert(next),
                    None if barred || level.edge_stops => relaxation.rest[index].insert(place),
                    None => {}
                }
            }
            for doublings in 1..MAX_DOUBLINGS {
                let half = relaxation.enterable[index][doublings - 1];
                relaxation.enterable[index][doublings] =
                    half.and(half.shift(side, 1 << (doublings - 1)));
            }
        }
        let mut goal = Set::EMPTY;
        goal.insert(level.place(level.goal));
        for side in Side::ALL {
            let blocker = relaxation.step(side, goal);
            let by_itself = relaxation.rest[side as usize].intersects(&goal);
            let from = relaxation.beyond(side.opposite(), goal);
            if by_itself || blocker != Set::EMPTY {
                let blocker = (!by_itself).then_some(blocker);
                relaxation.arrivals.push(Arrival { from, blocker });
            }
        }
        Some(relaxation)
    }

    /// The neighbours to one side, unless a wall is between.
    #[inline(always)]
    fn step(&self, side: Side, set: Set<WORDS, STRIDE>) -> Set<WORDS, STRIDE> {
        set.shift(side, 1).and(self.enterable[side as usize][0])
    }

    /// The rays of all cells to one side, up to a wall or the edge.
    #[inline(always)]
    fn beyond(&self, side: Side, set: Set<WORDS, STRIDE>) -> Set<WORDS, STRIDE> {
        let longest = match side {
            Side::Up | Side::Down => Set::<WORDS, STRIDE>::MAX_ROWS,
            Side::Left | Side::Right => STRIDE,
        };
        let mut beyond = self.step(side, set);
        for doublings in 0..longest.ilog2() as usize {
            let further = beyond.shift(side, 1 << doublings);
            beyond = beyond.or(further.and(self.enterable[side as usize][doublings]));
        }
        beyond
    }

    /// Where the movers may be after at most one slide, if there is a copy on every blocker cell.
    fn slide(
        &self,
        movers: &Set<WORDS, STRIDE>,
        blockers: &Set<WORDS, STRIDE>,
    ) -> Set<WORDS, STRIDE> {
        // Not a loop: with the sides written out, all distances are known at compile time.
        let up = self.slide_to(Side::Up, movers, blockers);
        let right = self.slide_to(Side::Right, movers, blockers);
        let down = self.slide_to(Side::Down, movers, blockers);
        let left = self.slide_to(Side::Left, movers, blockers);
        movers.or(up).or(right).or(down).or(left)
    }

    #[inline(always)]
    fn slide_to(
        &self,
        side: Side,
        movers: &Set<WORDS, STRIDE>,
        blockers: &Set<WORDS, STRIDE>,
    ) -> Set<WORDS, STRIDE> {
        let before = self.step(side.opposite(), *blockers);
        let stops = before.or(self.rest[side as usize]);
        self.beyond(side, *movers).and(stops)
    }

    /// Whether red may come to rest on the goal with one slide.
    fn arrives(&self, now: &Reached<WORDS, STRIDE>) -> bool {
        self.arrivals.iter().any(|arrival| {
            let stopped = arrival.blocker.as_ref();
            stopped.is_none_or(|cell| cell.intersects(&now.helpers))
                && arrival.from.intersects(&now.red)
        })
    }

    fn red_slides(&self, now: &Reached<WORDS, STRIDE>) -> Set<WORDS, STRIDE> {
        self.slide(&now.red, &now.helpers)
    }

    fn helpers_slide(&self, now: &Reached<WORDS, STRIDE>) -> Set<WORDS, STRIDE> {
        self.slide(&now.helpers, &now.helpers.or(now.red))
    }

    /// Whether red, which is not on the goal, reaches it after any number of relaxed slides.
    pub(super) fn reaches(&self, mut now: Reached<WORDS, STRIDE>) -> bool {
        while !self.arrives(&now) {
            let next = Reached {
                red: self.red_slides(&now),
                helpers: self.helpers_slide(&now),
            };
            if next == now {
                return false;
            }
            now = next;
        }
        true
    }

    /// The least number of relaxed slides of red and helpers together that bring red to the goal,
    /// but at most `MOST`. Red must not be on the goal. `None` if `reach` is set and red never
    /// arrives.
    pub(super) fn least_slides<const MOST: usize>(
        &self,
        start: Reached<WORDS, STRIDE>,
        reach: bool,
    ) -> Option<u32> {
        // Most dead ends show after a few slides at most, so reachability is checked late.
        const REACH_AFTER: usize = 3;
        // In each round: the sets for all splits of `slides - 1` slides into slides of helpers and
        // slides of red. The index is the number of slides of helpers.
        let mut splits = [start; MOST];
        for slides in 1..MOST {
            if splits[..slides].iter().any(|split| self.arrives(split)) {
                return Some(slides as u32);
            }
            if reach && slides == REACH_AFTER {
                let all = splits[..slides].iter().copied().reduce(|a, b| Reached {
                    red: a.red.or(b.red),
                    helpers: a.helpers.or(b.helpers),
                });
                if !self.reaches(all.expect("there is a split")) {
                    return None;
                }
            }
            // From the last to the first, so that the splits of one slide fewer are still there.
            // The added slide is red's or a helper's.
            splits[slides] = splits[slides - 1];
            splits[slides].helpers = self.helpers_slide(&splits[slides - 1]);
            for helpers in (1..slides).rev() {
                let (fewer, same) = (splits[helpers - 1], splits[helpers]);
                splits[helpers] = Reached {
                    red: fewer.red.or(self.red_slides(&same)),
                    helpers: same.helpers.or(self.helpers_slide(&fewer)),
                };
            }
            splits[0].red = self.red_slides(&splits[0]);
        }
        Some(MOST as u32)
    }
}
