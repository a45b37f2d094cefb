//! Projections: a task restricted to some of its facts, which are called a part. An abstraction
//! whose plans cost no more than those of the task.
//!
//! Conditions on other facts are assumed to hold, or not to hold, whichever allows more. So every
//! plan of the task is a plan of the projection, and what the projection proves (a bound, or that
//! there is no plan) holds for the task. In Puzznic's `derived` model the facts of one pattern are
//! such a part: its blocks fall at any time and pass through the others.
//!
//! An effect whose condition the part does not decide may fire or not: the projection has the
//! operator in both versions.

use ployglot_base::{Limit, Poll};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::*;
use crate::cutoff::Cutoff;
use crate::dependents::{Dependents, Visited};
use crate::task::{Axioms, GroundEffect, Index, Operator, OperatorId, State, Task};

/// The finest partition of the facts such that each effect changes facts of one part only. Sorted.
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

/// The representative of a fact's class (union-find with path halving).
fn root(parent: &mut [u32], mut of: u32) -> u32 {
    while parent[of as usize] != of {
        parent[of as usize] = parent[parent[of as usize] as usize];
        of = parent[of as usize];
    }
    of
}

/// The greatest number of undecided effects of an operator: it has two to this power versions.
const MAX_UNDECIDED: usize = 3;

/// The projection to these facts, which only these operators change, with these costs of the
/// operators; `None` where an operator has too many undecided effects, or where every state is a goal
/// of the projection.
pub(crate) fn project(
    task: &Task,
    facts: &[FactId],
    operators: &[OperatorId],
    cost: impl Fn(OperatorId) -> u32,
    cone: &mut Cone,
    poll: &Poll,
) -> Result<Option<Task>, Limit> {
    let derived = cone.find(task, facts);
    let mut projector = Projector {
        task,
        cone: &cone.visited,
        local: facts
            .iter()
            .enumerate()
            .map(|(at, &fact)| (fact, FactId(at as u32)))
            .collect(),
        circuit: Circuit::default(),
        known: FxHashMap::default(),
        decided: FxHashMap::default(),
    };
    for derived in derived {
        poll.try_step()?;
        let body = task.axioms.bodies[derived.0 as usize];
        projector.decides(body);
        projector.possibly(body, true);
        projector.possibly(body, false);
    }
    let goal = projector.possibly(task.goal, true);
    if goal == TRUE {
        return Ok(None);
    }
    let mut projected = Vec::new();
    let mut seen = FxHashSet::default();
    for &id in operators {
        poll.try_step()?;
        let cost = cost(id);
        let Some(versions) = projector.versions(&task.operators[id.0 as usize]) else {
            return Ok(None);
        };
        for version in versions {
            // Many operators are equal in the projection.
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
                projected.push(Operator {
                    costs: vec![(TRUE, cost)],
                    ..version
                });
            }
        }
    }
    let start: Vec<bool> = facts.iter().map(|&fact| task.starts_with(fact)).collect();
    let projection = Task {
        facts: facts
            .iter()
            .map(|fact| task.facts[fact.0 as usize].clone())
            .collect(),
        numbers: Vec::new(),
        circuit: projector.circuit,
        operators: projected,
        axioms: Axioms::default(),
        goal,
        groups: Vec::new(),
        start: State::new(&start, &[]),
        index: Index::default(),
        cutoff: Cutoff::default(),
    };
    projection.with_operator_index(poll).map(Some)
}

/// The formulas that depend on facts of a part; all others may hold and may not. With buffers for many
/// parts.
pub(crate) struct Cone {
    dependents: Dependents,
    visited: Visited,
    /// For each derived fact in long chains, its place in the order of evaluation.
    places: Vec<u32>,
    /// The number of formulas of all parts so far.
    pub size: usize,
}

impl Cone {
    pub fn new(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        let dependents = Dependents::new(task, poll)?;
        let mut places = vec![0; task.axioms.bodies.len()];
        for (place, derived) in task.axioms.order.iter().enumerate() {
            places[derived.0 as usize] = place as u32;
        }
        Ok(Self {
            visited: dependents.unvisited(),
            dependents,
            places,
            size: 0,
        })
    }

