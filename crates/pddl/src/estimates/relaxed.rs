//! The relaxed task (delete relaxation): a graph of gates over literals.
//!
//! A fact has two literals, that it holds and that it does not. An operator reaches literals, and
//! no literal is ever lost. A condition is a tree of gates, each of which opens once enough of its
//! inputs are open: all of them for a conjunction, one for a disjunction, n − k of the negated
//! inputs for "at most k of n". Axioms that depend on themselves are gates in a cycle. Their
//! negations, numbers and choices count as open from the start, so that the relaxation stays
//! admissible.

use ployglot_base::{Budget, Limit};
use rustc_hash::FxHashMap;

use crate::circuit::*;
use crate::poll::Poll;
use crate::task::Task;

/// A literal or a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gate(pub u32);

/// The relaxation of a task.
pub struct RelaxedTask {
    /// The number of literals. They come first: gate `2 * fact` means that the fact holds, gate
    /// `2 * fact + 1` that it does not.
    literals: usize,
    /// For each gate, the number of open inputs that open it; 0 for literals and for gates that are
    /// open from the start, `u32::MAX` for gates that never open.
    pub needs: Vec<u32>,
    inputs: Vec<Vec<Gate>>,
    /// For each gate, the gates that it is an input of.
    pub outputs: Vec<Vec<Gate>>,
    /// For each gate, the actions whose condition it is.
    pub triggers: Vec<Vec<u32>>,
    /// The effects of the task's operators.
    pub actions: Vec<RelaxedAction>,
    /// The gate of the goal condition.
    pub goal: Gate,
    /// The gates that are open in every state.
    pub open: Vec<Gate>,
    /// The number of operators of the task.
    pub operators: usize,
}

/// One effect of one operator.
pub struct RelaxedAction {
    /// The id of the operator.
    pub operator: u32,
    /// The operator's precondition and the effect's condition.
    pub condition: Gate,
    /// The literals that become reachable.
    pub effects: Vec<Gate>,
    /// A lower bound on the operator's cost in any state.
    pub cost: u32,
}

impl RelaxedTask {
    /// Relaxes a task, within a budget.
    pub fn new(task: &Task, budget: &Budget) -> Result<Self, Limit> {
        let poll = Poll::new(budget, "relax");
        let literals = task.facts.len() * 2;
        let mut builder = Builder {
            task,
            graph: RelaxedTask {
                literals,
                needs: vec![0; literals],
                inputs: vec![Vec::new(); literals],
                outputs: Vec::new(),
                triggers: Vec::new(),
                actions: Vec::new(),
                goal: Gate(0),
                open: Vec::new(),
                operators: task.operators.len(),
            },
            known: FxHashMap::default(),
            free: None,
        };
        let cycles = builder.gates_of_cycles();
        for derived in &task.axioms.order {
            poll.step()?;
            let body = task.axioms.bodies[derived.0 as usize];
            builder.gate(body, true);
            builder.gate(body, false);
        }
        for (gate, body) in cycles {
            poll.step()?;
            let inner = builder.gate(body, true);
            builder.graph.inputs[gate.0 as usize].push(inner);
        }
        builder.graph.goal = builder.gate(task.goal, true);
        for (id, operator) in task.operators.iter().enumerate() {
            poll.step()?;
            let precondition = builder.gate(operator.precondition, true);
            let cost = operator.unconditional_cost();
            for effect in &operator.effects {
                poll.step()?;
                let condition = builder.gate(effect.condition, true);
                let both = builder.threshold(2, vec![precondition, condition]);
                let adds = effect.adds.iter().map(|fact| Gate(fact.0 * 2));
                let deletes = effect.deletes.iter().map(|fact| Gate(fact.0 * 2 + 1));
                builder.graph.actions.push(RelaxedAction {
                    operator: id as u32,
                    condition: both,
                    effects: adds.chain(deletes).collect(),
                    cost,
                });
            }
        }
        builder.graph.finish(&poll)
    }

    /// Fills the tables that follow from the gates and actions.
    fn finish(mut self, poll: &Poll) -> Result<Self, Limit> {
        self.outputs = vec![Vec::new(); self.needs.len()];
        for (gate, inputs) in self.inputs.iter().enumerate() {
            poll.step()?;
            for input in inputs {
                self.outputs[input.0 as usize].push(Gate(gate as u32));
            }
        }
        self.triggers = vec![Vec::new(); self.needs.len()];
        for (id, action) in self.actions.iter().enumerate() {
            poll.step()?;
            self.triggers[action.condition.0 as usize].push(id as u32);
        }
        Ok(self)
    }

    /// The number of gates, literals included.
    pub fn len(&self) -> usize {
        self.needs.len()
    }

    /// Whether there are no gates.
    pub fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// The inputs of a gate; none for literals.
    pub fn inputs(&self, gate: Gate) -> &[Gate] {
        &self.inputs[gate.0 as usize]
    }

    /// Whether the gate is a literal.
    pub fn is_literal(&self, gate: Gate) -> bool {
        (gate.0 as usize) < self.literals
    }

    /// The literals that are true in a state, given as its packed words.
    pub fn true_literals(&self, bits: &[u64]) -> impl Iterator<Item = Gate> {
        let facts = self.literals / 2;
        (0..facts).map(|fact| {
            let holds = bits[fact / 64] >> (fact % 64) & 1 == 1;
            Gate(fact as u32 * 2 + u32::from(!holds))
        })
    }
}

struct Builder<'a> {
    task: &'a Task,
    graph: RelaxedTask,
    known: FxHashMap<(NodeId, bool), Gate>,
    /// The gate that is always open, where one was needed.
    free: Option<Gate>,
}

impl Builder<'_> {
    fn new_gate(&mut self, needs: u32, inputs: Vec<Gate>) -> Gate {
        let gate = Gate(self.graph.needs.len() as u32);
        self.graph.needs.push(needs);
        self.graph.inputs.push(inputs);
        gate
    }

    fn free(&mut self) -> Gate {
        if let Some(free) = self.free {
            return free;
        }
        let gate = self.new_gate(0, Vec::new());
        self.graph.open.push(gate);
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
            Node::Compare(..) | Node::Choice(_) => self.free(),
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
