//! Proofs that clauses contradict each other, written while CaDiCaL finds them, as DRAT or LRAT text.
//!
//! The clauses are known before the solver starts, so the originals have the numbers of their lines in the DIMACS text, and
//! what is derived counts on from there. Clauses that the solver sets aside to bring them back later stay in the proof.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::rc::Rc;

use pindakaas::solver::cadical::{ProofTracer, ProofTracerConfig};
use ployglot_base::{Budget, Progress};

use super::dimacs::Cnf;
use super::solver::{Answer, Cadical, Clauses, SatSolver};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofFormat {
    Drat,
    Lrat,
}

/// Solves the clauses and writes the proof, which is one if the answer is `Unsatisfiable`. The solver knows the model
/// if the answer is `Satisfiable`.
pub fn prove(
    cnf: &Cnf,
    format: ProofFormat,
    out: Box<dyn Write>,
    budget: &Budget,
) -> io::Result<(Answer, Cadical)> {
    let tracer = Rc::new(RefCell::new(Tracer {
        out,
        format,
        numbers: HashMap::new(),
        originals: 0,
        last: cnf.clauses().count() as i64,
        kept: HashSet::new(),
        trouble: None,
    }));
    let mut solver = Cadical::default();
    solver.trace(tracer.clone());
    for _ in 0..cnf.variables() {
        solver.fresh();
    }
    for clause in cnf.clauses() {
        solver.clause(clause);
    }
    let progress = Progress {
        phase: "sat",
        ..Progress::default()
    };
    let answer = solver.solve(&[], budget, progress);
    let mut tracer = tracer.borrow_mut();
    match tracer.trouble.take() {
        Some(trouble) => Err(trouble),
        None => {
            tracer.out.flush()?;
            drop(tracer);
            Ok((answer, solver))
        }
    }
}

/// Writes what CaDiCaL tells. It is called from C++, so it must not panic; trouble is remembered.
pub(super) struct Tracer {
    out: Box<dyn Write>,
    format: ProofFormat,
    /// The solver's numbers for clauses, and ours.
    numbers: HashMap<i64, i64>,
    originals: i64,
    last: i64,
    kept: HashSet<i64>,
    trouble: Option<io::Error>,
}

impl Tracer {
    fn write(&mut self, line: &str) {
        if self.trouble.is_none()
            && let Err(trouble) = self.out.write_all(line.as_bytes())
        {
            self.trouble = Some(trouble);
        }
    }

    fn number(&mut self, id: i64) -> i64 {
        match self.numbers.get(&id) {
            Some(&number) => number,
            None => {
                let unknown = io::Error::other("the solver names a clause that it never told of");
                self.trouble.get_or_insert(unknown);
                0
            }
        }
    }
}

/// With its witness first.
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
