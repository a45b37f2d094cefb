//! `ploy plan`: a planner for PDDL files, called as the planning competition calls planners.

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
    /// The domain file; with no other file, the problem, and the domain is found beside it
    domain: String,
    /// The problem file
    problem: Option<String>,
    /// Where to write the plan; with an engine that improves its plans, each goes to a file of its own: PLAN.1, PLAN.2, …
    plan: Option<String>,
    /// Prove the plan optimal; this is the default
    #[arg(long, conflicts_with = "satisfice")]
    optimal: bool,
    /// A plan soon, then better ones for as long as there is time
    #[arg(long)]
    satisfice: bool,
    /// What plans [default: astar, or lazy with --satisfice]
    #[arg(long, value_parser = engine_parser(), hide_possible_values = false)]
    engine: Option<Engine>,
    /// The estimate of the cost to the goal [default: what the engine takes]
    #[arg(long, value_parser = estimate_parser())]
    heuristic: Option<Estimate>,
    /// Of the engine sat: the number of steps from one horizon to the next; 1 finds a plan of fewest steps [default: 1, or 5 with
    /// --satisfice]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    sat_step: Option<u32>,
    /// Of the engine sat: how many actions a step has [default: sequential, or exists with --satisfice]
    #[arg(long, value_parser = list_names(Encoding::ALL.map(|each| (each.name(), each.about()))))]
    sat_encoding: Option<String>,
    /// Of the engine sat: in which order the horizons are asked about [default: in-turn, or geometric with --satisfice]
    #[arg(long, value_parser = list_names(Strategy::ALL.map(|each| (each.name(), each.about()))))]
    sat_strategy: Option<String>,
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

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    let name = |engine: Engine| PossibleValue::new(engine.name()).help(engine.about());
    PossibleValuesParser::new(Engine::all().map(name)).try_map(|name| Engine::parse(&name))
}

fn estimate_parser() -> impl TypedValueParser<Value = Estimate> {
    let name = |estimate: Estimate| PossibleValue::new(estimate.name()).help(estimate.about());
    PossibleValuesParser::new(Estimate::ALL.map(name)).try_map(|name| Estimate::parse(&name))
}

