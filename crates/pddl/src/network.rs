//! The circuit as a network of counters that follows a state from one to the next.
//!
//! A gate opens when enough of its inputs are true: all for a conjunction, one for a disjunction, k + 1 where at most k may
//! be. It counts how many are missing. When a fact flips, only the gates that read it count again, and only those that open or close
//! tell others; so a state that differs from the last one in three facts costs three flips, whatever the size of the task, and
//! which operators can be taken is known without asking. It does not matter which state came before.
//!
//! A condition that many operators share (that nothing falls) is a *guard*: they do not count it, or each flip of it would be told to all
//! of them. Operators with the same guards are a class, and a class whose guards do not hold is skipped.
//!
//! What is no function of single facts by such gates (axioms in circles, numbers, choices) is *late*: it is evaluated when
//! the rest of a condition holds.

use rustc_hash::FxHashMap;

use crate::circuit::*;
use crate::reduced::{Condition, Reduced};
use crate::task::{State, Task};

/// A fact or a gate, and whether it is read upside down. The lowest bit is the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wire(u32);

const ALWAYS: Wire = Wire(u32::MAX);
const NEVER: Wire = Wire(u32::MAX - 1);

impl Wire {
    fn inverted(self) -> Self {
        // Always and never differ in the lowest bit too.
        Wire(self.0 ^ 1)
    }
}

/// A condition: a wire, or a node to evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    Wire(Wire),
    Late(NodeId),
}

/// Facts that come and go together.
struct Effect {
    when: Switch,
    adds: Box<[FactId]>,
    deletes: Box<[FactId]>,
}

pub(crate) struct Network {
    facts: usize,
    /// Where the readers of each source begin. A reader is a gate or an operator, with a sign.
    first: Vec<u32>,
    readers: Vec<u32>,
    effects: Vec<Vec<Effect>>,
    /// What is left to evaluate of each precondition.
    late: Vec<Vec<(NodeId, bool)>>,
    /// By class: all of these must be live.
    guards: Vec<Vec<Wire>>,
    /// By operator.
    class: Vec<u8>,
    /// As it stands when no fact holds.
    empty: Pulse,
}

/// Marks a reader as an operator.
const OPERATOR: u32 = 1 << 31;

/// The network in one state.
#[derive(Clone)]
pub(crate) struct Pulse {
    facts: Box<[u64]>,
    /// For each gate, how many inputs it waits for; open where not positive.
    missing: Box<[i32]>,
    /// By class: the operators whose gates are open.
    open: Vec<Bits>,
    events: Vec<u32>,
}

/// A condition that more operators than this share is a guard.
const FEW: usize = 16;
const MOST_CLASSES: usize = 32;

impl Network {
    pub fn new(task: &Task, reduced: &Reduced) -> Self {
        let mut builder = Builder {
            task,
            thresholds: Vec::new(),
            readers: vec![Vec::new(); task.facts.len()],
            known: FxHashMap::default(),
            is_late: FxHashMap::default(),
            sharing: FxHashMap::default(),
            guards: vec![Vec::new()],
        };
        for condition in reduced.conditions.iter().flatten() {
            for shared in &condition.rest {
                *builder.sharing.entry(*shared).or_default() += 1;
            }
        }
        let mut effects = Vec::new();
        let mut late = Vec::new();
        let mut class = Vec::new();
        let mut always = Vec::new();
        for (id, (operator, condition)) in
            task.operators.iter().zip(&reduced.conditions).enumerate()
        {
            let Some(condition) = condition else {
                effects.push(Vec::new());
                late.push(Vec::new());
                class.push(0);
                continue;
            };
            let mut waiting = Vec::new();
            let (wires, of) = builder.precondition(condition, &mut waiting);
            late.push(waiting);
            class.push(of);
            match builder.gate(wires.len() as i32, wires) {
                ALWAYS => always.push(id),
                NEVER => {}
                wire => builder.read(wire, OPERATOR | (id as u32) << 1),
            }
            let switches = operator.effects.iter().map(|effect| Effect {
                when: builder.switch(effect.condition),
                adds: effect.adds.clone().into_boxed_slice(),
                deletes: effect.deletes.clone().into_boxed_slice(),
            });
            effects.push(switches.collect());
        }
        builder.finish(effects, late, class, &always)
    }

