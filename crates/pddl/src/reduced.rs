//! Reductions before search: preconditions without conjuncts that follow from the others, operators
//! that are never applicable, and partial-order reduction by *forced* operators.
//!
//! Where a forced operator is applicable, it is enough to try it alone. Let the core of an operator
//! be the literals of its precondition, with those that the mutex groups add to them. The
//! operator is forced if
//! - while the core holds, the goal does not, and
//! - every other operator that interferes with it (changes its core or what it reads, or reads or
//!   changes what it changes) is not applicable while the core holds.
//!
//! Then no other operator makes the core false, so every plan contains the operator. The operators
//! before it in a plan do not interfere with it, so it can be moved to the front at the same cost.
//! That is a strong stubborn set of one operator (Valmari 1989; Wehrle and Helmert 2014), computed
//! once and not in each state. In Puzznic's `derived` model every fall is forced, so only one order
//! of the falls is tried.

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;

use crate::circuit::*;
use crate::dependents::{Dependents, Visited};
use crate::invariants::Implied;
use crate::partial_state::PartialState;
use crate::task::{OperatorId, Task};

/// Nodes that may be evaluated for each operator, on average, before the remaining operators count
/// as not forced.
const MAX_VISITS: u64 = 20_000;

/// The precondition of an operator, simplified.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The literals; never contradictory.
    pub literals: Implied,
    /// The other conjuncts, each with whether it must hold or must not.
    pub rest: Vec<(NodeId, bool)>,
}

/// The reductions of a task.
pub(crate) struct Reduced {
    /// For each operator, its precondition; `None` where it is never applicable.
    pub conditions: Vec<Option<Condition>>,
    /// For each operator, whether it is forced.
    pub forced: Vec<bool>,
}

impl Reduced {
    /// All reductions.
    pub fn new(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        let mut partial = PartialState::new(task);
        let conditions = Condition::of_all(task, &mut partial, poll)?;
        let interference = Interference::new(task, &conditions, poll)?;
        let forced = interference.forced(&mut partial)?;
        Ok(Self { conditions, forced })
    }

    /// Simplified preconditions only; no operator is forced.
    pub fn without_force(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        Ok(Self {
            conditions: Condition::of_all(task, &mut PartialState::new(task), poll)?,
            forced: vec![false; task.operators.len()],
        })
    }
}

impl Condition {
    fn of_all(
        task: &Task,
        partial: &mut PartialState,
        poll: &Poll,
    ) -> Result<Vec<Option<Self>>, Limit> {
        let conditions = task.operators.iter().map(|operator| {
            poll.try_step()?;
            Ok(Self::of(task, operator.precondition, partial))
        });
        conditions.collect()
    }

    /// `None` where the node never holds.
    fn of(task: &Task, node: NodeId, partial: &mut PartialState) -> Option<Self> {
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

/// Adds the conjuncts that are not literals. A derived fact, or a disjunction that must not hold,
/// is replaced by its parts where these are all literals; otherwise it is kept as one node, because
/// other formulas share it.
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

/// Which operators read and change which facts.
struct Interference<'a> {
    task: &'a Task,
    poll: &'a Poll,
    conditions: &'a [Option<Condition>],
    /// For each fact, the operators with a literal of the fact in the precondition.
    direct_readers: Vec<Vec<u32>>,
    /// For each fact, the operators that change it.
    writers: Vec<Vec<u32>>,
    /// Which nodes depend on a fact.
    dependents: Dependents,
    /// For each node, the operators that have it as a condition other than a literal.
    readers_of: Vec<Vec<u32>>,
    /// For each fact, the operators that need it.
    needers: Vec<Vec<u32>>,
    /// For each mutex group, how many operators change its facts, and how many need one of them.
    group_writers: Vec<usize>,
    group_needers: Vec<usize>,
}

impl<'a> Interference<'a> {
    fn new(
        task: &'a Task,
        conditions: &'a [Option<Condition>],
        poll: &'a Poll,
    ) -> Result<Self, Limit> {
        let facts = task.facts.len();
        let mut found = Self {
            task,
            poll,
            conditions,
            direct_readers: vec![Vec::new(); facts],
            writers: vec![Vec::new(); facts],
            dependents: Dependents::new(task, poll)?,
            readers_of: vec![Vec::new(); task.circuit.len()],
            needers: vec![Vec::new(); facts],
            group_writers: Vec::new(),
            group_needers: Vec::new(),
        };
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
            let needed = condition.literals.positive.iter();
            needed.for_each(|fact| found.needers[fact.0 as usize].push(id));
            let nodes = operator.effects.iter().map(|effect| effect.condition);
            let nodes = nodes.chain(operator.costs.iter().map(|(condition, _)| *condition));
            let nodes = nodes.chain(operator.changes.iter().map(|change| change.condition));
            for node in nodes
                .chain(condition.rest.iter().map(|(node, _)| *node))
                .filter(|&node| node != TRUE)
            {
                poll.try_step()?;
                let readers = &mut found.readers_of[node.0 as usize];
                if readers.last() != Some(&id) {
                    readers.push(id);
                }
            }
            for fact in operator.changed_facts() {
                found.writers[fact.0 as usize].push(id);
            }
        }
        let total = |group: &[FactId], lists: &[Vec<u32>]| {
            let lists = group.iter().map(|fact| lists[fact.0 as usize].len());
            lists.sum::<usize>()
        };
        for group in &task.groups {
            poll.try_step()?;
            found.group_writers.push(total(group, &found.writers));
            found.group_needers.push(total(group, &found.needers));
        }
        Ok(found)
    }

