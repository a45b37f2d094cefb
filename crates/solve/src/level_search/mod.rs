//! Levels with required properties: random sampling first, then hill climbing. Every level that is
//! reported was solved and meets the requirements.
//!
//! *Sampling* generates random levels one after the other: try number k of seed s is the level that
//! the seed s + k generates by itself. Levels that are found by sampling alone are drawn evenly
//! from all levels that meet the requirements. If a batch of samples brings too few, the best of
//! them are the starting points of *hill climbing* with plateau moves: the neighbours of a level
//! (`recipe.rs`) are evaluated one after the other, and the first that is no farther from the
//! requirements (`requirements.rs`) is taken. A climb ends when it has made no progress for a
//! while. Then comes the next batch of samples.
//!
//! Levels that differ only by a mirror image or by names are reported once. A level that was found
//! can be made again from its recipe, without the search.

mod recipe;
mod requirements;

use std::collections::HashSet;

use ployglot_base::{Budget, Limit, Progress};
use ployglot_games::{Game, Level, NotGenerated, Spec, canonical_form};

use crate::answer::{Answer, Status};
use crate::rating::Rating;
use recipe::Genotype;
pub use recipe::Recipe;
pub use requirements::Requirements;
use requirements::{Distance, Evaluation};

/// How many levels to find, and where and how long to search for them.
#[derive(Clone, Copy, Debug)]
pub struct LevelSearch {
    /// The seed of the first sample.
    pub seed: u64,
    /// The number of different levels to find.
    pub count: usize,
    /// The number of levels to evaluate at most.
    pub tries: u64,
    /// Only sample, so that levels are drawn evenly from all that meet the requirements.
    pub uniform: bool,
}

/// A level that meets the requirements.
pub struct FoundLevel<G: Game> {
    /// The level.
    pub level: G,
    /// The spec that the recipe was made with.
    pub spec: Spec,
    /// How to make the level again.
    pub recipe: Recipe,
    /// The number of levels that were evaluated so far, this one included.
    pub tried: u64,
    /// The answer of the solver; `None` if nothing was required.
    pub answer: Option<Answer<G>>,
    /// The rating; `None` if no requirement needs one.
    pub rating: Option<Rating<G>>,
}

/// How a search for levels ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelSearchEnd {
    /// As many levels were found as were asked for, or `report` returned false.
    Complete,
    /// The allowed number of tries is used up.
    TriesUsedUp {
        /// The number of levels that were evaluated.
        tries: u64,
        /// The properties of the level that came nearest to the requirements: `a par of 7`.
        nearest: Option<String>,
    },
    /// The budget ended the search.
    Limit(Limit),
    /// The route that solved a level is broken. The search claims nothing more.
    Defect {
        /// The text of the level.
        level: String,
        /// The name of the route.
        route: String,
        /// What is wrong with it, in a sentence for the user.
        why: String,
    },
    /// The generator cannot make such a level, for this reason.
    Impossible(String),
}

impl From<NotGenerated> for LevelSearchEnd {
    fn from(not: NotGenerated) -> Self {
        match not {
            NotGenerated::Impossible(why) => LevelSearchEnd::Impossible(why),
            NotGenerated::Limit(limit) => LevelSearchEnd::Limit(limit),
        }
    }
}

/// Samples before the first climbs, and again after them.
const BATCH: u64 = 200;
/// Climbs after each batch.
const CLIMBS: usize = 4;
/// A climb ends after this many evaluations without progress.
const PATIENCE: u64 = 300;

/// Searches for different levels, and reports each as it is found; `report` returns whether to
/// continue. `level_budget` makes the budget for solving one level: a level that takes longer is
/// skipped.
pub fn find_levels<G: Game>(
    spec: &Spec,
    requirements: &Requirements,
    search: LevelSearch,
    budget: &Budget,
    level_budget: impl Fn() -> Budget,
    mut report: impl FnMut(FoundLevel<G>) -> bool,
) -> LevelSearchEnd {
    search_levels(
        spec,
        requirements,
        search,
        budget,
        &level_budget,
        &mut report,
    )
}

#[inline(never)]
pub(crate) fn search_levels<G: Game>(
    spec: &Spec,
    requirements: &Requirements,
    search: LevelSearch,
    budget: &Budget,
    level_budget: &dyn Fn() -> Budget,
    report: &mut dyn FnMut(FoundLevel<G>) -> bool,
) -> LevelSearchEnd {
    let spec = match fit_spec::<G>(spec, requirements) {
        Ok(spec) => spec,
        Err(why) => return LevelSearchEnd::Impossible(why),
    };
    let mut run = SearchRun {
        spec: &spec,
        requirements,
        search,
        budget,
        level_budget,
        report,
        seen: HashSet::new(),
        tried: 0,
        nearest: None,
    };
    match run.run() {
        Err(end) => end,
        Ok(never) => match never {},
    }
}

/// The spec with the knobs for levels that are not built around a plan, if such levels meet the
/// requirements more often and the spec does not set these knobs itself.
fn fit_spec<G: Game>(spec: &Spec, requirements: &Requirements) -> Result<Spec, String> {
    let mut spec = spec.clone();
    let no_plan = requirements.solvable == Some(false);
    for &(name, value) in G::WITHOUT_PLAN {
        let given = spec.knobs.iter().find(|(known, _)| known == name);
        match given {
            Some((_, given)) if no_plan && *given != value => {
                return Err(format!("without --{name} {value}, every level has a plan"));
            }
            None if no_plan || requirements.par.is_some() => spec = spec.with(name, value),
            _ => {}
        }
    }
    Ok(spec)
}

