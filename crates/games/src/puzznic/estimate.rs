//! The bound for bit boards: stars, floors and pits together, and the successors of a board with it.
//!
//! The stars (`stars.rs`) need a number for each pattern alone, so it is kept by the set of cells that a pattern's
//! blocks fill, and a move asks for it anew only where a pattern has changed. Crossing links and pits (`pits.rs`) take
//! longer, and are looked at only where the stars alone do not rule a board out.

use super::bitboard::{Bitboard, Board, Set, WALL, members};
use super::nodes::fetch;
use super::pits::{self, Pit};
use super::rules::Puzznic;
use super::stars::Stars;
use crate::*;

/// The bound, kept by the set of bits that a pattern fills.
pub(super) struct Estimate<'a, S, const N: usize> {
    level: &'a Puzznic,
    board: &'a Bitboard<S>,
    switches: &'a Switches,
    stars_on: bool,
    stars: Stars<'a>,
    pits: Vec<Pit<S, N>>,
    /// Without the moves in the pits.
    above: Stars<'a>,
    in_pits: Vec<u16>,
    /// Open addressing; a set of no bits marks an empty slot.
    sets: Vec<(S, Entry)>,
    count: usize,
    cells: Vec<u16>,
    /// Boards after a move, with a bit for each pattern that may have changed.
    afters: Vec<(Board<S, N>, u32)>,
}

/// Eight bytes, so that a cache line has as many as it can.
#[derive(Clone, Copy, Default)]
struct Entry {
    cost: u16,
    /// Without the moves in the pits; the upper bit is set where the cheapest sharing has links.
    above_and_linked: u16,
    /// In `stars`.
    number: u32,
}

impl Entry {
    fn new(cost: u16, above: u16, linked: bool, number: u32) -> Self {
        Self {
            cost,
            above_and_linked: above | u16::from(linked) << 15,
            number,
        }
    }

    fn above(self) -> u32 {
        u32::from(self.above_and_linked & !(1 << 15))
    }

    /// 1 where the cheapest sharing has links.
    fn linked(self) -> u32 {
        u32::from(self.above_and_linked >> 15)
    }
}

/// The cost where there is no way.
const LOST: u16 = 1 << 12;
/// The largest pit that is looked at. In a wider one too much is possible.
const LARGEST_PIT: u32 = 8;
/// At most so many sets are kept.
const MOST_SETS: usize = 1 << 19;

impl<'a, S: Set, const N: usize> Estimate<'a, S, N> {
    pub(super) fn new(level: &'a Puzznic, board: &'a Bitboard<S>, switches: &'a Switches) -> Self {
        let pits = if switches.on("stars") && switches.on("pits") {
            Pit::all(board, LARGEST_PIT)
        } else {
            Vec::new()
        };
        let all = pits.iter().fold(S::EMPTY, |set, pit| set | pit.cells());
        let mut in_pits = Vec::new();
        board.cells(all, &mut in_pits);
        let mut estimate = Self {
            level,
            board,
            switches,
            stars_on: switches.on("stars"),
            stars: Stars::new(&level.field, switches, &[]),
            pits,
            above: Stars::new(&level.field, switches, &in_pits),
            in_pits,
            sets: vec![(S::EMPTY, Entry::default()); 1 << 10],
            count: 0,
            cells: Vec::new(),
            afters: Vec::new(),
        };
        // The empty set is number 0.
        estimate.stars.add(&[]);
        estimate
    }

    /// Forgets everything where it has become too much.
    fn make_room(&mut self) {
        if self.count > MOST_SETS {
            self.forget();
        }
    }

    /// Gives back the memory.
    pub(super) fn forget(&mut self) {
        self.stars = Stars::new(&self.level.field, self.switches, &[]);
        self.stars.add(&[]);
        self.above = Stars::new(&self.level.field, self.switches, &self.in_pits);
        self.sets = vec![(S::EMPTY, Entry::default()); 1 << 10];
        self.count = 0;
        self.pits.iter_mut().for_each(Pit::forget);
    }

    /// The bound for a whole board; `None` where it is lost.
    pub(super) fn whole(&mut self, board: &Board<S, N>) -> Option<u32> {
        let mut above = 0;
        for &one in &board[..self.board.patterns] {
            let entry = self.entry(one);
            if entry.cost == LOST {
                return None;
            }
            above += entry.above();
        }
        let crossed = self.crossed(board)?;
        Some(crossed.max(self.with_pits(board, above)?))
    }

    /// What the stars cost if no two may cross. No pattern is lost by itself.
    fn crossed(&mut self, board: &Board<S, N>) -> Option<u32> {
        if !self.stars_on {
            return Some(0);
        }
        let patterns = self.board.patterns;
        let mut numbers = [0; N];
        for (number, &one) in numbers[..patterns].iter_mut().zip(board) {
            *number = self.entry(one).number;
        }
        self.stars.together(&numbers[..patterns], u32::MAX - 1)
    }

