//! Madagascar's decision heuristic (Rintanen 2012): backward chaining from the goals that are still
//! open decides which action the solver tries next.
//!
//! A subgoal is a literal that must hold at some time. Its history is followed backwards: if an
//! action that makes it true is taken on the way, the conditions of that action are the next
//! subgoals; if it is known to be false just before a step, it must become true in this step, so one
//! of the actions that do so is decided, the one with the fewest open conditions. Earlier subgoals
//! come first. When every subgoal is supported, all other actions are decided to be false, in the
//! order of time, and propagation completes the assignment.
//!
//! Several actions are proposed at a time, as if each were taken already; what is left of the
//! proposals is dropped when the solver backtracks. Only literals that a condition implies are
//! followed (`Implied`). Others are left to the clauses, so the heuristic may be blind to them, but
//! every answer is right.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ployglot_base::{Limit, Poll};
use ployglot_csp::sat::{Decider, Lit, Values};
use rustc_hash::FxHashSet;

use crate::invariants::Implied;
use crate::task::Task;

/// At most this many actions are proposed at a time.
const PROPOSALS: usize = 20;

/// A literal of a fact: `2 * fact` that it holds, `2 * fact + 1` that it does not.
type Literal = u32;

/// The heuristic, with the literals of all steps so far.
pub(super) struct Chaining {
    /// For each time, the solver's literal of each fact.
    facts: Vec<Vec<Lit>>,
    /// For each step, the solver's literal of each operator.
    actions: Vec<Vec<Option<Lit>>>,
    /// The literal that is always true.
    top: Lit,
    goal: Vec<Literal>,
    /// For each operator, the literals of its precondition.
    preconditions: Vec<Vec<Literal>>,
    /// For each literal, the operators that may make it true, each with the literals of the effect's
    /// condition.
    achievers: Vec<Vec<(u32, Vec<Literal>)>>,
    /// The goal must hold after this many steps.
    horizon: usize,
    proposals: VecDeque<Lit>,
    /// Where to look for the next action that is to be decided false: step and operator.
    next_idle: (usize, usize),
    /// Whether all subgoals had support at the last look, and the solver has not backtracked since.
    supported: bool,
}

impl Chaining {
    /// Without steps; `set_start` must follow.
    pub fn new(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        let literals = |implied: Implied| -> Vec<Literal> {
            let positive = implied.positive.iter().map(|fact| fact.0 * 2);
            let negative = implied.negative.iter().map(|fact| fact.0 * 2 + 1);
            positive.chain(negative).collect()
        };
        let mut preconditions = Vec::new();
        let mut achievers: Vec<Vec<(u32, Vec<Literal>)>> = vec![Vec::new(); task.facts.len() * 2];
        for (id, operator) in task.operators.iter().enumerate() {
            preconditions.push(literals(Implied::of(task, operator.precondition)));
            for effect in &operator.effects {
                poll.try_step()?;
                let condition = literals(Implied::of(task, effect.condition));
                let adds = effect.adds.iter().map(|fact| fact.0 * 2);
                let deletes = effect.deletes.iter().map(|fact| fact.0 * 2 + 1);
                for literal in adds.chain(deletes) {
                    achievers[literal as usize].push((id as u32, condition.clone()));
                }
            }
        }
        Ok(Self {
            facts: Vec::new(),
            actions: Vec::new(),
            top: Lit::from_dimacs(1),
            goal: literals(Implied::of(task, task.goal)),
            preconditions,
            achievers,
            horizon: 0,
            proposals: VecDeque::new(),
            next_idle: (0, 0),
            supported: false,
        })
    }

    /// Sets the literal that is always true, and those of the facts before the first step.
    pub fn set_start(&mut self, top: Lit, facts: Vec<Lit>) {
        self.top = top;
        self.facts = vec![facts];
    }

