//! Other searches beside those of `auto`, in turn with them: symbolic search, and lazy search for plans.
//!
//! They cannot return in between, so each has a thread of its own, and waits at a gate (`ployglot_base::Gate`) while
//! it is not its turn. With several threads the gates are open, and all run at the same time. They share the
//! highest bound and the cost of the best plan; the plan itself is joined at the end, because it is one of
//! the task, and A* searches the compact form.
//!
//! Their shares depend on what they promise. Lazy search has a ninth until there is a plan, and then much less. Symbolic
//! search has a quarter, or a third where the task has axioms, and after some seconds much less if its bound is
//! not even half of the highest one: on Puzznic's `derived` model its bound was 9 when that of A* was 32. A bound that is
//! only lower than the highest one says little: so it is on Floortile and philosophers, where symbolic search is the first to
//! end.
//!
//! They may take a part of the memory only: when the process takes more, they give up and free their own.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{Builder, Scope};

use ployglot_base::{Budget, Gate, Guide, Limit, Outcome, Report, Space};
use ployglot_pddl::Task;
use ployglot_pddl::estimates::RelaxedTask;
use ployglot_pddl::pruning::Prunings;
use ployglot_pddl::symbolic::{Known, start};
use ployglot_pddl::task::OperatorId;
use ployglot_search::turns::Turns;

use crate::satisfice::{LazyOptions, lazy_search};

/// The work that counts for a check of the budget. Symbolic search has one for some thousand recursive calls.
pub(crate) const CHECK: u64 = 100_000;

/// For each unit of work of the symbolic search, the others do so many: where the task has axioms, where it has none, and
/// after `YOUNG` if its bound is less than half of the highest one.
const SYMBOLIC: [u64; 3] = [2, 3, 20];

/// Symbolic search keeps its share until it has done this much work: some seconds.
const YOUNG: u64 = 200_000_000;

/// The same for the search for plans: until there is one, and then.
const PLANS: [u64; 2] = [8, 40];

/// The searches give up when the process takes more than this part of the memory.
const MEMORY: (u64, u64) = (3, 4);

/// The bytes of a thread's stack, of which only those that are used take memory.
const STACK: usize = 64 << 20;

/// Searches that take turns with those of `auto`.
pub(crate) struct Beside<'scope> {
    known: &'scope Known,
    /// The work of `auto` between two turns.
    slice: u64,
    /// Whether all run at the same time.
    at_once: bool,
    running: Vec<Companion<'scope>>,
    /// What those found that have ended.
    outcome: Outcome<OperatorId>,
}

/// What a search looks for, and how.
enum Kind {
    Symbolic,
    SymbolicWithAxioms,
    Plans,
}

/// One of the searches.
struct Companion<'scope> {
    gate: Arc<Gate>,
    stop: Arc<AtomicBool>,
    /// Its work so far.
    spent: u64,
    kind: Kind,
    /// Waits for its end.
    join: Box<dyn FnOnce() -> Outcome<OperatorId> + 'scope>,
}

impl<'scope> Beside<'scope> {
    /// Without a search so far. `slice` is the work of `auto` between two turns of the others.
    pub fn new(known: &'scope Known, slice: u64, budget: &Budget) -> Self {
        Self {
            known,
            slice,
            at_once: budget.threads() > 1,
            running: Vec::new(),
            outcome: nothing(Limit::Incomplete),
        }
    }

    /// Starts symbolic search. Where there is no thread for it, the others go on without it.
    pub fn search_symbolically(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        task: &'scope Task,
        budget: &Budget,
    ) {
        let (gate, stop, own) = self.part(budget);
        let own = own.with_gate(gate.clone());
        if let Ok(running) = start(scope, task, own, self.known) {
            // Where it does not support the task, nothing was found.
            let unsupported = |_| nothing(Limit::Incomplete);
            let join = move || {
                let ended = running.join().map(|report| report.outcome);
                ended.unwrap_or_else(unsupported)
            };
            self.running.push(Companion {
                gate,
                stop,
                spent: 0,
                kind: match task.axioms.bodies.is_empty() {
                    true => Kind::Symbolic,
                    false => Kind::SymbolicWithAxioms,
                },
                join: Box::new(join),
            });
        }
    }

