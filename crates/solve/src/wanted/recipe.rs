//! How a level was made, and its neighbours.
//!
//! A generator makes a level from a row of random numbers, and the row comes from a seed. Change a number or two of the row, and
//! most generators make a level that differs in a cell or two: a neighbour. That is all that local search needs, and no game has
//! to say what its neighbours are; whatever comes out has the size, the colours and the mix that were asked for, because it
//! comes out of the same generator. (A game's own mutations were thought of and dropped: five times the rules of what may stand
//! where, which the generators know already. Where one number decides much, as in Bombastic's walks, neighbours are less
//! alike, and a climb is more like luck.)
//!
//! A recipe is a seed and the numbers of the steps that were taken. It makes the level again without solving anything.

use ployglot_base::{Changes, Random};
use ployglot_games::{Game, Spec};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    pub seed: u64,
    /// The steps from the seed's own level, each from the level before it.
    pub steps: Vec<u64>,
}

impl Recipe {
    pub fn plain(seed: u64) -> Self {
        let steps = Vec::new();
        Self { seed, steps }
    }

    /// The command that makes the level again: `ploy new puzznic --size 6x6 --seed 36 --steps 4,25`.
    pub fn command<G: Game>(&self, spec: &Spec) -> String {
        let mut text = format!("ploy new {} {spec} --seed {}", G::NAME, self.seed);
        let steps: Vec<String> = self.steps.iter().map(u64::to_string).collect();
        if !steps.is_empty() {
            text += &format!(" --steps {}", steps.join(","));
        }
        text
    }

    /// The level. `Err`: a sentence of the generator's.
    pub fn make<G: Game>(&self, spec: &Spec) -> Result<G, String> {
        let (mut draft, mut level) = Draft::new(spec, self.seed)?;
        for &step in &self.steps {
            (draft, level) = draft.step(spec, step)?;
        }
        Ok(level)
    }
}

/// A row of numbers that made a level.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    seed: u64,
    changes: Changes,
    /// How many numbers of it were used.
    drawn: u64,
}

impl Draft {
    pub fn new<G: Game>(spec: &Spec, seed: u64) -> Result<(Self, G), String> {
        Self::of(spec, seed, Changes::new())
    }

    fn of<G: Game>(spec: &Spec, seed: u64, changes: Changes) -> Result<(Self, G), String> {
        let mut random = Random::with_changes(seed, changes.clone());
        let level = G::generate(spec, &mut random)?;
        let drawn = random.drawn();
        let draft = Self {
            seed,
            changes,
            drawn,
        };
        Ok((draft, level))
    }

    /// The neighbour of this number: one number of the row is another one, or two have changed places; and with a chance of a
    /// half each, the same once more.
    pub fn step<G: Game>(&self, spec: &Spec, step: u64) -> Result<(Self, G), String> {
        let mut dice = Random::new(Random::new(self.seed).at(step).rotate_left(17));
        let mut changes = self.changes.clone();
        let row = Random::with_changes(self.seed, self.changes.clone());
        let places = self.drawn.max(1) as usize;
        loop {
            let (one, other) = (dice.below(places) as u64, dice.below(places) as u64);
            if dice.chance(1, 2) {
                changes.insert(one, dice.next_u64());
            } else {
                changes.insert(one, row.at(other));
                changes.insert(other, row.at(one));
            }
            if dice.chance(1, 2) {
                return Self::of(spec, self.seed, changes);
            }
        }
    }
}
