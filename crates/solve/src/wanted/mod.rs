//! Levels with wanted properties. First luck, then climbs; whatever is found was solved and fulfils the wish.
//!
//! *Luck* looks at random levels one after the other: try number k of seed s is the level that seed s + k gives by itself. As long
//! as it serves, its levels are drawn like any other, only with the wish as a sieve. Where a batch of them brings too few,
//! those that came nearest are the feet of *climbs* (hill climbing, with steps along a plateau allowed): of a level's
//! neighbours (`recipe.rs`) one after the other is looked at, and taken where it is no farther from the wish
//! (`wish.rs`). A climb that has made no progress for a while is given up. Then comes the next batch of luck.
//!
//! Levels that are the same puzzle in a mirror or under other names are told once. What was found can be had again from its
//! recipe, without the search.

mod recipe;
mod wish;

use std::collections::HashSet;

use ployglot_base::{Budget, Limit, Progress};
use ployglot_games::{Game, Spec, canonical_form};

use crate::answer::Answer;
use crate::rating::Rating;
use recipe::Draft;
pub use recipe::Recipe;
pub use wish::Wish;
use wish::{Distance, Look};

/// How many levels, and where and how long they are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Quest {
    pub seed: u64,
    pub count: usize,
    /// Look at no more levels than this.
    pub tries: u64,
    /// Luck alone, so that levels are drawn evenly from all that are as wished.
    pub uniform: bool,
}

pub struct Found<G: Game> {
    pub level: G,
    /// What the recipe was made with.
    pub spec: Spec,
    pub recipe: Recipe,
    /// The levels that were looked at so far, this one included.
    pub tried: u64,
    /// `None` where nothing was wished.
    pub answer: Option<Answer<G>>,
    pub rating: Option<Rating<G>>,
}

/// How a hunt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hunt {
    /// As many as were asked for.
    Complete,
    /// The cap on the tries was hit; what the nearest level has that was looked at.
    Tried(u64, Option<String>),
    Limit(Limit),
    /// The generator cannot make such a level.
    Bad(String),
}

/// Levels of luck before climbs begin, and again after them.
const BATCH: u64 = 200;
/// Climbs after each batch.
const CLIMBS: usize = 4;
/// A climb that has looked at so many levels without coming nearer is given up.
const PATIENCE: u64 = 300;

/// Hunts for different levels, and tells each as it is found. `each` is the budget of one solver run: a level that takes longer
/// is passed over.
pub fn hunt<G: Game>(
    spec: &Spec,
    wish: &Wish,
    quest: Quest,
    budget: &Budget,
    each: impl Fn() -> Budget,
    tell: impl FnMut(Found<G>) -> bool,
) -> Hunt {
    let spec = match fit_spec::<G>(spec, wish) {
        Ok(spec) => spec,
        Err(why) => return Hunt::Bad(why),
    };
    let mut hunter = Hunter {
        spec: &spec,
        wish,
        quest,
        budget,
        each,
        tell,
        seen: HashSet::new(),
        tried: 0,
        nearest: None,
    };
    match hunter.run() {
        Err(end) => end,
        Ok(never) => match never {},
    }
}

/// The spec for levels into which no plan is built, where the wish is better served by those and the knobs say nothing else.
fn fit_spec<G: Game>(spec: &Spec, wish: &Wish) -> Result<Spec, String> {
    let mut spec = spec.clone();
    let no_plan = wish.solvable == Some(false);
    for &(name, value) in G::WITHOUT_PLAN {
        let given = spec.knobs.iter().find(|(known, _)| known == name);
        match given {
            Some((_, given)) if no_plan && *given != value => {
                return Err(format!("without --{name} {value}, every level has a plan"));
            }
            None if no_plan || wish.par.is_some() => spec = spec.with(name, value),
            _ => {}
        }
    }
    Ok(spec)
}

