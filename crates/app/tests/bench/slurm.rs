//! Experiments on a cluster: a real SLURM, with its controller and one node on this machine. Skipped where there is none.

use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, lives, wait_for};
use ployglot_testing::program::Folder;

const LIMITS: &str = "cpu = '5m'\nwall = '10m'\nmemory = '200M'\ngrace = '100ms'";

/// Tells its number, and waits for the file `go`.
const WAITS: &str = "echo $$ >> \"$1/waits.log\"; echo $$ > \"$1/pid\"
while [ ! -e \"$1/go\" ]; do sleep 0.1; done
echo went\n";

/// Ends with the test.
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
            eprintln!(
                "skipped: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
            return None;
        }
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).expect("text");
        let configuration = said.trim().strip_prefix("export SLURM_CONF=");
        let configuration = configuration.expect("what to export").to_string();
        Some(Slurm {
            folder,
            configuration,
        })
    }

    fn bench(&self, bench: Bench) -> Bench {
        bench.env("SLURM_CONF", &self.configuration)
    }

    /// Everything that waits or runs is cancelled, as by an administrator.
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
fn a_cluster_goes_on_without_its_command_and_what_it_loses_is_submitted_again() {
    let Some(slurm) = Slurm::start() else { return };
    let bench = Bench::new(LIMITS, "'best'")
        .script("waits", WAITS, "output = { limit = 'went' }")
        .script("quick", "exit 12\n", "exit = { limit = [12] }");
    let bench = slurm.bench(bench);
    let on_cluster = ["--engine", "slurm"];
    let log = || bench.text("waits.log").unwrap_or_default().lines().count();

    // Killed, the command leaves its jobs alone.
    let mut runner = bench.start(&on_cluster);
    let solver = bench.pid("pid");
    wait_for(|| (bench.rows().len() == 2).then_some(()));
    runner.kill().expect("it runs");
    runner.wait().expect("it ends");
    assert!(lives(solver), "the run ended with the command");

    // A run that is cancelled is lost; the same command notices, and submits it again.
    let mut runner = bench.start(&on_cluster);
    slurm.cancel_all();
    wait_for(|| (log() == 2).then_some(()));
    wait_for(|| (!lives(solver)).then_some(()));
    kill(Pid::from_raw(runner.id() as i32), Signal::SIGINT).expect("it runs");
    assert_eq!(runner.wait().expect("it ends").code(), Some(12));

    // What is done while nobody looks is collected later, and not run again.
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
fn without_slurm_it_is_told_what_is_missing() {
    let bench = Bench::new(LIMITS, "'best'").env("PATH", "/nowhere");
    bench
        .run(&["--engine", "slurm"])
        .exits(33)
        .complains("'sbatch'");
}
