//! Decision variables: each abstract value of a domain is exactly one assignment of the variables
//! that represent it, so that the number of solutions is the number of Essence solutions.
//!
//! | domain | representation |
//! |---|---|
//! | set, relation with few candidates | a bool for each candidate (occurrence) |
//! | set, relation with many candidates | slots in strictly increasing order, and how many are used |
//! | mset | a number for each candidate, or slots in increasing order |
//! | sequence | slots and the length |
//! | function | for each key, whether it is defined, and its image |
//! | partition | for each member, the number of its part; parts are numbered by their first member |
//! | permutation | for each member, its image |
//! | variant | which field is active, and a value for each field |
//!
//! What is not used (an empty slot, the image of a key without one) has all its variables at their
//! least value. Every structural constraint of a part holds only where the part is used.

use std::rc::Rc;

use ployglot_csp::Domain as Values;
use ployglot_eprime::{Bool, Int};

use super::Refiner;
use super::layout::{Cell, Collection, Layout};
use super::sym::{Members, Pair, Sym};
use crate::domain::{Domain, Size};
use crate::value::Value;

/// Why a domain has no representation.
#[derive(Clone, Debug)]
pub(crate) enum Unrepresentable {
    Infinite,
    TooLarge,
}

/// Up to this many candidates, a set is represented by occurrence.
const FEW: u64 = 128;
/// More variables for one collection are refused.
const MOST: u64 = 2_000_000;

pub(super) type Represented = Result<(Sym, Layout), Unrepresentable>;

