//! Guides that lie or panic. A search that finds a plan below the bound that it was given reports a
//! contradiction, not an optimal plan; a panic in any thread reaches the caller, and no thread waits
//! forever.

mod spaces;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ployglot_base::{Budget, Contradiction, Guide, Outcome, Random, Space};
use ployglot_search::Search;
use spaces::{Distances, Sliding, truth};

/// True bounds, except that of the start, which is too high by this much.
struct TooHigh<'a>(Distances<'a>, &'a Sliding, u32);

impl Guide<Sliding> for TooHigh<'_> {
    fn lower_bound(&mut self, state: &<Sliding as Space>::State) -> Option<u32> {
        let bound = self.0.lower_bound(state)?;
        let start = *state == self.1.start();
        Some(if start { bound.max(self.2) } else { bound })
    }
}

#[test]
fn a_plan_below_a_claimed_bound_is_a_contradiction() {
    // Far above what any search finds, and odd, so that no plan has just that cost.
    const TOO_MUCH: u32 = 1001;
    let mut random = Random::new(5);
    let puzzles = (0..8).map(|_| Sliding::shuffled(2, 4, 7, false, &mut random));
    let mut solvable = 0;
    for puzzle in puzzles {
        let Some(cost) = truth(&puzzle).filter(|&cost| cost > 0) else {
            continue;
        };
        solvable += 1;
        for &search in Search::ALL {
            for threads in [1, 3] {
                let budget = Budget::unlimited().with_threads(threads);
                let guide = || TooHigh(Distances(&puzzle), &puzzle, cost + TOO_MUCH);
                let outcome = search.run(&puzzle, &guide, &budget).outcome;
                match outcome {
                    Outcome::Contradiction(Contradiction { at_least, .. }) => {
                        assert!(at_least >= Some(cost + TOO_MUCH), "{}", search.name());
                    }
                    // Breadth-first search asks no guide.
                    Outcome::Optimal { cost: found, .. } if search == Search::BreadthFirst => {
                        assert_eq!(found, cost);
                    }
                    other => panic!("{}, {threads} threads: {other:?}", search.name()),
                }
            }
        }
    }
    assert!(solvable > 0);
}

/// A guide that panics in some thread: when it is made, or when it has been asked a number of times.
struct Panics<'a> {
    guide: Distances<'a>,
    asked: usize,
    most: usize,
}

impl Guide<Sliding> for Panics<'_> {
    fn lower_bound(&mut self, state: &<Sliding as Space>::State) -> Option<u32> {
        self.asked += 1;
        assert!(self.asked <= self.most, "on purpose");
        self.guide.lower_bound(state)
    }
}

#[test]
fn a_panic_in_any_thread_ends_the_search() {
    let mut random = Random::new(7);
    let puzzle = Sliding::shuffled(3, 3, 60, false, &mut random);
    for search in [Search::Parallel, Search::BreadthFirstHeuristic] {
        for (bad, most) in [(0, 0), (1, 0), (2, 0), (0, 300), (1, 300), (2, 20)] {
            let made = AtomicUsize::new(0);
            let guide = || {
                let number = made.fetch_add(1, Relaxed);
                assert!(number != bad || most > 0, "on purpose");
                Panics {
                    guide: Distances(&puzzle),
                    asked: 0,
                    most: if number == bad { most } else { usize::MAX },
                }
            };
            let budget = Budget::unlimited().with_threads(3);
            let run = AssertUnwindSafe(|| search.run(&puzzle, &guide, &budget));
            let ended = catch_unwind(run);
            // Breadth-first heuristic search needs no second thread for a small puzzle.
            assert!(
                ended.is_err() || search == Search::BreadthFirstHeuristic && bad > 0,
                "{} {bad} {most}",
                search.name()
            );
        }
    }
}
