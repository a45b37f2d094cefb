//! A task as a search wants to walk through it: the same plans at the same cost, through fewer and smaller states.
//!
//! - Which operators can be taken is kept up to date from state to state (`network`), not asked of each.
//! - A forced operator (`reduced`) is taken alone.
//! - Where only one operator can be taken and it costs nothing, it is taken together with the one before; the states between are
//!   neither stored nor counted. So a move of the player with all that follows from it is one step of the search. `unfold`
//!   gives back the operators in between.
//! - States are packed by mutex groups (`packing`).
//!
//! `Task` itself is the slow truth: both are `Space`s, and tests compare them.

use std::sync::Mutex;

use ployglot_base::{Guide, Space};

use crate::circuit::*;
use crate::evaluate::Evaluation;
use crate::invariants::Implied;
use crate::network::{Bits, Network, Pulse};
use crate::packing::Packing;
use crate::reduced::{Reduced, flatten};
use crate::task::{OperatorId, State, Task};

pub struct Compact<'a> {
    task: &'a Task,
    network: Network,
    forced: Bits,
    any_forced: bool,
    /// Some operator costs nothing, so there may be something to follow.
    follows: bool,
    goal: Goal,
    packing: Packing,
    /// Networks that stand in some state, for whoever needs one next. One for each thread, in the end.
    pulses: Mutex<Vec<Pulse>>,
}

/// A chain of operators without choice is not followed further than this at once: it may be a circle.
const LONGEST_CHAIN: usize = 10_000;

impl<'a> Compact<'a> {
    pub fn new(task: &'a Task) -> Self {
        let any_free = task
            .operators
            .iter()
            .any(|operator| operator.costs.iter().all(|(_, cost)| *cost == 0));
        Self::with(task, &Reduced::new(task), any_free)
    }

    /// One operator at a time, all of them, and every state between: for those who list states.
    pub(crate) fn step_by_step(task: &'a Task) -> Self {
        Self::with(task, &Reduced::without_force(task), false)
    }

    fn with(task: &'a Task, reduced: &Reduced, follows: bool) -> Self {
        let mut forced = Bits::new(task.operators.len());
        for (at, _) in reduced
            .forced
            .iter()
            .enumerate()
            .filter(|(_, forced)| **forced)
        {
            forced.set(at, true);
        }
        Self {
            task,
            network: Network::new(task, reduced),
            any_forced: reduced.forced.contains(&true),
            forced,
            follows,
            goal: Goal::new(task),
            packing: Packing::new(task),
            pulses: Mutex::new(Vec::new()),
        }
    }

