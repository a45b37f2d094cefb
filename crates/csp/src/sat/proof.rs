//! Proofs of unsatisfiability, written while CaDiCaL finds them, as DRAT or LRAT text.
//!
//! The clauses are known before the solver starts, so the originals are numbered by their lines in
//! the DIMACS text, and derived clauses continue from there. Clauses that the solver sets aside and
//! may restore later are not deleted from the proof.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::rc::Rc;

use pindakaas::solver::cadical::{ProofTracer, ProofTracerConfig};
use ployglot_base::{Budget, Progress};

use super::dimacs::Cnf;
use super::solver::{Cadical, Clauses, SatResult, SatSolver};

/// The format of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofFormat {
    /// Added and deleted clauses.
    Drat,
    /// The same with clause numbers and hints, checked by [`check_lrat`](super::check_lrat).
    Lrat,
}

/// Solves the clauses and writes the proof, which is complete if the result is `Unsatisfiable`. If
/// it is `Satisfiable`, the solver has the assignment.
pub fn prove(
    cnf: &Cnf,
    format: ProofFormat,
    out: Box<dyn Write>,
    budget: &Budget,
) -> io::Result<(SatResult, Cadical)> {
    let tracer = Rc::new(RefCell::new(Tracer {
        out,
        format,
        numbers: HashMap::new(),
        originals: 0,
        last: cnf.clauses().count() as i64,
        kept: HashSet::new(),
        error: None,
    }));
    let mut solver = Cadical::default();
    solver.trace(tracer.clone());
    // The solver does not take an empty clause, and its proof would not have one.
    let empty = cnf.clauses().position(<[_]>::is_empty);
    let answer = match empty {
        Some(empty) => {
            tracer.borrow_mut().repeat_empty(empty as i64 + 1);
            SatResult::Unsatisfiable
        }
        None => load_and_solve(&mut solver, cnf, budget),
    };
    let mut tracer = tracer.borrow_mut();
    match tracer.error.take() {
        Some(error) => Err(error),
        None => {
            tracer.out.flush()?;
            drop(tracer);
            Ok((answer, solver))
        }
    }
}

fn load_and_solve(solver: &mut Cadical, cnf: &Cnf, budget: &Budget) -> SatResult {
    let loaded = budget.stoppable("sat", |poll| {
        for _ in 0..cnf.variables() {
            solver.fresh();
        }
        for clause in cnf.clauses() {
            poll.steps(1 + clause.len() / 8);
            solver.clause(clause);
        }
    });
    let progress = Progress {
        phase: "sat",
        ..Progress::default()
    };
    match loaded {
        Ok(()) => solver.solve(&[], budget, progress),
        Err(limit) => SatResult::GaveUp(limit),
    }
}

/// Writes the steps that CaDiCaL reports. It is called from C++, so it must not panic; the first
/// error is kept.
pub(super) struct Tracer {
    out: Box<dyn Write>,
    format: ProofFormat,
    /// The solver's numbers for clauses, and ours.
    numbers: HashMap<i64, i64>,
    /// How many original clauses were reported.
    originals: i64,
    /// The last number given to a clause.
    last: i64,
    /// Clauses that were set aside and may be restored.
    kept: HashSet<i64>,
    error: Option<io::Error>,
}

impl Tracer {
    fn write(&mut self, line: &str) {
        if self.error.is_none()
            && let Err(error) = self.out.write_all(line.as_bytes())
        {
            self.error = Some(error);
        }
    }

    /// Derives the empty clause from an original one with this number, which is empty.
    fn repeat_empty(&mut self, original: i64) {
        self.last += 1;
        let line = match self.format {
            ProofFormat::Drat => "0\n".to_string(),
            ProofFormat::Lrat => format!("{} 0 {original} 0\n", self.last),
        };
        self.write(&line);
    }

    fn number(&mut self, id: i64) -> i64 {
        match self.numbers.get(&id) {
            Some(&number) => number,
            None => {
                let unknown = io::Error::other("the solver names an unknown clause");
                self.error.get_or_insert(unknown);
                0
            }
        }
    }
}

/// The literals of a clause, the witness first.
fn clause_text(clause: &[pindakaas::Lit], witness: Option<pindakaas::Lit>) -> String {
    let first = witness.filter(|w| clause.contains(w));
    let rest = clause.iter().copied().filter(|&l| Some(l) != first);
    let number = |l: pindakaas::Lit| format!("{} ", i32::from(l));
    first.into_iter().chain(rest).map(number).collect()
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _: bool, _: &[pindakaas::Lit], restored: bool) {
        if !restored {
            self.originals += 1;
            self.numbers.insert(id, self.originals);
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _: bool,
        witness: Option<pindakaas::Lit>,
        clause: &[pindakaas::Lit],
        antecedents: &[i64],
    ) {
        self.last += 1;
        let number = self.last;
        let mut line = match self.format {
            ProofFormat::Drat => String::new(),
            ProofFormat::Lrat => format!("{number} "),
        };
        line += &clause_text(clause, witness);
        line += "0";
        if self.format == ProofFormat::Lrat {
            for &antecedent in antecedents {
                let hint = self.number(antecedent.abs()) * antecedent.signum();
                line += &format!(" {hint}");
            }
            line += " 0";
        }
        self.numbers.insert(id, number);
        line += "\n";
        self.write(&line);
    }

    fn delete_clause(&mut self, id: i64, _: bool, clause: &[pindakaas::Lit]) {
        if self.kept.contains(&id) {
            return;
        }
        let line = match self.format {
            ProofFormat::Drat => format!("d {}0\n", clause_text(clause, None)),
            ProofFormat::Lrat => {
                let number = self.number(id);
                format!("{} d {number} 0\n", self.last)
            }
        };
        self.numbers.remove(&id);
        self.write(&line);
    }

    fn weaken_minus(&mut self, id: i64, _: &[pindakaas::Lit]) {
        self.kept.insert(id);
    }
}

impl ProofTracerConfig for Tracer {
    const ANTECEDENTS: bool = true;
}

#[cfg(test)]
mod tests;
