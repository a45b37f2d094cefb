//! A task as finite-domain variables and operators that change each variable by a relation: what
//! abstractions are made from.
//!
//! A mutex group is a variable, as in packed states; value 0 means that none of its facts holds. An
//! operator has, for each variable that it reads or changes, the pairs of values before and after
//! it. The variables are treated independently, and what a pair cannot express is allowed: other
//! conditions than literals are dropped, and an effect under a condition may fire or not, unless the
//! condition depends on the variable alone. So every step of the task is a step here, at the same
//! cost or less, and a bound that is true here is true in the task. That holds for conditional
//! effects, axioms and numbers too; they only make the bounds weaker.

use ployglot_base::{Limit, Poll, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pairs::{Pairs, has, literals};
use crate::circuit::{FactId, NodeId, TRUE};
use crate::invariants::Implied;
use crate::packing::Packing;
use crate::task::{Operator, State, Task};

/// The values of a variable before and after an operator; sorted.
pub(crate) type Relation = Vec<(u16, u16)>;

/// The number of a relation in `Factored::relations`.
pub(crate) type RelationId = u32;

/// A task as variables and relations.
pub(crate) struct Factored {
    /// For each variable, the number of its values.
    pub sizes: Vec<u32>,
    /// For each fact, its variable and value.
    of_fact: Vec<(u32, u16)>,
    /// All different relations.
    pub relations: Vec<Relation>,
    /// For each operator of the task, the variables that it reads or changes, with their relations;
    /// `None` where it is never applicable. Sorted by variable.
    pub operators: Vec<Option<Vec<(u32, RelationId)>>>,
    /// For each operator, a lower bound on its cost.
    pub costs: Vec<u32>,
    /// For each variable that the goal restricts, its values in goal states. Sorted by variable.
    pub goal: Vec<(u32, Vec<u16>)>,
    /// The values of the variables at the start.
    pub start: Vec<u16>,
}

/// Tasks with larger variables are refused: relations would take too much space.
const MAX_VALUES: usize = 4_000;
/// The greatest product of operators and facts for which pairs of literals are used.
const MAX_CHECKS: usize = 60_000_000;
/// The greatest number of pairs of all different relations.
const MAX_PAIRS: usize = 20_000_000;

impl Factored {
    /// `None` where the task is too large for relations, or where the goal restricts no variable, so
    /// that every bound would be 0.
    pub fn new(task: &Task, poll: &Poll) -> Result<Option<Self>, Limit> {
        let packing = Packing::new(task, poll)?;
        let groups: Vec<&[FactId]> = packing.groups().collect();
        if groups.iter().any(|group| group.len() >= MAX_VALUES) {
            return Ok(None);
        }
        let mut of_fact = vec![(0, 0); task.facts.len()];
        for (variable, group) in groups.iter().enumerate() {
            for (value, fact) in group.iter().enumerate() {
                of_fact[fact.0 as usize] = (variable as u32, value as u16 + 1);
            }
        }
        // Looking at all facts for each operator must not take too long.
        let small = task.operators.len().saturating_mul(task.facts.len()) <= MAX_CHECKS;
        let pairs = match small {
            true => Pairs::new(task, poll)?,
            false => None,
        };
        let mut builder = Builder {
            task,
            pairs,
            groups: &groups,
            of_fact: &of_fact,
            implied: FxHashMap::default(),
            numbers: FxHashMap::default(),
            relations: Vec::new(),
            size: 0,
        };
        // Only variables that the goal mentions; others would add abstractions without use.
        let mut goal: Vec<(u32, Vec<u16>)> = builder.allowed(task.goal).unwrap_or_default();
        let implied = &builder.implied[&task.goal];
        let mentioned = implied.positive.iter().chain(&implied.negative);
        let mentioned: FxHashSet<u32> = mentioned
            .chain(implied.one_of.iter().flatten())
            .map(|fact| of_fact[fact.0 as usize].0)
            .collect();
        goal.retain(|(variable, _)| mentioned.contains(variable));
        if goal.is_empty() {
            return Ok(None);
        }
        let mut operators = Vec::new();
        for operator in &task.operators {
            poll.try_step()?;
            operators.push(builder.operator(operator));
            if builder.size > MAX_PAIRS {
                return Ok(None);
            }
        }
        let relations = builder.relations;
        let sizes = groups.iter().map(|group| group.len() as u32 + 1).collect();
        let costs = task.operators.iter();
        let mut factored = Self {
            sizes,
            of_fact,
            relations,
            operators,
            costs: costs
                .map(|operator| operator.unconditional_cost())
                .collect(),
            goal,
            start: Vec::new(),
        };
        let mut start = Vec::new();
        factored.values(&task.start(), &mut start);
        factored.start = start;
        Ok(Some(factored))
    }

    /// The values of the variables in a state.
    pub fn values(&self, state: &State, values: &mut Vec<u16>) {
        values.clear();
        values.resize(self.sizes.len(), 0);
        let words = self.of_fact.len().div_ceil(64);
        for (at, &word) in state.0[..words].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let fact = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let (variable, value) = self.of_fact[fact];
                values[variable as usize] = value;
            }
        }
    }

    /// The relation of an operator on a variable; `None` where the operator neither reads nor
    /// changes it.
    pub fn relation(&self, operator: u32, variable: u32) -> Option<&Relation> {
        let relations = self.operators[operator as usize].as_ref()?;
        let at = relations.binary_search_by_key(&variable, |(variable, _)| *variable);
        Some(&self.relations[relations[at.ok()?].1 as usize])
    }
}

