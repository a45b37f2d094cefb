//! A gate for work that takes turns with other work.
//!
//! Work that cannot return in between, such as a deep recursion, has a thread of its own and waits there: a
//! budget with a gate passes it at each check ([`Budget::with_gate`](crate::Budget::with_gate)). The other
//! thread lets it pass so many times and waits until they are used up, so that one of the two works at a
//! time. Checks are counted, not timed, so the same run has the same turns.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets work on another thread go on for a number of checks of its budget. It is closed at first.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
/// use ployglot_base::{Budget, Gate, Progress};
///
/// let gate = Arc::new(Gate::default());
/// let budget = Budget::unlimited().with_gate(gate.clone());
/// let count = AtomicU32::new(0);
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let _end = gate.end_on_drop();
///         for _ in 0..100 {
///             budget.check(Progress::default).expect("no limit");
///             count.fetch_add(1, SeqCst);
///         }
///     });
///     gate.turn(5);
///     assert_eq!(count.load(SeqCst), 5);
///     gate.turn(7);
///     assert_eq!(count.load(SeqCst), 12);
///     gate.turn(1000);
///     assert_eq!(count.load(SeqCst), 100);
/// });
/// ```
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How many more times the work may pass.
    left: u64,
    /// The work may always pass.
    open: bool,
    /// The work waits.
    waiting: bool,
    /// The work has ended.
    ended: bool,
}

impl Gate {
    /// Lets the work pass this many times, and waits until it has done so and waits again, or has ended.
    pub fn turn(&self, checks: u64) {
        let mut state = self.lock();
        state.left += checks;
        self.changed.notify_all();
        while !(state.ended || state.waiting && state.left == 0) {
            state = self.wait(state);
        }
    }

    /// From now on the work does not wait.
    pub fn open(&self) {
        self.lock().open = true;
        self.changed.notify_all();
    }

    /// Whether the work has ended.
    pub fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// To be held by the work: no turn waits for it after its end.
    pub fn end_on_drop(&self) -> impl Drop + '_ {
        EndOnDrop(self)
    }

    /// Waits until the work may go on.
    pub(crate) fn pass(&self) {
        let mut state = self.lock();
        while !state.open && state.left == 0 {
            state.waiting = true;
            self.changed.notify_all();
            state = self.wait(state);
        }
        state.waiting = false;
        state.left = state.left.saturating_sub(1);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }
}

struct EndOnDrop<'a>(&'a Gate);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}
