//! The relaxed task (delete relaxation): a graph of gates over literals.
//!
//! A fact has two literals, that it holds and that it does not. An operator reaches literals, and
//! no literal is ever lost. A condition is a tree of gates, each of which opens once enough of its
//! inputs are open: all of them for a conjunction, one for a disjunction, n − k of the negated
//! inputs for "at most k of n". Axioms that depend on themselves are gates in a cycle. Their
//! negations and choices count as open from the start, so that the relaxation stays admissible. A
//! comparison of numbers has two literals as a fact has (`numeric`).
//!
//! Literals and gates that the goal does not depend on are left out of the effects: in a task
//! without negative conditions that is half of them. Operators that no plan has are left out too
//! (`hopeless`).

use ployglot_base::{Budget, Limit, Poll};
use rustc_hash::FxHashMap;

use super::numeric::Comparisons;
use crate::circuit::*;
use crate::hopeless::hopeless_operators;
use crate::lists::Lists;
use crate::task::{OperatorId, Task};

/// A literal or a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gate(pub u32);

/// The relaxation of a task.
pub struct RelaxedTask {
    /// The number of facts.
    facts: usize,
    /// The number of literals. They come first: gate `2 * fact` means that the fact holds, gate
    /// `2 * fact + 1` that it does not. Those of comparisons follow in the same way.
    literals: usize,
    /// The comparisons of numbers.
    comparisons: Comparisons,
    /// The literals that something depends on.
    read: Vec<Gate>,
    /// For each gate, the number of open inputs that open it; 0 for literals and for gates that are
    /// open from the start, `u32::MAX` for gates that never open.
    pub(crate) needs: Vec<u32>,
    /// For each gate, its inputs; none for literals.
    pub(crate) inputs: Lists<Gate>,
    /// For each gate, the conjunctions that it is an input of.
    pub(crate) conjunctions: Lists<Gate>,
    /// For each gate, the other gates that it is an input of.
    pub(crate) others: Lists<Gate>,
    /// For each gate, the literals that become reachable where it is open, each with an action of
    /// which it is the condition.
    pub(crate) reaches: Lists<(Gate, u32)>,
    /// One action for each effect of an operator of the task that reaches a literal.
    pub(crate) actions: Vec<RelaxedAction>,
    /// For each action, the literals that become reachable.
    pub(crate) effects: Lists<Gate>,
    /// For each literal, the actions that have it as an effect.
    pub(crate) achievers: Lists<u32>,
    /// For each operator of the task, a lower bound on its cost in any state.
    pub(crate) costs: Vec<u32>,
    /// The gate of the goal condition.
    pub(crate) goal: Gate,
    /// The gates that are open in every state.
    pub(crate) open: Vec<Gate>,
    /// For each operator of the task, whether it is left out because no plan has it.
    hopeless: Vec<bool>,
}

/// One effect of one operator.
#[derive(Clone, Copy)]
pub(crate) struct RelaxedAction {
    /// The id of the operator.
    pub operator: u32,
    /// The operator's precondition and the effect's condition.
    pub condition: Gate,
}

