//! Incremental evaluation: the circuit as a network of counters that is updated from one state to
//! the next.
//!
//! A gate opens when enough of its inputs are true: all for a conjunction, one for a disjunction,
//! k+1 for "more than k", the negation of "at most k". It counts how many inputs are missing. When
//! a fact changes, only the gates that read it are updated, and only gates that open or close are
//! propagated further. So a state that differs from the last one in three facts costs three
//! updates, whatever the size of the task, and the applicable operators are known without
//! evaluating any precondition. The previous state may be any state, not only the parent.
//!
//! A condition that many operators share (such as "nothing falls") is a *guard*. Operators do not
//! count guards, because each change of a guard would be propagated to all of them. Operators with
//! the same guards form a class, and a class whose guards do not hold is skipped.
//!
//! Conditions that cannot be expressed by such gates (axioms that depend on themselves, numbers,
//! choices) are *deferred*: they are evaluated only where the rest of the condition holds.

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;

use crate::bit_set::BitSet;
use crate::circuit::*;
use crate::reduced::{Condition, Reduced};
use crate::task::{State, Task};

/// A fact or a gate, or its negation. The lowest bit is the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signal(u32);

const ALWAYS_TRUE: Signal = Signal(u32::MAX);
const ALWAYS_FALSE: Signal = Signal(u32::MAX - 1);

impl Signal {
    fn negated(self) -> Self {
        // The two constants differ in the lowest bit too.
        Signal(self.0 ^ 1)
    }
}

/// A condition in the network: a signal, or a node that is evaluated on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compiled {
    Signal(Signal),
    Deferred(NodeId),
}

/// The changes of one effect of an operator.
struct Effect {
    condition: Compiled,
    adds: Box<[FactId]>,
    deletes: Box<[FactId]>,
}

/// The immutable part of the network: what reads what.
pub(crate) struct Network {
    /// The number of facts. Sources are numbered facts first, then gates.
    facts: usize,
    /// For each source, where its readers start in `readers`. A reader is a gate or an operator,
    /// with a sign.
    first: Vec<u32>,
    readers: Vec<u32>,
    /// For each operator, its effects on facts.
    effects: Vec<Vec<Effect>>,
    /// For each operator, the deferred conjuncts of its precondition.
    deferred: Vec<Vec<(NodeId, bool)>>,
    /// For each class, the signals that must all be true.
    guards: Vec<Vec<Signal>>,
    /// For each operator, its class.
    class: Vec<u8>,
    /// The state of the network when no fact holds.
    empty: NetworkState,
}

/// The bit that marks a reader as an operator.
const OPERATOR: u32 = 1 << 31;

/// The values of the network in one state of the task.
#[derive(Clone)]
pub(crate) struct NetworkState {
    facts: Box<[u64]>,
    /// For each gate, how many true inputs are missing; the gate is open where this is not
    /// positive.
    missing: Box<[i32]>,
    /// For each class, the operators whose counted conditions hold.
    open: Vec<BitSet>,
    /// Changes of sources that are not propagated yet: the source and its new value.
    events: Vec<u32>,
}

/// A condition that more operators than this share is a guard.
const MAX_COUNTED: usize = 16;
const MAX_CLASSES: usize = 32;

impl Network {
    pub fn new(task: &Task, reduced: &Reduced, poll: &Poll) -> Result<Self, Limit> {
        let mut builder = Builder {
            task,
            thresholds: Vec::new(),
            readers: vec![Vec::new(); task.facts.len()],
            known: FxHashMap::default(),
            is_deferred: FxHashMap::default(),
            sharing: FxHashMap::default(),
            guards: vec![Vec::new()],
        };
        for derived in &task.axioms.order {
            poll.try_step()?;
            builder.compile(task.axioms.bodies[derived.0 as usize]);
        }
        for condition in reduced.conditions.iter().flatten() {
            for shared in &condition.rest {
                *builder.sharing.entry(*shared).or_default() += 1;
            }
        }
        let mut effects = Vec::new();
        let mut deferred = Vec::new();
        let mut class = Vec::new();
        let mut always = Vec::new();
        for (id, (operator, condition)) in
            task.operators.iter().zip(&reduced.conditions).enumerate()
        {
            poll.try_step()?;
            let Some(condition) = condition else {
                effects.push(Vec::new());
                deferred.push(Vec::new());
                class.push(0);
                continue;
            };
            let mut waiting = Vec::new();
            let (signals, of) = builder.precondition(condition, &mut waiting);
            deferred.push(waiting);
            class.push(of);
            match builder.gate(signals.len() as i32, signals) {
                ALWAYS_TRUE => always.push(id),
                ALWAYS_FALSE => {}
                signal => builder.read(signal, OPERATOR | (id as u32) << 1),
            }
            let compiled = operator.effects.iter().map(|effect| Effect {
                condition: builder.compile(effect.condition),
                adds: effect.adds.clone().into_boxed_slice(),
                deletes: effect.deletes.clone().into_boxed_slice(),
            });
            effects.push(compiled.collect());
        }
        // The sets of open operators, one for each class.
        poll.affords(builder.guards.len() * task.operators.len() / 8)?;
        Ok(builder.finish(effects, deferred, class, &always))
    }

