//! The operators as relations between states. Relations of the same cost are merged as long as they are small
//! (Torralba, Edelkamp and Kissmann 2013): one large step instead of many small ones.

use std::collections::BTreeMap;

use ployglot_base::Poll;

use super::Unsupported;
use super::bdd::{Bdd, Diagrams, NONE, Relation};
use super::encoding::{Encoding, Formulas};
use super::garbage::Garbage;
use super::narrowing::Narrowing;
use crate::hopeless::hopeless_operators;
use crate::task::{Operator, Task};

/// A merged relation has at most this many nodes.
const MOST_NODES: usize = 100_000;
/// The cost of an operator may depend on its conditions in at most this many ways.
const MOST_COSTS: usize = 64;
/// The recursive calls after which no more relations are merged: some seconds.
const MOST_WORK: u64 = 50_000_000;

/// The relations by cost. Of other sets, those of the formulas and of the narrowing are kept.
pub(super) fn relations(
    task: &Task,
    encoding: &Encoding,
    formulas: &mut Formulas,
    narrowing: &mut Narrowing,
    diagrams: &mut Diagrams,
    garbage: &mut Garbage,
    poll: &Poll,
) -> Result<BTreeMap<u32, Vec<Relation>>, Unsupported> {
    let hopeless = hopeless_operators(task, poll).unwrap_or_else(|limit| poll.leave(limit));
    let mut by_cost: BTreeMap<u32, Vec<Relation>> = BTreeMap::new();
    for (operator, _) in task
        .operators
        .iter()
        .zip(hopeless)
        .filter(|(_, hopeless)| !hopeless)
    {
        poll.step();
        for (cost, relation) in of_operator(operator, encoding, formulas, narrowing, diagrams)? {
            by_cost.entry(cost).or_default().push(relation);
        }
        let kept = by_cost.values().flatten().map(|relation| relation.pairs);
        garbage.collect(diagrams, || {
            kept.chain(formulas.sets())
                .chain(narrowing.sets())
                .collect()
        });
    }
    let start = diagrams.work();
    let costs: Vec<u32> = by_cost.keys().copied().collect();
    for cost in costs {
        let mut left = std::mem::take(by_cost.get_mut(&cost).expect("a cost of the map"));
        let mut done = Vec::new();
        // Neighbours are merged, then neighbours of what has come of it, and so on.
        while left.len() > 1 && diagrams.work() - start < MOST_WORK {
            let mut next = Vec::new();
            let mut rest = left.into_iter();
            while let Some(first) = rest.next() {
                let Some(second) = rest.next() else {
                    next.push(first);
                    break;
                };
                let either = diagrams.either(&first, &second);
                if diagrams.size(&[either.pairs], MOST_NODES) < MOST_NODES {
                    next.push(either);
                } else {
                    done.extend([first, second]);
                }
                let others = by_cost.values().flatten();
                let kept = others.chain(&done).chain(&next).chain(rest.as_slice());
                let kept = kept.map(|relation| relation.pairs);
                garbage.collect(diagrams, || {
                    kept.chain(formulas.sets())
                        .chain(narrowing.sets())
                        .collect()
                });
            }
            left = next;
        }
        done.extend(left);
        by_cost.insert(cost, done);
    }
    Ok(by_cost)
}

/// The relations of an operator, each with its cost: more than one where the cost has conditions.
fn of_operator(
    operator: &Operator,
    encoding: &Encoding,
    formulas: &mut Formulas,
    narrowing: &mut Narrowing,
    diagrams: &mut Diagrams,
) -> Result<Vec<(u32, Relation)>, Unsupported> {
    let precondition = formulas.set(diagrams, operator.precondition)?;
    let mut costs = vec![(precondition, 0u32)];
    for &(condition, cost) in &operator.costs {
        let condition = formulas.set(diagrams, condition)?;
        let before = std::mem::take(&mut costs);
        for (set, sum) in before {
            costs.push((diagrams.and(set, condition), sum.saturating_add(cost)));
            costs.push((diagrams.without(set, condition), sum));
        }
        costs.retain(|&(set, _)| set != NONE);
        if costs.len() > MOST_COSTS {
            return Err(Unsupported::Costs);
        }
    }
    let mut changes = vec![false; encoding.bits];
    let changed = changed_variables(operator, encoding, formulas, diagrams)?;
    let variables: Vec<u32> = changed.iter().map(|(variable, _)| *variable).collect();
    let Some(mut updates) = narrowing.of_operator(diagrams, operator, &variables) else {
        return Ok(Vec::new());
    };
    for (variable, update) in changed {
        for bit in encoding.variables[variable as usize].bits() {
            changes[bit as usize] = true;
        }
        updates = diagrams.and(update, updates);
    }
    let changes: Box<[bool]> = changes.into();
    let mut relations = Vec::new();
    for (condition, cost) in costs {
        let pairs = diagrams.and(condition, updates);
        if pairs != NONE {
            relations.push((cost, diagrams.relation(pairs, changes.clone())));
        }
    }
    Ok(relations)
}

/// The values that an operator may give to a variable, or take from it, each with its condition.
#[derive(Default)]
struct Changes {
    added: Vec<(u32, Bdd)>,
    deleted: Vec<(u32, Bdd)>,
}

/// What an operator does to each of the variables that it changes, the last variable first.
fn changed_variables(
    operator: &Operator,
    encoding: &Encoding,
    formulas: &mut Formulas,
    diagrams: &mut Diagrams,
) -> Result<Vec<(u32, Bdd)>, Unsupported> {
    let mut changes: BTreeMap<u32, Changes> = BTreeMap::new();
    for effect in &operator.effects {
        let condition = formulas.set(diagrams, effect.condition)?;
        for fact in &effect.adds {
            let (variable, value) = encoding.of_fact[fact.0 as usize];
            let changes = changes.entry(variable).or_default();
            changes.added.push((value, condition));
        }
        for fact in &effect.deletes {
            let (variable, value) = encoding.of_fact[fact.0 as usize];
            let changes = changes.entry(variable).or_default();
            changes.deleted.push((value, condition));
        }
    }
    let mut updates = Vec::new();
    for (variable, changes) in changes.into_iter().rev() {
        let mut parts = Vec::new();
        // Added facts come first. In a state that can be reached, no two of a variable are added.
        let mut added = NONE;
        for (value, condition) in changes.added {
            let new = diagrams.without(condition, added);
            let after = encoding.value(diagrams, variable, value, true);
            parts.push(diagrams.and(new, after));
            added = diagrams.or(added, condition);
        }
        let mut deleted = NONE;
        for (value, condition) in changes.deleted {
            let before = encoding.value(diagrams, variable, value, false);
            let gone = diagrams.and(condition, before);
            deleted = diagrams.or(deleted, gone);
        }
        let none = encoding.value(diagrams, variable, 0, true);
        let empty = diagrams.without(deleted, added);
        parts.push(diagrams.and(empty, none));
        let changed = diagrams.or(added, deleted);
        let mut kept = !changed;
        if kept != NONE {
            for bit in encoding.variables[variable as usize].bits().rev() {
                let same = diagrams.same(bit);
                kept = diagrams.and(kept, same);
            }
        }
        parts.push(kept);
        updates.push((variable, diagrams.any_of(&parts)));
    }
    Ok(updates)
}