impl RelaxedTask {
    /// Relaxes a task, within a budget.
    pub fn new(task: &Task, budget: &Budget) -> Result<Self, Limit> {
        let poll = Poll::new(budget, "relax");
        let comparisons = Comparisons::new(task);
        let facts = task.facts.len();
        let literals = (facts + comparisons.len()) * 2;
        let comparison =
            |at: usize, positive: bool| Gate(((facts + at) * 2 + usize::from(!positive)) as u32);
        let mut builder = Builder {
            task,
            needs: vec![0; literals],
            inputs: vec![Vec::new(); literals],
            open: Vec::new(),
            known: FxHashMap::default(),
            free: None,
        };
        for (at, node) in comparisons.nodes().enumerate() {
            for positive in [true, false] {
                builder
                    .known
                    .insert((node, positive), comparison(at, positive));
            }
        }
        let cycles = builder.gates_of_cycles();
        for derived in &task.axioms.order {
            poll.try_step()?;
            let body = task.axioms.bodies[derived.0 as usize];
            builder.gate(body, true);
            builder.gate(body, false);
        }
        for (gate, body) in cycles {
            poll.try_step()?;
            let inner = builder.gate(body, true);
            builder.inputs[gate.0 as usize].push(inner);
        }
        let goal = builder.gate(task.goal, true);
        let mut actions = Vec::new();
        let mut effects = Vec::new();
        let hopeless = hopeless_operators(task, &poll)?;
        for (id, operator) in task.operators.iter().enumerate() {
            poll.try_step()?;
            if hopeless[id] {
                continue;
            }
            let precondition = builder.gate(operator.precondition, true);
            for effect in &operator.effects {
                poll.try_step()?;
                let condition = builder.gate(effect.condition, true);
                let both = builder.threshold(2, vec![precondition, condition]);
                let adds = effect.adds.iter().map(|fact| Gate(fact.0 * 2));
                let deletes = effect.deletes.iter().map(|fact| Gate(fact.0 * 2 + 1));
                effects.push(adds.chain(deletes).collect());
                actions.push(RelaxedAction {
                    operator: id as u32,
                    condition: both,
                });
            }
            let changed = comparisons.changed_by(operator);
            if !changed.is_empty() {
                let changed = changed.into_iter();
                effects.push(
                    changed
                        .map(|(at, positive)| comparison(at, positive))
                        .collect(),
                );
                actions.push(RelaxedAction {
                    operator: id as u32,
                    condition: precondition,
                });
            }
        }
        let costs = task.operators.iter();
        let relaxed = RelaxedTask {
            facts,
            literals,
            comparisons,
            read: Vec::new(),
            needs: builder.needs,
            inputs: builder.inputs.into_iter().collect(),
            costs: costs
                .map(|operator| operator.unconditional_cost())
                .collect(),
            goal,
            open: builder.open,
            hopeless,
            actions,
            conjunctions: Lists::default(),
            others: Lists::default(),
            reaches: Lists::default(),
            effects: Lists::default(),
            achievers: Lists::default(),
        };
        relaxed.finish(effects, &poll)
    }

    /// Drops what the goal does not depend on, and fills the tables that follow from the gates and
    /// actions.
    fn finish(mut self, mut effects: Vec<Vec<Gate>>, poll: &Poll) -> Result<Self, Limit> {
        let relevant = self.relevant(&effects, poll)?;
        let mut kept = Vec::new();
        for (action, effects) in self.actions.iter().zip(&mut effects) {
            poll.try_step()?;
            effects.retain(|effect| relevant[effect.0 as usize]);
            if !effects.is_empty() {
                kept.push(*action);
            }
        }
        self.actions = kept;
        effects.retain(|effects| !effects.is_empty());
        self.effects = effects.into_iter().collect();
        let gates = 0..self.len() as u32;
        let read = gates.filter(|&gate| relevant[gate as usize]);
        let edges = read.flat_map(|gate| {
            let inputs = self.inputs.of(gate).iter();
            inputs.map(move |input| (input.0, Gate(gate)))
        });
        let (conjunctions, others): (Vec<_>, Vec<_>) =
            edges.partition(|(_, output)| self.is_conjunction(*output));
        self.conjunctions = Lists::sorted(self.len(), conjunctions.iter().copied());
        self.others = Lists::sorted(self.len(), others.iter().copied());
        poll.try_step()?;
        let reached = (0..self.actions.len() as u32).flat_map(|action| {
            let condition = self.actions[action as usize].condition.0;
            let effects = self.effects.of(action).iter();
            effects.map(move |&effect| (condition, (effect, action)))
        });
        self.reaches = Lists::sorted(self.len(), reached);
        poll.try_step()?;
        let achieved = (0..self.actions.len() as u32).flat_map(|action| {
            let effects = self.effects.of(action).iter();
            effects.map(move |effect| (effect.0, action))
        });
        self.achievers = Lists::sorted(self.literals, achieved);
        poll.try_step()?;
        let literals = (0..self.literals as u32).map(Gate);
        let read = literals.filter(|&literal| self.is_read(literal) || literal == self.goal);
        self.read = read.collect();
        Ok(self)
    }

