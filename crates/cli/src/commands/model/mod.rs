//! `ploy model`: solves an Essence Prime model or an Essence specification: one solution, all, the
//! best, or a sweep over horizons. Can write the files that scripts for Savile Row or Conjure expect.
//! The first line of the text says which language it is; without one, the name of the file does.

mod show;
mod write;

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ployglot_base::text::{printable, unknown};
use ployglot_base::{Budget, Limit};
use ployglot_eprime::{Fault, Source};
use ployglot_solve::{
    ModelAnswer, ModelFailure, ModelStatus, ModelText, Optimisation, STEPS, SweepStep, Technology,
    solve_model_by, sweep_model,
};

use crate::progress::Lines;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{interrupt, limits, load, output};
use show::{print, row, write_files};
use write::{limited, refuse_inputs_as_outputs, write};

#[derive(clap::Args)]
pub struct Args {
    /// The model, an .eprime or .essence file
    model: String,
    /// The values of its parameters, a .param file
    instance: Option<String>,
    /// The solver
    #[arg(long, default_value_t = Technology::Sat, value_parser = technology_parser())]
    solver: Technology,
    /// List this many solutions
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    solutions: u32,
    /// List all solutions
    #[arg(long, conflicts_with = "solutions")]
    all: bool,
    /// How much the model is worked on before it is solved: 0 not at all, 1 simplified, 2 also
    /// tabulated, filtered and relaxed, 3 also probed
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = Optimisation::DEFAULT_LEVEL, value_parser = clap::value_parser!(u8).range(0..=3), conflicts_with = "horizon")]
    optimise: u8,
    /// Leave out these steps: simplify, merge, tabulate, filter, probe, relax
    #[arg(
        long,
        value_name = "STEPS",
        value_delimiter = ',',
        conflicts_with = "horizon"
    )]
    without: Vec<String>,
    /// Change the value of a parameter: --set goal=3
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Try values of a parameter in turn until one has a solution: --horizon noSteps=1.. or
    /// noSteps=1..20
    #[arg(long, value_name = "NAME=FROM..TO", conflicts_with_all = ["solutions", "all"])]
    horizon: Option<String>,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Write the clauses as DIMACS, with the meaning of their variables as comments, and do not
    /// solve
    #[arg(long, value_name = "FILE")]
    dimacs: Option<String>,
    /// Write the flat problem as FlatZinc, for Chuffed, Gecode and others, and do not solve
    #[arg(long, value_name = "FILE")]
    flatzinc: Option<String>,
    /// Write the integer program as MPS, for MIP solvers, and do not solve; it minimises, so an
    /// objective to maximise is negated
    #[arg(long, value_name = "FILE")]
    mps: Option<String>,
    /// Solve with CaDiCaL and write the proof of unsatisfiability: LRAT, or DRAT if FILE ends in
    /// .drat; --dimacs writes the clauses that it refers to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["horizon", "solutions", "all"])]
    proof: Option<String>,
    /// Write the model in another language, and do not solve: the refined model of an Essence
    /// specification as Essence Prime
    #[arg(long, value_name = "LANGUAGE", value_parser = ["eprime"], conflicts_with_all = ["horizon", "solutions", "all", "dimacs", "flatzinc", "proof", "files", "json"])]
    to: Option<String>,
    /// Write INSTANCE.solution (or MODEL.solution) and .info, with the keys of Savile Row; of an
    /// Essence specification the names are those of Conjure: MODEL-INSTANCE.solution
    #[arg(long)]
    files: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The names and texts of the files, for error messages.
struct Texts {
    model: (String, String),
    params: (String, String),
}

impl Texts {
    fn failure(&self, fault: Fault) -> Failure {
        match fault.source {
            Source::Model => load::bad_text(&self.model.0, self.model.1.as_bytes(), fault.bad),
            Source::Params => load::bad_text(&self.params.0, self.params.1.as_bytes(), fault.bad),
            Source::Setting => Failure::CommandLine(format!("--set: {}", fault.bad.message)),
        }
    }
}

fn technology_parser() -> impl TypedValueParser<Value = Technology> {
    let values = Technology::named().map(|each| PossibleValue::new(each.name()).help(each.about()));
    let values: Vec<PossibleValue> = values.collect();
    PossibleValuesParser::new(values).try_map(|name| Technology::parse(&name))
}

/// A longer model or parameter file is refused.
const LONGEST_TEXT: usize = 256 << 20;

