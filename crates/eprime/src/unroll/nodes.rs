//! The store of terms: boolean and integer terms without quantifiers, each stored once (hash
//! consing), so that a term that occurs in several constraints, or at several horizons, is one
//! node.
//!
//! A `Bool` is a node with a sign, so that a term and its negation share a node: an *or* is the
//! negation of an *and* of negations, `≠` the negation of `=`. The constructors fold constants as
//! they build; a term whose value is known is never stored.
//!
//! Terms are built against the declared domains, so that the same constraint of two horizons is the
//! same node. `simplify.rs` rebuilds them against the domains known by then (`current`).

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use ployglot_base::Poll;
use ployglot_csp::{Domain, Literal, Quantity, VarId};
use rustc_hash::FxBuildHasher;

use super::arithmetic::LIMIT;
use super::merge::Representatives;

/// A boolean term: a node or its negation. The lowest bit is the sign; node 0 is *true*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bool(pub(crate) u32);

/// An integer term: a number, or a node that is no constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Int {
    /// A number.
    Constant(i64),
    /// A node of the store.
    Node(IntId),
}

/// The place of an integer node in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntId(u32);

/// What a boolean node is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BoolNode {
    True,
    /// Always `Is` or `AtLeast`; `IsNot` and `AtMost` are their negations.
    Literal(Literal),
    /// At least two parts, sorted, none of them an *and* itself.
    And(Box<[Bool]>),
    /// Both sides are true, or both are false. The sides have no sign.
    Iff(Bool, Bool),
    /// The sum of factor times term equals the bound, or is at most the bound.
    Linear {
        terms: Box<[(i64, IntId)]>,
        equal: bool,
        bound: i64,
    },
    /// No two items are equal, unless they have the excepted value, if there is one.
    AllDifferent(Box<[Int]>, Option<i64>),
    /// The items are one of the rows; the rows are `Nodes::rows` at this place.
    Table(Box<[Int]>, u32),
}

/// What an integer node is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntNode {
    Var(VarId),
    /// 1 where the term is true, 0 where it is false; the term has no sign.
    FromBool(Bool),
    /// The sum of factor times term, plus a constant.
    Sum(Box<[(i64, IntId)]>, i64),
    /// One of the items, row by row, as the indices pick it.
    Element {
        items: Box<[Int]>,
        indices: Box<[OpenIndex]>,
    },
    Product(Int, Int),
    Quotient(Int, Int),
    Remainder(Int, Int),
    Power(Int, Int),
    Absolute(IntId),
    Minimum(Box<[Int]>),
    Maximum(Box<[Int]>),
}

/// An index that is not constant, with the values that pick the first row, the second, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OpenIndex {
    pub index: IntId,
    pub members: Box<[i64]>,
}

/// The terms of a problem, and what is known about its variables.
#[derive(Default)]
pub(crate) struct Nodes {
    bools: Vec<BoolNode>,
    bool_table: HashTable<u32>,
    /// The integer nodes, each with its least and its greatest value.
    ints: Vec<(IntNode, (i64, i64))>,
    int_table: HashTable<u32>,
    /// The rows of all tables.
    pub rows: Vec<Vec<Vec<i64>>>,
    /// The domain of each variable as declared.
    pub declared: Vec<Domain>,
    /// The domain of each variable as constraints that hold permanently have shrunk it.
    pub current: Vec<Domain>,
    /// For each merged variable, what it was merged into.
    pub representatives: Representatives,
    /// Whether constructors use `current` and `representatives`, not the declared domains.
    pub use_current: bool,
    /// Variables that are always equal are not merged.
    pub keep_equal: bool,
    /// A number was too large to be represented.
    pub overflow: bool,
    /// Ends the work at a limit.
    pub poll: Poll,
}

impl IntId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Bool {
    /// The constant *true*.
    pub const TRUE: Bool = Bool(0);
    /// The constant *false*.
    pub const FALSE: Bool = Bool(1);

    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// A constant.
    pub fn of(value: bool) -> Bool {
        match value {
            true => Bool::TRUE,
            false => Bool::FALSE,
        }
    }

    /// The value, if the term is a constant.
    pub fn known(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 0)
    }
}

impl std::ops::Not for Bool {
    type Output = Bool;

