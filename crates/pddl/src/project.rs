//! A task seen through some of its facts alone: a smaller task, whose plans cost no more.
//!
//! What a condition says of other facts is taken for granted, in whichever way suits the plan. So every plan of the task is one of the
//! projection, and what the projection proves (a bound, or that there is no plan) holds for the task. In Puzznic's `derived`
//! model the facts of one pattern are such a part: its blocks fall when they like and pass through the others.
//!
//! An effect whose condition cannot be decided by the part may fire or not: the operator is there in both versions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::*;
use crate::task::{Axioms, GroundEffect, Operator, OperatorId, Parts, Task};

/// The parts of a task that no effect connects: each effect changes facts of one part only. Sorted.
pub(crate) fn parts(task: &Task) -> Vec<Vec<FactId>> {
    let mut parent: Vec<u32> = (0..task.facts.len() as u32).collect();
    for effect in task.operators.iter().flat_map(|operator| &operator.effects) {
        let mut facts = effect.adds.iter().chain(&effect.deletes);
        let Some(first) = facts.next() else {
            continue;
        };
        for fact in facts {
            let (a, b) = (root(&mut parent, first.0), root(&mut parent, fact.0));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut parts: FxHashMap<u32, Vec<FactId>> = FxHashMap::default();
    for fact in 0..parent.len() as u32 {
        let root = root(&mut parent, fact);
        parts.entry(root).or_default().push(FactId(fact));
    }
    let mut parts: Vec<Vec<FactId>> = parts.into_values().collect();
    parts.sort();
    parts
}

fn root(parent: &mut [u32], mut of: u32) -> u32 {
    while parent[of as usize] != of {
        parent[of as usize] = parent[parent[of as usize] as usize];
        of = parent[of as usize];
    }
    of
}

/// An operator is not split into more versions than two to the power of this.
const MOST_UNDECIDED: usize = 3;

/// The task through these facts, with what each operator is taken to cost; `None` where too much would be undecided.
pub(crate) fn project(
    task: &Task,
    facts: &[FactId],
    cost: impl Fn(OperatorId) -> u32,
) -> Option<Task> {
    let mut view = View {
        task,
        local: facts
            .iter()
            .enumerate()
            .map(|(at, &fact)| (fact, FactId(at as u32)))
            .collect(),
        circuit: Circuit::default(),
        known: FxHashMap::default(),
        decided: FxHashMap::default(),
    };
    let goal = view.possibly(task.goal, true);
    let mut operators = Vec::new();
    let mut seen = FxHashSet::default();
    for (id, operator) in task.operators.iter().enumerate() {
        let cost = cost(OperatorId(id as u32));
        for version in view.versions(operator)? {
            // Many operators look alike from here.
            let key: Vec<(NodeId, Vec<FactId>, Vec<FactId>)> = version
                .effects
                .iter()
                .map(|effect| {
                    (
                        effect.condition,
                        effect.adds.clone(),
                        effect.deletes.clone(),
                    )
                })
                .collect();
            if seen.insert((version.precondition, cost, key)) {
                operators.push(Operator {
                    costs: vec![(TRUE, cost)],
                    ..version
                });
            }
        }
    }
    Some(Task::without_groups(Parts {
        start: facts.iter().map(|&fact| task.starts_with(fact)).collect(),
        facts: facts
            .iter()
            .map(|fact| task.facts[fact.0 as usize].clone())
            .collect(),
        numbers: Vec::new(),
        circuit: view.circuit,
        operators,
        axioms: Axioms::default(),
        goal,
        values: Vec::new(),
    }))
}

struct View<'a> {
    task: &'a Task,
    local: FxHashMap<FactId, FactId>,
    circuit: Circuit,
    known: FxHashMap<(NodeId, bool), NodeId>,
    decided: FxHashMap<NodeId, bool>,
}

impl View<'_> {
    /// The operator with its undecided effects in or out; none where it changes nothing here.
    fn versions(&mut self, operator: &Operator) -> Option<Vec<Operator>> {
        let mut sure = Vec::new();
        let mut undecided = Vec::new();
        for effect in &operator.effects {
            let adds = self.within(&effect.adds);
            let deletes = self.within(&effect.deletes);
            if adds.is_empty() && deletes.is_empty() {
                continue;
            }
            let possible = self.possibly(effect.condition, true);
            let make = |condition| GroundEffect {
                condition,
                adds: adds.clone(),
                deletes: deletes.clone(),
            };
            if self.decides(effect.condition) {
                sure.push(make(possible));
            } else {
                let otherwise = self.possibly(effect.condition, false);
                undecided.push((make(possible), make(self.circuit.not(otherwise))));
            }
        }
        if undecided.len() > MOST_UNDECIDED {
            return None;
        }
        let precondition = self.possibly(operator.precondition, true);
        if precondition == FALSE || sure.is_empty() && undecided.is_empty() {
            return Some(Vec::new());
        }
        let versions = (0..1u32 << undecided.len()).map(|choice| {
            let chosen = undecided.iter().enumerate().map(|(at, (fires, stays))| {
                let fires = if choice >> at & 1 == 1 { fires } else { stays };
                fires.clone()
            });
            let effects = sure.iter().cloned().chain(chosen);
            Operator {
                step: operator.step.clone(),
                precondition,
                effects: effects.filter(|effect| effect.condition != FALSE).collect(),
                changes: Vec::new(),
                costs: Vec::new(),
            }
        });
        Some(
            versions
                .filter(|version| !version.effects.is_empty())
                .collect(),
        )
    }

    fn within(&self, facts: &[FactId]) -> Vec<FactId> {
        facts
            .iter()
            .filter_map(|fact| self.local.get(fact).copied())
            .collect()
    }

    /// Whether the node depends on nothing but these facts.
    fn decides(&mut self, node: NodeId) -> bool {
        if let Some(&known) = self.decided.get(&node) {
            return known;
        }
        let task = self.task;
        let decided = match task.circuit.node(node) {
            Node::Fact(fact) => self.local.contains_key(fact),
            Node::Derived(derived) => {
                let at = derived.0 as usize;
                task.axioms.circle[at].is_none() && self.decides(task.axioms.bodies[at])
            }
            Node::Compare(..) | Node::Choice(_) => false,
            other => other.children().iter().all(|&part| self.decides(part)),
        };
        self.decided.insert(node, decided);
        decided
    }

    /// Where the node may hold (or may not hold), for all that is known here.
    fn possibly(&mut self, node: NodeId, holds: bool) -> NodeId {
        if let Some(&known) = self.known.get(&(node, holds)) {
            return known;
        }
        let task = self.task;
        let found = match task.circuit.node(node) {
            Node::False => self.circuit.constant(!holds),
            Node::True => self.circuit.constant(holds),
            Node::Fact(fact) => match self.local.get(fact) {
                None => TRUE,
                Some(&local) => {
                    let fact = self.circuit.fact(local);
                    if holds { fact } else { self.circuit.not(fact) }
                }
            },
            Node::Not(inner) => self.possibly(*inner, !holds),
            Node::And(inner) | Node::Or(inner) => {
                let and = matches!(task.circuit.node(node), Node::And(_));
                let inner = inner
                    .iter()
                    .map(|&part| self.possibly(part, holds))
                    .collect();
                if and == holds {
                    self.circuit.and(inner)
                } else {
                    self.circuit.or(inner)
                }
            }
            // At most so many surely hold; or more than so many may.
            Node::AtMost(most, inner) => {
                let mut counted = Vec::new();
                for &part in inner {
                    let possibly = self.possibly(part, !holds);
                    counted.push(if holds {
                        self.circuit.not(possibly)
                    } else {
                        possibly
                    });
                }
                let count = self.circuit.at_most(*most as usize, counted);
                if holds {
                    count
                } else {
                    self.circuit.not(count)
                }
            }
            Node::Derived(derived) => match task.axioms.circle[derived.0 as usize] {
                None => self.possibly(task.axioms.bodies[derived.0 as usize], holds),
                Some(_) => TRUE,
            },
            Node::Compare(..) | Node::Choice(_) => TRUE,
        };
        self.known.insert((node, holds), found);
        found
    }
}
