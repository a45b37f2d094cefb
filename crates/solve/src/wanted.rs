//! Levels with wanted properties: random levels, one after the other, until one is as wished. Of levels that are the same
//! puzzle in a mirror or under other names, only the first is told.
//!
//! Try number k of seed s is the level that seed s + k gives by itself, so whatever is found can be had again from its own
//! seed alone. Where plain luck would take too long, the games' generators have knobs that build the property in: Bombastic's
//! walk carries blocks to their goals, so that its levels can be solved.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use ployglot_base::{Budget, Limit, Progress, Random};
use ployglot_games::{Game, Spec, likeness};

use crate::answer::{Answer, Status};
use crate::rating::{Difficulty, Rating, Scope, rate};
use crate::{Request, solve};

/// What a level must be like; what is `None` or false is not asked.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    pub par: Option<RangeInclusive<u32>>,
    /// Whether there is a plan.
    pub solvable: Option<bool>,
    /// One best plan, but for the order of its moves.
    pub unique: bool,
    pub difficulty: Option<RangeInclusive<Difficulty>>,
    /// Percent of the positions within par.
    pub least_dead_ends: Option<u32>,
    /// Length of the longest forced stretch.
    pub least_forced: Option<u32>,
}

pub struct Found<G: Game> {
    pub level: G,
    pub seed: u64,
    /// `None` where nothing was wished.
    pub answer: Option<Answer<G>>,
    pub rating: Option<Rating<G>>,
}

/// How a hunt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hunt {
    /// As many as were asked for.
    Complete,
    /// The cap on the tries was hit.
    Tried(u64),
    Limit(Limit),
    /// The generator cannot make such a level.
    Bad(String),
}

impl Wish {
    fn is_plain(&self) -> bool {
        self.par.is_none() && self.solvable.is_none() && !self.needs_rating()
    }

    fn needs_rating(&self) -> bool {
        self.unique
            || self.difficulty.is_some()
            || self.least_dead_ends.is_some()
            || self.least_forced.is_some()
    }

    fn likes<G: Game>(&self, answer: &Answer<G>) -> bool {
        let par_fits = |par: &RangeInclusive<u32>| {
            answer.status == Status::Optimal && answer.cost.is_some_and(|cost| par.contains(&cost))
        };
        let solvable = match answer.status {
            Status::Optimal | Status::Feasible(_) => Some(true),
            Status::Unsolvable => Some(false),
            Status::Limit(_) | Status::Defect(_) => None,
        };
        self.par.as_ref().is_none_or(par_fits)
            && self.solvable.is_none_or(|wanted| solvable == Some(wanted))
    }

    fn likes_rating<G: Game>(&self, rating: &Rating<G>) -> bool {
        let dead = rating.dead_ends.map(|share| share.percent());
        (!self.unique || rating.distinct_plans == Some(1))
            && self
                .difficulty
                .as_ref()
                .is_none_or(|wanted| wanted.contains(&rating.verdict.difficulty))
            && self
                .least_dead_ends
                .is_none_or(|least| dead.is_some_and(|dead| dead >= f64::from(least)))
            && self
                .least_forced
                .is_none_or(|least| rating.forced.is_some_and(|forced| forced >= least))
    }
}

/// Hunts for `count` different levels, and tells each as it is found. `each` is the budget of one solver run: a level that
/// takes longer is passed over.
pub fn hunt<G: Game>(
    spec: &Spec,
    wish: &Wish,
    (seed, count, tries): (u64, usize, u64),
    budget: &Budget,
    each: impl Fn() -> Budget,
    mut tell: impl FnMut(Found<G>) -> bool,
) -> Hunt {
    let mut seen = HashSet::new();
    for attempt in 0..tries {
        if seen.len() >= count {
            return Hunt::Complete;
        }
        let progress = || Progress {
            phase: "try",
            depth: attempt.min(u64::from(u32::MAX)) as u32,
            stored: seen.len() as u64,
            ..Progress::default()
        };
        if let Err(limit) = budget.check(progress) {
            return Hunt::Limit(limit);
        }
        let seed = seed.wrapping_add(attempt);
        let level = match G::generate(spec, &mut Random::new(seed)) {
            Ok(level) => level,
            Err(why) => return Hunt::Bad(why),
        };
        let Some(found) = look(level, seed, wish, &each()) else {
            continue;
        };
        if seen.insert(likeness(&found.level)) && !tell(found) {
            return Hunt::Complete;
        }
    }
    match seen.len() >= count {
        true => Hunt::Complete,
        false => Hunt::Tried(tries),
    }
}

fn look<G: Game>(level: G, seed: u64, wish: &Wish, budget: &Budget) -> Option<Found<G>> {
    let (mut answer, mut rating) = (None, None);
    if !wish.is_plain() {
        let found = solve(&level, &Request::default(), budget).ok()?;
        if !wish.likes(&found) {
            return None;
        }
        answer = Some(found);
    }
    if wish.needs_rating() {
        let found = rate(&level, Scope::default(), budget).ok()?;
        if !wish.likes_rating(&found) {
            return None;
        }
        rating = Some(found);
    }
    Some(Found {
        level,
        seed,
        answer,
        rating,
    })
}
