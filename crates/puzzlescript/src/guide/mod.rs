//! Knowledge for the searches, from the rules and the win conditions of any game.
//!
//! A condition such as "all crates on targets" is about things that only move (no rule creates or
//! destroys them) and places that never change. For each cell we compute how many moves a thing
//! needs from there to such a place, if it were alone (`steps.rs`). The largest such number over all
//! things that must arrive is a lower bound on the turns, since a thing moves at most one cell a
//! turn; in a game with `again` it is only known whether it can arrive at all. A thing that cannot
//! is a dead end. Where the rules let only so many things move in a turn (`pushes.rs`), the steps of
//! all things together are a better bound, with a different place for each.
//!
//! A condition such as "no dots" bounds the turns where one turn removes only so many (`removals.rs`).
//!
//! Counting is enough for another kind of dead end (`supply.rs`): what a condition needs is gone, and
//! no rule makes it.
//!
//! Nothing is claimed about win conditions where a rule can win by a command.

mod assignment;
mod pushes;
mod removals;
mod steps;
mod supply;

use std::sync::Arc;

use ployglot_base::{Guide, Switches};

use crate::analysis::{commands, idle_action};
use crate::game::{Command, Input, Quantifier, Things, WinCondition};
use crate::play::Status;
use crate::set::Set;
use crate::space::{LevelSpace, PuzzleState, STATIC, SYMMETRIC, UNSEEN};
use assignment::least_total;
use removals::Removal;
use steps::Analysis;
use supply::Supply;

/// The name of the rule about things that can never arrive where they must be.
pub const DEAD_ENDS: &str = "dead-ends";
/// The name of the rule about what is needed and gone.
pub const GONE: &str = "gone";
/// The name of the rule about how far things must move.
pub const DISTANCE: &str = "distance";
/// The name of the rule about how far all things together must move.
pub const PUSHES: &str = "pushes";
/// The name of the rule about how many things must be removed.
pub const REMOVALS: &str = "removals";
/// The name of the rule about an action key without effect.
pub const IDLE: &str = "idle";

/// The rules of the guide, and of the space, that can be switched off.
pub const RULES: &[(&str, &str)] = &[
    (STATIC, "objects that no rule changes are not stored"),
    (
        UNSEEN,
        "layers that no rule and no condition looks at are not stored",
    ),
    (
        SYMMETRIC,
        "a state and its mirror image are one, where rules and board allow",
    ),
    (
        DEAD_ENDS,
        "a thing that must be somewhere and cannot get there",
    ),
    (GONE, "a thing that is needed is gone, and no rule makes it"),
    (DISTANCE, "how far a thing must move to where it must be"),
    (
        PUSHES,
        "how far all things must move together, where few can move in a turn",
    ),
    (
        REMOVALS,
        "how many things must be removed, where a turn removes few",
    ),
    (
        IDLE,
        "an action key that never changes anything is not tried",
    ),
];

/// The guide of a level.
pub struct LevelGuide {
    space: Arc<LevelSpace>,
    demands: Vec<Demand>,
    supplies: Vec<Supply>,
    removals: Vec<Removal>,
    dead_ends: bool,
    distance: bool,
    idle_action: bool,
    /// Scratch: the things of a demand that are on the board, as indices into its things, and cells.
    found: Vec<(usize, usize)>,
    costs: Vec<u32>,
}

/// Things that must be at places.
struct Demand {
    things: Vec<usize>,
    /// All things must be at a place; otherwise a thing must be at each place.
    all_things: bool,
    /// One thing at one place is enough.
    any: bool,
    /// For each of the things, each place and each cell, the least number of steps to the place.
    steps: Vec<Vec<Vec<Option<u32>>>>,
    /// How many of the things can move in a turn; `None`: not known, or two may share a place.
    movable: Option<u32>,
}

/// With more things or places than this, a thing is not given a place of its own.
const MOST_ASSIGNED: usize = 24;

impl LevelGuide {
    /// The guide of a level, without the rules that are switched off.
    pub fn new(space: Arc<LevelSpace>, switches: &Switches) -> Self {
        let analysis = Analysis::new(&space);
        let game = &space.game;
        let by_command = commands(game, &Command::Win) || space.checkpoint_wins;
        let turns_count = !commands(game, &Command::Again);
        let (mut demands, mut supplies, mut removals) = (Vec::new(), Vec::new(), Vec::new());
        if !by_command {
            let pushes = switches.on(PUSHES) && turns_count;
            let found = game.wins.iter();
            demands.extend(found.filter_map(|win| demand(&analysis, win, pushes)));
            if switches.on(REMOVALS) && turns_count {
                removals.extend(game.wins.iter().filter_map(|win| Removal::of(&space, win)));
            }
            if switches.on(GONE) {
                supplies.extend(game.wins.iter().flat_map(|win| Supply::of(game, win)));
            }
        }
        let idle_action = switches.on(IDLE) && idle_action(game) && !space.wins_at_start();
        Self {
            demands,
            supplies,
            removals,
            dead_ends: switches.on(DEAD_ENDS),
            distance: switches.on(DISTANCE) && turns_count,
            idle_action,
            found: Vec::new(),
            costs: Vec::new(),
            space,
        }
    }