    /// A pulse that can be moved to any state.
    pub fn pulse(&self) -> Pulse {
        self.empty.clone()
    }

    /// What the operator leaves unevaluated, if all else of its precondition holds.
    pub fn late(&self, operator: usize) -> &[(NodeId, bool)] {
        &self.late[operator]
    }

    /// The operators that can be taken where the pulse stands but for what is late, in an order that depends on the state alone.
    pub fn open<'a>(&'a self, pulse: &'a Pulse) -> impl Iterator<Item = usize> + 'a {
        self.classes(pulse).flat_map(Bits::iter)
    }

    /// The first of them that is in the set.
    pub fn first_open(&self, pulse: &Pulse, wanted: &Bits) -> Option<usize> {
        self.classes(pulse)
            .find_map(|open| open.first_common(wanted))
    }

    fn classes<'a>(&'a self, pulse: &'a Pulse) -> impl Iterator<Item = &'a Bits> + 'a {
        let pairs = self.guards.iter().zip(&pulse.open);
        pairs
            .filter(|(guards, _)| guards.iter().all(|&guard| self.live(pulse, guard)))
            .map(|(_, open)| open)
    }

    /// Changes the facts of `after` as the operator does in the state where the pulse stands. `late` evaluates a node there.
    pub fn change(
        &self,
        pulse: &Pulse,
        operator: usize,
        after: &mut State,
        mut late: impl FnMut(NodeId) -> bool,
    ) {
        let effects = &self.effects[operator];
        if let [only] = &effects[..] {
            if self.fires(pulse, only, &mut late) {
                only.deletes.iter().for_each(|&fact| after.set(fact, false));
                only.adds.iter().for_each(|&fact| after.set(fact, true));
            }
            return;
        }
        let mut firing: smallvec::SmallVec<[u32; 32]> = smallvec::SmallVec::new();
        for (at, effect) in effects.iter().enumerate() {
            if self.fires(pulse, effect, &mut late) {
                effect
                    .deletes
                    .iter()
                    .for_each(|&fact| after.set(fact, false));
                firing.push(at as u32);
            }
        }
        for at in firing {
            effects[at as usize]
                .adds
                .iter()
                .for_each(|&fact| after.set(fact, true));
        }
    }

    fn fires(&self, pulse: &Pulse, effect: &Effect, late: &mut impl FnMut(NodeId) -> bool) -> bool {
        match effect.when {
            Switch::Wire(wire) => self.live(pulse, wire),
            Switch::Late(node) => late(node),
        }
    }

    fn live(&self, pulse: &Pulse, wire: Wire) -> bool {
        let source = (wire.0 >> 1) as usize;
        let holds = if wire == ALWAYS || wire == NEVER {
            return wire == ALWAYS;
        } else if source < self.facts {
            pulse.facts[source / 64] >> (source % 64) & 1 == 1
        } else {
            pulse.missing[source - self.facts] <= 0
        };
        holds != (wire.0 & 1 == 1)
    }
}

impl Pulse {
    /// Moves to another state.
    pub fn go_to(&mut self, network: &Network, state: &State) {
        for at in 0..self.facts.len() {
            let mut flips = self.facts[at] ^ state.0[at];
            self.facts[at] = state.0[at];
            while flips != 0 {
                let bit = flips.trailing_zeros();
                flips &= flips - 1;
                let holds = (state.0[at] >> bit & 1) as u32;
                self.events.push((at as u32 * 64 + bit) << 1 | holds);
            }
        }
        self.settle(network);
    }

    /// First in, first out: of two changes of one source, the last is told last.
    fn settle(&mut self, network: &Network) {
        let mut next = 0;
        while let Some(&event) = self.events.get(next) {
            next += 1;
            let (source, holds) = ((event >> 1) as usize, event & 1);
            let readers = network.first[source] as usize..network.first[source + 1] as usize;
            for &reader in &network.readers[readers] {
                let up = reader & 1 != holds;
                if reader & OPERATOR != 0 {
                    let operator = ((reader & !OPERATOR) >> 1) as usize;
                    self.open[usize::from(network.class[operator])].set(operator, up);
                    continue;
                }
                let gate = reader >> 1;
                let missing = &mut self.missing[gate as usize];
                if up {
                    *missing -= 1;
                    if *missing == 0 {
                        self.events.push((network.facts as u32 + gate) << 1 | 1);
                    }
                } else {
                    *missing += 1;
                    if *missing == 1 {
                        self.events.push((network.facts as u32 + gate) << 1);
                    }
                }
            }
        }
        self.events.clear();
    }
}

