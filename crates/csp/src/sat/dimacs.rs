//! The clauses of a problem as DIMACS text, with comments that map literals to their meaning:
//! `c map 12 grid[1,2] = 3`, `c map -7 steps <= 4`. Literals without a line are auxiliary; merged
//! variables share the literals of the variable that represents them.

use std::io::{self, Write};

use ployglot_base::{Budget, Limit};

use super::encoder::Encoder;
use super::solver::{Clauses, Lit, next_literal};
use crate::problem::{Literal, Problem, Quantity, VarId};

/// A list of clauses.
#[derive(Clone, Debug, Default)]
pub struct Cnf {
    variables: usize,
    /// The literals of all clauses, one clause after the other.
    literals: Vec<Lit>,
    /// Where each clause ends in `literals`.
    ends: Vec<usize>,
}

impl Clauses for Cnf {
    fn fresh(&mut self) -> Lit {
        next_literal(&mut self.variables)
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.literals.extend_from_slice(literals);
        self.ends.push(self.literals.len());
    }
}

impl Cnf {
    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The clauses in the order in which they were added.
    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.literals[start..end])
    }

    /// Writes the line `p cnf` and the clauses.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "p cnf {} {}", self.variables, self.ends.len())?;
        for clause in self.clauses() {
            for literal in clause {
                write!(out, "{} ", literal.dimacs())?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }
}

/// The clauses of a problem, with the meaning of their literals.
pub struct Dimacs {
    encoder: Encoder<Cnf>,
    /// Names and the variables that they denote.
    names: Vec<(String, VarId)>,
    /// Names of merged 0/1 variables, and the literals that they equal.
    truths: Vec<(String, Lit)>,
}

impl Dimacs {
    /// Encodes a problem.
    pub fn new(problem: &Problem, budget: &Budget) -> Result<Self, Limit> {
        let mut encoder = Encoder::new(Cnf::default());
        encoder
            .erased()
            .update(problem, 0, budget)
            .map_err(|(_, limit)| limit)?;
        let name = |x: VarId| {
            let own = &problem.variables[x.index()].name;
            own.clone().unwrap_or(format!("_{}", x.0))
        };
        let all = (0..problem.variables.len() as u32).map(VarId);
        let mut names: Vec<_> = all.map(|x| (name(x), x)).collect();
        let mut truths = Vec::new();
        for &(x, quantity) in &problem.merged {
            match quantity {
                Quantity::Var(y) => names.push((name(x), y)),
                Quantity::Truth(literal) => {
                    truths.push((name(x), encoder.erased().literal(literal)))
                }
            }
        }
        truths.retain(|(_, literal)| ![Lit::TRUE, Lit::FALSE].contains(literal));
        Ok(Self {
            encoder,
            names,
            truths,
        })
    }

    /// Adds the literal as a unit clause: for proofs under an assumption, such as a bound.
    pub fn assume(&mut self, literal: Literal) {
        let literal = self.encoder.erased().literal(literal);
        self.encoder.erased().clause(&[literal]);
    }

    /// The clauses.
    pub fn cnf(&self) -> &Cnf {
        &self.encoder.sink
    }

    /// A value for each variable of the problem, from the truth of the literals.
    pub fn values(&self, truth: impl Fn(Lit) -> bool) -> Vec<i32> {
        self.encoder.values(truth)
    }

    /// Writes the map of literals as comments, then the clauses.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (name, variable) in &self.names {
            for (meaning, literal) in self.encoder.meanings(*variable) {
                writeln!(out, "c map {} {}", literal.dimacs(), meaning.text(name))?;
            }
        }
        for (name, literal) in &self.truths {
            writeln!(out, "c map {} {name} = 1", literal.dimacs())?;
        }
        self.cnf().write(out)
    }
}

impl<C: ?Sized> Encoder<C> {
    /// The existing literals of a variable, each with its meaning: `x = v` or `x ≤ v`.
    pub fn meanings(&self, variable: VarId) -> Vec<(Literal, Lit)> {
        self.views[self.variable(variable).0 as usize].literals(variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constraint, Domain};

    #[test]
    fn the_text_maps_literals_to_their_meaning() {
        let mut problem = Problem::default();
        let x = problem.add_variable(Domain::range(1, 3), Some("x".into()));
        let b = problem.add_variable(Domain::bool(), Some("b[1]".into()));
        problem.post(Constraint::Clause(vec![Literal::Is(x, 2), b.is_true()]));
        let same = problem.add_variable(Domain::constant(0), Some("c".into()));
        let odd = problem.add_variable(Domain::constant(0), Some("odd".into()));
        problem.merged = vec![
            (same, Quantity::Var(b)),
            (odd, Quantity::Truth(Literal::IsNot(x, 2))),
        ];
        let dimacs = Dimacs::new(&problem, &Budget::unlimited()).expect("small");
        let mut text = Vec::new();
        dimacs.write(&mut text).expect("written to memory");
        let expected = "c map 1 x = 1\nc map 2 x = 2\nc map 3 x = 3\nc map 4 b[1] = 1\n\
            c map 4 c = 1\nc map -2 odd = 1\np cnf 4 5\n1 2 3 0\n-1 -2 0\n-1 -3 0\n-2 -3 0\n2 4 0\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }
}
