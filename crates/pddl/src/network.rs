//! Incremental evaluation: the circuit as a network of counters that is updated from one state to
//! the next.
//!
//! A gate opens when enough of its inputs are true: all for a conjunction, one for a disjunction,
//! k+1 for "more than k", the negation of "at most k". It counts how many inputs are missing. When
//! a fact changes, only the gates that read it are updated, and only gates that open or close are
//! propagated further. So a state that differs from the last one in three facts costs three
//! updates, whatever the size of the task. The previous state may be any state, not only the parent.
//!
//! Operators and conditional effects are *listeners*: conjunctions that no gate reads. A listener does
//! not count. It watches one input that is false, as a clause watches a literal in a SAT solver
//! (Moskewicz and others 2001). When that input becomes true, it looks for another false one, and is ready if
//! there is none. A ready listener notices only when it is asked that an input has become false. Before, operators
//! were gates, and more than half of all updates concerned operators that lacked another condition anyway.
//!
//! A condition that many operators share (such as "nothing falls") is a *guard*. Operators do not
//! watch guards, because each change of a guard would be propagated to all of them. Operators with
//! the same guards form a class, and a class whose guards do not hold is skipped. Forced operators (`reduced`) are
//! in classes of their own.
//!
//! Conditions that cannot be expressed by such gates (axioms that depend on themselves, numbers,
//! choices) are *deferred*: they are evaluated only where the rest of the condition holds.

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;

use crate::bit_set::BitSet;
use crate::circuit::*;
use crate::lists::Lists;
use crate::reduced::{Condition, Reduced};
use crate::task::{State, Task};

/// A fact or a gate, or its negation. The lowest bit is the sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Signal(u32);

const ALWAYS_TRUE: Signal = Signal(u32::MAX);
const ALWAYS_FALSE: Signal = Signal(u32::MAX - 1);

impl Signal {
    fn negated(self) -> Self {
        // The two constants differ in the lowest bit too.
        Signal(self.0 ^ 1)
    }

