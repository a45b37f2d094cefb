//! The task through its parts, each solved completely beforehand: pattern databases (Culberson and Schaeffer 1998; Edelkamp 2001).
//!
//! A part is a set of facts that no effect connects with others (`project`). All states of its projection that can be reached are
//! listed, and how much each costs to the goal. An operator counts in one part only, so what the parts cost adds up to a lower
//! bound (Felner, Korf and Hanan 2004). A state that one part cannot lead to the goal has no plan.
//!
//! In Puzznic's `derived` model a part is a pattern: the bound counts the moves that its blocks need to meet, and sees that a
//! single one left over is never removed. Where all facts are one part, which is too large to list, the bound says nothing.

use ployglot_base::{Budget, Guide, Progress, Space};
use rustc_hash::FxHashMap;

use crate::circuit::FactId;
use crate::compact::Compact;
use crate::project::{parts, project};
use crate::task::{OperatorId, State, Task};

/// The tables of all parts that could be listed. Made once, shared by the guides of all threads.
pub struct Projections {
    parts: Vec<Part>,
    complete: bool,
}

struct Part {
    /// By word of the state: which facts are of this part.
    masks: Vec<(usize, u64)>,
    /// By fact of the task: its number here, from 1.
    local: Vec<u32>,
    bits: u32,
    /// What is not in it leads nowhere.
    costs: FxHashMap<u64, u16>,
}

impl Projections {
    /// At most so many states are listed for each part; a part that has more is left out. So is what the budget has no time for.
    pub fn new(task: &Task, most: usize, budget: &Budget) -> Self {
        let mut found = Self {
            parts: Vec::new(),
            complete: true,
        };
        let mut all = parts(task);
        // One part is the whole task.
        if all.len() < 2 {
            return found;
        }
        all.sort_by_key(|part| (part.len(), part[0]));
        let mut counted = vec![false; task.operators.len()];
        for facts in all {
            let cost = |id: OperatorId| {
                let sure = task.operators[id.0 as usize].costs.iter();
                let sure = sure.filter(|(condition, _)| *condition == crate::circuit::TRUE);
                if counted[id.0 as usize] {
                    0
                } else {
                    sure.fold(0u32, |sum, (_, cost)| sum.saturating_add(*cost))
                }
            };
            let Some(view) = project(task, &facts, cost) else {
                continue;
            };
            let Ok(part) = Part::new(task, &facts, &view, most, budget) else {
                found.complete = false;
                continue;
            };
            let Some(part) = part else {
                continue;
            };
            for (id, operator) in task.operators.iter().enumerate() {
                let mut changed = operator
                    .effects
                    .iter()
                    .flat_map(|effect| effect.adds.iter().chain(&effect.deletes));
                counted[id] |= changed.any(|fact| part.local[fact.0 as usize] > 0);
            }
            found.parts.push(part);
        }
        found
    }

    /// Whether no part was left out for its size.
    pub fn are_complete(&self) -> bool {
        self.complete
    }

    pub fn bound(&self, state: &State) -> Option<u32> {
        let costs = self.parts.iter().map(|part| part.cost(state));
        costs.sum()
    }
}

/// As a guide.
pub struct Projected<'a>(pub &'a Projections);

impl Guide<Task> for Projected<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.0.bound(state)
    }
}

/// The states of a projection.
struct Listed {
    keys: Vec<u64>,
    /// 0 for goals, at first; else unknown.
    costs: Vec<u32>,
    /// From, to, and the cost between.
    edges: Vec<(u32, u32, u32)>,
}

