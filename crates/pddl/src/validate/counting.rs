//! Quantifiers that count. PDDL can express "at most g cells are not empty" only as: there are g
//! cells, all different, such that every cell is one of them or empty. Trying all g-tuples of cells
//! takes far too long, so the validator recognises this form and counts the cells that are not
//! empty. (The grounder recognises it too, by code of its own.)

use super::LiftedState;
use super::state::Part;
use crate::lifted::*;

/// There are tuples `chosen` (all different, with `distinct`) such that every tuple of `variables`
/// is one of them or satisfies one of `otherwise`.
pub(super) struct Count<'a> {
    /// For each chosen tuple, the types of its components.
    chosen: Vec<Vec<&'a Either>>,
    distinct: bool,
    /// The slots of the quantifier whose tuples are chosen, which `otherwise` does not mention.
    slots: usize,
    variables: &'a [Parameter],
    otherwise: Vec<&'a Formula>,
}

impl<'a> Count<'a> {
    /// The form of `exists variables: body`, where the variables start at slot `first`.
    pub fn of(first: Slot, variables: &'a [Parameter], body: &'a Formula) -> Option<Self> {
        if variables.is_empty() {
            return None;
        }
        let first = usize::from(first.0);
        let outer = first..first + variables.len();
        // One universal quantifier; everything else says that tuples differ.
        let mut conjuncts = Vec::new();
        split(body, true, &mut conjuncts);
        let (all, differ): (Vec<_>, Vec<_>) = conjuncts
            .into_iter()
            .partition(|part| matches!(part, Formula::Forall { .. }));
        let [
            Formula::Forall {
                first: inner_first,
                variables: inner,
                body,
            },
        ] = all[..]
        else {
            return None;
        };
        if usize::from(inner_first.0) != outer.end || inner.is_empty() {
            return None;
        }
        // `tuples[k][i]` is the variable of the k-th tuple that is compared with inner variable i.
        let mut choices = Vec::new();
        split(body, false, &mut choices);
        let (mut tuples, mut otherwise) = (Vec::new(), Vec::new());
        for choice in choices {
            match tuple(choice, &outer, inner.len()) {
                Some(tuple) => tuples.push(tuple),
                None => otherwise.push(choice),
            }
        }
        let mut used: Vec<usize> = tuples.iter().flatten().copied().collect();
        used.sort_unstable();
        let mentions_outer = |formula: &&Formula| mentions(formula, &outer);
        if !used.into_iter().eq(outer.clone()) || otherwise.iter().any(mentions_outer) {
            return None;
        }
        // All pairs differ, or none must.
        let mut pairs = Vec::new();
        for part in differ {
            pairs.push(different(part, &tuples)?);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let count = tuples.len();
        if !pairs.is_empty() && pairs.len() != count * (count - 1) / 2 {
            return None;
        }
        let types = |tuple: &Vec<usize>| {
            let types = tuple.iter().map(|&slot| &variables[slot - first].types);
            types.collect()
        };
        Some(Self {
            chosen: tuples.iter().map(types).collect(),
            distinct: !pairs.is_empty(),
            slots: variables.len(),
            variables: inner,
            otherwise,
        })
    }
}

impl LiftedState<'_> {
    /// Whether the count is small enough. `None` where the chosen tuples do not range over the same
    /// tuples as the counted ones; then counting is not enough.
    pub(super) fn counts(&self, count: &Count, environment: &mut Vec<ObjectId>) -> Option<bool> {
        let mut tuples = 1usize;
        for (at, counted) in count.variables.iter().enumerate() {
            let range = self.range(&counted.types);
            tuples = tuples.saturating_mul(range.len());
            if count
                .chosen
                .iter()
                .any(|types| self.range(types[at]) != range)
            {
                return None;
            }
        }
        // The chosen tuples must exist, whether or not they are needed.
        let needed = if count.distinct {
            count.chosen.len()
        } else {
            1
        };
        if tuples < needed {
            return Some(false);
        }
        // Nothing reads the slots of the chosen tuples.
        let before = environment.len();
        environment.resize(before + count.slots, ObjectId(u32::MAX));
        let bound = environment.len();
        let parts = count.otherwise.iter();
        let parts: Vec<Part> = parts
            .flat_map(|formula| Part::refuting(formula, bound))
            .collect();
        let mut exceptions = 0;
        self.each_where(count.variables, &parts, environment, &mut |_| {
            exceptions += 1;
            exceptions <= count.chosen.len()
        });
        environment.truncate(before);
        Some(exceptions <= count.chosen.len())
    }
}