    /// Starts lazy search for plans: their costs are upper bounds, and at a limit the best plan is reported.
    pub fn search_for_plans(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        task: &'scope Task,
        graph: &'scope RelaxedTask,
        budget: &Budget,
    ) {
        let (gate, stop, own) = self.part(budget);
        let turns = own.clone().with_gate(gate.clone());
        let known = self.known;
        let search = move || {
            let _end = turns.gate().map(Gate::end_on_drop);
            let options = LazyOptions {
                landmarks: true,
                improve: true,
                prunings: Prunings::default(),
                at_least: 0,
                turns: Some(&turns),
            };
            lazy_search(task, graph, options, &own, &mut |_, cost| known.lower(cost))
        };
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, search);
        if let Ok(thread) = thread {
            let join = move || {
                let ended = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                ended.map_or_else(nothing, |report| report.outcome)
            };
            self.running.push(Companion {
                gate,
                stop,
                kind: Kind::Plans,
                spent: 0,
                join: Box::new(join),
            });
        }
    }

    /// A gate, a flag that ends a search, and its part of the budget.
    fn part(&self, budget: &Budget) -> (Arc<Gate>, Arc<AtomicBool>, Budget) {
        let (gate, stop) = (Arc::<Gate>::default(), Arc::<AtomicBool>::default());
        if self.at_once {
            gate.open();
        }
        let mut own = budget.clone().with_interrupt(stop.clone());
        if let Some(memory) = budget.memory() {
            own = own.with_memory(memory / MEMORY.1 * MEMORY.0);
        }
        (gate, stop, own)
    }

    /// Continues all searches until one ends, or until those of `auto` have done this much work since the first
    /// one. `Err`: they were paused.
    pub fn run<'a, S: Space<Move = OperatorId>, G: Guide<S> + Send>(
        &mut self,
        mut turns: Turns<'a, S, G>,
        most: u64,
    ) -> Result<Report<OperatorId>, Turns<'a, S, G>> {
        while !self.running.is_empty() {
            let before = turns.work();
            turns = match turns.run(most.min(before.saturating_add(self.slice))) {
                Ok(report) => return Ok(report),
                Err(paused) => paused,
            };
            self.known.raise(turns.at_least());
            self.known.lower(turns.below());
            let work = turns.work() - before;
            for mut companion in std::mem::take(&mut self.running) {
                if !self.at_once && !self.known.is_proven() {
                    companion.take_turn(work, self.known);
                }
                match companion.gate.has_ended() {
                    true => self.join(companion),
                    false => self.running.push(companion),
                }
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

    /// The report of `auto`, with what the others found. Their states are not counted in the effort.
    pub fn finish(mut self, mut report: Report<OperatorId>) -> Report<OperatorId> {
        self.end();
        for companion in std::mem::take(&mut self.running) {
            self.join(companion);
        }
        // The limit of `auto` is the one that is reported.
        report.outcome = self.outcome.clone().join(report.outcome);
        report
    }

    /// Makes all searches end soon.
    fn end(&self) {
        for companion in &self.running {
            companion.stop.store(true, SeqCst);
            companion.gate.open();
        }
    }

    fn join(&mut self, ended: Companion) {
        let before = std::mem::replace(&mut self.outcome, nothing(Limit::Incomplete));
        self.outcome = before.join((ended.join)());
    }
}

impl Companion<'_> {
    /// For each unit of its work, `auto` does so many.
    fn others(&self, known: &Known) -> u64 {
        let lags = self.spent > YOUNG && known.symbolic() < known.at_least() / 2;
        match self.kind {
            // A better plan helps less than the first one.
            Kind::Plans => PLANS[usize::from(known.has_plan())],
            _ if lags => SYMBOLIC[2],
            Kind::SymbolicWithAxioms => SYMBOLIC[0],
            Kind::Symbolic => SYMBOLIC[1],
        }
    }

    /// A turn, after this much work of `auto`.
    fn take_turn(&mut self, work: u64, known: &Known) {
        let checks = work / (self.others(known) * CHECK) + 1;
        self.spent += checks * CHECK;
        self.gate.turn(checks);
    }
}

fn nothing(why: Limit) -> Outcome<OperatorId> {
    Outcome::GaveUp { at_least: 0, why }
}

/// The scope of the threads waits for their end.
impl Drop for Beside<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
