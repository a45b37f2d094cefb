//! How far a thing must move to a place, if it were alone.
//!
//! A thing can step only where a rule, or the input, can give it that movement, next to what never
//! changes there. In Sokoban, a crate needs a cell for the player behind it.

use std::collections::VecDeque;

use crate::analysis::{changing_objects, effects, occupants};
use crate::game::{Cell, Direction, Motion, Rule, Term};
use crate::set::Set;
use crate::space::LevelSpace;

/// What a level never changes, and what its rules can do.
pub(super) struct Analysis<'s> {
    pub(super) space: &'s LevelSpace,
    /// The objects of each cell that never change.
    pub(super) fixed: Vec<Set>,
    pub(super) changing: Set,
    /// Objects that are neither created nor destroyed, and move at most one cell a turn.
    pub(super) steady: Set,
}

impl<'s> Analysis<'s> {
    pub(super) fn new(space: &'s LevelSpace) -> Self {
        let game = &space.game;
        let effects = effects(game);
        let changing = changing_objects(game);
        let fixed = space.level.cells.iter().map(|cell| {
            let mut fixed = cell.clone();
            fixed.remove(&changing);
            fixed
        });
        let steady = (0..game.objects.len()).filter(|&object| {
            !effects.created.contains(object)
                && !effects.destroyed.contains(object)
                && !effects.loose_layers.contains(game.objects[object].layer)
        });
        Self {
            space,
            fixed: fixed.collect(),
            steady: steady.collect(),
            changing,
        }
    }

    /// For each cell, the least number of steps of a thing from there to a place.
    pub(super) fn steps_to(&self, thing: usize, place: &[usize]) -> Vec<Option<u32>> {
        let shape = &self.space.shape;
        let can_step: Vec<[bool; 4]> = self.steps_of(thing);
        let layer = &self.space.game.layers[self.space.game.objects[thing].layer];
        let free = |cell: usize| {
            let mut fixed = self.fixed[cell].clone();
            fixed.remove(&[thing].into_iter().collect());
            !layer.meets(&fixed)
        };
        let mut steps = vec![None; shape.cells];
        let mut queue = VecDeque::new();
        for &cell in place.iter().filter(|&&cell| free(cell)) {
            steps[cell] = Some(0);
            queue.push_back(cell);
        }
        while let Some(cell) = queue.pop_front() {
            let so_far = steps[cell].unwrap_or(0);
            for direction in Direction::ALL {
                // The thing came from the other side.
                let from = self.neighbour(cell, direction, -1);
                let Some(from) = from else { continue };
                if steps[from].is_none() && free(from) && can_step[from][direction as usize] {
                    steps[from] = Some(so_far + 1);
                    queue.push_back(from);
                }
            }
        }
        steps
    }

    /// The cell some steps further in a direction, if it is on the board.
    fn neighbour(&self, cell: usize, direction: Direction, steps: isize) -> Option<usize> {
        let shape = &self.space.shape;
        let (dx, dy) = direction.step();
        let x = (cell / shape.height) as isize + dx * steps;
        let y = (cell % shape.height) as isize + dy * steps;
        let inside = 0 <= x && x < shape.width as isize && 0 <= y && y < shape.height as isize;
        inside.then(|| x as usize * shape.height + y as usize)
    }

    /// For each cell and direction, whether something can give the thing that movement there.
    fn steps_of(&self, thing: usize) -> Vec<[bool; 4]> {
        let game = &self.space.game;
        let by_input = game.player.objects.contains(thing);
        let mut steps = vec![[by_input; 4]; self.space.shape.cells];
        let rules = game.rules.groups.iter().flat_map(|group| &group.rules);
        for rule in rules.filter(|rule| rule.changes) {
            for row in &rule.rows {
                for part in row.split(|cell| matches!(cell, Cell::Ellipsis)) {
                    self.add_steps(thing, rule, part, &mut steps);
                }
            }
        }
        steps
    }

    fn add_steps(&self, thing: usize, rule: &Rule, part: &[Cell], steps: &mut [[bool; 4]]) {
        for (place, cell) in part.iter().enumerate() {
            let Cell::Pattern { after, .. } = cell else {
                continue;
            };
            let given = after.iter().filter_map(|term| {
                let (_, objects) = occupants(term)?;
                match term {
                    Term::Object { motion, .. } | Term::Property { motion, .. } => {
                        objects.contains(thing).then_some(*motion)
                    }
                    Term::No(_) | Term::Random(_) => None,
                }
            });
            for motion in given {
                let Motion::Moving(bits) = motion else {
                    continue;
                };
                for (at, steps) in steps.iter_mut().enumerate() {
                    if self.part_fits(rule.direction, part, place, at) {
                        for direction in Direction::ALL {
                            steps[direction as usize] |= bits & direction.bit() != 0;
                        }
                    }
                }
            }
        }
    }

    /// Whether a part of a row may match with the cell at `place` in the cell `at` of the board.
    fn part_fits(&self, direction: Direction, part: &[Cell], place: usize, at: usize) -> bool {
        part.iter().enumerate().all(|(index, cell)| {
            let Cell::Pattern { before, .. } = cell else {
                return true;
            };
            let distance = index as isize - place as isize;
            let cell = self.neighbour(at, direction, distance);
            cell.is_some_and(|cell| before.iter().all(|term| self.may_be(term, cell)))
        })
    }

    /// Whether a term of a left side may hold in a cell, as far as its fixed objects tell.
    fn may_be(&self, term: &Term, cell: usize) -> bool {
        let fixed = &self.fixed[cell];
        match term {
            Term::No(objects) => !objects.meets(fixed),
            Term::Random(_) => false,
            Term::Object { .. } | Term::Property { .. } => {
                let (layer, objects) = occupants(term).expect("the term is about objects");
                let layer_is_free = !self.space.game.layers[layer].meets(fixed);
                let mut objects = objects.iter();
                objects.any(|object| match self.changing.contains(object) {
                    true => layer_is_free,
                    false => fixed.contains(object),
                })
            }
        }
    }
}