    /// What the stars above the pits cost, and the pits; `None` where the board is lost.
    fn with_pits(&mut self, board: &Board<S, N>, above: u32) -> Option<u32> {
        let mut sum = above;
        for pit in &mut self.pits {
            let bound = pit.bound(self.board, board);
            if bound >= pits::LOST {
                return None;
            }
            sum += bound;
        }
        Some(sum)
    }

    /// Every board after a move that is not lost, with its bound. Where `g` and the bound come to more than `f`, it may
    /// be less than the best that is known. The answer is the number of moves.
    pub(super) fn successors(
        &mut self,
        board: &Board<S, N>,
        g: u32,
        f: u32,
        mut found: impl FnMut(&Board<S, N>, u32),
    ) -> u64 {
        self.make_room();
        let rules = self.board;
        let blocks = rules.blocks(board);
        let mut known = [Entry::default(); N];
        let (mut sum, mut sum_above, mut links) = (0, 0, 0);
        for (entry, &one) in known[..rules.patterns].iter_mut().zip(board) {
            *entry = self.entry(one);
            sum += u32::from(entry.cost);
            sum_above += entry.above();
            links += entry.linked();
        }
        // All moves first, then all lookups, so that memory has time to bring what is looked up.
        let mut afters = std::mem::take(&mut self.afters);
        for pattern in 0..rules.patterns {
            for from in members(board[pattern]) {
                for to in [rules.left[from as usize], rules.right[from as usize]] {
                    if to == WALL || blocks & S::one(u32::from(to)) != S::EMPTY {
                        continue;
                    }
                    let mut after = *board;
                    let changed = rules.step(&mut after, blocks, pattern, from, u32::from(to));
                    for pattern in members(u64::from(changed)) {
                        fetch(&self.sets[self.slot(after[pattern as usize])]);
                    }
                    afters.push((after, changed));
                }
            }
        }
        let moves = afters.len() as u64;
        for (after, changed) in afters.drain(..) {
            let (mut h, mut above, mut linked, mut lost) = (sum, sum_above, links, false);
            for pattern in members(u64::from(changed)).map(|pattern| pattern as usize) {
                let (entry, before) = (self.entry(after[pattern]), known[pattern]);
                lost |= entry.cost == LOST;
                h = h + u32::from(entry.cost) - u32::from(before.cost);
                above = above + entry.above() - before.above();
                linked = linked + entry.linked() - before.linked();
            }
            if lost {
                continue;
            }
            if g + h <= f && !self.pits.is_empty() {
                match self.with_pits(&after, above) {
                    Some(sharper) => h = h.max(sharper),
                    None => continue,
                }
            }
            // Links can cross only where two patterns have some.
            if g + h <= f && linked > 1 {
                match self.crossed(&after) {
                    Some(sharper) => h = h.max(sharper),
                    None => continue,
                }
            }
            found(&after, h);
        }
        self.afters = afters;
        moves
    }

    fn slot(&self, set: S) -> usize {
        set.hash() as usize & (self.sets.len() - 1)
    }

    fn entry(&mut self, set: S) -> Entry {
        if set == S::EMPTY {
            return Entry::default();
        }
        let mask = self.sets.len() - 1;
        let mut slot = self.slot(set);
        loop {
            let (known, entry) = self.sets[slot];
            if known == set {
                return entry;
            }
            if known == S::EMPTY {
                return self.add(set);
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, set: S) -> Entry {
        let entry = if !self.stars_on {
            let cost = if set.count() == 1 { LOST } else { 0 };
            Entry::new(cost, 0, false, 0)
        } else {
            self.board.cells(set, &mut self.cells);
            let number = self.stars.add(&self.cells);
            let cost = self.stars.cost(number).unwrap_or(LOST);
            let linked = self.stars.linked(number);
            let above = if self.pits.is_empty() {
                0
            } else {
                let number = self.above.add(&self.cells);
                self.above.cost(number).unwrap_or(LOST)
            };
            Entry::new(cost, above, linked, number)
        };
        self.count += 1;
        if self.count * 2 > self.sets.len() {
            let larger = vec![(S::EMPTY, Entry::default()); self.sets.len() * 2];
            for (set, entry) in std::mem::replace(&mut self.sets, larger) {
                if set != S::EMPTY {
                    self.put(set, entry);
                }
            }
        }
        self.put(set, entry);
        entry
    }

    fn put(&mut self, set: S, entry: Entry) {
        let mask = self.sets.len() - 1;
        let mut slot = self.slot(set);
        while self.sets[slot].0 != S::EMPTY {
            slot = (slot + 1) & mask;
        }
        self.sets[slot] = (set, entry);
    }
}
