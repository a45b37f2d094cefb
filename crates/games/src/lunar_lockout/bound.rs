//! The lower bound: a delete relaxation, in which every craft leaves a copy of itself behind.
//!
//! In the relaxation every craft leaves copies behind, passes through others, and may be stopped by
//! any copy on its way. Let H[h][r] be the cells where helpers may rest after h slides of helpers
//! and r slides of red, and R[h][r] the cells where red may rest. These sets only grow, and a real
//! plan of h + r slides ends inside R[h][r]. So the least h + r with the goal in R[h][r] is a lower
//! bound. The two kinds are counted separately, because red needs its own slides *and* the helpers
//! theirs; the sum can exceed the depth of a relaxation that moves all craft at once. If the goal
//! is in no R at all, the state is a dead end. The bound is consistent: one real slide lowers it by
//! at most one.
//!
//! `relax.rs` slides whole sets of cells. For boards with a side above 64, the bound only answers
//! exactly whether red can arrive in one slide.
//!
//! The rule `box`: if the edge does not stop craft and there are no walls, no craft ever leaves the
//! smallest rectangle around all craft, because each stops short of another. Red rests only
//! strictly between its start and the craft that stops it, so the goal must lie inside this
//! rectangle, and not at the ends of the line on which red arrives.
//!
//! Tried and dropped: a set for each craft, so that none is stopped by a copy of itself (on random
//! 9×9 levels with 8 craft it saved one state in a hundred and took twice the time); and exact
//! searches of the half board around the goal with the rest left free (on the two unsolvable 9×9
//! levels that were tried, and that this bound leaves open, they proved nothing).

use super::relax::{Reached, Relaxation, Set};
use super::rules::{LunarLockout, State};
use crate::*;

impl Knowledge for LunarLockout {
    const RULES: &'static [Rule] = &[
        Rule {
            name: "relaxed",
            about: "counts the slides that red and the helpers need at least if craft leave copies behind",
        },
        Rule {
            name: "reach",
            about: "detects dead ends: red cannot rest on the goal even if craft leave copies behind",
        },
        Rule {
            name: "box",
            about: "detects dead ends: the goal lies outside the rectangle around all craft",
        },
    ];
    const SEARCHES: &'static [GameSearch<Self>] = &[GameSearch {
        name: "table",
        about: "the optimum of every state of the board, backwards from the goal",
        measures: &["slides"],
        run: super::table::search,
    }];

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        RelaxedBound::new(self, switches)
    }

    /// An optimal plan visits no state twice, so it is shorter than the number of states.
    fn longest_plan(&self) -> Option<u32> {
        super::fast::states(self).and_then(|states| u32::try_from(states - 1).ok())
    }
}

/// The bound is at most this; by then nearly every cell is reached.
const MAX_BOUND: usize = 8;

pub(super) struct RelaxedBound<'a> {
    level: &'a LunarLockout,
    size: Size,
    relaxed: bool,
    reach: bool,
    boxed: bool,
}

/// The relaxation with the smallest sets that hold the board.
enum Size {
    Small(Box<Relaxation<2, 16>>),
    Medium(Box<Relaxation<4, 16>>),
    Large(Box<Relaxation<16, 32>>),
    Vast(Box<Relaxation<64, 64>>),
    /// The board is too large for all of them.
    Huge,
}

impl<'a> RelaxedBound<'a> {
    pub(super) fn new(level: &'a LunarLockout, switches: &Switches) -> Self {
        let small = Relaxation::new(level).map(|fits| Size::Small(Box::new(fits)));
        let medium = || Relaxation::new(level).map(|fits| Size::Medium(Box::new(fits)));
        let large = || Relaxation::new(level).map(|fits| Size::Large(Box::new(fits)));
        let vast = || Relaxation::new(level).map(|fits| Size::Vast(Box::new(fits)));
        let fitting = small.or_else(medium).or_else(large).or_else(vast);
        let size = fitting.unwrap_or(Size::Huge);
        Self {
            level,
            size,
            relaxed: switches.on("relaxed"),
            reach: switches.on("reach"),
            boxed: switches.on("box") && level.variant().is_empty(),
        }
    }

    fn relaxed_bound<const WORDS: usize, const STRIDE: usize>(
        &self,
        relaxation: &Relaxation<WORDS, STRIDE>,
        craft: &[u16],
    ) -> Option<u32> {
        let mut start = Reached {
            red: Set::EMPTY,
            helpers: Set::EMPTY,
        };
        start.red.insert(self.level.place(craft[0]));
        for &cell in &craft[1..] {
            start.helpers.insert(self.level.place(cell));
        }
        if self.relaxed {
            relaxation.least_slides::<MAX_BOUND>(start, self.reach)
        } else {
            (!self.reach || relaxation.reaches(start)).then_some(1)
        }
    }
}

impl Guide<LunarLockout> for RelaxedBound<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        if self.level.is_goal(state) {
            return Some(0);
        }
        let craft = self.level.craft(state);
        if self.boxed && !box_holds_goal(self.level, craft) {
            return None;
        }
        match &self.size {
            Size::Small(relaxation) => self.relaxed_bound(relaxation, craft),
            Size::Medium(relaxation) => self.relaxed_bound(relaxation, craft),
            Size::Large(relaxation) => self.relaxed_bound(relaxation, craft),
            Size::Vast(relaxation) => self.relaxed_bound(relaxation, craft),
            Size::Huge => {
                let arrives = |side| self.level.red_stop(state, side) == self.level.goal;
                let soon = Side::ALL.into_iter().any(arrives);
                Some(if soon { 1 } else { 2 })
            }
        }
    }
}

