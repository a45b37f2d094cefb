//! How many things can move in one turn, and how many cells a moving player can affect.
//!
//! In most games a thing moves because a player next to it moves. There are so many players at most
//! as at the start, where no rule makes one; each has the movement of the input; and the patterns
//! tell which cells around it can get a movement from it. In Sokoban that is one cell: the crate
//! before the player. Where a thing can get a movement in any other way, nothing is claimed.

use std::collections::BTreeSet;

use crate::analysis::{effects, occupants};
use crate::game::{ACTION, Cell, Direction, Motion, Rule, Term};
use crate::set::Set;
use crate::space::LevelSpace;

/// The largest number of these things that can move in one turn; `None`: not known. No rule creates
/// or destroys the things, and they are not players.
pub(super) fn most_moved(space: &LevelSpace, things: &Set) -> Option<u32> {
    if things.meets(&space.game.player.objects) {
        return None;
    }
    let gets_movement = |before: &[Term], after: &[Term]| {
        after.iter().any(|term| match occupants(term) {
            // A thing that moves already is counted where it got its movement.
            Some((layer, objects)) => {
                objects.meets(things)
                    && movement(term).is_some()
                    && movement_in(before, layer).is_none_or(|had| had & !ACTION == 0)
            }
            None => false,
        })
    };
    most_affected(space, &gets_movement).map(|most| most.max(1))
}

/// The largest number of cells that the rules before the movements can affect in one turn, where only
/// rules with a moving player do so, in cells at fixed places beside it; `None`: not known.
pub(super) fn most_affected(
    space: &LevelSpace,
    affects: &dyn Fn(&[Term], &[Term]) -> bool,
) -> Option<u32> {
    let game = &space.game;
    let player = &game.player.objects;
    if player.meets(&effects(game).created) {
        return None;
    }
    let mut sources = Sources {
        affects,
        player,
        cells: BTreeSet::new(),
        turns: false,
    };
    let rules = game.rules.groups.iter().flat_map(|group| &group.rules);
    for rule in rules.filter(|rule| rule.changes) {
        sources.add(rule)?;
    }
    // For one movement of the player, how many cells around it can be affected.
    let cells = |movement: u8| {
        let cells = sources.cells.iter();
        let cells = cells.filter(|(needed, _)| sources.turns || *needed & !movement == 0);
        let cells: BTreeSet<(isize, isize)> = cells.map(|(_, cell)| *cell).collect();
        cells.len()
    };
    let most = Direction::ALL.map(|direction| cells(direction.bit()));
    let most = most.into_iter().max().unwrap_or(0).max(cells(ACTION));
    let start = space.cells(space.start_state());
    let players = start.iter().filter(|cell| cell.meets(player)).count();
    u32::try_from(players * most).ok()
}

/// From where cells are affected.
struct Sources<'a> {
    /// Whether a rule with these sides of a cell affects it.
    affects: &'a dyn Fn(&[Term], &[Term]) -> bool,
    player: &'a Set,
    /// The movement that a player must have, and a cell that it may affect then, as columns and rows
    /// from the player.
    cells: BTreeSet<(u8, (isize, isize))>,
    /// A rule gives a player another movement than that of the input.
    turns: bool,
}

impl Sources<'_> {
    /// Adds what a rule can do; `None` where it can affect a cell without a player.
    fn add(&mut self, rule: &Rule) -> Option<()> {
        for row in &rule.rows {
            for part in row.split(|cell| matches!(cell, Cell::Ellipsis)) {
                self.add_part(rule.direction, part)?;
            }
        }
        Some(())
    }

    fn add_part(&mut self, direction: Direction, part: &[Cell]) -> Option<()> {
        let sides: Vec<(&[Term], &[Term])> = part.iter().filter_map(Cell::sides).collect();
        let moving_player = |before: &[Term]| {
            let mut terms = before.iter();
            terms.find_map(|term| match (occupants(term), movement(term)) {
                (Some((_, objects)), Some(bits)) if objects.within(self.player) => Some(bits),
                _ => None,
            })
        };
        let players = sides.iter().enumerate();
        let player = players
            .filter_map(|(place, (before, _))| Some((place, moving_player(before)?)))
            .next();
        for (place, &(before, after)) in sides.iter().enumerate() {
            self.turns |= after.iter().any(|term| match occupants(term) {
                Some((layer, objects)) => {
                    let given = movement(term);
                    objects.meets(self.player)
                        && given.is_some()
                        && movement_in(before, layer) != given
                }
                None => false,
            });
            if (self.affects)(before, after) {
                let (from, needed) = player?;
                let distance = place as isize - from as isize;
                let (dx, dy) = direction.step();
                self.cells.insert((needed, (dx * distance, dy * distance)));
            }
        }
        Some(())
    }
}

/// The movement that some terms have in a layer; `None` where they have none.
fn movement_in(terms: &[Term], layer: usize) -> Option<u8> {
    terms.iter().find_map(|term| match occupants(term) {
        Some((known, _)) if known == layer => movement(term),
        _ => None,
    })
}

/// The movement that a term has; `None` where it has none.
fn movement(term: &Term) -> Option<u8> {
    match term {
        Term::Object { motion, .. } | Term::Property { motion, .. } => match motion {
            Motion::Moving(bits) => Some(*bits),
            Motion::RandomDirection => Some(0),
            Motion::Any | Motion::Stationary => None,
        },
        Term::No(_) | Term::Random(_) => None,
    }
}
