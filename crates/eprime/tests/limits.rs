//! Limits hold in every phase between the text and the problem, and when a solution is judged.
//!
//! The texts would take minutes in their phase. The interrupt comes when the phase reports that it
//! has begun, so the tests do not depend on the speed of the machine.

use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ployglot_base::{Budget, Limit, Progress};
use ployglot_eprime::{Horizon, Model, Params, Ruling, Solution, Value};

/// The work must end this soon after the interrupt; far less than it would take, and more than a
/// busy machine needs.
const SOON: Duration = Duration::from_secs(20);

/// Asserts that the work ends with an interrupt that comes when it is in this phase.
#[track_caller]
fn ends_in<T: Debug>(phase: &'static str, work: impl FnOnce(&Budget) -> Result<T, Limit>) {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::new(Mutex::new(None));
    let (watched, noted) = (flag.clone(), raised.clone());
    let watch = move |progress: &Progress| {
        if progress.phase == phase && !watched.swap(true, Relaxed) {
            *noted.lock().expect("no thread panics") = Some(Instant::now());
        }
    };
    let budget = Budget::unlimited().with_interrupt(flag).with_watch(watch);
    let result = work(&budget).map(|_| ());
    let raised = raised.lock().expect("no thread panics").take();
    let late = raised.expect("the phase was reported").elapsed();
    assert_eq!(result, Err(Limit::Interrupt));
    assert!(late < SOON, "{late:?} after the interrupt");
}

fn model(text: &str) -> Model {
    Model::parse(text).unwrap_or_else(|bad| panic!("{bad}: {text}"))
}

/// Asserts that unrolling the model ends with an interrupt.
#[track_caller]
fn unrolling_ends(text: &str) {
    let model = model(text);
    let instance = model.instance(&Params::default()).expect("no parameters");
    ends_in("unrolling", |budget| instance.unroll_within(budget));
}

#[test]
fn reading_ends() {
    let mut text = "letting m be [".to_string();
    let row = format!("[{}],\n", vec!["0 + 1"; 1000].join(", "));
    (0..4000).for_each(|_| text += &row);
    text += "[]]";
    ends_in("reading", |budget| Params::parse_within(&text, budget));
    let mut text = "find x : int(0..9)\nsuch that x = 1".to_string();
    (0..1_000_000).for_each(|i| write!(text, ",\nx + {i} >= 0").expect("a string"));
    ends_in("reading", |budget| Model::parse_within(&text, budget));
}

#[test]
fn instantiating_ends() {
    for value in [
        "sum i, j : int(1..100000) . i * j",
        "sum([i | i : int(1..100000), exists j : int(1..100000) . i + j < 0])",
        "sum m : matrix indexed by [int(1..22)] of bool . sum(m)",
    ] {
        let model = model(&format!("given n : int\nletting k be n + {value}\n"));
        let params = Params::parse("letting n be 1").expect("a number");
        ends_in("instantiating", |budget| {
            model.instance_within(&params, budget)
        });
    }
}

#[test]
fn unrolling_a_constraint_ends() {
    unrolling_ends(
        "find x : matrix indexed by [int(1..3000)] of int(1..9)
         such that forAll i, j, k : int(1..3000) . x[i] + x[j] != k",
    );
    unrolling_ends(
        "find x : int(1..9)
         such that (sum i, j : int(1..100000) . toInt(x > 0 /\\ i < 0 /\\ j < 0)) = 0",
    );
    unrolling_ends(
        "find x : matrix indexed by [int(1..5000)] of int(1..9)
         such that or([allDiff([x[i], x[j], x[k]]) | i, j, k : int(1..5000)])",
    );
    unrolling_ends(
        "find b : bool
         such that forAll m : matrix indexed by [int(1..23)] of bool . and(m) -> b",
    );
}

#[test]
fn declaring_variables_ends() {
    unrolling_ends("find x : matrix indexed by [int(1..16000), int(1..16000)] of bool");
}

