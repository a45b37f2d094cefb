//! The instructions of the hot loops, counted by valgrind, so that the load of the machine does not
//! matter:
//!
//!     cargo bench -p ployglot-search --bench hot_loops
//!
//! Instructions are not time: cache misses do not count here.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ployglot_base::{Budget, Guide, Outcome, Random, Space};
use ployglot_search::Search;
use ployglot_search::bucket_queue::BucketQueue;
use ployglot_search::registry::{Registry, StateId};
use ployglot_testing::counted::{self, Loop};

const LOOPS: &[Loop] = &[
    Loop {
        name: "registry: a new state of three words",
        run: |n| drop(filled(n)),
        operations: 100_000,
    },
    Loop {
        name: "registry: a known state of three words",
        run: |n| find_again(n, 1 << 16),
        operations: 100_000,
    },
    Loop {
        name: "bucket queue: push and pop",
        run: queue,
        operations: 100_000,
    },
    Loop {
        name: "bfs: a state of the eight-puzzle expanded",
        run: |n| search(Search::BreadthFirst, n),
        operations: 20_000,
    },
    Loop {
        name: "astar: a state of the eight-puzzle expanded",
        run: |n| search(Search::Astar, n),
        operations: 5_000,
    },
    Loop {
        name: "ida: a state of the eight-puzzle expanded",
        run: |n| search(Search::IdaStar, n),
        operations: 5_000,
    },
];

fn main() {
    counted::main(LOOPS);
}

/// Random states of three words.
fn states(count: u64) -> Vec<u64> {
    let mut random = Random::new(1);
    (0..3 * count).map(|_| random.next_u64()).collect()
}

/// A registry with this many random states.
fn filled(count: u64) -> Registry {
    let mut registry = Registry::new(3);
    let budget = Budget::unlimited();
    let mut found = Vec::new();
    for few in states(count).chunks(3 * 16) {
        registry.make_room(16, 0, &budget).expect("no limit");
        found.clear();
        registry.insert_all(few, &mut found);
    }
    registry
}

/// Inserts states that are stored already.
fn find_again(count: u64, among: u64) {
    let mut registry = filled(among);
    let mut random = Random::new(2);
    let mut few = Vec::new();
    let mut found: Vec<(StateId, bool)> = Vec::new();
    for _ in 0..count / 16 {
        few.clear();
        for _ in 0..16 {
            let id = StateId(random.below(among as usize) as u32);
            few.extend_from_slice(registry.state(id));
        }
        found.clear();
        registry.insert_all(&few, &mut found);
        assert!(found.iter().all(|&(_, new)| !new));
    }
}

fn queue(count: u64) {
    let mut queue = BucketQueue::default();
    let mut random = Random::new(3);
    for item in 0..count as u32 {
        queue.push(
            random.below(8) as u32 + item / 1000,
            random.below(30) as u32,
            item,
        );
        if item % 2 == 1 {
            queue.pop();
        }
    }
    assert_eq!(queue.into_items().count() as u64, count.div_ceil(2));
}

/// A search that ends after about this many expansions, because states then have no moves.
fn search(search: Search, expansions: u64) {
    let puzzle = Eight {
        left: AtomicU64::new(expansions),
    };
    let report = search.run(&puzzle, &|| Distances, &Budget::unlimited());
    assert_eq!(report.outcome, Outcome::Unsolvable);
    assert!(puzzle.left.load(Relaxed) == 0, "the puzzle was too easy");
}

/// The eight-puzzle with four bits for a tile, from a start without a plan. After a number of
/// expansions no state has moves.
struct Eight {
    /// The expansions that are left.
    left: AtomicU64,
}

const fn board(tiles: [u64; 9]) -> u64 {
    let mut packed = 0;
    let mut at = 0;
    while at < 9 {
        packed |= tiles[at] << (4 * at);
        at += 1;
    }
    packed
}

const GOAL: u64 = board([0, 1, 2, 3, 4, 5, 6, 7, 8]);
/// An odd permutation of the goal, from which it cannot be reached.
const ODD: u64 = board([8, 0, 6, 5, 4, 7, 2, 1, 3]);

fn tile(board: u64, at: u64) -> u64 {
    board >> (4 * at) & 15
}

impl Space for Eight {
    type State = u64;
    type Move = (u64, u64);

    fn start(&self) -> u64 {
        ODD
    }

    fn is_goal(&self, state: &u64) -> bool {
        *state == GOAL
    }

    fn moves(&self, state: &u64, moves: &mut Vec<(u64, u64)>) {
        let left = self.left.load(Relaxed);
        self.left.store(left.saturating_sub(1), Relaxed);
        if left == 0 {
            return;
        }
        let gap = (0..9).find(|&at| tile(*state, at) == 0).expect("a gap");
        let before = [
            (gap > 2, gap.wrapping_sub(3)),
            (gap % 3 > 0, gap.wrapping_sub(1)),
        ];
        let after = [(gap % 3 < 2, gap + 1), (gap < 6, gap + 3)];
        let neighbours = before.into_iter().chain(after);
        let on_board = neighbours.filter(|&(on_board, _)| on_board);
        moves.extend(on_board.map(|(_, at)| (at, gap)));
    }

    fn apply(&self, state: &u64, (at, gap): (u64, u64)) -> u64 {
        let moved = tile(*state, at);
        state & !(15 << (4 * at)) | moved << (4 * gap)
    }

    fn words(&self) -> usize {
        1
    }

    fn pack(&self, state: &u64, words: &mut [u64]) {
        words[0] = *state;
    }

    fn unpack(&self, words: &[u64]) -> u64 {
        words[0]
    }
}

/// The sum of the distances of the tiles to their goals.
struct Distances;

impl Guide<Eight> for Distances {
    fn lower_bound(&mut self, state: &u64) -> Option<u32> {
        let tiles = (0..9).map(|at| (at, tile(*state, at)));
        let distance =
            |(at, tile): (u64, u64)| (at / 3).abs_diff(tile / 3) + (at % 3).abs_diff(tile % 3);
        let distances = tiles.filter(|&(_, tile)| tile != 0).map(distance);
        Some(distances.sum::<u64>() as u32)
    }
}