    /// For each gate, whether the goal depends on it.
    fn relevant(&self, effects: &[Vec<Gate>], poll: &Poll) -> Result<Vec<bool>, Limit> {
        let achieved = effects.iter().enumerate().flat_map(|(action, effects)| {
            let effects = effects.iter();
            effects.map(move |effect| (effect.0, action as u32))
        });
        let achievers = Lists::sorted(self.literals, achieved);
        let mut relevant = vec![false; self.len()];
        let mut open = vec![self.goal];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut relevant[gate.0 as usize], true) {
                continue;
            }
            open.extend_from_slice(self.inputs.of(gate.0));
            if self.is_literal(gate) {
                for &action in achievers.of(gate.0) {
                    poll.try_step()?;
                    let condition = self.actions[action as usize].condition;
                    if !relevant[condition.0 as usize] {
                        open.push(condition);
                    }
                }
            }
        }
        Ok(relevant)
    }

    /// The number of gates, literals included.
    pub fn len(&self) -> usize {
        self.needs.len()
    }

    /// Whether there are no gates.
    pub fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// Whether it is known that no plan has the operator, from any state that can be reached.
    pub fn is_hopeless(&self, operator: OperatorId) -> bool {
        self.hopeless[operator.0 as usize]
    }

    /// Whether the gate needs all of its inputs, of which there are several.
    pub(crate) fn is_conjunction(&self, gate: Gate) -> bool {
        let inputs = self.inputs.of(gate.0).len();
        inputs > 1 && self.needs[gate.0 as usize] as usize == inputs
    }

    /// Whether something depends on the gate.
    pub(crate) fn is_read(&self, gate: Gate) -> bool {
        !self.conjunctions.of(gate.0).is_empty()
            || !self.others.of(gate.0).is_empty()
            || !self.reaches.of(gate.0).is_empty()
    }

    /// For each action, the cost of its operator.
    pub(crate) fn action_costs(&self) -> impl Iterator<Item = u32> {
        let operators = self.actions.iter().map(|action| action.operator);
        operators.map(|operator| self.costs[operator as usize])
    }

    /// Whether the gate is a literal.
    pub(crate) fn is_literal(&self, gate: Gate) -> bool {
        (gate.0 as usize) < self.literals
    }

    /// Whether the gate is a literal of a fact.
    pub(crate) fn is_fact(&self, gate: Gate) -> bool {
        (gate.0 as usize) < self.facts * 2
    }

    /// The first literal of a comparison of numbers.
    pub(super) fn first_comparison(&self) -> Gate {
        Gate(self.facts as u32 * 2)
    }

    /// For each literal of a comparison, in order, the least cost at which it can come about in a
    /// state, given as its packed words; with the costs of the operators as they are.
    pub(super) fn floors(&self, bits: &[u64], floors: &mut Vec<u32>) {
        self.comparisons.floors(bits, floors);
    }

    /// The literals that are true in a state, given as its packed words, and that something depends
    /// on.
    pub(crate) fn true_literals(&self, bits: &[u64]) -> impl Iterator<Item = Gate> {
        let compared: Vec<bool> = self.comparisons.values(bits).collect();
        self.read.iter().copied().filter(move |literal| {
            let fact = literal.0 as usize / 2;
            let holds = match fact.checked_sub(self.facts) {
                None => bits[fact / 64] >> (fact % 64) & 1 == 1,
                Some(comparison) => compared[comparison],
            };
            holds == (literal.0 & 1 == 0)
        })
    }
}