    pub fn task(&self) -> &'a Task {
        self.task
    }

    /// How many operators are forced.
    pub fn forced(&self) -> usize {
        self.forced.iter().count()
    }

    /// All operators of a plan, those included that followed from others.
    pub fn unfold(&self, plan: &[OperatorId]) -> Vec<OperatorId> {
        let mut all = Vec::new();
        let mut state = self.start();
        for &mv in plan {
            all.push(mv);
            state = self.with_pulse(&state, |pulse| self.step(pulse, &state, mv));
            self.with_pulse(&state.clone(), |pulse| {
                self.follow(pulse, &mut state, |next| all.push(next))
            });
        }
        all
    }

    /// Lends a network that stands in this state.
    fn with_pulse<R>(&self, state: &State, work: impl FnOnce(&mut Pulse) -> R) -> R {
        let lent = self.pulses.lock().ok().and_then(|mut pulses| pulses.pop());
        let mut pulse = lent.unwrap_or_else(|| self.network.pulse());
        pulse.go_to(&self.network, state);
        let result = work(&mut pulse);
        if let Ok(mut pulses) = self.pulses.lock() {
            pulses.push(pulse);
        }
        result
    }

    fn can<'s>(
        &'s self,
        operator: usize,
        state: &'s State,
        late: &mut Option<Evaluation<'s>>,
    ) -> bool {
        let conditions = self.network.late(operator);
        let changes = !self.task.operators[operator].changes.is_empty();
        if conditions.is_empty() && !changes {
            return true;
        }
        let evaluation = late.get_or_insert_with(|| Evaluation::new(self.task, state));
        conditions
            .iter()
            .all(|&(node, positive)| evaluation.holds(node) == positive)
            && (!changes || {
                let operator = &self.task.operators[operator];
                self.task
                    .change_numbers(evaluation, operator, &mut state.clone())
                    .is_some()
            })
    }

    /// The operators that need be tried where the pulse stands, until `visit` has had enough.
    fn each_move(&self, pulse: &Pulse, state: &State, mut visit: impl FnMut(OperatorId) -> bool) {
        if self.any_forced
            && let Some(forced) = self.network.first_open(pulse, &self.forced)
        {
            visit(OperatorId(forced as u32));
            return;
        }
        let mut late = None;
        for operator in self.network.open(pulse) {
            if self.can(operator, state, &mut late) && !visit(OperatorId(operator as u32)) {
                return;
            }
        }
    }

    /// One operator. The pulse stands in the state before.
    fn step(&self, pulse: &Pulse, state: &State, mv: OperatorId) -> State {
        let mut after = state.clone();
        let mut late = None;
        let evaluate = |node| {
            late.get_or_insert_with(|| Evaluation::new(self.task, state))
                .holds(node)
        };
        self.network
            .change(pulse, mv.0 as usize, &mut after, evaluate);
        let operator = &self.task.operators[mv.0 as usize];
        if !operator.changes.is_empty() {
            let mut evaluation = Evaluation::new(self.task, state);
            let changed = self
                .task
                .change_numbers(&mut evaluation, operator, &mut after);
            changed.expect("the operator was listed");
        }
        after
    }

    /// Goes on while there is no choice and it costs nothing.
    fn follow(&self, pulse: &mut Pulse, state: &mut State, mut visit: impl FnMut(OperatorId)) {
        for _ in 0..LONGEST_CHAIN {
            if self.goal.holds(self.task, state) {
                return;
            }
            pulse.go_to(&self.network, state);
            let mut only = None;
            let mut several = false;
            self.each_move(pulse, state, |mv| {
                several = only.replace(mv).is_some();
                !several
            });
            let Some(only) = only.filter(|&only| !several && self.task.cost(state, only) == 0)
            else {
                return;
            };
            *state = self.step(pulse, state, only);
            visit(only);
        }
    }
}

impl Space for Compact<'_> {
    type State = State;
    type Move = OperatorId;

    fn start(&self) -> State {
        self.task.start()
    }

    fn is_goal(&self, state: &State) -> bool {
        self.goal.holds(self.task, state)
    }

    fn moves(&self, state: &State, moves: &mut Vec<OperatorId>) {
        self.with_pulse(state, |pulse| {
            self.each_move(pulse, state, |mv| {
                moves.push(mv);
                true
            });
        });
    }

    fn apply(&self, state: &State, mv: OperatorId) -> State {
        self.with_pulse(state, |pulse| {
            let mut after = self.step(pulse, state, mv);
            if self.follows {
                self.follow(pulse, &mut after, |_| ());
            }
            after
        })
    }

    fn cost(&self, state: &State, mv: OperatorId) -> u32 {
        self.task.cost(state, mv)
    }

    fn words(&self) -> usize {
        self.packing.words()
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        self.packing.pack(state, words);
    }

    fn unpack(&self, words: &[u64]) -> State {
        self.packing.unpack(words)
    }
}

/// An estimate for a task, for the search through its compact form: states are the same.
pub struct OnTask<G>(pub G);

impl<G: Guide<Task>> Guide<Compact<'_>> for OnTask<G> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.0.lower_bound(state)
    }

    fn estimate(&mut self, state: &State) -> u32 {
        self.0.estimate(state)
    }
}

