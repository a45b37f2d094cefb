//! What the rules of a game can do to its objects: create, destroy and move them.
//!
//! All answers are safe: an object that is not in a set is certainly not created, destroyed or
//! moved. They rest on a law of the language: a cell has at most one object of each layer. It holds
//! in every game without errors.

use crate::game::{ACTION, Cell, Command, Game, Group, Motion, Term};
use crate::set::Set;

/// What can happen to the objects of a game.
#[derive(Default)]
pub(crate) struct Effects {
    pub(crate) created: Set,
    pub(crate) destroyed: Set,
    pub(crate) moved: Set,
    /// Layers in which an object may vanish while its movement stays in the cell.
    pub(crate) loose_layers: Set,
}

/// The objects that some rule, or the player, can change.
pub(crate) fn changing_objects(game: &Game) -> Set {
    let Effects {
        mut created,
        destroyed,
        moved,
        ..
    } = effects(game);
    created.add(&destroyed);
    created.add(&moved);
    created
}

/// What can happen to the objects of a game.
pub(crate) fn effects(game: &Game) -> Effects {
    let mut effects = Effects {
        moved: game.player.objects.clone(),
        ..Effects::default()
    };
    for (before, after) in patterns(game) {
        effects.add(game, before, after);
    }
    effects
}

/// Both sides of all cells of all rules that change something.
fn patterns(game: &Game) -> impl Iterator<Item = (&[Term], &[Term])> {
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let rules = groups.flat_map(|group| &group.rules);
    let rules = rules.filter(|rule| rule.changes);
    rules.flat_map(|rule| rule.rows.iter().flatten().filter_map(Cell::sides))
}

/// The objects that a rule with these sides of a cell can destroy there.
pub(crate) fn destroyed(game: &Game, before: &[Term], after: &[Term]) -> Set {
    let mut effects = Effects::default();
    effects.add(game, before, after);
    effects.destroyed
}

/// The layer that a term is about, and the objects of it that may be there.
pub(crate) fn occupants(term: &Term) -> Option<(usize, Set)> {
    match term {
        Term::Object { object, layer, .. } => Some((*layer, [*object].into_iter().collect())),
        Term::Property { objects, layer, .. } => Some((*layer, objects.clone())),
        Term::No(_) | Term::Random(_) => None,
    }
}

impl Effects {
    fn add(&mut self, game: &Game, before: &[Term], after: &[Term]) {
        // What may be in each layer before: what the left side names, or anything it allows.
        let named: Vec<(usize, Set)> = before.iter().filter_map(occupants).collect();
        let is_named = |layer: usize| named.iter().find(|(named, _)| *named == layer);
        let excluded = union(before);
        let possible = |layer: usize| match is_named(layer) {
            Some((_, objects)) => objects.clone(),
            None => {
                let mut objects = game.layers[layer].clone();
                objects.remove(&excluded);
                objects
            }
        };
        let after_layers: Set = after
            .iter()
            .filter_map(occupants)
            .map(|(layer, _)| layer)
            .collect();
        let mut removed = union(after);
        let mut added = Set::new();
        for term in after {
            match term {
                Term::Object { object, layer, .. } => {
                    added.insert(*object);
                    removed.add(&game.layers[*layer]);
                }
                Term::Random(objects) => {
                    self.created.add(objects);
                    for object in objects.iter() {
                        removed.add(&game.layers[game.objects[object].layer]);
                    }
                }
                Term::Property { .. } | Term::No(_) => {}
            }
            let moves = match term {
                Term::Object { motion, .. } | Term::Property { motion, .. } => match motion {
                    Motion::Moving(bits) => bits & !ACTION != 0,
                    Motion::RandomDirection => true,
                    Motion::Any | Motion::Stationary => false,
                },
                Term::No(_) | Term::Random(_) => false,
            };
            if moves && let Some((_, objects)) = occupants(term) {
                self.moved.add(&objects);
            }
        }
        for (layer, objects) in &named {
            if !after_layers.contains(*layer) {
                removed.add(objects);
            }
        }
        for (layer, objects) in game.layers.iter().enumerate() {
            let there = possible(layer);
            let certain = match is_named(layer) {
                Some((_, objects)) if objects.iter().count() == 1 => objects.clone(),
                _ => Set::new(),
            };
            for object in objects.iter() {
                if added.contains(object) && !certain.contains(object) {
                    self.created.insert(object);
                }
                if removed.contains(object) && !added.contains(object) && there.contains(object) {
                    self.destroyed.insert(object);
                }
            }
            // `no` on the right side removes an object without ending its movement.
            if union(after).meets(objects) {
                self.loose_layers.insert(layer);
            }
        }
    }
}

