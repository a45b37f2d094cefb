//! `ploy doctor`: what this machine has. Which solvers are inside and which programs are found, the
//! processor with the features that fast paths use, the free memory, the configuration file.

use std::path::PathBuf;

use ployglot_base::budget::available_memory;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{limits, output};
use ployglot_solve::Technology;
use serde_json::{Value, json};

use crate::config;

#[derive(clap::Args)]
pub struct Args {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// A solver, and where its program is.
struct Found {
    technology: Technology,
    /// `None`: it is inside.
    program: Option<Result<PathBuf, &'static str>>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let programs = ployglot_io::programs();
    let solvers: Vec<Found> = Technology::named()
        .map(|technology| Found {
            technology,
            program: technology
                .tool()
                .map(|tool| programs.find(&tool).ok_or(tool.install)),
        })
        .collect();
    match args.json {
        true => output::line(&row(&solvers).to_string()),
        false => print(&solvers),
    }
    .map(|()| Exit::Solved)
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / f64::from(1 << 30))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The features of the processor that speed up the solvers, and whether it has them.
fn features() -> Vec<(&'static str, bool)> {
    #[cfg(target_arch = "x86_64")]
    return vec![
        ("popcnt", std::arch::is_x86_feature_detected!("popcnt")),
        ("bmi2", std::arch::is_x86_feature_detected!("bmi2")),
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    return Vec::new();
}

/// What is wrong with the configuration file.
fn config_error() -> Option<String> {
    let read = config::with_defaults(super::command());
    read.err().map(|failure| failure.line())
}

fn print(solvers: &[Found]) -> Result<(), Failure> {
    let machine = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let features: Vec<&str> = features()
        .iter()
        .filter(|pair| pair.1)
        .map(|pair| pair.0)
        .collect();
    output::line(&format!(
        "machine    {machine}, {} cores, {}",
        cores(),
        features.join(" ")
    ))?;
    let memory = match (available_memory(), limits::default_memory()) {
        (Some(free), Some(limit)) => format!(
            "{} free; the usual limit is {}",
            gigabytes(free),
            gigabytes(limit)
        ),
        _ => "not known, so there is no usual limit".to_string(),
    };
    output::line(&format!("memory     {memory}"))?;
    let file = match (config_error(), config::path()) {
        (Some(why), _) => format!("cannot be used: {why}"),
        (None, Some(path)) => path.display().to_string(),
        (None, None) => "none".to_string(),
    };
    output::line(&format!("ploy.toml  {file}"))?;
    output::line("solvers")?;
    for Found {
        technology,
        program,
    } in solvers
    {
        let place = match program {
            None => "inside".to_string(),
            Some(Ok(path)) => path.display().to_string(),
            Some(Err(install)) => format!("not found ({install})"),
        };
        output::line(&format!("  {:<22}{place}", technology.name()))?;
    }
    Ok(())
}

fn row(solvers: &[Found]) -> Value {
    let place = |found: &Found| match &found.program {
        None => json!("inside"),
        Some(Ok(path)) => json!(path.display().to_string()),
        Some(Err(_)) => Value::Null,
    };
    let entries = solvers
        .iter()
        .map(|found| (found.technology.name().to_string(), place(found)));
    let features: serde_json::Map<String, Value> = features()
        .into_iter()
        .map(|(name, has)| (name.to_string(), json!(has)))
        .collect();
    json!({
        "version": ployglot_io::row::VERSION,
        "system": std::env::consts::OS,
        "processor": std::env::consts::ARCH,
        "cores": cores(),
        "features": features,
        "free_bytes": available_memory(),
        "memory_limit_bytes": limits::default_memory(),
        "config": config::path().map(|path| path.display().to_string()),
        "config_error": config_error(),
        "solvers": entries.collect::<serde_json::Map<String, Value>>(),
    })
}
