//! Generators, comprehensions and quantifiers. A generator over a decision collection binds each
//! member that may be present, under the condition that it is.

use ployglot_base::BadText;
use ployglot_eprime::{Bool, Int};

use super::sym::{Members, Sym};
use super::{Evaluated, Refiner, defined};
use crate::tree::{DomainKind, DomainNode, Generator, Kind, Node, Pattern, Range};

impl Refiner<'_> {
    /// `and` or `or` over a comprehension. It ends at the first item that decides the result.
    pub(super) fn quantified(&mut self, is_and: bool, list: &Node) -> Evaluated<Bool> {
        let mut parts = Vec::new();
        defined!(self.comprehension(list, &mut |refiner, guard, item| {
            let Sym::Bool(term) = item else { return true };
            let part = match is_and {
                true => refiner.terms.or([!guard, term]),
                false => refiner.terms.and([guard, term]),
            };
            parts.push(part);
            part != Bool::of(!is_and)
        }));
        Ok(Some(match is_and {
            true => self.terms.and(parts),
            false => self.terms.or(parts),
        }))
    }

    /// Calls `each` with the condition and the value of every item, until it returns false.
    pub(super) fn comprehension(
        &mut self,
        node: &Node,
        each: &mut dyn FnMut(&mut Self, Bool, Sym) -> bool,
    ) -> Evaluated<()> {
        let Kind::Comprehension(body, generators) = &node.kind else {
            return Ok(Some(()));
        };
        let mark = self.locals.len();
        let done = self.generate(generators, Bool::TRUE, &mut |refiner, guard| match refiner
            .guarded(guard, |refiner| refiner.sym(body))?
        {
            Some(item) => Ok(each(refiner, guard, item)),
            None => Ok(guard != Bool::TRUE),
        });
        self.locals.truncate(mark);
        done?;
        Ok(Some(()))
    }

    /// Evaluates where the guard holds: conditions matter only there.
    pub(super) fn guarded<T>(
        &mut self,
        guard: Bool,
        work: impl FnOnce(&mut Self) -> Evaluated<T>,
    ) -> Evaluated<T> {
        let mark = self.conditions.len();
        let value = work(self)?;
        if self.conditions.len() > mark && guard != Bool::TRUE {
            for condition in self.conditions.split_off(mark) {
                let condition = self.implies(guard, condition);
                self.conditions.push(condition);
            }
        }
        if value.is_none() {
            self.conditions.push(!guard);
        }
        Ok(value)
    }

    /// Calls `each` under the condition of every combination of the generators' variables, until it
    /// returns false.
    fn generate(
        &mut self,
        generators: &[Generator],
        guard: Bool,
        each: &mut dyn FnMut(&mut Self, Bool) -> Result<bool, BadText>,
    ) -> Result<bool, BadText> {
        let Some((first, rest)) = generators.split_first() else {
            return each(self, guard);
        };
        if let Generator::Condition(condition) = first {
            let condition = self.truth(condition)?;
            let guard = self.terms.and([guard, condition]);
            return match guard {
                Bool::FALSE => Ok(true),
                guard => self.generate(rest, guard, each),
            };
        }
        if let Generator::Letting(pattern, of) = first {
            return self.letting(pattern, of, rest, guard, each);
        }
        let candidates = self.guarded(guard, |refiner| refiner.candidates(first))?;
        for (present, bound) in candidates.unwrap_or_default() {
            self.poll.step();
            let guard = self.terms.and([guard, present]);
            if guard == Bool::FALSE {
                continue;
            }
            let mark = self.locals.len();
            self.locals
                .extend(bound.into_iter().map(|sym| (Bool::TRUE, Some(sym))));
            let continues = self.generate(rest, guard, each)?;
            self.locals.truncate(mark);
            if !continues {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// [`Refiner::generate`], where the first generator is a `letting`. Whether its value is defined
    /// matters where it is used.
    fn letting(
        &mut self,
        pattern: &Pattern,
        of: &Node,
        rest: &[Generator],
        guard: Bool,
        each: &mut dyn FnMut(&mut Self, Bool) -> Result<bool, BadText>,
    ) -> Result<bool, BadText> {
        let mark = self.conditions.len();
        let value = self.sym(of)?;
        let conditions = self.conditions.split_off(mark);
        let is_defined = self.terms.and(conditions);
        let ways = match &value {
            Some(value) => self.bind(pattern, value),
            None => Vec::new(),
        };
        let place = self.locals.len();
        if value.is_none() {
            let names = pattern.names();
            self.locals.extend((0..names).map(|_| (Bool::FALSE, None)));
            let continues = self.generate(rest, guard, each)?;
            self.locals.truncate(place);
            return Ok(continues);
        }
        for (condition, bound) in ways {
            let guard = self.terms.and([guard, condition]);
            if guard == Bool::FALSE {
                continue;
            }
            self.locals
                .extend(bound.into_iter().map(|sym| (is_defined, Some(sym))));
            let continues = self.generate(rest, guard, each)?;
            self.locals.truncate(place);
            if !continues {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a generator binds: for each way a condition and the values of the bound variables.
    fn candidates(&mut self, generator: &Generator) -> Evaluated<Vec<(Bool, Vec<Sym>)>> {
        let (pattern, values): (&Pattern, Vec<(Bool, Sym)>) = match generator {
            Generator::Condition(_) | Generator::Letting(..) => return Ok(Some(Vec::new())),
            Generator::Domain(pattern, node) => {
                if let Some(values) = self.open_range(node)? {
                    (pattern, values)
                } else {
                    let domain = defined!(self.domain(node));
                    let Some(values) = domain.values(&self.poll) else {
                        let message = "this domain has too many values to go through";
                        return Err(node.span.error(message));
                    };
                    let values = values
                        .iter()
                        .map(|value| (Bool::TRUE, Sym::constant(value)));
                    (pattern, values.collect())
                }
            }
            Generator::Collection(pattern, of) => {
                let sym = defined!(self.sym(of));
                (pattern, self.members(&sym).unwrap_or_default())
            }
            Generator::Subsets(pattern, of) => {
                let sym = defined!(self.sym(of));
                let Sym::Set(members) = &sym else {
                    return Ok(None);
                };
                if let Pattern::Set(parts, _) = pattern {
                    return Ok(Some(self.choices(parts, members, false)));
                }
                let Some(subsets) = self.power_set(members) else {
                    return Err(of.span.error("this set has too many subsets"));
                };
                (pattern, subsets)
            }
        };
        let mut all = Vec::new();
        for (present, value) in values {
            if present == Bool::FALSE {
                continue;
            }
            for (condition, bound) in self.bind(pattern, &value) {
                let condition = self.terms.and([present, condition]);
                all.push((condition, bound));
            }
        }
        Ok(Some(all))
    }

    /// The values of `int(a..b)` where a bound is a decision; `None` for other domains.
    fn open_range(&mut self, node: &DomainNode) -> Result<Option<Vec<(Bool, Sym)>>, BadText> {
        let DomainKind::Int(Some(ranges)) = &node.kind else {
            return Ok(None);
        };
        let [Range::Between(Some(low), Some(high))] = &ranges[..] else {
            return Ok(None);
        };
        let mark = self.conditions.len();
        let (low, high) = (self.int(low)?, self.int(high)?);
        let (Some(low), Some(high)) = (low, high) else {
            self.conditions.truncate(mark);
            return Ok(None);
        };
        if matches!((low, high), (Int::Constant(_), Int::Constant(_))) {
            self.conditions.truncate(mark);
            return Ok(None);
        }
        let (first, last) = (self.terms.bounds(low).0, self.terms.bounds(high).1);
        let mut values = Vec::new();
        for number in first..=last {
            self.poll.step();
            let above = self.terms.at_most(low, Int::Constant(number));
            let below = self.terms.at_most(Int::Constant(number), high);
            let inside = self.terms.and([above, below]);
            values.push((inside, Sym::number(number)));
        }
        Ok(Some(values))
    }

    /// The ways to bind the parts of a pattern, from left to right, with their conditions.
    fn bind(&mut self, pattern: &Pattern, value: &Sym) -> Vec<(Bool, Vec<Sym>)> {
        match (pattern, value) {
            (Pattern::Name(_) | Pattern::Wildcard, value) => {
                vec![(Bool::TRUE, vec![value.clone()])]
            }
            (Pattern::Tuple(parts, _), Sym::Tuple(items))
            | (Pattern::Matrix(parts, _), Sym::Matrix(_, items)) => {
                if parts.len() != items.len() {
                    return Vec::new();
                }
                self.bind_row(parts, items)
            }
            (Pattern::Set(parts, _), Sym::Set(members)) => self.choices(parts, members, true),
            _ => Vec::new(),
        }
    }

    fn bind_row(&mut self, parts: &[Pattern], items: &[Sym]) -> Vec<(Bool, Vec<Sym>)> {
        let mut all = vec![(Bool::TRUE, Vec::new())];
        for (part, item) in parts.iter().zip(items) {
            let mut longer = Vec::new();
            for (condition, bound) in self.bind(part, item) {
                for (before, earlier) in &all {
                    let condition = self.terms.and([*before, condition]);
                    let mut row: Vec<Sym> = earlier.clone();
                    row.extend(bound.iter().cloned());
                    longer.push((condition, row));
                }
            }
            all = longer;
        }
        all
    }

    /// The ways to bind `{i, j}` to members in increasing order: to all members of the set if
    /// `exactly`, else to some of them.
    fn choices(
        &mut self,
        parts: &[Pattern],
        members: &Members,
        exactly: bool,
    ) -> Vec<(Bool, Vec<Sym>)> {
        let items = self.distinct(members);
        let mut chosen: Vec<(Bool, Vec<usize>)> = vec![(Bool::TRUE, Vec::new())];
        for _ in parts {
            let mut longer = Vec::new();
            for (condition, places) in &chosen {
                for (at, (present, item)) in items.iter().enumerate() {
                    self.poll.step();
                    if places.contains(&at) {
                        continue;
                    }
                    let order = match places.last() {
                        None => Bool::TRUE,
                        Some(&last) => self.before(&items[last].1, item, true),
                    };
                    let condition = self.terms.and([*condition, *present, order]);
                    if condition != Bool::FALSE {
                        let mut places = places.clone();
                        places.push(at);
                        longer.push((condition, places));
                    }
                }
            }
            chosen = longer;
        }
        let mut all = Vec::new();
        for (condition, places) in chosen {
            let mut parts_of = vec![condition];
            if exactly {
                let others = items
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| !places.contains(at));
                parts_of.extend(others.map(|(_, (present, _))| !*present));
            }
            let condition = self.terms.and(parts_of);
            let row: Vec<Sym> = places.iter().map(|&at| items[at].1.clone()).collect();
            for (inner, bound) in self.bind_row(parts, &row) {
                let condition = self.terms.and([condition, inner]);
                if condition != Bool::FALSE {
                    all.push((condition, bound));
                }
            }
        }
        all
    }
}
