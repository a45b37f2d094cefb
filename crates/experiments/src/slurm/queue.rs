//! The commands of SLURM that are used: `sbatch`, `squeue`, `scontrol`. All other data of a run is
//! exchanged through files (`spool.rs`).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::suite::Limits;
use ployglot_io::failure::Failure;

/// What an array task may use beyond the limits of its run: for the warden and the referee.
const MORE_TIME: Duration = Duration::from_secs(120);
const MORE_MEMORY: u64 = 512 << 20;

/// Submits a job array with this number of array tasks, at most `at_once` of them at a time.
pub fn submit(
    name: &str,
    folder: &Path,
    tasks: usize,
    at_once: Option<usize>,
    limits: &Limits,
    more: &[String],
) -> Result<(), Failure> {
    let own = std::env::current_exe().map_err(|error| Failure::io("this program", error))?;
    let minutes = (limits.wall() + limits.grace + MORE_TIME)
        .as_secs()
        .div_ceil(60);
    let megabytes = (limits.memory + MORE_MEMORY) >> 20;
    let throttle = at_once.map_or(String::new(), |most| format!("%{most}"));
    let mut command = Command::new("sbatch");
    command
        .args([
            "--parsable",
            "--no-requeue",
            "--ntasks=1",
            "--cpus-per-task=1",
            "--output=%a.log",
        ])
        .arg(format!("--job-name={name}"))
        .arg(format!("--array=0-{}{throttle}", tasks - 1))
        .arg(format!("--time={minutes}"))
        .arg(format!("--mem={megabytes}M"))
        .arg(format!("--chdir={}", folder.display()))
        .args(more)
        .arg(format!(
            "--wrap=exec {} {} .",
            quoted(&own.display().to_string()),
            super::array_task::ARRAY_TASK
        ));
    output_of(&mut command).map(|_| ())
}

/// The array tasks of these jobs that wait or run: the name of the job and the number of the task.
pub fn queued(names: &[String]) -> Result<BTreeSet<(String, usize)>, Failure> {
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut command = Command::new("squeue");
    command
        .args(["--noheader", "--array", "--format=%j %K"])
        .arg(format!("--name={}", names.join(",")));
    Ok(output_of(&mut command)?
        .lines()
        .filter_map(read_task)
        .collect())
}

fn read_task(line: &str) -> Option<(String, usize)> {
    let (name, number) = line.trim().rsplit_once(' ')?;
    Some((name.trim().to_string(), number.parse().ok()?))
}

/// The highest number of array tasks that we submit in one job.
pub fn max_array_size() -> usize {
    let config = output_of(Command::new("scontrol").args(["show", "config"])).unwrap_or_default();
    max_array_size_in(&config).unwrap_or(1000)
}

/// The setting `MaxArraySize` is one more than the highest number of an array task.
fn max_array_size_in(config: &str) -> Option<usize> {
    let line = config
        .lines()
        .find_map(|line| line.trim().strip_prefix("MaxArraySize"))?;
    let size: usize = line.trim_start_matches([' ', '=']).trim().parse().ok()?;
    // At most 1000, to keep the batch files and the list of the queue short.
    Some(size.clamp(1, 1000))
}

/// Runs a program of SLURM and returns what it prints.
fn output_of(command: &mut Command) -> Result<String, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output: Output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Usage(format!(
            "there is no '{name}': SLURM is not installed, or not in PATH"
        )),
        _ => Failure::io(name.clone(), error),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(Failure::Unsupported(format!(
        "{name}: {}",
        message
            .trim()
            .trim_start_matches(&format!("{name}: error: "))
    )))
}

/// The word quoted for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_slurm_is_read() {
        assert_eq!(read_task("ploy-1 17\n"), Some(("ploy-1".to_string(), 17)));
        assert_eq!(read_task("ploy-1 N/A"), None);
        assert_eq!(
            max_array_size_in("A = 1\nMaxArraySize            = 501\nB = 2"),
            Some(501)
        );
        assert_eq!(max_array_size_in("MaxArraySize = 4000001"), Some(1000));
        assert_eq!(max_array_size_in("nothing"), None);
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