/// The goal, with its literals and counts of literals as masks.
struct Goal {
    /// Words, the bits that matter, and what they must be.
    masks: Vec<(usize, u64, u64)>,
    counts: Vec<Count>,
    rest: Vec<(NodeId, bool)>,
}

/// At most so many of these literals hold: by words, the bits that count and which of them count when false.
struct Count {
    most: u32,
    masks: Vec<(usize, u64, u64)>,
}

impl Goal {
    fn new(task: &Task) -> Self {
        let mut goal = Self {
            masks: Vec::new(),
            counts: Vec::new(),
            rest: Vec::new(),
        };
        let implied = Implied::of(task, task.goal);
        // A goal may contradict itself through the names of axioms, where the circuit does not see it.
        let mut both = implied.positive.iter();
        if implied.never || both.any(|fact| implied.negative.binary_search(fact).is_ok()) {
            goal.rest.push((FALSE, true));
        }
        let holding = implied.positive.iter().map(|&fact| (fact, true));
        let literals: Vec<_> = holding
            .chain(implied.negative.iter().map(|&fact| (fact, false)))
            .collect();
        goal.masks = masks(&literals);
        let mut rest = Vec::new();
        flatten(task, task.goal, true, &mut rest);
        for (node, positive) in rest {
            match Count::of(task, node).filter(|_| positive) {
                Some(count) => goal.counts.push(count),
                None => goal.rest.push((node, positive)),
            }
        }
        goal
    }

    fn holds(&self, task: &Task, state: &State) -> bool {
        let counted = |count: &Count| {
            let ones = count
                .masks
                .iter()
                .map(|&(word, mask, inverted)| ((state.0[word] ^ inverted) & mask).count_ones());
            ones.sum::<u32>() <= count.most
        };
        self.masks
            .iter()
            .all(|&(word, mask, value)| state.0[word] & mask == value)
            && self.counts.iter().all(counted)
            && (self.rest.is_empty() || {
                let mut evaluation = Evaluation::new(task, state);
                self.rest
                    .iter()
                    .all(|&(node, positive)| evaluation.holds(node) == positive)
            })
    }
}

impl Count {
    /// `None` where it counts something else than facts, each once.
    fn of(task: &Task, node: NodeId) -> Option<Self> {
        let Node::AtMost(most, parts) = task.circuit.node(node) else {
            return None;
        };
        let literals: Option<Vec<_>> = parts.iter().map(|&part| literal(task, part)).collect();
        let literals = literals?;
        let mut facts: Vec<FactId> = literals.iter().map(|(fact, _)| *fact).collect();
        facts.sort();
        facts.dedup();
        if facts.len() < literals.len() {
            return None;
        }
        // What must hold is told from what counts when false.
        let mut masks = masks(&literals);
        masks
            .iter_mut()
            .for_each(|(_, mask, value)| *value ^= *mask);
        Some(Self { most: *most, masks })
    }
}

fn literal(task: &Task, node: NodeId) -> Option<(FactId, bool)> {
    match task.circuit.node(node) {
        Node::Fact(fact) => Some((*fact, true)),
        Node::Not(inner) => match task.circuit.node(*inner) {
            Node::Fact(fact) => Some((*fact, false)),
            _ => None,
        },
        _ => None,
    }
}

/// By word: the bits that occur, and those that must be set.
fn masks(literals: &[(FactId, bool)]) -> Vec<(usize, u64, u64)> {
    let mut masks: Vec<(usize, u64, u64)> = Vec::new();
    let mut sorted = literals.to_vec();
    sorted.sort();
    for (fact, positive) in sorted {
        let word = fact.0 as usize / 64;
        if masks.last().is_none_or(|last| last.0 != word) {
            masks.push((word, 0, 0));
        }
        let (_, mask, value) = masks.last_mut().expect("one was just pushed");
        *mask |= 1 << (fact.0 % 64);
        *value |= u64::from(positive) << (fact.0 % 64);
    }
    masks
}
