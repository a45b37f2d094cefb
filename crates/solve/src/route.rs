//! The routes of a game: the generic searches where they optimise the measure, and the game's own.

use ployglot_base::{Budget, Report, Switches};
use ployglot_games::Game;
use ployglot_search::SEARCHES;

/// A way from a level to a plan.
pub struct Route<G: Game> {
    /// `search:astar`.
    pub name: String,
    pub about: &'static str,
    /// The measures that it optimises.
    pub measures: Vec<&'static str>,
    how: How<G>,
}

enum How<G: Game> {
    Generic(&'static str),
    Own(fn(&G, &str, &Switches, &Budget) -> Report<G::Move>),
}

impl<G: Game> Clone for How<G> {
    fn clone(&self) -> Self {
        match self {
            How::Generic(name) => How::Generic(name),
            How::Own(run) => How::Own(*run),
        }
    }
}

impl<G: Game> Clone for Route<G> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            about: self.about,
            measures: self.measures.clone(),
            how: self.how.clone(),
        }
    }
}

/// Every route of a game, its own first.
pub fn routes<G: Game>() -> Vec<Route<G>> {
    let additive: Vec<_> = G::MEASURES
        .iter()
        .filter(|measure| measure.additive)
        .map(|measure| measure.name)
        .collect();
    let own = G::SEARCHES.iter().map(|search| Route {
        name: format!("search:{}", search.name),
        about: search.about,
        measures: search.measures.to_vec(),
        how: How::Own(search.run),
    });
    let generic = SEARCHES
        .iter()
        .filter(|_| !additive.is_empty())
        .map(|search| Route {
            name: format!("search:{}", search.name),
            about: search.about,
            measures: additive.clone(),
            how: How::Generic(search.name),
        });
    own.chain(generic).collect()
}

impl<G: Game> Route<G> {
    pub(crate) fn run(
        &self,
        level: &G,
        measure: &str,
        switches: &Switches,
        budget: &Budget,
    ) -> Report<G::Move> {
        match self.how {
            How::Own(run) => run(level, measure, switches, budget),
            How::Generic(name) => {
                let guide = || level.guide(switches);
                ployglot_search::run(name, level, &guide, budget)
                    .expect("the list of searches names it")
            }
        }
    }
}
