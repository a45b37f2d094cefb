//! The searches of the games in the list of games, compiled once.
//!
//! A route is generic in its game, so each crate that solves levels would compile every search for
//! every game again: the command line, the studio, the experiments and the Python module. Here is the only place that names the generic code
//! for the listed games; other crates find it by the type of the game. The generic code of a game that is
//! not in the list is compiled where it is used.

use std::any::Any;
use std::sync::OnceLock;

use ployglot_base::{Budget, Report, Switches};
use ployglot_games::{Game, GameVisitor, NAMES, visit_games};

use crate::CannotSolve;
use crate::route::Route;

/// The function that runs a route of a game.
pub(crate) type Run<G> = fn(
    &Route<G>,
    &G,
    &str,
    &Switches,
    &Budget,
) -> Result<Report<<G as ployglot_base::Space>::Move>, CannotSolve>;

/// The function for a game of the list.
pub(crate) fn compiled<G: Game>() -> Run<G> {
    let mut all = all().iter();
    *all.find_map(|each| each.downcast_ref::<Run<G>>())
        .unwrap_or_else(|| panic!("two games have the name '{}'", G::NAME))
}

type Erased = Box<dyn Any + Send + Sync>;

/// The functions of all games of the list. It is not generic, so it is compiled in this crate only.
#[inline(never)]
fn all() -> &'static [Erased] {
    struct Collect(Vec<Erased>);
    impl GameVisitor for Collect {
        fn visit<G: Game>(&mut self) {
            let run: Run<G> = Route::<G>::run_here;
            self.0.push(Box::new(run));
        }
    }
    static ALL: OnceLock<Vec<Erased>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut collect = Collect(Vec::new());
        visit_games(&mut collect);
        collect.0
    })
}

/// Whether a game of this name is in the list. It is evaluated by the compiler, which then does not
/// compile the branch that is not taken.
pub(crate) const fn is_listed(name: &str) -> bool {
    let mut at = 0;
    while at < NAMES.len() {
        if equal(NAMES[at].as_bytes(), name.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_of_the_list_is_found_by_its_type() {
        struct Find;
        impl GameVisitor for Find {
            fn visit<G: Game>(&mut self) {
                assert!(is_listed(G::NAME));
                compiled::<G>();
            }
        }
        visit_games(&mut Find);
        assert!(!is_listed("plot") && !is_listed("plottings") && !is_listed(""));
        assert!(!is_listed(ployglot_games::template::Template::NAME));
    }
}
