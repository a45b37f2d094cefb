//! The effects of operators in the form that the clauses need: which literals become true under
//! which condition.
//!
//! A task deletes first and then adds, so a fact that an operator both deletes and adds stays true.
//! Here the condition of a delete excludes the conditions under which the same operator adds the
//! fact; then no two consequences of an operator disagree. Consequences of several operators with
//! the same condition and the same changes are stored once: many shots of Plotting pass the same
//! column, and each makes the same blocks fall.

use std::collections::BTreeMap;

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;

use super::gates::{Edge, FALSE_EDGE, Gates};
use super::{Stop, Unsupported};
use crate::circuit::{FactId, NodeId};
use crate::task::{Operator, Task};

/// A fact and whether it becomes true.
pub(super) type Change = (FactId, bool);

/// Where its condition holds, each of these operators makes these changes.
pub(super) struct Consequence {
    pub operators: Vec<u32>,
    pub condition: Edge,
    pub changes: Vec<Change>,
}

/// A task in the form that the encoding reads.
pub(super) struct Prepared {
    pub gates: Gates,
    pub goal: Edge,
    /// For each operator, its precondition.
    pub preconditions: Vec<Edge>,
    pub consequences: Vec<Consequence>,
    /// A lower bound on the cost of every operator in every state.
    pub cheapest: u32,
}

impl Prepared {
    /// `Err` where the task cannot be encoded.
    pub fn new(task: &Task, poll: &Poll) -> Result<Prepared, Stop> {
        if !task.numbers.is_empty() {
            return Err(Unsupported::Numbers.into());
        }
        let mut nodes: Vec<NodeId> = vec![task.goal];
        nodes.extend(task.operators.iter().map(|operator| operator.precondition));
        let effects = task.operators.iter().flat_map(|operator| &operator.effects);
        nodes.extend(effects.map(|effect| effect.condition));
        let (mut gates, edges) = Gates::new(task, &nodes, poll)?;
        let (goal, edges) = (edges[0], &edges[1..]);
        let (preconditions, mut conditions) = edges.split_at(task.operators.len());
        let mut known: FxHashMap<(Edge, Vec<Change>), usize> = FxHashMap::default();
        let mut consequences: Vec<Consequence> = Vec::new();
        for (id, operator) in task.operators.iter().enumerate() {
            let (own, rest) = conditions.split_at(operator.effects.len());
            conditions = rest;
            for (condition, changes) in changes_by_condition(operator, own, &mut gates, poll)? {
                poll.try_step()?;
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
        let costs = task.operators.iter().map(Operator::unconditional_cost);
        let cheapest = costs.min().unwrap_or(0);
        Ok(Prepared {
            goal,
            preconditions: preconditions.to_vec(),
            consequences,
            cheapest,
            gates,
        })
    }
}

/// The changes of one operator, by condition. Changes whose conditions hold together agree.
fn changes_by_condition(
    operator: &Operator,
    conditions: &[Edge],
    gates: &mut Gates,
    poll: &Poll,
) -> Result<BTreeMap<Edge, Vec<Change>>, Limit> {
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
            poll.try_step()?;
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
    found.remove(&FALSE_EDGE);
    for changes in found.values_mut() {
        changes.sort_unstable();
        changes.dedup();
    }
    Ok(found)
}
