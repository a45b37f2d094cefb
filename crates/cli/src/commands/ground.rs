//! `ploy ground`: grounds a PDDL problem and prints the size of the task.

use ployglot_base::{Budget, Space};
use ployglot_pddl::sas::print_sas;
use serde_json::json;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::VERSION;
use ployglot_io::{output, planning_files};

#[derive(clap::Args)]
pub struct Args {
    /// The domain file; a single file is the problem, whose domain is then found in the same folder
    domain: String,
    /// The problem file
    problem: Option<String>,
    /// Write the task as a file in Fast Downward's SAS+ format
    #[arg(long, value_name = "FILE")]
    sas: Option<String>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let budget = Budget::unlimited();
    let files = planning_files::read(&args.domain, args.problem.as_deref())?;
    let reading = budget.elapsed().as_secs_f64();
    let task = files.ground()?;
    let grounding = budget.elapsed().as_secs_f64() - reading;
    let effects: usize = task
        .operators
        .iter()
        .map(|operator| operator.effects.len())
        .sum();
    if let Some(file) = &args.sas {
        let text = print_sas(&task, &files.domain, &files.problem).map_err(Failure::Unsupported)?;
        output::file(file, text.as_bytes())?;
    }
    let peak = budget.peak_memory() as f64 / f64::from(1 << 20);
    if args.json {
        let row = json!({
            "version": VERSION, "domain": files.domain.name, "problem": files.problem.name, "facts": task.facts.len(),
            "numbers": task.numbers.len(), "operators": task.operators.len(), "effects": effects,
            "axioms": task.axioms.bodies.len(), "circuit": task.circuit.len(), "state_bytes": task.words() * 8,
            "reading_seconds": reading, "grounding_seconds": grounding, "peak_mb": peak,
        });
        output::line(&row.to_string())?;
    } else {
        output::text(&format!(
            "{}: {} facts, {} numbers, {} operators with {effects} conditional groups of effects, {} derived facts\na circuit of {} \
             nodes, {} bytes a state\nread in {reading:.2} s, grounded in {grounding:.2} s, {peak:.0} MB\n",
            files.problem.name,
            task.facts.len(),
            task.numbers.len(),
            task.operators.len(),
            task.axioms.bodies.len(),
            task.circuit.len(),
            task.words() * 8,
        ))?;
    }
    Ok(Exit::Solved)
}
