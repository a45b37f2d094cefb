//! How many turns it takes at least to remove all of some things: "no Dot" with ten dots takes ten turns
//! where one turn removes one dot at most.
//!
//! Two arguments tell how many a turn removes at most, and either may fail where the other one holds.
//! If only rules with a moving player remove things, in cells beside it, the cells around the players
//! count (`pushes.rs`). If every application of such a rule ends a movement in a layer of the players, and
//! no rule starts more movements there than it ends, there are not more applications in a turn than
//! players at its start. Late rules, which know no movements, must remove nothing.

use super::pushes::most_affected;
use crate::analysis::destroyed;
use crate::game::{Cell, Game, Group, Motion, Quantifier, Rule, Term, WinCondition};
use crate::set::Set;
use crate::space::{LevelSpace, PuzzleState};

/// Things that must all be removed.
pub(super) struct Removal {
    things: Vec<usize>,
    /// The most that a turn removes.
    most: u32,
}

impl Removal {
    /// What follows from a win condition.
    pub(super) fn of(space: &LevelSpace, win: &WinCondition) -> Option<Self> {
        let game = &space.game;
        let everywhere = !win.on.all && win.on.objects.iter().count() == game.objects.len();
        if win.quantifier != Quantifier::No || win.what.all || !everywhere {
            return None;
        }
        let things = &win.what.objects;
        if rules(&game.late.groups).any(|rule| removed(game, rule, things) > 0) {
            return None;
        }
        let layers = layers_of(game, things);
        let removes =
            |before: &[Term], after: &[Term]| destroyed(game, before, after).meets(things);
        let by_cells = most_affected(space, &removes).and_then(|cells| cells.checked_mul(layers));
        let by_movements = most_by_movements(space, things);
        let most = by_cells.into_iter().chain(by_movements).min()?;
        let things = things.iter().collect();
        Some(Self { things, most })
    }

    /// The turns that are needed at least; `None`: the things can never be removed.
    pub(super) fn turns(&self, space: &LevelSpace, state: &PuzzleState) -> Option<u32> {
        let planes = self.things.iter();
        let planes = planes.map(|&it| space.engine.plane(&space.shape, &state.bits, it));
        let left: u32 = planes.flatten().map(|word| word.count_ones()).sum();
        match (left, self.most) {
            (0, _) => Some(0),
            (_, 0) => None,
            (left, most) => Some(left.div_ceil(most)),
        }
    }
}

/// The rules that change something.
fn rules(groups: &[Group]) -> impl Iterator<Item = &Rule> {
    let rules = groups.iter().flat_map(|group| &group.rules);
    rules.filter(|rule| rule.changes)
}

fn layers_of(game: &Game, objects: &Set) -> u32 {
    let layers: Set = objects.iter().map(|it| game.objects[it].layer).collect();
    layers.iter().count() as u32
}

/// How many of the things one application of a rule removes at most.
fn removed(game: &Game, rule: &Rule, things: &Set) -> u32 {
    let cells = rule.rows.iter().flatten().filter_map(Cell::sides);
    let in_cell = |(before, after): (&[Term], &[Term])| {
        let gone = destroyed(game, before, after);
        let gone: Set = gone.iter().filter(|&it| things.contains(it)).collect();
        layers_of(game, &gone)
    };
    cells.map(in_cell).sum()
}

/// The most things that a turn removes, if each rule that removes some ends a movement of a player.
fn most_by_movements(space: &LevelSpace, things: &Set) -> Option<u32> {
    let game = &space.game;
    let player = &game.player.objects;
    let late = rules(&game.late.groups);
    if rules(&game.rules.groups)
        .chain(late)
        .any(|rule| players_made(rule, player) > 0)
    {
        return None;
    }
    let layers: Set = player.iter().map(|it| game.objects[it].layer).collect();
    let mut most = 0;
    for rule in rules(&game.rules.groups) {
        let started = movements_started(rule, &layers)?;
        let removed = removed(game, rule, things);
        if started > 0 || (removed > 0 && started == 0) {
            return None;
        }
        most = most.max(removed);
    }
    let start = space.cells(space.start_state());
    let players = start.iter().map(|cell| {
        let here = cell.iter().filter(|&it| player.contains(it));
        here.count() as u32
    });
    players.sum::<u32>().checked_mul(most)
}

/// How many players more there are after one application of a rule, at most.
fn players_made(rule: &Rule, player: &Set) -> i32 {
    let named = |terms: &[Term]| -> Set {
        let objects = terms.iter().filter_map(|term| match term {
            Term::Object { object, .. } if player.contains(*object) => Some(*object),
            _ => None,
        });
        objects.collect()
    };
    let mut made = 0;
    for (before, after) in rule.rows.iter().flatten().filter_map(Cell::sides) {
        let (had, has) = (named(before), named(after));
        made += has.iter().filter(|&it| !had.contains(it)).count() as i32;
        made -= had.iter().filter(|&it| !has.contains(it)).count() as i32;
        let chosen = after
            .iter()
            .any(|term| matches!(term, Term::Random(objects) if objects.meets(player)));
        made += i32::from(chosen);
    }
    made
}

/// How many movements more there are in these layers after one application of a rule, at most; `None`:
/// not known.
fn movements_started(rule: &Rule, layers: &Set) -> Option<i32> {
    let mut started = 0;
    for (before, after) in rule.rows.iter().flatten().filter_map(Cell::sides) {
        for layer in layers.iter() {
            let (had, has) = (movements(before, layer)?, movements(after, layer)?);
            started += (has & !had).count_ones() as i32;
            started -= (had & !has).count_ones() as i32;
        }
    }
    Some(started)
}

/// The movements that terms name in a layer; `None` where they are chosen at random.
fn movements(terms: &[Term], layer: usize) -> Option<u8> {
    let mut bits = 0;
    for term in terms {
        let (Term::Object {
            layer: of, motion, ..
        }
        | Term::Property {
            layer: of, motion, ..
        }) = term
        else {
            continue;
        };
        match motion {
            Motion::RandomDirection if *of == layer => return None,
            Motion::Moving(moving) if *of == layer => bits |= moving,
            _ => {}
        }
    }
    Some(bits)
}
