//! `ploy bench`: runs the experiment of a suite file. Results go to a database, and a page has
//! their tables and plots.

use std::path::Path;
use std::time::Duration;

use ployglot_experiments::report::{Format, Part, ReportOptions, Results, report};
use ployglot_experiments::suite::Suite;
use ployglot_experiments::{Engine, Options};
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::amount;
use ployglot_io::{limits, output};

#[derive(clap::Args)]
pub struct Args {
    /// The suite file (TOML): levels, routes, solvers and limits
    suite: String,
    /// The database; runs that it already has are not repeated [default: the suite's name with .db,
    /// in this folder]
    #[arg(long, value_name = "FILE")]
    db: Option<String>,
    /// How many runs at a time, each bound to its own core [default: 1; on a cluster, as many as it
    /// accepts]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// CPU time for a run, instead of the suite's limit: 60s, 1h
    #[arg(long, visible_alias = "limit", value_parser = limits::time, value_name = "TIME")]
    cpu: Option<Duration>,
    /// Memory for a run, instead of the suite's limit: 512M, 8G
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Only the first N levels of each [[levels]] or [[tasks]]; the others can be added to the same database
    /// later
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    first: Option<u16>,
    /// Only N levels of the whole suite, evenly spread, beginning with the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    levels: Option<u16>,
    /// Only levels of the families that match this glob, such as '3x*'; for planning tasks, the
    /// domains; can be repeated
    #[arg(long, value_name = "GLOB")]
    families: Vec<String>,
    /// Only solvers whose name matches this glob, such as 'eprime:*:cp'; can be repeated. The others can be
    /// added to the same database later
    #[arg(long, value_name = "GLOB")]
    solvers: Vec<String>,
    /// The folder that has a folder for each domain, for the [[tasks]] of the suite
    #[arg(long, value_name = "DIR")]
    tasks: Option<String>,
    /// Where the runs are made
    #[arg(long, value_enum, default_value_t = Engine::Local)]
    engine: Engine,
    /// An option for sbatch, such as --sbatch=--partition=long; can be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// The page with tables and plots [default: the database's name with .html]
    #[arg(long, value_name = "FILE")]
    page: Option<String>,
}

#[cfg(not(target_os = "linux"))]
fn experiment(_: &Suite, _: &Options) -> Result<ployglot_experiments::Finished, Failure> {
    Err(Failure::Unsupported(
        "experiments run on Linux only, which can limit and measure each run".to_string(),
    ))
}

#[cfg(target_os = "linux")]
use ployglot_experiments::run as experiment;

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut suite = Suite::read(&args.suite)?;
    if let Some(cpu) = args.cpu {
        suite.limits.cpu = cpu;
        suite.limits.wall = None;
    }
    if let Some(folder) = &args.tasks {
        suite.take_tasks_from(folder)?;
    }
    suite.limits.memory = args.memory.unwrap_or(suite.limits.memory);
    let stem = |file: &str| Path::new(file).with_extension("").display().to_string();
    let file = Path::new(&args.suite)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("bench");
    let database = args.db.unwrap_or_else(|| format!("{}.db", stem(file)));
    let page = args
        .page
        .unwrap_or_else(|| format!("{}.html", stem(&database)));
    let options = Options {
        database: database.clone(),
        jobs: args.jobs.map(usize::from),
        engine: args.engine,
        sbatch: args.sbatch,
        first: args.first.map(usize::from),
        levels: args.levels.map(usize::from),
        families: args.families,
        solvers: args.solvers,
    };
    let finished = experiment(&suite, &options)?;
    let done = finished.before + finished.now;
    let before = match finished.before {
        0 => String::new(),
        before => format!(", {before} of them before"),
    };
    output::line(&format!(
        "{done} of {} runs are in {database}{before}",
        finished.all
    ))?;
    if finished.foreign > 0 {
        let foreign = finished.foreign;
        output::note(&format!(
            "{foreign} runs in it were made by another build of ploy; choose another --db to repeat them"
        ));
    }
    if done > 0 {
        let options = ReportOptions {
            format: Format::Html,
            part: None,
            scatter: None,
        };
        let results = Results::read(&database)?;
        output::file(&page, report(&results, &options)?.as_bytes())?;
        output::line(&format!("tables and plots: {page}"))?;
        if !suite.tables.is_empty() {
            output::line(&finished.levels)?;
            let paper = ReportOptions {
                format: Format::Text,
                part: Some(Part::Paper),
                scatter: None,
            };
            output::text(&format!("\n{}", report(&results, &paper)?))?;
        }
    }
    for (level, solver, why) in &finished.contradicted {
        output::note(&format!("{level}: {solver}: {why}"));
    }
    for absent in &finished.absent {
        output::note(absent);
    }
    for lost in &finished.lost {
        output::note(&format!("failed repeatedly: {lost}"));
    }
    if !finished.contradicted.is_empty() {
        let count = finished.contradicted.len();
        let are = if count == 1 { "is" } else { "are" };
        output::note(&format!("{} {are} contradicted", amount(count, "runs")));
        return Ok(Exit::Defect);
    }
    if finished.interrupted {
        output::note("interrupted; the same command makes the missing runs");
    }
    let complete = !finished.interrupted && finished.lost.is_empty() && finished.absent.is_empty();
    Ok(if complete {
        Exit::Solved
    } else {
        Exit::Unproven
    })
}
