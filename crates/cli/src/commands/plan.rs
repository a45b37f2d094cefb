//! `ploy plan`: a planner for PDDL files, with the arguments of planners in the planning
//! competition.

use std::cell::RefCell;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ployglot_base::{Budget, Limit, Outcome};
use ployglot_pddl::satplan::{Encoding, SatOptions, SatReport, Strategy};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Ruling, Step, Task, print_step, validate};
use ployglot_solve::{Engine, Estimate, PlanRequest, Search, plan_task};
use serde_json::{Value, json};

use crate::progress::Lines;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::planning_files::Files;
use ployglot_io::row::VERSION;
use ployglot_io::{interrupt, limits, output, planning_files};

#[derive(clap::Args)]
pub struct Args {
    /// The domain file; a single file is the problem, whose domain is then found in the same folder
    domain: String,
    /// The problem file
    problem: Option<String>,
    /// Write the plan to this file; an engine that improves its plans writes PLAN.1, PLAN.2, …
    plan: Option<String>,
    /// Prove that the plan is optimal; this is the default
    #[arg(long, conflicts_with = "satisfice")]
    optimal: bool,
    /// Find some plan, then better ones until a limit
    #[arg(long)]
    satisfice: bool,
    /// The algorithm [default: astar, or lazy with --satisfice]
    #[arg(long, value_parser = engine_parser(), hide_possible_values = false)]
    engine: Option<Engine>,
    /// The estimate of the cost to the goal [default: the engine's choice]
    #[arg(long, value_parser = estimate_parser())]
    heuristic: Option<Estimate>,
    /// For the engine sat: the number of steps from one horizon to the next; 1 finds a plan with
    /// the fewest steps [default: 1, or 5 with --satisfice]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    sat_step: Option<u32>,
    /// For the engine sat: how many actions a step has [default: sequential, or exists with
    /// --satisfice]
    #[arg(long, value_parser = encoding_parser())]
    sat_encoding: Option<Encoding>,
    /// For the engine sat: the order in which horizons are tried [default: in-turn, or geometric
    /// with --satisfice]
    #[arg(long, value_parser = strategy_parser())]
    sat_strategy: Option<Strategy>,
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

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    let name = |engine: Engine| PossibleValue::new(engine.name()).help(engine.about());
    PossibleValuesParser::new(Engine::all().map(name)).try_map(|name| Engine::parse(&name))
}

fn estimate_parser() -> impl TypedValueParser<Value = Estimate> {
    let name = |estimate: Estimate| PossibleValue::new(estimate.name()).help(estimate.about());
    PossibleValuesParser::new(Estimate::ALL.map(name)).try_map(|name| Estimate::parse(&name))
}

fn encoding_parser() -> impl TypedValueParser<Value = Encoding> {
    let name = |encoding: Encoding| PossibleValue::new(encoding.name()).help(encoding.about());
    PossibleValuesParser::new(Encoding::ALL.map(name)).try_map(|name| Encoding::parse(&name))
}

fn strategy_parser() -> impl TypedValueParser<Value = Strategy> {
    let name = |strategy: Strategy| PossibleValue::new(strategy.name()).help(strategy.about());
    PossibleValuesParser::new(Strategy::ALL.map(name)).try_map(|name| Strategy::parse(&name))
}

impl Args {
    fn engine(&self) -> Engine {
        self.engine.unwrap_or(match self.satisfice {
            true => Engine::Lazy,
            false => Engine::Search(Search::Astar),
        })
    }

