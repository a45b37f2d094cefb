//! How a level was made, and its neighbours.
//!
//! A generator makes a level from a sequence of random numbers, and the sequence comes from a seed.
//! Change a number or two of the sequence, and most generators make a level that differs in a cell
//! or two: a neighbour. Local search needs no more than that, and no game has to define its
//! neighbours. A neighbour has the size, the colours and the mix that were asked for, because the
//! same generator made it. (Mutations defined by each game were considered and dropped: they would
//! repeat the generators' rules of what may be where, five times. Where one number decides much, as
//! in Bombastic's walks, neighbours are less alike, and a climb is more like sampling.)
//!
//! A recipe is a seed and the numbers of the steps that were taken. It makes the level again
//! without solving anything.

use ployglot_base::{Budget, Changes, Random};
use ployglot_games::{Game, NotGenerated, Spec};

/// How to make a level again: the seed of a random level, and steps to neighbours from there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// The seed of the generator.
    pub seed: u64,
    /// The number of the neighbour that each step goes to, from the level of the step before.
    pub steps: Vec<u64>,
}

impl Recipe {
    /// The recipe of the level that a seed generates by itself.
    pub fn of_seed(seed: u64) -> Self {
        let steps = Vec::new();
        Self { seed, steps }
    }

    /// The command that makes the level again: `ploy new puzznic --size 6x6 --seed 36 --steps
    /// 4,25`.
    pub fn command<G: Game>(&self, spec: &Spec) -> String {
        let mut text = format!("ploy new {} {spec} --seed {}", G::NAME, self.seed);
        let steps: Vec<String> = self.steps.iter().map(u64::to_string).collect();
        if !steps.is_empty() {
            text += &format!(" --steps {}", steps.join(","));
        }
        text
    }

    /// The level of this recipe.
    #[inline(never)]
    pub fn make<G: Game>(&self, spec: &Spec, budget: &Budget) -> Result<G, NotGenerated> {
        let (mut genotype, mut level) = Genotype::new(spec, self.seed, budget)?;
        for &step in &self.steps {
            (genotype, level) = genotype.neighbour(spec, step, budget)?;
        }
        Ok(level)
    }
}

/// The sequence of random numbers that makes a level: that of a seed, with changes.
#[derive(Clone, Debug)]
pub(super) struct Genotype {
    seed: u64,
    changes: Changes,
    /// How many numbers of the sequence the generator used.
    drawn: u64,
}

impl Genotype {
    /// The sequence of a seed, and its level.
    pub fn new<G: Game>(
        spec: &Spec,
        seed: u64,
        budget: &Budget,
    ) -> Result<(Self, G), NotGenerated> {
        Self::with_changes(spec, seed, Changes::new(), budget)
    }

    fn with_changes<G: Game>(
        spec: &Spec,
        seed: u64,
        changes: Changes,
        budget: &Budget,
    ) -> Result<(Self, G), NotGenerated> {
        let mut random = Random::with_changes(seed, changes.clone());
        let level = G::generate_within(spec, &mut random, budget)?;
        let drawn = random.drawn();
        let genotype = Self {
            seed,
            changes,
            drawn,
        };
        Ok((genotype, level))
    }

    /// The neighbour of this number, and its level: one number of the sequence is replaced, or two
    /// are exchanged; with probability one half each time, this is repeated.
    pub fn neighbour<G: Game>(
        &self,
        spec: &Spec,
        number: u64,
        budget: &Budget,
    ) -> Result<(Self, G), NotGenerated> {
        let mut random = Random::new(Random::new(self.seed).at(number).rotate_left(17));
        let mut changes = self.changes.clone();
        let sequence = Random::with_changes(self.seed, self.changes.clone());
        let places = self.drawn.max(1) as usize;
        loop {
            let (one, other) = (random.below(places) as u64, random.below(places) as u64);
            if random.chance(1, 2) {
                changes.insert(one, random.next_u64());
            } else {
                changes.insert(one, sequence.at(other));
                changes.insert(other, sequence.at(one));
            }
            if random.chance(1, 2) {
                return Self::with_changes(spec, self.seed, changes, budget);
            }
        }
    }
}
