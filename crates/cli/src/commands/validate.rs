//! `ploy validate`: checks a plan of a PDDL problem by an evaluator that shares no code with the
//! planner.

use ployglot_pddl::{Ruling, parse_plan, validate};
use serde_json::json;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::VERSION;
use ployglot_io::{load, output, planning_files};

#[derive(clap::Args)]
pub struct Args {
    /// The domain file
    domain: String,
    /// The problem file
    problem: String,
    /// A file with one '(action argument …)' per line, or '-' for standard input
    plan: String,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let files = planning_files::read(&args.domain, Some(&args.problem))?;
    let plan_text = load::text(&args.plan)?;
    let plan = parse_plan(&plan_text, &files.domain, &files.problem)
        .map_err(|bad| load::bad_text(&args.plan, plan_text.as_bytes(), bad))?;
    let steps = plan.len();
    let (exit, text, mut row) = match validate(&files.domain, &files.problem, &plan) {
        Ruling::Valid { cost } => (
            Exit::Solved,
            format!("valid: {steps} steps, cost {cost}"),
            json!({ "verdict": "valid", "cost": cost }),
        ),
        Ruling::Fails { at, step, why } => (
            Exit::Rejected,
            format!("invalid: step {at} {step} cannot be taken: {why}"),
            json!({ "verdict": "fails", "at": at, "step": step, "why": why }),
        ),
        Ruling::Misses { why } => (
            Exit::Rejected,
            format!("invalid: after {steps} steps the goal does not hold: {why}"),
            json!({ "verdict": "misses", "why": why }),
        ),
    };
    if args.json {
        row["version"] = VERSION.into();
        row["steps"] = steps.into();
        output::line(&row.to_string())?;
    } else {
        output::line(&text)?;
    }
    Ok(exit)
}
