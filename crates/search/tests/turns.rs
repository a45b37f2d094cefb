//! A* searches that take turns, against Dijkstra's algorithm, with guides of which some know
//! nothing, are slow, or lie.

mod spaces;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Random, Report, Space};
use ployglot_search::turns::{Candidate, Turns};
use spaces::{Distances, Graph, RandomGuide, Sliding, judge, truth};

/// Searches with these guides; `Err`: the effort after which they were paused.
fn turns<'a, S: Space, G: Guide<S> + Send>(
    space: &'a S,
    guides: impl IntoIterator<Item = Candidate<'a, G>>,
    most: u64,
    budget: &'a Budget,
) -> Result<Report<S::Move>, Effort> {
    let mut turns = Turns::new(space, 200, budget);
    for guide in guides {
        turns.add(guide);
    }
    turns.run(most).map_err(|paused| paused.effort())
}

#[test]
fn random_graphs_with_several_guides() {
    let mut random = Random::new(1);
    for round in 0..200 {
        let costs: &[u32] = [&[1][..], &[0, 1, 2, 7], &[5, 1000]][round as usize % 3];
        let graph = Graph::random(1 + random.below(40), costs, &mut random);
        let graph = &graph;
        let work = AtomicU64::new(0);
        let budgets = [1, 2].map(|threads| Budget::unlimited().with_threads(threads));
        let guide = |seed| Candidate {
            make: Box::new(move || RandomGuide::new(graph, seed)),
            work: &work,
        };
        for budget in &budgets {
            let guides = (0..1 + round % 3).map(guide);
            let report = turns(graph, guides, u64::MAX, budget).expect("work is not limited");
            judge(graph, &report, truth(graph), true);
        }
    }
}