impl Part {
    /// `None` where it has nothing to say.
    fn new(
        task: &Task,
        facts: &[FactId],
        view: &Task,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, TooLarge> {
        let mut part = Self {
            masks: Vec::new(),
            local: vec![0; task.facts.len()],
            bits: u32::BITS - (facts.len() as u32).leading_zeros(),
            costs: FxHashMap::default(),
        };
        for (at, fact) in facts.iter().enumerate() {
            part.local[fact.0 as usize] = at as u32 + 1;
            let word = fact.0 as usize / 64;
            if part.masks.last().is_none_or(|last| last.0 != word) {
                part.masks.push((word, 0));
            }
            part.masks.last_mut().expect("one was just pushed").1 |= 1 << (fact.0 % 64);
        }
        let listed = list(view, part.bits, most, budget)?;
        let states = listed.keys.len();
        part.costs = listed.solved();
        // A part where all states are goals, or lead to one for nothing, is not worth asking.
        let says_something = part.costs.len() < states || part.costs.values().any(|&cost| cost > 0);
        Ok(says_something.then_some(part))
    }

    fn cost(&self, state: &State) -> Option<u32> {
        let mut key = 0;
        for &(word, mask) in &self.masks {
            let mut rest = state.0[word] & mask;
            while rest != 0 {
                let fact = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                key = key << self.bits | u64::from(self.local[fact]);
            }
        }
        self.costs.get(&key).map(|&cost| u32::from(cost))
    }
}

/// A part has more states than may be listed, or larger ones.
struct TooLarge;

/// The facts that hold, one number after the other.
fn key(state: &State, bits: u32) -> Result<u64, TooLarge> {
    let ones: u32 = state.0.iter().map(|word| word.count_ones()).sum();
    if ones * bits > 64 {
        return Err(TooLarge);
    }
    let mut key = 0;
    for (word, &ones) in state.0.iter().enumerate() {
        let mut rest = ones;
        while rest != 0 {
            let fact = word as u64 * 64 + u64::from(rest.trailing_zeros());
            rest &= rest - 1;
            key = key << bits | (fact + 1);
        }
    }
    Ok(key)
}

/// All states that can be reached.
fn list(view: &Task, bits: u32, most: usize, budget: &Budget) -> Result<Listed, TooLarge> {
    let space = Compact::step_by_step(view);
    let start = space.start();
    let mut numbers = FxHashMap::from_iter([(key(&start, bits)?, 0u32)]);
    let mut listed = Listed {
        costs: vec![u32::MAX],
        keys: vec![key(&start, bits)?],
        edges: Vec::new(),
    };
    let mut states = vec![start];
    let mut moves = Vec::new();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        if next.is_multiple_of(1 << 12) && budget.check(Progress::default).is_err() {
            return Err(TooLarge);
        }
        // The task may go on where the part has its goal: another part has not.
        if space.is_goal(&state) {
            listed.costs[next] = 0;
        }
        moves.clear();
        space.moves(&state, &mut moves);
        for &mv in &moves {
            let after = space.apply(&state, mv);
            let key = key(&after, bits)?;
            let new = numbers.len() as u32;
            let number = *numbers.entry(key).or_insert(new);
            if number == new {
                if states.len() >= most {
                    return Err(TooLarge);
                }
                states.push(after);
                listed.keys.push(key);
                listed.costs.push(u32::MAX);
            }
            let cost = view.cost(&state, mv);
            listed.edges.push((next as u32, number, cost));
        }
        next += 1;
    }
    Ok(listed)
}

impl Listed {
    /// What each state costs to the goal; without those that never come there.
    fn solved(mut self) -> FxHashMap<u64, u16> {
        // The edges by their ends, for the way back.
        self.edges.sort_unstable_by_key(|&(_, to, _)| to);
        let mut first = vec![0u32; self.keys.len() + 1];
        self.edges
            .iter()
            .for_each(|&(_, to, _)| first[to as usize + 1] += 1);
        for at in 0..self.keys.len() {
            first[at + 1] += first[at];
        }
        let goals = (0..self.keys.len() as u32).filter(|&at| self.costs[at as usize] == 0);
        let mut open: std::collections::BinaryHeap<_> =
            goals.map(|goal| std::cmp::Reverse((0, goal))).collect();
        while let Some(std::cmp::Reverse((cost, at))) = open.pop() {
            if cost > self.costs[at as usize] {
                continue;
            }
            let before = first[at as usize] as usize..first[at as usize + 1] as usize;
            for &(from, _, step) in &self.edges[before] {
                let through = cost.saturating_add(step);
                if through < self.costs[from as usize] {
                    self.costs[from as usize] = through;
                    open.push(std::cmp::Reverse((through, from)));
                }
            }
        }
        let known = self.keys.iter().zip(&self.costs);
        known
            .filter(|(_, cost)| **cost < u32::MAX)
            .map(|(key, cost)| (*key, (*cost).min(u32::from(u16::MAX)) as u16))
            .collect()
    }
}
