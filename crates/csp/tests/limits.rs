//! Limits hold in every phase of a back end, and a back end that was stopped can be asked again.
//!
//! The problems would take minutes in their phase. The interrupt comes when the phase reports that
//! it has begun, so the tests do not depend on the speed of the machine.

mod common;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{agree, solutions};
use ployglot_base::{Budget, Limit, Progress, Random};
use ployglot_csp::check::check_within;
use ployglot_csp::cp::CpBackend;
use ployglot_csp::filter::filter;
use ployglot_csp::flatzinc::flatzinc_within;
use ployglot_csp::mip::{MipBackend, MipSolver};
use ployglot_csp::outside::{
    DimacsBackend, DimacsSolver, FlatzincBackend, FlatzincSolver, missing_mip,
};
use ployglot_csp::probe::probe;
use ployglot_csp::sat::{Cadical, Kissat, SatBackend};
use ployglot_csp::{
    Backend, Comparison, Constraint, Domain, Literal, Operand, Problem, Quantity, SolveResult,
};
use ployglot_testing::programs::{self, budget, has_tool, ready};

/// The work must end this soon after the interrupt; far less than it would take, and more than a
/// busy machine needs.
const SOON: Duration = Duration::from_secs(20);

/// Asserts that the work ends with an interrupt that comes when it is in this phase.
#[track_caller]
fn ends_in<T: std::fmt::Debug>(
    phase: &'static str,
    work: impl FnOnce(&Budget) -> Result<T, Limit>,
) {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::new(Mutex::new(None));
    let (watched, noted) = (flag.clone(), raised.clone());
    let watch = move |progress: &Progress| {
        if progress.phase == phase && !watched.swap(true, Relaxed) {
            *noted.lock().expect("no thread panics") = Some(Instant::now());
        }
    };
    let budget = budget().with_interrupt(flag).with_watch(watch);
    let result = work(&budget);
    let raised = raised.lock().expect("no thread panics").take();
    let late = raised.expect("the phase was reported").elapsed();
    assert_eq!(result.map(|_| ()), Err(Limit::Interrupt));
    assert!(late < SOON, "{late:?} after the interrupt");
}

fn asked(backend: &mut dyn Backend, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
    match backend.solve(problem, &[], budget) {
        SolveResult::GaveUp(limit) => Err(limit),
        _ => Ok(()),
    }
}

/// Variables with the values 0 to `high` that are all different.
fn different(count: usize, high: i32) -> Problem {
    let mut problem = Problem::default();
    let add = |_| Operand::Var(problem.add_variable(Domain::range(0, high), None));
    let items = (0..count).map(add).collect();
    problem.post(Constraint::AllDifferent {
        items,
        except: None,
    });
    problem
}

/// One more pigeon than holes, as clauses; under the condition that the first variable is true.
fn pigeons(holes: i32) -> Problem {
    let mut problem = Problem::default();
    let active = problem.add_variable(Domain::bool(), None).is_true();
    let add = |_| problem.add_variable(Domain::range(1, holes), None);
    let pigeons: Vec<_> = (0..=holes).map(add).collect();
    for (i, &a) in pigeons.iter().enumerate() {
        for &b in &pigeons[..i] {
            for hole in 1..=holes {
                let apart = vec![Literal::IsNot(a, hole), Literal::IsNot(b, hole)];
                problem.post_when(Some(active), Constraint::Clause(apart));
            }
        }
    }
    problem
}

fn backends() -> Vec<(&'static str, Box<dyn Backend>)> {
    let mut all: Vec<(&'static str, Box<dyn Backend>)> = vec![
        ("sat", Box::<SatBackend<Cadical>>::default()),
        (
            "sat",
            Box::new(SatBackend::new(Cadical::without_decision_order())),
        ),
        ("sat", Box::<SatBackend<Kissat>>::default()),
        ("cp", Box::<CpBackend>::default()),
    ];
    if ready(missing_mip(MipSolver::Any, &budget())) {
        all.push(("mip", Box::<MipBackend>::default()));
    }
    if has_tool(&MipSolver::Cbc.tool()) {
        all.push(("mip", Box::new(MipBackend::new(MipSolver::Cbc))));
    }
    if has_tool(&FlatzincSolver::Gecode.tool()) {
        all.push(("cp", Box::new(FlatzincBackend::new(FlatzincSolver::Gecode))));
    }
    if has_tool(&DimacsSolver::Minisat.tool()) {
        all.push(("sat", Box::new(DimacsBackend::of(DimacsSolver::Minisat))));
    }
    all
}