    fn is_constant(self) -> bool {
        self == ALWAYS_TRUE || self == ALWAYS_FALSE
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
    adds: Box<[FactId]>,
    deletes: Box<[FactId]>,
    /// The condition, where it is evaluated on demand.
    deferred: Option<NodeId>,
}

/// The immutable part of the network: what reads what.
pub(crate) struct Network {
    /// Words of values that hold facts. Sources are numbered facts first, then, from the next word on, gates.
    fact_words: usize,
    /// For each source, the gates that read it, each with a sign in the lowest bit.
    readers: Lists<u32>,
    /// For each listener, its inputs. Operators are numbered first, then the effects of all operators.
    inputs: Lists<Signal>,
    effects: Vec<Effect>,
    /// For each operator, where its effects end.
    ends: Vec<u32>,
    /// For each operator, the deferred conjuncts of its precondition.
    deferred: Vec<Vec<(NodeId, bool)>>,
    classes: Vec<Class>,
    /// For each operator, its class.
    class: Vec<u8>,
    /// The state of the network when no fact holds.
    empty: NetworkState,
}

/// What the operators of a class have in common.
#[derive(PartialEq, Eq)]
struct Class {
    forced: bool,
    /// The signals that must all be true.
    guards: Vec<Signal>,
}

/// The values of the network in one state of the task.
#[derive(Clone)]
pub(crate) struct NetworkState {
    /// The values of all sources as bits.
    values: Box<[u64]>,
    /// For each gate, how many true inputs are missing; the gate is open where this is not
    /// positive.
    missing: Box<[i32]>,
    /// For each signal, the first listener that watches it, or `NONE`; for each listener the next one.
    first: Box<[u32]>,
    next: Box<[u32]>,
    /// For each class, the operators that are ready or were; and such effects.
    open: Vec<BitSet>,
    firing: BitSet,
    /// Changes of sources that are not propagated yet: the source and its new value.
    events: Vec<u32>,
}

/// The end of a list of listeners.
const NONE: u32 = u32::MAX;

/// A condition that more operators than this share is a guard.
const MAX_WATCHED: usize = 16;
const MAX_CLASSES: usize = 32;

impl Network {
    pub fn new(task: &Task, reduced: &Reduced, poll: &Poll) -> Result<Self, Limit> {
        let mut builder = Builder {
            task,
            first_gate: task.facts.len().next_multiple_of(64) as u32,
            thresholds: Vec::new(),
            readers: Vec::new(),
            known: FxHashMap::default(),
            is_deferred: FxHashMap::default(),
            sharing: FxHashMap::default(),
            classes: [false, true]
                .map(|forced| Class {
                    forced,
                    guards: Vec::new(),
                })
                .into(),
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
        let mut listeners = Vec::new();
        let mut deferred = Vec::new();
        let mut class = Vec::new();
        for (condition, &forced) in reduced.conditions.iter().zip(&reduced.forced) {
            poll.try_step()?;
            let mut waiting = Vec::new();
            let (signals, of) = match condition {
                Some(condition) => builder.precondition(condition, forced, &mut waiting),
                None => (vec![ALWAYS_FALSE], 0),
            };
            listeners.push(signals);
            deferred.push(waiting);
            class.push(of);
        }
        let mut effects = Vec::new();
        let mut ends = Vec::new();
        for (operator, condition) in task.operators.iter().zip(&reduced.conditions) {
            poll.try_step()?;
            let applicable = condition.iter().flat_map(|_| &operator.effects);
            for effect in applicable {
                let (signals, deferred) = builder.effect_condition(effect.condition);
                listeners.push(signals);
                effects.push(Effect {
                    adds: effect.adds.clone().into_boxed_slice(),
                    deletes: effect.deletes.clone().into_boxed_slice(),
                    deferred,
                });
            }
            ends.push(effects.len() as u32);
        }
        // The sets of open operators, one for each class.
        poll.affords(builder.classes.len() * task.operators.len() / 8)?;
        Ok(builder.finish(listeners, effects, ends, deferred, class))
    }

    /// The values in the state where no fact holds; they can be moved to any state.
    pub fn new_state(&self) -> NetworkState {
        self.empty.clone()
    }

    /// The deferred conjuncts of the operator's precondition.
    pub fn deferred(&self, operator: usize) -> &[(NodeId, bool)] {
        &self.deferred[operator]
    }

    /// Visits the operators that are applicable, apart from their deferred conditions, in an order that
    /// depends on the state alone, until `visit` returns false. Either the forced ones or the others.
    pub fn each_open(
        &self,
        network_state: &mut NetworkState,
        forced: bool,
        mut visit: impl FnMut(usize) -> bool,
    ) {
        for (at, class) in self.classes.iter().enumerate() {
            let mut guards = class.guards.iter();
            if class.forced != forced || !guards.all(|&guard| network_state.is_true(guard)) {
                continue;
            }
            let mut next = 0;
            while let Some(operator) = network_state.open[at].first_from(next) {
                next = operator + 1;
                if !network_state.attend(self, operator as u32) {
                    network_state.open[at].set(operator, false);
                } else if !visit(operator) {
                    return;
                }
            }
        }
    }

    /// Applies the operator's changes of facts to `after`, which is the state of the network at
    /// first. `deferred` evaluates a node in that state.
    pub fn change(
        &self,
        network_state: &mut NetworkState,
        operator: usize,
        after: &mut State,
        mut deferred: impl FnMut(NodeId) -> bool,
    ) {
        let mut next = match operator {
            0 => 0,
            _ => self.ends[operator - 1] as usize,
        };
        let end = self.ends[operator] as usize;
        let mut firing: smallvec::SmallVec<[u32; 32]> = smallvec::SmallVec::new();
        while let Some(at) = network_state.firing.first_from(next).filter(|&at| at < end) {
            next = at + 1;
            if !network_state.attend(self, (self.class.len() + at) as u32) {
                network_state.firing.set(at, false);
                continue;
            }
            let effect = &self.effects[at];
            if effect.deferred.is_none_or(&mut deferred) {
                let deletes = effect.deletes.iter();
                deletes.for_each(|&fact| after.set(fact, false));
                firing.push(at as u32);
            }
        }
        for at in firing {
            let adds = self.effects[at as usize].adds.iter();
            adds.for_each(|&fact| after.set(fact, true));
        }
    }
}

impl NetworkState {
    /// Updates the values to those in another state.
    pub fn move_to(&mut self, network: &Network, state: &State) {
        for at in 0..network.fact_words {
            let mut flips = self.values[at] ^ state.0[at];
            self.values[at] = state.0[at];
            while flips != 0 {
                let bit = flips.trailing_zeros();
                flips &= flips - 1;
                let holds = (state.0[at] >> bit & 1) as u32;
                self.events.push((at as u32 * 64 + bit) << 1 | holds);
            }
        }
        self.propagate(network);
    }

