//! `ploy plan`: a planner for PDDL files, with the arguments of planners in the planning
//! competition.

mod certificate;

use std::cell::RefCell;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ployglot_base::{Budget, Limit, Outcome};
use ployglot_pddl::lifted::{Expression, Metric, Problem};
use ployglot_pddl::pruning::{Pruning, Prunings};
use ployglot_pddl::satplan::{Decisions, Encoding, SatOptions, SatReport, Strategy};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Ruling, Step, Task, print_step, validate_within};
use ployglot_solve::{Engine, Estimate, PlanRequest, Search, plan_task};
use serde_json::{Value, json};

use crate::progress::Lines;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::planning_files::{Files, Stopped};
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
    /// The heuristic, an estimate of the cost to the goal [default: the engine's choice]
    #[arg(long, value_parser = estimate_parser())]
    heuristic: Option<Estimate>,
    /// Do without this pruning; may be repeated
    #[arg(long, value_name = "PRUNING", value_parser = pruning_parser())]
    without: Vec<Pruning>,
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
    /// For the engine sat: what decides which variable is tried next [default: solver]
    #[arg(long, value_parser = decisions_parser())]
    sat_decisions: Option<Decisions>,
    /// Threads of one search; the engine astar uses two, one for tables and one for landmark cuts,
    /// and the engine sat one for each horizon that it works on
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Also write a certificate of an optimal or unsolvable answer to this new folder: files by which
    /// `ploy verify`, or VeriPB, can check that no plan is cheaper
    #[arg(long, value_name = "DIR", conflicts_with = "satisfice")]
    certificate: Option<String>,
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

fn pruning_parser() -> impl TypedValueParser<Value = Pruning> {
    let name = |pruning: Pruning| PossibleValue::new(pruning.name()).help(pruning.about());
    PossibleValuesParser::new(Pruning::ALL.map(name)).try_map(|name| Pruning::parse(&name))
}

fn encoding_parser() -> impl TypedValueParser<Value = Encoding> {
    let name = |encoding: Encoding| PossibleValue::new(encoding.name()).help(encoding.about());
    PossibleValuesParser::new(Encoding::ALL.map(name)).try_map(|name| Encoding::parse(&name))
}

fn strategy_parser() -> impl TypedValueParser<Value = Strategy> {
    let name = |strategy: Strategy| PossibleValue::new(strategy.name()).help(strategy.about());
    PossibleValuesParser::new(Strategy::ALL.map(name)).try_map(|name| Strategy::parse(&name))
}