pub fn run(args: Args) -> Result<Exit, Failure> {
    let budget = limits::budget(args.time, args.memory).with_interrupt(interrupt::flag());
    let lines = Lines::new();
    let line = lines.add(&args.model);
    let budget = match line.clone() {
        Some(line) => budget.with_watch(move |progress| line.show(progress)),
        None => budget,
    };
    let done = work(&args, &budget);
    if let Some(line) = line {
        line.finish();
    }
    let (answer, reading, is_essence) = match done? {
        Done::Solved(answer, reading, is_essence) => (answer, reading, is_essence),
        Done::Written(exit) => return Ok(exit),
    };
    for warning in &answer.warnings {
        anstream::eprintln!("warning: {}", printable(warning));
    }
    if args.files {
        write_files(&args, &answer, reading, is_essence)?;
    }
    if args.json {
        output::line(&row(&args, &answer, reading, &budget).to_string())?;
    } else {
        print(&answer, reading)?;
    }
    Ok(exit(&answer))
}

/// The names and values of a solution, as texts of the model's language.
type Shown = ModelAnswer<Vec<(String, String)>>;

/// Whether the text is Essence, not Essence Prime: by its language line, else by the name of the
/// file.
fn is_essence(name: &str, text: &str) -> bool {
    // The suite of Conjure has specifications with the language line of Essence Prime.
    name.ends_with(".essence") || ployglot_essence::is_essence(text) == Some(true)
}

/// What was done with a model.
enum Done {
    /// The answer, the seconds of reading, and whether the model is Essence.
    Solved(Box<Shown>, f64, bool),
    /// Files were written, and reported.
    Written(Exit),
}

/// Reads the files, and solves the model or writes it.
fn work(args: &Args, budget: &Budget) -> Result<Done, Failure> {
    refuse_inputs_as_outputs(args)?;
    let read = |name: &String| load::text_up_to(name, LONGEST_TEXT);
    let model_text = read(&args.model)?;
    let params_name = args.instance.clone().unwrap_or_default();
    let params_text = args.instance.as_ref().map_or(Ok(String::new()), read)?;
    let texts = Texts {
        model: (args.model.clone(), model_text),
        params: (params_name, params_text),
    };
    match is_essence(&args.model, &texts.model.1) {
        true if args.to.is_some() => translate(args, &texts, budget).map(Done::Written),
        true => work_on::<ployglot_essence::Model>(args, &texts, true, budget),
        false if args.to.is_some() => {
            let message = "--to eprime: the model is Essence Prime already";
            Err(Failure::CommandLine(message.to_string()))
        }
        false => work_on::<ployglot_eprime::Model>(args, &texts, false, budget),
    }
}

/// The model and the values of its parameters; the inner error is the limit that ended the work.
fn read<M: ModelText>(
    args: &Args,
    texts: &Texts,
    budget: &Budget,
) -> Result<Result<(M, M::Params), Limit>, Failure> {
    let fault = |source| move |bad| texts.failure(Fault { source, bad });
    let model = match M::read(&texts.model.1, budget) {
        Ok(model) => model.map_err(fault(Source::Model))?,
        Err(limit) => return Ok(Err(limit)),
    };
    let mut params = match M::read_params(&texts.params.1, budget) {
        Ok(params) => params.map_err(fault(Source::Params))?,
        Err(limit) => return Ok(Err(limit)),
    };
    for setting in &args.set {
        let (name, value) = named_value(setting)?;
        M::set(&mut params, name, value)
            .map_err(|bad| Failure::CommandLine(format!("--set {setting}: {}", bad.message)))?;
    }
    Ok(Ok((model, params)))
}

/// Solves or writes a model of this language.
fn work_on<M: ModelText>(
    args: &Args,
    texts: &Texts,
    is_essence: bool,
    budget: &Budget,
) -> Result<Done, Failure> {
    let seconds = || budget.elapsed().as_secs_f64();
    let solved = |answer, reading| Done::Solved(Box::new(answer), reading, is_essence);
    let (model, params) = match read::<M>(args, texts, budget)? {
        Ok(read) => read,
        Err(limit) => return Ok(solved(ModelAnswer::limited(limit), seconds())),
    };
    let reading = seconds();
    let outputs = [&args.dimacs, &args.flatzinc, &args.mps, &args.proof];
    if outputs.iter().any(|output| output.is_some()) {
        let steps = optimisation(args)?.unrolling;
        let flat = model
            .with_params(&params, budget)
            .and_then(|instance| match instance {
                Ok(instance) => M::flat(&instance, steps, budget),
                Err(fault) => Ok(Err(fault)),
            });
        let flat = match flat {
            Ok(flat) => flat.map_err(|fault| texts.failure(fault))?,
            Err(limit) => return limited(limit).map(Done::Written),
        };
        return write(args, &flat.problem, budget).map(Done::Written);
    }
    match solve(args, &model, &params, budget) {
        Ok(answer) => Ok(solved(answer, reading)),
        Err(Why::Model(ModelFailure::Fault(fault))) => Err(texts.failure(fault)),
        Err(Why::Model(ModelFailure::Defect(why))) => Err(Failure::Defect(why)),
        Err(Why::Model(ModelFailure::Missing(why))) => {
            let message = format!("--solver {}: {why}", args.solver);
            Err(Failure::Unsupported(message))
        }
        Err(Why::Other(failure)) => Err(failure),
    }
}

