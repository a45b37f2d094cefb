//! Binary decision diagrams (Bryant 1986) with complemented edges (Brace, Rudell and Bryant 1990), for
//! sets of states and for relations between states.
//!
//! A bit of a state has two levels: its value before an operator, and right below it the value after
//! the operator. Sets of states only have levels of the first kind. So the image of a set by a relation is
//! one recursion: conjunction, quantification and renaming together (`apply_relation`).
//!
//! Diagrams are edges into one table of nodes, in which equal nodes are one. Nodes are never freed by
//! themselves: between two operations, `collect` keeps those that the caller lists. All work polls
//! the budget, and leaves by [`Poll::step`] at a limit. That is why this is not a crate of decision diagrams:
//! OxiDD's and biodivine's operations cannot be ended, and may take minutes.

use ployglot_base::{Limit, Poll, prefer_large_pages};
use rustc_hash::FxHashMap;

/// A set: an edge to a node. The lowest bit complements it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bdd(u32);

/// The set of everything, and the empty set.
pub(super) const ALL: Bdd = Bdd(0);
pub(super) const NONE: Bdd = Bdd(1);

impl std::ops::Not for Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        Bdd(self.0 ^ 1)
    }
}

impl Bdd {
    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// A child of this edge's node, as seen through the edge.
    fn through(self, child: Bdd) -> Bdd {
        Bdd(child.0 ^ (self.0 & 1))
    }
}

/// A decision on a level. The edge for 1 is never complemented, so that equal sets have equal edges.
#[derive(Clone, Copy)]
struct Node {
    level: u32,
    zero: Bdd,
    one: Bdd,
    /// The next node with the same hash, or the next free node; 0: none.
    next: u32,
}

/// The level of the constants: below all others.
const BOTTOM: u32 = u32::MAX;

/// The level of a node that is free.
const FREE: u32 = u32::MAX - 1;

/// A relation between states before and after an operator.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// The pairs of states; about bits that are not changed it says nothing about the value after.
    pub pairs: Bdd,
    /// For each bit of a state, whether the relation may change it.
    pub changes: Box<[bool]>,
    /// One more than the last bit that may change.
    end: u32,
    /// For the cache: relations with the same `changes` may have the same number, others never.
    number: u32,
}

/// Which way a relation is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the states that follow.
    Forward,
    /// To the states that come before.
    Backward,
}

/// An operation in the cache. Those with a relation have its number and the direction.
const CONJUNCTION: u32 = 0;
const OVERLAP: u32 = 1;
const RELATIONS: u32 = 2;

/// A result that is remembered until another one takes its place.
#[derive(Clone, Copy)]
struct Cached {
    operation: u32,
    left: Bdd,
    right: Bdd,
    result: Bdd,
}

const NOT_CACHED: Cached = Cached {
    operation: u32::MAX,
    left: ALL,
    right: ALL,
    result: ALL,
};

/// The sizes of the hash table and of the cache at first; both are powers of 2.
const FIRST_BUCKETS: usize = 1 << 14;
const FIRST_CACHE: usize = 1 << 15;
/// The cache has at most this many entries.
const MOST_CACHED: usize = 1 << 24;

/// The table of nodes.
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    /// The first node of each hash value; 0: none.
    buckets: Vec<u32>,
    cache: Vec<Cached>,
    /// The first node that is free; 0: none.
    free: u32,
    /// Nodes in use.
    used: usize,
    /// Recursive calls so far.
    work: u64,
    /// Relations so far, by what they change.
    numbers: FxHashMap<Box<[bool]>, u32>,
    poll: Poll,
}

impl Diagrams {
    pub fn new(poll: &Poll) -> Self {
        let constant = Node {
            level: BOTTOM,
            zero: ALL,
            one: ALL,
            next: 0,
        };
        Self {
            nodes: vec![constant],
            buckets: vec![0; FIRST_BUCKETS],
            cache: vec![NOT_CACHED; FIRST_CACHE],
            free: 0,
            used: 1,
            work: 0,
            numbers: FxHashMap::default(),
            poll: poll.clone(),
        }
    }

