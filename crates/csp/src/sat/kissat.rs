//! Kissat, for one hard call. It has no assumptions of its own, so these become clauses, and each
//! call starts from scratch.
//!
//! Kissat stores the terminate callback of its interface, but never calls it: with it a pigeonhole
//! problem of 30 ran for ten minutes past a limit of 200 milliseconds. What it does check, in every
//! phase, is a flag that `kissat_terminate` sets. So a second thread watches the budget and sets
//! the flag. That needs the solver's pointer, which the safe wrapper hides; the few calls to C are
//! all in this file.

use std::ffi::c_void;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pindakaas_kissat::{
    kissat_add, kissat_init, kissat_release, kissat_solve, kissat_terminate, kissat_value,
};
use ployglot_base::{Budget, Limit, Progress};

use super::dimacs::Cnf;
use super::solver::{Assignment, Clauses, Lit, SatResult, SatSolver};

/// How often the budget is checked.
const WATCH_EVERY: Duration = Duration::from_millis(10);

const SATISFIABLE: i32 = 10;
const UNSATISFIABLE: i32 = 20;

/// Kissat. The clauses are kept, and each call solves them anew.
#[derive(Default)]
pub struct Kissat {
    cnf: Cnf,
    assignment: Assignment,
    failed: Vec<Lit>,
}

/// The C solver; freed on drop.
struct Raw(*mut c_void);

/// The pointer for the watching thread, which only sets the termination flag.
struct Flag(*mut c_void);

#[allow(
    unsafe_code,
    reason = "the only function called through it sets a flag that may be set from another thread \
              while Kissat runs, and the scope of the thread ends before the solver is freed"
)]
unsafe impl Send for Flag {}

#[allow(
    unsafe_code,
    reason = "calls to C with the pointer of kissat_init, which only Drop frees; 0 ends a clause"
)]
impl Raw {
    fn new() -> Self {
        Self(unsafe { kissat_init() })
    }

    fn clause(&mut self, literals: &[Lit]) {
        for literal in literals {
            unsafe { kissat_add(self.0, literal.dimacs()) };
        }
        unsafe { kissat_add(self.0, 0) };
    }

    fn solve(&mut self) -> i32 {
        unsafe { kissat_solve(self.0) }
    }

    fn value(&self, literal: Lit) -> bool {
        let number = literal.dimacs();
        unsafe { kissat_value(self.0, number) == number }
    }
}

#[allow(
    unsafe_code,
    reason = "the pointer is freed once, and no copy of it is left"
)]
impl Drop for Raw {
    fn drop(&mut self) {
        unsafe { kissat_release(self.0) };
    }
}

impl Flag {
    #[allow(
        unsafe_code,
        reason = "see Send: the solver outlives the thread that holds this"
    )]
    fn set(&self) {
        unsafe { kissat_terminate(self.0) };
    }
}

impl Clauses for Kissat {
    fn fresh(&mut self) -> Lit {
        self.cnf.fresh()
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.cnf.clause(literals);
    }
}

impl SatSolver for Kissat {
    fn renewed(&self) -> Self {
        Self::default()
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> SatResult {
        if let Err(limit) = budget.check(|| progress.clone()) {
            return SatResult::GaveUp(limit);
        }
        let mut solver = Raw::new();
        let loaded = budget.stoppable("sat", |poll| {
            for clause in self.cnf.clauses() {
                poll.steps(1 + clause.len() / 8);
                solver.clause(clause);
            }
        });
        if let Err(limit) = loaded {
            return SatResult::GaveUp(limit);
        }
        assumptions.iter().for_each(|&l| solver.clause(&[l]));
        let (answer, limit) = watched(&mut solver, budget, progress);
        match answer {
            SATISFIABLE => {
                self.assignment
                    .read(self.cnf.variables(), |literal| solver.value(literal));
                SatResult::Satisfiable
            }
            UNSATISFIABLE => {
                self.failed = assumptions.to_vec();
                SatResult::Unsatisfiable
            }
            _ => SatResult::GaveUp(limit.unwrap_or(Limit::Incomplete)),
        }
    }

    fn value(&self, literal: Lit) -> bool {
        self.assignment.value(literal)
    }

    fn failed_assumptions(&self) -> &[Lit] {
        &self.failed
    }

    fn effort(&self) -> u64 {
        0
    }
}

/// Solves while a second thread checks the budget. Returns the exit code, and the limit if one was
/// reached. Without that thread no limit could end the solver, so it is not started.
fn watched(solver: &mut Raw, budget: &Budget, progress: Progress) -> (i32, Option<Limit>) {
    let flag = Flag(solver.0);
    let (done, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watch = std::thread::Builder::new().spawn_scoped(scope, move || {
            let flag = flag;
            while ended.recv_timeout(WATCH_EVERY) == Err(RecvTimeoutError::Timeout) {
                if let Err(limit) = budget.check(|| progress.clone()) {
                    flag.set();
                    return Some(limit);
                }
            }
            None
        });
        let Ok(watch) = watch else {
            return (0, Some(Limit::Incomplete));
        };
        let answer = solver.solve();
        drop(done);
        (answer, watch.join().unwrap_or(None))
    })
}