#[test]
fn filtering_ends() {
    // Every item is fixed, and its value is removed from every other one.
    let mut problem = Problem::default();
    let add = |v| Operand::Var(problem.add_variable(Domain::constant(v), None));
    let items = (0..100_000).map(add).collect();
    problem.post(Constraint::AllDifferent {
        items,
        except: None,
    });
    ends_in("filtering", |budget| filter(&mut problem.clone(), budget));
}

#[test]
fn probing_ends() {
    let mut random = Random::new(1);
    let mut problem = Problem::default();
    let variables: Vec<_> = (0..2000)
        .map(|_| problem.add_variable(Domain::range(0, 9), None))
        .collect();
    for _ in 0..20_000 {
        let term = |_| (1, Quantity::Var(variables[random.below(variables.len())]));
        problem.post(Constraint::Linear {
            terms: (0..40).map(term).collect(),
            comparison: Comparison::AtMost,
            bound: 350,
        });
    }
    ends_in("probing", |budget| probe(&mut problem, budget));
}

#[test]
fn encoding_ends_within_a_constraint_and_between_constraints() {
    // Two million pairs of variables, each encoded by adders.
    let one = different(2000, 100_000);
    let mut many = different(2, 100_000);
    for _ in 0..1_000_000 {
        many.post(many.constraints[0].constraint.clone());
    }
    for problem in [one, many] {
        ends_in("encoding", |budget| {
            asked(&mut SatBackend::<Cadical>::default(), &problem, budget)
        });
        ends_in("encoding", |budget| {
            asked(&mut SatBackend::<Kissat>::default(), &problem, budget)
        });
    }
}

#[test]
fn posting_ends_within_a_constraint() {
    let problem = different(5000, 100_000);
    ends_in("posting", |budget| {
        asked(&mut CpBackend::default(), &problem, budget)
    });
    ends_in("posting", |budget| {
        asked(&mut MipBackend::default(), &problem, budget)
    });
}

#[test]
fn solving_ends() {
    // A market split problem: five sums must be half of their total, too hard for branch and bound.
    let mut random = Random::new(7);
    let mut market = Problem::default();
    let shops: Vec<_> = (0..40)
        .map(|_| market.add_variable(Domain::bool(), None))
        .collect();
    for _ in 0..5 {
        let term = |&shop| (random.below(100) as i64, Quantity::Var(shop));
        let terms: Vec<_> = shops.iter().map(term).collect();
        let bound = terms.iter().map(|term| term.0).sum::<i64>() / 2;
        market.post(Constraint::Linear {
            terms,
            comparison: Comparison::Equal,
            bound,
        });
    }
    let mut pigeons = pigeons(30);
    let active = Literal::AtLeast(ployglot_csp::VarId(0), 1);
    pigeons.post(Constraint::Clause(vec![active]));
    for (phase, mut backend) in backends() {
        let problem = if phase == "mip" { &market } else { &pigeons };
        ends_in(phase, |budget| asked(&mut *backend, problem, budget));
    }
}

#[test]
fn writing_flatzinc_ends() {
    let problem = different(30_000, 30_000);
    ends_in("writing", |budget| flatzinc_within(&problem, budget));
}

#[test]
fn checking_ends() {
    let mut problem = different(2, 9);
    for _ in 0..10_000 {
        problem.post(problem.constraints[0].constraint.clone());
    }
    let flag = Arc::new(AtomicBool::new(true));
    let budget = budget().with_interrupt(flag);
    assert_eq!(
        check_within(&problem, &[1, 2], &budget),
        Err(Limit::Interrupt)
    );
    assert_eq!(
        check_within(&problem, &[1, 2], &programs::budget()),
        Ok(Ok(()))
    );
}