    /// The number of nodes in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Recursive calls so far: what an operation took is the difference.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The states in which a bit is set; with `after`, those in which it is set after the operator.
    pub fn bit(&mut self, bit: u32, after: bool) -> Bdd {
        self.decision(bit * 2 + u32::from(after), NONE, ALL)
    }

    /// What both sets have.
    pub fn and(&mut self, left: Bdd, right: Bdd) -> Bdd {
        if left == right || right == ALL {
            return left;
        }
        if left == ALL {
            return right;
        }
        if left == NONE || right == NONE || left == !right {
            return NONE;
        }
        let (left, right) = (left.min(right), left.max(right));
        if let Some(known) = self.cached(CONJUNCTION, left, right) {
            return known;
        }
        self.step();
        let level = self.level(left).min(self.level(right));
        let (left_zero, left_one) = self.cofactors(left, level);
        let (right_zero, right_one) = self.cofactors(right, level);
        let zero = self.and(left_zero, right_zero);
        let one = self.and(left_one, right_one);
        let result = self.decision(level, zero, one);
        self.remember(CONJUNCTION, left, right, result)
    }

    /// What one of the sets has.
    pub fn or(&mut self, left: Bdd, right: Bdd) -> Bdd {
        !self.and(!left, !right)
    }

    /// What the first set has and the second has not.
    pub fn without(&mut self, left: Bdd, right: Bdd) -> Bdd {
        self.and(left, !right)
    }

