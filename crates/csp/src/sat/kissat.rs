//! Kissat, for one hard question. It has no assumptions of its own, so these become clauses, and a second question starts
//! anew.
//!
//! Kissat stores the terminate callback of its interface, but never calls it: with it a pigeonhole of 30 ran for ten
//! minutes past a limit of 200 milliseconds. What it does look at, in every phase, is a flag that `kissat_terminate` raises.
//! So a second thread watches the budget and raises the flag. That takes the solver's pointer, which the safe wrapper
//! hides; the few calls to C are all in this file.

use std::ffi::c_void;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pindakaas_kissat::{
    kissat_add, kissat_init, kissat_release, kissat_solve, kissat_terminate, kissat_value,
};
use ployglot_base::{Budget, Limit, Progress};

use super::solver::{Answer, Clauses, Lit, SatSolver};

/// How long a limit may be overrun before it is noticed.
const WATCH_EVERY: Duration = Duration::from_millis(10);

const SATISFIABLE: i32 = 10;
const UNSATISFIABLE: i32 = 20;

#[derive(Default)]
pub struct Kissat {
    variables: usize,
    literals: Vec<Lit>,
    ends: Vec<usize>,
    model: Vec<bool>,
    failed: Vec<Lit>,
}

/// The C solver; freed when it goes.
struct Raw(*mut c_void);

/// The pointer as the watching thread may have it.
struct Flag(*mut c_void);

#[allow(
    unsafe_code,
    reason = "the only function called through it raises a flag that is made to be raised from outside while Kissat runs, \
              and the scope of the thread ends before the solver is freed"
)]
unsafe impl Send for Flag {}

#[allow(
    unsafe_code,
    reason = "calls to C with a pointer that kissat_init gave and that only Drop frees; literals are not 0 unless to end a clause"
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
    reason = "the pointer is freed once, and nobody has it any more"
)]
impl Drop for Raw {
    fn drop(&mut self) {
        unsafe { kissat_release(self.0) };
    }
}

impl Flag {
    #[allow(
        unsafe_code,
        reason = "see Send: the solver is alive as long as the thread that has this"
    )]
    fn raise(&self) {
        unsafe { kissat_terminate(self.0) };
    }
}

impl Clauses for Kissat {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::from_dimacs(i32::try_from(self.variables).expect("fewer than 2^31 variables"))
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.literals.extend_from_slice(literals);
        self.ends.push(self.literals.len());
    }
}

impl SatSolver for Kissat {
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> Answer {
        if let Err(limit) = budget.check(|| progress.clone()) {
            return Answer::GaveUp(limit);
        }
        let mut solver = Raw::new();
        let mut start = 0;
        for &end in &self.ends {
            solver.clause(&self.literals[start..end]);
            start = end;
        }
        assumptions.iter().for_each(|&l| solver.clause(&[l]));
        let (answer, limit) = watched(&mut solver, budget, progress);
        match answer {
            SATISFIABLE => {
                let all = 1..=self.variables as i32;
                self.model = all.map(|n| solver.value(Lit::from_dimacs(n))).collect();
                Answer::Satisfiable
            }
            UNSATISFIABLE => {
                self.failed = assumptions.to_vec();
                Answer::Unsatisfiable
            }
            _ => Answer::GaveUp(limit.unwrap_or(Limit::Incomplete)),
        }
    }

    fn value(&self, literal: Lit) -> bool {
        let positive = self.model.get(literal.variable()).copied();
        positive.unwrap_or(false) != literal.is_negative()
    }

    fn failed(&self) -> &[Lit] {
        &self.failed
    }

    fn effort(&self) -> u64 {
        0
    }
}

/// Solves while a second thread looks at the budget; the limit, if one was hit.
fn watched(solver: &mut Raw, budget: &Budget, progress: Progress) -> (i32, Option<Limit>) {
    let flag = Flag(solver.0);
    let (done, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let flag = flag;
            while ended.recv_timeout(WATCH_EVERY) == Err(RecvTimeoutError::Timeout) {
                if let Err(limit) = budget.check(|| progress.clone()) {
                    flag.raise();
                    return Some(limit);
                }
            }
            None
        });
        let answer = solver.solve();
        drop(done);
        (answer, watch.join().unwrap_or(None))
    })
}
