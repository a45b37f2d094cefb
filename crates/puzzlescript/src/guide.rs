//! Knowledge for the searches, from the rules and the win conditions of any game.
//!
//! A condition such as "all crates on targets" is about things that only move (no rule creates or
//! destroys them) and places that never change. For each cell we compute how many moves a thing
//! needs from there to such a place, if it were alone: it can step only where a rule, or the input,
//! can give it that movement, next to what never changes there. In Sokoban, a crate needs a
//! cell for the player behind it. The largest such number over all things that must arrive is a
//! lower bound on the turns, since a thing moves at most one cell a turn; in a game with `again` it
//! is only known whether it can arrive at all. A thing that cannot is a dead end.
//!
//! Nothing is claimed where a rule can win by the command `win`.

use std::collections::VecDeque;
use std::sync::Arc;

use ployglot_base::{Guide, Switches};

use crate::analysis::{changing_objects, commands, effects, occupants};
use crate::game::{Cell, Command, Direction, Motion, Quantifier, Rule, Term, WinCondition};
use crate::set::Set;
use crate::play::Status;
use crate::space::{LevelSpace, PuzzleState, STATIC};

/// The name of the rule about things that can never arrive where they must be.
pub const DEAD_ENDS: &str = "dead-ends";
/// The name of the rule about how far things must move.
pub const DISTANCE: &str = "distance";

/// The rules of the guide, and of the space, that can be switched off.
pub const RULES: &[(&str, &str)] = &[
    (STATIC, "objects that no rule changes are not stored"),
    (
        DEAD_ENDS,
        "a thing that must be somewhere and cannot get there",
    ),
    (DISTANCE, "how far things must move to where they must be"),
];

/// The guide of a level.
pub struct LevelGuide {
    space: Arc<LevelSpace>,
    demands: Vec<Demand>,
    dead_ends: bool,
    distance: bool,
}

/// Things that must be at a place.
struct Demand {
    things: Vec<usize>,
    /// Of these, all must be there, or one.
    all: bool,
    /// For each of the things and each cell, the least number of steps to the place.
    steps: Vec<Vec<Option<u32>>>,
}

impl LevelGuide {
    /// The guide of a level, without the rules that are switched off.
    pub fn new(space: Arc<LevelSpace>, switches: &Switches) -> Self {
        let analysis = Analysis::new(&space);
        let game = &space.game;
        let demands: Vec<Demand> = match commands(game, &Command::Win) || space.checkpoint_wins {
            true => Vec::new(),
            false => game
                .wins
                .iter()
                .flat_map(|win| analysis.demands(win))
                .collect(),
        };
        let distance = switches.on(DISTANCE) && !commands(game, &Command::Again);
        Self {
            space,
            demands,
            dead_ends: switches.on(DEAD_ENDS),
            distance,
        }
    }

    /// The steps that a demand still needs; `None`: it can never be met.
    fn steps(&self, demand: &Demand, state: &PuzzleState) -> Option<u32> {
        let shape = &self.space.shape;
        let mut least = None;
        let mut most = Some(0);
        for (&thing, steps) in demand.things.iter().zip(&demand.steps) {
            let plane = self.space.engine.plane(shape, &state.bits, thing);
            for (index, &word) in plane.iter().enumerate() {
                let mut cells = word;
                while cells != 0 {
                    let cell = index * 64 + cells.trailing_zeros() as usize;
                    cells &= cells - 1;
                    let steps = steps[cell];
                    least = match (least, steps) {
                        (Some(least), Some(steps)) => Some(std::cmp::min(least, steps)),
                        (one, other) => one.or(other),
                    };
                    most = most.zip(steps).map(|(most, steps)| most.max(steps));
                }
            }
        }
        if demand.all { most } else { least }
    }
}

impl Guide<LevelSpace> for LevelGuide {
    fn lower_bound(&mut self, state: &PuzzleState) -> Option<u32> {
        match state.status {
            Status::Won => return Some(0),
            Status::Stuck => return None,
            Status::Playing => {}
        }
        // A level is won by a turn.
        let mut bound = 1;
        for demand in &self.demands {
            match self.steps(demand, state) {
                Some(steps) if self.distance => bound = bound.max(steps),
                None if self.dead_ends => return None,
                _ => {}
            }
        }
        Some(bound)
    }
}

/// What a level never changes, and what its rules can do.
struct Analysis<'s> {
    space: &'s LevelSpace,
    /// The objects of each cell that never change.
    fixed: Vec<Set>,
    changing: Set,
    /// Objects that are neither created nor destroyed, and move at most one cell a turn.
    steady: Set,
}

impl<'s> Analysis<'s> {
    fn new(space: &'s LevelSpace) -> Self {
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

    /// What a win condition demands of things that only move.
    fn demands(&self, win: &WinCondition) -> Vec<Demand> {
        let steady =
            |things: &crate::game::Things| !things.all && things.objects.within(&self.steady);
        let fixed = |things: &crate::game::Things| !things.objects.meets(&self.changing);
        let cells = 0..self.space.shape.cells;
        match win.quantifier {
            // All things must come to a place that never changes.
            Quantifier::All | Quantifier::Some if steady(&win.what) && fixed(&win.on) => {
                let place = cells.filter(|&cell| win.on.are_in(&self.fixed[cell]));
                let all = win.quantifier == Quantifier::All;
                vec![self.demand(&win.what.objects, &place.collect::<Vec<usize>>(), all)]
            }
            // To each of the places that never change, one of the things must come.
            Quantifier::All if steady(&win.on) && fixed(&win.what) => {
                let places = cells.filter(|&cell| win.what.are_in(&self.fixed[cell]));
                places
                    .map(|place| self.demand(&win.on.objects, &[place], false))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn demand(&self, things: &Set, place: &[usize], all: bool) -> Demand {
        let things: Vec<usize> = things.iter().collect();
        let steps = things.iter().map(|&thing| self.steps_to(thing, place));
        Demand {
            steps: steps.collect(),
            things,
            all,
        }
    }

    /// For each cell, the least number of steps of a thing from there to a place.
    fn steps_to(&self, thing: usize, place: &[usize]) -> Vec<Option<u32>> {
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
