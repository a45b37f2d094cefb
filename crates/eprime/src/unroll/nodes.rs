//! What an unrolled model is made of: boolean and integer terms without quantifiers, each stored once, so that terms shared
//! across constraints and steps are shared for good.
//!
//! A `Bool` is a node with a sign, so that a term and its opposite are one node: an *or* is the opposite of an *and* of
//! opposites, `≠` the opposite of `=`. The constructors fold as they build; nothing that is known is ever stored.
//!
//! Terms are built against the declared domains, so that the same constraint of two horizons is the same node. They are
//! rebuilt (`simplify.rs`) against what is known by then (`now`).

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use ployglot_csp::{Domain, Literal, Quantity, VarId};
use rustc_hash::FxBuildHasher;

use super::merge::Links;

/// A boolean term: a node, or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bool(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Int {
    Known(i64),
    Node(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BoolNode {
    True,
    /// `Is` or `AtLeast`; the opposites are opposites.
    Literal(Literal),
    /// At least two, sorted, none of them an *and* itself.
    And(Box<[Bool]>),
    /// Both without sign.
    Iff(Bool, Bool),
    Linear {
        terms: Box<[(i64, u32)]>,
        equal: bool,
        bound: i64,
    },
    AllDifferent(Box<[Int]>, Option<i64>),
    Table(Box<[Int]>, u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntNode {
    Var(VarId),
    /// 1 where it is true; without sign.
    Truth(Bool),
    Sum(Box<[(i64, u32)]>, i64),
    Element {
        items: Box<[Int]>,
        places: Box<[Place]>,
    },
    Product(Int, Int),
    Quotient(Int, Int),
    Remainder(Int, Int),
    Power(Int, Int),
    Absolute(u32),
    Minimum(Box<[Int]>),
    Maximum(Box<[Int]>),
}

/// One index that is not known: the values that pick a row, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub index: u32,
    pub members: Box<[i64]>,
}

#[derive(Default)]
pub(crate) struct Nodes {
    bools: Vec<BoolNode>,
    bool_table: HashTable<u32>,
    ints: Vec<(IntNode, (i64, i64))>,
    int_table: HashTable<u32>,
    pub rows: Vec<Vec<Vec<i64>>>,
    /// As declared, and as known by now.
    pub declared: Vec<Domain>,
    pub now: Vec<Domain>,
    /// Variables that are others by now.
    pub links: Links,
    /// Whether constructors look at `now`, and at the links.
    pub sharpen: bool,
    /// Numbers grew beyond what can be represented.
    pub overflow: bool,
}

impl Bool {
    pub const TRUE: Bool = Bool(0);
    pub const FALSE: Bool = Bool(1);

    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn negative(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn of(truth: bool) -> Bool {
        match truth {
            true => Bool::TRUE,
            false => Bool::FALSE,
        }
    }

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

/// The least value that is no less than this one; there is one.
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

    pub fn int(&self, node: u32) -> &IntNode {
        &self.ints[node as usize].0
    }

    pub(super) fn keep_bool(&mut self, node: BoolNode) -> Bool {
        let key = hash(&node);
        let bools = &self.bools;
        let found = self.bool_table.find(key, |&id| bools[id as usize] == node);
        if let Some(&id) = found {
            return Bool(id << 1);
        }
        let id = self.bools.len() as u32;
        let again = |&id: &u32| hash(&bools[id as usize]);
        self.bool_table.insert_unique(key, id, again);
        self.bools.push(node);
        Bool(id << 1)
    }

    pub(super) fn keep_int(&mut self, node: IntNode, bounds: (i64, i64)) -> Int {
        const FAR: i64 = 1 << 60;
        if bounds.0 < -FAR || bounds.1 > FAR {
            self.overflow = true;
            return Int::Known(0);
        }
        if bounds.0 == bounds.1 {
            return Int::Known(bounds.0);
        }
        let key = hash(&node);
        let ints = &self.ints;
        let found = self.int_table.find(key, |&id| ints[id as usize].0 == node);
        if let Some(&id) = found {
            return Int::Node(id);
        }
        let id = self.ints.len() as u32;
        let again = |&id: &u32| hash(&ints[id as usize].0);
        self.int_table.insert_unique(key, id, again);
        self.ints.push((node, bounds));
        Int::Node(id)
    }

    pub fn domain(&self, var: VarId) -> &Domain {
        match self.sharpen {
            true => &self.now[var.index()],
            false => &self.declared[var.index()],
        }
    }

    /// What the variable stands for, where that matters.
    fn link(&self, var: VarId) -> Option<Quantity> {
        self.links.of(var).filter(|_| self.sharpen)
    }

    pub fn bounds(&self, int: Int) -> (i64, i64) {
        let node = match int {
            Int::Known(number) => return (number, number),
            Int::Node(node) => node,
        };
        match self.ints[node as usize] {
            (IntNode::Var(var), _) => {
                let domain = self.domain(var);
                (i64::from(domain.min()), i64::from(domain.max()))
            }
            (_, bounds) => bounds,
        }
    }

    pub fn var(&mut self, var: VarId) -> Int {
        if let Some(link) = self.link(var) {
            return match link {
                Quantity::Var(other) => self.var(other),
                Quantity::Truth(literal) => {
                    let term = self.literal(literal);
                    self.truth(term)
                }
            };
        }
        let domain = self.domain(var);
        let bounds = (i64::from(domain.min()), i64::from(domain.max()));
        self.keep_int(IntNode::Var(var), bounds)
    }

    /// A statement about one variable, folded against its domain.
    pub fn literal(&mut self, literal: Literal) -> Bool {
        let var = literal.variable();
        if let Some(known) = literal.known(self.domain(var)) {
            return Bool::of(known);
        }
        if self.link(var).is_some() {
            return self.literal(self.links.literal(literal));
        }
        // One form for one meaning, by the declared domain alone.
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
        let term = self.keep_bool(BoolNode::Literal(canonical));
        match negative != flip {
            true => !term,
            false => term,
        }
    }

    pub fn and(&mut self, parts: impl IntoIterator<Item = Bool>) -> Bool {
        let mut all: Vec<Bool> = Vec::new();
        for part in parts {
            match part.known() {
                Some(true) => {}
                Some(false) => return Bool::FALSE,
                None => match self.bool(part) {
                    BoolNode::And(inner) if !part.negative() => all.extend_from_slice(inner),
                    _ => all.push(part),
                },
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bool::FALSE;
        }
        if self.contradicts(&mut all) {
            return Bool::FALSE;
        }
        match all[..] {
            [] => Bool::TRUE,
            [one] => one,
            _ => self.keep_bool(BoolNode::And(all.into_boxed_slice())),
        }
    }

    /// Of `x = 1`, `x = 2` only one can be; beside `x = 1`, `x ≠ 2` need not be said.
    fn contradicts(&self, all: &mut Vec<Bool>) -> bool {
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

    pub fn or(&mut self, parts: impl IntoIterator<Item = Bool>) -> Bool {
        let parts: Vec<Bool> = parts.into_iter().map(|part| !part).collect();
        !self.and(parts)
    }

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
        let term = self.keep_bool(BoolNode::Iff(a.min(b), a.max(b)));
        match flip {
            true => !term,
            false => term,
        }
    }

    pub fn truth(&mut self, term: Bool) -> Int {
        match term.known() {
            Some(known) => Int::Known(i64::from(known)),
            None if term.negative() => {
                let Int::Node(node) = self.truth(!term) else {
                    return Int::Known(0);
                };
                self.sum(vec![(-1, node)], 1)
            }
            None => {
                // A variable of two values, 0 and 1, is its own truth.
                if let BoolNode::Literal(Literal::AtLeast(var, 1)) = *self.bool(term)
                    && self.declared[var.index()] == Domain::bool()
                {
                    return self.var(var);
                }
                self.keep_int(IntNode::Truth(term), (0, 1))
            }
        }
    }

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
                parts.push(self.equal(a, Int::Known(except)));
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
        self.keep_bool(BoolNode::AllDifferent(items.into_boxed_slice(), except))
    }

    /// What the opposite of all-different means.
    pub fn some_equal(&mut self, items: &[Int], except: Option<i64>) -> Bool {
        let mut pairs = Vec::new();
        for (i, &a) in items.iter().enumerate() {
            for &b in &items[..i] {
                let mut both = vec![self.equal(a, b)];
                if let Some(except) = except {
                    both.push(!self.equal(a, Int::Known(except)));
                }
                pairs.push(self.and(both));
            }
        }
        self.or(pairs)
    }

    /// Whether the items are one of the rows; rows that cannot be are dropped.
    pub fn table(&mut self, items: Vec<Int>, mut rows: Vec<Vec<i64>>) -> Bool {
        let can = |nodes: &Self, item: Int, value: i64| match item {
            Int::Known(number) => number == value,
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
        rows.retain(|row| row.iter().zip(&items).all(|(&v, &item)| can(self, item, v)));
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
                .map(|(&item, &value)| self.equal(item, Int::Known(value)))
                .collect();
            return self.and(parts);
        }
        let found = self.rows.iter().position(|known| *known == rows);
        let place = found.unwrap_or_else(|| {
            self.rows.push(rows);
            self.rows.len() - 1
        });
        self.keep_bool(BoolNode::Table(items.into_boxed_slice(), place as u32))
    }
}