/// The parts of nested conjunctions, or of nested disjunctions.
fn split<'a>(formula: &'a Formula, and: bool, parts: &mut Vec<&'a Formula>) {
    match formula {
        Formula::And(inner) if and || inner.len() == 1 => {
            inner.iter().for_each(|part| split(part, and, parts));
        }
        Formula::Or(inner) if !and || inner.len() == 1 => {
            inner.iter().for_each(|part| split(part, and, parts));
        }
        other => parts.push(other),
    }
}

fn slot(term: Term) -> Option<usize> {
    match term {
        Term::Slot(slot) => Some(usize::from(slot.0)),
        Term::Object(_) => None,
    }
}

/// The outer slots that a conjunction of equalities compares with the inner variables, which follow
/// the outer slots; each inner variable is compared once.
fn tuple(formula: &Formula, outer: &std::ops::Range<usize>, inner: usize) -> Option<Vec<usize>> {
    let mut equalities = Vec::new();
    split(formula, true, &mut equalities);
    let mut tuple = vec![None; inner];
    for equality in equalities {
        let Formula::Equal(left, right) = equality else {
            return None;
        };
        let (left, right) = (slot(*left)?, slot(*right)?);
        let (low, high) = (left.min(right), left.max(right));
        if !outer.contains(&low) {
            return None;
        }
        let place = tuple.get_mut(high.checked_sub(outer.end)?)?;
        if place.replace(low).is_some() {
            return None;
        }
    }
    tuple.into_iter().collect()
}

/// The two tuples of a condition that they differ: not all of their components are equal.
fn different(formula: &Formula, tuples: &[Vec<usize>]) -> Option<(usize, usize)> {
    // The equalities that must not all hold.
    let mut equalities = Vec::new();
    match formula {
        Formula::Not(body) => split(body, true, &mut equalities),
        other => {
            let mut choices = Vec::new();
            split(other, false, &mut choices);
            for choice in choices {
                let Formula::Not(body) = choice else {
                    return None;
                };
                equalities.push(body);
            }
        }
    }
    let place = |slot: usize| {
        let tuple = tuples.iter().position(|tuple| tuple.contains(&slot))?;
        let at = tuples[tuple].iter().position(|&known| known == slot)?;
        Some((tuple, at))
    };
    let (mut pair, mut positions) = (None, Vec::new());
    for equality in equalities {
        let Formula::Equal(left, right) = equality else {
            return None;
        };
        let (left, right) = (place(slot(*left)?)?, place(slot(*right)?)?);
        let found = (left.0.min(right.0), left.0.max(right.0));
        if left.1 != right.1 || found.0 == found.1 || *pair.get_or_insert(found) != found {
            return None;
        }
        positions.push(left.1);
    }
    positions.sort_unstable();
    positions.dedup();
    (positions.len() == tuples[0].len()).then_some(pair?)
}

/// Whether the formula mentions one of these slots.
fn mentions(formula: &Formula, slots: &std::ops::Range<usize>) -> bool {
    let any = |terms: &[Term]| {
        let mut slots_of = terms.iter().filter_map(|&term| slot(term));
        slots_of.any(|slot| slots.contains(&slot))
    };
    match formula {
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| mentions(part, slots)),
        Formula::Not(body) | Formula::Exists { body, .. } | Formula::Forall { body, .. } => {
            mentions(body, slots)
        }
        Formula::Atom(atom) => any(&atom.arguments),
        Formula::Equal(left, right) => any(&[*left, *right]),
        // Expressions are not inspected: they may mention one.
        Formula::Compare(..) => true,
    }
}
