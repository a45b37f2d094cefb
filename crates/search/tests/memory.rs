//! Memory is a limit like time. In a file of its own, because the limit is one of the whole process: no other test may
//! run beside it.

mod spaces;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ployglot_base::{Blind, Budget, Limit, Outcome, Random, Space};
use ployglot_search::registry::{Registry, StateId};
use ployglot_search::{SEARCHES, run};
use spaces::{Endless, Sliding, judge, truth};

fn budget(bytes: u64) -> Budget {
    let taken = Budget::unlimited().peak_memory();
    Budget::unlimited().with_memory(taken + bytes)
}

/// Runs one after another, because the memory is shared; the one that needs the tightest limit first, because the
/// allocator keeps for later what was given back.
#[test]
fn memory_ends_every_search_or_is_done_without() {
    nothing_is_proven_without_room_for_the_start();
    astar_goes_on_with_less();
    a_registry_ends_before_the_memory_does();
    endless_spaces_end();
}

fn a_registry_ends_before_the_memory_does() {
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
    // What is there can still be read.
    assert_eq!(registry.find(&[7, 2, 49]), Some(StateId(7)));
}

/// Not even the start can be stored: whatever is said then must still be true.
fn nothing_is_proven_without_room_for_the_start() {
    let mut random = Random::new(8);
    let mut solvable = std::iter::repeat_with(|| Sliding::shuffled(2, 3, 5, false, &mut random))
        .filter(|puzzle| truth(puzzle).is_some());
    let puzzle = solvable.next().expect("half of them are");
    let truth = truth(&puzzle);
    for search in SEARCHES {
        let budget = Budget::unlimited()
            .with_memory(1)
            .with_threads(2)
            .with_time(Duration::from_secs(2));
        let report = run(search.name, &puzzle, &|| Blind, &budget).unwrap();
        judge(&puzzle, &report, truth, false);
    }
}

fn endless_spaces_end() {
    let space = Endless {
        branches: 20,
        pause: Duration::ZERO,
        words: 3,
    };
    const SMALL: u64 = 40 << 20;
    for search in SEARCHES {
        // What must run out of memory has all the time for it; what can do with little would never end.
        let greedy = ["bfs", "greedy"].contains(&search.name);
        let time = Duration::from_secs(if greedy { 60 } else { 1 });
        let budget = budget(SMALL).with_threads(2).with_time(time);
        let limit = budget.peak_memory() + SMALL;
        let report = run(search.name, &space, &|| Blind, &budget).unwrap();
        let Outcome::GaveUp { why, .. } = report.outcome else {
            panic!("{} says {:?}", search.name, report.outcome);
        };
        let ran_out = why == Limit::Memory || why == Limit::Time && !greedy;
        assert!(ran_out, "{} ends by {why}", search.name);
        let over = budget.peak_memory().saturating_sub(limit);
        assert!(over < SMALL / 4, "{} takes {over} more", search.name);
    }
}

/// With too little memory for all states, A* keeps what it has and goes on depth-first, to the same proof. On several
/// threads it forgets what it has, and goes on from its bound.
fn astar_goes_on_with_less() {
    for search in ["astar", "parallel"] {
        let mut random = Random::new(5);
        let mut dived = 0;
        for round in 0..8 {
            let puzzle = Wide(Sliding::shuffled(2, 4, 7, round % 2 == 0, &mut random));
            let truth = truth(&puzzle);
            let phases: Arc<Mutex<Vec<&str>>> = Arc::default();
            let seen = phases.clone();
            let budget = budget(4 << 20)
                .with_time(Duration::from_secs(3))
                .with_threads(2)
                .with_watch(move |progress| seen.lock().unwrap().push(progress.phase));
            let report = run(search, &puzzle, &|| Blind, &budget).unwrap();
            judge(&puzzle, &report, truth, truth.is_some_and(|cost| cost < 16));
            dived += usize::from(phases.lock().unwrap().contains(&"dive"));
        }
        assert!(dived > 2, "{search}: only {dived} ran out of memory");
    }
}

/// A puzzle whose states take four kilobytes each.
struct Wide(Sliding);

impl Space for Wide {
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