impl Refiner<'_> {
    /// A new decision variable of a domain. Its variables have their least values unless `active`.
    pub(super) fn represent(&mut self, domain: &Domain, name: &str, active: Bool) -> Represented {
        crate::deep::deep(|| self.represent_inside(domain, name, active))
    }

    pub(super) fn cell(&mut self, values: Values, name: &str, active: Bool) -> (Int, Cell) {
        if let Some(only) = values.fixed() {
            let only = i64::from(only);
            return (Int::Constant(only), Cell::Number(only));
        }
        let least = Int::Constant(i64::from(values.min()));
        let var = self.terms.variable(values, name.to_string());
        let term = self.terms.var(var);
        if active != Bool::TRUE {
            let unused = self.terms.equal(term, least);
            let either = self.terms.or([active, unused]);
            self.terms.post(either);
        }
        (term, Cell::Var(var))
    }

    fn bool_cell(&mut self, name: &str, active: Bool) -> (Bool, Cell) {
        let (term, cell) = self.cell(Values::bool(), name, active);
        let term = self.terms.equal(term, Int::Constant(1));
        (term, cell)
    }

    /// The condition holds where the part is used.
    pub(super) fn require(&mut self, active: Bool, condition: Bool) {
        let term = self.terms.or([!active, condition]);
        self.terms.post(term);
    }

    fn values_of(ranges: &[(i64, i64)]) -> Result<Values, Unrepresentable> {
        let mut all = Vec::new();
        for &(low, high) in ranges {
            if low == i64::MIN || high == i64::MAX {
                return Err(Unrepresentable::Infinite);
            }
            let (Ok(low), Ok(high)) = (i32::try_from(low), i32::try_from(high)) else {
                return Err(Unrepresentable::TooLarge);
            };
            all.push((low, high));
        }
        Ok(Values::from_ranges(all))
    }

    /// The values of a domain that must be listed.
    pub(super) fn listed(&self, domain: &Domain) -> Result<Vec<Value>, Unrepresentable> {
        if domain.bound().is_none() {
            return Err(Unrepresentable::Infinite);
        }
        let values = domain.values(&self.poll);
        values.ok_or(Unrepresentable::TooLarge)
    }

    fn represent_inside(&mut self, domain: &Domain, name: &str, active: Bool) -> Represented {
        Ok(match domain {
            Domain::Any => return Err(Unrepresentable::Infinite),
            Domain::Bool => {
                let (term, cell) = self.bool_cell(name, active);
                (Sym::Bool(term), Layout::Bool(cell))
            }
            Domain::Int(ranges) | Domain::Member(_, ranges) => {
                let mut values = Self::values_of(ranges)?;
                if values.is_empty() {
                    // Without values the part cannot be used.
                    self.require(active, Bool::FALSE);
                    values = Values::constant(0);
                }
                let (term, cell) = self.cell(values, name, active);
                match domain {
                    Domain::Member(named, _) => (
                        Sym::Member(named.clone(), term),
                        Layout::Member(named.clone(), cell),
                    ),
                    _ => (Sym::Int(term), Layout::Int(cell)),
                }
            }
            Domain::Tuple(parts) => {
                let mut all = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    all.push(self.represent(part, &format!("{name}[{}]", at + 1), active)?);
                }
                let (syms, layouts) = all.into_iter().unzip();
                (Sym::Tuple(Rc::new(syms)), Layout::Tuple(layouts))
            }
            Domain::Record(fields) => {
                let (mut syms, mut layouts) = (Vec::new(), Vec::new());
                for (label, of) in fields {
                    let (sym, layout) = self.represent(of, &format!("{name}[{label}]"), active)?;
                    syms.push((label.clone(), sym));
                    layouts.push((label.clone(), layout));
                }
                (Sym::Record(Rc::new(syms)), Layout::Record(layouts))
            }
            Domain::Variant(fields) => {
                let mut tags = Values::range(0, fields.len() as i32 - 1);
                if fields.is_empty() {
                    self.require(active, Bool::FALSE);
                    tags = Values::constant(0);
                }
                let (tag, cell) = self.cell(tags, &format!("{name}[which field]"), active);
                let (mut syms, mut layouts) = (Vec::new(), Vec::new());
                for (at, (label, of)) in fields.iter().enumerate() {
                    let chosen = self.terms.equal(tag, Int::Constant(at as i64));
                    let inner = self.terms.and([active, chosen]);
                    let (sym, layout) = self.represent(of, &format!("{name}[{label}]"), inner)?;
                    syms.push((label.clone(), sym));
                    layouts.push((label.clone(), layout));
                }
                (
                    Sym::Variant(tag, Rc::new(syms)),
                    Layout::Variant(cell, layouts),
                )
            }
            Domain::Matrix(index, of) => {
                let index = self.listed(index)?;
                let mut all = Vec::new();
                for member in &index {
                    self.poll.step();
                    all.push(self.represent(of, &format!("{name}[{member}]"), active)?);
                }
                let (syms, layouts) = all.into_iter().unzip();
                let sym = Sym::Matrix(Rc::new(index.clone()), Rc::new(syms));
                (sym, Layout::Matrix(index, layouts))
            }
            Domain::Set(size, of) => self.set(Collection::Set, *size, of, name, active)?,
            Domain::Relation { size, binary, of } => {
                let tuples = Domain::Tuple(of.clone());
                let represented = self.set(Collection::Relation, *size, &tuples, name, active)?;
                if !binary.is_empty() {
                    let members = self.listed(&of[0])?;
                    let holds = self.has_properties(&represented.0, &members, binary);
                    self.require(active, holds);
                }
                represented
            }
            Domain::MSet { size, occur, of } => self.mset(*size, *occur, of, name, active)?,
            Domain::Sequence {
                size,
                injective,
                surjective,
                of,
            } => {
                let most = match (size.most, injective) {
                    (Some(most), _) => most.max(0) as u64,
                    (None, true) => of.count().ok_or(Unrepresentable::TooLarge)?,
                    (None, false) => return Err(Unrepresentable::Infinite),
                };
                let (length, cell, slots) = self.slots(*size, most, of, name, active)?;
                let (syms, layouts): (Vec<Sym>, Vec<Layout>) = slots.into_iter().unzip();
                let sym = Sym::Sequence(length, Rc::new(syms));
                if *injective {
                    let holds = self.is_injective(&sym);
                    self.require(active, holds);
                }
                if *surjective {
                    let members = self.listed(of)?;
                    let holds = self.is_surjective(&sym, &members);
                    self.require(active, holds);
                }
                (sym, Layout::Slots(Collection::Sequence, cell, layouts))
            }
            Domain::Function {
                size,
                total,
                injective,
                surjective,
                from,
                to,
            } => {
                let (sym, layout) = self.function(*size, *total, from, to, name, active)?;
                if *injective {
                    let holds = self.is_injective(&sym);
                    self.require(active, holds);
                }
                if *surjective {
                    let members = self.listed(to)?;
                    let holds = self.is_surjective(&sym, &members);
                    self.require(active, holds);
                }
                (sym, layout)
            }
            Domain::Partition {
                parts,
                part_size,
                regular,
                of,
            } => self.partition(*parts, *part_size, *regular, of, name, active)?,
            Domain::Permutation { moved, of } => self.permutation(*moved, of, name, active)?,
        })
    }

    /// The number of members is within the bounds.
    pub(super) fn sized(&mut self, count: Int, size: Size, active: Bool) {
        let least = self.terms.at_most(Int::Constant(size.least), count);
        self.require(active, least);
        if let Some(most) = size.most {
            let most = self.terms.at_most(count, Int::Constant(most));
            self.require(active, most);
        }
    }

    /// A set by occurrence or by slots in order.
    fn set(
        &mut self,
        kind: Collection,
        size: Size,
        of: &Domain,
        name: &str,
        active: Bool,
    ) -> Represented {
        let wrap = |members: Members| match kind {
            Collection::Relation => Sym::Relation(Rc::new(members)),
            _ => Sym::Set(Rc::new(members)),
        };
        let candidates = of.count().filter(|_| of.bound().is_some());
        let most = size.most_of(candidates.unwrap_or(u64::MAX));
        let by_occurrence = match candidates {
            None => false,
            Some(count) => count <= FEW || count / 8 <= most.saturating_mul(width(of)),
        };
        if by_occurrence {
            let values = self.listed(of)?;
            let (mut items, mut layout) = (Vec::new(), Vec::new());
            for value in values {
                self.poll.step();
                let (term, cell) = self.bool_cell(&format!("{name}[{value}]"), active);
                items.push((term, Sym::constant(&value)));
                layout.push((cell, value));
            }
            if !size.is_free() {
                let count = self.count(items.iter().map(|(term, _)| *term).collect());
                self.sized(count, size, active);
            }
            let members = Members::new(items, true).at_most(most);
            return Ok((wrap(members), Layout::Occurrence(kind, layout)));
        }
        if size.most.is_none() {
            return Err(match of.bound() {
                None => Unrepresentable::Infinite,
                Some(_) => Unrepresentable::TooLarge,
            });
        }
        let (count, cell, slots) = self.slots(size, most, of, name, active)?;
        self.ordered(count, &slots, true);
        let (syms, layouts): (Vec<Sym>, Vec<Layout>) = slots.into_iter().unzip();
        let items = self.used(count, syms);
        let members = Members::new(items, true);
        Ok((wrap(members), Layout::Slots(kind, cell, layouts)))
    }

    /// The slots of a collection, and how many are used.
    #[expect(clippy::type_complexity, reason = "the parts of one collection")]
    fn slots(
        &mut self,
        size: Size,
        most: u64,
        of: &Domain,
        name: &str,
        active: Bool,
    ) -> Result<(Int, Cell, Vec<(Sym, Layout)>), Unrepresentable> {
        if most > MOST {
            return Err(Unrepresentable::TooLarge);
        }
        let least = size.least.max(0) as u64;
        let mut sizes = Values::range(least.min(most) as i32, most as i32);
        if least > most || size.most.is_some_and(|most| most < 0) {
            self.require(active, Bool::FALSE);
            sizes = Values::constant(0);
        }
        let (count, cell) = self.cell(sizes, &format!("{name}[size]"), active);
        let mut slots = Vec::new();
        for at in 0..most {
            self.poll.step();
            let used = self.terms.less(Int::Constant(at as i64), count);
            let used = self.terms.and([active, used]);
            slots.push(self.represent(of, &format!("{name}[{}]", at + 1), used)?);
        }
        Ok((count, cell, slots))
    }

    /// The slots with the conditions under which they are used.
    pub(super) fn used(&mut self, count: Int, slots: Vec<Sym>) -> Vec<(Bool, Sym)> {
        let mut items = Vec::new();
        for (at, slot) in slots.into_iter().enumerate() {
            let used = self.terms.less(Int::Constant(at as i64), count);
            items.push((used, slot));
        }
        items
    }

    /// The slots that are used are in increasing order of their variables.
    fn ordered(&mut self, count: Int, slots: &[(Sym, Layout)], strict: bool) {
        for (at, pair) in slots.windows(2).enumerate() {
            self.poll.step();
            let both = self.terms.less(Int::Constant(at as i64 + 1), count);
            let (left, right) = (self.cells(&pair[0].1), self.cells(&pair[1].1));
            let order = self.lexicographic(&left, &right, strict);
            self.require(both, order);
        }
    }

    /// The variables of a part, in order.
    fn cells(&mut self, layout: &Layout) -> Vec<Int> {
        let mut cells = Vec::new();
        layout.for_each_cell(&mut |cell| cells.push(cell));
        let term = |cell| match cell {
            Cell::Number(number) => Int::Constant(number),
            Cell::Var(var) => self.terms.var(var),
        };
        cells.into_iter().map(term).collect()
    }

    fn mset(
        &mut self,
        size: Size,
        occur: Size,
        of: &Domain,
        name: &str,
        active: Bool,
    ) -> Represented {
        let least = occur.least.max(0);
        let candidates = of.count().filter(|_| of.bound().is_some());
        let most_each = match (occur.most, size.most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let slots = match (size.most, candidates, occur.most) {
            (Some(most), ..) => Some(most.max(0) as u64),
            (None, Some(count), Some(each)) => count.checked_mul(each.max(0) as u64),
            _ => None,
        };
        let by_count = candidates.is_some_and(|count| {
            count <= FEW || least > 0 || slots.is_none_or(|slots| count / 8 <= slots)
        });
        if by_count {
            let values = self.listed(of)?;
            let Some(most_each) = most_each.or_else(|| values.is_empty().then_some(0)) else {
                return Err(Unrepresentable::Infinite);
            };
            let most_each =
                i32::try_from(most_each.max(0)).map_err(|_| Unrepresentable::TooLarge)?;
            let mut counts = Values::range(least.min(i64::from(most_each)) as i32, most_each);
            if least > i64::from(most_each) || occur.most.is_some_and(|most| most < 0) {
                if !values.is_empty() {
                    self.require(active, Bool::FALSE);
                }
                counts = Values::constant(0);
            }
            let (mut items, mut layout) = (Vec::new(), Vec::new());
            for value in values {
                self.poll.step();
                let (term, cell) = self.cell(counts.clone(), &format!("{name}[{value}]"), active);
                items.push((term, Sym::constant(&value)));
                layout.push((cell, value));
            }
            let total = self
                .terms
                .sum(items.iter().map(|&(count, _)| (1, count)), 0);
            self.sized(total, size, active);
            return Ok((Sym::MSet(Rc::new(items)), Layout::Counts(layout)));
        }
        let Some(most) = slots else {
            return Err(Unrepresentable::Infinite);
        };
        let (count, cell, slots) = self.slots(size, most, of, name, active)?;
        self.ordered(count, &slots, false);
        if let Some(most) = occur.most {
            // The slots are in order: no two that far apart are equal.
            let apart = most.max(0) as usize;
            for at in apart..slots.len() {
                let both = self.terms.less(Int::Constant(at as i64), count);
                let (left, right) = (&slots[at - apart].0.clone(), &slots[at].0.clone());
                let same = match apart {
                    0 => Bool::TRUE,
                    _ => self.equal(left, right),
                };
                self.require(both, !same);
            }
        }
        let (syms, layouts): (Vec<Sym>, Vec<Layout>) = slots.into_iter().unzip();
        let mut items = Vec::new();
        for (used, sym) in self.used(count, syms) {
            items.push((self.terms.number(used), sym));
        }
        let layout = Layout::Slots(Collection::MSet, cell, layouts);
        Ok((Sym::MSet(Rc::new(items)), layout))
    }

    fn function(
        &mut self,
        size: Size,
        total: bool,
        from: &Domain,
        to: &Domain,
        name: &str,
        active: Bool,
    ) -> Represented {
        let keys = from.count().filter(|_| from.bound().is_some());
        let by_slots = match (keys, size.most) {
            (None, Some(_)) => true,
            (Some(keys), Some(most)) => !total && keys > FEW && keys / 8 > most.max(0) as u64,
            _ => false,
        };
        if by_slots {
            let pair = Domain::Tuple(vec![from.clone(), to.clone()]);
            let most = size.most_of(u64::MAX);
            let (count, cell, slots) = self.slots(size, most, &pair, name, active)?;
            let mut keys = Vec::new();
            let (mut pairs, mut layouts) = (Vec::new(), Vec::new());
            for (at, (sym, layout)) in slots.into_iter().enumerate() {
                let present = self.terms.less(Int::Constant(at as i64), count);
                if let (Sym::Tuple(parts), Layout::Tuple(mut inside)) = (&sym, layout) {
                    let image = inside.pop().expect("a pair has two parts");
                    let key = inside.pop().expect("a pair has two parts");
                    keys.push((parts[0].clone(), key.clone()));
                    layouts.push((key, image));
                    pairs.push(Pair {
                        present,
                        key: parts[0].clone(),
                        image: parts[1].clone(),
                    });
                }
            }
            self.ordered(count, &keys, true);
            return Ok((Sym::function(pairs), Layout::Pairs(cell, layouts)));
        }
        let keys = self.listed(from)?;
        let (mut pairs, mut layout, mut defined) = (Vec::new(), Vec::new(), Vec::new());
        for key in keys {
            self.poll.step();
            let (present, cell) = match total {
                true => (Bool::TRUE, Cell::Number(1)),
                false => self.bool_cell(&format!("{name}[defined {key}]"), active),
            };
            let inner = self.terms.and([active, present]);
            let (image, inside) = self.represent(to, &format!("{name}[{key}]"), inner)?;
            defined.push(present);
            pairs.push(Pair {
                present,
                key: Sym::constant(&key),
                image,
            });
            layout.push((cell, key, inside));
        }
        if !size.is_free() {
            let count = self.count(defined);
            self.sized(count, size, active);
        }
        Ok((Sym::function(pairs), Layout::Function(layout)))
    }
}

/// About how many variables a value of the domain takes.
fn width(domain: &Domain) -> u64 {
    match domain {
        Domain::Bool | Domain::Int(_) | Domain::Member(..) => 1,
        Domain::Tuple(parts) => parts.iter().map(width).sum(),
        Domain::Record(fields) | Domain::Variant(fields) => {
            fields.iter().map(|(_, of)| width(of)).sum::<u64>() + 1
        }
        Domain::Matrix(index, of) => width(of).saturating_mul(index.count().unwrap_or(1)),
        _ => 8,
    }
}
