//! The search on a thread of its own: operations recurse by one call for each bit of a state, which may
//! take more than the stack of the thread that asks.

use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};

use ployglot_base::{Budget, Effort, Gate, Limit, Outcome, Report};

use super::{FoundPlan, Known, Unsupported, search};
use crate::task::{OperatorId, Task};

/// The bytes of the stack. Only what is used takes memory.
const STACK: usize = 256 << 20;

/// A search that runs on its own thread.
pub struct Running<'scope> {
    thread: ScopedJoinHandle<'scope, Result<Report<OperatorId>, Unsupported>>,
    plans: Receiver<FoundPlan>,
}

/// Starts bidirectional symbolic search within a scope. It ends early once what is known suffices. If the budget
/// has a gate, the end of the search ends its turns. `Err`: the system has no thread left.
pub fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    task: &'scope Task,
    budget: Budget,
    known: &'scope Known,
) -> io::Result<Running<'scope>> {
    let (sender, plans) = channel();
    let work = move || {
        let gate = budget.gate();
        let _end = gate.map(Gate::end_on_drop);
        search(task, &budget, known, &sender)
    };
    let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
    Ok(Running { thread, plans })
}

impl Running<'_> {
    /// Waits for the next plan, each with its cost; `None`: there are no more.
    pub fn next_plan(&self) -> Option<(Vec<OperatorId>, u32)> {
        self.plans.recv().ok()
    }

    /// Waits for the end.
    pub fn join(self) -> Result<Report<OperatorId>, Unsupported> {
        let ended = self.thread.join();
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Bidirectional symbolic search. `report` is called for each better plan, with its cost.
pub fn symbolic_search(
    task: &Task,
    budget: &Budget,
    report: &mut dyn FnMut(&[OperatorId], u32),
) -> Result<Report<OperatorId>, Unsupported> {
    let known = Known::default();
    scope(|scope| {
        let Ok(running) = start(scope, task, budget.clone(), &known) else {
            // Threads fail for want of memory.
            let why = Limit::Memory;
            return Ok(Report {
                outcome: Outcome::GaveUp { at_least: 0, why },
                effort: Effort::default(),
            });
        };
        while let Some((plan, cost)) = running.next_plan() {
            report(&plan, cost);
        }
        running.join()
    })
}