struct Builder<'a> {
    task: &'a Task,
    needs: Vec<u32>,
    inputs: Vec<Vec<Gate>>,
    open: Vec<Gate>,
    known: FxHashMap<(NodeId, bool), Gate>,
    /// The gate that is always open, where one was needed.
    free: Option<Gate>,
}

impl Builder<'_> {
    fn new_gate(&mut self, needs: u32, inputs: Vec<Gate>) -> Gate {
        let gate = Gate(self.needs.len() as u32);
        self.needs.push(needs);
        self.inputs.push(inputs);
        gate
    }

    fn free(&mut self) -> Gate {
        if let Some(free) = self.free {
            return free;
        }
        let gate = self.new_gate(0, Vec::new());
        self.open.push(gate);
        self.free = Some(gate);
        gate
    }

    /// A gate that opens when this many inputs are open.
    fn threshold(&mut self, needs: usize, mut inputs: Vec<Gate>) -> Gate {
        // Inputs that are always open are counted now and dropped.
        let free = self.free;
        let before = inputs.len();
        inputs.retain(|&input| Some(input) != free);
        let needs = needs.saturating_sub(before - inputs.len());
        match (needs, &inputs[..]) {
            (0, _) => self.free(),
            (1, [one]) => *one,
            _ => self.new_gate(needs as u32, inputs),
        }
    }

    /// Makes the gates of the derived facts that depend on themselves, and returns them with the
    /// bodies, which are added as inputs later, because they depend on the gates.
    fn gates_of_cycles(&mut self) -> Vec<(Gate, NodeId)> {
        let task = self.task;
        let mut made = Vec::new();
        for (node, derived) in task.circuit.nodes() {
            if let Node::Derived(derived) = derived
                && task.axioms.cycle_of[derived.0 as usize].is_some()
            {
                let gate = self.new_gate(1, Vec::new());
                self.known.insert((node, true), gate);
                made.push((gate, task.axioms.bodies[derived.0 as usize]));
            }
        }
        made
    }

    /// The gate of a node, or of its negation.
    fn gate(&mut self, node: NodeId, positive: bool) -> Gate {
        if let Some(&known) = self.known.get(&(node, positive)) {
            return known;
        }
        let task = self.task;
        let gate = match task.circuit.node(node) {
            Node::True if positive => self.free(),
            Node::False if !positive => self.free(),
            Node::True | Node::False => self.new_gate(u32::MAX, Vec::new()),
            Node::Fact(fact) => Gate(fact.0 * 2 + u32::from(!positive)),
            Node::Not(inner) => self.gate(*inner, !positive),
            Node::And(parts) | Node::Or(parts) => {
                let and = matches!(task.circuit.node(node), Node::And(_));
                let inputs: Vec<Gate> = parts
                    .iter()
                    .map(|&part| self.gate(part, positive))
                    .collect();
                let needs = if and == positive { inputs.len() } else { 1 };
                self.threshold(needs, inputs)
            }
            Node::AtMost(most, parts) => {
                let inputs: Vec<Gate> = parts
                    .iter()
                    .map(|&part| self.gate(part, !positive))
                    .collect();
                let most = *most as usize;
                let needs = if positive {
                    inputs.len() - most
                } else {
                    most + 1
                };
                self.threshold(needs, inputs)
            }
            Node::Choice(_) => self.free(),
            Node::Compare(..) => unreachable!("the literals of comparisons are known"),
            Node::Derived(derived) => {
                let at = derived.0 as usize;
                let body = task.axioms.bodies[at];
                match task.axioms.cycle_of[at] {
                    None => self.gate(body, positive),
                    Some(_) if !positive => self.free(),
                    Some(_) => unreachable!("the gates of cycles are made first"),
                }
            }
        };
        self.known.insert((node, positive), gate);
        gate
    }
}
