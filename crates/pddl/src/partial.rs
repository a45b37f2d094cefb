//! Formulas where only some facts are known: true, false, or not to be said. It knows less than there is to know (it does not see
//! that `p or not p` holds), and says nothing false.

use crate::circuit::*;
use crate::invariants::Implied;
use crate::task::Task;

pub(crate) struct Partial<'a> {
    task: &'a Task,
    stamp: u32,
    facts: Vec<(u32, bool)>,
    memo: Vec<(u32, Option<bool>)>,
    /// How many nodes were looked at, for those who have a limit.
    pub visits: u64,
}

impl<'a> Partial<'a> {
    pub fn new(task: &'a Task) -> Self {
        Self {
            task,
            stamp: 0,
            facts: vec![(0, false); task.facts.len()],
            memo: vec![(0, None); task.circuit.len()],
            visits: 0,
        }
    }

    /// Takes these literals for granted and no others, and with each fact that holds, that the rest of its groups do not.
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

    pub fn fact(&self, fact: FactId) -> Option<bool> {
        let (stamp, value) = self.facts[fact.0 as usize];
        (stamp == self.stamp).then_some(value)
    }

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
            Node::And(parts) => self.all(parts, false),
            Node::Or(parts) => self.all(parts, true),
            Node::AtMost(most, parts) => {
                let (mut surely, mut perhaps) = (0, 0);
                for &part in parts {
                    match self.holds(part) {
                        Some(true) => surely += 1,
                        Some(false) => {}
                        None => perhaps += 1,
                    }
                }
                if surely > *most {
                    Some(false)
                } else {
                    (surely + perhaps <= *most).then_some(true)
                }
            }
            Node::Derived(derived) => match task.axioms.circle[derived.0 as usize] {
                None => self.holds(task.axioms.bodies[derived.0 as usize]),
                Some(_) => None,
            },
            Node::Compare(..) | Node::Choice(_) => None,
        };
        self.memo[node.0 as usize] = (self.stamp, known);
        known
    }

    /// A conjunction (`ends` is false) or a disjunction: one part that equals `ends` decides.
    fn all(&mut self, parts: &[NodeId], ends: bool) -> Option<bool> {
        let mut open = false;
        for &part in parts {
            match self.holds(part) {
                Some(known) if known == ends => return Some(ends),
                Some(_) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(!ends) }
    }
}
