//! The answer to a model: as text, as JSON, and as the files that scripts for Savile Row or Conjure
//! expect.

use ployglot_base::{Budget, Limit};
use ployglot_solve::ModelStatus;
use serde_json::{Value, json};

use super::{Args, Shown};
use ployglot_io::failure::Failure;
use ployglot_io::output;
use ployglot_io::row::VERSION;

/// Prints the solutions and a line with the status, the times and the sizes.
pub(super) fn print(answer: &Shown, reading: f64) -> Result<(), Failure> {
    for (index, solution) in answer.solutions.iter().enumerate() {
        let between = if index > 0 { "----------\n" } else { "" };
        output::text(&format!("{between}{}", statements(solution)))?;
    }
    let limit = match answer.status {
        ModelStatus::Limit(limit) => format!(" ({limit})"),
        _ => String::new(),
    };
    let objective = answer
        .objective
        .map_or(String::new(), |value| format!(", objective {value}"));
    let unproven = answer
        .bound
        .filter(|_| answer.status != ModelStatus::Optimal);
    let bound = unproven.map_or(String::new(), |value| format!(", bound {value}"));
    let counts = answer.counts.map_or(String::new(), |counts| {
        format!(
            "; {} nodes, {} failures, {} restarts",
            counts.nodes, counts.failures, counts.restarts
        )
    });
    output::line(&format!(
        "$ {}{limit}{objective}{bound}; read in {reading:.3} s, unrolled in {:.3} s, solved in {:.3} s; {} variables and {} constraints, \
         encoded as {} and {}{counts}",
        answer.status.word(),
        answer.unrolling,
        answer.solving,
        answer.variables,
        answer.constraints,
        answer.size.variables,
        answer.size.constraints
    ))
}

pub(super) fn row(args: &Args, answer: &Shown, reading: f64, budget: &Budget) -> Value {
    let solutions = answer.solutions.iter().map(|solution| {
        let values = solution
            .iter()
            .map(|(name, value)| (name.clone(), Value::String(value.clone())));
        Value::Object(values.collect())
    });
    let solutions: Vec<Value> = solutions.collect();
    let steps = answer.steps.iter().map(|step| {
        json!({
            "value": step.value, "satisfiable": step.satisfiable, "unrolling_seconds": step.unrolling,
            "solving_seconds": step.solving, "variables": step.size.variables, "constraints": step.size.constraints,
        })
    });
    json!({
        "version": VERSION, "model": args.model, "instance": args.instance, "solver": args.solver.name(),
        "status": answer.status.word(),
        "limit": match answer.status { ModelStatus::Limit(limit) => Some(limit.to_string()), _ => None },
        "solution": solutions.last(), "solutions": solutions, "objective": answer.objective,
        "bound": answer.bound, "warnings": answer.warnings,
        "nodes": answer.counts.map(|counts| counts.nodes),
        "failures": answer.counts.map(|counts| counts.failures),
        "restarts": answer.counts.map(|counts| counts.restarts),
        "horizon": answer.steps.last().map(|step| step.value), "steps": steps.collect::<Vec<_>>(),
        "problem_variables": answer.variables, "problem_rules": answer.constraints,
        "variables": answer.size.variables, "constraints": answer.size.constraints, "effort": answer.effort,
        "reading_seconds": reading, "unrolling_seconds": answer.unrolling, "solving_seconds": answer.solving,
        "peak_mb": budget.peak_memory() as f64 / f64::from(1 << 20),
    })
}

/// A solution as `letting NAME be VALUE`, one value on a line.
fn statements(solution: &[(String, String)]) -> String {
    let lines = solution.iter();
    lines
        .map(|(name, value)| format!("letting {name} be {value}\n"))
        .collect()
}

/// Writes `.solution` if there is a solution, and `.info` in any case.
pub(super) fn write_files(
    args: &Args,
    answer: &Shown,
    reading: f64,
    is_essence: bool,
) -> Result<(), Failure> {
    let language = match is_essence {
        true => "Essence 1.3",
        false => "ESSENCE' 1.0",
    };
    let stem = match is_essence {
        true => conjure_stem(args),
        false => args.instance.as_ref().unwrap_or(&args.model).clone(),
    };
    let text = |solution| format!("language {language}\n{}", statements(solution));
    match &answer.solutions[..] {
        [] => {}
        // Conjure numbers the solutions where there are several.
        several if is_essence && several.len() > 1 => {
            for (at, solution) in several.iter().enumerate() {
                let file = format!("{stem}-{:06}.solution", at + 1);
                output::file(&file, text(solution).as_bytes())?;
            }
        }
        [.., last] => output::file(&format!("{stem}.solution"), text(last).as_bytes())?,
    }
    let flag = |truth: bool| u8::from(truth);
    let out_of = |limit: Limit| flag(answer.status == ModelStatus::Limit(limit));
    let info = [
        ("SolverTotalTime", format!("{:.6}", answer.solving)),
        ("SolverTimeOut", out_of(Limit::Time).to_string()),
        ("SolverMemOut", out_of(Limit::Memory).to_string()),
        (
            "SolverSatisfiable",
            flag(!answer.solutions.is_empty()).to_string(),
        ),
        ("SolverSolutionsFound", answer.solutions.len().to_string()),
        (
            "SolverNodes",
            answer
                .counts
                .map_or(answer.effort, |counts| counts.nodes)
                .to_string(),
        ),
        ("SATVars", answer.size.variables.to_string()),
        ("SATClauses", answer.size.constraints.to_string()),
        (
            "SavileRowTotalTime",
            format!("{:.6}", reading + answer.unrolling),
        ),
        ("SavileRowTimeOut", "0".to_string()),
        ("SavileRowClauseOut", "0".to_string()),
    ];
    let text: String = info
        .iter()
        .map(|(key, value)| format!("{key}:{value}\n"))
        .collect();
    output::file(&format!("{stem}.info"), text.as_bytes())
}

/// The names that `conjure solve` gives to files, without their ends: `spec` or `spec-params`.
fn conjure_stem(args: &Args) -> String {
    let model = args.model.strip_suffix(".essence").unwrap_or(&args.model);
    match &args.instance {
        None => model.to_string(),
        Some(instance) => {
            let name = std::path::Path::new(instance).file_stem();
            let name = name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
            format!("{model}-{name}")
        }
    }
}
