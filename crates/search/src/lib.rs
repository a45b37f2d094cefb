//! Searches through a [`Space`]. Each one is a function from a space, a maker of guides and a
//! budget to a report. They do not depend on any game. [`Search`] is the list of those that can be
//! chosen by name.
//!
//! A guide has scratch space of its own, so a search takes a function that makes one, and a
//! parallel search calls it once for each thread.

#![warn(missing_docs)]

pub mod anytime;
pub mod astar;
mod batch;
pub mod beam;
pub mod breadth_first;
pub mod breadth_first_heuristic;
pub mod bucket_queue;
mod equal_costs;
pub mod greedy;
pub mod ida_star;
pub mod lazy;
mod node;
mod open_list;
pub mod parallel;
pub mod plan;
pub mod registry;
mod search_tree;
mod successors;
mod threads;
mod throttle;
mod transposition_table;
pub mod turns;

use std::fmt;
use std::str::FromStr;

use ployglot_base::{Budget, Guide, Report, Space, text};

/// The list of searches: variant, name, function, description.
macro_rules! searches {
    ($($variant:ident, $name:literal, $function:path, $about:literal;)*) => {
        /// A search that can be chosen by name, as the route `search:NAME`.
        ///
        /// ```
        /// use ployglot_base::{Budget, Guide, Outcome, Space};
        /// use ployglot_search::Search;
        ///
        /// /// From 1 to a number by doubling and adding 1.
        /// struct Numbers {
        ///     goal: u32,
        /// }
        ///
        /// #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        /// enum Move {
        ///     Double,
        ///     Increment,
        /// }
        ///
        /// impl Space for Numbers {
        ///     type State = u32;
        ///     type Move = Move;
        ///     fn start(&self) -> u32 { 1 }
        ///     fn is_goal(&self, state: &u32) -> bool { *state == self.goal }
        ///     fn moves(&self, state: &u32, moves: &mut Vec<Move>) {
        ///         if *state < self.goal {
        ///             moves.extend([Move::Double, Move::Increment]);
        ///         }
        ///     }
        ///     fn apply(&self, state: &u32, mv: Move) -> u32 {
        ///         match mv {
        ///             Move::Double => 2 * state,
        ///             Move::Increment => state + 1,
        ///         }
        ///     }
        ///     fn words(&self) -> usize { 1 }
        ///     fn pack(&self, state: &u32, words: &mut [u64]) { words[0] = u64::from(*state) }
        ///     fn unpack(&self, words: &[u64]) -> u32 { words[0] as u32 }
        /// }
        ///
        /// /// A move at most doubles the number, and no move makes it smaller.
        /// struct Doublings<'a>(&'a Numbers);
        ///
        /// impl Guide<Numbers> for Doublings<'_> {
        ///     fn lower_bound(&mut self, state: &u32) -> Option<u32> {
        ///         let goal = self.0.goal;
        ///         (*state <= goal).then(|| goal.div_ceil(*state).next_power_of_two().ilog2())
        ///     }
        /// }
        ///
        /// let space = Numbers { goal: 10 };
        /// let search: Search = "astar".parse().expect("a known name");
        /// let report = search.run(&space, &|| Doublings(&space), &Budget::unlimited());
        /// let Outcome::Optimal { plan, cost } = report.outcome else {
        ///     panic!("without a limit A* proves its plan optimal");
        /// };
        /// assert_eq!(cost, 4);
        /// let numbers = plan.iter().scan(1, |number, &mv| {
        ///     *number = space.apply(number, mv);
        ///     Some(*number)
        /// });
        /// assert!(numbers.eq([2, 4, 5, 10]));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Search {
            $(#[doc = concat!("`", $name, "`: ", $about, ".")] $variant,)*
        }

        impl Search {
            /// All searches, in the order in which help texts show them.
            pub const ALL: &'static [Search] = &[$(Search::$variant),*];

            /// The name by which users choose it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Search::$variant => $name,)*
                }
            }

            /// A description of one line.
            pub fn about(self) -> &'static str {
                match self {
                    $(Search::$variant => $about,)*
                }
            }

            /// Searches the space until there is a proof, or the budget ends.
            pub fn run<S: Space, G: Guide<S>>(
                self,
                space: &S,
                guide: &(impl Fn() -> G + Sync),
                budget: &Budget,
            ) -> Report<S::Move> {
                match self {
                    $(Search::$variant => $function(space, guide, budget),)*
                }
            }
        }
    };
}

searches! {
    BreadthFirst, "bfs", breadth_first::breadth_first,
        "breadth-first search without a guide: slow; proves its plan optimal";
    Astar, "astar", astar::astar,
        "A*: the most promising state first; proves its plan optimal";
    IdaStar, "ida", ida_star::ida_star,
        "IDA*: depth-first with a growing bound; proves its plan optimal in little memory";
    BreadthFirstHeuristic, "bfhs", breadth_first_heuristic::breadth_first_heuristic,
        "breadth-first heuristic search: a beam finds a plan, then one pass of layers proves it optimal; for moves that all cost 1";
    Greedy, "greedy", greedy::greedy,
        "greedy best-first: the least bound first; a plan soon, seldom the best";
    Beam, "beam", beam::beam_search,
        "layers cut to their best states, wider until there is a plan; no proof";
    Anytime, "anytime", anytime::anytime,
        "a plan at once, then better ones and rising bounds, until one is proven optimal";
    Parallel, "parallel", parallel::parallel,
        "A* on all threads, states distributed by their hash; proves its plan optimal";
}

impl FromStr for Search {
    type Err = UnknownSearch;

    fn from_str(name: &str) -> Result<Self, UnknownSearch> {
        let found = Search::ALL.iter().find(|search| search.name() == name);
        found
            .copied()
            .ok_or_else(|| UnknownSearch(name.to_string()))
    }
}

/// There is no search of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSearch(pub String);

impl fmt::Display for UnknownSearch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let known = Search::ALL.iter().map(|search| search.name());
        f.write_str(&text::unknown("search", &self.0, known))
    }
}

impl std::error::Error for UnknownSearch {}

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_parsed_as_its_search() {
        for &search in Search::ALL {
            assert_eq!(search.name().parse(), Ok(search));
        }
        let unknown = "bfsh".parse::<Search>().map_err(|error| error.to_string());
        let message = "unknown search 'bfsh'; did you mean 'bfs'?";
        assert_eq!(unknown, Err(message.to_string()));
    }
}
