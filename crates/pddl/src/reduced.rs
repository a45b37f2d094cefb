//! Operators as a search wants them: conditions without what follows from the rest, and without operators that can never be
//! taken; and which of them are *forced*.
//!
//! A forced operator is one that, where it can be taken, may be taken at once, and alone. Let its core be the literals of its
//! precondition, with what the mutex groups add to them. It is forced if
//! - while the core holds, the goal does not, and
//! - every other operator that could disturb it (change its core or what it reads, or read or change what it changes) cannot be
//!   taken while the core holds.
//!
//! Then nobody else ever ends the core, so every plan contains the operator; and all that a plan takes before it leaves it alone, so
//! it can as well be moved to the front, and the plan costs the same. That is a strong stubborn set of one operator (Valmari
//! 1989; Wehrle and Helmert 2014), made once and not in each state. In Puzznic's `derived` model every fall is forced: in whatever
//! order blocks fall, only one is tried.

use rustc_hash::FxHashMap;

use crate::circuit::*;
use crate::invariants::Implied;
use crate::partial::Partial;
use crate::task::{OperatorId, Task};

/// Nodes that may be looked at for each operator, on average, before the rest counts as not forced.
const VISITS: u64 = 20_000;

/// What must hold before an operator.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The literals among it; never contradictory.
    pub literals: Implied,
    /// All else: nodes, and whether they must hold or must not.
    pub rest: Vec<(NodeId, bool)>,
}

pub(crate) struct Reduced {
    /// `None` where the operator can never be taken.
    pub conditions: Vec<Option<Condition>>,
    pub forced: Vec<bool>,
}

impl Reduced {
    pub fn new(task: &Task) -> Self {
        let mut partial = Partial::new(task);
        let conditions = Condition::of_all(task, &mut partial);
        let forced = Interference::new(task, &conditions).forced(&mut partial);
        Self { conditions, forced }
    }

    /// Does not ask which operators are forced.
    pub fn without_force(task: &Task) -> Self {
        Self {
            conditions: Condition::of_all(task, &mut Partial::new(task)),
            forced: vec![false; task.operators.len()],
        }
    }
}

impl Condition {
    fn of_all(task: &Task, partial: &mut Partial) -> Vec<Option<Self>> {
        task.operators
            .iter()
            .map(|operator| Self::of(task, operator.precondition, partial))
            .collect()
    }

    fn of(task: &Task, node: NodeId, partial: &mut Partial) -> Option<Self> {
        let literals = Implied::of(task, node);
        let mut rest = Vec::new();
        flatten(task, node, true, &mut rest);
        partial.assume(&literals);
        let holds = |&fact: &FactId| partial.fact(fact) == Some(true);
        let fails = |&fact: &FactId| partial.fact(fact) == Some(false);
        if literals.never
            || !literals.positive.iter().all(holds)
            || !literals.negative.iter().all(fails)
        {
            return None;
        }
        let mut kept = Vec::new();
        for (node, positive) in rest {
            match partial.holds(node).map(|holds| holds == positive) {
                Some(true) => {}
                Some(false) => return None,
                None => kept.push((node, positive)),
            }
        }
        Some(Self {
            literals,
            rest: kept,
        })
    }
}

/// The conjuncts that are no literals. A name for a formula, or a disjunction that must not hold, is looked through where that gives
/// nothing but literals; else it stays whole, because others share it.
pub(crate) fn flatten(task: &Task, node: NodeId, positive: bool, rest: &mut Vec<(NodeId, bool)>) {
    match task.circuit.node(node) {
        Node::Fact(_) => {}
        Node::Not(inner) => flatten(task, *inner, !positive, rest),
        Node::And(parts) if positive => parts
            .iter()
            .for_each(|&part| flatten(task, part, true, rest)),
        _ if Implied::signed(task, node, positive).exact => {}
        _ => rest.push((node, positive)),
    }
}

/// Who reads and who writes which fact.
struct Interference<'a> {
    task: &'a Task,
    conditions: &'a [Option<Condition>],
    /// By fact: operators that name it in a literal, or change it.
    direct_readers: Vec<Vec<u32>>,
    writers: Vec<Vec<u32>>,
    /// By fact: larger conditions that it occurs in; and by these, operators.
    indirect: Vec<Vec<u32>>,
    readers_of: Vec<Vec<u32>>,
}