fn decisions_parser() -> impl TypedValueParser<Value = Decisions> {
    let name = |decisions: Decisions| PossibleValue::new(decisions.name()).help(decisions.about());
    PossibleValuesParser::new(Decisions::ALL.map(name)).try_map(|name| Decisions::parse(&name))
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
            self.sat_decisions.is_some(),
        ];
        if given.contains(&true) && self.engine() != Engine::Sat {
            let message = format!(
                "--sat-step, --sat-encoding, --sat-strategy and --sat-decisions are for --engine sat, not {}",
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
            decisions: self.sat_decisions.unwrap_or_default(),
        })
    }
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let request = PlanRequest {
        engine: args.engine(),
        estimate: args.heuristic,
        sat: args.sat()?,
        prunings: args
            .without
            .iter()
            .fold(Prunings::default(), |prunings, &off| prunings.without(off)),
    };
    let mut budget = limits::budget(args.time, args.memory).with_threads(usize::from(args.threads));
    let texts = planning_files::load(&args.domain, args.problem.as_deref())?;
    output::refuse_inputs(&[("PLAN", args.plan.as_ref())], &texts.names())?;
    let contents = args.certificate.is_some().then(|| texts.contents());
    budget = budget.with_interrupt(interrupt::flag());
    let lines = Lines::new();
    let line = lines.add(args.problem.as_deref().unwrap_or(&args.domain));
    if let Some(line) = line.clone() {
        budget = budget.with_watch(move |progress| line.show(progress));
    }
    let finish_line = || line.iter().for_each(|line| line.finish());
    let files = match texts.read(&budget) {
        Ok(files) => files,
        Err(stopped) => {
            finish_line();
            return stop(&args, &request, stopped, "reading", &budget);
        }
    };
    let reading = budget.elapsed().as_secs_f64();
    let task = match files.ground(&budget) {
        Ok(task) => task,
        Err(stopped) => {
            finish_line();
            return stop(&args, &request, stopped, "grounding", &budget);
        }
    };
    let grounding = budget.elapsed().as_secs_f64() - reading;
    let judge = Judge {
        files: &files,
        task: &task,
        budget: &budget,
    };
    let writer = PlanWriter {
        judge: &judge,
        file: args.plan.as_deref(),
        costs: RefCell::default(),
        failure: RefCell::default(),
    };
    writer.remove_old_files()?;
    let planned = plan_task(&task, &request, &budget, &mut |plan, cost| {
        writer.write(plan, cost)
    })
    .map_err(|bad| Failure::CommandLine(bad.0))?;
    finish_line();
    if let Some(failure) = writer.failure.into_inner() {
        return Err(failure);
    }
    let costs = writer.costs.into_inner();
    let report = &planned.report;
    let searching = budget.elapsed().as_secs_f64() - reading - grounding;
    let answer = Answer::of(&judge, &report.outcome)?;
    let judged = answer.plan.as_ref();
    if let (Some(file), Some(judged)) = (&args.plan, judged)
        && costs.is_empty()
    {
        output::file(file, judged.file_text().as_bytes())?;
    }
    let unchecked = judged.and_then(|judged| judged.unchecked);
    let engine = request.engine;
    let certificate = match (&args.certificate, contents) {
        (Some(folder), Some([domain, problem])) => {
            let planning = certificate::Planning {
                files: &files,
                texts: [&domain, &problem],
                task: &task,
                estimate: args.heuristic,
            };
            let plan = judged.map(|judged| judged.text.as_str());
            Some(planning.write(folder, &answer, plan, &budget)?)
        }
        _ => None,
    };
    let exit = certificate.as_ref().map_or(answer.exit, |(_, exit)| *exit);
    let certificate = certificate.map(|(note, _)| note);
    if args.json {
        let name = |limit: Limit| limit.to_string();
        let row = json!({
            "version": VERSION, "domain": files.domain.name, "problem": files.problem.name, "engine": engine.name(),
            "heuristic": planned.estimate.map(Estimate::name), "status": answer.status, "limit": answer.limit.map(name),
            "cost": answer.cost, "at_least": report.outcome.at_least(), "plan": judged.map(|judged| &judged.steps),
            "checked": judged.is_some() && unchecked.is_none(), "unchecked": unchecked.map(name),
            "costs": costs, "sat": planned.sat.as_ref().map(|sat| sat_row(sat, &request.sat)),
            "reading_seconds": reading, "grounding_seconds": grounding, "searching_seconds": searching,
            "expanded": report.effort.expanded, "generated": report.effort.generated, "stored": report.effort.stored,
            "peak_mb": budget.peak_memory() as f64 / f64::from(1 << 20),
            "facts": task.facts.len(), "operators": task.operators.len(), "axioms": task.axioms.bodies.len(),
            "certificate": certificate,
        });
        output::line(&row.to_string())?;
        return Ok(exit);
    }
    if args.plan.is_none()
        && let Some(judged) = judged
    {
        output::text(&judged.text)?;
    }
    let bound = report
        .outcome
        .at_least()
        .map_or(String::new(), |bound| format!(", at least {bound}"));
    let unchecked = unchecked.map_or(String::new(), |limit| {
        format!("; the plan is not validated: the validator was ended by {limit}\n")
    });
    let work = match &planned.sat {
        Some(sat) => sat_text(sat, &request.sat, answer.status == "optimal"),
        None => format!("{} states expanded", report.effort.expanded),
    };
    let heuristic = planned
        .estimate
        .map_or(String::new(), |estimate| format!(" with {estimate}"));
    output::text(&format!(
        "; {}{}{bound}\n{unchecked}; {} facts, {} operators, {} derived facts\n; read in {reading:.2} s, grounded in {grounding:.2} s, searched \
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
    if let Some(note) = certificate {
        output::line(&format!("; proof: {}", note.sentence()))?;
    }
    Ok(exit)
}

/// Reports what ended the work before the search.
fn stop(
    args: &Args,
    request: &PlanRequest,
    stopped: Stopped,
    phase: &str,
    budget: &Budget,
) -> Result<Exit, Failure> {
    let limit = match stopped {
        Stopped::Failure(failure) => return Err(failure),
        Stopped::Limit(limit) => limit,
    };
    let (seconds, peak) = (budget.elapsed().as_secs_f64(), budget.peak_memory());
    let peak = peak as f64 / f64::from(1 << 20);
    if args.json {
        let row = json!({
            "version": VERSION, "engine": request.engine.name(), "status": "limit", "limit": limit.to_string(),
            "cost": null, "at_least": 0, "plan": null, "checked": false, "unchecked": null, "costs": [],
            "phase": phase, "peak_mb": peak,
        });
        output::line(&row.to_string())?;
    } else {
        output::line(&format!(
            "; limit ({limit}) while {phase}, at least 0\n; {seconds:.2} s, {peak:.0} MB"
        ))?;
    }
    Ok(Exit::without_plan(limit))
}

/// The keys of planning as satisfiability, which counts steps beside the cost.
fn sat_row(sat: &SatReport, options: &SatOptions) -> Value {
    json!({
        "encoding": options.encoding.name(), "strategy": options.strategy.name(), "step": options.step,
        "decisions": options.decisions.name(),
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

/// The first line of a plan file. `ploy plan` replaces or removes a file `PLAN.1`, `PLAN.2`, … only
/// if it starts so.
const WRITTEN_HERE: &str = "; written by ploy plan\n";

/// Writes each better plan of an engine to its own file as soon as it is found: PLAN.1, PLAN.2, …
struct PlanWriter<'a> {
    judge: &'a Judge<'a>,
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

    /// Removes the files of an earlier run, which could be mistaken for those of this run. A file
    /// that `ploy plan` did not write stays.
    fn remove_old_files(&self) -> Result<(), Failure> {
        for name in (1..).map_while(|number| self.file_name(number)) {
            if !Path::new(&name).exists() {
                break;
            }
            if was_written_here(&name) {
                std::fs::remove_file(&name).map_err(|error| Failure::io(&name, error))?;
            }
        }
        Ok(())
    }

    fn write(&self, plan: &[OperatorId], cost: u32) {
        let mut costs = self.costs.borrow_mut();
        costs.push(cost);
        let Some(name) = self.file_name(costs.len()) else {
            return;
        };
        let written = self.judge.judge(plan, cost).and_then(|judged| {
            if Path::new(&name).exists() && !was_written_here(&name) {
                let why = "a file of this name exists that 'ploy plan' did not write";
                let error = std::io::Error::new(std::io::ErrorKind::AlreadyExists, why);
                return Err(Failure::io(&name, error));
            }
            output::file(&name, judged.file_text().as_bytes())
        });
        if let Err(failure) = written {
            self.failure.borrow_mut().get_or_insert(failure);
        }
    }
}

/// Whether the file starts as plan files do. False for what is not a plain file.
fn was_written_here(name: &str) -> bool {
    let mut start = [0; WRITTEN_HERE.len()];
    let read = |mut file: std::fs::File| file.read_exact(&mut start);
    let plain = std::fs::symlink_metadata(name).is_ok_and(|found| found.is_file());
    plain && std::fs::File::open(name).and_then(read).is_ok() && start == *WRITTEN_HERE.as_bytes()
}

/// Gives plans to the judge (`pddl/validate`), which shares no code with the grounder.
struct Judge<'a> {
    files: &'a Files,
    task: &'a Task,
    budget: &'a Budget,
}

/// A plan that the judge accepts, or had no time for.
struct Judged {
    steps: Vec<String>,
    text: String,
    /// The limit that ended the judge.
    unchecked: Option<Limit>,
}

impl Judged {
    /// The text of a plan file.
    fn file_text(&self) -> String {
        let unchecked = match self.unchecked {
            Some(limit) => format!("; not validated: the validator was ended by {limit}\n"),
            None => String::new(),
        };
        format!("{WRITTEN_HERE}{unchecked}{}", self.text)
    }
}

impl Judge<'_> {
    /// `Err`: the judge rejects the plan.
    fn judge(&self, plan: &[OperatorId], cost: u32) -> Result<Judged, Failure> {
        let (domain, problem) = (&self.files.domain, &self.files.problem);
        let steps: Vec<Step> = plan
            .iter()
            .map(|id| self.task.operators[id.0 as usize].step.clone())
            .collect();
        let wanted = f64::from(cost) + initial_cost(problem);
        let validate = |budget: &Budget| validate_within(domain, problem, &steps, budget);
        let unchecked = match self.budget.last_check(validate) {
            Ok(Ruling::Valid { cost: judged }) if judged == wanted => None,
            Ok(verdict) => {
                return Err(Failure::Defect(format!(
                    "the judge rejects the plan of cost {cost}: {verdict:?}"
                )));
            }
            Err(limit) => Some(limit),
        };
        let steps: Vec<String> = steps
            .iter()
            .map(|step| print_step(step, domain, problem))
            .collect();
        let unit = matches!(problem.metric, Metric::Steps);
        let kind = if unit { "unit cost" } else { "general cost" };
        let lines = steps
            .iter()
            .map(|step| format!("{step}\n"))
            .collect::<String>();
        Ok(Judged {
            text: format!("{lines}; cost = {cost} ({kind})\n"),
            steps,
            unchecked,
        })
    }
}

/// The value at the start of the function that the metric minimises. A plan costs what its actions
/// add to it.
fn initial_cost(problem: &Problem) -> f64 {
    let Metric::Minimize(Expression::Function(function, arguments)) = &problem.metric else {
        return 0.0;
    };
    let mut values = problem.values.iter();
    let given = values.find(|value| value.function == *function && value.arguments.is_empty());
    given
        .filter(|_| arguments.is_empty())
        .map_or(0.0, |given| given.value)
}

/// An outcome as it is printed, after the judge has seen its plan.
struct Answer {
    status: &'static str,
    limit: Option<Limit>,
    exit: Exit,
    cost: Option<u32>,
    plan: Option<Judged>,
}

impl Answer {
    fn of(judge: &Judge, outcome: &Outcome<OperatorId>) -> Result<Answer, Failure> {
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
        let mut answer = Answer {
            status,
            limit,
            exit,
            cost: outcome.cost(),
            plan: None,
        };
        if let Some(plan) = outcome.plan() {
            let judged = judge.judge(plan, outcome.cost().unwrap_or_default())?;
            // A plan that the judge has not seen is not called optimal.
            if let (Some(unchecked), Outcome::Optimal { .. }) = (judged.unchecked, outcome) {
                answer.status = "feasible";
                answer.limit = Some(unchecked);
                answer.exit = Exit::with_plan(unchecked);
            }
            answer.plan = Some(judged);
        }
        Ok(answer)
    }
}
