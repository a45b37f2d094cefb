//! `ploy model`: solves an Essence Prime model or an Essence specification: one solution, all, the
//! best, or a sweep over horizons. Can write the files that scripts for Savile Row or Conjure expect.
//! The first line of the text says which language it is; without one, the name of the file does.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ployglot_base::text::{printable, unknown};
use ployglot_base::{BadText, Budget, Limit};
use ployglot_csp::Problem;
use ployglot_csp::flatzinc::{NoFlatzinc, flatzinc_within};
use ployglot_csp::mip::MipBackend;
use ployglot_csp::sat::{Cnf, Dimacs, ProofFormat, SatResult, prove};
use ployglot_eprime::{Fault, Model, Params, Source};
use ployglot_solve::{
    ModelAnswer, ModelFailure, ModelStatus, Optimisation, STEPS, SweepStep, Technology,
    solve_essence, solve_model_by, sweep_essence, sweep_model,
};
use serde_json::{Value, json};

use crate::progress::Lines;
use ployglot_io::draft::Draft;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::VERSION;
use ployglot_io::{draft, interrupt, limits, load, output};

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
    /// tabulated and filtered, 3 also probed
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = Optimisation::DEFAULT_LEVEL, value_parser = clap::value_parser!(u8).range(0..=3), conflicts_with = "horizon")]
    optimise: u8,
    /// Leave out these steps: simplify, merge, tabulate, filter, probe
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

/// A model in one of the two languages.
enum Text {
    Prime(Model, Params),
    Essence(ployglot_essence::Model, ployglot_essence::Params),
}

/// Whether the text is Essence, not Essence Prime: by its language line, else by the name of the
/// file.
fn is_essence(name: &str, text: &str) -> bool {
    let lines = text
        .lines()
        .map(|line| line.trim_start_matches('\u{feff}').trim());
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('$'));
    let named = name.ends_with(".essence");
    match lines.next().and_then(|line| line.strip_prefix("language")) {
        // The suite of Conjure has specifications with the line of Essence Prime.
        Some(language) => named || !language.trim_start().starts_with("ESSENCE'"),
        None => named,
    }
}

/// What was done with a model.
enum Done {
    /// The answer, the seconds of reading, and whether the model is Essence.
    Solved(Box<Shown>, f64, bool),
    /// Files were written, and reported.
    Written(Exit),
}

