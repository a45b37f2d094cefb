//! The memory limit. It is a limit of the whole process, so this test is in a file of its own: no
//! other test may run at the same time.

mod spaces;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ployglot_base::{Blind, Budget, Limit, Outcome, Random, Space};
use ployglot_search::Search;
use ployglot_search::registry::{Registry, StateId};
use spaces::{Infinite, Sliding, judge, truth};

/// A budget with this much memory beyond what the process has taken.
fn budget(bytes: u64) -> Budget {
    let taken = Budget::unlimited().peak_memory();
    Budget::unlimited().with_memory(taken + bytes)
}

/// The tests run one after another, because they share the memory; the one with the tightest limit
/// runs first, because the allocator keeps freed memory.
#[test]
fn every_search_respects_the_memory_limit() {
    reports_are_true_without_room_for_the_start();
    astar_continues_with_less_memory();
    a_registry_stops_before_the_memory_is_used_up();
    searches_of_infinite_spaces_end();
}

fn a_registry_stops_before_the_memory_is_used_up() {
    const ROOM: u64 = 60 << 20;
    let budget = budget(ROOM);
    let before = budget.peak_memory();
    let mut registry = Registry::new(3);
    let mut n = 0;
    while registry.make_room(1, 0, &budget).is_ok() {
        registry.insert(&[n, n ^ 5, n * n]);
        n += 1;
    }
    assert!(registry.bytes() > ROOM * 4 / 5, "it gave up early");
    assert!(budget.peak_memory() <= before + ROOM + (1 << 20));
    // The stored states can still be read.
    assert_eq!(registry.find(&[7, 2, 49]), Some(StateId(7)));
}

/// Not even the start can be stored: the report must still be true.
fn reports_are_true_without_room_for_the_start() {
    let mut random = Random::new(8);
    let mut solvable = std::iter::repeat_with(|| Sliding::shuffled(2, 3, 5, false, &mut random))
        .filter(|puzzle| truth(puzzle).is_some());
    let puzzle = solvable.next().expect("half of them are");
    let truth = truth(&puzzle);
    for search in Search::ALL {
        let budget = Budget::unlimited()
            .with_memory(1)
            .with_threads(2)
            .with_time(Duration::from_secs(2));
        let report = search.run(&puzzle, &|| Blind, &budget);
        judge(&puzzle, &report, truth, false);
    }
}

fn searches_of_infinite_spaces_end() {
    let space = Infinite {
        branches: 20,
        pause: Duration::ZERO,
        words: 3,
    };
    const SMALL: u64 = 40 << 20;
    for search in Search::ALL {
        // Searches that must run out of memory have enough time for it; the others, which need
        // little memory, would never end.
        let must_run_out = [Search::BreadthFirst, Search::Greedy].contains(search);
        let time = Duration::from_secs(if must_run_out { 60 } else { 1 });
        let budget = budget(SMALL).with_threads(2).with_time(time);
        let limit = budget.peak_memory() + SMALL;
        let report = search.run(&space, &|| Blind, &budget);
        let Outcome::GaveUp { why, .. } = report.outcome else {
            panic!("{} ended with {:?}", search.name(), report.outcome);
        };
        let ran_out = why == Limit::Memory || why == Limit::Time && !must_run_out;
        assert!(ran_out, "{} ended by {why}", search.name());
        let over = budget.peak_memory().saturating_sub(limit);
        assert!(over < SMALL / 4, "{} took {over} bytes more", search.name());
    }
}

/// With too little memory for all states, A* keeps its states and continues depth-first, to the
/// same proof. On several threads it frees its states, and continues from its bound.
fn astar_continues_with_less_memory() {
    for search in [Search::Astar, Search::Parallel] {
        let mut random = Random::new(5);
        let mut continued = 0;
        for round in 0..8 {
            let puzzle = LargeStates(Sliding::shuffled(2, 4, 7, round % 2 == 0, &mut random));
            let truth = truth(&puzzle);
            let phases: Arc<Mutex<Vec<&str>>> = Arc::default();
            let seen = phases.clone();
            let budget = budget(4 << 20)
                .with_time(Duration::from_secs(3))
                .with_threads(2)
                .with_watch(move |progress| seen.lock().unwrap().push(progress.phase));
            let report = search.run(&puzzle, &|| Blind, &budget);
            judge(&puzzle, &report, truth, truth.is_some_and(|cost| cost < 16));
            continued += usize::from(phases.lock().unwrap().contains(&"dive"));
        }
        let name = search.name();
        assert!(continued > 2, "{name}: only {continued} ran out of memory");
    }
}

/// A puzzle whose packed states take four kilobytes each.
struct LargeStates(Sliding);

impl Space for LargeStates {
    type State = Vec<u8>;
    type Move = (usize, usize);

    fn start(&self) -> Vec<u8> {
        self.0.start()
    }

    fn is_goal(&self, state: &Vec<u8>) -> bool {
        self.0.is_goal(state)
    }

    fn moves(&self, state: &Vec<u8>, moves: &mut Vec<(usize, usize)>) {
        self.0.moves(state, moves);
    }

    fn apply(&self, state: &Vec<u8>, mv: (usize, usize)) -> Vec<u8> {
        self.0.apply(state, mv)
    }

    fn words(&self) -> usize {
        512
    }

    fn pack(&self, state: &Vec<u8>, words: &mut [u64]) {
        words.fill(1);
        self.0.pack(state, &mut words[..1]);
    }

    fn unpack(&self, words: &[u64]) -> Vec<u8> {
        self.0.unpack(&words[..1])
    }
}
