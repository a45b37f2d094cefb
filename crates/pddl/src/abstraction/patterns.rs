//! Pattern databases: the abstraction that keeps some of the variables, the pattern, and drops the
//! others (Culberson and Schaeffer 1998; Edelkamp 2001).
//!
//! The patterns are systematic (Pommerening, Röger and Helmert 2013): the variables of the goal, and
//! then each pattern with one more variable on which an operator that changes the pattern depends,
//! or with a variable of the goal that an operator changes together with the pattern. Smaller
//! patterns come first. Where they say little, larger ones grow from single goals.

use ployglot_base::{Limit, Poll};
use rustc_hash::{FxHashMap, FxHashSet};

use super::factored::{Factored, Relation, RelationId};
use super::transitions::{Abstraction, Draft, Mapping};

/// The variables of a pattern, with their factors in the number of a state.
pub(crate) struct Pattern(Vec<(u32, u32)>);

impl Pattern {
    /// The number of a state with these values.
    #[inline]
    pub fn number(&self, values: &[u16]) -> u32 {
        let parts = self.0.iter();
        parts
            .map(|&(variable, factor)| u32::from(values[variable as usize]) * factor)
            .sum()
    }
}

/// How much the patterns may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternLimits {
    /// The greatest number of variables of a pattern.
    pub variables: usize,
    /// The greatest number of states of one abstraction, before unreachable ones are dropped.
    pub states: u32,
    /// The greatest number of transitions of one abstraction.
    pub transitions: usize,
    /// The greatest number of transitions of all abstractions.
    pub total: usize,
    /// The greatest number of patterns.
    pub patterns: usize,
}

/// The abstractions of all systematic patterns within the limits. At a limit of the budget, those so
/// far.
pub(crate) fn systematic(task: &Factored, limits: PatternLimits, poll: &Poll) -> Vec<Abstraction> {
    let mut found = Vec::new();
    let mut total = 0;
    let Ok(graph) = CausalGraph::new(task, poll) else {
        return found;
    };
    for pattern in graph.patterns(task, limits) {
        match abstraction(task, &graph, &pattern, limits, poll) {
            Err(_) => break,
            Ok(None) => continue,
            Ok(Some(abstraction)) => {
                total += abstraction.transitions();
                found.push(abstraction);
            }
        }
        if total > limits.total {
            break;
        }
    }
    found
}

/// Patterns may grow while they have this part of the transitions of all abstractions. With as many as all, the
/// tables of trucks p10 took more than twice as long to make.
const GROWTH: usize = 4;

/// The abstractions of patterns that grow, one from each variable of the goal: by the variable that raises the
/// cost of the start most, until none does. So they are larger than systematic patterns where small ones say little,
/// as with variables of two values. (Haslum and others 2007 grow a whole collection, by its bounds of sample
/// states.) At a limit, those so far.
pub(crate) fn grown(task: &Factored, limits: PatternLimits, poll: &Poll) -> Vec<Abstraction> {
    let mut found = Vec::new();
    let Ok(graph) = CausalGraph::new(task, poll) else {
        return found;
    };
    let mut work = 0;
    for &goal in &graph.goals {
        let mut pattern = vec![goal];
        let mut best: Option<(u32, Abstraction)> = None;
        loop {
            let mut raised = None;
            for other in graph.neighbours(&pattern) {
                if work > limits.total / GROWTH {
                    break;
                }
                let mut more = pattern.clone();
                more.push(other);
                more.sort_unstable();
                let system = match abstraction(task, &graph, &more, limits, poll) {
                    Err(_) => return found,
                    Ok(None) => {
                        work += limits.transitions / 10;
                        continue;
                    }
                    Ok(Some(system)) => system,
                };
                work += system.len() + system.transitions();
                // A start without a plan is noticed by the smaller patterns, or by the search.
                let state = system.state(&task.start);
                let cost = state.map_or(Ok(0), |state| system.distance(state, &task.costs, poll));
                let Ok(cost) = cost else {
                    return found;
                };
                if best.as_ref().is_none_or(|(least, _)| cost > *least) {
                    best = Some((cost, system));
                    raised = Some(more);
                }
            }
            match raised {
                Some(more) => pattern = more,
                None => break,
            }
        }
        found.extend(best.map(|(_, system)| system).filter(|_| pattern.len() > 2));
    }
    found
}