struct Builder<'a> {
    task: &'a Task,
    thresholds: Vec<i32>,
    /// By source: facts first, then gates.
    readers: Vec<Vec<u32>>,
    known: FxHashMap<NodeId, Wire>,
    is_late: FxHashMap<NodeId, bool>,
    /// How many operators have this condition.
    sharing: FxHashMap<(NodeId, bool), usize>,
    guards: Vec<Vec<Wire>>,
}

impl Builder<'_> {
    /// What an operator counts, and its class; what is late goes to `late`.
    fn precondition(
        &mut self,
        condition: &Condition,
        late: &mut Vec<(NodeId, bool)>,
    ) -> (Vec<Wire>, u8) {
        let literals = &condition.literals;
        let mut wires: Vec<Wire> = literals
            .positive
            .iter()
            .map(|fact| Wire(fact.0 << 1))
            .collect();
        wires.extend(literals.negative.iter().map(|fact| Wire(fact.0 << 1 | 1)));
        let mut guards = Vec::new();
        for &(node, positive) in &condition.rest {
            match self.switch(node) {
                Switch::Late(node) => late.push((node, positive)),
                Switch::Wire(wire) => {
                    let shared = self.sharing[&(node, positive)] > FEW;
                    let list = if shared { &mut guards } else { &mut wires };
                    list.push(if positive { wire } else { wire.inverted() });
                }
            }
        }
        let known = self.guards.iter().position(|class| *class == guards);
        match known {
            Some(class) => (wires, class as u8),
            None if self.guards.len() < MOST_CLASSES => {
                self.guards.push(guards);
                (wires, self.guards.len() as u8 - 1)
            }
            // Too many classes: then they are counted after all.
            None => {
                wires.extend(guards);
                (wires, 0)
            }
        }
    }

    fn switch(&mut self, node: NodeId) -> Switch {
        if self.is_late(node) {
            Switch::Late(node)
        } else {
            Switch::Wire(self.wire(node))
        }
    }

    fn is_late(&mut self, node: NodeId) -> bool {
        if let Some(&known) = self.is_late.get(&node) {
            return known;
        }
        let task = self.task;
        let late = match task.circuit.node(node) {
            Node::Compare(..) | Node::Choice(_) => true,
            Node::Derived(derived) => {
                let at = derived.0 as usize;
                task.axioms.circle[at].is_some() || self.is_late(task.axioms.bodies[at])
            }
            other => other.children().iter().any(|&child| self.is_late(child)),
        };
        self.is_late.insert(node, late);
        late
    }

    fn wire(&mut self, node: NodeId) -> Wire {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let task = self.task;
        let wire = match task.circuit.node(node) {
            Node::False => NEVER,
            Node::True => ALWAYS,
            Node::Fact(fact) => Wire(fact.0 << 1),
            Node::Not(inner) => self.wire(*inner).inverted(),
            Node::Derived(derived) => self.wire(task.axioms.bodies[derived.0 as usize]),
            Node::And(parts) => {
                let wires: Vec<Wire> = parts.iter().map(|&part| self.wire(part)).collect();
                self.gate(wires.len() as i32, wires)
            }
            Node::Or(parts) => {
                let wires = parts.iter().map(|&part| self.wire(part)).collect();
                self.gate(1, wires)
            }
            Node::AtMost(most, parts) => {
                let wires = parts.iter().map(|&part| self.wire(part)).collect();
                self.gate(*most as i32 + 1, wires).inverted()
            }
            Node::Compare(..) | Node::Choice(_) => unreachable!("late nodes have no wire"),
        };
        self.known.insert(node, wire);
        wire
    }

    /// A gate that opens when so many of the wires are live.
    fn gate(&mut self, needs: i32, mut wires: Vec<Wire>) -> Wire {
        let before = wires.len();
        wires.retain(|&wire| wire != ALWAYS);
        let needs = needs - (before - wires.len()) as i32;
        wires.retain(|&wire| wire != NEVER);
        match (needs, &wires[..]) {
            (..=0, _) => return ALWAYS,
            (needs, wires) if needs as usize > wires.len() => return NEVER,
            (1, [one]) => return *one,
            _ => {}
        }
        let gate = self.thresholds.len() as u32;
        self.thresholds.push(needs);
        self.readers.push(Vec::new());
        wires
            .into_iter()
            .for_each(|wire| self.read(wire, gate << 1));
        Wire((self.task.facts.len() as u32 + gate) << 1)
    }

    /// The reader counts the wire's source, upside down if the wire is.
    fn read(&mut self, wire: Wire, reader: u32) {
        self.readers[(wire.0 >> 1) as usize].push(reader | (wire.0 & 1));
    }

    fn finish(
        self,
        effects: Vec<Vec<Effect>>,
        late: Vec<Vec<(NodeId, bool)>>,
        class: Vec<u8>,
        always: &[usize],
    ) -> Network {
        let facts = self.task.facts.len();
        let mut first = vec![0];
        let mut readers = Vec::new();
        for list in &self.readers {
            readers.extend_from_slice(list);
            first.push(readers.len() as u32);
        }
        // With no gate open and no fact true, what is read upside down counts; then the gates that this opens are told of.
        let mut missing = self.thresholds.clone().into_boxed_slice();
        let mut open = vec![Bits::new(self.task.operators.len()); self.guards.len()];
        let mut opened = always.to_vec();
        for &reader in readers.iter().filter(|&&reader| reader & 1 == 1) {
            if reader & OPERATOR != 0 {
                opened.push(((reader & !OPERATOR) >> 1) as usize);
            } else {
                missing[(reader >> 1) as usize] -= 1;
            }
        }
        opened
            .into_iter()
            .for_each(|id| open[usize::from(class[id])].set(id, true));
        let gates = missing
            .iter()
            .enumerate()
            .filter(|(_, missing)| **missing <= 0);
        let events = gates
            .map(|(gate, _)| ((facts + gate) as u32) << 1 | 1)
            .collect();
        let mut network = Network {
            facts,
            first,
            readers,
            effects,
            late,
            guards: self.guards,
            class,
            empty: Pulse {
                facts: vec![0; facts.div_ceil(64)].into_boxed_slice(),
                missing,
                open,
                events,
            },
        };
        let mut empty = network.empty.clone();
        empty.settle(&network);
        network.empty = empty;
        network
    }
}

