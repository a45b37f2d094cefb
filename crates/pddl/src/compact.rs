//! The compact form of a task, for searches: plans of the same cost, through fewer and smaller
//! states.
//!
//! - The applicable operators are updated from state to state (`network`), not computed anew.
//! - Where a forced operator (`reduced`) is applicable, it is the only successor.
//! - Where only one operator is applicable and it costs nothing, it is applied together with the
//!   one before; the states between are neither stored nor counted. So a move of the player with
//!   all its consequences is one move of the search. `unfold` restores the operators in between.
//! - States are packed by mutex groups (`packing`).
//! - A state is replaced by a symmetric one (`pruning/symmetries`). So the operators of a plan through
//!   this space apply to other objects than those of the task; `unfold` restores the names.
//!
//! `Task` is the slow and simple version: both are `Space`s, and tests compare them.

use std::sync::Mutex;

use ployglot_base::{Budget, Guide, Limit, Poll, Space};

use crate::circuit::*;
use crate::evaluate::Evaluation;
use crate::invariants::Implied;
use crate::network::{Network, NetworkState};
use crate::packing::Packing;
use crate::pruning::{Pruning, Prunings, Symmetries};
use crate::reduced::{Reduced, flatten};
use crate::task::{OperatorId, State, Task};

/// A task as a smaller space with plans of the same cost.
pub struct Compact<'a> {
    task: &'a Task,
    network: Network,
    /// The number of forced operators.
    forced: usize,
    /// Whether to apply free operators without alternative together with the operator before.
    follows_chains: bool,
    goal: Goal,
    packing: Packing,
    symmetries: Option<Symmetries>,
    /// Whether operators are applied without the network: faster where it is in another state.
    applies_directly: bool,
    /// Network states that are not in use. At most one for each thread is made.
    idle_states: Mutex<Vec<NetworkState>>,
}

/// A chain of operators without alternative is followed at most this far: it may be a cycle.
const MAX_CHAIN: usize = 10_000;

impl<'a> Compact<'a> {
    /// Finds the forced operators and the symmetries and builds the network, within a budget.
    pub fn new(task: &'a Task, prunings: Prunings, budget: &Budget) -> Result<Self, Limit> {
        // An operator may be free in some states only.
        let any_free = task
            .operators
            .iter()
            .any(|operator| operator.unconditional_cost() == 0);
        let poll = Poll::new(budget, "compact");
        let mut compact = Self::with(task, &Reduced::new(task, &poll)?, any_free, &poll)?;
        if prunings.has(Pruning::Symmetries) {
            compact.symmetries = Symmetries::new(task, true, &poll)?;
        }
        Ok(compact)
    }

    /// Without forced operators and without chains: every state of the task is a state of the
    /// space. For searches whose estimates depend on the path, within a budget.
    pub fn plain(task: &'a Task, budget: &Budget) -> Result<Self, Limit> {
        let mut compact = Self::step_by_step(task, &Poll::new(budget, "compact"))?;
        compact.applies_directly = task.axioms.bodies.is_empty();
        Ok(compact)
    }

    /// The same, for listing all states.
    pub(crate) fn step_by_step(task: &'a Task, poll: &Poll) -> Result<Self, Limit> {
        Self::with(task, &Reduced::without_force(task, poll)?, false, poll)
    }

    fn with(
        task: &'a Task,
        reduced: &Reduced,
        follows_chains: bool,
        poll: &Poll,
    ) -> Result<Self, Limit> {
        Ok(Self {
            task,
            network: Network::new(task, reduced, poll)?,
            forced: reduced.forced.iter().filter(|forced| **forced).count(),
            follows_chains,
            goal: Goal::new(task),
            packing: Packing::new(task, poll)?,
            symmetries: None,
            applies_directly: false,
            idle_states: Mutex::new(Vec::new()),
        })
    }

