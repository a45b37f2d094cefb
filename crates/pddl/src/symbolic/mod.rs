//! Symbolic search: uniform-cost search over sets of states, from the start and from the goal (Edelkamp and
//! Reffel 1998; Torralba, Alcázar, Kissmann and Edelkamp 2017). Sets of states and operators are binary
//! decision diagrams, so that millions of states can be expanded in one operation.
//!
//! `encoding` writes states as bits, and formulas as sets; `relations` the operators; `side` is the search
//! in one direction. Here both directions are searched in turn: the one whose next layer promises less work.
//!
//! A plan is found where a set that one direction generates meets a layer of the other. What is proven:
//! if the forward search has expanded all states nearer than f, and the backward search all states nearer to
//! the goal than b, then every plan that costs less than f + b was found. For let a plan cost less,
//! and let s be its last state with a distance less than f. The state after s is nearer to the goal than b,
//! so the backward search has expanded it, and the forward search has generated it from s.
//!
//! Both directions leave out states that no plan has (`narrowing`); every plan remains. Backward, also states are
//! generated that the start does not lead to. They do no harm: whatever follows a state that can be reached can be
//! reached. The plan itself is found by applying operators of the task to states.

mod bdd;
mod encoding;
mod garbage;
mod narrowing;
mod relations;
mod running;
mod side;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::Sender;

use ployglot_base::{Budget, Effort, Limit, Outcome, Poll, Progress, Report, Space};

use crate::abstraction::pairs::Pairs;
use crate::task::{OperatorId, State, Task};
use bdd::{Bdd, Diagrams, Direction, NONE, Relation};
use encoding::{Encoding, Formulas};
use garbage::Garbage;
use narrowing::Narrowing;
use side::{Layer, Side};

pub use running::{Running, start, symbolic_search};

/// Why symbolic search cannot take a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// Operators change numbers, or conditions compare them.
    Numbers,
    /// A quantifier has too many bindings to be written out.
    Quantifiers,
    /// The cost of an operator depends on too many conditions.
    Costs,
    /// A state has too many bits.
    Bits,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Unsupported::Numbers => "symbolic search does not support numbers that actions change",
            Unsupported::Quantifiers => {
                "symbolic search does not support quantifiers with too many bindings to be written out"
            }
            Unsupported::Costs => {
                "symbolic search does not support actions whose cost depends on many conditions"
            }
            Unsupported::Bits => "symbolic search does not support so many variables",
        })
    }
}

impl std::error::Error for Unsupported {}

/// Operations recurse by one call for each bit.
const MOST_BITS: usize = 5_000;
/// An invariant has at most this many nodes.
const INVARIANT_NODES: usize = 20_000;

/// What several searches for plans of one task know together: the search ends when the bound meets the plan.
pub struct Known {
    at_least: AtomicU32,
    symbolic: AtomicU32,
    cost: AtomicU32,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            at_least: AtomicU32::new(0),
            symbolic: AtomicU32::new(0),
            cost: AtomicU32::new(u32::MAX),
        }
    }
}

impl Known {
    /// Every plan costs at least this much.
    pub fn raise(&self, at_least: u32) {
        self.at_least.fetch_max(at_least, SeqCst);
    }

    /// The same, as symbolic search has proven.
    fn raise_symbolic(&self, at_least: u32) {
        self.symbolic.fetch_max(at_least, SeqCst);
        self.raise(at_least);
    }

    /// There is a plan of this cost.
    pub fn lower(&self, cost: u32) {
        self.cost.fetch_min(cost, SeqCst);
    }

    /// The highest bound so far.
    pub fn at_least(&self) -> u32 {
        self.at_least.load(SeqCst)
    }

    /// The highest bound of symbolic search itself.
    pub fn symbolic(&self) -> u32 {
        self.symbolic.load(SeqCst)
    }

    /// Whether there is a plan.
    pub fn has_plan(&self) -> bool {
        self.cost.load(SeqCst) < u32::MAX
    }

    /// Whether the bound meets a plan.
    pub fn is_proven(&self) -> bool {
        self.at_least() >= self.cost.load(SeqCst)
    }
}

/// A plan, and its cost.
type FoundPlan = (Vec<OperatorId>, u32);

/// What was found so far.
#[derive(Default)]
struct Found {
    best: Option<FoundPlan>,
    at_least: u32,
    effort: Effort,
    /// Whether the plan is proven optimal, or it is proven that there is none.
    complete: bool,
}

impl Found {
    /// Whether the bound meets the plan, which is then proven.
    fn ends(&mut self) -> bool {
        let Some((_, cost)) = &self.best else {
            return false;
        };
        self.at_least = self.at_least.min(*cost);
        self.complete |= *cost == self.at_least;
        self.complete
    }
}

