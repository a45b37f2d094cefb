//! `ploy validate`: checks a plan of a PDDL problem by an evaluator that shares no code with the
//! planner.

use std::time::Duration;

use ployglot_base::Budget;
use ployglot_pddl::tree::MAX_BYTES;
use ployglot_pddl::{Ruling, parse_plan, validate_within};
use serde_json::json;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::planning_files::{Stopped, Texts};
use ployglot_io::row::VERSION;
use ployglot_io::{interrupt, limits, load, output, planning_files};

#[derive(clap::Args)]
pub struct Args {
    /// The domain file
    domain: String,
    /// The problem file
    problem: String,
    /// A file with one '(action argument …)' per line, or '-' for standard input
    plan: String,
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
    let texts = planning_files::load(&args.domain, Some(&args.problem))?;
    let plan_text = load::text_up_to(&args.plan, MAX_BYTES)?;
    let budget = budget.with_interrupt(interrupt::flag());
    let (steps, ruling) = match judge(&args, texts, &plan_text, &budget) {
        Ok((steps, ruling)) => (Some(steps), Ok(ruling)),
        Err(Stopped::Failure(failure)) => return Err(failure),
        Err(Stopped::Limit(limit)) => (None, Err(limit)),
    };
    let count = steps.unwrap_or_default();
    let (exit, text, mut row) = match ruling {
        Err(limit) => (
            Exit::without_plan(limit),
            format!("not validated, ended by {limit}"),
            json!({ "verdict": "limit", "limit": limit.to_string() }),
        ),
        Ok(Ruling::Valid { cost }) => (
            Exit::Solved,
            format!("valid: {count} steps, cost {cost}"),
            json!({ "verdict": "valid", "cost": cost }),
        ),
        Ok(Ruling::Fails { at, step, why }) => (
            Exit::Rejected,
            format!("invalid: step {at} {step} cannot be taken: {why}"),
            json!({ "verdict": "fails", "at": at, "step": step, "why": why }),
        ),
        Ok(Ruling::Misses { why }) => (
            Exit::Rejected,
            format!("invalid: after {count} steps the goal does not hold: {why}"),
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

/// The number of steps, and the ruling.
fn judge(
    args: &Args,
    texts: Texts,
    plan_text: &str,
    budget: &Budget,
) -> Result<(usize, Ruling), Stopped> {
    let files = texts.read(budget)?;
    let plan = parse_plan(plan_text, &files.domain, &files.problem)
        .map_err(|bad| load::bad_text(&args.plan, plan_text.as_bytes(), bad))?;
    let ruling = validate_within(&files.domain, &files.problem, &plan, budget);
    Ok((plan.len(), ruling.map_err(Stopped::Limit)?))
}
