//! Proofs of random unsatisfiable formulas pass the checker; broken ones do not.

use super::*;
use crate::sat::{Lit, check_lrat};
use ployglot_base::Random;

/// A writer whose text can be read afterwards.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn text_of(cnf: &Cnf, format: ProofFormat) -> (SatResult, String) {
    let out = Shared::default();
    let (answer, _) =
        prove(cnf, format, Box::new(out.clone()), &Budget::unlimited()).expect("memory");
    let text = String::from_utf8_lossy(&out.0.borrow()).into_owned();
    (answer, text)
}

/// Random clauses of three literals, so many that most formulas are unsatisfiable.
fn random_cnf(random: &mut Random, variables: usize, clauses: usize) -> Cnf {
    let mut cnf = Cnf::default();
    let fresh: Vec<Lit> = (0..variables).map(|_| cnf.fresh()).collect();
    for _ in 0..clauses {
        let mut any = || match *random.choose(&fresh) {
            literal if random.chance(1, 2) => literal,
            literal => !literal,
        };
        let clause = [any(), any(), any()];
        cnf.clause(&clause);
    }
    cnf
}

#[test]
fn proofs_are_accepted_and_broken_ones_are_not() {
    let mut random = Random::new(21);
    let (mut proven, mut refused) = (0, 0);
    for round in 0..60 {
        let variables = 5 + round;
        let cnf = random_cnf(&mut random, variables, variables * 6);
        let (answer, proof) = text_of(&cnf, ProofFormat::Lrat);
        if answer != SatResult::Unsatisfiable {
            assert!(
                check_lrat(&cnf, &proof).is_err(),
                "the formula is satisfiable"
            );
            continue;
        }
        assert_eq!(check_lrat(&cnf, &proof), Ok(()), "{proof}");
        proven += 1;
        // Without its last step nothing is proven.
        let lines: Vec<&str> = proof.lines().collect();
        let last = lines
            .iter()
            .rposition(|line| !line.contains(" d "))
            .expect("a step");
        let cut = [&lines[..last], &lines[last + 1..]].concat().join("\n");
        assert!(check_lrat(&cnf, &cut).is_err());
        // With one literal less the clause is stronger, and most of the time it does not follow.
        let at = random.below(last + 1);
        let mut words: Vec<&str> = lines[at].split_whitespace().collect();
        if words[1] != "d" && words[1] != "0" {
            words.remove(1);
            let changed = words.join(" ");
            let mut lines = lines.clone();
            lines[at] = &changed;
            refused += usize::from(check_lrat(&cnf, &lines.join("\n")).is_err());
        }
        let (answer, drat) = text_of(&cnf, ProofFormat::Drat);
        assert_eq!(answer, SatResult::Unsatisfiable);
        assert!(drat.lines().any(|line| line == "0"), "the empty clause");
    }
    assert!(
        proven > 30 && refused > 5,
        "{proven} proven, {refused} refused"
    );
}

/// The solver is not given an empty clause, and the proof is complete all the same.
#[test]
fn an_empty_clause_among_the_originals_is_proven() {
    for before in 0..3 {
        let mut cnf = Cnf::default();
        let a = cnf.fresh();
        for _ in 0..before {
            cnf.clause(&[a]);
        }
        cnf.clause(&[]);
        cnf.clause(&[!a]);
        let (answer, proof) = text_of(&cnf, ProofFormat::Lrat);
        assert_eq!(answer, SatResult::Unsatisfiable);
        assert_eq!(check_lrat(&cnf, &proof), Ok(()), "{proof}");
        let (answer, drat) = text_of(&cnf, ProofFormat::Drat);
        assert_eq!((answer, drat.as_str()), (SatResult::Unsatisfiable, "0\n"));
    }
}