    /// Adds a step: the literals of its operators, and of the facts after it.
    pub fn add_step(&mut self, actions: Vec<Option<Lit>>, facts: Vec<Lit>) {
        self.actions.push(actions);
        self.facts.push(facts);
    }

    /// The next call of the solver is for this horizon.
    pub fn start(&mut self, horizon: usize) {
        self.horizon = horizon;
        self.backtracked();
    }

    /// The value of a literal at a time.
    fn value(&self, literal: Literal, time: usize, values: &Values) -> Option<bool> {
        let fact = self.facts[time][literal as usize / 2];
        let holds = match fact {
            fact if fact == self.top => Some(true),
            fact if fact == !self.top => Some(false),
            fact => values.get(fact),
        };
        holds.map(|holds| holds != (literal % 2 == 1))
    }

    /// Proposes actions that support open subgoals.
    fn propose(&mut self, values: &Values) {
        let mut open: BinaryHeap<(Reverse<usize>, Literal)> = BinaryHeap::new();
        let mut seen: FxHashSet<(Literal, usize)> = FxHashSet::default();
        let mut proposed: FxHashSet<Lit> = FxHashSet::default();
        let goals = self.goal.iter().map(|&goal| (Reverse(self.horizon), goal));
        open.extend(goals);
        while let Some((Reverse(time), literal)) = open.pop() {
            if !seen.insert((literal, time)) {
                continue;
            }
            if self.proposals.len() >= PROPOSALS {
                return;
            }
            let achievers = &self.achievers[literal as usize];
            for step in (0..time).rev() {
                let action = |operator: u32| self.actions[step][operator as usize];
                let taken = achievers.iter().find(|(operator, _)| {
                    let action = action(*operator);
                    action.is_some_and(|action| {
                        values.get(action) == Some(true) || proposed.contains(&action)
                    })
                });
                let support = match taken {
                    Some(taken) => Some(taken),
                    None if self.value(literal, step, values) != Some(false) => continue,
                    None => {
                        let unmet = |literals: &[Literal]| {
                            let open = |literal: &&Literal| {
                                self.value(**literal, step, values) != Some(true)
                            };
                            literals.iter().filter(open).count()
                        };
                        let possible = achievers.iter().filter(|(operator, _)| {
                            action(*operator).is_some_and(|action| values.get(action).is_none())
                        });
                        let best = possible.min_by_key(|(operator, condition)| {
                            unmet(&self.preconditions[*operator as usize]) + unmet(condition)
                        });
                        if let Some(action) = best.and_then(|(operator, _)| action(*operator)) {
                            proposed.insert(action);
                            self.proposals.push_back(action);
                        }
                        best
                    }
                };
                if let Some((operator, condition)) = support {
                    let needed = self.preconditions[*operator as usize]
                        .iter()
                        .chain(condition);
                    open.extend(needed.map(|&literal| (Reverse(step), literal)));
                }
                break;
            }
        }
        self.supported = self.proposals.is_empty();
    }

    /// The next action that has no value, to be decided false.
    fn idle(&mut self, values: &Values) -> Option<Lit> {
        let (mut step, mut operator) = self.next_idle;
        while step < self.horizon {
            while let Some(action) = self.actions[step].get(operator) {
                if let Some(action) = action.filter(|&action| values.get(action).is_none()) {
                    self.next_idle = (step, operator);
                    return Some(!action);
                }
                operator += 1;
            }
            (step, operator) = (step + 1, 0);
        }
        self.next_idle = (step, 0);
        None
    }
}

impl Decider for Chaining {
    fn decide(&mut self, values: &Values) -> Option<Lit> {
        if !self.supported {
            loop {
                while let Some(action) = self.proposals.pop_front() {
                    if values.get(action).is_none() {
                        return Some(action);
                    }
                }
                self.propose(values);
                if self.supported {
                    break;
                }
            }
        }
        self.idle(values)
    }

    fn backtracked(&mut self) {
        self.proposals.clear();
        self.next_idle = (0, 0);
        self.supported = false;
    }
}
