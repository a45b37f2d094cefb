//! A* searches that take turns, against Dijkstra's algorithm, with guides of which some know
//! nothing, are slow, or lie.

mod spaces;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ployglot_base::{Budget, Guide, Limit, Outcome, Random, Space};
use ployglot_search::turns::{Candidate, turns};
use spaces::{Distances, Graph, RandomGuide, Sliding, judge, truth};

#[test]
fn random_graphs_with_several_guides() {
    let mut random = Random::new(1);
    for round in 0..200 {
        let costs: &[u32] = [&[1][..], &[0, 1, 2, 7], &[5, 1000]][round as usize % 3];
        let graph = Graph::random(1 + random.below(40), costs, &mut random);
        let graph = &graph;
        let work = AtomicU64::new(0);
        let guides: Vec<Candidate<RandomGuide>> = (0..1 + round % 3)
            .map(|seed| Candidate {
                make: Box::new(move || RandomGuide::new(graph, seed)),
                work: &work,
            })
            .collect();
        for threads in [1, 2] {
            let budget = Budget::unlimited().with_threads(threads);
            let report = turns(graph, &guides, u64::MAX, &budget).expect("work is not limited");
            judge(graph, &report, truth(graph), true);
        }
    }
}

/// Bounds of a sliding puzzle: the true ones, none, slow ones, or one that is too high at the start.
enum Bound<'a> {
    True(Distances<'a>),
    None,
    Slow(Distances<'a>, &'a AtomicU64),
    TooHigh(Distances<'a>, u32),
}

impl Guide<Sliding> for Bound<'_> {
    fn lower_bound(&mut self, state: &<Sliding as Space>::State) -> Option<u32> {
        match self {
            Bound::True(distances) => distances.lower_bound(state),
            Bound::None => Some(0),
            Bound::Slow(distances, work) => {
                std::thread::sleep(Duration::from_millis(5));
                work.fetch_add(1_000_000, Relaxed);
                distances.lower_bound(state)
            }
            Bound::TooHigh(distances, bound) => {
                let own = distances.lower_bound(state)?;
                Some(own.max(*bound))
            }
        }
    }
}

fn candidate<'a>(
    work: &'a AtomicU64,
    make: impl Fn() -> Bound<'a> + Sync + 'a,
) -> Candidate<'a, Bound<'a>> {
    Candidate {
        make: Box::new(make),
        work,
    }
}

fn puzzle() -> Sliding {
    Sliding {
        rows: 3,
        cols: 3,
        start: vec![8, 0, 6, 5, 4, 7, 2, 3, 1],
        twins: false,
    }
}

#[test]
fn the_fast_guide_is_not_held_up_by_a_slow_one() {
    let puzzle = puzzle();
    let work = [(); 3].map(|()| AtomicU64::new(0));
    let guides = [
        candidate(&work[0], || Bound::Slow(Distances(&puzzle), &work[0])),
        candidate(&work[1], || Bound::True(Distances(&puzzle))),
        candidate(&work[2], || Bound::None),
    ];
    for threads in [1, 3] {
        let budget = Budget::unlimited().with_threads(threads);
        let report = turns(&puzzle, &guides, u64::MAX, &budget).expect("work is not limited");
        judge(&puzzle, &report, truth(&puzzle), true);
        // The slow guide alone would take half a minute.
        assert!(budget.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn a_guide_that_lies_is_a_contradiction() {
    let puzzle = puzzle();
    let work = AtomicU64::new(0);
    let guides = [
        candidate(&work, || Bound::TooHigh(Distances(&puzzle), 1000)),
        candidate(&work, || Bound::True(Distances(&puzzle))),
    ];
    // (On two threads, the other search may have its proof before this one has begun.)
    let report = turns(&puzzle, &guides, u64::MAX, &Budget::unlimited());
    let outcome = report.expect("work is not limited").outcome;
    assert!(matches!(outcome, Outcome::Contradiction(_)), "{outcome:?}");
}

#[test]
fn a_limit_leaves_the_best_bound() {
    let puzzle = puzzle();
    let work = [(); 2].map(|()| AtomicU64::new(0));
    let guides = [
        candidate(&work[0], || Bound::Slow(Distances(&puzzle), &work[0])),
        candidate(&work[1], || Bound::Slow(Distances(&puzzle), &work[1])),
    ];
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    let report = turns(&puzzle, &guides, u64::MAX, &budget).expect("work is not limited");
    let distance = Distances(&puzzle).lower_bound(&puzzle.start());
    match report.outcome {
        Outcome::GaveUp { at_least, why } => {
            assert_eq!(why, Limit::Time);
            assert!(Some(at_least) >= distance, "{at_least}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_work_is_limited() {
    let puzzle = puzzle();
    for threads in [1, 2] {
        let work = [(); 2].map(|()| AtomicU64::new(0));
        let guides = [
            candidate(&work[0], || Bound::Slow(Distances(&puzzle), &work[0])),
            candidate(&work[1], || Bound::Slow(Distances(&puzzle), &work[1])),
        ];
        let budget = Budget::unlimited().with_threads(threads);
        let stopped = turns(&puzzle, &guides, 50_000_000, &budget);
        let effort = stopped
            .map(|report| report.outcome)
            .expect_err("it needs more");
        assert!((1..200).contains(&effort.expanded), "{effort:?}");
    }
}
