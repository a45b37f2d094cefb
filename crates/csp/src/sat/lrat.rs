//! An independent checker of LRAT proofs (Cruz-Filipe and others 2017): each line adds a clause and
//! lists the clauses that make it follow by unit propagation, or deletes clauses. Where propagation
//! alone does not suffice, the clause must have the resolution-asymmetric-tautology property on its
//! first literal: for every clause with the opposite literal, the hints after the negated number of
//! that clause lead to a conflict.
//!
//! The checker shares no code with the solver or with the writer of the proofs; it trusts nothing
//! but the clauses.

use std::collections::HashMap;
use std::fmt;

use super::dimacs::Cnf;

/// The first error of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadProof {
    /// The line, from 1; one more than there are lines if the proof ends too early.
    pub line: usize,
    /// What is wrong there.
    pub why: &'static str,
}

impl fmt::Display for BadProof {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for BadProof {}

/// Whether the text proves that the clauses are unsatisfiable. Clauses are numbered from 1.
pub fn check_lrat(cnf: &Cnf, proof: &str) -> Result<(), BadProof> {
    let mut checker = Checker::new(cnf);
    let mut lines = 0;
    for (i, line) in proof.lines().enumerate() {
        lines = i + 1;
        let bad = |why| BadProof { line: lines, why };
        let mut words = line.split_whitespace().peekable();
        let Some(id) = words.next() else { continue };
        if id == "c" {
            continue;
        }
        let id: i64 = id.parse().map_err(|_| bad("a step starts with a number"))?;
        if words.next_if_eq(&"d").is_some() {
            for deleted in
                numbers(&mut words).ok_or(bad("a deletion lists clauses and ends with 0"))?
            {
                checker
                    .clauses
                    .remove(&deleted)
                    .ok_or(bad("no such clause to delete"))?;
            }
            continue;
        }
        let literals = numbers(&mut words).ok_or(bad("a clause ends with 0"))?;
        let hints = numbers(&mut words).ok_or(bad("hints end with 0"))?;
        let literals: Option<Vec<i32>> = literals.iter().map(|&l| i32::try_from(l).ok()).collect();
        let literals = literals.ok_or(bad("a literal is a number of 32 bits"))?;
        if checker.clauses.contains_key(&id) {
            return Err(bad("the number is taken"));
        }
        checker.check(&literals, &hints).map_err(bad)?;
        if literals.is_empty() {
            return Ok(());
        }
        checker.clauses.insert(id, literals);
    }
    Err(BadProof {
        line: lines + 1,
        why: "the proof ends without the empty clause",
    })
}

/// The numbers up to a 0; `None` if the 0 is missing.
fn numbers<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Vec<i64>> {
    let mut list = Vec::new();
    loop {
        match words.next()?.parse::<i64>().ok()? {
            0 => return Some(list),
            number => list.push(number),
        }
    }
}

struct Checker {
    clauses: HashMap<i64, Vec<i32>>,
    /// The values of the assigned variables.
    values: HashMap<i32, bool>,
}

impl Checker {
    fn new(cnf: &Cnf) -> Self {
        let numbered = cnf.clauses().enumerate();
        let clause = |literals: &[super::Lit]| literals.iter().map(|l| l.dimacs()).collect();
        Self {
            clauses: numbered
                .map(|(i, literals)| (i as i64 + 1, clause(literals)))
                .collect(),
            values: HashMap::new(),
        }
    }

    fn truth(&self, literal: i32) -> Option<bool> {
        let value = self.values.get(&literal.abs())?;
        Some(*value == (literal > 0))
    }

    /// Makes the literal false. Returns `false` if it is true already.
    fn refute(&mut self, literal: i32) -> bool {
        *self.values.entry(literal.abs()).or_insert(literal < 0) == (literal < 0)
    }

    /// Propagates the clause of a hint, which must have at most one literal that is not false.
    /// Returns `true` at a conflict.
    fn propagate(&mut self, hint: i64) -> Result<bool, &'static str> {
        let clause = self.clauses.get(&hint).ok_or("a hint names no clause")?;
        let mut left = None;
        for &literal in clause {
            match self.truth(literal) {
                Some(false) => {}
                Some(true) => return Err("a hint's clause is satisfied"),
                None if left.is_some_and(|other| other != literal) => {
                    return Err("a hint's clause is not unit");
                }
                None => left = Some(literal),
            }
        }
        match left {
            None => Ok(true),
            Some(literal) => {
                self.values.insert(literal.abs(), literal > 0);
                Ok(false)
            }
        }
    }