/// The two sides of `--set NAME=VALUE`.
fn named_value(setting: &str) -> Result<(&str, &str), Failure> {
    let sides = setting
        .split_once('=')
        .ok_or_else(|| Failure::CommandLine(format!("--set takes NAME=VALUE, not '{setting}'")))?;
    Ok((sides.0.trim(), sides.1))
}

/// Prints the refined model of an Essence specification.
fn translate(args: &Args, texts: &Texts, budget: &Budget) -> Result<Exit, Failure> {
    let (model, params) = match read::<ployglot_essence::Model>(args, texts, budget)? {
        Ok(read) => read,
        Err(limit) => return limited(limit),
    };
    let instance = match model.instance_within(&params, budget) {
        Ok(instance) => instance.map_err(|fault| texts.failure(fault))?,
        Err(limit) => return limited(limit),
    };
    match instance.eprime_within(budget) {
        Ok(text) => output::text(&text.map_err(|fault| texts.failure(fault))?)?,
        Err(limit) => return limited(limit),
    }
    Ok(Exit::Solved)
}

/// Why a model was not solved.
enum Why {
    Model(ModelFailure),
    Other(Failure),
}

impl From<ModelFailure> for Why {
    fn from(failure: ModelFailure) -> Self {
        Why::Model(failure)
    }
}

fn solve<M: ModelText>(
    args: &Args,
    model: &M,
    params: &M::Params,
    budget: &Budget,
) -> Result<Shown, Why> {
    let Some(horizon) = &args.horizon else {
        let most = if args.all {
            usize::MAX
        } else {
            args.solutions as usize
        };
        let report = &mut |_: &M::Solution, objective: Option<i64>, bound: Option<i64>| {
            if let (Some(value), Some(bound), false) = (objective, bound, args.json) {
                anstream::eprintln!("objective {value}, bound {bound}");
            }
        };
        let steps = optimisation(args).map_err(Why::Other)?;
        let answer = solve_model_by(model, params, args.solver, &steps, most, budget, report)?;
        return Ok(answer.map(M::texts));
    };
    let (name, first, last) = range(horizon).map_err(Why::Other)?;
    let known = model.parameter_names();
    if !known.contains(&name) {
        let message = unknown("parameter", name, known);
        return Err(Why::Other(Failure::CommandLine(format!(
            "--horizon: {message}"
        ))));
    }
    let report = |step: &SweepStep| {
        if !args.json {
            anstream::eprintln!("{}", step_line(name, step));
        }
    };
    let range = (name, first, last);
    let answer = sweep_model(model, params, args.solver, range, budget, report)?;
    Ok(answer.map(M::texts))
}

/// The steps between the model and the solver.
fn optimisation(args: &Args) -> Result<Optimisation, Failure> {
    let mut steps = Optimisation::level(args.optimise);
    for step in &args.without {
        steps = steps.without(step).ok_or_else(|| {
            let known = STEPS.iter().map(|(name, _)| *name);
            Failure::CommandLine(format!("--without: {}", unknown("step", step, known)))
        })?;
    }
    Ok(steps)
}

fn step_line(name: &str, step: &SweepStep) -> String {
    let word = match step.satisfiable {
        Some(true) => "satisfiable",
        Some(false) => "unsatisfiable",
        None => "limit",
    };
    format!(
        "{name} = {}: {word}, unrolled in {:.3} s, solved in {:.3} s, {} variables, {} constraints",
        step.value, step.unrolling, step.solving, step.size.variables, step.size.constraints
    )
}

/// Parses `noSteps=1..` or `noSteps=3..20`.
fn range(text: &str) -> Result<(&str, i64, Option<i64>), Failure> {
    let wrong = || {
        Failure::CommandLine(format!(
            "--horizon takes NAME=FROM..TO or NAME=FROM.., not '{text}'"
        ))
    };
    let (name, range) = text.split_once('=').ok_or_else(wrong)?;
    let (first, last) = range.split_once("..").ok_or_else(wrong)?;
    let first = first.trim().parse().map_err(|_| wrong())?;
    let last = match last.trim() {
        "" => None,
        last => Some(last.parse().map_err(|_| wrong())?),
    };
    Ok((name.trim(), first, last))
}

fn exit(answer: &Shown) -> Exit {
    match (&answer.status, answer.solutions.is_empty()) {
        (ModelStatus::Satisfiable | ModelStatus::Optimal, _) => Exit::Solved,
        (ModelStatus::Unsatisfiable, true) => Exit::Unsolvable,
        (ModelStatus::Unsatisfiable, false) => Exit::Solved,
        (ModelStatus::Limit(limit), true) => Exit::without_plan(*limit),
        (ModelStatus::Limit(limit), false) => Exit::with_plan(*limit),
    }
}
