//! The flat problem of a model for other tools: DIMACS, FlatZinc, MPS, and proofs of
//! unsatisfiability.

use ployglot_base::{Budget, Limit};
use ployglot_csp::Problem;
use ployglot_csp::flatzinc::{NoFlatzinc, flatzinc_within};
use ployglot_csp::mip::MipBackend;
use ployglot_csp::sat::{Cnf, Dimacs, ProofFormat, SatResult, prove};

use super::Args;
use ployglot_io::draft::Draft;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{draft, output};

/// Refuses output files that are inputs.
pub(super) fn refuse_inputs_as_outputs(args: &Args) -> Result<(), Failure> {
    let outputs = [
        ("--proof", args.proof.as_ref()),
        ("--dimacs", args.dimacs.as_ref()),
        ("--flatzinc", args.flatzinc.as_ref()),
        ("--mps", args.mps.as_ref()),
    ];
    output::refuse_inputs(&outputs, &[Some(&args.model), args.instance.as_ref()])
}

/// Writes the flat problem or its clauses for other tools, or a proof of unsatisfiability.
pub(super) fn write(args: &Args, problem: &Problem, budget: &Budget) -> Result<Exit, Failure> {
    if let Some(file) = &args.flatzinc {
        let text = match flatzinc_within(problem, budget) {
            Ok(text) => text,
            Err(limit) => return limited(limit),
        };
        let text = text.map_err(|NoFlatzinc(constraint)| {
            Failure::Unsupported(format!(
                "constraint {constraint} of the flat problem has no form in FlatZinc"
            ))
        })?;
        output::file(file, text.as_bytes())?;
        output::line(file)?;
    }
    if let Some(file) = &args.mps {
        let text = match MipBackend::mps(problem, budget) {
            Ok(Some(text)) => text,
            Ok(None) => {
                return output::line("unsatisfiable: there is no integer program")
                    .map(|()| Exit::Unsolvable);
            }
            Err(Limit::Incomplete) => {
                let message = "the numbers of a constraint are too large for an integer program";
                return Err(Failure::Unsupported(message.to_string()));
            }
            Err(limit) => return limited(limit),
        };
        output::file(file, text.as_bytes())?;
        output::line(file)?;
    }
    if args.dimacs.is_none() && args.proof.is_none() {
        return Ok(Exit::Solved);
    }
    let clauses = match Dimacs::new(problem, budget) {
        Ok(clauses) => clauses,
        Err(Limit::Incomplete) => {
            let message = "the numbers of a constraint are too large for clauses";
            return Err(Failure::Unsupported(message.to_string()));
        }
        Err(limit) => return limited(limit),
    };
    let cnf = clauses.cnf();
    if let Some(file) = &args.dimacs {
        draft::write(file, |out| clauses.write(out))?;
        output::line(&format!(
            "{file}: {} variables, {} clauses",
            cnf.variables(),
            cnf.clauses().count()
        ))?;
    }
    match &args.proof {
        Some(file) => write_proof(cnf, file, budget),
        None => Ok(Exit::Solved),
    }
}

fn write_proof(cnf: &Cnf, file: &str, budget: &Budget) -> Result<Exit, Failure> {
    let format = if file.ends_with(".drat") {
        ProofFormat::Drat
    } else {
        ProofFormat::Lrat
    };
    // A proof may be larger than the memory, so it is written while it grows. If there is no proof,
    // the draft is dropped, and the file stays as it was.
    let draft = Draft::create(file)?;
    let (answer, _) =
        prove(cnf, format, draft.writer()?, budget).map_err(|error| draft.failure(error))?;
    if answer == SatResult::Unsatisfiable {
        draft.finish()?;
    }
    match answer {
        SatResult::Unsatisfiable => {
            output::line(&format!("{file}: unsatisfiable, proven")).map(|()| Exit::Unsolvable)
        }
        SatResult::Satisfiable => {
            output::line("satisfiable: there is nothing to prove").map(|()| Exit::Solved)
        }
        SatResult::GaveUp(limit) => limited(limit),
    }
}

/// Reports the limit that ended the work before there was anything to write.
pub(super) fn limited(limit: Limit) -> Result<Exit, Failure> {
    output::line(&format!("limit: {limit}")).map(|()| Exit::without_plan(limit))
}