/// The term is built at once, and becomes twelve million pairs only when it is posted.
#[test]
fn posting_a_term_ends() {
    unrolling_ends(
        "find x : matrix indexed by [int(1..5000)] of int(1..9)
         such that !allDiff(x)",
    );
}

#[test]
fn a_matrix_beyond_the_memory_is_refused_before_it_is_made() {
    let model = model("find x : matrix indexed by [int(1..16000), int(1..16000)] of bool");
    let instance = model.instance(&Params::default()).expect("no parameters");
    let before = Budget::unlimited().peak_memory();
    let budget = Budget::unlimited().with_memory(before + (100 << 20));
    let ended = instance.unroll_within(&budget).map(|_| ());
    assert_eq!(ended, Err(Limit::Memory));
}

#[test]
fn judging_ends() {
    let model = model(
        "find x : int(1..9)
         such that x = 1, forAll i, j : int(1..100000) . i + j >= x",
    );
    let instance = model.instance(&Params::default()).expect("no parameters");
    let solution = |x: i64| Solution {
        values: vec![("x".to_string(), Value::Number(x))],
    };
    ends_in("judging", |budget| {
        instance.judge_within(&solution(1), budget)
    });
    let wrong = instance.judge_within(&solution(2), &Budget::unlimited());
    assert!(matches!(wrong, Ok(Ok(Ruling::Breaks(_)))));
}

/// After a limit the next step is a new problem, the same as without the limit.
#[test]
fn a_horizon_continues_after_a_limit() {
    let model = model(
        "given n : int
         find x : matrix indexed by [int(0..n)] of int(0..20)
         such that x[0] = 0, forAll i : int(1..n) . x[i] <= x[i - 1] + 3, x[n] = 10",
    );
    let ended = Arc::new(AtomicBool::new(true));
    let limited = Budget::unlimited().with_interrupt(ended);
    let mut plain = Horizon::new(&model, &Params::default(), "n");
    let mut stopped = Horizon::new(&model, &Params::default(), "n");
    for value in 1..6 {
        let step = plain.unroll(value).expect("it fits");
        let ended = stopped.unroll_within(value, &limited).map(|_| ());
        assert_eq!(ended, Err(Limit::Interrupt));
        assert!(stopped.instance().is_none());
        let again = stopped.unroll(value).expect("it fits");
        assert!(again.fresh, "the solver has to read the problem anew");
        assert_eq!(again.conditional, step.conditional);
        let values = |horizon: &Horizon| horizon.decisions().len();
        assert_eq!(values(&stopped), values(&plain));
    }
}

/// A parameter file with ten million numbers takes about ten bytes for each of them.
#[test]
#[ignore = "takes a minute without optimisation"]
fn a_parameter_file_of_100_megabytes_is_read() {
    let mut text = "letting m be [\n".to_string();
    for row in 0..10_000 {
        let numbers: Vec<String> = (0..1000).map(|i| (i * row - 999_999).to_string()).collect();
        writeln!(text, "[{}],", numbers.join(", ")).expect("a string");
    }
    text.truncate(text.len() - 2);
    text += "]\n";
    assert!(text.len() > 80 << 20, "{} MB", text.len() >> 20);
    let model = model(
        "given m : matrix indexed by [int(1..h), int(1..w)] of int
         letting total be sum(flatten(m))
         find x : int(1..9)
         such that x = h / 2000",
    );
    let before = Budget::unlimited().peak_memory();
    let params = Params::parse(&text).expect("it is well formed");
    let instance = model.instance(&params).expect("the index is inferred");
    let total = (0..10_000i64).map(|row| row * 499_500 - 999_999_000).sum();
    assert_eq!(instance.value("total"), Some(&Value::Number(total)));
    let after = Budget::unlimited().peak_memory();
    assert!(after - before < 600 << 20, "{} MB", (after - before) >> 20);
}
