//! All-different by Hall intervals (Leconte 1996, in the plain form): if as many variables lie within
//! an interval as it has values, the other variables lie outside; if more do, there is no solution.
//! Beside the pairwise inequalities, which see only variables that have a value.
//!
//! For each lower end the variables are visited by their upper bounds, so a run takes time in the
//! square of their number. The explanation of a Hall interval is that its variables are within it.

use pumpkin_core::declare_inference_label;
use pumpkin_core::predicates::{Predicate, PredicateConstructor, PropositionalConjunction};
use pumpkin_core::proof::{ConstraintTag, InferenceCode};
use pumpkin_core::propagation::{
    DomainEvents, EventsToRegister, LocalId, Priority, PropagationContext, Propagator,
    PropagatorConstructor, PropagatorConstructorContext, PropagatorSpec, ReadDomains,
    RuntimeCheckers,
};
use pumpkin_core::state::{PropagationStatusCP, PropagatorConflict};
use pumpkin_core::variables::DomainId;

/// No two of these variables are equal.
#[derive(Clone, Debug)]
pub(super) struct HallIntervals {
    pub variables: Vec<DomainId>,
    pub tag: ConstraintTag,
}

declare_inference_label!(HallInterval);

#[derive(Clone, Debug)]
pub(super) struct HallPropagator {
    variables: Vec<DomainId>,
    code: InferenceCode,
}

impl PropagatorConstructor for HallIntervals {
    type PropagatorImpl = HallPropagator;

    fn create(self, _: PropagatorConstructorContext) -> PropagatorSpec<HallPropagator> {
        let mut registration = EventsToRegister::builder();
        for (i, variable) in self.variables.iter().enumerate() {
            registration =
                registration.add(variable, DomainEvents::BOUNDS, LocalId::from(i as u32));
        }
        PropagatorSpec {
            registration: registration.build(),
            checkers: RuntimeCheckers::empty(),
            propagator: HallPropagator {
                variables: self.variables,
                code: InferenceCode::new(self.tag, HallInterval),
            },
        }
    }
}

impl Propagator for HallPropagator {
    fn name(&self) -> &str {
        "HallIntervals"
    }

    fn priority(&self) -> Priority {
        Priority::VeryLow
    }

    fn propagate_from_scratch(&self, mut context: PropagationContext) -> PropagationStatusCP {
        let bounds = |&x: &DomainId| (context.upper_bound(&x), context.lower_bound(&x), x);
        let mut by_upper: Vec<(i32, i32, DomainId)> = self.variables.iter().map(bounds).collect();
        by_upper.sort_unstable_by_key(|&(upper, lower, _)| (upper, lower));
        let mut lows: Vec<i32> = by_upper.iter().map(|&(_, lower, _)| lower).collect();
        lows.sort_unstable();
        lows.dedup();
        for &low in &lows {
            let mut inside = 0;
            for (place, &(high, lower, _)) in by_upper.iter().enumerate() {
                if lower < low {
                    continue;
                }
                inside += 1;
                // The interval ends where the next variable inside has a greater bound.
                let ends = by_upper[place + 1..]
                    .iter()
                    .find(|(_, lower, _)| *lower >= low)
                    .is_none_or(|&(next, ..)| next > high);
                let size = i64::from(high) - i64::from(low) + 1;
                if !ends || inside < size {
                    continue;
                }
                let within =
                    |(upper, lower, _): &(i32, i32, DomainId)| *lower >= low && *upper <= high;
                let reason: Vec<Predicate> = by_upper
                    .iter()
                    .filter(|bounds| within(bounds))
                    .flat_map(|&(_, _, x)| {
                        [x.lower_bound_predicate(low), x.upper_bound_predicate(high)]
                    })
                    .collect();
                if inside > size {
                    return Err(PropagatorConflict {
                        conjunction: PropositionalConjunction::new(reason),
                        inference_code: self.code.clone(),
                    }
                    .into());
                }
                for bounds @ &(upper, lower, x) in &by_upper {
                    if within(bounds) {
                        continue;
                    }
                    let (known, implied) = if (low..=high).contains(&lower) {
                        (
                            x.lower_bound_predicate(low),
                            x.lower_bound_predicate(high + 1),
                        )
                    } else if (low..=high).contains(&upper) {
                        (
                            x.upper_bound_predicate(high),
                            x.upper_bound_predicate(low - 1),
                        )
                    } else {
                        continue;
                    };
                    let mut reason = reason.clone();
                    reason.push(known);
                    let reason = PropositionalConjunction::new(reason);
                    context.post(implied, (reason, &self.code))?;
                }
            }
        }
        Ok(())
    }
}