#[test]
fn the_memory_ends_the_encoding() {
    let problem = different(2000, 100_000);
    let free = budget();
    let before = free.peak_memory();
    let budget = budget().with_memory(before + (200 << 20));
    let ended = asked(&mut SatBackend::<Kissat>::default(), &problem, &budget);
    assert_eq!(ended, Err(Limit::Memory));
    // Other tests of this program use memory at the same time.
    let most = before + (2 << 30);
    assert!(free.peak_memory() < most, "{} MB", free.peak_memory() >> 20);
}

/// Stops of every length, before the first decision too, and constraints that are added between
/// them.
#[test]
fn a_stopped_back_end_can_be_asked_again() {
    for (_, mut backend) in backends() {
        let mut problem = pigeons(9);
        let active = Literal::AtLeast(ployglot_csp::VarId(0), 1);
        for round in 0..40u32 {
            let time = Duration::from_micros(1 << (round % 16));
            let budget = budget().with_time(time);
            match backend.solve(&problem, &[active], &budget) {
                SolveResult::GaveUp(limit) => assert_eq!(limit, Limit::Time),
                SolveResult::Unsatisfiable => {}
                SolveResult::Satisfiable(_) => panic!("there are more pigeons than holes"),
            }
            if round % 8 == 7 {
                let x = ployglot_csp::VarId(1 + round / 8);
                problem.post(Constraint::Clause(vec![Literal::AtMost(x, 8)]));
                problem.add_variable(Domain::range(3, 5), None);
                let found = backend.solve(&problem, &[!active], &programs::budget());
                let SolveResult::Satisfiable(values) = found else {
                    panic!("{found:?}");
                };
                assert_eq!(ployglot_csp::check::check(&problem, &values), Ok(()));
            }
        }
    }
}

/// A limit within a constraint: the back end reads it again from the beginning.
#[test]
fn a_back_end_that_was_stopped_within_a_constraint_can_be_asked_again() {
    for (_, mut backend) in backends() {
        let mut problem = Problem::default();
        let x = problem.add_variable(Domain::range(1, 3), None);
        let y = problem.add_variable(Domain::range(2, 3), None);
        // Two copies of every pair of 1200 values: a million rows.
        let rows = |from: i32| (0..1_000_000).map(move |i| vec![i % 1200 + from, i / 1200 + 1]);
        let columns = vec![Operand::Var(x), Operand::Var(y)];
        problem.post(Constraint::Table {
            columns: columns.clone(),
            rows: rows(1).collect(),
        });
        problem.post(Constraint::NegativeTable {
            columns,
            rows: vec![vec![1, 2], vec![3, 3]],
        });
        let flag = Arc::new(AtomicBool::new(false));
        let raise = flag.clone();
        let budget = budget().with_interrupt(flag.clone());
        let interrupting = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            raise.store(true, Relaxed);
        });
        let _ = backend.update(&problem, &budget);
        interrupting.join().expect("it only sleeps");
        let all = solutions(&problem);
        assert_eq!(all.len(), 4);
        agree(&mut *backend, &problem, &[], &all);
        agree(
            &mut *backend,
            &problem,
            &[Literal::Is(x, 1), Literal::Is(y, 2)],
            &all,
        );
        agree(&mut *backend, &problem, &[Literal::Is(x, 1)], &all);
    }
}

/// Bounds that move one step at a time: propagation alone takes minutes.
fn slow_bounds() -> Problem {
    let mut problem = Problem::default();
    let x = problem.add_variable(Domain::range(0, 1 << 28), None);
    let y = problem.add_variable(Domain::range(0, 1 << 28), None);
    for (a, b) in [(x, y), (y, x)] {
        problem.post(Constraint::Linear {
            terms: vec![(1, Quantity::Var(a)), (-1, Quantity::Var(b))],
            comparison: Comparison::AtMost,
            bound: -1,
        });
    }
    problem
}

#[test]
fn a_limit_ends_a_propagation_of_pumpkin() {
    let problem = slow_bounds();
    let mut backend = CpBackend::default();
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    let started = Instant::now();
    assert_eq!(asked(&mut backend, &problem, &budget), Err(Limit::Time));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    // The back end can be asked again.
    assert_eq!(
        asked(&mut backend, &Problem::default(), &Budget::unlimited()),
        Ok(())
    );
}