    /// The task itself.
    pub fn task(&self) -> &'a Task {
        self.task
    }

    /// The number of forced operators.
    pub fn forced(&self) -> usize {
        self.forced
    }

    /// The plan as a plan of the task, with the operators that were applied together with others,
    /// and for the objects of the task.
    pub fn unfold(&self, plan: &[OperatorId]) -> Vec<OperatorId> {
        let mut all = Vec::new();
        // The swaps of objects from the task's state to this one, in order.
        let mut swaps = Vec::new();
        let mut state = self.task.start();
        self.normalize(&mut state, &mut swaps);
        for &mv in plan {
            all.push(self.original(mv, &swaps));
            state = self.with_network_state(&state, |network_state| {
                self.successor(network_state, &state, mv)
            });
            if self.follows_chains {
                self.with_network_state(&state.clone(), |network_state| {
                    self.follow_chain(network_state, &mut state, |next| {
                        all.push(self.original(next, &swaps))
                    })
                });
            }
            self.normalize(&mut state, &mut swaps);
        }
        all
    }

    /// Replaces a state by its representative, and appends the swaps that were made.
    fn normalize(&self, state: &mut State, swaps: &mut Vec<u32>) {
        if let Some(symmetries) = &self.symmetries {
            symmetries.normalize(state, |swap| swaps.push(swap));
        }
    }

    fn original(&self, mv: OperatorId, swaps: &[u32]) -> OperatorId {
        let symmetries = self.symmetries.as_ref();
        symmetries.map_or(mv, |symmetries| symmetries.original(mv, swaps))
    }

    /// Runs `work` with a network state that is moved to this state.
    fn with_network_state<R>(&self, state: &State, work: impl FnOnce(&mut NetworkState) -> R) -> R {
        let idle = self
            .idle_states
            .lock()
            .ok()
            .and_then(|mut idle_states| idle_states.pop());
        let mut network_state = idle.unwrap_or_else(|| self.network.new_state());
        network_state.move_to(&self.network, state);
        let result = work(&mut network_state);
        if let Ok(mut idle_states) = self.idle_states.lock() {
            idle_states.push(network_state);
        }
        result
    }

    /// Whether the deferred conditions and the changes of numbers allow an operator that the
    /// network lists.
    fn is_applicable<'s>(
        &'s self,
        operator: usize,
        state: &'s State,
        deferred: &mut Option<Evaluation<'s>>,
    ) -> bool {
        let conditions = self.network.deferred(operator);
        let changes =
            !self.task.numbers.is_empty() && !self.task.operators[operator].changes.is_empty();
        if conditions.is_empty() && !changes {
            return true;
        }
        let evaluation = deferred.get_or_insert_with(|| Evaluation::new(self.task, state));
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

    /// Visits the operators that must be tried in this state, until `visit` returns false.
    fn each_move(
        &self,
        network_state: &mut NetworkState,
        state: &State,
        mut visit: impl FnMut(OperatorId) -> bool,
    ) {
        let mut forced = None;
        self.network.each_open(network_state, true, |operator| {
            forced = Some(OperatorId(operator as u32));
            false
        });
        if let Some(forced) = forced {
            visit(forced);
            return;
        }
        let mut deferred = None;
        self.network.each_open(network_state, false, |operator| {
            !self.is_applicable(operator, state, &mut deferred)
                || visit(OperatorId(operator as u32))
        });
    }

    /// The state after one operator. The network is in the state before it.
    fn successor(&self, network_state: &mut NetworkState, state: &State, mv: OperatorId) -> State {
        let mut after = state.clone();
        let mut deferred = None;
        let evaluate = |node| {
            deferred
                .get_or_insert_with(|| Evaluation::new(self.task, state))
                .holds(node)
        };
        self.network
            .change(network_state, mv.0 as usize, &mut after, evaluate);
        let operator = &self.task.operators[mv.0 as usize];
        if !operator.changes.is_empty() {
            let mut evaluation = Evaluation::new(self.task, state);
            let changed = self
                .task
                .change_numbers(&mut evaluation, operator, &mut after);
            changed.expect("the operator is applicable");
        }
        after
    }

    /// Applies operators while exactly one must be tried and it costs nothing.
    fn follow_chain(
        &self,
        network_state: &mut NetworkState,
        state: &mut State,
        mut visit: impl FnMut(OperatorId),
    ) {
        for _ in 0..MAX_CHAIN {
            if self.goal.holds(self.task, state) {
                return;
            }
            network_state.move_to(&self.network, state);
            let mut only = None;
            let mut several = false;
            self.each_move(network_state, state, |mv| {
                several = only.replace(mv).is_some();
                !several && self.task.cost(state, mv) == 0
            });
            let Some(only) = only.filter(|&only| !several && self.task.cost(state, only) == 0)
            else {
                return;
            };
            *state = self.successor(network_state, state, only);
            visit(only);
        }
    }
}

impl Space for Compact<'_> {
    type State = State;
    type Move = OperatorId;

    fn start(&self) -> State {
        let mut start = self.task.start();
        self.normalize(&mut start, &mut Vec::new());
        start
    }

    fn is_goal(&self, state: &State) -> bool {
        self.goal.holds(self.task, state)
    }

    fn moves(&self, state: &State, moves: &mut Vec<OperatorId>) {
        self.with_network_state(state, |network_state| {
            self.each_move(network_state, state, |mv| {
                moves.push(mv);
                true
            });
        });
    }

    fn apply(&self, state: &State, mv: OperatorId) -> State {
        if self.applies_directly {
            return self.task.apply(state, mv);
        }
        let mut after = self.with_network_state(state, |network_state| {
            let mut after = self.successor(network_state, state, mv);
            if self.follows_chains {
                self.follow_chain(network_state, &mut after, |_| ());
            }
            after
        });
        if let Some(symmetries) = &self.symmetries {
            symmetries.normalize(&mut after, |_| ());
        }
        after
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

/// A guide for a task as a guide for its compact form: the states are the same.
pub struct CompactGuide<G>(pub G);

impl<G: Guide<Task>> Guide<Compact<'_>> for CompactGuide<G> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.0.lower_bound(state)
    }

    fn is_admissible(&self) -> bool {
        self.0.is_admissible()
    }

    fn estimate(&mut self, state: &State) -> u32 {
        self.0.estimate(state)
    }

    /// A move may lead further than its operator, or to a symmetric state: the guide may note the
    /// operators, but what it removes must suit the compact form, too.
    fn narrow(&mut self, state: &State, moves: &mut Vec<OperatorId>) {
        self.0.narrow(state, moves);
    }
}

/// The goal, with literals and counts of literals as bit masks.
struct Goal {
    /// For words of a state: the bits that occur, and their values in the goal.
    masks: Vec<(usize, u64, u64)>,
    counts: Vec<Count>,
    /// The other conjuncts, with their signs.
    rest: Vec<(NodeId, bool)>,
}

/// That at most `most` of some literals hold. For words of a state: the bits that occur, and those
/// of them that count when they are 0.
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
        // A goal may contradict itself through derived facts, which the circuit does not notice.
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
    /// `None` where the node does not count literals of different facts.
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
        // A bit is counted after it is inverted where its literal is negative.
        let mut masks = masks(&literals);
        masks
            .iter_mut()
            .for_each(|(_, mask, value)| *value ^= *mask);
        Some(Self { most: *most, masks })
    }
}

/// The fact and the sign, if the node is a literal.
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

/// For each word, the bits that occur, and those that are positive.
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
