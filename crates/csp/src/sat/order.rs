//! Deciding in a given order, where a model asks for it: CaDiCaL calls before each decision, and is told the first literal
//! of the order that is still open, to be made true. When all are settled it decides by itself.
//!
//! In a model of time, with the actions in the order of time, this makes the solver search forwards: every state that it
//! looks at can be reached, and what it learns are reasons why a state leads nowhere.

use std::num::NonZeroI32;

use pindakaas::Lit as RawLit;
use pindakaas::solver::propagation::{
    Propagator, PropagatorConfig, SearchDecision, SolvingActions,
};

#[derive(Debug, Default)]
pub(super) struct Order {
    literals: Vec<RawLit>,
    /// By the number of the variable: whether it has a value now.
    settled: Vec<bool>,
    /// What was settled, in time, and how much of it when each level began.
    trail: Vec<usize>,
    levels: Vec<Mark>,
    /// All literals of the order before this one are settled.
    first_open: usize,
}

/// Where things stood when a level began.
#[derive(Clone, Copy, Debug)]
struct Mark {
    trail: usize,
    first_open: usize,
}

fn number(literal: RawLit) -> usize {
    NonZeroI32::from(literal).get().unsigned_abs() as usize
}

impl Order {
    /// From the next question on. Literals that were in the order before may come again.
    pub(super) fn set(&mut self, literals: Vec<RawLit>) {
        self.literals = literals;
        self.first_open = 0;
        for mark in &mut self.levels {
            mark.first_open = 0;
        }
    }

    fn is_settled(&self, literal: RawLit) -> bool {
        self.settled.get(number(literal)).copied().unwrap_or(false)
    }
}

impl Propagator for Order {
    fn decide(&mut self, _: &mut dyn SolvingActions) -> SearchDecision {
        while let Some(&literal) = self.literals.get(self.first_open) {
            if !self.is_settled(literal) {
                return SearchDecision::Assign(literal);
            }
            self.first_open += 1;
        }
        SearchDecision::Free
    }

    fn notify_assignment(&mut self, literals: &[RawLit]) {
        for &literal in literals {
            let number = number(literal);
            if self.settled.len() <= number {
                self.settled.resize(number + 1, false);
            }
            if !self.settled[number] {
                self.settled[number] = true;
                self.trail.push(number);
            }
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.levels.push(Mark {
            trail: self.trail.len(),
            first_open: self.first_open,
        });
    }

    fn notify_backtrack(&mut self, new_level: usize, _restart: bool) {
        let Some(&mark) = self.levels.get(new_level) else {
            return;
        };
        self.levels.truncate(new_level);
        for number in self.trail.drain(mark.trail..) {
            self.settled[number] = false;
        }
        self.first_open = mark.first_open;
    }
}

impl PropagatorConfig for Order {}
