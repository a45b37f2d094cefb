//! The code for the games of the list, compiled once, here.
//!
//! A generic function marked `#[inline(never)]` is not compiled again by a crate that finds it compiled
//! in a crate that it depends on. `solve/src/compiled.rs` does the same for what it offers.

use std::hint::black_box;

use ployglot_games::{Game, GameVisitor, visit_games};

use crate::{StateGraph, plan_by_beams, search_level};

/// Nothing calls it; the attribute keeps it, and with it all that it names.
#[used]
static COMPILED: fn() = compile;

fn compile() {
    visit_games(&mut Compile);
}

struct Compile;

impl GameVisitor for Compile {
    fn visit<G: Game>(&mut self) {
        black_box(search_level::<G> as fn(_, _, _, _) -> _);
        black_box(plan_by_beams::<G> as fn(_, _) -> _);
        black_box(StateGraph::<G>::explore as fn(_, _, _, _) -> _);
        black_box(StateGraph::<G>::find as fn(_, _, _) -> _);
        black_box(StateGraph::<G>::best_plan as fn(_, _) -> _);
        black_box(StateGraph::<G>::count_best_plans as fn(_, _) -> _);
        black_box(ployglot_certificate::list::<G> as fn(_, _, _, _, _) -> _);
    }
}
