//! How many instructions a move and a bound take in each game that is searched state by state:
//!
//!     cargo bench -p ployglot-games --bench hot_loops
//!
//! A move is one step of a random walk: all moves of a state, and one of them made. A bound is that of a state on such a walk.

use ployglot_games::*;
use ployglot_testing::counted::{self, Loop};

const LOOPS: &[Loop] = &[
    Loop {
        name: "plotting 6x6: a move",
        run: |n| play::<Plotting>(&Spec::size(6, 6).with("colours", 4).with("goal", 5), n),
        operations: 5_000,
    },
    Loop {
        name: "plotting 6x6: a bound",
        run: |n| bound::<Plotting>(&Spec::size(6, 6).with("colours", 4).with("goal", 5), n),
        operations: 5_000,
    },
    Loop {
        name: "puzznic 8x8: a move",
        run: |n| play::<Puzznic>(&Spec::size(8, 8), n),
        operations: 5_000,
    },
    Loop {
        name: "puzznic 8x8: a bound",
        run: |n| bound::<Puzznic>(&Spec::size(8, 8), n),
        operations: 5_000,
    },
    Loop {
        name: "lunar lockout 7x7: a move",
        run: |n| play::<LunarLockout>(&Spec::size(7, 7).with("craft", 7), n),
        operations: 5_000,
    },
    Loop {
        name: "lunar lockout 7x7: a bound",
        run: |n| bound::<LunarLockout>(&Spec::size(7, 7).with("craft", 7), n),
        operations: 5_000,
    },
    Loop {
        name: "bombastic 8x8: a move",
        run: |n| play::<Bombastic>(&Spec::size(8, 8), n),
        operations: 5_000,
    },
    Loop {
        name: "bombastic 8x8: a bound",
        run: |n| bound::<Bombastic>(&Spec::size(8, 8), n),
        operations: 5_000,
    },
];

fn main() {
    counted::main(LOOPS);
}

/// A random walk of so many states, from the start again where it ends.
fn walk<G: Game>(level: &G, states: u64, mut visit: impl FnMut(&G::State)) {
    let mut random = Random::new(2);
    let mut state = level.start();
    let mut moves = Vec::new();
    for _ in 0..states {
        moves.clear();
        level.moves(&state, &mut moves);
        state = match moves.is_empty() {
            true => level.start(),
            false => level.apply(&state, moves[random.below(moves.len())]),
        };
        visit(&state);
    }
}

fn level<G: Game>(spec: &Spec) -> G {
    G::generate(spec, &mut Random::new(1)).expect("a level of this size")
}

fn play<G: Game>(spec: &Spec, states: u64) {
    walk(&level::<G>(spec), states, |_| ());
}

/// The walk is done before, and twice as long as it need be, so that it is the same however many bounds are asked for.
fn bound<G: Game>(spec: &Spec, states: u64) {
    let level = level::<G>(spec);
    let mut met = Vec::new();
    walk(&level, 10_000, |state| met.push(state.clone()));
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    for state in &met[..states as usize] {
        std::hint::black_box(guide.lower_bound(state));
    }
}
