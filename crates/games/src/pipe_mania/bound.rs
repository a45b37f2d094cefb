//! A lower bound for searches that turn one piece at a time: the turns that the cheapest walk
//! needs.
//!
//! It counts turns (every move costs 1) and not pieces: by the game's measures, the cost of a plan
//! is not a sum over its moves. Such a search finds a plan with the fewest turns; `paths.rs` finds
//! the best plan by the measures.

use super::piece::{Kind, Tile, lies_along};
use super::rules::{PipeMania, Place, State};
use crate::*;

impl Knowledge for PipeMania {
    const RULES: &'static [Rule] = super::paths::RULES;
    const SEARCHES: &'static [GameSearch<Self>] = &[
        GameSearch {
            name: "paths",
            about: "the cheapest path over pieces, from which the turns follow",
            measures: &["pieces", "pieces+rotations"],
            run: super::paths::search,
        },
        super::thesis_search::DEPTH_FIRST,
        super::thesis_search::BREADTH_FIRST,
    ];
    const COUNT_PLANS: Option<CountPlans<Self>> = Some(super::count::best_paths);

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:paths"
    }

    fn guide(&self, _switches: &Switches) -> impl Guide<Self> + Send {
        TurnBound::new(self)
    }

    fn longest_plan(&self) -> Option<u32> {
        let tiles = self
            .turnable
            .iter()
            .map(|&cell| self.board.cells()[cell as usize]);
        let most = tiles.map(|tile| if tile.kind == Kind::Straight { 1 } else { 3 });
        Some(most.sum())
    }
}

pub(super) struct TurnBound {
    level: PipeMania,
    ends: Vec<Place>,
    /// For each cell and side entered: the fewest turns of a walk to there.
    distance: Vec<u32>,
    /// Buckets of Dijkstra's algorithm: an edge costs 0 to 3 turns, so four buckets are enough.
    buckets: [Vec<(Place, Side)>; 4],
}

impl TurnBound {
    pub(super) fn new(level: &PipeMania) -> Self {
        Self {
            level: level.clone(),
            ends: level.ends(),
            distance: vec![u32::MAX; level.board.cells().len() * 4],
            buckets: Default::default(),
        }
    }

    fn index(&self, (place, side): (Place, Side)) -> usize {
        (place.0 * self.level.board.cols() + place.1) * 4 + side as usize
    }

    fn reach(&mut self, turns: u32, node: (Place, Side)) {
        let index = self.index(node);
        if turns < self.distance[index] {
            self.distance[index] = turns;
            self.buckets[turns as usize % 4].push(node);
        }
    }
}

impl Guide<PipeMania> for TurnBound {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.distance.fill(u32::MAX);
        self.buckets.iter_mut().for_each(Vec::clear);
        let tile = |level: &PipeMania, place: Place| Tile {
            rotation: level.rotation(state, place),
            ..level.board[place]
        };
        // The first B counts as entered from the side opposite its exit.
        for index in 0..self.ends.len() {
            let end = self.ends[index];
            if self.level.from.is_none_or(|from| from == end) {
                for entered in Side::ALL {
                    self.reach(0, (end, entered));
                }
            }
        }
        let (mut turns, mut empty_buckets) = (0, 0);
        let mut best: Option<u32> = None;
        while empty_buckets < 4 && best.is_none_or(|best| turns < best) {
            let Some((place, entered)) = self.buckets[turns as usize % 4].pop() else {
                (turns, empty_buckets) = (turns + 1, empty_buckets + 1);
                continue;
            };
            empty_buckets = 0;
            if self.distance[self.index((place, entered))] != turns {
                continue;
            }
            for out in Side::ALL {
                let Some(needed) = tile(&self.level, place).turns_to_lead(entered, out) else {
                    continue;
                };
                let Some(next) = self.level.board.beside(place, out) else {
                    continue;
                };
                let turns = turns + u32::from(needed);
                let ends = match self.level.to {
                    Some(to) => next == to,
                    None => self.level.board[next].kind == Kind::End,
                };
                if ends && lies_along(self.level.board[next].rotation, out) {
                    best = Some(best.map_or(turns, |best| best.min(turns)));
                }
                self.reach(turns, (next, out.opposite()));
            }
        }
        best
    }
}