    /// `then` where the condition holds, `otherwise` elsewhere.
    pub fn choose(&mut self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd {
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// What all sets have.
    pub fn all_of(&mut self, sets: &[Bdd]) -> Bdd {
        let negated: Vec<Bdd> = sets.iter().map(|&set| !set).collect();
        !self.any_of(&negated)
    }

    /// What one of the sets has, by halves, so that the intermediate results are small.
    pub fn any_of(&mut self, sets: &[Bdd]) -> Bdd {
        match *sets {
            [] => NONE,
            [one] => one,
            _ => {
                let (front, back) = sets.split_at(sets.len() / 2);
                let (front, back) = (self.any_of(front), self.any_of(back));
                self.or(front, back)
            }
        }
    }

    /// Whether the sets have a common element. Makes no nodes.
    pub fn overlap(&mut self, left: Bdd, right: Bdd) -> bool {
        if left == NONE || right == NONE || left == !right {
            return false;
        }
        // No other set is empty.
        if left == right || left == ALL || right == ALL {
            return true;
        }
        let (left, right) = (left.min(right), left.max(right));
        if let Some(known) = self.cached(OVERLAP, left, right) {
            return known == ALL;
        }
        self.step();
        let level = self.level(left).min(self.level(right));
        let (left_zero, left_one) = self.cofactors(left, level);
        let (right_zero, right_one) = self.cofactors(right, level);
        let overlap = self.overlap(left_zero, right_zero) || self.overlap(left_one, right_one);
        self.remember(OVERLAP, left, right, if overlap { ALL } else { NONE });
        overlap
    }

    /// A relation with these pairs, which changes these bits.
    pub fn relation(&mut self, pairs: Bdd, changes: Box<[bool]>) -> Relation {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(changes.clone()).or_insert(next);
        let last = changes.iter().rposition(|&changes| changes);
        Relation {
            pairs,
            end: last.map_or(0, |last| last as u32 + 1),
            changes,
            number,
        }
    }

    /// One relation for two.
    pub fn either(&mut self, left: &Relation, right: &Relation) -> Relation {
        let mut changes = left.changes.clone();
        for (changes, &also) in changes.iter_mut().zip(&right.changes) {
            *changes |= also;
        }
        let keeps = |diagrams: &mut Self, relation: &Relation| {
            let mut pairs = relation.pairs;
            for bit in (0..changes.len()).rev() {
                if changes[bit] && !relation.changes[bit] {
                    let same = diagrams.same(bit as u32);
                    pairs = diagrams.and(pairs, same);
                }
            }
            pairs
        };
        let left = keeps(self, left);
        let right = keeps(self, right);
        let pairs = self.or(left, right);
        self.relation(pairs, changes)
    }

    /// The pairs of states in which a bit is the same.
    pub fn same(&mut self, bit: u32) -> Bdd {
        let after = self.bit(bit, true);
        self.decision(bit * 2, !after, after)
    }

    /// The states that the relation leads to from a set, or from which it leads there.
    pub fn apply_relation(&mut self, set: Bdd, relation: &Relation, direction: Direction) -> Bdd {
        self.relate(set, relation.pairs, relation, direction)
    }

    fn relate(&mut self, set: Bdd, pairs: Bdd, relation: &Relation, direction: Direction) -> Bdd {
        if set == NONE || pairs == NONE {
            return NONE;
        }
        let level = self.level(set).min(self.level(pairs));
        let bit = level / 2;
        if bit >= relation.end {
            return self.and(set, pairs);
        }
        let backward = direction == Direction::Backward;
        let operation = RELATIONS + 2 * relation.number + u32::from(backward);
        if let Some(known) = self.cached(operation, set, pairs) {
            return known;
        }
        self.step();
        let before = bit * 2;
        let (set_zero, set_one) = self.cofactors(set, before);
        let (pairs_zero, pairs_one) = self.cofactors(pairs, before);
        let result = if relation.changes[bit as usize] {
            let (zero_zero, zero_one) = self.cofactors(pairs_zero, before + 1);
            let (one_zero, one_one) = self.cofactors(pairs_one, before + 1);
            let (zero_one, one_zero) = match backward {
                false => (zero_one, one_zero),
                true => (one_zero, zero_one),
            };
            let mut either = |from_zero, from_one| {
                let first = self.relate(set_zero, from_zero, relation, direction);
                if first == ALL {
                    return ALL;
                }
                let second = self.relate(set_one, from_one, relation, direction);
                self.or(first, second)
            };
            let zero = either(zero_zero, one_zero);
            let one = either(zero_one, one_one);
            self.decision(before, zero, one)
        } else {
            let zero = self.relate(set_zero, pairs_zero, relation, direction);
            let one = self.relate(set_one, pairs_one, relation, direction);
            self.decision(before, zero, one)
        };
        self.remember(operation, set, pairs, result)
    }

    /// Whether a state, given by its bits, is in a set.
    pub fn contains(&self, set: Bdd, bits: &[bool]) -> bool {
        let mut edge = set;
        while edge.node() != 0 {
            let node = &self.nodes[edge.node()];
            edge = edge.through(match bits[node.level as usize / 2] {
                true => node.one,
                false => node.zero,
            });
        }
        edge == ALL
    }

    /// The bits of some state of a set that is not empty. Bits that do not matter are not set.
    pub fn some_state(&self, set: Bdd, bits: usize) -> Vec<bool> {
        let mut state = vec![false; bits];
        let mut edge = set;
        while edge.node() != 0 {
            let node = &self.nodes[edge.node()];
            let zero = edge.through(node.zero);
            edge = if zero == NONE {
                state[node.level as usize / 2] = true;
                edge.through(node.one)
            } else {
                zero
            };
        }
        assert!(edge == ALL, "the set is not empty");
        state
    }

    /// The set of one state.
    pub fn state(&mut self, bits: &[bool]) -> Bdd {
        let mut set = ALL;
        for (bit, &value) in bits.iter().enumerate().rev() {
            let level = bit as u32 * 2;
            set = match value {
                true => self.decision(level, NONE, set),
                false => self.decision(level, set, NONE),
            };
        }
        set
    }

    /// The number of states in a set of states with this many bits.
    pub fn count(&self, set: Bdd, bits: usize) -> f64 {
        let mut shares = FxHashMap::default();
        self.share(set, &mut shares) * (bits as f64).exp2()
    }

    /// The share of all states that a set has.
    fn share(&self, set: Bdd, shares: &mut FxHashMap<usize, f64>) -> f64 {
        let through = |share: f64| if set.0 & 1 == 0 { share } else { 1.0 - share };
        if set.node() == 0 {
            return through(1.0);
        }
        if let Some(&known) = shares.get(&set.node()) {
            return through(known);
        }
        self.visit(shares.len());
        let node = self.nodes[set.node()];
        let share = (self.share(node.zero, shares) + self.share(node.one, shares)) / 2.0;
        shares.insert(set.node(), share);
        through(share)
    }

    /// The number of nodes of sets together, or `most` if they have more.
    pub fn size(&self, sets: &[Bdd], most: usize) -> usize {
        let mut seen = Marks::new(self.nodes.len());
        let mut size = 0;
        let mut open: Vec<usize> = sets.iter().map(|set| set.node()).collect();
        while let Some(at) = open.pop() {
            if at == 0 || !seen.add(at) {
                continue;
            }
            size += 1;
            if size >= most {
                return most;
            }
            self.visit(size);
            let node = &self.nodes[at];
            open.extend([node.zero.node(), node.one.node()]);
        }
        size
    }

    /// Frees all nodes but those of the sets that are listed, and of relations by their pairs.
    pub fn collect(&mut self, live: impl IntoIterator<Item = Bdd>) {
        let mut keep = Marks::new(self.nodes.len());
        let mut kept = 0;
        let mut open: Vec<usize> = live.into_iter().map(Bdd::node).collect();
        while let Some(at) = open.pop() {
            if at != 0 && keep.add(at) {
                kept += 1;
                self.visit(kept);
                let node = &self.nodes[at];
                open.extend([node.zero.node(), node.one.node()]);
            }
        }
        self.buckets.fill(0);
        self.cache.fill(NOT_CACHED);
        self.free = 0;
        self.used = 1;
        // Low numbers are used again first.
        for at in (1..self.nodes.len()).rev() {
            self.visit(at);
            if keep.has(at) {
                self.used += 1;
                self.link(at);
            } else {
                self.nodes[at].level = FREE;
                self.nodes[at].next = self.free;
                self.free = at as u32;
            }
        }
    }

    fn level(&self, set: Bdd) -> u32 {
        self.nodes[set.node()].level
    }

    /// The parts of a set in which the bit of a level is 0 and 1. The set has no level above it.
    fn cofactors(&self, set: Bdd, level: u32) -> (Bdd, Bdd) {
        let node = &self.nodes[set.node()];
        match node.level == level {
            true => (set.through(node.zero), set.through(node.one)),
            false => (set, set),
        }
    }

    /// The set that is `zero` where the bit of the level is 0, and `one` where it is 1.
    fn decision(&mut self, level: u32, zero: Bdd, one: Bdd) -> Bdd {
        if zero == one {
            return zero;
        }
        let sign = one.0 & 1;
        let (zero, one) = (Bdd(zero.0 ^ sign), Bdd(one.0 ^ sign));
        let mut at = self.buckets[self.bucket(level, zero, one)];
        while at != 0 {
            let node = &self.nodes[at as usize];
            if (node.level, node.zero, node.one) == (level, zero, one) {
                return Bdd(at << 1 | sign);
            }
            at = node.next;
        }
        let node = Node {
            level,
            zero,
            one,
            next: 0,
        };
        let at = match self.free {
            0 => {
                if self.nodes.len() == self.nodes.capacity() {
                    let more = self.nodes.len().max(FIRST_BUCKETS);
                    self.poll.allocate::<Node>((self.nodes.len() + more) as u64);
                    self.nodes.reserve_exact(more);
                    prefer_large_pages(&self.nodes);
                }
                // An edge has 31 bits for a node.
                if self.nodes.len() >= 1 << 31 {
                    self.poll.leave(Limit::Memory);
                }
                self.nodes.push(node);
                self.nodes.len() - 1
            }
            free => {
                let at = free as usize;
                self.free = self.nodes[at].next;
                self.nodes[at] = node;
                at
            }
        };
        self.used += 1;
        self.link(at);
        if self.used > self.buckets.len() / 2 {
            self.grow();
        }
        Bdd((at as u32) << 1 | sign)
    }

    /// Puts a node into the list of its hash value.
    fn link(&mut self, at: usize) {
        let Node {
            level, zero, one, ..
        } = self.nodes[at];
        let bucket = self.bucket(level, zero, one);
        self.nodes[at].next = self.buckets[bucket];
        self.buckets[bucket] = at as u32;
    }

    /// Doubles the hash table and, up to its limit, the cache.
    fn grow(&mut self) {
        let size = self.buckets.len() * 2;
        self.poll.allocate::<u32>(size as u64);
        self.buckets = vec![0; size];
        prefer_large_pages(&self.buckets);
        for at in 1..self.nodes.len() {
            self.visit(at);
            if self.nodes[at].level != FREE {
                self.link(at);
            }
        }
        let cached = self.cache.len() * 2;
        if cached <= MOST_CACHED {
            self.poll.allocate::<Cached>(cached as u64);
            let mut larger = Vec::with_capacity(cached);
            prefer_large_pages(&larger);
            larger.resize(cached, NOT_CACHED);
            let before = std::mem::replace(&mut self.cache, larger);
            for entry in before {
                if entry.operation != NOT_CACHED.operation {
                    let place = self.place(entry.operation, entry.left, entry.right);
                    self.cache[place] = entry;
                }
            }
        }
    }

    fn bucket(&self, level: u32, zero: Bdd, one: Bdd) -> usize {
        hash(level, zero.0, one.0) as usize & (self.buckets.len() - 1)
    }

    fn place(&self, operation: u32, left: Bdd, right: Bdd) -> usize {
        hash(operation, left.0, right.0) as usize & (self.cache.len() - 1)
    }

    fn cached(&self, operation: u32, left: Bdd, right: Bdd) -> Option<Bdd> {
        let entry = &self.cache[self.place(operation, left, right)];
        let found = (entry.operation, entry.left, entry.right) == (operation, left, right);
        found.then_some(entry.result)
    }

    fn remember(&mut self, operation: u32, left: Bdd, right: Bdd, result: Bdd) -> Bdd {
        let place = self.place(operation, left, right);
        self.cache[place] = Cached {
            operation,
            left,
            right,
            result,
        };
        result
    }

    /// Polls after so many nodes that were only read.
    fn visit(&self, count: usize) {
        if count.is_multiple_of(16) {
            self.poll.step();
        }
    }

    fn step(&mut self) {
        self.work += 1;
        // One call takes far less time than a step of a poll may.
        if self.work.is_multiple_of(16) {
            self.poll.step();
        }
    }
}

/// Nodes that were visited.
struct Marks(Vec<u64>);

impl Marks {
    fn new(nodes: usize) -> Self {
        Self(vec![0; nodes.div_ceil(64)])
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Whether it was not there.
    fn add(&mut self, at: usize) -> bool {
        let new = !self.has(at);
        self.0[at / 64] |= 1 << (at % 64);
        new
    }
}

/// Three numbers in one; the upper half of a product depends on all of their bits.
fn hash(first: u32, second: u32, third: u32) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (u64::from(second) << 32 | u64::from(third)).wrapping_mul(ODD);
    let mixed = (mixed ^ mixed >> 32 ^ u64::from(first) << 7).wrapping_mul(ODD);
    mixed >> 32
}

#[cfg(test)]
mod tests;
