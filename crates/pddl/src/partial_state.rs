//! Three-valued evaluation of formulas in a partial state: true, false or unknown. It is sound but
//! not complete: it does not see that `p or not p` holds.

use crate::circuit::*;
use crate::invariants::Implied;
use crate::task::{MAX_CHAIN, Task};

/// A set of literals that are assumed, and the values of formulas that follow from them.
pub(crate) struct PartialState<'a> {
    task: &'a Task,
    /// Entries of `facts` and `memo` with another stamp are out of date.
    stamp: u32,
    facts: Vec<(u32, bool)>,
    memo: Vec<(u32, Option<bool>)>,
    /// The number of nodes evaluated so far, so that the caller can limit the work.
    pub visits: u64,
    /// The number of derived facts that are being evaluated.
    depth: usize,
}

impl<'a> PartialState<'a> {
    /// No fact is known.
    pub fn new(task: &'a Task) -> Self {
        Self {
            task,
            stamp: 0,
            facts: vec![(0, false); task.facts.len()],
            memo: vec![(0, None); task.circuit.len()],
            visits: 0,
            depth: 0,
        }
    }

    /// Assumes these literals and no others, and that the other facts in the mutex groups of the
    /// positive ones are false.
    pub fn assume(&mut self, implied: &Implied) {
        self.stamp += 1;
        let task = self.task;
        for &fact in &implied.positive {
            for &group in task.groups_of(fact) {
                for other in &task.groups[group as usize] {
                    self.facts[other.0 as usize] = (self.stamp, false);
                }
            }
        }
        for &fact in &implied.negative {
            self.facts[fact.0 as usize] = (self.stamp, false);
        }
        for &fact in &implied.positive {
            self.facts[fact.0 as usize] = (self.stamp, true);
        }
    }

    /// The value of a fact, if it is known.
    pub fn fact(&self, fact: FactId) -> Option<bool> {
        let (stamp, value) = self.facts[fact.0 as usize];
        (stamp == self.stamp).then_some(value)
    }

    /// The value of a formula, if it is known.
    pub fn holds(&mut self, node: NodeId) -> Option<bool> {
        let (stamp, known) = self.memo[node.0 as usize];
        if stamp == self.stamp {
            return known;
        }
        self.visits += 1;
        let task = self.task;
        let known = match task.circuit.node(node) {
            Node::False => Some(false),
            Node::True => Some(true),
            Node::Fact(fact) => self.fact(*fact),
            Node::Not(inner) => self.holds(*inner).map(|holds| !holds),
            Node::And(parts) => self.combine(parts, false),
            Node::Or(parts) => self.combine(parts, true),
            Node::AtMost(most, parts) => {
                let (mut certain, mut unknown) = (0, 0);
                for &part in parts {
                    match self.holds(part) {
                        Some(true) => certain += 1,
                        Some(false) => {}
                        None => unknown += 1,
                    }
                }
                if certain > *most {
                    Some(false)
                } else {
                    (certain + unknown <= *most).then_some(true)
                }
            }
            Node::Derived(derived) => match task.axioms.cycle_of[derived.0 as usize] {
                // At the end of a long chain, nothing is known.
                None if self.depth < MAX_CHAIN => {
                    self.depth += 1;
                    let known = self.holds(task.axioms.bodies[derived.0 as usize]);
                    self.depth -= 1;
                    known
                }
                _ => None,
            },
            Node::Compare(..) | Node::Choice(_) => None,
        };
        self.memo[node.0 as usize] = (self.stamp, known);
        known
    }

    /// The value of a conjunction (`decisive` is false) or a disjunction (`decisive` is true): one
    /// part with the value `decisive` decides it.
    fn combine(&mut self, parts: &[NodeId], decisive: bool) -> Option<bool> {
        let mut open = false;
        for &part in parts {
            match self.holds(part) {
                Some(known) if known == decisive => return Some(decisive),
                Some(_) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(!decisive) }
    }
}
