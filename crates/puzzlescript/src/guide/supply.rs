//! What a win condition needs, counted: a dead end is where too little of it is left and no rule
//! makes more, or where something must go that no rule destroys.

use crate::analysis::effects;
use crate::game::{Game, Quantifier, Things, WinCondition};
use crate::space::{LevelSpace, PuzzleState};

/// A number that can never be right again once it is wrong.
pub(super) enum Supply {
    /// At least one of these objects must be there; no rule makes one.
    Some(Vec<usize>),
    /// None of these objects may be there; no rule destroys one.
    None(Vec<usize>),
    /// There must be at least as many of the second objects as of the first. No rule destroys one of
    /// the first or makes one of the second; in one cell there is at most one of each.
    Enough(Vec<usize>, Vec<usize>),
}

impl Supply {
    /// What follows from a win condition.
    pub(super) fn of(game: &Game, win: &WinCondition) -> Vec<Supply> {
        let effects = effects(game);
        let list = |things: &Things| things.objects.iter().collect::<Vec<usize>>();
        let everywhere = !win.on.all && win.on.objects.iter().count() == game.objects.len();
        let never_made = |things: &Things| !things.objects.meets(&effects.created);
        let never_lost = |things: &Things| !things.objects.meets(&effects.destroyed);
        let one_layer = |things: &Things| {
            let mut layers = things.objects.iter().map(|it| game.objects[it].layer);
            let first = layers.next();
            !things.all && layers.all(|layer| Some(layer) == first)
        };
        let mut supplies = Vec::new();
        match win.quantifier {
            Quantifier::Some => {
                for things in [&win.what, &win.on] {
                    // Of an aggregate all objects are needed, of a property one.
                    match things.all {
                        true => supplies.extend(
                            things
                                .objects
                                .iter()
                                .filter(|&it| !effects.created.contains(it))
                                .map(|it| Supply::Some(vec![it])),
                        ),
                        false if never_made(things) => supplies.push(Supply::Some(list(things))),
                        false => {}
                    }
                }
            }
            Quantifier::No if everywhere && !win.what.all => {
                let lasting = win.what.objects.iter();
                let lasting = lasting.filter(|&it| !effects.destroyed.contains(it));
                supplies.push(Supply::None(lasting.collect()));
            }
            Quantifier::No => {}
            Quantifier::All if everywhere => {}
            Quantifier::All => {
                if one_layer(&win.what)
                    && one_layer(&win.on)
                    && never_lost(&win.what)
                    && never_made(&win.on)
                {
                    supplies.push(Supply::Enough(list(&win.what), list(&win.on)));
                }
            }
        }
        supplies
    }

    /// Whether the condition can never hold again.
    pub(super) fn is_gone(&self, space: &LevelSpace, state: &PuzzleState) -> bool {
        let count = |objects: &[usize]| -> u32 {
            let planes = objects.iter();
            let planes = planes.map(|&it| space.engine.plane(&space.shape, &state.bits, it));
            planes.flatten().map(|word| word.count_ones()).sum()
        };
        match self {
            Supply::Some(objects) => count(objects) == 0,
            Supply::None(objects) => count(objects) > 0,
            Supply::Enough(needing, needed) => count(needing) > count(needed),
        }
    }
}
