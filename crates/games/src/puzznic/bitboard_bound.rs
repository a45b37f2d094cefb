//! The lower bound on bitboards: stars, closed floors and pits together; and the successors of a
//! board with their bounds.
//!
//! The cost of the stars (`stars.rs`) is a sum over the patterns, so it is cached for each set of
//! cells that the blocks of a pattern fill, and a move looks it up only for the patterns that it
//! changes. Crossing links and pits (`pits.rs`) take longer, and are computed only if the stars
//! alone do not prune a board.

use super::bitboard::{BitLevel, Bitboard, Set, WALL, members};
use super::nodes::prefetch;
use super::pits::Pit;
use super::rules::Puzznic;
use super::stars::Stars;
use crate::*;

/// The lower bound, with a cache for each set of cells that a pattern fills.
pub(super) struct BitboardBound<'a, S, const N: usize> {
    level: &'a Puzznic,
    bits: &'a BitLevel<S>,
    switches: &'a Switches,
    stars_on: bool,
    stars: Stars<'a>,
    pits: Vec<Pit<S, N>>,
    /// The stars with moves in the pits at no cost.
    above: Stars<'a>,
    pit_cells: Vec<u16>,
    /// Hash table with open addressing; the empty set marks an empty slot.
    table: Vec<(S, Entry)>,
    count: usize,
    /// Reused buffer.
    cells: Vec<u16>,
    /// Reused buffer: boards after a move, with a bit for each pattern that may have changed.
    successors: Vec<(Bitboard<S, N>, u32)>,
}

/// Eight bytes, so that as many as possible share a cache line.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The cost of the cheapest partition into stars.
    cost: u16,
    /// The same without moves in the pits; the highest bit is set if the cheapest partition has
    /// links.
    above_and_linked: u16,
    /// The number of the set in `stars`.
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

    /// 1 if the cheapest partition has links, else 0.
    fn linked(self) -> u32 {
        u32::from(self.above_and_linked >> 15)
    }
}

/// The cost of a dead end.
const DEAD_END: u16 = 1 << 12;
/// The largest number of cells of a pit. In larger ones the bound is weak.
const LARGEST_PIT: u32 = 8;
/// The table is cleared when it has more sets.
const MOST_ENTRIES: usize = 1 << 19;

impl<'a, S: Set, const N: usize> BitboardBound<'a, S, N> {
    pub(super) fn new(level: &'a Puzznic, bits: &'a BitLevel<S>, switches: &'a Switches) -> Self {
        let pits = if switches.on("stars") && switches.on("pits") {
            Pit::all(bits, LARGEST_PIT)
        } else {
            Vec::new()
        };
        let all = pits.iter().fold(S::EMPTY, |set, pit| set | pit.cells());
        let mut pit_cells = Vec::new();
        bits.cell_numbers(all, &mut pit_cells);
        let mut bound = Self {
            level,
            bits,
            switches,
            stars_on: switches.on("stars"),
            stars: Stars::new(&level.field, switches, &[]),
            pits,
            above: Stars::new(&level.field, switches, &pit_cells),
            pit_cells,
            table: vec![(S::EMPTY, Entry::default()); 1 << 10],
            count: 0,
            cells: Vec::new(),
            successors: Vec::new(),
        };
        // The empty set is number 0.
        bound.stars.add(&[]);
        bound
    }

    /// Clears the caches if they have become too large.
    fn clear_if_full(&mut self) {
        if self.count > MOST_ENTRIES {
            self.clear_caches();
        }
    }

    /// Clears the caches and frees their memory.
    pub(super) fn clear_caches(&mut self) {
        self.stars = Stars::new(&self.level.field, self.switches, &[]);
        self.stars.add(&[]);
        self.above = Stars::new(&self.level.field, self.switches, &self.pit_cells);
        self.table = vec![(S::EMPTY, Entry::default()); 1 << 10];
        self.count = 0;
        self.pits.iter_mut().for_each(Pit::clear_cache);
    }

    /// The lower bound of a board; `None` if it is a dead end.
    pub(super) fn lower_bound(&mut self, board: &Bitboard<S, N>) -> Option<u32> {
        let mut above = 0;
        for &set in &board[..self.bits.patterns] {
            let entry = self.entry(set);
            if entry.cost == DEAD_END {
                return None;
            }
            above += entry.above();
        }
        let linked_bound = self.linked_bound(board)?;
        Some(linked_bound.max(self.pit_bound(board, above)?))
    }

    /// The cost of the stars if no two may cross. No single pattern may be a dead end.
    fn linked_bound(&mut self, board: &Bitboard<S, N>) -> Option<u32> {
        if !self.stars_on {
            return Some(0);
        }
        let patterns = self.bits.patterns;
        let mut numbers = [0; N];
        for (number, &set) in numbers[..patterns].iter_mut().zip(board) {
            *number = self.entry(set).number;
        }
        self.stars.combined(&numbers[..patterns], u32::MAX - 1)
    }