    fn check(&mut self, literals: &[i32], hints: &[i64]) -> Result<(), &'static str> {
        self.values.clear();
        for &literal in literals {
            if !self.refute(literal) {
                // A tautology needs no hints.
                return Ok(());
            }
        }
        let rat_start = hints.iter().position(|&h| h < 0).unwrap_or(hints.len());
        for &hint in &hints[..rat_start] {
            if self.propagate(hint)? {
                return Ok(());
            }
        }
        let &pivot = literals.first().ok_or("the hints lead to no conflict")?;
        self.check_candidates(pivot, &hints[rat_start..])
    }

    /// Every clause with the negated pivot has hints that lead to a conflict.
    fn check_candidates(&mut self, pivot: i32, hints: &[i64]) -> Result<(), &'static str> {
        let mut given: HashMap<i64, &[i64]> = HashMap::new();
        let starts: Vec<usize> = (0..hints.len()).filter(|&i| hints[i] < 0).collect();
        for (k, &start) in starts.iter().enumerate() {
            let end = starts.get(k + 1).copied().unwrap_or(hints.len());
            given.insert(-hints[start], &hints[start + 1..end]);
        }
        let opposite: Vec<i64> = self
            .clauses
            .iter()
            .filter(|(_, clause)| clause.contains(&-pivot))
            .map(|(&id, _)| id)
            .collect();
        let trail = self.values.clone();
        for id in opposite {
            self.values.clone_from(&trail);
            let candidate = self.clauses[&id].clone();
            let blocked = candidate.iter().any(|&l| l != -pivot && !self.refute(l));
            if blocked {
                continue;
            }
            let mut conflict = false;
            for &hint in *given.get(&id).ok_or("the hints lead to no conflict")? {
                conflict = self.propagate(hint)?;
                if conflict {
                    break;
                }
            }
            if !conflict {
                return Err("the hints lead to no conflict");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::{Clauses, Lit};

    fn cnf(variables: usize, clauses: &[&[i32]]) -> Cnf {
        let mut cnf = Cnf::default();
        (0..variables).for_each(|_| {
            cnf.fresh();
        });
        for clause in clauses {
            let literals: Vec<Lit> = clause.iter().map(|&l| Lit::from_dimacs(l)).collect();
            cnf.clause(&literals);
        }
        cnf
    }

    /// All four combinations of two variables are forbidden.
    fn square() -> Cnf {
        cnf(2, &[&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]])
    }

    #[track_caller]
    fn wrong(cnf: &Cnf, proof: &str, line: usize, why: &str) {
        let bad = check_lrat(cnf, proof).expect_err("a bad proof");
        assert_eq!((bad.line, bad.why), (line, why));
    }

    #[test]
    fn steps_that_follow_are_accepted() {
        assert_eq!(
            check_lrat(&square(), "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"),
            Ok(())
        );
    }

    #[test]
    fn steps_that_do_not_follow_are_refused() {
        wrong(&square(), "5 1 0 1 0\n", 1, "the hints lead to no conflict");
        wrong(&square(), "5 1 0 3 0\n", 1, "a hint's clause is satisfied");
        wrong(&square(), "5 0 1 2 0\n", 1, "a hint's clause is not unit");
        wrong(&square(), "5 1 0 9 0\n", 1, "a hint names no clause");
        wrong(
            &square(),
            "5 1 0 1 2 0\n",
            2,
            "the proof ends without the empty clause",
        );
        wrong(
            &square(),
            "5 d 1 0\n6 1 0 1 2 0\n",
            2,
            "a hint names no clause",
        );
        wrong(&square(), "4 1 0 1 2 0\n", 1, "the number is taken");
        wrong(&square(), "5 1 0 1 2\n", 1, "hints end with 0");
    }

    #[test]
    fn a_rat_step_needs_hints_for_every_clause_with_the_negated_pivot() {
        // 3 means "1 and 2"; each line is a RAT step on 3 or -3.
        let definition = "5 3 -1 -2 0 0\n6 -3 1 0 -5 0\n7 -3 2 0 -5 0\n";
        let rest = "8 1 0 1 2 0\n9 2 0 8 3 0\n10 0 8 9 4 0\n";
        assert_eq!(
            check_lrat(&square(), &format!("{definition}{rest}")),
            Ok(())
        );
        // The clause with -3 has no hints.
        wrong(
            &cnf(3, &[&[1, 3], &[-3, 2]]),
            "3 3 0 0\n",
            1,
            "the hints lead to no conflict",
        );
    }
}