    /// For each operator, whether it is forced.
    fn forced(&self, partial: &mut PartialState) -> Result<Vec<bool>, Limit> {
        let mut checked_for = vec![u32::MAX; self.task.operators.len()];
        let mut visited = self.dependents.unvisited();
        let mut free = FreeOperators::default();
        let most = partial.visits + MAX_VISITS * self.task.operators.len() as u64;
        let forced = (0..self.task.operators.len() as u32).map(|id| {
            let id = OperatorId(id);
            let forced = partial.visits < most
                && self.is_forced(id, partial, &mut checked_for, &mut visited, &mut free);
            // At a limit `is_forced` ends early.
            self.poll.try_step()?;
            Ok(forced)
        });
        forced.collect()
    }

    fn is_forced(
        &self,
        id: OperatorId,
        partial: &mut PartialState,
        checked_for: &mut [u32],
        visited: &mut Visited,
        free: &mut FreeOperators,
    ) -> bool {
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
        // Whether another operator may be applicable while the core holds.
        let mut possible = |other: &u32| {
            if self.poll.try_step().is_err() {
                return true;
            }
            // Each operator is checked once for this `id`.
            if std::mem::replace(&mut checked_for[*other as usize], id.0) == id.0 {
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
        let mut disturbed = match self.least_group(condition) {
            Some((fact, group)) => {
                let mut changes_core = |other: &u32| {
                    let mut changed = self.task.operators[*other as usize].changed_facts();
                    changed.any(|fact| self.in_core(condition, fact)) && possible(other)
                };
                let needers = &self.needers[fact.0 as usize];
                needers.iter().any(&mut changes_core)
                    || free.of(self, group).iter().any(&mut changes_core)
            }
            None => {
                let core = self.core(condition);
                let mut writers = core.iter().flat_map(|fact| &self.writers[fact.0 as usize]);
                writers.any(&mut possible)
            }
        };
        for fact in operator.changed_facts() {
            let at = fact.0 as usize;
            disturbed = disturbed
                || self.writers[at].iter().any(&mut possible)
                || self.direct_readers[at].iter().any(&mut possible);
        }
        if disturbed {
            return false;
        }
        // The operators that read what it changes through other conditions than literals.
        let changed: Vec<FactId> = operator.changed_facts().collect();
        let mut looked = 0;
        self.dependents.visit(&changed, visited, |node| {
            looked += 1;
            disturbed = self.readers_of[node.0 as usize].iter().any(&mut possible);
            !disturbed
        });
        partial.visits += looked;
        !disturbed
    }

    /// The core: the literals of the precondition, and those that follow by the mutex groups.
    fn core(&self, condition: &Condition) -> Vec<FactId> {
        let mut core: Vec<FactId> = condition.literals.negative.clone();
        for &fact in &condition.literals.positive {
            core.push(fact);
            for &group in self.task.groups_of(fact) {
                core.extend(&self.task.groups[group as usize]);
            }
        }
        core.sort();
        core.dedup();
        core
    }

    /// Whether a fact is in the core.
    fn in_core(&self, condition: &Condition, fact: FactId) -> bool {
        let groups = self.task.groups_of(fact);
        let shares_group = |&needed: &FactId| {
            let mut of_needed = self.task.groups_of(needed).iter();
            needed == fact || of_needed.any(|group| groups.contains(group))
        };
        condition.literals.negative.contains(&fact)
            || condition.literals.positive.iter().any(shares_group)
    }

    /// Only operators that need the same fact of a mutex group, or none of it, may be applicable while
    /// the core holds. Returns the needed fact and its group for which these are the fewest, if they are
    /// fewer than the operators that change the core. Most operators need a fact of the group, so that
    /// lists of the others stay short.
    fn least_group(&self, condition: &Condition) -> Option<(FactId, u32)> {
        let needed = condition.literals.positive.iter();
        let choices = needed.flat_map(|&fact| {
            let groups = self.task.groups_of(fact).iter();
            groups.map(move |&group| (fact, group))
        });
        let operators = self.task.operators.len();
        let free = |group: u32| operators.saturating_sub(self.group_needers[group as usize]);
        let count =
            |&(fact, group): &(FactId, u32)| free(group) + self.needers[fact.0 as usize].len();
        let writers = choices
            .clone()
            .map(|(_, group)| self.group_writers[group as usize]);
        let writers: usize = writers.sum();
        choices
            .filter(|&(_, group)| free(group) <= operators / 4)
            .min_by_key(count)
            .filter(|choice| count(choice) < writers)
    }
}

/// For some mutex groups, the operators that need none of its facts.
#[derive(Default)]
struct FreeOperators(FxHashMap<u32, Vec<u32>>);

impl FreeOperators {
    fn of(&mut self, interference: &Interference, group: u32) -> &[u32] {
        self.0.entry(group).or_insert_with(|| {
            let facts = &interference.task.groups[group as usize];
            let needers = facts.iter();
            let needers = needers.flat_map(|fact| &interference.needers[fact.0 as usize]);
            let mut needs = vec![false; interference.task.operators.len()];
            needers.for_each(|&operator| needs[operator as usize] = true);
            let free = (0..needs.len() as u32).filter(|&it| !needs[it as usize]);
            free.collect()
        })
    }
}