    /// The turns that a demand still needs; `None`: it can never be met.
    fn turns(&mut self, index: usize, state: &PuzzleState) -> Option<u32> {
        let demand = &self.demands[index];
        let shape = &self.space.shape;
        self.found.clear();
        for (number, &thing) in demand.things.iter().enumerate() {
            let plane = self.space.engine.plane(shape, &state.bits, thing);
            for (index, &word) in plane.iter().enumerate() {
                let mut cells = word;
                while cells != 0 {
                    let cell = index * 64 + cells.trailing_zeros() as usize;
                    cells &= cells - 1;
                    self.found.push((number, cell));
                }
            }
        }
        let places = demand.steps.first().map_or(0, Vec::len);
        let steps = |thing: usize, place: usize| {
            let (number, cell) = self.found[thing];
            demand.steps[number][place][cell]
        };
        let things = self.found.len();
        let nearest_place = |thing| (0..places).filter_map(|place| steps(thing, place)).min();
        let nearest_thing = |place| (0..things).filter_map(|thing| steps(thing, place)).min();
        let most = match (demand.any, demand.all_things) {
            (true, _) => return (0..things).filter_map(nearest_place).min(),
            (false, true) => farthest((0..things).map(nearest_place)),
            (false, false) => farthest((0..places).map(nearest_thing)),
        }?;
        let Some(movable) = demand.movable else {
            return Some(most);
        };
        if things.max(places) > MOST_ASSIGNED {
            let total = match demand.all_things {
                true => (0..things).filter_map(nearest_place).sum::<u32>(),
                false => (0..places).filter_map(nearest_thing).sum(),
            };
            return Some(most.max(total.div_ceil(movable)));
        }
        let (rows, columns) = match demand.all_things {
            true => (things, places),
            false => (places, things),
        };
        self.costs.clear();
        for row in 0..rows {
            for column in 0..columns {
                let (thing, place) = match demand.all_things {
                    true => (row, column),
                    false => (column, row),
                };
                self.costs.push(steps(thing, place).unwrap_or(u32::MAX));
            }
        }
        let total = least_total(&self.costs, rows, columns)?;
        Some(most.max(total.div_ceil(movable)))
    }
}

/// The largest of some numbers, all of which must be known.
fn farthest(mut numbers: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    numbers.try_fold(0, |most, number| Some(most.max(number?)))
}

impl Guide<LevelSpace> for LevelGuide {
    fn lower_bound(&mut self, state: &PuzzleState) -> Option<u32> {
        match state.status {
            Status::Won => return Some(0),
            Status::Stuck => return None,
            Status::Playing => {}
        }
        let space = &self.space;
        if self
            .supplies
            .iter()
            .any(|supply| supply.is_gone(space, state))
        {
            return None;
        }
        // A level is won by a turn.
        let mut bound = 1;
        for removal in &self.removals {
            bound = bound.max(removal.turns(&self.space, state)?);
        }
        if self.dead_ends || self.distance {
            for index in 0..self.demands.len() {
                match self.turns(index, state) {
                    Some(turns) if self.distance => bound = bound.max(turns),
                    None if self.dead_ends => return None,
                    _ => {}
                }
            }
        }
        Some(bound)
    }

    fn narrow(&mut self, _state: &PuzzleState, moves: &mut Vec<Input>) {
        if self.idle_action {
            moves.retain(|&mv| mv != Input::Action);
        }
    }
}

/// What a win condition demands of things that only move.
fn demand(analysis: &Analysis, win: &WinCondition, pushes: bool) -> Option<Demand> {
    let steady = |things: &Things| !things.all && things.objects.within(&analysis.steady);
    let fixed = |things: &Things| !things.objects.meets(&analysis.changing);
    let cells = 0..analysis.space.shape.cells;
    let (things, place, all_things) = match win.quantifier {
        Quantifier::No => return None,
        // All things, or one, must come to a place that never changes.
        Quantifier::All | Quantifier::Some if steady(&win.what) && fixed(&win.on) => {
            (&win.what.objects, &win.on, true)
        }
        // To each of the places that never change, one of the things must come.
        Quantifier::All if steady(&win.on) && fixed(&win.what) => {
            (&win.on.objects, &win.what, false)
        }
        _ => return None,
    };
    let places: Vec<usize> = cells
        .filter(|&cell| place.are_in(&analysis.fixed[cell]))
        .collect();
    let any = win.quantifier == Quantifier::Some;
    let movable = match pushes && !any && in_one_layer(analysis.space, things) {
        true => pushes::most_moved(analysis.space, things),
        false => None,
    };
    let numbers: Vec<usize> = things.iter().collect();
    // Where no thing gets a place of its own, the nearest place is enough.
    let groups: Vec<&[usize]> = match (movable, all_things) {
        (None, true) => vec![&places],
        _ => places.chunks(1).collect(),
    };
    let steps = numbers.iter().map(|&thing| {
        let groups = groups.iter();
        groups
            .map(|group| analysis.steps_to(thing, group))
            .collect()
    });
    Some(Demand {
        steps: steps.collect(),
        things: numbers,
        all_things,
        any,
        movable,
    })
}

/// Whether all objects are in one layer, so that two of them are never in one cell.
fn in_one_layer(space: &LevelSpace, objects: &Set) -> bool {
    let mut layers = objects.iter().map(|it| space.game.objects[it].layer);
    let first = layers.next();
    layers.all(|layer| Some(layer) == first)
}
