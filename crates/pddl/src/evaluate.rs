//! The values of formulas in one state. Derived facts are computed on demand, and once. Those that
//! depend on each other are computed together, as the least fixed point of their bodies.

use smallvec::SmallVec;

use crate::circuit::*;
use crate::task::{State, Task};

/// The values of the nodes of a task's circuit in one state.
pub struct Evaluation<'a> {
    task: &'a Task,
    bits: &'a [u64],
    numbers: SmallVec<[f64; 4]>,
    derived: Vec<Known>,
    /// Steps of searches for choices.
    steps: u32,
}

/// Steps of a search for a choice between two looks at the budget.
const STEPS: u32 = 1 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Unknown,
    False,
    True,
}

impl<'a> Evaluation<'a> {
    /// Nothing is evaluated yet.
    pub fn new(task: &'a Task, state: &'a State) -> Self {
        let (bits, numbers) = state.0.split_at(task.fact_words());
        Self {
            task,
            bits,
            numbers: numbers.iter().map(|&bits| f64::from_bits(bits)).collect(),
            derived: vec![Known::Unknown; task.axioms.bodies.len()],
            steps: 0,
        }
    }

    /// The numbers of the state; NaN where undefined.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Whether the formula holds.
    pub fn holds(&mut self, node: NodeId) -> bool {
        let task = self.task;
        match task.circuit.node(node) {
            Node::False => false,
            Node::True => true,
            Node::Fact(fact) => self.bits[fact.0 as usize / 64] >> (fact.0 % 64) & 1 == 1,
            Node::Derived(derived) => self.follows(*derived),
            Node::Not(inner) => !self.holds(*inner),
            Node::And(parts) => parts.iter().all(|&part| self.holds(part)),
            Node::Or(parts) => parts.iter().any(|&part| self.holds(part)),
            Node::AtMost(most, parts) => {
                let mut count = 0;
                parts.iter().all(|&part| {
                    count += u32::from(self.holds(part));
                    count <= *most
                })
            }
            Node::Compare(how, left, right) => {
                compare(*how, left.value(&self.numbers), right.value(&self.numbers))
            }
            Node::Choice(choice) => self.choose(&task.circuit.choices[*choice as usize]),
        }
    }

    fn follows(&mut self, derived: DerivedId) -> bool {
        let at = derived.0 as usize;
        if self.derived[at] == Known::Unknown {
            if self.task.axioms.deep.is_empty() {
                self.evaluate(derived.0);
            } else {
                self.evaluate_chain(derived.0);
            }
        }
        self.derived[at] == Known::True
    }

    /// Evaluates a derived fact by recursion.
    fn evaluate(&mut self, derived: u32) {
        let at = derived as usize;
        match self.task.axioms.cycle_of[at] {
            Some(cycle) => self.close(cycle),
            None => {
                let holds = self.holds(self.task.axioms.bodies[at]);
                self.derived[at] = if holds { Known::True } else { Known::False };
            }
        }
    }

    /// Evaluates a derived fact after all those that it reads, without recursion through them.
    fn evaluate_chain(&mut self, derived: u32) {
        let axioms = &self.task.axioms;
        let mut open = vec![derived];
        while let Some(&top) = open.last() {
            if self.derived[top as usize] != Known::Unknown {
                open.pop();
                continue;
            }
            let before = open.len();
            let cycle = axioms.cycle_of[top as usize];
            let members: &[DerivedId] = match cycle {
                Some(cycle) => &axioms.cycles[cycle as usize],
                None => &[DerivedId(top)],
            };
            for member in members {
                let read = axioms.deep[member.0 as usize].iter();
                open.extend(read.filter(|&&other| {
                    let inside = cycle.is_some() && axioms.cycle_of[other as usize] == cycle;
                    !inside && self.derived[other as usize] == Known::Unknown
                }));
            }
            if open.len() == before {
                self.evaluate(top);
                open.pop();
            }
        }
    }

    /// Evaluates the derived facts of a cycle: all are false at first; then those whose bodies hold
    /// become true, until nothing changes.
    fn close(&mut self, cycle: u32) {
        let members = &self.task.axioms.cycles[cycle as usize];
        for member in members {
            self.derived[member.0 as usize] = Known::False;
        }
        loop {
            let mut changed = false;
            for member in members {
                let at = member.0 as usize;
                if self.derived[at] == Known::False && self.holds(self.task.axioms.bodies[at]) {
                    self.derived[at] = Known::True;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether the quantified variables can be bound so that all parts hold.
    fn choose(&mut self, choice: &Choice) -> bool {
        let mut values = vec![None; choice.sizes.len()];
        self.extend(choice, 0, &mut values)
    }

    /// Whether the variables from `next` on can be bound, given `values` for the ones before.
    fn extend(&mut self, choice: &Choice, next: usize, values: &mut Vec<Option<u32>>) -> bool {
        self.steps += 1;
        if self.steps >= STEPS || self.task.cut_off().is_some() {
            self.steps = 0;
            if self.task.cutoff.check() {
                return false;
            }
        }
        let mut open = false;
        for part in &choice.parts {
            match self.open(part, choice, values) {
                Some(false) => return false,
                Some(true) => {}
                None => open = true,
            }
        }
        // The variables that are still unbound may have any value, but need one.
        if !open {
            return choice.sizes[next..].iter().all(|&size| size > 0);
        }
        for value in 0..choice.sizes[next] {
            values[next] = Some(value);
            if self.extend(choice, next + 1, values) {
                return true;
            }
        }
        values[next] = None;
        false
    }

    /// The value of a part; `None` where it depends on variables that are not bound yet.
    fn open(
        &mut self,
        part: &OpenFormula,
        choice: &Choice,
        values: &[Option<u32>],
    ) -> Option<bool> {
        match part {
            OpenFormula::Closed(node) => Some(self.holds(*node)),
            OpenFormula::And(parts) => self.combine(parts, choice, values, false),
            OpenFormula::Or(parts) => self.combine(parts, choice, values, true),
            OpenFormula::Is(variable, value, positive) => {
                values[*variable].map(|held| (held == *value) == *positive)
            }
            OpenFormula::Same(left, right, table, positive) => {
                let (left, right) = (values[*left]?, values[*right]?);
                Some((table[left as usize] == Some(right)) == *positive)
            }
            OpenFormula::Table(variables, nodes) => {
                let (mut index, mut radix) = (0, 1);
                for &variable in variables {
                    index += values[variable]? as usize * radix;
                    radix *= choice.sizes[variable] as usize;
                }
                Some(self.holds(nodes[index]))
            }
        }
    }

    /// The value of a conjunction (`decisive` is false) or a disjunction (`decisive` is true): one
    /// part with the value `decisive` decides it.
    fn combine(
        &mut self,
        parts: &[OpenFormula],
        choice: &Choice,
        values: &[Option<u32>],
        decisive: bool,
    ) -> Option<bool> {
        let mut open = false;
        for part in parts {
            match self.open(part, choice, values) {
                Some(known) if known == decisive => return Some(decisive),
                Some(_) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(!decisive) }
    }
}