/// The search, on a thread with a stack that is large enough.
fn search(
    task: &Task,
    budget: &Budget,
    known: &Known,
    plans: &Sender<FoundPlan>,
) -> Result<Report<OperatorId>, Unsupported> {
    if !task.numbers.is_empty() {
        return Err(Unsupported::Numbers);
    }
    let mut found = Found::default();
    let ended = budget.stoppable("symbolic", |poll| {
        let search = Search::new(task, poll)?;
        search.run(budget, known, &mut found, plans);
        Ok(())
    });
    let Found {
        best,
        at_least,
        effort,
        complete,
    } = found;
    let outcome = match ended {
        Ok(done) => {
            done?;
            match complete {
                true => Outcome::proven(best, at_least),
                false => Outcome::at_limit(best, at_least, Limit::Incomplete),
            }
        }
        Err(limit) => Outcome::at_limit(best, at_least, limit),
    };
    Ok(Report { outcome, effort })
}

struct Search<'a> {
    task: &'a Task,
    encoding: Encoding,
    diagrams: Diagrams,
    garbage: Garbage,
    relations: BTreeMap<u32, Vec<Relation>>,
    /// What sets are narrowed by, forward and backward.
    invariants: [Vec<Bdd>; 2],
    forward: Side,
    backward: Side,
}

impl<'a> Search<'a> {
    fn new(task: &'a Task, poll: &Poll) -> Result<Self, Unsupported> {
        let encoding = Encoding::new(task, poll);
        if encoding.bits > MOST_BITS {
            return Err(Unsupported::Bits);
        }
        let mut diagrams = Diagrams::new(poll);
        let mut garbage = Garbage::new();
        let mut formulas = Formulas::new(task, &encoding, &mut diagrams)?;
        let mut goal = formulas.set(&mut diagrams, task.goal)?;
        let pairs = Pairs::useful(task, poll).unwrap_or_else(|limit| poll.leave(limit));
        let mut narrowing = Narrowing::new(task, &encoding, pairs, poll);
        let relations = relations::relations(
            task,
            &encoding,
            &mut formulas,
            &mut narrowing,
            &mut diagrams,
            &mut garbage,
            poll,
        )?;
        // Its sets are no longer kept.
        drop(formulas);
        let start = diagrams.state(&encoding.encode(&task.start()));
        goal = narrowing.narrow(&mut diagrams, goal);
        let directions = [Direction::Forward, Direction::Backward];
        let complete = directions.map(|direction| narrowing.is_complete(direction));
        let all = match complete {
            [true, true] => Vec::new(),
            _ => narrowing.invariants(&mut diagrams, INVARIANT_NODES),
        };
        let invariants = complete.map(|complete| if complete { Vec::new() } else { all.clone() });
        Ok(Self {
            task,
            encoding,
            diagrams,
            garbage,
            relations,
            invariants,
            forward: Side::new(Direction::Forward, start),
            backward: Side::new(Direction::Backward, goal),
        })
    }

    /// Searches until the best plan is proven optimal, or it is proven that there is none; or until what is
    /// known suffices.
    fn run(mut self, budget: &Budget, known: &Known, found: &mut Found, plans: &Sender<FoundPlan>) {
        loop {
            // Where one side has expanded all states, all plans were found.
            let (Some(forward), Some(backward)) =
                (self.forward.next_cost(), self.backward.next_cost())
            else {
                found.complete = true;
                return;
            };
            found.at_least = found.at_least.max(forward.saturating_add(backward));
            known.raise_symbolic(found.at_least);
            if found.ends() || known.is_proven() {
                return;
            }
            let progress = || Progress {
                phase: "symbolic",
                depth: forward.saturating_add(backward),
                expanded: found.effort.expanded,
                stored: self.diagrams.used() as u64,
                at_least: found.at_least,
                best: found.best.as_ref().map(|(_, cost)| *cost),
                ..Progress::default()
            };
            // The next operation ends the search at a limit.
            let _ = budget.check(progress);
            let turn = match self.forward.forecast(&self.diagrams)
                <= self.backward.forecast(&self.diagrams)
            {
                true => Direction::Forward,
                false => Direction::Backward,
            };
            let Some(layer) = self.close(turn, known, found, plans) else {
                continue;
            };
            // The plan through this layer may be optimal.
            if found.ends() {
                return;
            }
            self.expand(turn, layer, known, found, plans);
        }
    }

    /// Closes the next layer of one side: what the other side has generated may meet it.
    fn close(
        &mut self,
        turn: Direction,
        known: &Known,
        found: &mut Found,
        plans: &Sender<FoundPlan>,
    ) -> Option<Layer> {
        let (side, other) = match turn {
            Direction::Forward => (&mut self.forward, &self.backward),
            Direction::Backward => (&mut self.backward, &self.forward),
        };
        let layer = side.close(&mut self.diagrams)?;
        let states = self.diagrams.count(layer.states, self.encoding.bits) as u64;
        found.effort.expanded = found.effort.expanded.saturating_add(states);
        found.effort.stored = found.effort.stored.max(found.effort.expanded);
        let meetings = other.open().map(|open| (layer, open)).collect();
        self.meet(turn, meetings, known, found, plans);
        Some(layer)
    }

