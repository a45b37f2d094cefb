//! `ploy verify`: checks a certificate, step by step.

use std::time::Duration;

use ployglot_certificate::{Claim, Manifest, NoCertificate, PDDL, Report, Step, Verdict, verify};
use serde_json::json;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::folder::OldFolder;
use ployglot_io::row::{VERSION, amount};
use ployglot_io::{interrupt, limits, load, output};

use crate::progress::Lines;

#[derive(clap::Args)]
pub struct Args {
    /// The folder of a certificate, as `ploy solve --certificate` and `ploy plan --certificate` write it
    #[arg(value_name = "DIR")]
    folder: String,
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
    let lines = Lines::new();
    let line = lines.add(&args.folder);
    let shown = line.clone();
    let mut budget = limits::budget(args.time, args.memory)
        .with_programs(ployglot_io::programs())
        .with_interrupt(interrupt::flag());
    if let Some(line) = shown {
        budget = budget.with_watch(move |progress| line.show(progress));
    }
    let mut steps = Vec::new();
    let mut printed = Ok(());
    let mut report = |step: &Step| {
        if !args.json && printed.is_ok() {
            printed = lines.suspend(|| output::line(&format!("{:<10} {}", step.what, step.found)));
        }
        steps.push(step.clone());
    };
    let checked = verify(&OldFolder::new(&args.folder), &budget, &mut report);
    if let Some(line) = line {
        line.finish();
    }
    printed?;
    let report = checked.map_err(|no| {
        let manifest = format!("{}/manifest.json", args.folder);
        match no {
            NoCertificate::Io(error) => Failure::io(manifest, error),
            NoCertificate::BadText(bad, bytes) => load::bad_text(&manifest, &bytes, bad),
        }
    })?;
    if args.json {
        output::line(&row(&args.folder, &steps, &report).to_string())?;
    } else {
        for sentence in &report.trusted {
            output::line(&format!("{:<10} {sentence}", "trusted"))?;
        }
        output::line(&text(&report))?;
    }
    Ok(exit(&report.verdict))
}

fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Verified => Exit::Solved,
        Verdict::Refuted(_) => Exit::Rejected,
        Verdict::NotCheckable(_) => Exit::Unproven,
        Verdict::Limit(limit) => Exit::without_plan(*limit),
    }
}

/// What the manifest claims, in words.
fn claim(manifest: &Manifest) -> String {
    match manifest.claim {
        Claim::Cost(cost) if manifest.game == PDDL => {
            format!("the best plans of this planning problem cost {cost}")
        }
        Claim::Unsolvable if manifest.game == PDDL => {
            "this planning problem has no plan".to_string()
        }
        Claim::Cost(cost) => format!(
            "the best plans of this level of {} cost {}",
            manifest.game,
            amount(cost, &manifest.measure)
        ),
        Claim::Unsolvable => format!("this level of {} has no plan", manifest.game),
    }
}

fn text(report: &Report) -> String {
    match report.verdict {
        Verdict::Verified => format!("verified: {}", claim(&report.manifest)),
        ref other => other.to_string(),
    }
}

fn row(folder: &str, steps: &[Step], report: &Report) -> serde_json::Value {
    let steps: Vec<_> = steps
        .iter()
        .map(|step| json!({ "what": step.what, "found": step.found }))
        .collect();
    let why = match &report.verdict {
        Verdict::Verified => None,
        Verdict::Refuted(why) | Verdict::NotCheckable(why) => Some(why.clone()),
        Verdict::Limit(limit) => Some(limit.to_string()),
    };
    json!({
        "version": VERSION,
        "certificate": folder,
        "sha256": report.sha256,
        "game": report.manifest.game,
        "measure": report.manifest.measure,
        "claim": report.manifest.claim,
        "steps": steps,
        "trusted": report.trusted,
        "verdict": report.verdict.word(),
        "why": why,
    })
}
