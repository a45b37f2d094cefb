//! Runs VeriPB, the checker of pseudo-Boolean proofs, which is a program of its own.

use ployglot_base::{Budget, Call, Limit, RunEnd, Tool};

/// VeriPB, whose version 3 is on crates.io.
pub const VERIPB: Tool = Tool {
    name: "VeriPB",
    programs: &["veripb"],
    package: None,
    install: "Cargo: cargo install veripb --locked",
};

/// What VeriPB says of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The constraints have no solution.
    Accepted,
    /// The proof is wrong, with VeriPB's message.
    Rejected(String),
    /// A limit ended VeriPB.
    Limit(Limit),
    /// VeriPB is not installed, or may not be run.
    Missing(String),
}

/// The OPB file and the proof, as texts or as absolute paths.
pub enum Files<'a> {
    /// Their contents.
    Texts(&'a [u8], &'a [u8]),
    /// Where they are.
    Paths(String, String),
}

/// Asks VeriPB whether the proof shows that the constraints have no solution.
pub fn run_veripb(files: Files, budget: &Budget) -> Ruling {
    let Some(programs) = budget.programs() else {
        return Ruling::Missing("other programs may not be run here".to_string());
    };
    let program = match programs.obtain(&VERIPB, budget) {
        Ok(program) => program,
        Err(missing) => return Ruling::Missing(missing),
    };
    let mut call = Call {
        program,
        ..Call::default()
    };
    match files {
        Files::Texts(opb, proof) => {
            call.files = vec![("task.opb", opb.to_vec()), ("proof.pbp", proof.to_vec())];
            call.arguments = ["task.opb", "proof.pbp"].map(str::to_string).to_vec();
        }
        Files::Paths(opb, proof) => call.arguments = vec![opb, proof],
    }
    let done = match programs.run(&call, budget, "veripb", &mut |_, _| {}) {
        Ok(done) => done,
        Err(message) => return Ruling::Missing(message),
    };
    let verified = done
        .output
        .lines()
        .any(|line| line == "s VERIFIED UNSATISFIABLE");
    match done.end {
        RunEnd::Limit(limit) => Ruling::Limit(limit),
        RunEnd::Exit(0) if verified => Ruling::Accepted,
        _ => {
            // The message comes first; a trace of VeriPB's own calls follows it.
            let lines = done.errors.lines().map(str::trim);
            let lines = lines.take_while(|line| !line.starts_with("Stack backtrace"));
            let words: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            Ruling::Rejected(words.join(" "))
        }
    }
}
