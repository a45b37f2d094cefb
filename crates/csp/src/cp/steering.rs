//! Search by the heuristic that a model asks for: the next variable to branch on, smallest value
//! first. The names and their meaning are those of Minion, which Savile Row passes them to.
//!
//! A solver that learns clauses has no constraints to weigh: here the weight of a variable is how
//! often it was in the explanation of a failure, which is what a weighted degree estimates.

use std::cmp::Reverse;

use pumpkin_core::branching::{Brancher, BrancherEvent, SelectionContext};
use pumpkin_core::containers::StorageKey;
use pumpkin_core::predicates::{Predicate, PredicateConstructor};
use pumpkin_core::variables::DomainId;

use crate::problem::Heuristic;

/// Domains wider than this are measured by their bounds alone.
const COUNTED: i64 = 256;

/// Branches on these variables until all have values, then leaves the decision to the next
/// brancher.
#[derive(Debug)]
pub(super) struct Steering {
    variables: Vec<DomainId>,
    /// The size of each variable's domain at the start.
    first_sizes: Vec<i64>,
    heuristic: Heuristic,
    /// For each variable of the solver, how often it was in the explanation of a failure.
    weights: Vec<u64>,
    /// For each variable of the solver, the number of the last failure whose explanation it was in.
    last_failures: Vec<u64>,
    failures: u64,
}

impl Steering {
    pub fn new(variables: Vec<DomainId>, heuristic: Heuristic) -> Self {
        Steering {
            variables,
            first_sizes: Vec::new(),
            heuristic,
            weights: Vec::new(),
            last_failures: Vec::new(),
            failures: 0,
        }
    }

    fn weight(&self, x: DomainId) -> u64 {
        1 + self.weights.get(x.index()).copied().unwrap_or(0)
    }

    /// The place of the variable to branch on, among those without a value. Ties go to the first.
    fn choose(&self, context: &SelectionContext) -> Option<usize> {
        let mut open = (0..self.variables.len())
            .filter(|&place| !context.is_integer_fixed(self.variables[place]));
        let of = |place: usize| self.variables[place];
        let size_of = |place: usize| size(context, of(place));
        match self.heuristic {
            Heuristic::Static => open.next(),
            Heuristic::SmallestDomain => open.min_by_key(|&place| size_of(place)),
            Heuristic::LargestDomain => open.min_by_key(|&place| Reverse(size_of(place))),
            // The ratios as fractions: a / b < c / d where a * d < c * b.
            Heuristic::SmallestRatio => open.reduce(|best, place| {
                let left = i128::from(size_of(place)) * i128::from(self.first_sizes[best]);
                let right = i128::from(size_of(best)) * i128::from(self.first_sizes[place]);
                if left < right { place } else { best }
            }),
            Heuristic::Conflict => open.min_by_key(|&place| {
                let last = self.last_failures.get(of(place).index());
                Reverse(last.copied().unwrap_or(0))
            }),
            Heuristic::WeightedDegree => open.min_by_key(|&place| Reverse(self.weight(of(place)))),
            Heuristic::DomainOverWeightedDegree => open.reduce(|best, place| {
                let left = i128::from(size_of(place)) * i128::from(self.weight(of(best)));
                let right = i128::from(size_of(best)) * i128::from(self.weight(of(place)));
                if left < right { place } else { best }
            }),
        }
    }
}

/// How many values the variable has left.
fn size(context: &SelectionContext, x: DomainId) -> i64 {
    let (low, high) = (context.lower_bound(x), context.upper_bound(x));
    let width = i64::from(high) - i64::from(low) + 1;
    match width <= COUNTED {
        true => (low..=high).filter(|&v| context.contains(x, v)).count() as i64,
        false => width,
    }
}

impl Brancher for Steering {
    fn next_decision(&mut self, context: &mut SelectionContext) -> Option<Predicate> {
        if self.first_sizes.is_empty() {
            self.first_sizes = self.variables.iter().map(|&x| size(context, x)).collect();
        }
        let x = self.variables[self.choose(context)?];
        Some(x.upper_bound_predicate(context.lower_bound(x)))
    }

    fn on_conflict(&mut self) {
        self.failures += 1;
    }

    fn on_appearance_in_conflict_predicate(&mut self, predicate: Predicate) {
        let place = predicate.get_domain().index();
        if self.weights.len() <= place {
            self.weights.resize(place + 1, 0);
            self.last_failures.resize(place + 1, 0);
        }
        self.weights[place] += 1;
        self.last_failures[place] = self.failures + 1;
    }

    fn subscribe_to_events(&self) -> Vec<BrancherEvent> {
        match self.heuristic {
            Heuristic::Conflict
            | Heuristic::WeightedDegree
            | Heuristic::DomainOverWeightedDegree => vec![
                BrancherEvent::Conflict,
                BrancherEvent::AppearanceInConflictPredicate,
            ],
            _ => Vec::new(),
        }
    }
}

/// The variables of the model in their order, in every third turn between restarts; in the other turns
/// the next brancher decides. Models often declare variables in an order that is good to decide them
/// in, and where it is not, the other turns find that out (as Chuffed does with the search that a
/// model asks for).
#[derive(Debug)]
pub(super) struct EveryThirdTurn {
    in_order: Steering,
    restarts: u64,
}

impl EveryThirdTurn {
    pub fn new(variables: Vec<DomainId>) -> Self {
        EveryThirdTurn {
            in_order: Steering::new(variables, Heuristic::Static),
            restarts: 0,
        }
    }
}

impl Brancher for EveryThirdTurn {
    fn next_decision(&mut self, context: &mut SelectionContext) -> Option<Predicate> {
        match self.restarts % 3 {
            2 => self.in_order.next_decision(context),
            _ => None,
        }
    }

    /// Pumpkin asks this just before each restart.
    fn is_restart_pointless(&mut self) -> bool {
        self.restarts += 1;
        false
    }

    fn subscribe_to_events(&self) -> Vec<BrancherEvent> {
        Vec::new()
    }
}