/// Whether red can be stopped on the goal by craft inside the rectangle around all craft.
fn box_holds_goal(level: &LunarLockout, craft: &[u16]) -> bool {
    let (mut top, mut left) = (usize::MAX, usize::MAX);
    let (mut bottom, mut right) = (0, 0);
    for &cell in craft {
        let (row, col) = level.place(cell);
        (top, bottom) = (top.min(row), bottom.max(row));
        (left, right) = (left.min(col), right.max(col));
    }
    let (row, col) = level.place(level.goal);
    let (in_rows, in_cols) = ((top..=bottom).contains(&row), (left..=right).contains(&col));
    in_rows && left < col && col < right || in_cols && top < row && row < bottom
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::super::tests::read;
    use super::*;

    fn random_level(
        random: &mut Random,
        sizes: &[(usize, usize)],
        most_craft: usize,
    ) -> LunarLockout {
        let (rows, cols) = *random.choose(sizes);
        let spec = Spec::size(rows, cols)
            .with("craft", 1 + random.below(most_craft) as u32)
            .with("walls", (random.below(3) * random.below(4)) as u32)
            .with("edge", random.below(4) as u32 / 3)
            .with("goal", 1);
        LunarLockout::generate(&spec, random).expect("the spec is sound")
    }

    /// Compares the bound with the true optimum of every state of the board, with all rules on and
    /// with each one off.
    #[test]
    fn the_bound_is_admissible_in_every_state_of_random_boards() {
        let mut variants = vec![Switches::all_on()];
        variants.extend(
            LunarLockout::RULES
                .iter()
                .map(|rule| Switches::without(&[rule.name])),
        );
        let (mut dead_ends, mut exact, mut all) = (0, 0, 0);
        for seed in 0..250 {
            let mut random = Random::new(seed);
            let sizes = [(3, 4), (5, 3), (1, 9), (4, 4), (2, 7), (3, 6)];
            let level = random_level(&mut random, &sizes, 4);
            let table = Table::new(&level, &Budget::unlimited()).expect("it is small");
            for switches in &variants {
                let mut guide = RelaxedBound::new(&level, switches);
                for (state, optimum) in table.all() {
                    let bound = guide.lower_bound(&state);
                    let describe = || format!("{:?} {:?}", switches.off(), level.write(&state));
                    match (bound, optimum) {
                        (Some(bound), Some(optimum)) => assert!(bound <= optimum, "{}", describe()),
                        (None, Some(_)) => panic!("not a dead end: {}", describe()),
                        (_, None) => {}
                    }
                    all += 1;
                    dead_ends += usize::from(bound.is_none());
                    exact += usize::from(bound.is_some() && bound == optimum);
                }
            }
        }
        assert!(
            all > 500_000 && dead_ends > all / 3 && exact > all / 20,
            "{dead_ends} {exact} of {all}"
        );
    }

    #[test]
    fn the_bound_is_consistent() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let level = random_level(&mut random, &[(5, 5), (6, 7), (9, 9), (12, 13)], 10);
            let mut guide = RelaxedBound::new(&level, &Switches::all_on());
            let (mut state, mut moves) = (level.start(), Vec::new());
            for _ in 0..10 {
                moves.clear();
                level.moves(&state, &mut moves);
                let bound = guide.lower_bound(&state);
                for &mv in &moves {
                    let after = guide.lower_bound(&level.apply(&state, mv));
                    // A dead end stays one; otherwise the bound drops by at most one.
                    assert!(
                        after.is_none_or(|after| bound.is_some_and(|bound| bound <= after + 1))
                    );
                }
                let Some(&mv) = moves.get(random.below(moves.len().max(1))) else {
                    break;
                };
                state = level.apply(&state, mv);
            }
        }
    }

    #[test]
    fn relaxations_of_all_sizes_agree() {
        for seed in 0..500 {
            let level = random_level(&mut Random::new(seed), &[(5, 5), (8, 7), (3, 16)], 9);
            let start = level.start();
            let mut guide = RelaxedBound::new(&level, &Switches::all_on());
            assert!(matches!(guide.size, Size::Small(_)));
            let small = guide.lower_bound(&start);
            guide.size = Size::Medium(Box::new(Relaxation::new(&level).expect("it fits")));
            assert_eq!(guide.lower_bound(&start), small);
            guide.size = Size::Large(Box::new(Relaxation::new(&level).expect("it fits")));
            assert_eq!(guide.lower_bound(&start), small);
            guide.size = Size::Vast(Box::new(Relaxation::new(&level).expect("it fits")));
            assert_eq!(guide.lower_bound(&start), small);
        }
    }

    #[test]
    fn slides_of_red_and_of_helpers_add_up() {
        let bound = |text: &str| {
            let level = read(text);
            RelaxedBound::new(&level, &Switches::all_on()).lower_bound(&level.start())
        };
        assert_eq!(bound("goal 1 3\n..R.\n"), Some(0));
        assert_eq!(bound("goal 1 3\nR..b\n"), Some(1));
        assert_eq!(bound("goal 1 4\nRb...a\n"), Some(2));
        // The goal is outside the rectangle around all craft.
        assert_eq!(bound("goal 1 4\nRb....\n"), None);
    }
}
