//! Searches through a `Space`. Each is a plain function from a space, a maker of guides and a budget to a report; they
//! know no game.
//!
//! A guide has scratch space of its own, so a search takes a function that makes one, and a parallel search calls it once
//! for each thread.

pub mod anytime;
pub mod astar;
pub mod beam;
pub mod breadth_first;
mod brood;
mod entered;
pub mod greedy;
pub mod ida_star;
pub mod lazy;
pub mod pace;
pub mod parallel;
pub mod plan;
pub mod queue;
pub mod registry;
pub mod sweep;

use ployglot_base::{Budget, Guide, Report, Space};

/// A search that can be chosen by name, as the route `search:NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    pub name: &'static str,
    pub about: &'static str,
}

/// The one list of searches.
macro_rules! searches {
    ($($name:literal: $function:path, $about:literal;)*) => {
        pub const SEARCHES: &[Search] = &[$(Search { name: $name, about: $about }),*];

        /// Runs the search of this name; `None` if there is none.
        pub fn run<S: Space, G: Guide<S>>(
            name: &str,
            space: &S,
            guide: &(impl Fn() -> G + Sync),
            budget: &Budget,
        ) -> Option<Report<S::Move>> {
            match name {
                $($name => Some($function(space, guide, budget)),)*
                _ => None,
            }
        }
    };
}

searches! {
    "bfs": breadth_first::breadth_first, "breadth-first, no knowledge of the game: slow and sure";
    "astar": astar::astar, "A*: the most promising state first; proves its plan optimal";
    "ida": ida_star::ida_star, "IDA*: depth-first with a growing bound; proves its plan optimal in little memory";
    "sweep": sweep::sweep, "a beam for a plan, then one pass of layers that proves it best; for moves that cost the same";
    "greedy": greedy::greedy, "greedy best-first: the least bound first; a plan soon, seldom the best";
    "beam": beam::search, "layers cut to their best states, wider until there is a plan; no proof";
    "anytime": anytime::anytime, "a plan at once, then better ones and rising bounds, until one is proven optimal";
    "parallel": parallel::parallel, "A* on all threads, states shared out by their hash; proves its plan optimal";
}
