//! An abstraction: states with a number, and transitions with labels. Operators that have the same
//! transitions share a label.

use ployglot_base::{Limit, Poll};

use super::cartesian::Splits;
use super::patterns::Pattern;
use crate::lists::Lists;

/// The cost of a state from which no goal state is reached.
pub(crate) const INFINITE: u32 = u32::MAX;

/// How a state of the task is mapped to a state of the abstraction.
pub(crate) enum Mapping {
    /// A state has a number for each combination of some variables' values.
    Pattern(Pattern),
    /// A tree of splits.
    Cartesian(Splits),
}

/// A transition, as seen from its target.
pub(crate) type Incoming = (u32, u32);

/// A transition system, of which only the states are kept that are reachable from the start.
pub(crate) struct Abstraction {
    mapping: Mapping,
    /// For each number of the mapping, the state; `u32::MAX` where it is unreachable.
    states: Vec<u32>,
    goals: Vec<bool>,
    /// For each label, its operators.
    labels: Lists<u32>,
    /// For each state, the transitions that lead to it from other states: label and source.
    incoming: Lists<Incoming>,
}

/// What is known of an abstraction before unreachable states are dropped.
pub(super) struct Draft {
    pub states: usize,
    pub start: u32,
    pub goals: Vec<bool>,
    pub labels: Vec<Vec<u32>>,
    /// Label, source, target; without loops.
    pub transitions: Vec<(u32, u32, u32)>,
}

impl Abstraction {
    /// Drops the states that are unreachable from the start.
    pub(super) fn new(draft: Draft, mapping: Mapping, poll: &Poll) -> Result<Self, Limit> {
        poll.affords(draft.transitions.len() * size_of::<Incoming>() * 3)?;
        let edges = draft.transitions.iter();
        let outgoing = Lists::sorted(draft.states, edges.map(|&(_, from, to)| (from, to)));
        let mut states = vec![u32::MAX; draft.states];
        let mut found = vec![draft.start];
        states[draft.start as usize] = 0;
        let mut next = 0;
        while let Some(&state) = found.get(next) {
            next += 1;
            for &to in outgoing.of(state) {
                poll.try_step()?;
                if states[to as usize] == u32::MAX {
                    states[to as usize] = found.len() as u32;
                    found.push(to);
                }
            }
        }
        let edges = draft.transitions.iter();
        let kept = edges.filter(|(_, from, _)| states[*from as usize] != u32::MAX);
        let kept =
            kept.map(|&(label, from, to)| (states[to as usize], (label, states[from as usize])));
        let incoming = Lists::sorted(found.len(), kept);
        poll.try_step()?;
        Ok(Self {
            mapping,
            goals: found.iter().map(|&old| draft.goals[old as usize]).collect(),
            states,
            labels: draft.labels.into_iter().collect(),
            incoming,
        })
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.goals.len()
    }

    /// The number of transitions between different states.
    pub fn transitions(&self) -> usize {
        self.incoming.items().len()
    }

    /// The abstract state of a state with these values; `None` where it is not reachable in the
    /// abstraction, which a reachable state of the task always is.
    #[inline]
    pub fn state(&self, values: &[u16]) -> Option<u32> {
        let number = match &self.mapping {
            Mapping::Pattern(pattern) => pattern.number(values),
            Mapping::Cartesian(splits) => splits.number(values),
        };
        Some(self.states[number as usize]).filter(|&state| state != u32::MAX)
    }

    /// Whether some transition costs something, with these costs of the operators.
    pub fn has_costs(&self, costs: &[u32]) -> bool {
        (0..self.labels.len() as u32).any(|label| self.cost(label, costs) > 0)
    }

    /// The cost of a transition with this label.
    fn cost(&self, label: u32, costs: &[u32]) -> u32 {
        let costs = self.labels.of(label).iter().map(|&id| costs[id as usize]);
        costs.min().unwrap_or(INFINITE)
    }

    /// The cost of each state to the nearest goal state, with these costs of the operators, by
    /// Dijkstra's algorithm from the goal states.
    pub fn distances(&self, costs: &[u32], poll: &Poll) -> Result<Vec<u32>, Limit> {
        self.distances_until(None, costs, poll)
    }

    /// The cost of one state to the nearest goal state.
    pub fn distance(&self, state: u32, costs: &[u32], poll: &Poll) -> Result<u32, Limit> {
        Ok(self.distances_until(Some(state), costs, poll)?[state as usize])
    }

    /// The cost of each state, or at least of one state and those that are nearer.
    fn distances_until(
        &self,
        until: Option<u32>,
        costs: &[u32],
        poll: &Poll,
    ) -> Result<Vec<u32>, Limit> {
        let labels = 0..self.labels.len() as u32;
        let label_costs: Vec<u32> = labels.map(|label| self.cost(label, costs)).collect();
        let mut distances = vec![INFINITE; self.len()];
        let mut queue = crate::queue::Queue::default();
        for (state, _) in self.goals.iter().enumerate().filter(|(_, goal)| **goal) {
            distances[state] = 0;
            queue.push(0, state as u32);
        }
        while let Some((cost, state)) = queue.pop() {
            if cost > distances[state as usize] {
                continue;
            }
            if until == Some(state) {
                break;
            }
            poll.try_step()?;
            for &(label, from) in self.incoming.of(state) {
                let through = cost.saturating_add(label_costs[label as usize]);
                let through = through.min(INFINITE - 1);
                if through < distances[from as usize] {
                    distances[from as usize] = through;
                    queue.push(through, from);
                }
            }
        }
        Ok(distances)
    }

    /// Subtracts from the costs of the operators the least costs with which the distances are still
    /// the same, and returns their sum: the largest decrease of the distance over the transitions of
    /// each operator.
    pub fn take_saturated(
        &self,
        distances: &[u32],
        costs: &mut [u32],
        poll: &Poll,
    ) -> Result<u64, Limit> {
        let mut needed = vec![0u32; self.labels.len()];
        for state in 0..self.len() as u32 {
            poll.try_step()?;
            let after = distances[state as usize];
            if after == INFINITE {
                continue;
            }
            for &(label, from) in self.incoming.of(state) {
                let decrease = distances[from as usize].saturating_sub(after);
                let needed = &mut needed[label as usize];
                *needed = decrease.max(*needed);
            }
        }
        let mut sum = 0;
        for (label, &needed) in needed.iter().enumerate().filter(|(_, needed)| **needed > 0) {
            for &operator in self.labels.of(label as u32) {
                let left = &mut costs[operator as usize];
                debug_assert!(
                    *left >= needed,
                    "no transition decreases the distance by more"
                );
                *left = left.saturating_sub(needed);
                sum += u64::from(needed);
            }
        }
        Ok(sum)
    }
}