    fn is_true(&self, signal: Signal) -> bool {
        let source = signal.0 >> 1;
        (self.values[source as usize / 64] >> (source % 64) ^ u64::from(signal.0)) & 1 == 1
    }

    /// Finds out whether a listener that watches no input is ready. If not, it watches the first input that is
    /// false.
    fn attend(&mut self, network: &Network, listener: u32) -> bool {
        let inputs = network.inputs.of(listener);
        let closed = inputs.iter().find(|&&input| !self.is_true(input));
        if let Some(&Signal(closed)) = closed {
            self.next[listener as usize] = self.first[closed as usize];
            self.first[closed as usize] = listener;
        }
        closed.is_none()
    }

    /// Attends a listener that was not ready.
    fn wake(&mut self, network: &Network, listener: u32) {
        if self.attend(network, listener) {
            let at = listener as usize;
            match network.class.get(at) {
                Some(&class) => self.open[usize::from(class)].set(at, true),
                None => self.firing.set(at - network.class.len(), true),
            }
        }
    }

    /// Propagates the events, first in, first out: of two changes of one source the later one is
    /// propagated later. A listener looks at the values of now, even if their events are still waiting: a signal
    /// that it then watches has an event when it becomes true.
    fn propagate(&mut self, network: &Network) {
        let mut next = 0;
        while let Some(&event) = self.events.get(next) {
            next += 1;
            let (source, holds) = (event >> 1, event & 1);
            for &reader in network.readers.of(source) {
                let gate = reader >> 1;
                let missing = &mut self.missing[gate as usize];
                let up = reader & 1 != holds;
                let changed = if up {
                    *missing -= 1;
                    *missing == 0
                } else {
                    *missing += 1;
                    *missing == 1
                };
                if changed {
                    let source = network.fact_words as u32 * 64 + gate;
                    self.values[source as usize / 64] ^= 1 << (source % 64);
                    self.events.push(source << 1 | u32::from(up));
                }
            }
            // The listeners that watch the signal that is true now.
            let mut listener = std::mem::replace(&mut self.first[(event ^ 1) as usize], NONE);
            while listener != NONE {
                let following = self.next[listener as usize];
                self.wake(network, listener);
                listener = following;
            }
        }
        self.events.clear();
    }
}

struct Builder<'a> {
    task: &'a Task,
    /// The source of the first gate.
    first_gate: u32,
    thresholds: Vec<i32>,
    /// Sources, each with a gate that reads it.
    readers: Vec<(u32, u32)>,
    known: FxHashMap<NodeId, Signal>,
    is_deferred: FxHashMap<NodeId, bool>,
    /// For each condition with its sign, the number of operators that have it.
    sharing: FxHashMap<(NodeId, bool), usize>,
    classes: Vec<Class>,
}

impl Builder<'_> {
    /// The inputs of an operator, and its class; its deferred conditions are added to `deferred`.
    fn precondition(
        &mut self,
        condition: &Condition,
        forced: bool,
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
                    let shared = self.sharing[&(node, positive)] > MAX_WATCHED;
                    let list = if shared && !signal.is_constant() {
                        &mut guards
                    } else {
                        &mut signals
                    };
                    list.push(if positive { signal } else { signal.negated() });
                }
            }
        }
        let class = Class { forced, guards };
        let known = self.classes.iter().position(|known| *known == class);
        match known {
            Some(class) => (signals, class as u8),
            None if self.classes.len() < MAX_CLASSES => {
                self.classes.push(class);
                (signals, self.classes.len() as u8 - 1)
            }
            // There are too many classes: the guards are inputs like others.
            None => {
                signals.extend(class.guards);
                (signals, u8::from(forced))
            }
        }
    }

    /// The inputs of an effect, and its condition where it is deferred.
    fn effect_condition(&mut self, node: NodeId) -> (Vec<Signal>, Option<NodeId>) {
        if self.is_deferred(node) {
            return (Vec::new(), Some(node));
        }
        let task = self.task;
        let signals = match task.circuit.node(node) {
            Node::And(parts) => parts.iter().map(|&part| self.signal(part)).collect(),
            _ => vec![self.signal(node)],
        };
        (signals, None)
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
        for signal in signals {
            self.readers
                .push((signal.0 >> 1, gate << 1 | (signal.0 & 1)));
        }
        Signal((self.first_gate + gate) << 1)
    }

    fn finish(
        self,
        listeners: Vec<Vec<Signal>>,
        effects: Vec<Effect>,
        ends: Vec<u32>,
        deferred: Vec<Vec<(NodeId, bool)>>,
        class: Vec<u8>,
    ) -> Network {
        let first_gate = self.first_gate as usize;
        let sources = (first_gate + self.thresholds.len()).next_multiple_of(64);
        // A listener with an input that is never true watches nothing, and is never ready.
        let never = |inputs: &Vec<Signal>| inputs.contains(&ALWAYS_FALSE);
        let attentive: Vec<u32> = (0..)
            .zip(&listeners)
            .filter_map(|(at, inputs)| (!never(inputs)).then_some(at))
            .collect();
        let listening = listeners.len();
        let inputs = listeners.into_iter().map(|mut inputs| {
            inputs.retain(|input| !input.is_constant());
            inputs
        });
        // When no gate is open and no fact is true, the negated inputs are true. The gates that are
        // open because of these are then propagated.
        let mut missing = self.thresholds.into_boxed_slice();
        let negated = self.readers.iter().filter(|(_, reader)| reader & 1 == 1);
        negated.for_each(|(_, reader)| missing[(reader >> 1) as usize] -= 1);
        let mut empty = NetworkState {
            values: vec![0; sources / 64].into_boxed_slice(),
            missing,
            first: vec![NONE; 2 * sources].into_boxed_slice(),
            next: vec![NONE; listening].into_boxed_slice(),
            open: vec![BitSet::new(class.len()); self.classes.len()],
            firing: BitSet::new(effects.len()),
            events: Vec::new(),
        };
        for (gate, _) in (empty.missing.iter().enumerate()).filter(|(_, missing)| **missing <= 0) {
            let source = first_gate + gate;
            empty.values[source / 64] |= 1 << (source % 64);
            empty.events.push((source as u32) << 1 | 1);
        }
        let mut network = Network {
            fact_words: first_gate / 64,
            readers: Lists::sorted(sources, self.readers.iter().copied()),
            inputs: inputs.collect(),
            effects,
            ends,
            deferred,
            classes: self.classes,
            class,
            empty: empty.clone(),
        };
        empty.propagate(&network);
        for listener in attentive {
            empty.wake(&network, listener);
        }
        network.empty = empty;
        network
    }
}