/// Which variables depend on which.
struct CausalGraph {
    goals: Vec<u32>,
    /// For each variable, the other variables that operators read which change it; sorted.
    read_for: Vec<Vec<u32>>,
    /// For each variable, the other variables that operators change together with it; sorted.
    changed_with: Vec<Vec<u32>>,
    /// For each variable, the operators that change it; ascending.
    changed_by: Vec<Vec<u32>>,
}

impl CausalGraph {
    fn new(task: &Factored, poll: &Poll) -> Result<Self, Limit> {
        let variables = task.sizes.len();
        let mut read_for = vec![FxHashSet::default(); variables];
        let mut changed_with = vec![FxHashSet::default(); variables];
        let changing: Vec<bool> = task.relations.iter().map(|pairs| changes(pairs)).collect();
        let before = |pairs: &Relation| {
            let mut values: Vec<u16> = pairs.iter().map(|(from, _)| *from).collect();
            values.dedup();
            values.len() as u32
        };
        let before: Vec<u32> = task.relations.iter().map(before).collect();
        let mut changed_by = vec![Vec::new(); variables];
        for (id, operator) in task.operators.iter().enumerate() {
            let Some(operator) = operator else { continue };
            for &(changed, relation) in operator {
                if !changing[relation as usize] {
                    continue;
                }
                changed_by[changed as usize].push(id as u32);
                for &(other, relation) in operator.iter().filter(|(other, _)| *other != changed) {
                    poll.try_step()?;
                    if before[relation as usize] < task.sizes[other as usize] {
                        read_for[changed as usize].insert(other);
                    } else if changing[relation as usize] {
                        changed_with[changed as usize].insert(other);
                    }
                }
            }
        }
        let sorted = |sets: Vec<FxHashSet<u32>>| {
            let lists = sets.into_iter().map(|set| {
                let mut list: Vec<u32> = set.into_iter().collect();
                list.sort_unstable();
                list
            });
            lists.collect()
        };
        Ok(Self {
            goals: task.goal.iter().map(|(variable, _)| *variable).collect(),
            read_for: sorted(read_for),
            changed_with: sorted(changed_with),
            changed_by,
        })
    }

    /// The operators that change a variable of the pattern; ascending.
    fn changers(&self, pattern: &[u32]) -> Vec<u32> {
        let lists = pattern
            .iter()
            .map(|&variable| &self.changed_by[variable as usize]);
        let mut operators: Vec<u32> = lists.flatten().copied().collect();
        operators.sort_unstable();
        operators.dedup();
        operators
    }

