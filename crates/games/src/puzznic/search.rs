//! A* over bit boards, for levels that fit into them.
//!
//! The bound (`stars.rs`) needs a number for each pattern alone, so it is kept by the set of cells that a pattern's
//! blocks fill, and a move asks for it anew only where a pattern has changed. That makes a move a matter of a few dozen
//! instructions, and memory the limit. Hence *partial expansion* (Yoshizumi, Miura and Ishida 2000): of a state's
//! successors only those are stored whose f is the current one, and the state waits for its next turn under the least f
//! of the others. On the hardest levels five of six successors are never stored. Among equal f the youngest goes first,
//! so that the last round finds its plan early.
//!
//! Breadth-first search below a growing limit on f was tried: it stores the same states, but its last round, where the
//! plan is, goes through all of them.

use super::bitboard::{Bitboard, Board, Packed, bits};
use super::fast::State;
use super::rules::{Move, Puzznic};
use super::stars::Stars;
use crate::*;

pub(super) const SEARCHES: &[OwnSearch<Puzznic>] = &[OwnSearch {
    name: "bitboard",
    about: "A* over bit boards, which stores only the successors that it needs next",
    measures: &["moves"],
    run: |level, _measure, switches, budget| search(level, switches, budget),
}];

/// Whether the search can take this level.
pub(super) fn fits(level: &Puzznic) -> bool {
    let patterns = level.letters.len();
    patterns <= MOST_PATTERNS && Bitboard::new(level).is_some_and(|bits| bits.words() <= MOST_WORDS)
}

const MOST_PATTERNS: usize = 16;
const MOST_WORDS: usize = 4;

pub(super) fn search(level: &Puzznic, switches: &Switches, budget: &Budget) -> Report<Move> {
    if level.is_goal(&level.start) {
        let (plan, cost) = (Vec::new(), 0);
        return Report {
            outcome: Outcome::Optimal { plan, cost },
            effort: Effort::default(),
        };
    }
    let board = Bitboard::new(level).filter(|_| level.letters.len() <= MOST_PATTERNS);
    let Some(board) = board.filter(|board| board.words() <= MOST_WORDS) else {
        return Report {
            outcome: Outcome::GaveUp {
                at_least: 1,
                why: Limit::Incomplete,
            },
            effort: Effort::default(),
        };
    };
    match (level.letters.len() <= 8, board.words()) {
        (true, 1) => Search::<8, 1>::new(level, &board, switches).run(budget),
        (true, 2) => Search::<8, 2>::new(level, &board, switches).run(budget),
        (true, _) => Search::<8, MOST_WORDS>::new(level, &board, switches).run(budget),
        (false, _) => Search::<MOST_PATTERNS, MOST_WORDS>::new(level, &board, switches).run(budget),
    }
}

struct Search<'a, const N: usize, const W: usize> {
    level: &'a Puzznic,
    board: &'a Bitboard,
    estimate: Estimate<'a>,
    nodes: Nodes<W>,
    /// By f, the states that wait for a turn.
    open: Vec<Vec<u32>>,
    effort: Effort,
}

#[derive(Clone, Copy)]
struct Node<const W: usize> {
    state: Packed<W>,
    parent: u32,
    g: u16,
    /// `AGAIN` is set after the first turn.
    h: u16,
}

const AGAIN: u16 = 1 << 15;

impl<'a, const N: usize, const W: usize> Search<'a, N, W> {
    fn new(level: &'a Puzznic, board: &'a Bitboard, switches: &Switches) -> Self {
        Self {
            level,
            board,
            estimate: Estimate::new(level, board, switches),
            nodes: Nodes::new(),
            open: Vec::new(),
            effort: Effort::default(),
        }
    }

    fn run(mut self, budget: &Budget) -> Report<Move> {
        let outcome = self.outcome(budget);
        self.effort.stored = self.nodes.len() as u64;
        Report {
            outcome,
            effort: self.effort,
        }
    }

    fn outcome(&mut self, budget: &Budget) -> Outcome<Move> {
        let start: Board<N> = self.board.board(&self.level.start);
        let Some(h) = self.estimate.whole(&start) else {
            return Outcome::Unsolvable;
        };
        self.nodes.insert(Node {
            state: self.board.pack(&start),
            parent: u32::MAX,
            g: 0,
            h: h as u16,
        });
        self.wait(h, 0);
        let mut f = h as usize;
        while f < self.open.len() {
            let Some(id) = self.open[f].pop() else {
                self.open[f] = Vec::new();
                f += 1;
                continue;
            };
            if self.effort.expanded.is_multiple_of(256) {
                let expanded = self.effort.expanded;
                let progress = || Progress {
                    phase: "bound",
                    depth: f as u32,
                    expanded,
                    stored: self.nodes.len() as u64,
                    at_least: f as u32,
                    ..Progress::default()
                };
                let why = budget.check(progress).err();
                let full = || (!self.nodes.has_room(budget)).then_some(Limit::Memory);
                if let Some(why) = why.or_else(full) {
                    let at_least = f as u32;
                    return Outcome::GaveUp { at_least, why };
                }
            }
            if let Some(goal) = self.expand(id, f as u32) {
                let plan = self.plan(goal);
                let cost = plan.len() as u32;
                return Outcome::Optimal { plan, cost };
            }
        }
        Outcome::Unsolvable
    }