    /// Expands a layer of one side: what it generates may meet layers of the other.
    fn expand(
        &mut self,
        turn: Direction,
        layer: Layer,
        known: &Known,
        found: &mut Found,
        plans: &Sender<FoundPlan>,
    ) {
        let (side, other) = match turn {
            Direction::Forward => (&mut self.forward, &self.backward),
            Direction::Backward => (&mut self.backward, &self.forward),
        };
        let diagrams = &mut self.diagrams;
        let relations = self.relations.values().flatten();
        let relations = relations.map(|relation| relation.pairs);
        let invariants = self.invariants.iter().flatten().copied();
        let live: Vec<Bdd> = other.sets().chain(relations).chain(invariants).collect();
        let generated = side.expand(
            diagrams,
            layer,
            &self.relations,
            &self.invariants[turn as usize],
            &mut self.garbage,
            &live,
        );
        let closed = other.closed();
        let mut meetings = Vec::new();
        for layer in generated {
            if diagrams.overlap(layer.states, closed) {
                let layers = other.layers.iter();
                meetings.extend(layers.map(|&other| (layer, other)));
            }
        }
        self.meet(turn, meetings, known, found, plans);
    }

    /// Finds the plans through sets of both sides; the first one of each pair is of the side whose turn it is.
    fn meet(
        &mut self,
        turn: Direction,
        meetings: Vec<(Layer, Layer)>,
        known: &Known,
        found: &mut Found,
        plans: &Sender<FoundPlan>,
    ) {
        for (own, others) in meetings {
            let (forward, backward) = match turn {
                Direction::Forward => (own, others),
                Direction::Backward => (others, own),
            };
            let cost = forward.cost.saturating_add(backward.cost);
            let better = found.best.as_ref().is_none_or(|(_, best)| cost < *best);
            if better && self.diagrams.overlap(own.states, others.states) {
                let plan = self.plan(forward, backward);
                known.lower(cost);
                // The receiver may be gone: then only the last plan is wanted.
                let _ = plans.send((plan.clone(), cost));
                found.best = Some((plan, cost));
            }
        }
    }

    /// The plan through a state of both layers.
    fn plan(&mut self, forward: Layer, backward: Layer) -> Vec<OperatorId> {
        let common = self.diagrams.and(forward.states, backward.states);
        let bits = self.diagrams.some_state(common, self.encoding.bits);
        let meeting = self.encoding.decode(&bits);
        let mut plan = Vec::new();
        let mut state = meeting.clone();
        let mut cost = forward.cost;
        let mut layers = self.forward.layers.len();
        while let Some((before, operator, at)) = self.before(&state, cost, layers) {
            plan.push(operator);
            (state, cost, layers) = (before, self.forward.layers[at].cost, at);
        }
        plan.reverse();
        let (mut state, mut cost) = (meeting, backward.cost);
        let mut layers = self.backward.layers.len();
        while let Some((operator, after, at)) = self.after(&state, cost, layers) {
            plan.push(operator);
            (state, cost, layers) = (after, self.backward.layers[at].cost, at);
        }
        plan
    }

    /// A state from which an operator leads to this one, which has this distance from the start; it is in
    /// one of the first layers. `None`: this is the start.
    fn before(
        &mut self,
        state: &State,
        cost: u32,
        layers: usize,
    ) -> Option<(State, OperatorId, usize)> {
        if *state == self.task.start() {
            return None;
        }
        let bits = self.encoding.encode(state);
        let set = self.diagrams.state(&bits);
        for at in 0..layers {
            let layer = self.forward.layers[at];
            let step = cost.checked_sub(layer.cost);
            let relations = step.and_then(|step| self.relations.get(&step));
            for relation in relations.into_iter().flatten() {
                let before = self
                    .diagrams
                    .apply_relation(set, relation, Direction::Backward);
                let before = self.diagrams.and(before, layer.states);
                if before == NONE {
                    continue;
                }
                let bits = self.diagrams.some_state(before, self.encoding.bits);
                let before = self.encoding.decode(&bits);
                let mut moves = Vec::new();
                self.task.moves(&before, &mut moves);
                let operator = moves.into_iter().find(|&mv| {
                    Some(self.task.cost(&before, mv)) == step
                        && self.task.apply(&before, mv) == *state
                });
                let operator = operator.expect("the relation has an operator for each pair");
                return Some((before, operator, at));
            }
        }
        unreachable!("every layer but the first was generated from one before it")
    }

    /// An operator that leads from this state, which has this distance from the goal, to a state of one of
    /// the first layers of the backward search. `None`: this is a goal state.
    fn after(&self, state: &State, cost: u32, layers: usize) -> Option<(OperatorId, State, usize)> {
        if self.task.is_goal(state) {
            return None;
        }
        let mut moves = Vec::new();
        self.task.moves(state, &mut moves);
        for mv in moves {
            let Some(left) = cost.checked_sub(self.task.cost(state, mv)) else {
                continue;
            };
            let after = self.task.apply(state, mv);
            let bits = self.encoding.encode(&after);
            let at = (0..layers).find(|&at| {
                let layer = self.backward.layers[at];
                layer.cost == left && self.diagrams.contains(layer.states, &bits)
            });
            if let Some(at) = at {
                return Some((mv, after, at));
            }
        }
        unreachable!("every layer but the first leads to one before it")
    }
}