/// A set of small numbers, with a summary so that an almost empty one is read quickly.
#[derive(Clone)]
pub(crate) struct Bits {
    words: Box<[u64]>,
    summary: Box<[u64]>,
}

impl Bits {
    pub fn new(len: usize) -> Self {
        let words = len.div_ceil(64);
        Self {
            words: vec![0; words].into_boxed_slice(),
            summary: vec![0; words.div_ceil(64)].into_boxed_slice(),
        }
    }

    pub fn set(&mut self, at: usize, holds: bool) {
        let word = at / 64;
        if holds {
            self.words[word] |= 1 << (at % 64);
            self.summary[word / 64] |= 1 << (word % 64);
        } else {
            self.words[word] &= !(1 << (at % 64));
            if self.words[word] == 0 {
                self.summary[word / 64] &= !(1 << (word % 64));
            }
        }
    }

    /// The least member of both.
    pub fn first_common(&self, other: &Bits) -> Option<usize> {
        let summaries = self.summary.iter().zip(&other.summary).enumerate();
        let words = summaries.flat_map(|(at, (a, b))| ones(a & b).map(move |bit| at * 64 + bit));
        let mut common = words
            .map(|at| (at, self.words[at] & other.words[at]))
            .filter(|(_, word)| *word != 0);
        common
            .next()
            .map(|(at, word)| at * 64 + word.trailing_zeros() as usize)
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self
            .summary
            .iter()
            .enumerate()
            .flat_map(|(at, &word)| ones(word).map(move |bit| at * 64 + bit));
        words.flat_map(|at| ones(self.words[at]).map(move |bit| at * 64 + bit))
    }
}

fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}
