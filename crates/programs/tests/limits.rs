//! Programs are found, run in a folder of their own, limited and killed with all that they started.

#![cfg(unix)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ployglot_base::{Budget, Call, Limit, RunEnd, RunOutput, Tool};

const SHELL: Tool = Tool {
    name: "the shell",
    programs: &["no-such-shell", "sh"],
    package: None,
    install: "it is part of the system",
};

fn shell(script: &str, minds_time: bool, budget: &Budget) -> RunOutput {
    let programs = ployglot_programs::local();
    let call = Call {
        program: programs.find(&SHELL).expect("every Unix has a shell"),
        arguments: vec!["-c".to_string(), script.to_string()],
        files: vec![("input", b"three\nlines\nhere\n".to_vec())],
        results: vec!["result", "none"],
        minds_time,
    };
    let run = programs.run(&call, budget, "test", &mut |_, _| ());
    run.expect("the shell starts")
}

#[test]
fn a_program_reads_its_files_and_its_results_are_read() {
    let ran = shell(
        "sort input > result; echo done; echo why >&2; exit 3",
        false,
        &Budget::unlimited(),
    );
    assert_eq!(ran.end, RunEnd::Exit(3));
    assert_eq!((ran.output.as_str(), ran.last_words()), ("done\n", "why"));
    assert_eq!(
        ran.results,
        [Some("here\nlines\nthree\n".to_string()), None]
    );
}

/// Processes that the program started in the background are killed with it.
#[test]
fn a_limit_kills_the_whole_group() {
    let budget = Budget::unlimited().with_time(Duration::from_millis(200));
    let started = Instant::now();
    let ran = shell("sleep 31 & echo $! ; wait", false, &budget);
    assert_eq!(ran.end, RunEnd::Limit(Limit::Time));
    assert!(started.elapsed() < Duration::from_secs(10));
    let id = ran.output.trim();
    let state = || std::fs::read_to_string(format!("/proc/{id}/stat"));
    // A killed process may wait to be reaped by the system.
    let gone = |stat: std::io::Result<String>| stat.map_or(true, |stat| stat.contains(") Z "));
    let mut tries = 0;
    while !gone(state()) && tries < 100 {
        std::thread::sleep(Duration::from_millis(20));
        tries += 1;
    }
    assert!(gone(state()), "process {id} still runs");
}

#[test]
fn an_interrupt_ends_a_program() {
    let flag = Arc::new(AtomicBool::new(false));
    let raise = flag.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        raise.store(true, Relaxed);
    });
    let ran = shell(
        "echo begun; sleep 31",
        true,
        &Budget::unlimited().with_interrupt(flag),
    );
    assert_eq!(ran.end, RunEnd::Limit(Limit::Interrupt));
    assert_eq!(ran.output, "begun\n");
}

/// A program that was given the time limit has a moment to write its result; not longer.
#[test]
fn a_program_that_minds_the_time_may_finish() {
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    let ran = shell("sleep 0.4; echo late > result", true, &budget);
    if ran.end == RunEnd::Exit(0) {
        assert_eq!(ran.results[0].as_deref(), Some("late\n"));
    }
    let budget = Budget::unlimited().with_time(Duration::from_millis(100));
    let ran = shell("sleep 31", true, &budget);
    assert_eq!(ran.end, RunEnd::Limit(Limit::Time));
}

#[test]
#[cfg(target_os = "linux")]
fn the_memory_of_a_program_counts() {
    let budget = Budget::unlimited();
    let budget = budget
        .clone()
        .with_memory(budget.peak_memory() + (60 << 20));
    // The shell keeps a text of 200 MB.
    let script = "x=$(head -c 200000000 /dev/zero | tr '\\0' 'a'); sleep 31; echo ${#x}";
    assert_eq!(
        shell(script, false, &budget).end,
        RunEnd::Limit(Limit::Memory)
    );
}

#[test]
fn a_missing_program_comes_with_the_way_to_get_it() {
    let programs = ployglot_programs::local();
    let tool = Tool {
        programs: &["no-such-program"],
        ..SHELL
    };
    let missing = programs
        .obtain(&tool, &Budget::unlimited())
        .expect_err("it is missing");
    assert!(
        missing.contains("'no-such-program'") && missing.contains("part of the system"),
        "{missing}"
    );
}
