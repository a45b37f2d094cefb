//! Experiments on a cluster: a real SLURM with its controller and one node on this machine. Skipped
//! where SLURM is not installed.

use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, is_running};
use ployglot_testing::program::{Folder, wait_for};
use ployglot_testing::skip::skip;

const LIMITS: &str = "cpu = '5m'\nwall = '10m'\nmemory = '200M'\ngrace = '100ms'";

/// Writes its process number and waits for the file `go`.
const WAITS: &str = "echo $$ >> \"$1/waits.log\"; echo $$ > \"$1/pid\"
while [ ! -e \"$1/go\" ]; do sleep 0.1; done
echo went\n";

/// A SLURM of one machine, stopped when dropped.
struct Slurm {
    folder: Folder,
    configuration: String,
}

impl Slurm {
    fn start() -> Option<Slurm> {
        let folder = Folder::new();
        let output = script()
            .arg(folder.path().join("slurm"))
            .output()
            .expect("a shell");
        if output.status.code() == Some(77) {
            skip(String::from_utf8_lossy(&output.stderr).trim());
            return None;
        }
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8(output.stdout).expect("text");
        let configuration = printed.trim().strip_prefix("export SLURM_CONF=");
        let configuration = configuration
            .expect("the script prints what to export")
            .to_string();
        Some(Slurm {
            folder,
            configuration,
        })
    }

    fn bench(&self, bench: Bench) -> Bench {
        bench.env("SLURM_CONF", &self.configuration)
    }

    /// Cancels all jobs, as an administrator may.
    fn cancel_all(&self) {
        let mut command = Command::new("scancel");
        command
            .args(["--me"])
            .env("SLURM_CONF", &self.configuration);
        assert!(command.status().expect("scancel").success());
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let folder = self.folder.path().join("slurm");
        let _ = script().arg("--stop").arg(folder).status();
    }
}

fn script() -> Command {
    Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scripts/slurm-here"
    ))
}

#[test]
fn jobs_continue_without_the_command_and_lost_ones_are_submitted_again() {
    let Some(slurm) = Slurm::start() else { return };
    let bench = Bench::new(LIMITS, "'best'")
        .script("waits", WAITS, "output = { limit = 'went' }")
        .script("quick", "exit 12\n", "exit = { limit = [12] }");
    let bench = slurm.bench(bench);
    let on_cluster = ["--engine", "slurm"];
    let log = || bench.text("waits.log").unwrap_or_default().lines().count();

    // The jobs of a killed command continue.
    let mut runner = bench.start(&on_cluster);
    let solver = bench.pid("pid");
    wait_for(|| (bench.rows().len() == 2).then_some(()));
    runner.kill().expect("it runs");
    runner.wait().expect("it ends");
    assert!(is_running(solver), "the run ended with the command");

    // A cancelled run is lost; the same command submits it again.
    let mut runner = bench.start(&on_cluster);
    slurm.cancel_all();
    wait_for(|| (log() == 2).then_some(()));
    wait_for(|| (!is_running(solver)).then_some(()));
    kill(Pid::from_raw(runner.id() as i32), Signal::SIGINT).expect("it runs");
    assert_eq!(runner.wait().expect("it ends").code(), Some(12));

    // Results of the time without a command are collected later, and not run again.
    bench.file("go", "");
    bench
        .run(&on_cluster)
        .exits(0)
        .says("3 of 3 runs are in")
        .says("2 of them before");
    assert_eq!(log(), 2);
    assert_eq!(
        (
            bench.row("waits").status.as_str(),
            bench.row("best").checked
        ),
        ("limit", true)
    );
    let spool = bench.path("results.db.slurm");
    assert!(
        !std::fs::exists(&spool).expect("a folder"),
        "{spool} is left behind"
    );
}

#[test]
fn without_slurm_the_error_names_the_missing_program() {
    let bench = Bench::new(LIMITS, "'best'").env("PATH", "/nowhere");
    bench
        .run(&["--engine", "slurm"])
        .exits(33)
        .complains("'sbatch'");
}
