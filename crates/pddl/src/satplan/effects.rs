//! What operators do, in the form that clauses want: which literals come true under which condition.
//!
//! A task deletes first and adds then, so a fact that an operator both deletes and adds stays. Here a delete holds under its condition
//! and none of those under which the same operator adds the fact; after that no two consequences of an operator disagree. Consequences
//! that several operators share, condition and all, are one: of the many shots of Plotting that pass a column, each makes the same
//! blocks fall.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Refused;
use super::gates::{Edge, Gates, NO};
use crate::circuit::{FactId, NodeId};
use crate::task::{Operator, Task};

/// A fact and whether it becomes true.
pub(super) type Change = (FactId, bool);

/// Under its condition, each of these operators makes these changes.
pub(super) struct Consequence {
    pub operators: Vec<u32>,
    pub condition: Edge,
    pub changes: Vec<Change>,
}

/// A task as the clauses see it.
pub(super) struct Prepared {
    pub gates: Gates,
    pub goal: Edge,
    pub preconditions: Vec<Edge>,
    pub consequences: Vec<Consequence>,
    /// No operator costs less, wherever it is used.
    pub cheapest: u32,
}

impl Prepared {
    pub fn new(task: &Task) -> Result<Prepared, Refused> {
        if !task.numbers.is_empty() {
            return Err(Refused::Numbers);
        }
        let mut nodes: Vec<NodeId> = vec![task.goal];
        nodes.extend(task.operators.iter().map(|operator| operator.precondition));
        let effects = task.operators.iter().flat_map(|operator| &operator.effects);
        nodes.extend(effects.map(|effect| effect.condition));
        let (mut gates, edges) = Gates::new(task, &nodes)?;
        let (goal, edges) = (edges[0], &edges[1..]);
        let (preconditions, mut conditions) = edges.split_at(task.operators.len());
        let mut known: FxHashMap<(Edge, Vec<Change>), usize> = FxHashMap::default();
        let mut consequences: Vec<Consequence> = Vec::new();
        for (id, operator) in task.operators.iter().enumerate() {
            let (own, rest) = conditions.split_at(operator.effects.len());
            conditions = rest;
            for (condition, changes) in apart(operator, own, &mut gates) {
                let next = consequences.len();
                let at = *known.entry((condition, changes.clone())).or_insert(next);
                if at == next {
                    consequences.push(Consequence {
                        operators: Vec::new(),
                        condition,
                        changes,
                    });
                }
                consequences[at].operators.push(id as u32);
            }
        }
        let cheapest = task.operators.iter().map(sure_cost).min().unwrap_or(0);
        Ok(Prepared {
            goal,
            preconditions: preconditions.to_vec(),
            consequences,
            cheapest,
            gates,
        })
    }
}

/// What an operator costs at least.
fn sure_cost(operator: &Operator) -> u32 {
    let sure = operator
        .costs
        .iter()
        .filter(|(condition, _)| *condition == crate::circuit::TRUE);
    sure.map(|(_, cost)| *cost).fold(0, u32::saturating_add)
}

/// The changes of one operator by their conditions, so that no two that hold together disagree.
fn apart(
    operator: &Operator,
    conditions: &[Edge],
    gates: &mut Gates,
) -> BTreeMap<Edge, Vec<Change>> {
    let mut adders: FxHashMap<FactId, Vec<Edge>> = FxHashMap::default();
    for (effect, &condition) in operator.effects.iter().zip(conditions) {
        effect
            .adds
            .iter()
            .for_each(|&fact| adders.entry(fact).or_default().push(condition));
    }
    let mut found: BTreeMap<Edge, Vec<Change>> = BTreeMap::new();
    for (effect, &condition) in operator.effects.iter().zip(conditions) {
        for &fact in &effect.adds {
            found.entry(condition).or_default().push((fact, true));
        }
        for &fact in &effect.deletes {
            let mut parts: Vec<Edge> = adders
                .get(&fact)
                .into_iter()
                .flatten()
                .map(|&added| !added)
                .collect();
            parts.push(condition);
            found
                .entry(gates.and(parts))
                .or_default()
                .push((fact, false));
        }
    }
    found.remove(&NO);
    for changes in found.values_mut() {
        changes.sort_unstable();
        changes.dedup();
    }
    found
}
