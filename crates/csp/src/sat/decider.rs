//! Decisions by the caller: CaDiCaL calls back before each decision, and a [`Decider`] that knows
//! what the variables mean chooses the literal. It sees the values of the variables that it asked to
//! observe.

use std::cell::RefCell;
use std::num::NonZeroI32;
use std::rc::Rc;

use pindakaas::Lit as RawLit;
use pindakaas::solver::propagation::{
    Propagator, PropagatorConfig, SearchDecision, SolvingActions,
};

use super::solver::Lit;

/// Chooses the decisions of a solver. It must not panic: the solver calls it from foreign code.
pub trait Decider {
    /// The literal to be made true next, which must be observed and unassigned; `None`: the solver
    /// decides by itself.
    fn decide(&mut self, values: &Values) -> Option<Lit>;

    /// Some variables are unassigned again.
    fn backtracked(&mut self);
}

/// The values of the observed variables.
#[derive(Debug, Default)]
pub struct Values {
    /// For each variable, its value while it is assigned.
    of: Vec<Option<bool>>,
}

impl Values {
    /// The value of a literal; `None` while its variable is unassigned.
    pub fn get(&self, literal: Lit) -> Option<bool> {
        let value = self.of.get(literal.variable()).copied().flatten();
        value.map(|value| value != literal.is_negative())
    }
}

/// A decider with the values that it sees.
pub(super) struct Deciding {
    decider: Rc<RefCell<dyn Decider>>,
    values: Values,
    /// The assigned variables, in the order of assignment.
    trail: Vec<usize>,
    /// The length of the trail at the start of each decision level.
    levels: Vec<usize>,
}

impl Deciding {
    pub fn new(decider: Rc<RefCell<dyn Decider>>) -> Self {
        Self {
            decider,
            values: Values::default(),
            trail: Vec::new(),
            levels: Vec::new(),
        }
    }
}

impl Propagator for Deciding {
    fn decide(&mut self, _: &mut dyn SolvingActions) -> SearchDecision {
        let Ok(mut decider) = self.decider.try_borrow_mut() else {
            return SearchDecision::Free;
        };
        match decider.decide(&self.values) {
            Some(literal) if self.values.get(literal).is_none() => {
                let number = NonZeroI32::new(literal.dimacs()).expect("a literal is not 0");
                SearchDecision::Assign(RawLit::from_raw(number))
            }
            _ => SearchDecision::Free,
        }
    }

    fn notify_assignment(&mut self, literals: &[RawLit]) {
        for &literal in literals {
            let literal = Lit::from_dimacs(NonZeroI32::from(literal).get());
            let at = literal.variable();
            if self.values.of.len() <= at {
                self.values.of.resize(at + 1, None);
            }
            if self.values.of[at].replace(!literal.is_negative()).is_none() {
                self.trail.push(at);
            }
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    fn notify_backtrack(&mut self, new_level: usize, _restart: bool) {
        let Some(&kept) = self.levels.get(new_level) else {
            return;
        };
        self.levels.truncate(new_level);
        for at in self.trail.drain(kept..) {
            self.values.of[at] = None;
        }
        if let Ok(mut decider) = self.decider.try_borrow_mut() {
            decider.backtracked();
        }
    }
}

impl PropagatorConfig for Deciding {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::{Cadical, Clauses, SatResult, SatSolver};
    use ployglot_base::{Budget, Progress};

    /// Makes the first unassigned literal true, and notes what it decided.
    struct First {
        literals: Vec<Lit>,
        decided: Vec<Lit>,
    }

    impl Decider for First {
        fn decide(&mut self, values: &Values) -> Option<Lit> {
            let free = |literal: &&Lit| values.get(**literal).is_none();
            let next = self.literals.iter().find(free).copied()?;
            self.decided.push(next);
            Some(next)
        }

        fn backtracked(&mut self) {}
    }

    #[test]
    fn the_decider_is_followed_and_sees_propagation() {
        let mut solver = Cadical::default();
        let first = Rc::new(RefCell::new(First {
            literals: Vec::new(),
            decided: Vec::new(),
        }));
        solver.set_decider(first.clone());
        let [a, b, c] = [(); 3].map(|()| solver.fresh());
        first.borrow_mut().literals = vec![a, !b, !c];
        [a, b, c]
            .into_iter()
            .for_each(|literal| solver.observe(literal));
        // With a, c follows.
        solver.clause(&[!a, c]);
        let budget = Budget::unlimited();
        let answer = solver.solve(&[], &budget, Progress::default());
        assert_eq!(answer, SatResult::Satisfiable);
        assert_eq!(
            [a, b, c].map(|literal| solver.value(literal)),
            [true, false, true]
        );
        assert!(!first.borrow().decided.contains(&!c));
        // Decisions that contradict the clauses are corrected.
        solver.clause(&[!a]);
        let answer = solver.solve(&[], &budget, Progress::default());
        assert_eq!(answer, SatResult::Satisfiable);
        assert!(!solver.value(a));
        solver.clause(&[a, b]);
        solver.clause(&[a, !b]);
        let answer = solver.solve(&[], &budget, Progress::default());
        assert_eq!(answer, SatResult::Unsatisfiable);
    }
}
