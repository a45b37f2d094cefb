//! A propagator that changes nothing and polls the budget. Pumpkin asks whether to stop only between
//! decisions; where bounds move step by step (`x < y`, `y < x` over a million values), one
//! propagation can take hours. This propagator wakes with every change of a bound of a wide
//! variable, and leaves the solver by unwinding when the budget has ended
//! ([`Budget::stoppable`](ployglot_base::Budget::stoppable)); the solver is then dropped.

use std::sync::{Arc, Mutex, PoisonError};

use ployglot_base::Poll;
use pumpkin_core::propagation::{
    DomainEvents, EventsToRegister, LocalId, Priority, PropagationContext, Propagator,
    PropagatorConstructor, PropagatorConstructorContext, PropagatorSpec, RuntimeCheckers,
};
use pumpkin_core::state::PropagationStatusCP;
use pumpkin_core::variables::DomainId;

/// Variables with fewer values take too few steps to matter.
pub(super) const WIDE: u64 = 4096;
/// A wake-up counts as this many steps of work: the propagators that woke it work too.
const STEPS: usize = 16;

/// The poll of the current call, which the propagators of all calls share.
pub(super) type SharedPoll = Arc<Mutex<Poll>>;

/// Watches the bounds of a wide variable.
#[derive(Clone)]
pub(super) struct Interruption {
    pub variable: DomainId,
    pub poll: SharedPoll,
}

impl PropagatorConstructor for Interruption {
    type PropagatorImpl = Self;

    fn create(self, _: PropagatorConstructorContext) -> PropagatorSpec<Self> {
        let registration = EventsToRegister::builder();
        let events = registration.add(&self.variable, DomainEvents::BOUNDS, LocalId::from(0));
        PropagatorSpec {
            registration: events.build(),
            checkers: RuntimeCheckers::empty(),
            propagator: self,
        }
    }
}

impl Propagator for Interruption {
    fn name(&self) -> &str {
        "Interruption"
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    fn propagate_from_scratch(&self, _: PropagationContext) -> PropagationStatusCP {
        // The guard is gone before the poll may unwind.
        let poll = self
            .poll
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        poll.steps(STEPS);
        Ok(())
    }
}