    /// Finds the formulas of a part. Returns the derived facts among them in the order in which they
    /// can be evaluated without deep recursion; none where there are no long chains.
    fn find(&mut self, task: &Task, facts: &[FactId]) -> Vec<DerivedId> {
        let chained = !task.axioms.order.is_empty();
        let mut derived = Vec::new();
        self.dependents.visit(facts, &mut self.visited, |node| {
            self.size += 1;
            if let Node::Derived(id) = task.circuit.node(node)
                && chained
            {
                derived.push(*id);
            }
            true
        });
        derived.sort_unstable_by_key(|id| self.places[id.0 as usize]);
        derived
    }
}

struct Projector<'a> {
    task: &'a Task,
    cone: &'a Visited,
    local: FxHashMap<FactId, FactId>,
    circuit: Circuit,
    known: FxHashMap<(NodeId, bool), NodeId>,
    decided: FxHashMap<NodeId, bool>,
}

impl Projector<'_> {
    /// The versions of the operator: each undecided effect fires or does not. None where the
    /// operator changes no fact of the part.
    fn versions(&mut self, operator: &Operator) -> Option<Vec<Operator>> {
        let mut decided_effects = Vec::new();
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
                decided_effects.push(make(possible));
            } else {
                let otherwise = self.possibly(effect.condition, false);
                undecided.push((make(possible), make(self.circuit.not(otherwise))));
            }
        }
        if undecided.len() > MAX_UNDECIDED {
            return None;
        }
        let precondition = self.possibly(operator.precondition, true);
        if precondition == FALSE || decided_effects.is_empty() && undecided.is_empty() {
            return Some(Vec::new());
        }
        let versions = (0..1u32 << undecided.len()).map(|choice| {
            let chosen = undecided.iter().enumerate().map(|(at, (fires, stays))| {
                let chosen = if choice >> at & 1 == 1 { fires } else { stays };
                chosen.clone()
            });
            let effects = decided_effects.iter().cloned().chain(chosen);
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

    /// The facts that are in the part, with their numbers there.
    fn within(&self, facts: &[FactId]) -> Vec<FactId> {
        facts
            .iter()
            .filter_map(|fact| self.local.get(fact).copied())
            .collect()
    }

    /// Whether the node depends only on facts of the part.
    fn decides(&mut self, node: NodeId) -> bool {
        if let Some(&known) = self.decided.get(&node) {
            return known;
        }
        let task = self.task;
        let decided = match task.circuit.node(node) {
            Node::False | Node::True => true,
            _ if !self.cone.has(node) => false,
            Node::Fact(fact) => self.local.contains_key(fact),
            Node::Derived(derived) => {
                let at = derived.0 as usize;
                task.axioms.cycle_of[at].is_none() && self.decides(task.axioms.bodies[at])
            }
            Node::Compare(..) | Node::Choice(_) => false,
            other => other.children().iter().all(|&part| self.decides(part)),
        };
        self.decided.insert(node, decided);
        decided
    }

    /// A formula over the part that holds wherever the node may hold (or, with `holds` false, may
    /// not hold), whatever the other facts are.
    fn possibly(&mut self, node: NodeId, holds: bool) -> NodeId {
        if let Some(&known) = self.known.get(&(node, holds)) {
            return known;
        }
        let task = self.task;
        let found = match task.circuit.node(node) {
            Node::False => self.circuit.constant(!holds),
            Node::True => self.circuit.constant(holds),
            _ if !self.cone.has(node) => TRUE,
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
            // At most `most` certainly hold; or more than `most` may hold.
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
            Node::Derived(derived) => match task.axioms.cycle_of[derived.0 as usize] {
                None => self.possibly(task.axioms.bodies[derived.0 as usize], holds),
                Some(_) => TRUE,
            },
            Node::Compare(..) | Node::Choice(_) => TRUE,
        };
        self.known.insert((node, holds), found);
        found
    }
}