/// Bounds of a sliding puzzle: the true ones, none, slow ones, a part of the true ones, or one that is
/// too high at the start.
enum Bound<'a> {
    True(Distances<'a>),
    None,
    Slow(Distances<'a>, &'a AtomicU64),
    /// The given percentage of the true distance, and the units of work.
    Part(Distances<'a>, u32, u64, &'a AtomicU64),
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
            Bound::Part(distances, percent, units, work) => {
                work.fetch_add(*units, Relaxed);
                Some(distances.lower_bound(state)? * *percent / 100)
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
    make: impl Fn() -> Bound<'a> + Send + Sync + 'a,
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
    for threads in [1, 3] {
        let guides = [
            candidate(&work[0], || Bound::Slow(Distances(&puzzle), &work[0])),
            candidate(&work[1], || Bound::True(Distances(&puzzle))),
            candidate(&work[2], || Bound::None),
        ];
        let budget = Budget::unlimited().with_threads(threads);
        let report = turns(&puzzle, guides, u64::MAX, &budget).expect("work is not limited");
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
    let budget = Budget::unlimited();
    let report = turns(&puzzle, guides, u64::MAX, &budget);
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
    let report = turns(&puzzle, guides, u64::MAX, &budget).expect("work is not limited");
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
        let stopped = turns(&puzzle, guides, 50_000_000, &budget);
        let effort = stopped
            .map(|report| report.outcome)
            .expect_err("it needs more");
        assert!((1..200).contains(&effort.expanded), "{effort:?}");
    }
}

/// The percentages of the work that each of three guides does. A guide gives this percentage of the
/// true distance, at this many units of work.
fn percentages(guides: [(u32, u64); 3], most: u64) -> [u64; 3] {
    let puzzle = puzzle();
    let work = [(); 3].map(|()| AtomicU64::new(0));
    let space = &puzzle;
    let guides = guides.iter().zip(&work).map(|(&(percent, units), work)| {
        candidate(work, move || {
            Bound::Part(Distances(space), percent, units, work)
        })
    });
    turns(&puzzle, guides, most, &Budget::unlimited()).expect_err("it needs more");
    let done = work.each_ref().map(|work| work.load(Relaxed));
    let all: u64 = done.iter().sum();
    done.map(|done| done * 100 / all)
}

#[test]
fn the_search_with_the_highest_bound_has_most_of_the_work() {
    const UNITS: u64 = 1_000_000;
    let guides = [(40, UNITS), (70, UNITS), (50, UNITS)];
    let [_, highest, _] = percentages(guides, 800_000_000);
    assert!(highest.abs_diff(73) < 8, "{highest}");
}

#[test]
fn of_equal_bounds_the_cheaper_one_has_most_of_the_work() {
    let guides = [(70, 2_000_000), (70, 200_000), (40, 200_000)];
    let [expensive, cheap, weak] = percentages(guides, 800_000_000);
    assert!(cheap > 50, "{cheap}");
    assert!(expensive > 5 && weak > 5, "{expensive} {weak}");
}

#[test]
fn a_search_continues_with_other_guides() {
    let mut random = Random::new(2);
    let mut exchanged = 0;
    for round in 0..300u64 {
        let costs: &[u32] = [&[1][..], &[0, 1, 2, 7], &[5, 1000]][round as usize % 3];
        let graph = match round % 2 {
            0 => Graph::random(1 + random.below(200), costs, &mut random),
            _ => Graph::maze(12, 15, &mut random),
        };
        let graph = &graph;
        let work = AtomicU64::new(0);
        let guide = |seed| Candidate {
            make: Box::new(move || RandomGuide::new(graph, seed)),
            work: &work,
        };
        let budget = Budget::unlimited().with_threads(1 + round as usize / 2 % 2);
        let mut turns = Turns::new(graph, 200, &budget);
        let first = turns.add(guide(0));
        turns.add(guide(1));
        let mut seed = 2;
        let report = loop {
            // One turn each time.
            turns = match turns.run(0) {
                Ok(report) => break report,
                Err(paused) => paused,
            };
            // The numbers stay: no search was dropped.
            assert_eq!(turns.improve(first, guide(seed)), first);
            exchanged += 1;
            seed += 1;
        };
        judge(graph, &report, truth(graph), true);
    }
    assert!(exchanged > 200, "{exchanged}");
}

/// A search that continues with a better guide keeps what it has done: it expands fewer states than one with the worse
/// guide alone, and not many more than one with the better guide alone.
#[test]
fn a_better_guide_saves_work() {
    let puzzle = puzzle();
    let budget = Budget::unlimited();
    let expanded = |percent, better: Option<u32>| {
        let work = [(); 2].map(|()| AtomicU64::new(0));
        let part = |at: usize, percent| {
            let (work, puzzle) = (&work[at], &puzzle);
            let bound = move || Bound::Part(Distances(puzzle), percent, 1_000, work);
            candidate(work, bound)
        };
        let mut turns = Turns::new(&puzzle, 200, &budget);
        let search = turns.add(part(0, percent));
        if let Some(percent) = better {
            let Err(mut paused) = turns.run(400_000) else {
                panic!("it needs more");
            };
            paused.improve(search, part(1, percent));
            let Ok(report) = paused.run(u64::MAX) else {
                panic!("work is not limited");
            };
            judge(&puzzle, &report, truth(&puzzle), true);
            // The better guide is asked only for the states that are the next to be expanded.
            let [worse, better] = work.each_ref().map(|work| work.load(Relaxed));
            assert!(better < worse, "{better} {worse}");
            return report.effort.expanded;
        }
        let Ok(report) = turns.run(u64::MAX) else {
            panic!("work is not limited");
        };
        report.effort.expanded
    };
    let (worse, better, both) = (
        expanded(40, None),
        expanded(90, None),
        expanded(40, Some(90)),
    );
    assert!(both < worse / 2, "{both} {worse}");
    assert!(both < better + 1_000, "{both} {better}");
}

#[test]
fn a_paused_search_continues_and_a_guide_may_come_later() {
    let puzzle = puzzle();
    for threads in [1, 2] {
        let work = [(); 3].map(|()| AtomicU64::new(0));
        let part = |at: usize, percent| {
            let work = &work[at];
            let puzzle = &puzzle;
            candidate(work, move || {
                Bound::Part(Distances(puzzle), percent, 1_000_000, work)
            })
        };
        let budget = Budget::unlimited().with_threads(threads);
        let mut turns = Turns::new(&puzzle, 200, &budget);
        let weak = turns.add(part(0, 40));
        turns.add(part(1, 50));
        let Err(mut turns) = turns.run(200_000_000) else {
            panic!("it needs more");
        };
        let before = turns.effort().expanded;
        assert!(before > 0 && turns.work() > 200_000_000);
        turns.improve(weak, part(2, 90));
        let Ok(report) = turns.run(u64::MAX) else {
            panic!("work is not limited");
        };
        judge(&puzzle, &report, truth(&puzzle), true);
        assert!(report.effort.expanded > before);
        assert!(work[2].load(Relaxed) > 0);
    }
}