    /// The cost of the stars above the pits (given) plus that of the pits; `None` for a dead end.
    fn pit_bound(&mut self, board: &Bitboard<S, N>, above: u32) -> Option<u32> {
        let mut sum = above;
        for pit in &mut self.pits {
            sum += pit.bound(self.bits, board)?;
        }
        Some(sum)
    }

    /// Calls `found` with each board after a move that is not a dead end, and its bound. Where `g`
    /// plus the stars' cost exceeds `f`, the stronger bounds are not computed. Returns the number
    /// of moves.
    pub(super) fn successors(
        &mut self,
        board: &Bitboard<S, N>,
        g: u32,
        f: u32,
        mut found: impl FnMut(&Bitboard<S, N>, u32),
    ) -> u64 {
        self.clear_if_full();
        let bits = self.bits;
        let blocks = bits.blocks(board);
        let mut known = [Entry::default(); N];
        let (mut sum, mut sum_above, mut links) = (0, 0, 0);
        for (entry, &set) in known[..bits.patterns].iter_mut().zip(board) {
            *entry = self.entry(set);
            sum += u32::from(entry.cost);
            sum_above += entry.above();
            links += entry.linked();
        }
        // All moves first, then all lookups, so that the prefetched entries arrive in time.
        let mut successors = std::mem::take(&mut self.successors);
        for pattern in 0..bits.patterns {
            for from in members(board[pattern]) {
                for to in [bits.left[from as usize], bits.right[from as usize]] {
                    if to == WALL || blocks & S::single(u32::from(to)) != S::EMPTY {
                        continue;
                    }
                    let mut after = *board;
                    let changed =
                        bits.move_and_settle(&mut after, blocks, pattern, from, u32::from(to));
                    for pattern in members(u64::from(changed)) {
                        prefetch(&self.table[self.slot(after[pattern as usize])]);
                    }
                    successors.push((after, changed));
                }
            }
        }
        let moves = successors.len() as u64;
        for (after, changed) in successors.drain(..) {
            let (mut h, mut above, mut linked, mut dead_end) = (sum, sum_above, links, false);
            for pattern in members(u64::from(changed)).map(|pattern| pattern as usize) {
                let (entry, before) = (self.entry(after[pattern]), known[pattern]);
                dead_end |= entry.cost == DEAD_END;
                h = h + u32::from(entry.cost) - u32::from(before.cost);
                above = above + entry.above() - before.above();
                linked = linked + entry.linked() - before.linked();
            }
            if dead_end {
                continue;
            }
            if g + h <= f && !self.pits.is_empty() {
                match self.pit_bound(&after, above) {
                    Some(sharper) => h = h.max(sharper),
                    None => continue,
                }
            }
            // Links can cross only if two patterns have links.
            if g + h <= f && linked > 1 {
                match self.linked_bound(&after) {
                    Some(sharper) => h = h.max(sharper),
                    None => continue,
                }
            }
            found(&after, h);
        }
        self.successors = successors;
        moves
    }

    fn slot(&self, set: S) -> usize {
        set.hash() as usize & (self.table.len() - 1)
    }

    fn entry(&mut self, set: S) -> Entry {
        if set == S::EMPTY {
            return Entry::default();
        }
        let mask = self.table.len() - 1;
        let mut slot = self.slot(set);
        loop {
            let (known, entry) = self.table[slot];
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
            let cost = if set.count() == 1 { DEAD_END } else { 0 };
            Entry::new(cost, 0, false, 0)
        } else {
            self.bits.cell_numbers(set, &mut self.cells);
            let number = self.stars.add(&self.cells);
            let cost = self.stars.cost(number).unwrap_or(DEAD_END);
            let linked = self.stars.linked(number);
            let above = if self.pits.is_empty() {
                0
            } else {
                let number = self.above.add(&self.cells);
                self.above.cost(number).unwrap_or(DEAD_END)
            };
            Entry::new(cost, above, linked, number)
        };
        self.count += 1;
        if self.count * 2 > self.table.len() {
            let larger = vec![(S::EMPTY, Entry::default()); self.table.len() * 2];
            for (set, entry) in std::mem::replace(&mut self.table, larger) {
                if set != S::EMPTY {
                    self.put(set, entry);
                }
            }
        }
        self.put(set, entry);
        entry
    }

    fn put(&mut self, set: S, entry: Entry) {
        let mask = self.table.len() - 1;
        let mut slot = self.slot(set);
        while self.table[slot].0 != S::EMPTY {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = (set, entry);
    }
}
