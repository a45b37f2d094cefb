//! The representations of partitions and permutations, and the properties of binary relations.

use std::rc::Rc;

use ployglot_csp::Domain as Values;
use ployglot_eprime::{Bool, Int};

use super::Refiner;
use super::layout::Layout;
use super::represent::Represented;
use super::sym::{Members, Sym};
use crate::domain::{Domain, Property, Size};
use crate::value::Value;

impl Refiner<'_> {
    pub(super) fn partition(
        &mut self,
        parts: Size,
        part_size: Size,
        regular: bool,
        of: &Domain,
        name: &str,
        active: Bool,
    ) -> Represented {
        let members = self.listed(of)?;
        let mut most = parts.most_of(members.len() as u64);
        if part_size.least > 0 {
            most = most.min(members.len() as u64 / part_size.least as u64);
        }
        if members.len() as u64 > 0 && most == 0 {
            self.require(active, Bool::FALSE);
            most = 1;
        }
        let (mut numbers, mut layout) = (Vec::new(), Vec::new());
        for (at, member) in members.iter().enumerate() {
            let highest = most.min(at as u64 + 1) as i32;
            let values = Values::range(1, highest);
            let (term, cell) = self.cell(values, &format!("{name}[{member}]"), active);
            // A part gets its number when the one before has its own.
            for number in 2..=i64::from(highest) {
                let this = self.terms.equal(term, Int::Constant(number));
                let mut before = vec![!this];
                for &earlier in &numbers {
                    before.push(self.terms.equal(earlier, Int::Constant(number - 1)));
                }
                let holds = self.terms.or(before);
                self.require(active, holds);
            }
            numbers.push(term);
            layout.push((member.clone(), cell));
        }
        let mut syms = Vec::new();
        let (mut conditions, mut sizes) = (Vec::new(), Vec::new());
        for number in 1..=most as i64 {
            let mut items = Vec::new();
            for (member, &term) in members.iter().zip(&numbers) {
                self.poll.step();
                let inside = self.terms.equal(term, Int::Constant(number));
                items.push((inside, Sym::constant(member)));
            }
            let inside: Vec<Bool> = items.iter().map(|(inside, _)| *inside).collect();
            let present = self.terms.or(inside.iter().copied());
            let size = self.count(inside);
            let used = self.terms.and([active, present]);
            self.sized(size, part_size, used);
            conditions.push(present);
            sizes.push(size);
            let members = Members::new(items, true);
            syms.push((present, Rc::new(members)));
        }
        let count = self.count(conditions.clone());
        self.sized(count, parts, active);
        if regular {
            for (at, &size) in sizes.iter().enumerate().skip(1) {
                let same = self.terms.equal(size, sizes[0]);
                let used = self.terms.and([active, conditions[at]]);
                self.require(used, same);
            }
        }
        Ok((Sym::Partition(Rc::new(syms)), Layout::Partition(layout)))
    }

    pub(super) fn permutation(
        &mut self,
        moved: Size,
        of: &Domain,
        name: &str,
        active: Bool,
    ) -> Represented {
        let members = self.listed(of)?;
        let last = members.len() as i32 - 1;
        let (mut places, mut cells) = (Vec::new(), Vec::new());
        for member in &members {
            let (term, cell) =
                self.cell(Values::range(0, last), &format!("{name}[{member}]"), active);
            places.push(term);
            cells.push(cell);
        }
        let different = self.terms.all_different(places.clone(), None);
        self.require(active, different);
        let mut changed = Vec::new();
        for (at, &place) in places.iter().enumerate() {
            let same = self.terms.equal(place, Int::Constant(at as i64));
            changed.push(!same);
        }
        let count = self.count(changed);
        self.sized(count, moved, active);
        let mut pairs = Vec::new();
        for (member, &place) in members.iter().zip(&places) {
            let mut choices = Vec::new();
            for (at, image) in members.iter().enumerate() {
                let chosen = self.terms.equal(place, Int::Constant(at as i64));
                choices.push((chosen, Sym::constant(image)));
            }
            let image = self.select(&choices);
            pairs.push((Sym::constant(member), image));
        }
        let sym = Sym::Permutation(Rc::new(pairs));
        Ok((sym, Layout::Permutation(members, cells)))
    }

    /// A binary relation has the properties over these members.
    pub(super) fn has_properties(
        &mut self,
        relation: &Sym,
        members: &[Value],
        properties: &[Property],
    ) -> Bool {
        let Sym::Relation(tuples) = relation else {
            return Bool::FALSE;
        };
        let n = members.len();
        let mut related = vec![vec![Bool::FALSE; n]; n];
        for (x, left) in members.iter().enumerate() {
            for (y, right) in members.iter().enumerate() {
                let pair = Value::Tuple(vec![left.clone(), right.clone()]);
                related[x][y] = self.contains(tuples, &Sym::constant(&pair));
            }
        }
        let mut all = Vec::new();
        let terms = &mut self.terms;
        for property in properties {
            for x in 0..n {
                match property {
                    Property::Reflexive => all.push(related[x][x]),
                    Property::Irreflexive => all.push(!related[x][x]),
                    Property::LeftTotal => all.push(terms.or((0..n).map(|y| related[x][y]))),
                    Property::RightTotal => all.push(terms.or((0..n).map(|y| related[y][x]))),
                    _ => {}
                }
                for y in 0..n {
                    let (there, back) = (related[x][y], related[y][x]);
                    match property {
                        Property::Coreflexive if x != y => all.push(!there),
                        Property::Symmetric if x != y => all.push(terms.or([!there, back])),
                        Property::AntiSymmetric if x != y => all.push(terms.or([!there, !back])),
                        Property::ASymmetric => all.push(terms.or([!there, !back])),
                        Property::Total => all.push(terms.or([there, back])),
                        Property::Connex if x != y => all.push(terms.or([there, back])),
                        Property::Transitive => {
                            for (&on, &direct) in related[y].iter().zip(&related[x]) {
                                all.push(terms.or([!there, !on, direct]));
                            }
                        }
                        Property::Euclidean => {
                            for (&other, &between) in related[x].iter().zip(&related[y]) {
                                all.push(terms.or([!there, !other, between]));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        self.terms.and(all)
    }
}