/// Reads the model, and solves it or writes it.
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
    let in_model = |bad| {
        texts.failure(Fault {
            source: Source::Model,
            bad,
        })
    };
    let in_params = |bad| {
        texts.failure(Fault {
            source: Source::Params,
            bad,
        })
    };
    let seconds = || budget.elapsed().as_secs_f64();
    let is_essence = is_essence(&args.model, &texts.model.1);
    let limited = |limit| {
        Ok(Done::Solved(
            Box::new(ModelAnswer::limited(limit)),
            seconds(),
            is_essence,
        ))
    };
    let model = match is_essence {
        false => {
            let model = match Model::parse_within(&texts.model.1, budget) {
                Ok(model) => model.map_err(in_model)?,
                Err(limit) => return limited(limit),
            };
            let mut params = match Params::parse_within(&texts.params.1, budget) {
                Ok(params) => params.map_err(in_params)?,
                Err(limit) => return limited(limit),
            };
            for setting in &args.set {
                let (name, value) = named_value(setting)?;
                params
                    .set(name, value)
                    .map_err(|bad| bad_setting(setting, bad))?;
            }
            Text::Prime(model, params)
        }
        true => {
            let model = match ployglot_essence::Model::parse_within(&texts.model.1, budget) {
                Ok(model) => model.map_err(in_model)?,
                Err(limit) => return limited(limit),
            };
            let params = ployglot_essence::Params::parse_within(&texts.params.1, budget);
            let mut params = match params {
                Ok(params) => params.map_err(in_params)?,
                Err(limit) => return limited(limit),
            };
            for setting in &args.set {
                let (name, value) = named_value(setting)?;
                params
                    .set(name, value)
                    .map_err(|bad| bad_setting(setting, bad))?;
            }
            Text::Essence(model, params)
        }
    };
    let reading = seconds();
    if args.to.is_some() {
        return translate(&texts, &model, budget).map(Done::Written);
    }
    let outputs = [&args.dimacs, &args.flatzinc, &args.mps, &args.proof];
    if outputs.iter().any(|output| output.is_some()) {
        let problem = match flat(args, &texts, &model, budget)? {
            Ok(problem) => problem,
            Err(limit) => return self::limited(limit).map(Done::Written),
        };
        return write(args, &problem, budget).map(Done::Written);
    }
    match solve(args, &model, budget) {
        Ok(answer) => Ok(Done::Solved(Box::new(answer), reading, is_essence)),
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

fn bad_setting(setting: &str, bad: BadText) -> Failure {
    Failure::CommandLine(format!("--set {setting}: {}", bad.message))
}

/// Prints the refined model.
fn translate(texts: &Texts, model: &Text, budget: &Budget) -> Result<Exit, Failure> {
    let Text::Essence(model, params) = model else {
        let message = "--to eprime: the model is Essence Prime already";
        return Err(Failure::CommandLine(message.to_string()));
    };
    let instance = match model.instance_within(params, budget) {
        Ok(instance) => instance.map_err(|fault| texts.failure(fault))?,
        Err(limit) => return limited(limit),
    };
    match instance.eprime_within(budget) {
        Ok(text) => output::text(&text.map_err(|fault| texts.failure(fault))?)?,
        Err(limit) => return limited(limit),
    }
    Ok(Exit::Solved)
}

/// The flat problem; the inner error is the limit that ended the work.
fn flat(
    args: &Args,
    texts: &Texts,
    model: &Text,
    budget: &Budget,
) -> Result<Result<Problem, Limit>, Failure> {
    match model {
        Text::Prime(model, params) => {
            let instance = match model.instance_within(params, budget) {
                Ok(instance) => instance.map_err(|fault| texts.failure(fault))?,
                Err(limit) => return Ok(Err(limit)),
            };
            let steps = optimisation(args)?.unrolling;
            match instance.unroll_by(steps, budget) {
                Ok(unrolled) => Ok(Ok(unrolled.map_err(|fault| texts.failure(fault))?.problem)),
                Err(limit) => Ok(Err(limit)),
            }
        }
        Text::Essence(model, params) => {
            let instance = match model.instance_within(params, budget) {
                Ok(instance) => instance.map_err(|fault| texts.failure(fault))?,
                Err(limit) => return Ok(Err(limit)),
            };
            match instance.refine_within(budget) {
                Ok(refined) => Ok(Ok(refined.map_err(|fault| texts.failure(fault))?.problem)),
                Err(limit) => Ok(Err(limit)),
            }
        }
    }
}

/// An output file that is an input is probably a mistake, and would be lost.
fn refuse_inputs_as_outputs(args: &Args) -> Result<(), Failure> {
    let outputs = [
        ("--proof", &args.proof),
        ("--dimacs", &args.dimacs),
        ("--flatzinc", &args.flatzinc),
        ("--mps", &args.mps),
    ];
    for (option, output) in outputs {
        let Some(output) = output else { continue };
        let Ok(output) = std::fs::canonicalize(output) else {
            continue;
        };
        for input in [Some(&args.model), args.instance.as_ref()]
            .into_iter()
            .flatten()
        {
            if std::fs::canonicalize(input).is_ok_and(|input| input == output) {
                let message = format!("{option} would overwrite the input {input}");
                return Err(Failure::CommandLine(message));
            }
        }
    }
    Ok(())
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

fn solve(args: &Args, model: &Text, budget: &Budget) -> Result<Shown, Why> {
    let Some(horizon) = &args.horizon else {
        let most = if args.all {
            usize::MAX
        } else {
            args.solutions as usize
        };
        let show = |objective: Option<i64>, bound: Option<i64>| {
            if let (Some(value), Some(bound), false) = (objective, bound, args.json) {
                anstream::eprintln!("objective {value}, bound {bound}");
            }
        };
        let steps = optimisation(args).map_err(Why::Other)?;
        return Ok(match model {
            Text::Prime(model, params) => {
                let report = &mut |_: &_, value, bound| show(value, bound);
                let solver = args.solver;
                let answer = solve_model_by(model, params, solver, &steps, most, budget, report)?;
                answer.map(prime_texts)
            }
            Text::Essence(model, params) => {
                let report = &mut |_: &_, value, bound| show(value, bound);
                let solver = args.solver;
                let answer = solve_essence(model, params, solver, &steps, most, budget, report)?;
                answer.map(essence_texts)
            }
        });
    };
    let (name, first, last) = range(horizon).map_err(Why::Other)?;
    let known: Vec<&str> = match model {
        Text::Prime(model, _) => model.parameters().collect(),
        Text::Essence(model, _) => model.parameters().collect(),
    };
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
    Ok(match model {
        Text::Prime(model, params) => {
            let answer = sweep_model(model, params, args.solver, range, budget, report)?;
            answer.map(prime_texts)
        }
        Text::Essence(model, params) => {
            let answer = sweep_essence(model, params, args.solver, range, budget, report)?;
            answer.map(essence_texts)
        }
    })
}

fn prime_texts(solution: ployglot_eprime::Solution) -> Vec<(String, String)> {
    let values = solution.values.into_iter();
    values
        .map(|(name, value)| (name, value.to_string()))
        .collect()
}

fn essence_texts(solution: ployglot_essence::Solution) -> Vec<(String, String)> {
    let values = solution.values.into_iter();
    values
        .map(|(name, value)| (name, value.to_string()))
        .collect()
}

/// A solution as `letting NAME be VALUE`, one value on a line.
fn statements(solution: &[(String, String)]) -> String {
    let lines = solution.iter();
    lines
        .map(|(name, value)| format!("letting {name} be {value}\n"))
        .collect()
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

/// Writes the flat problem or its clauses for other tools, or a proof of unsatisfiability.
fn write(args: &Args, problem: &Problem, budget: &Budget) -> Result<Exit, Failure> {
    if let Some(file) = &args.flatzinc {
        let text = match flatzinc_within(problem, budget) {
            Ok(text) => text,
            Err(limit) => return limited(limit),
        };
        let text = text.map_err(|NoFlatzinc(constraint)| {
            Failure::Unsupported(format!(
                "constraint {constraint} of the flat problem has no form in FlatZinc"
            ))
        })?;
        output::file(file, text.as_bytes())?;
        output::line(file)?;
    }
    if let Some(file) = &args.mps {
        let text = match MipBackend::mps(problem, budget) {
            Ok(Some(text)) => text,
            Ok(None) => {
                return output::line("unsatisfiable: there is no integer program")
                    .map(|()| Exit::Unsolvable);
            }
            Err(Limit::Incomplete) => {
                let message = "the numbers of a constraint are too large for an integer program";
                return Err(Failure::Unsupported(message.to_string()));
            }
            Err(limit) => return limited(limit),
        };
        output::file(file, text.as_bytes())?;
        output::line(file)?;
    }
    if args.dimacs.is_none() && args.proof.is_none() {
        return Ok(Exit::Solved);
    }
    let clauses = match Dimacs::new(problem, budget) {
        Ok(clauses) => clauses,
        Err(Limit::Incomplete) => {
            let message = "the numbers of a constraint are too large for clauses";
            return Err(Failure::Unsupported(message.to_string()));
        }
        Err(limit) => return limited(limit),
    };
    let cnf = clauses.cnf();
    if let Some(file) = &args.dimacs {
        draft::write(file, |out| clauses.write(out))?;
        output::line(&format!(
            "{file}: {} variables, {} clauses",
            cnf.variables(),
            cnf.clauses().count()
        ))?;
    }
    match &args.proof {
        Some(file) => write_proof(cnf, file, budget),
        None => Ok(Exit::Solved),
    }
}

fn write_proof(cnf: &Cnf, file: &str, budget: &Budget) -> Result<Exit, Failure> {
    let format = if file.ends_with(".drat") {
        ProofFormat::Drat
    } else {
        ProofFormat::Lrat
    };
    // A proof may be larger than the memory, so it is written while it grows. If there is no proof,
    // the draft is dropped, and the file stays as it was.
    let draft = Draft::create(file)?;
    let (answer, _) =
        prove(cnf, format, draft.writer()?, budget).map_err(|error| draft.failure(error))?;
    if answer == SatResult::Unsatisfiable {
        draft.finish()?;
    }
    match answer {
        SatResult::Unsatisfiable => {
            output::line(&format!("{file}: unsatisfiable, proven")).map(|()| Exit::Unsolvable)
        }
        SatResult::Satisfiable => {
            output::line("satisfiable: there is nothing to prove").map(|()| Exit::Solved)
        }
        SatResult::GaveUp(limit) => limited(limit),
    }
}

/// Reports the limit that ended the work before there was anything to write.
fn limited(limit: Limit) -> Result<Exit, Failure> {
    output::line(&format!("limit: {limit}")).map(|()| Exit::without_plan(limit))
}

/// Prints the solutions and a line with the status, the times and the sizes.
fn print(answer: &Shown, reading: f64) -> Result<(), Failure> {
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

fn row(args: &Args, answer: &Shown, reading: f64, budget: &Budget) -> Value {
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

/// Writes `.solution` if there is a solution, and `.info` in any case.
fn write_files(args: &Args, answer: &Shown, reading: f64, is_essence: bool) -> Result<(), Failure> {
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

fn exit(answer: &Shown) -> Exit {
    match (&answer.status, answer.solutions.is_empty()) {
        (ModelStatus::Satisfiable | ModelStatus::Optimal, _) => Exit::Solved,
        (ModelStatus::Unsatisfiable, true) => Exit::Unsolvable,
        (ModelStatus::Unsatisfiable, false) => Exit::Solved,
        (ModelStatus::Limit(limit), true) => Exit::without_plan(*limit),
        (ModelStatus::Limit(limit), false) => Exit::with_plan(*limit),
    }
}