    fn sat(&self) -> Result<SatOptions, Failure> {
        let given = [
            self.sat_step.is_some(),
            self.sat_encoding.is_some(),
            self.sat_strategy.is_some(),
        ];
        if given.contains(&true) && self.engine() != Engine::Sat {
            let message = format!(
                "--sat-step, --sat-encoding and --sat-strategy are for --engine sat, not {}",
                self.engine()
            );
            return Err(Failure::CommandLine(message));
        }
        let (encoding, strategy, step) = if self.satisfice {
            (Encoding::Exists, Strategy::Geometric, 5)
        } else {
            (Encoding::Sequential, Strategy::InTurn, 1)
        };
        Ok(SatOptions {
            encoding: self.sat_encoding.unwrap_or(encoding),
            strategy: self.sat_strategy.unwrap_or(strategy),
            step: self.sat_step.unwrap_or(step),
        })
    }
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let request = PlanRequest {
        engine: args.engine(),
        estimate: args.heuristic,
        sat: args.sat()?,
    };
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
        budget = budget.with_watch(move |progress| line.show(progress));
    }
    let files = planning_files::read(&args.domain, args.problem.as_deref())?;
    let reading = budget.elapsed().as_secs_f64();
    let task = files.ground()?;
    let grounding = budget.elapsed().as_secs_f64() - reading;
    let writer = PlanWriter {
        files: &files,
        task: &task,
        file: args.plan.as_deref(),
        costs: RefCell::default(),
        failure: RefCell::default(),
    };
    writer.remove_old_files();
    let planned = plan_task(&task, &request, &budget, &mut |plan, cost| {
        writer.write(plan, cost)
    })
    .map_err(|bad| Failure::CommandLine(bad.0))?;
    if let Some(line) = line {
        line.finish();
    }
    if let Some(failure) = writer.failure.into_inner() {
        return Err(failure);
    }
    let costs = writer.costs.into_inner();
    let report = &planned.report;
    let searching = budget.elapsed().as_secs_f64() - reading - grounding;
    let answer = Answer::of(&files, &task, &report.outcome)?;
    if let (Some(file), Some(text)) = (&args.plan, &answer.plan_text)
        && costs.is_empty()
    {
        output::file(file, text.as_bytes())?;
    }
    let engine = request.engine;
    if args.json {
        let row = json!({
            "version": VERSION, "domain": files.domain.name, "problem": files.problem.name, "engine": engine.name(),
            "heuristic": planned.estimate.map(Estimate::name), "status": answer.status, "limit": answer.limit.map(|limit| limit.to_string()),
            "cost": answer.cost, "at_least": report.outcome.at_least(), "plan": answer.steps, "checked": answer.steps.is_some(),
            "costs": costs, "sat": planned.sat.as_ref().map(|sat| sat_row(sat, &request.sat)),
            "reading_seconds": reading, "grounding_seconds": grounding, "searching_seconds": searching,
            "expanded": report.effort.expanded, "generated": report.effort.generated, "stored": report.effort.stored,
            "peak_mb": budget.peak_memory() as f64 / f64::from(1 << 20),
            "facts": task.facts.len(), "operators": task.operators.len(), "axioms": task.axioms.bodies.len(),
        });
        output::line(&row.to_string())?;
        return Ok(answer.exit);
    }
    if args.plan.is_none()
        && let Some(text) = &answer.plan_text
    {
        output::text(text)?;
    }
    let bound = report
        .outcome
        .at_least()
        .map_or(String::new(), |bound| format!(", at least {bound}"));
    let work = match &planned.sat {
        Some(sat) => sat_text(sat, &request.sat, answer.status == "optimal"),
        None => format!("{} states expanded", report.effort.expanded),
    };
    let heuristic = planned
        .estimate
        .map_or(String::new(), |estimate| format!(" with {estimate}"));
    output::text(&format!(
        "; {}{}{bound}\n; {} facts, {} operators, {} derived facts\n; read in {reading:.2} s, grounded in {grounding:.2} s, searched \
         in {searching:.2} s by {engine}{heuristic}: {work}, {:.0} MB\n",
        answer.status,
        answer
            .limit
            .map_or(String::new(), |limit| format!(" ({limit})")),
        task.facts.len(),
        task.operators.len(),
        task.axioms.bodies.len(),
        budget.peak_memory() as f64 / f64::from(1 << 20),
    ))?;
    Ok(answer.exit)
}

/// The keys of planning as satisfiability, which counts steps beside the cost.
fn sat_row(sat: &SatReport, options: &SatOptions) -> Value {
    json!({
        "encoding": options.encoding.name(), "strategy": options.strategy.name(), "step": options.step,
        "steps": sat.steps, "at_least_steps": sat.at_least_steps, "horizon": sat.horizon,
        "variables": sat.variables, "clauses": sat.clauses,
    })
}

/// The same as text.
fn sat_text(sat: &SatReport, options: &SatOptions, optimal: bool) -> String {
    let steps = sat
        .steps
        .map_or(String::new(), |steps| format!("a plan of {steps} steps, "));
    let actions = if options.encoding == Encoding::Exists {
        " of one or more actions"
    } else {
        ""
    };
    let skipped = if !optimal && (options.step > 1 || options.strategy != Strategy::InTurn) {
        " (some horizons were skipped, so fewer steps may be enough)"
    } else {
        ""
    };
    format!(
        "{steps}proven that at least {} steps{actions} are needed{skipped}; {} variables and {} clauses for {} steps",
        sat.at_least_steps, sat.variables, sat.clauses, sat.horizon
    )
}

