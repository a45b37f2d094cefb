//! The two LRAT checkers, this crate's and that of `ployglot-csp`, were written apart. They agree on
//! the solver's proofs and on proofs that were tampered with.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ployglot_base::{Budget, Random};
use ployglot_certificate::{NotProven, check_lrat};
use ployglot_csp::sat::{self, Clauses, Cnf, Lit, ProofFormat, SatResult, prove};

/// Random clauses of three literals, so many that most have no solution.
fn random_cnf(random: &mut Random) -> Cnf {
    let mut cnf = Cnf::default();
    let variables = 4 + random.below(14);
    let literals: Vec<Lit> = (0..variables).map(|_| cnf.fresh()).collect();
    for _ in 0..variables * 6 {
        let clause: Vec<Lit> = (0..3)
            .map(|_| {
                let literal = *random.choose(&literals);
                if random.chance(1, 2) {
                    literal
                } else {
                    !literal
                }
            })
            .collect();
        cnf.clause(&clause);
    }
    cnf
}

#[derive(Clone, Default)]
struct Text(Rc<RefCell<Vec<u8>>>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The proof of the solver; `None` if the clauses have a solution.
fn proof(cnf: &Cnf) -> Option<String> {
    let text = Text::default();
    let out = Box::new(text.clone());
    let (result, solver) =
        prove(cnf, ProofFormat::Lrat, out, &Budget::unlimited()).expect("memory");
    drop(solver);
    let bytes = text.0.borrow().clone();
    (result == SatResult::Unsatisfiable).then(|| String::from_utf8(bytes).expect("UTF-8"))
}

/// Whether both checkers accept. They must agree.
fn accepted(cnf: &Cnf, proof: &str) -> bool {
    let mut clauses = Vec::new();
    cnf.write(&mut clauses).expect("memory");
    let ours = check_lrat(clauses.as_slice(), proof.as_bytes(), &Budget::unlimited());
    let theirs = sat::check_lrat(cnf, proof);
    assert_eq!(
        ours.is_ok(),
        theirs.is_ok(),
        "{ours:?} and {theirs:?}:\n{proof}"
    );
    if let (Err(NotProven::BadProof(line, _)), Err(bad)) = (&ours, &theirs) {
        assert_eq!(*line, bad.line, "{ours:?} and {theirs:?}:\n{proof}");
    }
    ours.is_ok()
}

/// The proof with a line left out, a word changed, or its end cut off.
fn tampered(proof: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = proof.lines().map(str::to_string).collect();
    let at = random.below(lines.len());
    match random.below(3) {
        0 => _ = lines.remove(at),
        1 => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_string).collect();
            // The number of a step is kept: what a checker does with one below 1 is not defined.
            let word = 1 + random.below(words.len() - 1);
            let number = 1 + random.below(30) as i64;
            let number = if random.chance(1, 3) { -number } else { number };
            if words[word] != "d" {
                words[word] = number.to_string();
            }
            lines[at] = words.join(" ");
        }
        _ => lines.truncate(at),
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn both_checkers_agree() {
    let mut random = Random::new(3);
    let (mut proofs, mut refused) = (0, 0);
    for _ in 0..300 {
        let cnf = random_cnf(&mut random);
        let Some(proof) = proof(&cnf) else {
            continue;
        };
        proofs += 1;
        assert!(accepted(&cnf, &proof), "{proof}");
        for _ in 0..10 {
            let changed = tampered(&proof, &mut random);
            refused += usize::from(!accepted(&cnf, &changed));
        }
    }
    assert!(
        proofs > 100 && refused > 500,
        "{proofs} proofs, {refused} refused"
    );
}
