//! A search ends soon after its limit, and what it then reports is true.

mod spaces;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ployglot_base::{Blind, Budget, Guide, Limit, Outcome, Random, Space};
use ployglot_search::Search;
use spaces::{Distances, Infinite, Sliding, judge, truth};

/// How late a search may end: more than the delays of the machine. It has several attempts, because
/// a busy machine may delay any one of them.
const LATE: Duration = Duration::from_millis(1500);
const ATTEMPTS: usize = 4;

/// Runs every search on an infinite space until its limit.
fn check_infinite(space: &Infinite, limit: Limit, time: Duration, budget: impl Fn() -> Budget) {
    for search in Search::ALL {
        let late = || {
            let budget = budget();
            let started = Instant::now();
            let report = search.run(space, &|| Blind, &budget);
            let late = started.elapsed().saturating_sub(time);
            let Outcome::GaveUp { why, .. } = report.outcome else {
                panic!("{} ended with {:?}", search.name(), report.outcome);
            };
            assert_eq!(why, limit, "{}", search.name());
            late
        };
        let in_time = (0..ATTEMPTS).any(|_| late() < LATE);
        assert!(in_time, "{} ended too late", search.name());
    }
}

#[test]
fn time_ends_every_search() {
    let time = Duration::from_millis(300);
    for (branches, pause) in [(2, 0), (3, 3), (20_000, 0)] {
        let space = Infinite {
            branches,
            pause: Duration::from_millis(pause),
            words: 2,
        };
        check_infinite(&space, Limit::Time, time, || {
            Budget::unlimited().with_time(time).with_threads(2)
        });
    }
}

#[test]
fn an_interrupt_ends_every_search() {
    let space = Infinite {
        branches: 3,
        pause: Duration::ZERO,
        words: 2,
    };
    let time = Duration::from_millis(100);
    check_infinite(&space, Limit::Interrupt, time, || {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        std::thread::spawn(move || {
            std::thread::sleep(time);
            raised.store(true, Relaxed);
        });
        Budget::unlimited().with_interrupt(flag)
    });
}

/// Whatever the limit, the reported bounds are true.
fn check_bounds<S: Space, G: Guide<S>>(space: &S, guide: impl Fn() -> G + Sync) {
    let truth = truth(space);
    for search in Search::ALL {
        for micros in [0, 300, 1000, 3000, 10_000] {
            let budget = Budget::unlimited()
                .with_time(Duration::from_micros(micros))
                .with_threads(2);
            let report = search.run(space, &guide, &budget);
            judge(space, &report, truth, false);
        }
    }
}

#[test]
fn bounds_are_true_whenever_a_search_is_stopped() {
    let mut random = Random::new(3);
    for _ in 0..4 {
        let puzzle = Sliding::shuffled(2, 4, 7, false, &mut random);
        check_bounds(&puzzle, || Blind);
        check_bounds(&puzzle, || Distances(&puzzle));
    }
}