struct Hunter<'a, G: Game, Each, Tell> {
    spec: &'a Spec,
    wish: &'a Wish,
    quest: Quest,
    budget: &'a Budget,
    each: Each,
    tell: Tell,
    /// What was told.
    seen: HashSet<String>,
    tried: u64,
    nearest: Option<Look<G>>,
}

enum Never {}

/// A level of luck that is not as wished.
struct Foot {
    seed: u64,
    distance: Distance,
}

impl<G: Game, Each: Fn() -> Budget, Tell: FnMut(Found<G>) -> bool> Hunter<'_, G, Each, Tell> {
    /// Batches of luck with climbs between them, to one end or another.
    fn run(&mut self) -> Result<Never, Hunt> {
        let mut seed = self.quest.seed;
        loop {
            let mut feet = Vec::new();
            for _ in 0..BATCH {
                let level = Recipe::plain(seed).make(self.spec).map_err(Hunt::Bad)?;
                if let Some(distance) = self.look(&level, || Recipe::plain(seed))? {
                    feet.push(Foot { seed, distance });
                }
                seed = seed.wrapping_add(1);
            }
            if self.quest.uniform || self.wish.is_plain() {
                continue;
            }
            feet.sort_by(|one, other| one.distance.compare(other.distance));
            for foot in feet.into_iter().take(CLIMBS) {
                self.climb(foot)?;
            }
        }
    }

    fn climb(&mut self, foot: Foot) -> Result<(), Hunt> {
        let mut recipe = Recipe::plain(foot.seed);
        let (mut draft, level) = Draft::new::<G>(self.spec, foot.seed).map_err(Hunt::Bad)?;
        let (mut here, mut distance) = (canonical_form(&level), foot.distance);
        let mut left = PATIENCE;
        for step in 0.. {
            if left == 0 {
                break;
            }
            left -= 1;
            // A row of numbers of which the generator can make nothing is passed over, and so is what looks as before.
            let Ok((next, level)) = draft.step::<G>(self.spec, step) else {
                continue;
            };
            let there = canonical_form(&level);
            if there == here {
                continue;
            }
            let steps = || [&recipe.steps[..], &[step]].concat();
            let told = self.look(&level, || Recipe {
                steps: steps(),
                ..recipe.clone()
            })?;
            let Some(found) = told else {
                return Ok(());
            };
            let order = found.compare(distance);
            if order.is_lt() {
                left = PATIENCE;
            }
            if order.is_le() {
                recipe.steps.push(step);
                (draft, here, distance) = (next, there, found);
            }
        }
        Ok(())
    }

    /// Looks at a level, and tells it where it is as wished; else says how far it is from that. `Err`: the hunt is over.
    fn look(&mut self, level: &G, recipe: impl Fn() -> Recipe) -> Result<Option<Distance>, Hunt> {
        if self.seen.len() >= self.quest.count {
            return Err(Hunt::Complete);
        }
        if self.tried >= self.quest.tries {
            let nearest = self.nearest.as_ref().and_then(Look::words);
            return Err(Hunt::Tried(self.tried, nearest));
        }
        let progress = || Progress {
            phase: "try",
            depth: self.tried.min(u64::from(u32::MAX)) as u32,
            stored: self.seen.len() as u64,
            ..Progress::default()
        };
        self.budget.check(progress).map_err(Hunt::Limit)?;
        self.tried += 1;
        let look = self.wish.look(level, &(self.each)());
        if look.distance != Distance::None {
            let distance = look.distance;
            let is_nearer = |nearest: &Look<G>| distance.compare(nearest.distance).is_lt();
            if self.nearest.as_ref().is_none_or(is_nearer) {
                self.nearest = Some(look);
            }
            return Ok(Some(distance));
        }
        if self.seen.insert(canonical_form(level)) {
            let found = Found {
                level: level.clone(),
                spec: self.spec.clone(),
                recipe: recipe(),
                tried: self.tried,
                answer: look.answer,
                rating: look.rating,
            };
            if !(self.tell)(found) || self.seen.len() >= self.quest.count {
                return Err(Hunt::Complete);
            }
        }
        Ok(None)
    }
}
