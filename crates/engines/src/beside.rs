//! Symbolic search beside the searches of `auto`, in turn with them.
//!
//! It is a recursion that cannot return in between, so it has a thread of its own, and waits at a gate
//! (`ployglot_base::Gate`) while it is not its turn. With several threads the gate is open, and it runs at the same
//! time. It shares its bound and the cost of its plan; the plan itself is joined at the end, because it is one of
//! the task, and A* searches the compact form.
//!
//! It may take a part of the memory only: when the process takes more, it gives up and frees its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::Scope;

use ployglot_base::{Budget, Gate, Guide, Limit, Outcome, Report, Space};
use ployglot_pddl::Task;
use ployglot_pddl::symbolic::{Known, Running, start};
use ployglot_pddl::task::OperatorId;
use ployglot_search::turns::Turns;

/// The work that counts for a check of the budget, of which there is one for some thousand recursive calls.
const CHECK: u64 = 100_000;

/// For each unit of work of the symbolic search, the others do so many: it has a third.
const OTHERS: u64 = 2;

/// The symbolic search gives up when the process takes more than this part of the memory.
const MEMORY: (u64, u64) = (3, 4);

/// A symbolic search that takes turns with others.
pub(crate) struct Beside<'scope> {
    known: &'scope Known,
    /// The work of the others between two turns of the symbolic search.
    slice: u64,
    /// Whether all run at the same time.
    at_once: bool,
    gate: Arc<Gate>,
    stop: Arc<AtomicBool>,
    /// `None` before the start and after the end.
    running: Option<Running<'scope>>,
    /// What it found.
    outcome: Outcome<OperatorId>,
}

impl<'scope> Beside<'scope> {
    /// Without a search so far. `slice` is the work of the others between two turns of it.
    pub fn new(known: &'scope Known, slice: u64, budget: &Budget) -> Self {
        Self {
            known,
            slice,
            at_once: budget.threads() > 1,
            gate: Arc::default(),
            stop: Arc::default(),
            running: None,
            outcome: Outcome::GaveUp {
                at_least: 0,
                why: Limit::Incomplete,
            },
        }
    }

    /// Starts the search. Where there is no thread for it, the others go on without it.
    pub fn start(&mut self, scope: &'scope Scope<'scope, '_>, task: &'scope Task, budget: &Budget) {
        let mut own = budget
            .clone()
            .with_interrupt(self.stop.clone())
            .with_gate(self.gate.clone());
        if let Some(memory) = budget.memory() {
            own = own.with_memory(memory / MEMORY.1 * MEMORY.0);
        }
        if self.at_once {
            self.gate.open();
        }
        self.running = start(scope, task, own, self.known).ok();
    }

    /// Continues all searches until one ends, or until the others have done this much work since the first
    /// one. `Err`: they were paused.
    pub fn run<'a, S: Space<Move = OperatorId>, G: Guide<S> + Send>(
        &mut self,
        mut turns: Turns<'a, S, G>,
        most: u64,
    ) -> Result<Report<OperatorId>, Turns<'a, S, G>> {
        while self.running.is_some() {
            let before = turns.work();
            turns = match turns.run(most.min(before.saturating_add(self.slice))) {
                Ok(report) => return Ok(report),
                Err(paused) => paused,
            };
            self.known.raise(turns.at_least());
            self.known.lower(turns.below());
            if !self.at_once {
                let work = turns.work() - before;
                self.gate.turn(work / (OTHERS * CHECK) + 1);
            }
            if self.gate.has_ended() {
                self.join();
            }
            let ended = matches!(self.outcome, Outcome::Optimal { .. } | Outcome::Unsolvable);
            if ended || self.known.is_proven() {
                return Ok(turns.stop(Limit::Incomplete));
            }
            if turns.work() > most {
                return Err(turns);
            }
        }
        turns.run(most)
    }

    /// The report of the others, with what the symbolic search found. Its sets of states are not counted in the
    /// effort.
    pub fn finish(mut self, mut report: Report<OperatorId>) -> Report<OperatorId> {
        self.end();
        self.join();
        // The limit of the others is the one that is reported.
        report.outcome = self.outcome.clone().join(report.outcome);
        report
    }

    /// Makes the symbolic search end soon.
    fn end(&self) {
        self.stop.store(true, SeqCst);
        self.gate.open();
    }

    /// Waits for the end of the symbolic search, if there is one.
    fn join(&mut self) {
        // Where it does not support the task, nothing was found.
        if let Some(Ok(report)) = self.running.take().map(Running::join) {
            self.outcome = report.outcome;
        }
    }
}

/// The scope of the thread waits for its end.
impl Drop for Beside<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
