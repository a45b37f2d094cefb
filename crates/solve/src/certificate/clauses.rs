//! The part of a certificate through SAT: the clauses of each horizon that a cheaper plan could have,
//! and CaDiCaL's proof that they have no solution.
//!
//! The sweep that found the answer keeps one growing problem for all horizons. Here each horizon is a
//! problem of its own, without assumptions, because a proof of it must stand alone.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ployglot_base::{Budget, Limit};
use ployglot_certificate::{Claim, Files, Hashing, NamedModel, Part, ReadModel, Refutation};
use ployglot_csp::sat::{ProofFormat, SatResult, prove};
use ployglot_games::Game;

use super::NotCertified;

/// Proves the claim by a constraint model.
pub(super) fn refute<G: Game>(
    level: &G,
    measure: &str,
    claim: Claim,
    route: &str,
    files: &Files,
    budget: &Budget,
) -> Result<Part, NotCertified> {
    let named = NamedModel::<G>::find(route)
        .ok_or_else(|| NotCertified::Unsupported(format!("there is no model '{route}'")))?;
    let range = named
        .range(level, measure, claim)
        .map_err(NotCertified::Unsupported)?;
    let text = named.text();
    let parameters = (named.model.parameters)(level).map_err(NotCertified::Unsupported)?;
    let at = |limit| NotCertified::Limit(limit, "while the model was read".to_string());
    let defect = |bad: ployglot_base::BadText| NotCertified::Defect(bad.to_string());
    let language = named.model.language;
    let model = ReadModel::new(language, &text, &parameters, budget)
        .map_err(at)?
        .map_err(defect)?;
    let mut refuted = Vec::new();
    for horizon in range.first..=range.last {
        let at = |limit| {
            let what = format!("while the horizon {horizon} of {} was refuted", range.last);
            NotCertified::Limit(limit, what)
        };
        let encoded = model.encode(named.model.horizon, horizon, budget);
        let dimacs = match encoded {
            Ok(encoded) => encoded.map_err(NotCertified::Unsupported)?,
            Err(Limit::Incomplete) => {
                let why = "the numbers of a constraint are too large for clauses";
                return Err(NotCertified::Unsupported(why.to_string()));
            }
            Err(limit) => return Err(at(limit)),
        };
        let (clauses, proof) = (
            format!("horizon-{horizon}.cnf"),
            format!("horizon-{horizon}.lrat"),
        );
        let check = format!("lrat-check {clauses} {proof}");
        let mut out = io::BufWriter::with_capacity(1 << 16, files.create(&clauses)?);
        dimacs.write(&mut out)?;
        let clauses = out.into_inner().map_err(io::Error::from)?.finish()?;
        let out = SharedFile(Rc::new(RefCell::new(files.create(&proof)?)));
        let writer = Box::new(out.clone());
        let (result, solver) = prove(dimacs.cnf(), ProofFormat::Lrat, writer, budget)?;
        // The solver holds the other half of the file.
        drop(solver);
        match result {
            SatResult::Unsatisfiable => {}
            SatResult::Satisfiable => {
                return Err(NotCertified::Defect(format!(
                    "the model has a solution at the horizon {horizon}, which contradicts the answer"
                )));
            }
            SatResult::GaveUp(limit) => return Err(at(limit)),
        }
        refuted.push(Refutation {
            horizon,
            clauses,
            proof: out.finish()?,
            check,
        });
    }
    Ok(Part::Clauses {
        route: route.to_string(),
        model: files.write(language.file(), text.as_bytes())?,
        parameters: files.write("level.param", parameters.as_bytes())?,
        refuted,
    })
}

/// A file that the writer of the proof and its caller share.
#[derive(Clone)]
struct SharedFile(Rc<RefCell<Hashing<Box<dyn Write + Send>>>>);

impl SharedFile {
    fn finish(self) -> io::Result<ployglot_certificate::File> {
        match Rc::try_unwrap(self.0) {
            Ok(file) => file.into_inner().finish(),
            Err(_) => Err(io::Error::other("the solver still writes its proof")),
        }
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}
