//! The guide: a lower bound for any search, from the cheapest partition of each pattern's blocks
//! into stars (`stars.rs`).

use super::fast::State;
use super::rules::Puzznic;
use super::stars::Stars;
use crate::knowledge::depth_of_states;
use crate::*;

impl Knowledge for Puzznic {
    const RULES: &'static [Rule] = &[
        Rule {
            name: "stars",
            about: "the cheapest partition of each pattern's blocks into stars of neighbours",
        },
        Rule {
            name: "floors",
            about: "blocks on a closed floor never swap places, so no two stars may cross there",
        },
        Rule {
            name: "trios",
            about: "three equal blocks must meet at the same time, because two that touch vanish",
        },
        Rule {
            name: "pits",
            about: "the moves that empty the lowest rows, whatever falls in; used by search:bitboard only",
        },
    ];
    const SEARCHES: &'static [GameSearch<Self>] =
        &[super::search::BITBOARD, super::uniform::UNIFORM];

    fn best_route(&self, measure: &str) -> &'static str {
        if measure != "moves" {
            "search:uniform"
        } else if super::search::fits(self) {
            "search:bitboard"
        } else {
            "search:astar"
        }
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        StarBound::new(self, switches)
    }

    /// The depth of breadth-first search without dead ends, if the level has few states.
    fn longest_plan(&self) -> Option<u32> {
        const MOST_STATES: usize = 20_000;
        depth_of_states(self, MOST_STATES)
    }
}

/// With more cells, the tables of distances would need more memory than the search.
const MOST_CELLS: usize = 4000;
/// The cache is cleared when it has more sets of cells.
const MOST_SETS: usize = 1 << 20;

/// The guide of Puzznic, with its rules switched on or off.
pub(super) struct StarBound<'a> {
    level: &'a Puzznic,
    stars_on: bool,
    switches: Switches,
    stars: Stars<'a>,
    /// Reused buffers: the cells of each pattern, and the numbers of these sets in `stars`.
    cells: Vec<Vec<u16>>,
    numbers: Vec<u32>,
}

impl<'a> StarBound<'a> {
    pub(super) fn new(level: &'a Puzznic, switches: &Switches) -> Self {
        Self {
            level,
            stars_on: switches.on("stars") && level.field.places.len() <= MOST_CELLS,
            switches: switches.clone(),
            stars: Stars::new(&level.field, switches, &[]),
            cells: vec![Vec::new(); level.letters.len()],
            numbers: Vec::new(),
        }
    }

    /// The lower bound; `None` for a dead end, or if the bound exceeds `most`.
    fn bound_up_to(&mut self, state: &State, most: u32) -> Option<u32> {
        self.cells.iter_mut().for_each(Vec::clear);
        for (cell, &block) in state.0.iter().enumerate() {
            if block > 0 {
                self.cells[usize::from(block) - 1].push(cell as u16);
            }
        }
        if self.cells.iter().any(|cells| cells.len() == 1) {
            return None;
        }
        if !self.stars_on {
            return Some(0);
        }
        if self.stars.len() > MOST_SETS {
            self.stars = Stars::new(&self.level.field, &self.switches, &[]);
        }
        self.numbers.clear();
        for cells in &self.cells {
            self.numbers.push(self.stars.number(cells));
        }
        self.stars.combined(&self.numbers, most)
    }
}

impl Guide<Puzznic> for StarBound<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.bound_up_to(state, u32::MAX - 1)
    }

    fn allows(&mut self, state: &State, cost: u32) -> bool {
        self.bound_up_to(state, cost.min(u32::MAX - 1))
            .is_some_and(|bound| bound <= cost)
    }
}