    /// The values in the state where no fact holds; they can be moved to any state.
    pub fn new_state(&self) -> NetworkState {
        self.empty.clone()
    }

    /// The deferred conjuncts of the operator's precondition.
    pub fn deferred(&self, operator: usize) -> &[(NodeId, bool)] {
        &self.deferred[operator]
    }

    /// The operators that are applicable, apart from their deferred conditions, in an order that
    /// depends on the state alone.
    pub fn open<'a>(&'a self, network_state: &'a NetworkState) -> impl Iterator<Item = usize> + 'a {
        self.classes(network_state).flat_map(BitSet::iter)
    }

    /// The first of these operators that is in the set.
    pub fn first_open(&self, network_state: &NetworkState, wanted: &BitSet) -> Option<usize> {
        self.classes(network_state)
            .find_map(|open| open.first_common(wanted))
    }

    /// The open operators of each class whose guards hold.
    fn classes<'a>(
        &'a self,
        network_state: &'a NetworkState,
    ) -> impl Iterator<Item = &'a BitSet> + 'a {
        let pairs = self.guards.iter().zip(&network_state.open);
        pairs
            .filter(|(guards, _)| {
                guards
                    .iter()
                    .all(|&guard| self.is_true(network_state, guard))
            })
            .map(|(_, open)| open)
    }

    /// Applies the operator's changes of facts to `after`, which is the state of the network at
    /// first. `deferred` evaluates a node in that state.
    pub fn change(
        &self,
        network_state: &NetworkState,
        operator: usize,
        after: &mut State,
        mut deferred: impl FnMut(NodeId) -> bool,
    ) {
        let effects = &self.effects[operator];
        if let [only] = &effects[..] {
            if self.fires(network_state, only, &mut deferred) {
                only.deletes.iter().for_each(|&fact| after.set(fact, false));
                only.adds.iter().for_each(|&fact| after.set(fact, true));
            }
            return;
        }
        let mut firing: smallvec::SmallVec<[u32; 32]> = smallvec::SmallVec::new();
        for (at, effect) in effects.iter().enumerate() {
            if self.fires(network_state, effect, &mut deferred) {
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

    fn fires(
        &self,
        network_state: &NetworkState,
        effect: &Effect,
        deferred: &mut impl FnMut(NodeId) -> bool,
    ) -> bool {
        match effect.condition {
            Compiled::Signal(signal) => self.is_true(network_state, signal),
            Compiled::Deferred(node) => deferred(node),
        }
    }

    fn is_true(&self, network_state: &NetworkState, signal: Signal) -> bool {
        let source = (signal.0 >> 1) as usize;
        let holds = if signal == ALWAYS_TRUE || signal == ALWAYS_FALSE {
            return signal == ALWAYS_TRUE;
        } else if source < self.facts {
            network_state.facts[source / 64] >> (source % 64) & 1 == 1
        } else {
            network_state.missing[source - self.facts] <= 0
        };
        holds != (signal.0 & 1 == 1)
    }
}

impl NetworkState {
    /// Updates the values to those in another state.
    pub fn move_to(&mut self, network: &Network, state: &State) {
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
        self.propagate(network);
    }

    /// Propagates the events, first in, first out: of two changes of one source the later one is
    /// propagated later.
    fn propagate(&mut self, network: &Network) {
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
    /// For each source, its readers.
    readers: Vec<Vec<u32>>,
    known: FxHashMap<NodeId, Signal>,
    is_deferred: FxHashMap<NodeId, bool>,
    /// For each condition with its sign, the number of operators that have it.
    sharing: FxHashMap<(NodeId, bool), usize>,
    guards: Vec<Vec<Signal>>,
}

impl Builder<'_> {
    /// The signals that an operator counts, and its class; its deferred conditions are added to
    /// `deferred`.
    fn precondition(
        &mut self,
        condition: &Condition,
        deferred: &mut Vec<(NodeId, bool)>,
    ) -> (Vec<Signal>, u8) {
        let literals = &condition.literals;
        let mut signals: Vec<Signal> = literals
            .positive
            .iter()
            .map(|fact| Signal(fact.0 << 1))
            .collect();
        signals.extend(literals.negative.iter().map(|fact| Signal(fact.0 << 1 | 1)));
        let mut guards = Vec::new();
        for &(node, positive) in &condition.rest {
            match self.compile(node) {
                Compiled::Deferred(node) => deferred.push((node, positive)),
                Compiled::Signal(signal) => {
                    let shared = self.sharing[&(node, positive)] > MAX_COUNTED;
                    let list = if shared { &mut guards } else { &mut signals };
                    list.push(if positive { signal } else { signal.negated() });
                }
            }
        }
        let known = self.guards.iter().position(|class| *class == guards);
        match known {
            Some(class) => (signals, class as u8),
            None if self.guards.len() < MAX_CLASSES => {
                self.guards.push(guards);
                (signals, self.guards.len() as u8 - 1)
            }
            // There are too many classes: count the guards like other conditions.
            None => {
                signals.extend(guards);
                (signals, 0)
            }
        }
    }

    /// The condition as a signal, where that is possible.
    fn compile(&mut self, node: NodeId) -> Compiled {
        if self.is_deferred(node) {
            Compiled::Deferred(node)
        } else {
            Compiled::Signal(self.signal(node))
        }
    }

    /// Whether the node cannot be expressed by gates.
    fn is_deferred(&mut self, node: NodeId) -> bool {
        if let Some(&known) = self.is_deferred.get(&node) {
            return known;
        }
        let task = self.task;
        let deferred = match task.circuit.node(node) {
            Node::Compare(..) | Node::Choice(_) => true,
            Node::Derived(derived) => {
                let at = derived.0 as usize;
                task.axioms.cycle_of[at].is_some() || self.is_deferred(task.axioms.bodies[at])
            }
            other => other
                .children()
                .iter()
                .any(|&child| self.is_deferred(child)),
        };
        self.is_deferred.insert(node, deferred);
        deferred
    }

    /// The signal of a node that is not deferred.
    fn signal(&mut self, node: NodeId) -> Signal {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let task = self.task;
        let signal = match task.circuit.node(node) {
            Node::False => ALWAYS_FALSE,
            Node::True => ALWAYS_TRUE,
            Node::Fact(fact) => Signal(fact.0 << 1),
            Node::Not(inner) => self.signal(*inner).negated(),
            Node::Derived(derived) => self.signal(task.axioms.bodies[derived.0 as usize]),
            Node::And(parts) => {
                let signals: Vec<Signal> = parts.iter().map(|&part| self.signal(part)).collect();
                self.gate(signals.len() as i32, signals)
            }
            Node::Or(parts) => {
                let signals = parts.iter().map(|&part| self.signal(part)).collect();
                self.gate(1, signals)
            }
            Node::AtMost(most, parts) => {
                let signals = parts.iter().map(|&part| self.signal(part)).collect();
                self.gate(*most as i32 + 1, signals).negated()
            }
            Node::Compare(..) | Node::Choice(_) => unreachable!("deferred nodes have no signal"),
        };
        self.known.insert(node, signal);
        signal
    }

    /// A gate that opens when this many of the signals are true.
    fn gate(&mut self, needs: i32, mut signals: Vec<Signal>) -> Signal {
        let before = signals.len();
        signals.retain(|&signal| signal != ALWAYS_TRUE);
        let needs = needs - (before - signals.len()) as i32;
        signals.retain(|&signal| signal != ALWAYS_FALSE);
        match (needs, &signals[..]) {
            (..=0, _) => return ALWAYS_TRUE,
            (needs, signals) if needs as usize > signals.len() => return ALWAYS_FALSE,
            (1, [one]) => return *one,
            _ => {}
        }
        let gate = self.thresholds.len() as u32;
        self.thresholds.push(needs);
        self.readers.push(Vec::new());
        signals
            .into_iter()
            .for_each(|signal| self.read(signal, gate << 1));
        Signal((self.task.facts.len() as u32 + gate) << 1)
    }

    /// Adds a reader to the signal's source, with the signal's sign.
    fn read(&mut self, signal: Signal, reader: u32) {
        self.readers[(signal.0 >> 1) as usize].push(reader | (signal.0 & 1));
    }

    fn finish(
        self,
        effects: Vec<Vec<Effect>>,
        deferred: Vec<Vec<(NodeId, bool)>>,
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
        // When no gate is open and no fact is true, the negated inputs are true. The gates that are
        // open because of these are then propagated.
        let mut missing = self.thresholds.clone().into_boxed_slice();
        let mut open = vec![BitSet::new(self.task.operators.len()); self.guards.len()];
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
            deferred,
            guards: self.guards,
            class,
            empty: NetworkState {
                facts: vec![0; facts.div_ceil(64)].into_boxed_slice(),
                missing,
                open,
                events,
            },
        };
        let mut empty = network.empty.clone();
        empty.propagate(&network);
        network.empty = empty;
        network
    }
}
