//! On a node: one task of a job array is one run, guarded as everywhere.

use std::path::Path;
use std::process::ExitCode;

use super::spool::{Left, leave, read_batch};
use crate::entrant::Entrant;
use crate::machine;
use crate::runner::{cores, make};
use crate::warden::Wardens;
use ployglot_io::failure::Failure;
use ployglot_io::interrupt;

/// As SLURM calls this program; the folder of the batch follows.
pub const TASK: &str = "--bench-task";

/// If the program was started as a task: its whole work.
pub fn called() -> Option<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [TASK, folder] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(match task(Path::new(folder)) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{}", failure.line());
            ExitCode::FAILURE
        }
    })
}

fn task(folder: &Path) -> Result<ExitCode, Failure> {
    let number = std::env::var("SLURM_ARRAY_TASK_ID")
        .ok()
        .and_then(|text| text.parse::<usize>().ok());
    let number =
        number.ok_or_else(|| Failure::Usage("this is no task of a job array".to_string()))?;
    let batch = read_batch(folder)?;
    let task = batch
        .tasks
        .get(number)
        .ok_or_else(|| Failure::Defect(format!("{} has no task {number}", batch.name)))?;
    let suite = batch.suite()?;
    let entrants = Entrant::all(&suite);
    let entrant = entrants
        .iter()
        .find(|entrant| entrant.name() == task.solver);
    let entrant =
        entrant.ok_or_else(|| Failure::Defect(format!("the suite has no '{}'", task.solver)))?;
    // Which core is free only SLURM knows: where it has bound us to one, that is it; else the system chooses.
    let core = Some(cores())
        .filter(|cores| cores.len() == 1)
        .map(|cores| cores[0]);
    let stop = interrupt::flag();
    let Some(done) = make(
        &suite,
        &task.text,
        entrant,
        &task.measure,
        core,
        &Wardens::new(),
        &stop,
    )?
    else {
        eprintln!("stopped by SLURM before it was done");
        return Ok(ExitCode::FAILURE);
    };
    let left = Left {
        program: machine::program(),
        machine: machine::machine().to_string(),
        done,
    };
    leave(folder, number, &left)
        .map_err(|error| Failure::io(folder.display().to_string(), error))?;
    Ok(ExitCode::SUCCESS)
}