/// Writes each better plan of an engine to its own file as soon as it is found: PLAN.1, PLAN.2, …
struct PlanWriter<'a> {
    files: &'a Files,
    task: &'a Task,
    /// PLAN; without it, nothing is written.
    file: Option<&'a str>,
    /// The costs of the plans so far.
    costs: RefCell<Vec<u32>>,
    /// The first plan that was rejected or could not be written.
    failure: RefCell<Option<Failure>>,
}

impl PlanWriter<'_> {
    fn file_name(&self, number: usize) -> Option<String> {
        self.file.map(|file| format!("{file}.{number}"))
    }

    /// Removes the files of an earlier run, which could be mistaken for those of this run.
    fn remove_old_files(&self) {
        let names = (1..).map_while(|number| self.file_name(number));
        let _ = names.map(std::fs::remove_file).find(Result::is_err);
    }

    fn write(&self, plan: &[OperatorId], cost: u32) {
        let mut costs = self.costs.borrow_mut();
        costs.push(cost);
        let Some(name) = self.file_name(costs.len()) else {
            return;
        };
        let judged = Judged::new(self.files, self.task, plan, cost);
        let written = judged.and_then(|judged| output::file(&name, judged.text.as_bytes()));
        if let Err(failure) = written {
            self.failure.borrow_mut().get_or_insert(failure);
        }
    }
}

/// A plan that the judge (`pddl/validate`) accepts.
struct Judged {
    steps: Vec<String>,
    text: String,
}

impl Judged {
    fn new(files: &Files, task: &Task, plan: &[OperatorId], cost: u32) -> Result<Judged, Failure> {
        let steps: Vec<Step> = plan
            .iter()
            .map(|id| task.operators[id.0 as usize].step.clone())
            .collect();
        // Every plan is judged before it is printed; the judge shares no code with the grounder.
        match validate(&files.domain, &files.problem, &steps) {
            Ruling::Valid { cost: judged } if judged == f64::from(cost) => {}
            verdict => {
                return Err(Failure::Defect(format!(
                    "the judge rejects the plan of cost {cost}: {verdict:?}"
                )));
            }
        }
        let steps: Vec<String> = steps
            .iter()
            .map(|step| print_step(step, &files.domain, &files.problem))
            .collect();
        let unit = matches!(files.problem.metric, ployglot_pddl::lifted::Metric::Steps);
        let kind = if unit { "unit cost" } else { "general cost" };
        let lines = steps
            .iter()
            .map(|step| format!("{step}\n"))
            .collect::<String>();
        let text = format!("{lines}; cost = {cost} ({kind})\n");
        Ok(Judged { steps, text })
    }
}

/// An outcome as it is printed, after the judge has accepted its plan.
struct Answer {
    status: &'static str,
    limit: Option<Limit>,
    exit: Exit,
    cost: Option<u32>,
    steps: Option<Vec<String>>,
    plan_text: Option<String>,
}

impl Answer {
    fn of(files: &Files, task: &Task, outcome: &Outcome<OperatorId>) -> Result<Answer, Failure> {
        let (status, limit, exit) = match outcome {
            Outcome::Optimal { .. } => ("optimal", None, Exit::Solved),
            Outcome::Feasible { why, .. } => ("feasible", Some(*why), Exit::with_plan(*why)),
            Outcome::Unsolvable => ("unsolvable", None, Exit::Unsolvable),
            Outcome::GaveUp { why, .. } => ("limit", Some(*why), Exit::without_plan(*why)),
            Outcome::Contradiction(found) => {
                return Err(Failure::Defect(format!(
                    "the planner contradicts itself: {found}"
                )));
            }
        };
        let Some(plan) = outcome.plan() else {
            return Ok(Answer {
                status,
                limit,
                exit,
                cost: None,
                steps: None,
                plan_text: None,
            });
        };
        let cost = outcome.cost().unwrap_or_default();
        let judged = Judged::new(files, task, plan, cost)?;
        Ok(Answer {
            status,
            limit,
            exit,
            cost: Some(cost),
            steps: Some(judged.steps),
            plan_text: Some(judged.text),
        })
    }
}
