//! `ploy plan`: a planner for PDDL files, called as the planning competition calls planners.

use std::time::Duration;

use ployglot_base::{Budget, Limit, Outcome};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Step, Task, Verdict, print_step, validate};
use ployglot_solve::search_task;
use serde_json::json;

use crate::failure::{Exit, Failure};
use crate::progress::Lines;
use crate::row::VERSION;
use crate::task::Files;
use crate::{interrupt, limits, output, task};

#[derive(clap::Args)]
pub struct Args {
    /// The domain file; with no other file, the problem, and the domain is found beside it
    domain: String,
    /// The problem file
    problem: Option<String>,
    /// Where to write the plan
    plan: Option<String>,
    /// Prove the plan optimal; this is the default
    #[arg(long, conflicts_with = "satisfice")]
    optimal: bool,
    /// Any plan will do
    #[arg(long)]
    satisfice: bool,
    /// The search: bfs, astar, ida, greedy, … [default: astar, or greedy with --satisfice]
    #[arg(long)]
    engine: Option<String>,
    /// The estimate: blind, max, lmcut or ff [default: blind, or ff with --satisfice]
    #[arg(long)]
    heuristic: Option<String>,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut budget = Budget::unlimited().with_interrupt(interrupt::flag());
    if let Some(time) = args.time {
        budget = budget.with_time(time);
    }
    if let Some(memory) = args.memory.or_else(limits::default_memory) {
        budget = budget.with_memory(memory);
    }
    let lines = Lines::new();
    let line = lines.add(args.problem.as_deref().unwrap_or(&args.domain));
    if let Some(line) = line.clone() {
        budget = budget.with_watch(move |progress| line.tell(progress));
    }
    let files = task::read(&args.domain, args.problem.as_deref())?;
    let reading = budget.elapsed().as_secs_f64();
    let task = files.ground()?;
    let grounding = budget.elapsed().as_secs_f64() - reading;
    let (engine, heuristic) = if args.satisfice { ("greedy", "ff") } else { ("astar", "blind") };
    let engine = args.engine.as_deref().unwrap_or(engine);
    let heuristic = args.heuristic.as_deref().unwrap_or(heuristic);
    let report = search_task(&task, engine, heuristic, &budget).map_err(Failure::CommandLine)?;
    if let Some(line) = line {
        line.finish();
    }
    let searching = budget.elapsed().as_secs_f64() - reading - grounding;
    let told = Told::of(&files, &task, &report.outcome)?;
    if let (Some(file), Some(text)) = (&args.plan, &told.plan_text) {
        output::file(file, text.as_bytes())?;
    }
    if args.json {
        let row = json!({
            "version": VERSION, "domain": files.domain.name, "problem": files.problem.name, "engine": engine,
            "heuristic": heuristic, "status": told.status, "limit": told.limit.map(|limit| limit.to_string()),
            "cost": told.cost, "at_least": report.outcome.at_least(), "plan": told.steps, "checked": told.steps.is_some(),
            "reading_seconds": reading, "grounding_seconds": grounding, "searching_seconds": searching,
            "expanded": report.effort.expanded, "generated": report.effort.generated, "stored": report.effort.stored,
            "peak_mb": budget.peak_memory() as f64 / f64::from(1 << 20),
            "facts": task.facts.len(), "operators": task.operators.len(), "axioms": task.axioms.bodies.len(),
        });
        output::line(&row.to_string())?;
        return Ok(told.exit);
    }
    if args.plan.is_none()
        && let Some(text) = &told.plan_text
    {
        output::text(text)?;
    }
    let bound = report.outcome.at_least().map_or(String::new(), |bound| format!(", at least {bound}"));
    output::text(&format!(
        "; {}{}{bound}\n; {} facts, {} operators, {} derived facts\n; read in {reading:.2} s, grounded in {grounding:.2} s, searched \
         in {searching:.2} s by {engine} with {heuristic}: {} states expanded, {:.0} MB\n",
        told.status,
        told.limit.map_or(String::new(), |limit| format!(" ({limit})")),
        task.facts.len(),
        task.operators.len(),
        task.axioms.bodies.len(),
        report.effort.expanded,
        budget.peak_memory() as f64 / f64::from(1 << 20),
    ))?;
    Ok(told.exit)
}

/// What is said of an outcome, after the judge has looked at the plan.
struct Told {
    status: &'static str,
    limit: Option<Limit>,
    exit: Exit,
    cost: Option<u32>,
    steps: Option<Vec<String>>,
    plan_text: Option<String>,
}

impl Told {
    fn of(files: &Files, task: &Task, outcome: &Outcome<OperatorId>) -> Result<Told, Failure> {
        let (status, limit, exit) = match outcome {
            Outcome::Optimal { .. } => ("optimal", None, Exit::Solved),
            Outcome::Feasible { why, .. } => {
                let exit = match why {
                    Limit::Time => Exit::PlanOutOfTime,
                    Limit::Memory => Exit::PlanOutOfMemory,
                    Limit::Interrupt | Limit::Incomplete => Exit::Solved,
                };
                ("feasible", Some(*why), exit)
            }
            Outcome::Unsolvable => ("unsolvable", None, Exit::Unsolvable),
            Outcome::GaveUp { why, .. } => {
                let exit = match why {
                    Limit::Time => Exit::OutOfTime,
                    Limit::Memory => Exit::OutOfMemory,
                    Limit::Interrupt | Limit::Incomplete => Exit::Unproven,
                };
                ("limit", Some(*why), exit)
            }
        };
        let Some(plan) = outcome.plan() else {
            return Ok(Told { status, limit, exit, cost: None, steps: None, plan_text: None });
        };
        let steps: Vec<Step> = plan.iter().map(|id| task.operators[id.0 as usize].step.clone()).collect();
        let cost = outcome.cost().unwrap_or_default();
        // No plan leaves without the judge, who knows nothing of the grounder.
        match validate(&files.domain, &files.problem, &steps) {
            Verdict::Valid { cost: judged } if judged == f64::from(cost) => {}
            verdict => {
                return Err(Failure::Defect(format!("the judge rejects the plan of cost {cost}: {verdict:?}")));
            }
        }
        let steps: Vec<String> = steps.iter().map(|step| print_step(step, &files.domain, &files.problem)).collect();
        let unit = matches!(files.problem.metric, ployglot_pddl::lifted::Metric::Steps);
        let kind = if unit { "unit cost" } else { "general cost" };
        let lines = steps.iter().map(|step| format!("{step}\n")).collect::<String>();
        let plan_text = format!("{lines}; cost = {cost} ({kind})\n");
        Ok(Told { status, limit, exit, cost: Some(cost), steps: Some(steps), plan_text: Some(plan_text) })
    }
}
