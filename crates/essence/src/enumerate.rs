//! The values of a domain, in the order of [`Value`], and how many there are.

use ployglot_base::{BadText, Poll};
use ployglot_eprime::Span;

use crate::domain::{Domain, Size};
use crate::value::Value;

/// Domains with more values are not listed.
pub(crate) const MOST_VALUES: u128 = 4_000_000;

impl Domain {
    /// The number of values; `None` if there are infinitely many, or too many to list where only
    /// listing tells.
    pub fn count(&self) -> Option<u64> {
        let product = |parts: Vec<Option<u64>>| {
            let mut parts = parts.into_iter();
            parts.try_fold(1u64, |all, part| all.checked_mul(part?))
        };
        match self {
            Domain::Any => None,
            Domain::Bool => Some(2),
            Domain::Int(ranges) | Domain::Member(_, ranges) => {
                ranges.iter().try_fold(0u64, |all, &(low, high)| {
                    if low == i64::MIN || high == i64::MAX {
                        return None;
                    }
                    all.checked_add(u64::try_from(i128::from(high) - i128::from(low) + 1).ok()?)
                })
            }
            Domain::Tuple(parts) => product(parts.iter().map(Domain::count).collect()),
            Domain::Record(fields) => product(fields.iter().map(|(_, of)| of.count()).collect()),
            Domain::Variant(fields) => fields
                .iter()
                .try_fold(0u64, |all, (_, of)| all.checked_add(of.count()?)),
            Domain::Matrix(index, of) => power(of.count()?, index.count()?),
            Domain::Set(size, of) => {
                let candidates = of.count()?;
                let mut total = 0u64;
                let (mut ways, mut chosen) = (1u64, 0);
                loop {
                    if size.contains(usize::try_from(chosen).ok()?) {
                        total = total.checked_add(ways)?;
                    }
                    if chosen >= size.most_of(candidates) {
                        return Some(total);
                    }
                    let next = u128::from(ways) * u128::from(candidates - chosen);
                    chosen += 1;
                    ways = u64::try_from(next / u128::from(chosen)).ok()?;
                }
            }
            _ => {
                if self.bound()? > MOST_VALUES {
                    return None;
                }
                Some(self.values(&Poll::default())?.len() as u64)
            }
        }
    }

    /// `` |`domain`| ``.
    pub fn size(&self, span: Span) -> Result<i64, BadText> {
        let size = self.count().and_then(|size| i64::try_from(size).ok());
        size.ok_or_else(|| span.error("this domain has too many values to count"))
    }

    /// At least the number of candidates that listing the values looks at; `None` if there are
    /// infinitely many.
    pub fn bound(&self) -> Option<u128> {
        let power = |base: u128, exponent: u128| {
            base.checked_pow(u32::try_from(exponent).unwrap_or(u32::MAX))
                .unwrap_or(u128::MAX)
        };
        // The number of ways to choose up to `most` of `candidates`.
        let choices = |candidates: u128, most: u128| {
            if most >= candidates {
                return power(2, candidates);
            }
            power(candidates.saturating_add(1), most).min(power(2, candidates))
        };
        let most = |size: &Size| size.most.map_or(u128::MAX, |most| most.max(0) as u128);
        Some(match self {
            Domain::Any => return None,
            Domain::Bool | Domain::Int(_) | Domain::Member(..) => u128::from(self.count()?),
            Domain::Tuple(parts) => parts
                .iter()
                .try_fold(1u128, |all, part| Some(all.saturating_mul(part.bound()?)))?,
            Domain::Record(fields) => fields
                .iter()
                .try_fold(1u128, |all, (_, of)| Some(all.saturating_mul(of.bound()?)))?,
            Domain::Variant(fields) => fields
                .iter()
                .try_fold(0u128, |all, (_, of)| Some(all.saturating_add(of.bound()?)))?,
            Domain::Matrix(index, of) => power(of.bound()?, index.bound()?),
            Domain::Set(size, of) => choices(of.bound()?, most(size)),
            Domain::MSet { size, occur, of } => {
                let candidates = of.bound()?;
                let occurs = most(occur).min(most(size));
                if occurs == u128::MAX {
                    return match candidates {
                        0 => Some(1),
                        _ => None,
                    };
                }
                let by_value = power(occurs.saturating_add(1), candidates);
                match most(size) {
                    u128::MAX => by_value,
                    most => by_value.min(power(candidates.saturating_add(1), most)),
                }
            }
            Domain::Sequence {
                size,
                injective,
                of,
                ..
            } => {
                let candidates = of.bound()?;
                let longest = match most(size) {
                    u128::MAX if *injective => candidates,
                    u128::MAX => return None,
                    most => most,
                };
                power(candidates.saturating_add(1), longest)
            }
            Domain::Function { size, from, to, .. } => {
                let (from, to) = (from.bound()?, to.bound()?);
                let all = power(to.saturating_add(1), from);
                match most(size) {
                    u128::MAX => all,
                    most => all.min(power(from.saturating_mul(to).saturating_add(1), most)),
                }
            }
            Domain::Relation { size, of, .. } => {
                let tuples = of
                    .iter()
                    .try_fold(1u128, |all, part| Some(all.saturating_mul(part.bound()?)))?;
                choices(tuples, most(size))
            }
            Domain::Partition { of, .. } | Domain::Permutation { of, .. } => {
                let members = of.bound()?;
                (1..=members.min(40)).fold(1u128, u128::saturating_mul)
            }
        })
    }