    fn not(self) -> Bool {
        Bool(self.0 ^ 1)
    }
}

/// The least value of the domain that is at least `value`; there is one.
fn next(domain: &Domain, value: i32) -> i32 {
    let mut ranges = domain.ranges().iter();
    let range = ranges.find(|&&(_, high)| high >= value);
    range.map_or(value, |&(low, _)| low.max(value))
}

fn hash(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

impl Nodes {
    pub fn new() -> Self {
        Nodes {
            bools: vec![BoolNode::True],
            ..Nodes::default()
        }
    }

    pub fn bool(&self, term: Bool) -> &BoolNode {
        &self.bools[term.node()]
    }

    pub fn bool_count(&self) -> usize {
        self.bools.len()
    }

    pub fn int_count(&self) -> usize {
        self.ints.len()
    }

    pub fn int(&self, node: IntId) -> &IntNode {
        &self.ints[node.index()].0
    }

    pub(super) fn intern_bool(&mut self, node: BoolNode) -> Bool {
        self.poll.step();
        let key = hash(&node);
        let bools = &self.bools;
        let found = self.bool_table.find(key, |&id| bools[id as usize] == node);
        if let Some(&id) = found {
            return Bool(id << 1);
        }
        let id = self.bools.len() as u32;
        let rehash = |&id: &u32| hash(&bools[id as usize]);
        self.bool_table.insert_unique(key, id, rehash);
        self.bools.push(node);
        Bool(id << 1)
    }

    /// The node, stored once; a constant if the bounds leave one value.
    pub(super) fn intern_int(&mut self, node: IntNode, bounds: (i64, i64)) -> Int {
        self.poll.step();
        if bounds.0 < -LIMIT || bounds.1 > LIMIT {
            self.overflow = true;
            return Int::Constant(0);
        }
        if bounds.0 == bounds.1 {
            return Int::Constant(bounds.0);
        }
        let key = hash(&node);
        let ints = &self.ints;
        let found = self.int_table.find(key, |&id| ints[id as usize].0 == node);
        if let Some(&id) = found {
            return Int::Node(IntId(id));
        }
        let id = self.ints.len() as u32;
        let rehash = |&id: &u32| hash(&ints[id as usize].0);
        self.int_table.insert_unique(key, id, rehash);
        self.ints.push((node, bounds));
        Int::Node(IntId(id))
    }

    /// The domain of a variable that the constructors use at present.
    pub fn domain(&self, var: VarId) -> &Domain {
        match self.use_current {
            true => &self.current[var.index()],
            false => &self.declared[var.index()],
        }
    }

    /// What the variable was merged into; `None` if it was not, or if constructors use the declared
    /// domains at present.
    fn representative(&self, var: VarId) -> Option<Quantity> {
        self.representatives.of(var).filter(|_| self.use_current)
    }

    /// The least and the greatest value that the term may have.
    pub fn bounds(&self, int: Int) -> (i64, i64) {
        let node = match int {
            Int::Constant(number) => return (number, number),
            Int::Node(node) => node,
        };
        match self.ints[node.index()] {
            (IntNode::Var(var), _) => {
                let domain = self.domain(var);
                (i64::from(domain.min()), i64::from(domain.max()))
            }
            (_, bounds) => bounds,
        }
    }

    /// A variable as a term.
    pub fn var(&mut self, var: VarId) -> Int {
        if let Some(representative) = self.representative(var) {
            return match representative {
                Quantity::Var(other) => self.var(other),
                Quantity::Truth(literal) => {
                    let term = self.literal(literal);
                    self.int_from_bool(term)
                }
            };
        }
        let domain = self.domain(var);
        let bounds = (i64::from(domain.min()), i64::from(domain.max()));
        self.intern_int(IntNode::Var(var), bounds)
    }

    /// A literal as a term, folded against the domain of its variable.
    pub fn literal(&mut self, literal: Literal) -> Bool {
        let var = literal.variable();
        if let Some(known) = literal.known(self.domain(var)) {
            return Bool::of(known);
        }
        if self.representative(var).is_some() {
            return self.literal(self.representatives.literal(literal));
        }
        // Literals that mean the same get one form, by the declared domain alone.
        let domain = &self.declared[var.index()];
        let (low, high) = (domain.min(), domain.max());
        let two_valued = domain.len() == 2;
        let (negative, positive) = match literal {
            Literal::Is(..) | Literal::AtLeast(..) => (false, literal),
            other => (true, !other),
        };
        let (flip, canonical) = match positive {
            Literal::Is(_, v) if two_valued => (v == low, Literal::AtLeast(var, high)),
            Literal::AtLeast(..) if two_valued => (false, Literal::AtLeast(var, high)),
            Literal::AtLeast(_, v) => {
                let second = next(domain, low.saturating_add(1));
                match next(domain, v) {
                    v if v == high => (false, Literal::Is(var, high)),
                    v if v == second => (true, Literal::Is(var, low)),
                    v => (false, Literal::AtLeast(var, v)),
                }
            }
            other => (false, other),
        };
        let term = self.intern_bool(BoolNode::Literal(canonical));
        match negative != flip {
            true => !term,
            false => term,
        }
    }

    /// All of the parts hold.
    pub fn and(&mut self, parts: impl IntoIterator<Item = Bool>) -> Bool {
        let mut all: Vec<Bool> = Vec::new();
        for part in parts {
            self.poll.step();
            match part.known() {
                Some(true) => {}
                Some(false) => return Bool::FALSE,
                None => match self.bool(part) {
                    BoolNode::And(inner) if !part.negative() => {
                        self.poll.steps(inner.len());
                        all.extend_from_slice(inner);
                    }
                    _ => all.push(part),
                },
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bool::FALSE;
        }
        if self.fixed_values_contradict(&mut all) {
            return Bool::FALSE;
        }
        match all[..] {
            [] => Bool::TRUE,
            [one] => one,
            _ => self.intern_bool(BoolNode::And(all.into_boxed_slice())),
        }
    }

    /// `x = 1` and `x = 2` contradict each other; beside `x = 1`, `x ≠ 2` is redundant and is
    /// removed. Long conjunctions are left as they are, as this is quadratic.
    fn fixed_values_contradict(&self, all: &mut Vec<Bool>) -> bool {
        if all.len() > 400 {
            return false;
        }
        let fixed = |term: &Bool| match self.bool(*term) {
            BoolNode::Literal(Literal::Is(var, value)) if !term.negative() => Some((*var, *value)),
            _ => None,
        };
        let known: Vec<(VarId, i32)> = all.iter().filter_map(fixed).collect();
        if known.is_empty() {
            return false;
        }
        let mut contradiction = false;
        all.retain(|&term| {
            let BoolNode::Literal(literal) = *self.bool(term) else {
                return true;
            };
            let same = known.iter().find(|(var, _)| *var == literal.variable());
            let Some(&(var, value)) = same else {
                return true;
            };
            let holds = literal.holds_for(value) != term.negative();
            contradiction |= !holds;
            literal == Literal::Is(var, value)
        });
        contradiction
    }

    /// At least one of the parts holds.
    pub fn or(&mut self, parts: impl IntoIterator<Item = Bool>) -> Bool {
        let parts: Vec<Bool> = parts.into_iter().map(|part| !part).collect();
        !self.and(parts)
    }

    /// Both hold, or neither.
    pub fn iff(&mut self, a: Bool, b: Bool) -> Bool {
        match (a.known(), b.known()) {
            (Some(true), _) => return b,
            (Some(false), _) => return !b,
            (_, Some(true)) => return a,
            (_, Some(false)) => return !a,
            _ => {}
        }
        if a.node() == b.node() {
            return Bool::of(a == b);
        }
        let flip = a.negative() != b.negative();
        let (a, b) = (Bool(a.0 & !1), Bool(b.0 & !1));
        let term = self.intern_bool(BoolNode::Iff(a.min(b), a.max(b)));
        match flip {
            true => !term,
            false => term,
        }
    }

    /// The term as an integer: 1 where it is true, 0 where it is false.
    pub fn int_from_bool(&mut self, term: Bool) -> Int {
        match term.known() {
            Some(known) => Int::Constant(i64::from(known)),
            None if term.negative() => {
                // The opposite may be a constant although the term is open: a term that was rebuilt
                // before the domain of its variable shrank.
                match self.int_from_bool(!term) {
                    Int::Constant(opposite) => Int::Constant(1 - opposite),
                    Int::Node(node) => self.sum(vec![(-1, node)], 1),
                }
            }
            None => {
                // A variable with the values 0 and 1 is already that integer.
                if let BoolNode::Literal(Literal::AtLeast(var, 1)) = *self.bool(term)
                    && self.declared[var.index()] == Domain::bool()
                {
                    return self.var(var);
                }
                self.intern_int(IntNode::FromBool(term), (0, 1))
            }
        }
    }

    /// No two items are equal, unless they have the excepted value.
    pub fn all_different(&mut self, mut items: Vec<Int>, except: Option<i64>) -> Bool {
        items.sort_unstable();
        let apart = |nodes: &Self, a: Int, b: Int| {
            let (a, b) = (nodes.bounds(a), nodes.bounds(b));
            a.1 < b.0 || b.1 < a.0
        };
        if items.len() < 2 {
            return Bool::TRUE;
        }
        if let [a, b] = items[..] {
            let mut parts = vec![!self.equal(a, b)];
            if let Some(except) = except {
                parts.push(self.equal(a, Int::Constant(except)));
            }
            return self.or(parts);
        }
        if except.is_none() && items.windows(2).any(|pair| pair[0] == pair[1]) {
            return Bool::FALSE;
        }
        let mut pairs = (0..items.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        if items.len() < 40 && pairs.all(|(i, j)| apart(self, items[i], items[j])) {
            return Bool::TRUE;
        }
        self.intern_bool(BoolNode::AllDifferent(items.into_boxed_slice(), except))
    }

    /// The negation of `all_different`, as a disjunction over pairs.
    pub fn some_equal(&mut self, items: &[Int], except: Option<i64>) -> Bool {
        let mut pairs = Vec::new();
        self.poll.steps(items.len());
        for (i, &a) in items.iter().enumerate() {
            for &b in &items[..i] {
                let mut both = vec![self.equal(a, b)];
                if let Some(except) = except {
                    both.push(!self.equal(a, Int::Constant(except)));
                }
                pairs.push(self.and(both));
            }
        }
        self.or(pairs)
    }

    /// The items are one of the rows. Rows with a value that an item cannot have are dropped.
    pub fn table(&mut self, items: Vec<Int>, mut rows: Vec<Vec<i64>>) -> Bool {
        let can_be = |nodes: &Self, item: Int, value: i64| match item {
            Int::Constant(number) => number == value,
            Int::Node(node) => match nodes.int(node) {
                IntNode::Var(var) => {
                    i32::try_from(value).is_ok_and(|value| nodes.domain(*var).contains(value))
                }
                _ => {
                    let (low, high) = nodes.bounds(item);
                    (low..=high).contains(&value)
                }
            },
        };
        rows.retain(|row| {
            self.poll.step();
            row.iter()
                .zip(&items)
                .all(|(&v, &item)| can_be(self, item, v))
        });
        rows.sort_unstable();
        rows.dedup();
        if rows.is_empty() {
            return Bool::FALSE;
        }
        let unknown: Vec<usize> = (0..items.len())
            .filter(|&i| matches!(items[i], Int::Node(_)))
            .collect();
        match unknown[..] {
            [] => return Bool::TRUE,
            [only] => {
                let values = rows.iter().filter_map(|row| i32::try_from(row[only]).ok());
                let domain = Domain::from_values(values);
                return self.within(items[only], &domain);
            }
            _ => {}
        }
        let items: Vec<Int> = unknown.iter().map(|&i| items[i]).collect();
        let pick = |row: &Vec<i64>| unknown.iter().map(|&i| row[i]).collect();
        let rows: Vec<Vec<i64>> = rows.iter().map(pick).collect();
        if let [row] = &rows[..] {
            let parts: Vec<Bool> = items
                .iter()
                .zip(row)
                .map(|(&item, &value)| self.equal(item, Int::Constant(value)))
                .collect();
            return self.and(parts);
        }
        self.poll.steps(rows.len());
        let found = self.rows.iter().position(|known| *known == rows);
        let place = found.unwrap_or_else(|| {
            self.rows.push(rows);
            self.rows.len() - 1
        });
        self.intern_bool(BoolNode::Table(items.into_boxed_slice(), place as u32))
    }
}
