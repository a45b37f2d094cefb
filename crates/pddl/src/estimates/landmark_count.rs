//! The landmark count: the landmarks that a plan must still make true (Richter and Westphal 2010).
//! Not admissible.
//!
//! The count of a state depends on the path to it. A landmark is accepted in a state if it was
//! accepted in the state before, or holds now and all landmarks before it in the graph were accepted
//! there. It is still to be reached if it is not accepted, or if it does not hold although it must:
//! at the goal, or because it holds just before another one that is not accepted. Where several
//! paths lead to a state, a landmark is accepted there only if it is by all of them.

use ployglot_base::{Budget, Limit};
use rustc_hash::FxHashMap;

use super::RelaxedTask;
use crate::circuit::FactId;
use crate::landmarks::{Landmark, LandmarkGraph};
use crate::lists::Lists;
use crate::task::{OperatorId, State, Task};

/// The landmarks of a task, for counting.
pub struct LandmarkCount {
    graph: LandmarkGraph,
    /// The words of a set of landmarks.
    words: usize,
    /// For each landmark, the set of those that come before it in the graph.
    before: Vec<u64>,
    /// For each landmark, the set of those that it must hold just before of; all of them for a goal.
    required_by: Vec<u64>,
    /// For each landmark, the least cost of an operator that makes it true.
    costs: Vec<u32>,
    /// For each operator, the landmarks that one of its effects makes true, and those of one literal that
    /// one of its effects makes false.
    reached_by: Lists<u32>,
    lost_by: Lists<u32>,
    /// For each state that was seen, the set of landmarks that are accepted in it.
    accepted: Vec<u64>,
    /// Of the state that was counted last: its number; the landmarks that an operator can reach, because
    /// they can be accepted next or must hold again; and those that hold and must not be lost.
    counted: usize,
    next: Vec<u64>,
    kept: Vec<u64>,
}

impl LandmarkCount {
    /// Finds the landmarks, within a budget.
    pub fn new(task: &Task, graph: &RelaxedTask, budget: &Budget) -> Result<Self, Limit> {
        let graph = LandmarkGraph::new(task, graph, budget)?;
        let landmarks = &graph.landmarks;
        let words = landmarks.len().div_ceil(64);
        let mut before = vec![0; landmarks.len() * words];
        let mut required_by = vec![0; landmarks.len() * words];
        for (at, landmark) in landmarks.iter().enumerate() {
            for &earlier in landmark.before.iter().chain(&landmark.better_before) {
                before[at * words + earlier as usize / 64] |= 1 << (earlier % 64);
            }
            for &earlier in &landmark.just_before {
                required_by[earlier as usize * words + at / 64] |= 1 << (at % 64);
            }
        }
        let cost = |&operator: &u32| task.operators[operator as usize].unconditional_cost();
        let costs = landmarks.iter().map(|landmark| {
            let achievers = landmark.first_achievers.iter();
            achievers.map(cost).min().unwrap_or(0)
        });
        Ok(Self {
            words,
            before,
            required_by,
            costs: costs.collect(),
            reached_by: made_by(task, landmarks, true),
            lost_by: made_by(task, landmarks, false),
            counted: 0,
            next: vec![0; words],
            kept: vec![0; words],
            accepted: Vec::new(),
            graph,
        })
    }

    /// The number of landmarks.
    pub fn len(&self) -> usize {
        self.graph.landmarks.len()
    }

    /// Whether there are no landmarks.
    pub fn is_empty(&self) -> bool {
        self.graph.landmarks.is_empty()
    }

    /// The landmarks: of each one, the literals of which one is true at some time in every plan.
    pub fn landmarks(&self) -> impl Iterator<Item = Vec<(FactId, bool)>> {
        let literal = |&literal: &u32| (FactId(literal / 2), literal & 1 == 0);
        let landmarks = self.graph.landmarks.iter();
        landmarks.map(move |landmark| landmark.literals.iter().map(literal).collect())
    }

    /// The orders that every plan follows, as pairs of indices into the landmarks: the first one is
    /// true at some time before the second one is.
    pub fn orders(&self) -> impl Iterator<Item = (usize, usize)> {
        let landmarks = self.graph.landmarks.iter().enumerate();
        landmarks.flat_map(|(later, landmark)| {
            let earlier = landmark.before.iter();
            earlier.map(move |&earlier| (earlier as usize, later))
        })
    }

    /// Forgets all states.
    pub fn forget_states(&mut self) {
        self.accepted.clear();
    }

    /// A state was reached from another one, or it is the start. `id` is that of an earlier state or
    /// the next number.
    pub fn reach(&mut self, state: &State, id: usize, parent: Option<usize>) {
        let words = self.words;
        let new = id * words >= self.accepted.len();
        if new {
            self.accepted.resize((id + 1) * words, 0);
        }
        let mut now = [0u64; 16];
        let mut large = Vec::new();
        let now = if words <= now.len() {
            &mut now[..words]
        } else {
            large.resize(words, 0);
            &mut large[..]
        };
        if let Some(parent) = parent {
            now.copy_from_slice(&self.accepted[parent * words..][..words]);
        }
        match parent {
            Some(parent) => {
                for at in 0..self.len() {
                    let accepted = &self.accepted[parent * words..][..words];
                    if now[at / 64] >> (at % 64) & 1 == 0
                        && self.holds(at, state)
                        && self.all_before(at, accepted)
                    {
                        now[at / 64] |= 1 << (at % 64);
                    }
                }
            }
            // At the start, all landmarks hold that come before one that holds, unless by a
            // reasonable order.
            None => {
                let mut changed = true;
                while std::mem::take(&mut changed) {
                    for at in 0..self.len() {
                        if now[at / 64] >> (at % 64) & 1 == 0
                            && self.holds(at, state)
                            && self.all_before(at, now)
                        {
                            now[at / 64] |= 1 << (at % 64);
                            changed = true;
                        }
                    }
                }
            }
        }
        let stored = &mut self.accepted[id * words..][..words];
        for (stored, now) in stored.iter_mut().zip(now.iter()) {
            *stored = if new { *now } else { *stored & now };
        }
    }