    /// All values, sorted; `None` if there are infinitely or too many.
    pub fn values(&self, poll: &Poll) -> Option<Vec<Value>> {
        if self.bound()? > MOST_VALUES {
            return None;
        }
        let mut values = crate::deep::deep(|| self.listed(poll))?;
        values.sort();
        Some(values)
    }

    fn listed(&self, poll: &Poll) -> Option<Vec<Value>> {
        let numbers = |ranges: &[(i64, i64)]| -> Vec<i64> {
            ranges.iter().flat_map(|&(low, high)| low..=high).collect()
        };
        Some(match self {
            Domain::Any => return None,
            Domain::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Domain::Int(ranges) => numbers(ranges).into_iter().map(Value::Int).collect(),
            Domain::Member(named, ranges) => {
                let member = |place| Value::Member(named.clone(), place);
                numbers(ranges).into_iter().map(member).collect()
            }
            Domain::Tuple(parts) => rows(parts, poll)?.into_iter().map(Value::Tuple).collect(),
            Domain::Record(fields) => {
                let parts: Vec<Domain> = fields.iter().map(|(_, of)| of.clone()).collect();
                let names = || fields.iter().map(|(name, _)| name.clone());
                let record = |row: Vec<Value>| Value::Record(names().zip(row).collect());
                rows(&parts, poll)?.into_iter().map(record).collect()
            }
            Domain::Variant(fields) => {
                let mut all = Vec::new();
                for (name, of) in fields {
                    let values = of.values(poll)?.into_iter();
                    all.extend(values.map(|value| Value::Variant(name.clone(), Box::new(value))));
                }
                all
            }
            Domain::Matrix(index, of) => {
                let index = index.values(poll)?;
                let parts = vec![(**of).clone(); index.len()];
                let matrix = |row| Value::Matrix(index.clone(), row);
                rows(&parts, poll)?.into_iter().map(matrix).collect()
            }
            Domain::Set(size, of) => {
                let members = of.values(poll)?;
                subsets(&members, *size, poll)
                    .into_iter()
                    .map(Value::Set)
                    .collect()
            }
            Domain::Relation { size, of, .. } => {
                let tuples = Domain::Tuple(of.clone()).values(poll)?;
                let found = subsets(&tuples, *size, poll).into_iter();
                let found = found.map(Value::Relation);
                found.filter(|relation| self.contains(relation)).collect()
            }
            Domain::MSet { size, occur, of } => {
                let members = of.values(poll)?;
                let mut all: Vec<Vec<Value>> = vec![Vec::new()];
                let longest = size.most_of(u64::MAX);
                for member in &members {
                    let mut longer = Vec::new();
                    for chosen in all {
                        let room = longest.saturating_sub(chosen.len() as u64);
                        for count in occur.least.max(0) as u64..=occur.most_of(room) {
                            poll.step();
                            let mut chosen = chosen.clone();
                            chosen.extend((0..count).map(|_| member.clone()));
                            longer.push(chosen);
                        }
                    }
                    all = longer;
                }
                let fits = all.into_iter().filter(|items| size.contains(items.len()));
                fits.map(Value::MSet).collect()
            }
            Domain::Sequence {
                size,
                injective,
                of,
                ..
            } => {
                let members = of.values(poll)?;
                let longest = match size.most {
                    None if *injective => members.len() as u64,
                    _ => size.most_of(u64::MAX),
                };
                let mut all: Vec<Vec<Value>> = vec![Vec::new()];
                let mut found = Vec::new();
                for length in 0..=longest {
                    found.extend(all.iter().cloned().map(Value::Sequence));
                    if length == longest || all.is_empty() {
                        break;
                    }
                    let mut longer = Vec::new();
                    for items in &all {
                        for member in &members {
                            poll.step();
                            if *injective && items.contains(member) {
                                continue;
                            }
                            let mut items = items.clone();
                            items.push(member.clone());
                            longer.push(items);
                        }
                    }
                    all = longer;
                }
                found.retain(|sequence| self.contains(sequence));
                found
            }
            Domain::Function {
                size,
                total,
                from,
                to,
                ..
            } => {
                let (keys, images) = (from.values(poll)?, to.values(poll)?);
                let most = size.most_of(keys.len() as u64) as usize;
                let mut all: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
                for key in &keys {
                    let mut longer = Vec::new();
                    for pairs in all {
                        if pairs.len() < most {
                            for image in &images {
                                poll.step();
                                let mut pairs = pairs.clone();
                                pairs.push((key.clone(), image.clone()));
                                longer.push(pairs);
                            }
                        }
                        if !total {
                            longer.push(pairs);
                        }
                    }
                    all = longer;
                }
                let all = all.into_iter().map(Value::function);
                all.filter(|function| self.contains(function)).collect()
            }
            Domain::Partition { of, .. } => {
                let members = of.values(poll)?;
                let mut all: Vec<Vec<Vec<Value>>> = vec![Vec::new()];
                for member in &members {
                    let mut longer = Vec::new();
                    for parts in all {
                        for at in 0..=parts.len() {
                            poll.step();
                            let mut parts = parts.clone();
                            match parts.get_mut(at) {
                                Some(part) => part.push(member.clone()),
                                None => parts.push(vec![member.clone()]),
                            }
                            longer.push(parts);
                        }
                    }
                    all = longer;
                }
                let partition = |parts: Vec<Vec<Value>>| {
                    Value::partition(parts.into_iter().map(Value::Set).collect())
                };
                let all = all.into_iter().map(partition);
                all.filter(|partition| self.contains(partition)).collect()
            }
            Domain::Permutation { of, .. } => {
                let members = of.values(poll)?;
                let mut all: Vec<Vec<Value>> = vec![Vec::new()];
                for _ in &members {
                    let mut longer = Vec::new();
                    for images in all {
                        for member in &members {
                            poll.step();
                            if !images.contains(member) {
                                let mut images = images.clone();
                                images.push(member.clone());
                                longer.push(images);
                            }
                        }
                    }
                    all = longer;
                }
                let permutation = |images: Vec<Value>| {
                    Value::permutation(members.iter().cloned().zip(images).collect())
                };
                let all = all.into_iter().map(permutation);
                all.filter(|permutation| self.contains(permutation))
                    .collect()
            }
        })
    }
}

fn power(base: u64, exponent: u64) -> Option<u64> {
    base.checked_pow(u32::try_from(exponent).ok()?)
}

/// All rows with one value of each domain.
fn rows(parts: &[Domain], poll: &Poll) -> Option<Vec<Vec<Value>>> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for part in parts {
        let values = part.values(poll)?;
        let mut longer = Vec::with_capacity(all.len() * values.len());
        for row in &all {
            for value in &values {
                poll.step();
                let mut row = row.clone();
                row.push(value.clone());
                longer.push(row);
            }
        }
        all = longer;
    }
    Some(all)
}

/// All subsets whose size fits.
fn subsets(members: &[Value], size: Size, poll: &Poll) -> Vec<Vec<Value>> {
    let most = size.most_of(members.len() as u64) as usize;
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for member in members {
        let mut more = Vec::new();
        for chosen in all.iter().filter(|chosen| chosen.len() < most) {
            poll.step();
            let mut chosen = chosen.clone();
            chosen.push(member.clone());
            more.push(chosen);
        }
        all.append(&mut more);
    }
    all.retain(|chosen| size.contains(chosen.len()));
    all
}