/// The objects that terms exclude.
fn union(terms: &[Term]) -> Set {
    let mut objects = Set::new();
    for term in terms {
        if let Term::No(excluded) = term {
            objects.add(excluded);
        }
    }
    objects
}

/// The line of a rule that chooses at random, if there is one.
pub(crate) fn random_line(game: &Game) -> Option<usize> {
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let at_random = |term: &Term| match term {
        Term::Random(_) => true,
        Term::Object { motion, .. } | Term::Property { motion, .. } => {
            *motion == Motion::RandomDirection
        }
        Term::No(_) => false,
    };
    let line = |group: &Group| {
        let random = group.rules.iter().find(|rule| {
            let mut cells = rule.rows.iter().flatten();
            group.random
                || cells.any(|cell| match cell {
                    Cell::Ellipsis => false,
                    Cell::Pattern { after, .. } => after.iter().any(at_random),
                })
        });
        random.map(|rule| rule.line)
    };
    groups.into_iter().find_map(line)
}

/// Whether a rule gives this command.
pub(crate) fn commands(game: &Game, command: &Command) -> bool {
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let mut rules = groups.flat_map(|group| &group.rules);
    rules.any(|rule| rule.commands.contains(command))
}

/// Whether the action key never changes anything: every rule needs a movement in a direction, and
/// nothing happens after the movements.
pub(crate) fn idle_action(game: &Game) -> bool {
    let needs_direction = |term: &Term| match term {
        Term::Object { motion, .. } | Term::Property { motion, .. } => {
            matches!(motion, Motion::Moving(bits) if bits & !ACTION != 0)
        }
        Term::No(_) | Term::Random(_) => false,
    };
    let mut rules = game.rules.groups.iter().flat_map(|group| &group.rules);
    game.late.groups.is_empty()
        && rules.all(|rule| {
            let mut cells = rule.rows.iter().flatten();
            cells.any(|cell| match cell {
                Cell::Ellipsis => false,
                Cell::Pattern { before, .. } => before.iter().any(needs_direction),
            })
        })
}

/// The objects of layers at which no left side of a rule and no win condition looks, and in which
/// there is no player. What happens in such a layer has no effect on the others. With `again` a
/// change of such a layer may make another turn, and a rigid rule may undo a turn because of one:
/// then the set is empty.
pub(crate) fn unseen_objects(game: &Game) -> Set {
    let rigid = game.rules.groups.iter().any(|group| group.rigid.is_some());
    if rigid || commands(game, &Command::Again) {
        return Set::new();
    }
    let mut seen = game.player.objects.clone();
    for win in &game.wins {
        seen.add(&win.what.objects);
        let everywhere = !win.on.all && win.on.objects.iter().count() == game.objects.len();
        if !everywhere {
            seen.add(&win.on.objects);
        }
    }
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let rules = groups.flat_map(|group| &group.rules);
    for cell in rules.flat_map(|rule| rule.rows.iter().flatten()) {
        let Cell::Pattern { before, .. } = cell else {
            continue;
        };
        for term in before {
            match term {
                Term::No(objects) | Term::Property { objects, .. } => seen.add(objects),
                Term::Object { object, .. } => seen.insert(*object),
                Term::Random(_) => {}
            }
        }
    }
    let layers = game.layers.iter().filter(|layer| !layer.meets(&seen));
    layers.flat_map(Set::iter).collect()
}