    /// The variables by which a pattern may grow; ascending.
    fn neighbours(&self, pattern: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        for &variable in pattern {
            let read = self.read_for[variable as usize].iter();
            let together = self.changed_with[variable as usize].iter();
            let together = together.filter(|other| self.goals.contains(other));
            found.extend(
                read.chain(together)
                    .filter(|other| !pattern.contains(other)),
            );
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The systematic patterns, each sorted; smaller patterns first, then those with fewer states.
    fn patterns(&self, task: &Factored, limits: PatternLimits) -> Vec<Vec<u32>> {
        let states = |pattern: &[u32]| {
            let sizes = pattern
                .iter()
                .map(|&variable| u64::from(task.sizes[variable as usize]));
            sizes.fold(1u64, u64::saturating_mul)
        };
        let mut all: Vec<Vec<u32>> = Vec::new();
        let mut last: Vec<Vec<u32>> = self.goals.iter().map(|&goal| vec![goal]).collect();
        for _ in 0..limits.variables {
            last.retain(|pattern| states(pattern) <= u64::from(limits.states));
            last.sort_by_cached_key(|pattern| (states(pattern), pattern.clone()));
            last.truncate(limits.patterns.saturating_sub(all.len()));
            let mut longer = FxHashSet::default();
            for pattern in &last {
                for other in self.neighbours(pattern) {
                    let mut more = pattern.clone();
                    more.push(other);
                    more.sort_unstable();
                    longer.insert(more);
                }
            }
            all.append(&mut last);
            if all.len() >= limits.patterns {
                break;
            }
            last = longer.into_iter().collect();
        }
        all
    }
}

/// Whether some pair has different values.
fn changes(pairs: &[(u16, u16)]) -> bool {
    pairs.iter().any(|(from, to)| from != to)
}

/// The abstraction of a pattern; `None` where it has too many states or transitions.
fn abstraction(
    task: &Factored,
    graph: &CausalGraph,
    pattern: &[u32],
    limits: PatternLimits,
    poll: &Poll,
) -> Result<Option<Abstraction>, Limit> {
    let mut factors = Vec::new();
    let mut states = 1u32;
    for &variable in pattern {
        factors.push((variable, states));
        let size = task.sizes[variable as usize];
        match states
            .checked_mul(size)
            .filter(|&states| states <= limits.states)
        {
            Some(more) => states = more,
            None => return Ok(None),
        }
    }
    let mapping = Pattern(factors.clone());
    // Operators with the same relations on the pattern have the same transitions.
    let mut numbers: FxHashMap<Vec<(u32, RelationId)>, u32> = FxHashMap::default();
    let mut labels: Vec<Vec<u32>> = Vec::new();
    let mut keys: Vec<Vec<(u32, RelationId)>> = Vec::new();
    for id in graph.changers(pattern) {
        poll.try_step()?;
        let operator = task.operators[id as usize].iter().flatten();
        let key: Vec<_> = operator
            .copied()
            .filter(|(variable, _)| pattern.binary_search(variable).is_ok())
            .collect();
        let next = labels.len() as u32;
        let label = *numbers.entry(key.clone()).or_insert(next);
        if label == next {
            labels.push(Vec::new());
            keys.push(key);
        }
        labels[label as usize].push(id);
    }
    let mut transitions = Vec::new();
    for (label, key) in keys.iter().enumerate() {
        let mut partial = vec![(0u32, 0u32)];
        for &(variable, factor) in &factors {
            let relation = key.iter().find(|(of, _)| *of == variable);
            let mut longer = Vec::new();
            let count = match relation {
                Some((_, relation)) => task.relations[*relation as usize].len(),
                None => task.sizes[variable as usize] as usize,
            };
            if partial.len().saturating_mul(count) > limits.transitions {
                return Ok(None);
            }
            for &(from, to) in &partial {
                poll.try_step()?;
                let mut extend = |before: u16, after: u16| {
                    let before = from + u32::from(before) * factor;
                    longer.push((before, to + u32::from(after) * factor));
                };
                match relation {
                    Some((_, relation)) => {
                        let pairs = task.relations[*relation as usize].iter();
                        pairs.for_each(|&(before, after)| extend(before, after));
                    }
                    None => {
                        let values = 0..task.sizes[variable as usize] as u16;
                        values.for_each(|value| extend(value, value));
                    }
                }
            }
            partial = longer;
        }
        let moving = partial.into_iter().filter(|(from, to)| from != to);
        transitions.extend(moving.map(|(from, to)| (label as u32, from, to)));
        if transitions.len() > limits.transitions {
            return Ok(None);
        }
    }
    let mut goals = vec![true; states as usize];
    for (variable, values) in &task.goal {
        let Some((_, factor)) = factors.iter().find(|(of, _)| of == variable) else {
            continue;
        };
        let size = task.sizes[*variable as usize];
        for (state, goal) in goals.iter_mut().enumerate() {
            let value = (state as u32 / factor % size) as u16;
            *goal &= values.binary_search(&value).is_ok();
        }
    }
    let draft = Draft {
        states: states as usize,
        start: mapping.number(&task.start),
        goals,
        labels,
        transitions,
    };
    Abstraction::new(draft, Mapping::Pattern(mapping), poll).map(Some)
}
