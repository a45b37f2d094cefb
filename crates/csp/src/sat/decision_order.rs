//! Deciding in a given order, where a model asks for it: CaDiCaL calls back before each decision
//! and gets the first unassigned literal of the order, to be made true. When all are assigned it
//! decides by itself.
//!
//! In a model of time, with the actions in the order of time, this makes the solver search
//! forwards: every state that it visits is reachable, and what it learns are reasons why a state is
//! a dead end.

use std::num::NonZeroI32;

use pindakaas::Lit as RawLit;
use pindakaas::solver::propagation::{
    Propagator, PropagatorConfig, SearchDecision, SolvingActions,
};

/// The order, and the assignment as far as it matters.
#[derive(Debug, Default)]
pub(super) struct DecisionOrder {
    literals: Vec<RawLit>,
    /// Whether each variable is assigned, by the number of the variable.
    assigned: Vec<bool>,
    /// The assigned variables, in the order of assignment.
    trail: Vec<usize>,
    /// The state at the start of each decision level.
    levels: Vec<Level>,
    /// All literals of the order before this one are assigned.
    first_unassigned: usize,
}

/// The state at the start of a decision level.
#[derive(Clone, Copy, Debug)]
struct Level {
    trail: usize,
    first_unassigned: usize,
}

fn number(literal: RawLit) -> usize {
    NonZeroI32::from(literal).get().unsigned_abs() as usize
}

impl DecisionOrder {
    /// Sets the order for the next call of the solver. It may contain literals of the previous
    /// order.
    pub(super) fn set(&mut self, literals: Vec<RawLit>) {
        self.literals = literals;
        self.first_unassigned = 0;
        for level in &mut self.levels {
            level.first_unassigned = 0;
        }
    }

    fn is_assigned(&self, literal: RawLit) -> bool {
        self.assigned.get(number(literal)).copied().unwrap_or(false)
    }
}

impl Propagator for DecisionOrder {
    fn decide(&mut self, _: &mut dyn SolvingActions) -> SearchDecision {
        while let Some(&literal) = self.literals.get(self.first_unassigned) {
            if !self.is_assigned(literal) {
                return SearchDecision::Assign(literal);
            }
            self.first_unassigned += 1;
        }
        SearchDecision::Free
    }

    fn notify_assignment(&mut self, literals: &[RawLit]) {
        for &literal in literals {
            let number = number(literal);
            if self.assigned.len() <= number {
                self.assigned.resize(number + 1, false);
            }
            if !self.assigned[number] {
                self.assigned[number] = true;
                self.trail.push(number);
            }
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.levels.push(Level {
            trail: self.trail.len(),
            first_unassigned: self.first_unassigned,
        });
    }

    fn notify_backtrack(&mut self, new_level: usize, _restart: bool) {
        let Some(&level) = self.levels.get(new_level) else {
            return;
        };
        self.levels.truncate(new_level);
        for number in self.trail.drain(level.trail..) {
            self.assigned[number] = false;
        }
        self.first_unassigned = level.first_unassigned;
    }
}

impl PropagatorConfig for DecisionOrder {}