/// Names with their help texts.
fn list_names<const N: usize>(list: [(&'static str, &'static str); N]) -> Vec<PossibleValue> {
    let values = list.map(|(name, about)| PossibleValue::new(name).help(about));
    values.to_vec()
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
        let given = self.sat_encoding.as_deref().map(Encoding::parse);
        let encoding = given
            .unwrap_or(Ok(encoding))
            .map_err(Failure::CommandLine)?;
        let given = self.sat_strategy.as_deref().map(Strategy::parse);
        let strategy = given
            .unwrap_or(Ok(strategy))
            .map_err(Failure::CommandLine)?;
        Ok(SatOptions {
            encoding,
            strategy,
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
    // Plans that are bettered are kept, each in a file of its own, as soon as they are known.
    let series = Series {
        files: &files,
        task: &task,
        file: args.plan.as_deref(),
        told: RefCell::default(),
    };
    series.clear();
    let planned = plan_task(&task, &request, &budget, &mut |plan, cost| {
        series.tell(plan, cost)
    })
    .map_err(|bad| Failure::CommandLine(bad.0))?;
    if let Some(line) = line {
        line.finish();
    }
    let series = series.told.into_inner();
    if let Some(failure) = series.failure {
        return Err(failure);
    }
    let report = &planned.report;
    let searching = budget.elapsed().as_secs_f64() - reading - grounding;
    let told = Told::of(&files, &task, &report.outcome)?;
    if let (Some(file), Some(text)) = (&args.plan, &told.plan_text)
        && series.costs.is_empty()
    {
        output::file(file, text.as_bytes())?;
    }
    let engine = request.engine;
    if args.json {
        let row = json!({
            "version": VERSION, "domain": files.domain.name, "problem": files.problem.name, "engine": engine.name(),
            "heuristic": planned.estimate.map(Estimate::name), "status": told.status, "limit": told.limit.map(|limit| limit.to_string()),
            "cost": told.cost, "at_least": report.outcome.at_least(), "plan": told.steps, "checked": told.steps.is_some(),
            "costs": series.costs, "sat": planned.sat.as_ref().map(|sat| sat_row(sat, &request.sat)),
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
    let bound = report
        .outcome
        .at_least()
        .map_or(String::new(), |bound| format!(", at least {bound}"));
    let work = match &planned.sat {
        Some(sat) => sat_words(sat, &request.sat, told.status == "optimal"),
        None => format!("{} states expanded", report.effort.expanded),
    };
    let heuristic = planned
        .estimate
        .map_or(String::new(), |estimate| format!(" with {estimate}"));
    output::text(&format!(
        "; {}{}{bound}\n; {} facts, {} operators, {} derived facts\n; read in {reading:.2} s, grounded in {grounding:.2} s, searched \
         in {searching:.2} s by {engine}{heuristic}: {work}, {:.0} MB\n",
        told.status,
        told.limit
            .map_or(String::new(), |limit| format!(" ({limit})")),
        task.facts.len(),
        task.operators.len(),
        task.axioms.bodies.len(),
        budget.peak_memory() as f64 / f64::from(1 << 20),
    ))?;
    Ok(told.exit)
}

/// What planning as satisfiability has to say beside the cost: steps are its own measure.
fn sat_row(sat: &SatReport, options: &SatOptions) -> Value {
    json!({
        "encoding": options.encoding.name(), "strategy": options.strategy.name(), "step": options.step,
        "steps": sat.steps, "at_least_steps": sat.at_least_steps, "horizon": sat.horizon,
        "variables": sat.variables, "clauses": sat.clauses,
    })
}

fn sat_words(sat: &SatReport, options: &SatOptions, optimal: bool) -> String {
    let steps = sat
        .steps
        .map_or(String::new(), |steps| format!("a plan of {steps} steps, "));
    let actions = if options.encoding == Encoding::Exists {
        " of one or more actions"
    } else {
        ""
    };
    let coarse = if !optimal && (options.step > 1 || options.strategy != Strategy::InTurn) {
        " (not every horizon was asked about, so fewer may do)"
    } else {
        ""
    };
    format!(
        "{steps}proven that at least {} steps{actions} are needed{coarse}; {} variables and {} clauses for {} steps",
        sat.at_least_steps, sat.variables, sat.clauses, sat.horizon
    )
}

/// Plans that come one after the other, each better than the one before.
struct Series<'a> {
    files: &'a Files,
    task: &'a Task,
    file: Option<&'a str>,
    told: RefCell<SeriesTold>,
}

#[derive(Default)]
struct SeriesTold {
    costs: Vec<u32>,
    failure: Option<Failure>,
}

impl Series<'_> {
    fn name(&self, number: usize) -> Option<String> {
        self.file.map(|file| format!("{file}.{number}"))
    }

    /// What an earlier run left must not look like this run's.
    fn clear(&self) {
        let names = (1..).map_while(|number| self.name(number));
        let _ = names.map(std::fs::remove_file).find(Result::is_err);
    }

    fn tell(&self, plan: &[OperatorId], cost: u32) {
        let mut told = self.told.borrow_mut();
        told.costs.push(cost);
        let Some(name) = self.name(told.costs.len()) else {
            return;
        };
        let judged = Judged::new(self.files, self.task, plan, cost);
        let written = judged.and_then(|judged| output::file(&name, judged.text.as_bytes()));
        if let Err(failure) = written {
            told.failure.get_or_insert(failure);
        }
    }
}

/// A plan that the judge accepts.
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
        // No plan leaves without the judge, who knows nothing of the grounder.
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
            Outcome::Feasible { why, .. } => ("feasible", Some(*why), Exit::with_plan(*why)),
            Outcome::Unsolvable => ("unsolvable", None, Exit::Unsolvable),
            Outcome::GaveUp { why, .. } => ("limit", Some(*why), Exit::without_plan(*why)),
        };
        let Some(plan) = outcome.plan() else {
            return Ok(Told {
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
        Ok(Told {
            status,
            limit,
            exit,
            cost: Some(cost),
            steps: Some(judged.steps),
            plan_text: Some(judged.text),
        })
    }
}
