//! How many instructions a move and a bound take in each game that is searched state by state:
//!
//!     cargo bench -p ployglot-games --bench hot_loops
//!
//! A move is one step of a random walk: all moves of a state are listed, and one of them is made. A
//! bound is the lower bound of a state on such a walk.

use ployglot_games::*;
use ployglot_testing::counted::{self, Loop};

fn main() {
    let mut loops = Loops(Vec::new());
    visit_games(&mut loops);
    counted::main(&loops.0);
}

struct Loops(Vec<Loop>);

impl GameVisitor for Loops {
    fn visit<G: Game>(&mut self) {
        let Some(spec) = G::benchmark_spec() else {
            return;
        };
        let mut add = |operation: &str, run| {
            let name = format!("{} {}x{}: {operation}", G::NAME, spec.rows, spec.cols);
            self.0.push(Loop {
                // Loops have static names. These few live as long as the program anyway.
                name: name.leak(),
                run,
                operations: 5_000,
            });
        };
        add("a move", moves::<G>);
        add("a bound", bounds::<G>);
    }
}

/// A random walk through this many states. It restarts where it ends.
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

fn level<G: Game>() -> G {
    let spec = G::benchmark_spec().expect("the game is in the list of loops");
    G::generate(&spec, &mut Random::new(1)).expect("a level of this size")
}

fn moves<G: Game>(states: u64) {
    walk(&level::<G>(), states, |_| ());
}

/// The walk is made first, and has twice as many states as needed, so that it is the same for every
/// number of bounds.
fn bounds<G: Game>(states: u64) {
    let level = level::<G>();
    let mut met = Vec::new();
    walk(&level, 10_000, |state| met.push(state.clone()));
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    for state in &met[..states as usize] {
        std::hint::black_box(guide.lower_bound(state));
    }
}