/// The state of one search for levels.
struct SearchRun<'a, G: Game> {
    spec: &'a Spec,
    requirements: &'a Requirements,
    search: LevelSearch,
    budget: &'a Budget,
    level_budget: &'a dyn Fn() -> Budget,
    report: &'a mut dyn FnMut(FoundLevel<G>) -> bool,
    /// The canonical forms of the levels that were reported.
    seen: HashSet<String>,
    tried: u64,
    /// The evaluation that came nearest to the requirements without meeting them.
    nearest: Option<Evaluation<G>>,
}

/// A search runs until something ends it.
enum Never {}

/// A sample that does not meet the requirements.
struct NearMiss {
    seed: u64,
    distance: Distance,
}

impl<G: Game> SearchRun<'_, G> {
    /// Batches of samples with climbs between them, until something ends the search.
    fn run(&mut self) -> Result<Never, LevelSearchEnd> {
        let mut seed = self.search.seed;
        loop {
            let mut near_misses = Vec::new();
            for _ in 0..BATCH {
                let level = Recipe::of_seed(seed).make(self.spec, self.budget)?;
                if let Some(distance) = self.try_level(&level, &|| Recipe::of_seed(seed))? {
                    near_misses.push(NearMiss { seed, distance });
                }
                seed = seed.wrapping_add(1);
            }
            if self.search.uniform || self.requirements.are_empty() {
                continue;
            }
            near_misses.sort_by(|one, other| one.distance.compare(other.distance));
            for start in near_misses.into_iter().take(CLIMBS) {
                self.climb(start)?;
            }
        }
    }

    /// Hill climbing from a sample, until a level meets the requirements or progress stops.
    fn climb(&mut self, start: NearMiss) -> Result<(), LevelSearchEnd> {
        let mut recipe = Recipe::of_seed(start.seed);
        let (mut genotype, level) = Genotype::new::<G>(self.spec, start.seed, self.budget)?;
        let (mut current, mut distance) = (canonical_form(&level), start.distance);
        let mut left = PATIENCE;
        for step in 0.. {
            if left == 0 {
                break;
            }
            left -= 1;
            // Skip numbers from which the generator cannot make a level, and the same level again.
            let (neighbour, level) = match genotype.neighbour::<G>(self.spec, step, self.budget) {
                Ok(made) => made,
                Err(NotGenerated::Impossible(_)) => continue,
                Err(limit) => return Err(limit.into()),
            };
            let form = canonical_form(&level);
            if form == current {
                continue;
            }
            let steps = || [&recipe.steps[..], &[step]].concat();
            let tried = self.try_level(&level, &|| Recipe {
                steps: steps(),
                ..recipe.clone()
            })?;
            let Some(neighbour_distance) = tried else {
                return Ok(());
            };
            let order = neighbour_distance.compare(distance);
            if order.is_lt() {
                left = PATIENCE;
            }
            if order.is_le() {
                recipe.steps.push(step);
                (genotype, current, distance) = (neighbour, form, neighbour_distance);
            }
        }
        Ok(())
    }

    /// Evaluates a level, and reports it if it meets the requirements; otherwise returns its
    /// distance from them. `Err`: the search is over.
    fn try_level(
        &mut self,
        level: &G,
        recipe: &dyn Fn() -> Recipe,
    ) -> Result<Option<Distance>, LevelSearchEnd> {
        if self.seen.len() >= self.search.count {
            return Err(LevelSearchEnd::Complete);
        }
        if self.tried >= self.search.tries {
            return Err(LevelSearchEnd::TriesUsedUp {
                tries: self.tried,
                nearest: self.nearest.as_ref().and_then(Evaluation::description),
            });
        }
        let progress = || Progress {
            phase: "try",
            depth: self.tried.min(u64::from(u32::MAX)) as u32,
            stored: self.seen.len() as u64,
            ..Progress::default()
        };
        self.budget.check(progress).map_err(LevelSearchEnd::Limit)?;
        self.tried += 1;
        let evaluation = self.requirements.evaluate(level, &(self.level_budget)());
        if let Some(answer) = &evaluation.answer
            && let Status::Defect(why) = &answer.status
        {
            return Err(LevelSearchEnd::Defect {
                level: Level::bare(level.clone()).print(),
                route: answer.route.clone(),
                why: why.clone(),
            });
        }
        if evaluation.distance != Distance::None {
            let distance = evaluation.distance;
            let is_nearer = |nearest: &Evaluation<G>| distance.compare(nearest.distance).is_lt();
            if self.nearest.as_ref().is_none_or(is_nearer) {
                self.nearest = Some(evaluation);
            }
            return Ok(Some(distance));
        }
        if self.seen.insert(canonical_form(level)) {
            let found = FoundLevel {
                level: level.clone(),
                spec: self.spec.clone(),
                recipe: recipe(),
                tried: self.tried,
                answer: evaluation.answer,
                rating: evaluation.rating,
            };
            if !(self.report)(found) || self.seen.len() >= self.search.count {
                return Err(LevelSearchEnd::Complete);
            }
        }
        Ok(None)
    }
}
