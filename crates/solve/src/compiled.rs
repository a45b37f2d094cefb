//! The code for the games of the list, compiled once.
//!
//! A function that is generic in its game is compiled by each crate that calls it: the command line,
//! the studio, the experiments and the Python module would each compile every search for every game.
//! A generic function marked `#[inline(never)]` is an exception: a crate that finds it compiled in a
//! crate that it depends on uses that code. So what other crates call most has the mark, and is
//! compiled here for all games of the list. It then has the optimisation of this crate, even where the
//! calling crate has less. For a game that is not in the list, it is compiled where it is used.

use std::hint::black_box;

use ployglot_games::{Game, GameVisitor, visit_games};

use crate::anytime::solve_and_report;
use crate::level_search::search_levels;
use crate::model::sweep_and_report;
use crate::route::outside_routes;
use crate::{
    ModelText, Recipe, Route, certify, check_switches, compare_plans, disagreement, find_model,
    find_route, find_routes, hint, model_names, rate, reachable_states, requested_measure, routes,
    solve, solve_model_by, start_at,
};

/// Nothing calls it; the attribute keeps it, and with it all that it names.
#[used]
static COMPILED: fn() = compile;

fn compile() {
    compile_models::<ployglot_eprime::Model>();
    compile_models::<ployglot_essence::Model>();
    visit_games(&mut Compile);
}

fn compile_models<M: ModelText>() {
    black_box(solve_model_by::<M> as fn(_, _, _, _, _, _, _) -> _);
    black_box(sweep_and_report::<M> as fn(_, _, _, _, _, _) -> _);
}

struct Compile;

impl GameVisitor for Compile {
    fn visit<G: Game>(&mut self) {
        black_box(Route::<G>::run as fn(_, _, _, _, _) -> _);
        black_box(solve::<G> as fn(_, _, _) -> _);
        black_box(solve_and_report::<G> as fn(_, _, _, _) -> _);
        black_box(rate::<G> as fn(_, _, _) -> _);
        black_box(compare_plans::<G> as fn(_, _, _) -> _);
        black_box(start_at::<G> as fn(_, _) -> _);
        black_box(hint::<G> as fn(_, _, _) -> _);
        black_box(certify::<G> as fn(_, _, _, _, _) -> _);
        black_box(disagreement::<G> as fn(_) -> _);
        black_box(reachable_states::<G> as fn(_, _, _) -> _);
        black_box(search_levels::<G> as fn(_, _, _, _, _, _) -> _);
        black_box(Recipe::make::<G> as fn(_, _, _) -> _);
        black_box(find_route::<G> as fn(_, _) -> _);
        black_box(find_routes::<G> as fn(_, _, _) -> _);
        black_box(routes::<G> as fn() -> _);
        black_box(outside_routes::<G> as fn() -> _);
        black_box(find_model::<G> as fn(_) -> _);
        black_box(model_names::<G> as fn() -> _);
        black_box(requested_measure::<G> as fn(_, _) -> _);
        black_box(check_switches::<G> as fn(_) -> _);
    }
}