struct Builder<'a> {
    task: &'a Task,
    /// The pairs of literals that may hold together, where the task is not too large.
    pairs: Option<Pairs>,
    groups: &'a [&'a [FactId]],
    of_fact: &'a [(u32, u16)],
    implied: FxHashMap<NodeId, Implied>,
    numbers: FxHashMap<(u32, Relation), RelationId>,
    relations: Vec<Relation>,
    /// The number of pairs of values in all relations.
    size: usize,
}

/// For some variables, the values that they may have; sorted by variable.
type Allowed = Vec<(u32, Vec<u16>)>;

impl Builder<'_> {
    fn implied(&mut self, node: NodeId) -> &Implied {
        let task = self.task;
        let implied = self.implied.entry(node);
        implied.or_insert_with(|| Implied::of(task, node))
    }

    /// The values that the variables may have where the node holds; `None` where it never does.
    fn allowed(&mut self, node: NodeId) -> Option<Allowed> {
        self.implied(node);
        let (task, of_fact, groups) = (self.task, self.of_fact, self.groups);
        let implied = &self.implied[&node];
        if implied.never {
            return None;
        }
        let mut holding: Vec<FactId> = implied.positive.clone();
        let mut failing: Vec<FactId> = implied.negative.clone();
        let given = literals(implied);
        if let Some(pairs) = self.pairs.as_ref().filter(|_| !given.is_empty()) {
            // What does not fit together with the literals of the condition has the other value.
            let compatible = pairs.compatible(&given)?;
            for fact in (0..of_fact.len() as u32).map(FactId) {
                if !has(&compatible, fact.0 * 2) {
                    failing.push(fact);
                } else if !has(&compatible, fact.0 * 2 + 1) {
                    holding.push(fact);
                }
            }
        } else {
            // In a mutex group, no other fact holds together with one that does.
            for fact in &implied.positive {
                for &group in task.groups_of(*fact) {
                    let others = task.groups[group as usize].iter();
                    failing.extend(others.filter(|&other| other != fact));
                }
            }
        }
        let mut held: FxHashMap<u32, u16> = FxHashMap::default();
        for fact in holding {
            let (variable, value) = of_fact[fact.0 as usize];
            if held
                .insert(variable, value)
                .is_some_and(|known| known != value)
            {
                return None;
            }
        }
        let mut excluded: FxHashMap<u32, Vec<u16>> = FxHashMap::default();
        for fact in failing {
            let (variable, value) = of_fact[fact.0 as usize];
            match held.get(&variable) {
                Some(&held) if held == value => return None,
                Some(_) => {}
                None => excluded.entry(variable).or_default().push(value),
            }
        }
        // One of several facts of the same variable holds.
        for set in &implied.one_of {
            let (variable, _) = of_fact[set.first()?.0 as usize];
            if set
                .iter()
                .all(|fact| of_fact[fact.0 as usize].0 == variable)
            {
                let values: Vec<u16> = set.iter().map(|fact| of_fact[fact.0 as usize].1).collect();
                let all = 0..=groups[variable as usize].len() as u16;
                let others = all.filter(|value| !values.contains(value));
                if !held.contains_key(&variable) {
                    excluded.entry(variable).or_default().extend(others);
                }
            }
        }
        let mut allowed: Allowed = Vec::new();
        allowed.extend(
            held.iter()
                .map(|(&variable, &value)| (variable, vec![value])),
        );
        for (variable, mut values) in excluded {
            values.sort_unstable();
            let all = 0..=groups[variable as usize].len() as u16;
            let rest = all.filter(|value| values.binary_search(value).is_err());
            allowed.push((variable, rest.collect()));
        }
        allowed.sort();
        Some(allowed)
    }

    fn operator(&mut self, operator: &Operator) -> Option<Vec<(u32, RelationId)>> {
        let allowed = self.allowed(operator.precondition)?;
        // For each variable: the values before.
        let mut before: FxHashMap<u32, Vec<u16>> = allowed.into_iter().collect();
        let mut changes: FxHashMap<u32, Vec<Change>> = FxHashMap::default();
        for effect in &operator.effects {
            let under = self.allowed(effect.condition);
            let Some(under) = under else { continue };
            let exact = self.implied(effect.condition).exact;
            let deletes = effect.deletes.iter().map(|fact| (fact, false));
            for (fact, adds) in deletes.chain(effect.adds.iter().map(|fact| (fact, true))) {
                let (variable, value) = self.of_fact[fact.0 as usize];
                let own = under.iter().find(|(of, _)| *of == variable);
                let literals = &self.implied[&effect.condition];
                let mut facts = literals.positive.iter().chain(&literals.negative);
                let alone = facts.all(|fact| self.of_fact[fact.0 as usize].0 == variable);
                changes.entry(variable).or_default().push(Change {
                    value,
                    adds,
                    only_from: own.map(|(_, values)| values.clone()),
                    certain: effect.condition == TRUE || exact && alone,
                });
            }
        }
        changes.keys().for_each(|variable| {
            let all = 0..=self.groups[*variable as usize].len() as u16;
            before.entry(*variable).or_insert_with(|| all.collect());
        });
        let mut relations = Vec::new();
        for (variable, values) in before {
            let none = Vec::new();
            let changes = changes.get(&variable).unwrap_or(&none);
            let relation = relation(&values, changes);
            let size = self.groups[variable as usize].len() + 1;
            if relation.len() == size && relation.iter().all(|(from, to)| from == to) {
                continue;
            }
            relations.push((variable, self.number(variable, relation)));
        }
        relations.sort_unstable();
        Some(relations)
    }

    fn number(&mut self, variable: u32, relation: Relation) -> RelationId {
        let next = self.relations.len() as RelationId;
        match self.numbers.entry((variable, relation)) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(free) => {
                self.size += free.key().1.len();
                self.relations.push(free.key().1.clone());
                *free.insert(next)
            }
        }
    }
}

/// An effect on one value of a variable.
struct Change {
    value: u16,
    /// Whether the value's fact is added, or deleted.
    adds: bool,
    /// The values of the variable under which the effect may fire; `None`: all.
    only_from: Option<Vec<u16>>,
    /// Whether the effect always fires under these values.
    certain: bool,
}

/// The pairs of values for these values before.
fn relation(before: &[u16], changes: &[Change]) -> Relation {
    let mut pairs = Vec::new();
    for &from in before {
        let fires = |change: &&Change| {
            let own = change.only_from.as_ref();
            own.is_none_or(|values| values.binary_search(&from).is_ok())
        };
        let mut after = vec![from];
        for change in changes.iter().filter(fires) {
            if !change.adds && change.value == from {
                after.push(0);
                if change.certain {
                    after.retain(|&value| value != from);
                }
            }
        }
        // Additions come after deletions, and of two values only one can be added.
        let adds = || changes.iter().filter(|change| change.adds).filter(fires);
        if adds().any(|change| change.certain) {
            after.clear();
        }
        after.extend(adds().map(|change| change.value));
        after.sort_unstable();
        after.dedup();
        pairs.extend(after.into_iter().map(|to| (from, to)));
    }
    pairs
}