    fn wait(&mut self, f: u32, id: u32) {
        let f = f as usize;
        if self.open.len() <= f {
            self.open.resize_with(f + 1, Vec::new);
        }
        self.open[f].push(id);
    }

    /// A turn: stores the successors whose f has come, and waits for the others. The goal, if it is one of them.
    fn expand(&mut self, id: u32, f: u32) -> Option<u32> {
        let node = *self.nodes.get(id);
        self.nodes.get_mut(id).h |= AGAIN;
        self.effort.expanded += 1;
        self.estimate.make_room();
        let board: Board<N> = self.board.unpack(&node.state);
        let blocks = self.board.blocks(&board);
        let empty = self.board.floor & !blocks;
        let patterns = self.board.patterns;
        let across = self.board.across;
        let mut known = [Entry::default(); N];
        let (mut sum, mut links) = (0, 0);
        for (entry, &one) in known[..patterns].iter_mut().zip(&board) {
            *entry = self.estimate.entry(one);
            sum += u32::from(entry.cost);
            links += entry.linked;
        }
        let g = u32::from(node.g) + 1;
        let mut next = u32::MAX;
        for pattern in 0..patterns {
            let left = bits(board[pattern] & empty << across).map(|from| (from, from - across));
            let right = bits(board[pattern] & empty >> across).map(|from| (from, from + across));
            for (from, to) in left.chain(right) {
                self.effort.generated += 1;
                let mut after = board;
                let changed = self.board.step(&mut after, blocks, pattern, from, to);
                let (mut h, mut linked, mut lost) = (sum, links, false);
                for pattern in bits(u128::from(changed)).map(|pattern| pattern as usize) {
                    let (entry, before) = (self.estimate.entry(after[pattern]), known[pattern]);
                    lost |= entry.cost == LOST;
                    h = h + u32::from(entry.cost) - u32::from(before.cost);
                    linked = linked + entry.linked - before.linked;
                }
                if lost {
                    continue;
                }
                // Links can cross only where two patterns have some; that takes longer to find out.
                if linked > 1 && g + h <= f {
                    match self.estimate.whole(&after) {
                        Some(sharper) => h = sharper,
                        None => continue,
                    }
                }
                if g + h > f {
                    next = next.min(g + h);
                    continue;
                }
                if g + h < f && node.h & AGAIN > 0 {
                    continue;
                }
                let child = Node {
                    state: self.board.pack(&after),
                    parent: id,
                    g: g as u16,
                    h: h as u16,
                };
                if let Some(child) = self.nodes.insert(child) {
                    if self.board.blocks(&after) == 0 {
                        return Some(child);
                    }
                    self.wait(f, child);
                }
            }
        }
        if next < u32::MAX {
            self.wait(next, id);
        }
        None
    }

    /// The moves that lead to this state: the packed boards on the way tell them.
    fn plan(&self, goal: u32) -> Vec<Move> {
        let mut way = Vec::new();
        let mut id = goal;
        while self.nodes.get(id).parent != u32::MAX {
            way.push(self.nodes.get(id).state);
            id = self.nodes.get(id).parent;
        }
        let mut state = self.level.start();
        let mut plan = Vec::new();
        for packed in way.into_iter().rev() {
            let pack =
                |state: &State| -> Packed<W> { self.board.pack(&self.board.board::<N>(state)) };
            let mut moves = Vec::new();
            self.level.moves(&state, &mut moves);
            let mut moves = moves.into_iter();
            let mv = moves.find(|&mv| pack(&self.level.apply(&state, mv)) == packed);
            let mv = mv.expect("the fast rules and the bit boards agree");
            state = self.level.apply(&state, mv);
            plan.push(mv);
        }
        plan
    }
}

/// All states that were stored, and where to find them.
struct Nodes<const W: usize> {
    chunks: Vec<Vec<Node<W>>>,
    /// Open addressing; `u32::MAX` is empty.
    table: Vec<u32>,
    count: usize,
}

const CHUNK: usize = 1 << 16;

impl<const W: usize> Nodes<W> {
    fn new() -> Self {
        Self {
            chunks: Vec::new(),
            table: vec![u32::MAX; 1 << 12],
            count: 0,
        }
    }

    fn len(&self) -> usize {
        self.count
    }

    fn get(&self, id: u32) -> &Node<W> {
        &self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }

    fn get_mut(&mut self, id: u32) -> &mut Node<W> {
        &mut self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }

    /// Whether the table, if it must grow soon, may. One turn adds at most a few hundred states.
    fn has_room(&self, budget: &Budget) -> bool {
        let soon = self.count + CHUNK;
        let grows = soon * 4 > self.table.len() * 3;
        soon < u32::MAX as usize && (!grows || budget.affords(self.table.len() as u64 * 8))
    }

    /// Stores a state that is new, or reached at less cost than before; its number then.
    fn insert(&mut self, node: Node<W>) -> Option<u32> {
        if self.count * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(&node.state) as usize & mask;
        while self.table[slot] != u32::MAX {
            let id = self.table[slot];
            let known = self.get_mut(id);
            if known.state == node.state {
                if known.g <= node.g {
                    return None;
                }
                *known = node;
                return Some(id);
            }
            slot = (slot + 1) & mask;
        }
        let id = self.count as u32;
        self.table[slot] = id;
        if self.count.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks.last_mut().expect("there is one").push(node);
        self.count += 1;
        Some(id)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        // The old table goes before the new one comes: memory is what is short.
        self.table = Vec::new();
        self.table = vec![u32::MAX; size];
        for (id, node) in self.chunks.iter().flatten().enumerate() {
            let mut slot = hash(&node.state) as usize & (size - 1);
            while self.table[slot] != u32::MAX {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = id as u32;
        }
    }
}

fn hash<const W: usize>(words: &[u64; W]) -> u64 {
    let mut hash = 0u64;
    for &word in words {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash
}

/// The bound, kept by the set of bits that a pattern fills.
struct Estimate<'a> {
    level: &'a Puzznic,
    board: &'a Bitboard,
    stars_on: bool,
    floors_on: bool,
    stars: Stars<'a>,
    /// Open addressing; a set of no bits marks an empty slot.
    sets: Vec<(u128, Entry)>,
    count: usize,
    cells: Vec<u16>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    cost: u16,
    /// 1 where the cheapest sharing has links.
    linked: u8,
    /// In `stars`.
    number: u32,
}

/// The cost where there is no way.
const LOST: u16 = 1 << 12;
/// At most so many sets are kept.
const MOST_SETS: usize = 1 << 21;

impl<'a> Estimate<'a> {
    fn new(level: &'a Puzznic, board: &'a Bitboard, switches: &Switches) -> Self {
        let floors_on = switches.on("floors");
        let mut stars = Stars::new(&level.field, floors_on);
        // The empty set is number 0.
        stars.add(&[]);
        Self {
            level,
            board,
            stars_on: switches.on("stars"),
            floors_on,
            stars,
            sets: vec![(0, Entry::default()); 1 << 10],
            count: 0,
            cells: Vec::new(),
        }
    }

    /// Forgets everything where it has become too much.
    fn make_room(&mut self) {
        if self.count > MOST_SETS {
            self.stars = Stars::new(&self.level.field, self.floors_on);
            self.stars.add(&[]);
            self.sets.fill((0, Entry::default()));
            self.count = 0;
        }
    }

    /// The bound for a whole board; `None` where it is lost.
    fn whole<const N: usize>(&mut self, board: &Board<N>) -> Option<u32> {
        let patterns = self.board.patterns;
        let mut numbers = [0; N];
        for (number, &one) in numbers[..patterns].iter_mut().zip(board) {
            let entry = self.entry(one);
            if entry.cost == LOST {
                return None;
            }
            *number = entry.number;
        }
        if !self.stars_on {
            return Some(0);
        }
        self.stars.together(&numbers[..patterns], u32::MAX - 1)
    }

    fn entry(&mut self, set: u128) -> Entry {
        if set == 0 {
            return Entry::default();
        }
        let mask = self.sets.len() - 1;
        let mut slot = slot(set) & mask;
        loop {
            let (known, entry) = self.sets[slot];
            if known == set {
                return entry;
            }
            if known == 0 {
                return self.add(set);
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, set: u128) -> Entry {
        let mut entry = Entry::default();
        if !self.stars_on {
            entry.cost = if set.count_ones() == 1 { LOST } else { 0 };
        } else {
            self.board.cells(set, &mut self.cells);
            entry.number = self.stars.add(&self.cells);
            entry.cost = self.stars.cost(entry.number).unwrap_or(LOST);
            entry.linked = u8::from(self.stars.linked(entry.number));
        }
        self.count += 1;
        if self.count * 2 > self.sets.len() {
            let larger = vec![(0, Entry::default()); self.sets.len() * 2];
            for (set, entry) in std::mem::replace(&mut self.sets, larger) {
                if set > 0 {
                    self.put(set, entry);
                }
            }
        }
        self.put(set, entry);
        entry
    }

    fn put(&mut self, set: u128, entry: Entry) {
        let mask = self.sets.len() - 1;
        let mut slot = slot(set) & mask;
        while self.sets[slot].0 != 0 {
            slot = (slot + 1) & mask;
        }
        self.sets[slot] = (set, entry);
    }
}

fn slot(set: u128) -> usize {
    let folded = set as u64 ^ ((set >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30) as usize
}