    /// The costs of the landmarks that are still to be reached from a state, and their number.
    pub fn count(&mut self, state: &State, id: usize) -> (u32, u32) {
        let (mut cost, mut count) = (0u32, 0);
        let mut next = std::mem::take(&mut self.next);
        let mut kept = std::mem::take(&mut self.kept);
        next.fill(0);
        kept.fill(0);
        let accepted = &self.accepted[id * self.words..][..self.words];
        for at in 0..self.len() {
            let bit = 1 << (at % 64);
            let is_accepted = accepted[at / 64] & bit != 0;
            let is_required = || self.is_required(at, accepted);
            if !is_accepted {
                if self.all_before(at, accepted) {
                    next[at / 64] |= bit;
                }
            } else if !is_required() {
                continue;
            } else if self.holds(at, state) {
                kept[at / 64] |= bit;
                continue;
            } else {
                next[at / 64] |= bit;
            }
            cost = cost.saturating_add(self.costs[at]);
            count += 1;
        }
        self.counted = id;
        self.next = next;
        self.kept = kept;
        (cost, count)
    }

    /// The costs and the number of landmarks that an operator reaches and loses, in the state that was
    /// counted last: an estimate of the change of the count. Conditional effects count as if they happened.
    pub fn change(&self, operator: OperatorId) -> LandmarkChange {
        let mut change = LandmarkChange::default();
        let is_in = |set: &[u64], at: u32| set[at as usize / 64] >> (at % 64) & 1 == 1;
        let accepted = &self.accepted[self.counted * self.words..][..self.words];
        let reached = || {
            let reached = self.reached_by.of(operator.0).iter().copied();
            reached.filter(|&at| is_in(&self.next, at))
        };
        // Whether an accepted landmark is needed for one that is not accepted now either.
        let is_needed = |at: u32| {
            let later = &self.required_by[at as usize * self.words..][..self.words];
            let is_open = |word: usize| {
                let now = reached().filter(|&reached| reached as usize / 64 == word);
                let now = now.fold(0, |now, reached| now | 1 << (reached % 64));
                later[word] & !accepted[word] & !now != 0
            };
            self.graph.landmarks[at as usize].goal || (0..self.words).any(is_open)
        };
        for at in reached() {
            change.reached_cost = change.reached_cost.saturating_add(self.costs[at as usize]);
            change.reached += 1;
        }
        for &at in self.lost_by.of(operator.0) {
            if is_in(&self.kept, at) && is_needed(at) {
                change.lost_cost = change.lost_cost.saturating_add(self.costs[at as usize]);
                change.lost += 1;
            }
        }
        change
    }

    fn holds(&self, landmark: usize, state: &State) -> bool {
        let literals = &self.graph.landmarks[landmark].literals;
        literals
            .iter()
            .any(|&literal| state.holds(FactId(literal / 2)) == (literal & 1 == 0))
    }

    fn all_before(&self, landmark: usize, accepted: &[u64]) -> bool {
        let before = &self.before[landmark * self.words..][..self.words];
        before
            .iter()
            .zip(accepted)
            .all(|(before, accepted)| before & !accepted == 0)
    }

    /// Whether an accepted landmark must hold again.
    fn is_required(&self, landmark: usize, accepted: &[u64]) -> bool {
        let later = &self.required_by[landmark * self.words..][..self.words];
        self.graph.landmarks[landmark].goal
            || later
                .iter()
                .zip(accepted)
                .any(|(later, accepted)| later & !accepted != 0)
    }
}

/// What an operator does to the count of landmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LandmarkChange {
    /// The landmarks that are reached: their costs, and their number.
    pub reached_cost: u32,
    /// See `reached_cost`.
    pub reached: u32,
    /// The landmarks that must be reached again: their costs, and their number.
    pub lost_cost: u32,
    /// See `lost_cost`.
    pub lost: u32,
}

/// For each operator, the landmarks that one of its effects makes true; or, if not `holds`, those of one
/// literal that one of its effects makes false.
fn made_by(task: &Task, landmarks: &[Landmark], holds: bool) -> Lists<u32> {
    let mut of_literal: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (at, landmark) in (0..).zip(landmarks) {
        if holds || landmark.literals.len() == 1 {
            for &literal in &landmark.literals {
                let made = literal ^ u32::from(!holds);
                of_literal.entry(made).or_default().push(at);
            }
        }
    }
    let operators = task.operators.iter();
    let made = operators.map(|operator| {
        let adds = || operator.effects.iter().flat_map(|effect| &effect.adds);
        let deletes = operator.effects.iter().flat_map(|effect| &effect.deletes);
        // What one effect adds is not deleted by another.
        let deletes = deletes.filter(|&fact| !adds().any(|added| added == fact));
        let literals = adds().map(|fact| fact.0 * 2);
        let mut made: Vec<u32> = literals
            .chain(deletes.map(|fact| fact.0 * 2 + 1))
            .filter_map(|literal| of_literal.get(&literal))
            .flatten()
            .copied()
            .collect();
        made.sort_unstable();
        made.dedup();
        made
    });
    made.collect()
}