impl<'a> Interference<'a> {
    fn new(task: &'a Task, conditions: &'a [Option<Condition>]) -> Self {
        let facts = task.facts.len();
        let mut found = Self {
            task,
            conditions,
            direct_readers: vec![Vec::new(); facts],
            writers: vec![Vec::new(); facts],
            indirect: vec![Vec::new(); facts],
            readers_of: Vec::new(),
        };
        let mut known: FxHashMap<NodeId, u32> = FxHashMap::default();
        for (at, operator) in task.operators.iter().enumerate() {
            let Some(condition) = &conditions[at] else {
                continue;
            };
            let id = at as u32;
            let literals = condition
                .literals
                .positive
                .iter()
                .chain(&condition.literals.negative);
            literals.for_each(|fact| found.direct_readers[fact.0 as usize].push(id));
            let nodes = operator.effects.iter().map(|effect| effect.condition);
            let nodes = nodes.chain(operator.costs.iter().map(|(condition, _)| *condition));
            let nodes = nodes.chain(operator.changes.iter().map(|change| change.condition));
            for node in nodes
                .chain(condition.rest.iter().map(|(node, _)| *node))
                .filter(|&node| node != TRUE)
            {
                let number = *known.entry(node).or_insert_with(|| {
                    let number = found.readers_of.len() as u32;
                    task.support(node)
                        .into_iter()
                        .for_each(|fact| found.indirect[fact.0 as usize].push(number));
                    found.readers_of.push(Vec::new());
                    number
                });
                if found.readers_of[number as usize].last() != Some(&id) {
                    found.readers_of[number as usize].push(id);
                }
            }
            for effect in &operator.effects {
                for fact in effect.adds.iter().chain(&effect.deletes) {
                    found.writers[fact.0 as usize].push(id);
                }
            }
        }
        found
    }

    fn forced(&self, partial: &mut Partial) -> Vec<bool> {
        let mut asked = vec![u32::MAX; self.task.operators.len()];
        let most = partial.visits + VISITS * self.task.operators.len() as u64;
        (0..self.task.operators.len() as u32)
            .map(|id| partial.visits < most && self.is_forced(OperatorId(id), partial, &mut asked))
            .collect()
    }

    fn is_forced(&self, id: OperatorId, partial: &mut Partial, asked: &mut [u32]) -> bool {
        let operator = &self.task.operators[id.0 as usize];
        let Some(condition) = &self.conditions[id.0 as usize] else {
            return false;
        };
        let plain = condition.rest.is_empty()
            && operator.changes.is_empty()
            && operator
                .costs
                .iter()
                .all(|(condition, _)| *condition == TRUE)
            && operator
                .effects
                .iter()
                .all(|effect| effect.condition == TRUE);
        if !plain {
            return false;
        }
        partial.assume(&condition.literals);
        if partial.holds(self.task.goal) != Some(false) {
            return false;
        }
        // The core: what was assumed, and what follows from it by the groups.
        let mut core: Vec<FactId> = condition.literals.negative.clone();
        for &fact in &condition.literals.positive {
            core.push(fact);
            for &group in self.task.groups_of(fact) {
                core.extend(&self.task.groups[group as usize]);
            }
        }
        core.sort();
        core.dedup();
        let changed = || {
            operator
                .effects
                .iter()
                .flat_map(|effect| effect.adds.iter().chain(&effect.deletes))
        };
        let mut possible = |other: &u32| {
            // Each is asked once.
            if std::mem::replace(&mut asked[*other as usize], id.0) == id.0 {
                return false;
            }
            partial.visits += 1;
            *other != id.0
                && self.conditions[*other as usize]
                    .as_ref()
                    .is_some_and(|condition| {
                        let positive = &condition.literals.positive;
                        let negative = &condition.literals.negative;
                        !positive
                            .iter()
                            .any(|&fact| partial.fact(fact) == Some(false))
                            && !negative
                                .iter()
                                .any(|&fact| partial.fact(fact) == Some(true))
                            && !condition
                                .rest
                                .iter()
                                .any(|&(node, positive)| partial.holds(node) == Some(!positive))
                    })
        };
        let mut disturbed = core
            .iter()
            .any(|fact| self.writers[fact.0 as usize].iter().any(&mut possible));
        for fact in changed() {
            let at = fact.0 as usize;
            disturbed = disturbed
                || self.writers[at].iter().any(&mut possible)
                || self.direct_readers[at].iter().any(&mut possible)
                || self.indirect[at]
                    .iter()
                    .any(|&node| self.readers_of[node as usize].iter().any(&mut possible));
        }
        !disturbed
    }
}
