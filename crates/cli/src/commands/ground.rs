//! `ploy ground`: grounds a PDDL problem and prints the size of the task.

use std::time::Duration;

use ployglot_base::{Budget, Space};
use ployglot_pddl::sas::print_sas_within;
use serde_json::json;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::planning_files::{Stopped, Texts};
use ployglot_io::row::VERSION;
use ployglot_io::{interrupt, limits, output, planning_files};

#[derive(clap::Args)]
pub struct Args {
    /// The domain file; a single file is the problem, whose domain is then found in the same folder
    domain: String,
    /// The problem file
    problem: Option<String>,
    /// Write the task as a file in Fast Downward's SAS+ format
    #[arg(long, value_name = "FILE")]
    sas: Option<String>,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let budget = limits::budget(args.time, args.memory);
    let texts = planning_files::load(&args.domain, args.problem.as_deref())?;
    output::refuse_inputs(&[("--sas", args.sas.as_ref())], &texts.names())?;
    let budget = budget.with_interrupt(interrupt::flag());
    match ground(&args, texts, &budget) {
        Ok(()) => Ok(Exit::Solved),
        Err(Stopped::Failure(failure)) => Err(failure),
        Err(Stopped::Limit(limit)) => {
            let name = args.problem.as_deref().unwrap_or(&args.domain);
            if args.json {
                let row =
                    json!({ "version": VERSION, "status": "limit", "limit": limit.to_string() });
                output::line(&row.to_string())?;
            } else {
                output::line(&format!("{name}: not grounded, ended by {limit}"))?;
            }
            Ok(Exit::without_plan(limit))
        }
    }
}

fn ground(args: &Args, texts: Texts, budget: &Budget) -> Result<(), Stopped> {
    let files = texts.read(budget)?;
    let reading = budget.elapsed().as_secs_f64();
    let task = files.ground(budget)?;
    let grounding = budget.elapsed().as_secs_f64() - reading;
    let effects: usize = task
        .operators
        .iter()
        .map(|operator| operator.effects.len())
        .sum();
    if let Some(file) = &args.sas {
        let text = print_sas_within(&task, &files.domain, &files.problem, budget)?;
        output::file(file, text.as_bytes())?;
    }
    let peak = budget.peak_memory() as f64 / f64::from(1 << 20);
    if args.json {
        let row = json!({
            "version": VERSION, "domain": files.domain.name, "problem": files.problem.name, "facts": task.facts.len(),
            "numbers": task.numbers.len(), "operators": task.operators.len(), "effects": effects,
            "axioms": task.axioms.bodies.len(), "groups": task.groups.len(), "circuit": task.circuit.len(), "state_bytes": task.words() * 8,
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
    Ok(())
}
