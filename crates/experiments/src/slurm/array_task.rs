//! On a node of a cluster: one array task of a job array makes one run, guarded by a warden.

use std::path::Path;
use std::process::ExitCode;

use super::spool::{RunResult, read_batch, write_result};
use crate::machine;
use crate::runner::{RunEnd, cores, run_solver};
use crate::solver::AnySolver;
use crate::warden::Wardens;
use ployglot_io::failure::Failure;
use ployglot_io::interrupt;

/// The first argument when SLURM starts this program; the second is the folder of the batch.
pub const ARRAY_TASK: &str = "--bench-task";

/// Does the work of an array task, if the program was started as one.
pub fn run_array_task() -> Option<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [ARRAY_TASK, folder] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(match run(Path::new(folder)) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{}", failure.line());
            ExitCode::FAILURE
        }
    })
}

fn run(folder: &Path) -> Result<ExitCode, Failure> {
    let number = std::env::var("SLURM_ARRAY_TASK_ID")
        .ok()
        .and_then(|text| text.parse::<usize>().ok());
    let number = number.ok_or_else(|| {
        Failure::Usage("SLURM_ARRAY_TASK_ID is not set: this is not an array task".to_string())
    })?;
    let batch = read_batch(folder)?;
    let task = batch
        .tasks
        .get(number)
        .ok_or_else(|| Failure::Defect(format!("{} has no array task {number}", batch.name)))?;
    let suite = batch.suite()?;
    let solvers = AnySolver::all(&suite);
    let solver = solvers.iter().find(|solver| solver.name() == task.solver);
    let solver = solver
        .ok_or_else(|| Failure::Defect(format!("the suite has no solver '{}'", task.solver)))?;
    // SLURM chooses the core. Where it has bound this process to one, that core is recorded; else
    // the run is not bound.
    let core = Some(cores())
        .filter(|cores| cores.len() == 1)
        .map(|cores| cores[0]);
    let stop = interrupt::flag();
    let end = run_solver(
        &suite,
        &task.text,
        solver,
        &task.measure,
        core,
        &Wardens::new(),
        &stop,
    )?;
    let done = match end {
        RunEnd::Finished(done) => *done,
        RunEnd::Stopped => {
            eprintln!("stopped by SLURM before the run had ended");
            return Ok(ExitCode::FAILURE);
        }
        RunEnd::NotInstalled(why) => {
            eprintln!("{why}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let result = RunResult {
        program: machine::program(),
        machine: machine::machine().to_string(),
        done,
    };
    write_result(folder, number, &result)
        .map_err(|error| Failure::io(folder.display().to_string(), error))?;
    Ok(ExitCode::SUCCESS)
}
