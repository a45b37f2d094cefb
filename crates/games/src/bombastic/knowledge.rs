//! What can be known of a position without search: a lower bound on the steps to the goal, or that there is no plan.
//!
//! Everything is asked of the ground as it is now. Ice only ever melts, so what cannot be reached or pushed on this ground
//! never will be, and distances only grow. Each part can be switched off by name.
//!
//! - The avatar moves in one connected piece of ground. Blocks outside it stay; there they must be on goals.
//! - A block that is blocked along both axes, by the ground or by other such blocks, is frozen: lost off a goal, and part
//!   of the ground on one. A push onto a cell from which no goal can be reached counts as blocked.
//! - Every block needs pushes to a goal of its own: the cheapest assignment. Before the first push the avatar must walk.
//! - Crossings: the avatar's steps over the line between two columns alternate in direction. Where two blocks must
//!   cross to the right, it must also come back once in between. Counted for every line between columns and between
//!   rows, this bounds all steps, walks included; see `Crossings`.

use super::assignment::{Assignment, NEVER};
use super::bits::Bits;
use super::rules::{Bombastic, Tile};
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "melted",
        about: "bounds see the ground as it is now, not as it was at the start",
    },
    Rule {
        name: "frozen",
        about: "blocks that block each other for ever are lost, or part of the ground",
    },
    Rule {
        name: "matching",
        about: "every block needs a goal of its own, not only its nearest one",
    },
    Rule {
        name: "first-walk",
        about: "before the first push the avatar must walk to it",
    },
    Rule {
        name: "crossings",
        about: "the avatar's steps over a line between rows or columns alternate in direction",
    },
    Rule {
        name: "dominance",
        about: "a position is forgotten where another has the same avatar and blocks, no more steps and no more melted ice",
    },
];

/// A position in bits: what changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position<const N: usize> {
    pub(super) avatar: usize,
    pub(super) blocks: Bits<N>,
    pub(super) melted: Bits<N>,
}

/// The level in bits, and which parts are switched on.
#[derive(Clone)]
pub(super) struct Knowledge<const N: usize> {
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// From a bit to the one below it: a row of bits.
    pub(super) width: usize,
    /// What is not dead at the start.
    pub(super) ground: Bits<N>,
    pub(super) ice: Bits<N>,
    pub(super) goals: Bits<N>,
    sees_melted: bool,
    sees_frozen: bool,
    matches: bool,
    walks: bool,
    crosses: bool,
    assignment: Assignment,
    crossings: Crossings,
}

/// How many words the bits of a level take.
pub(super) fn words(level: &Bombastic) -> usize {
    (level.tiles.rows() * (level.tiles.cols() + 1)).div_ceil(64)
}

impl<const N: usize> Knowledge<N> {
    pub(super) fn new(level: &Bombastic, switches: &Switches) -> Self {
        assert!(words(level) <= N, "the board has room in the bits");
        let (rows, cols) = (level.tiles.rows(), level.tiles.cols());
        let mut knowledge = Self {
            rows,
            cols,
            width: cols + 1,
            ground: Bits::NONE,
            ice: Bits::NONE,
            goals: Bits::NONE,
            sees_melted: switches.on("melted"),
            sees_frozen: switches.on("frozen"),
            matches: switches.on("matching"),
            walks: switches.on("first-walk"),
            crosses: switches.on("crossings"),
            assignment: Assignment::default(),
            crossings: Crossings::default(),
        };
        for place in level.tiles.places() {
            let bit = place.0 * knowledge.width + place.1;
            match level.tiles[place] {
                Tile::Dead => continue,
                Tile::Ice => knowledge.ice.insert(bit),
                Tile::Normal => {}
            }
            knowledge.ground.insert(bit);
            if level.goals[place] {
                knowledge.goals.insert(bit);
            }
        }
        knowledge
    }

    /// The set moved by one cell to a side.
    pub(super) fn toward(&self, set: Bits<N>, side: Side) -> Bits<N> {
        match side {
            Side::Up => set.down(self.width),
            Side::Right => set.up(1),
            Side::Down => set.up(self.width),
            Side::Left => set.down(1),
        }
    }

    fn around(&self, set: Bits<N>) -> Bits<N> {
        set.up(1) | set.down(1) | set.up(self.width) | set.down(self.width)
    }

    /// What can be walked to from `from` within `within`.
    fn flood(&self, from: Bits<N>, within: Bits<N>) -> Bits<N> {
        let mut reached = from;
        loop {
            let next = reached | (self.around(reached) & within);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The cells from which a single push brings a block into `targets`.
    fn pulled(&self, targets: Bits<N>, ground: Bits<N>) -> Bits<N> {
        let mut before = Bits::NONE;
        for side in Side::ALL {
            // The block stands at the target's other side, the avatar one further.
            let back = side.opposite();
            before = before
                | (self.toward(targets, back) & self.toward(ground, side));
        }
        before & ground
    }

    /// No plan from here has fewer steps; `None`: there is no plan.
    pub(super) fn lower_bound(&mut self, position: &Position<N>) -> Option<u32> {
        if position.blocks.within(self.goals) {
            return Some(0);
        }
        let mut ground = self.ground;
        if self.sees_melted {
            ground = ground & !position.melted;
        }
        let avatar = Bits::one(position.avatar);
        let mut blocks = position.blocks;
        let mut goals;
        // The avatar's piece of the ground, without what is frozen; until no more is.
        loop {
            ground = self.flood(avatar, ground);
            if !(blocks & !ground).within(self.goals) {
                return None;
            }
            blocks = blocks & ground;
            goals = self.goals & ground;
            let useful = self.useful(goals, ground);
            if !blocks.within(useful) {
                return None;
            }
            if !self.sees_frozen {
                break;
            }
            let frozen = self.frozen(blocks, ground, useful);
            if !frozen.within(goals) {
                return None;
            }
            if frozen.is_empty() {
                break;
            }
            ground = ground & !frozen;
            blocks = blocks & !frozen;
        }

        let pushes = self.pushes(blocks, goals, ground)?;
        let walk = if self.walks {
            self.first_walk(avatar, blocks, ground)?
        } else {
            0
        };
        let mut bound = pushes + walk;
        if self.crosses {
            let width = self.width;
            let coordinates = |bit: usize| [bit / width, bit % width];
            let sizes = [self.rows, self.cols];
            let steps = self.crossings.steps(
                sizes,
                coordinates(position.avatar),
                blocks.iter().map(coordinates),
                goals.iter().map(coordinates),
                (blocks & !goals).iter().map(coordinates),
            );
            bound = bound.max(steps);
        }
        Some(bound)
    }

    /// The cells from which a block alone on this ground can be pushed to some goal.
    fn useful(&self, goals: Bits<N>, ground: Bits<N>) -> Bits<N> {
        let mut useful = goals;
        loop {
            let next = useful | self.pulled(useful, ground);
            if next == useful {
                return useful;
            }
            useful = next;
        }
    }

    /// The blocks that can never be moved, or only to their loss. We start with the suspicion that all of them are,
    /// and clear those that have room along an axis with a useful cell at one end; a block that is cleared gives its
    /// neighbours room.
    fn frozen(&self, blocks: Bits<N>, ground: Bits<N>, useful: Bits<N>) -> Bits<N> {
        let mut frozen = blocks;
        loop {
            let free = ground & !frozen;
            let good = free & useful;
            let room = |one: Side, other: Side| {
                (self.toward(free, one) & self.toward(good, other))
                    | (self.toward(good, one) & self.toward(free, other))
            };
            let movable = room(Side::Left, Side::Right) | room(Side::Up, Side::Down);
            let next = frozen & !movable;
            if next == frozen {
                return frozen;
            }
            frozen = next;
        }
    }

    /// The least number of pushes that bring all blocks to goals.
    fn pushes(&mut self, blocks: Bits<N>, goals: Bits<N>, ground: Bits<N>) -> Option<u32> {
        if !self.matches {
            return self.nearest_pushes(blocks, goals, ground);
        }
        let (rows, cols) = (blocks.count() as usize, goals.count() as usize);
        if rows > cols {
            return None;
        }
        let mut assignment = std::mem::take(&mut self.assignment);
        assignment.reset(rows, cols);
        for (col, goal) in goals.iter().enumerate() {
            let mut reached = Bits::one(goal);
            let mut layer = reached;
            let mut waiting = blocks;
            let mut distance = 0;
            while !layer.is_empty() {
                if layer.meets(waiting) {
                    for (row, block) in blocks.iter().enumerate() {
                        if layer.contains(block) {
                            assignment.set(row, col, distance);
                        }
                    }
                    waiting = waiting & !layer;
                    if waiting.is_empty() {
                        break;
                    }
                }
                layer = self.pulled(layer, ground) & !reached;
                reached = reached | layer;
                distance += 1;
            }
        }
        let least = assignment.least();
        self.assignment = assignment;
        (least < NEVER).then_some(least)
    }

    fn nearest_pushes(&self, blocks: Bits<N>, goals: Bits<N>, ground: Bits<N>) -> Option<u32> {
        if blocks.count() > goals.count() {
            return None;
        }
        let (mut reached, mut layer, mut distance, mut sum) = (goals, goals, 0, 0);
        while !layer.is_empty() {
            sum += (layer & blocks).count() * distance;
            layer = self.pulled(layer, ground) & !reached;
            reached = reached | layer;
            distance += 1;
        }
        blocks.within(reached).then_some(sum)
    }

    /// The steps before the first push: to a cell from which a block can be pushed now.
    fn first_walk(&self, avatar: Bits<N>, blocks: Bits<N>, ground: Bits<N>) -> Option<u32> {
        let free = ground & !blocks;
        let mut stands = Bits::NONE;
        for side in Side::ALL {
            let back = side.opposite();
            let pushable = blocks & self.toward(free, back);
            stands = stands | self.toward(pushable, back);
        }
        stands = stands & free;
        let (mut reached, mut layer, mut walk) = (avatar, avatar, 0);
        while !layer.meets(stands) {
            layer = self.around(layer) & free & !reached;
            if layer.is_empty() {
                return None;
            }
            reached = reached | layer;
            walk += 1;
        }
        Some(walk)
    }
}

/// The bound by crossings, one axis after the other.
///
/// Take the line between columns a and a+1. The avatar's steps over it alternate: right, left, right, … So if it starts on
/// the left and ends on the right, there is one more to the right than to the left; if it ends where it started, there
/// are as many. A push that brings a block from column a+1 to a+2 is a step to the right over our line, so there are at
/// least as many of those as blocks on the left of column a+2 exceed the goals there; and pushes to the left likewise.
/// And where a block off its goal stands beyond the line, the avatar must come there to push it. The sum over all lines,
/// for the column where the avatar had best end, bounds the steps along this axis.
#[derive(Clone, Default)]
struct Crossings {
    /// For each axis and place along it: blocks, and goals.
    blocks: [Vec<u32>; 2],
    goals: [Vec<u32>; 2],
}

impl Crossings {
    fn steps(
        &mut self,
        sizes: [usize; 2],
        avatar: [usize; 2],
        blocks: impl Iterator<Item = [usize; 2]>,
        goals: impl Iterator<Item = [usize; 2]>,
        astray: impl Iterator<Item = [usize; 2]>,
    ) -> u32 {
        for lists in [&mut self.blocks, &mut self.goals] {
            for (list, size) in lists.iter_mut().zip(sizes) {
                list.clear();
                list.resize(size, 0);
            }
        }
        for place in blocks {
            (0..2).for_each(|axis| self.blocks[axis][place[axis]] += 1);
        }
        for place in goals {
            (0..2).for_each(|axis| self.goals[axis][place[axis]] += 1);
        }
        let (mut low, mut high) = (avatar, avatar);
        for place in astray {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
        (0..2)
            .map(|axis| along(avatar[axis], &self.blocks[axis], &self.goals[axis], low[axis], high[axis]))
            .sum()
    }
}

/// The least steps along one axis. Lines are named by the place before them.
fn along(avatar: usize, blocks: &[u32], goals: &[u32], low: usize, high: usize) -> u32 {
    let size = blocks.len();
    let (all_blocks, all_goals): (u32, u32) = (blocks.iter().sum(), goals.iter().sum());
    // Of the line a: pushes forward bring blocks over the line a+1, pushes back over the line a-1.
    let (mut blocks_before, mut goals_before) = (blocks[0], goals[0]);
    let mut back_pushes = 0;
    let (mut total, mut gain, mut best_gain) = (0i64, 0i64, 0i64);
    let mut best_back = 0i64;
    for line in 0..size.saturating_sub(1) {
        // Blocks over the line before this one, backwards.
        let back = i64::from(back_pushes);
        back_pushes = (all_blocks - blocks_before).saturating_sub(all_goals - goals_before);
        blocks_before += blocks[line + 1];
        goals_before += goals[line + 1];
        let forward = i64::from(blocks_before.saturating_sub(goals_before));
        let forward = forward.max(i64::from(avatar <= line && line < high));
        let back = back.max(i64::from(low <= line && line < avatar));

        let returning = 2 * forward.max(back);
        total += returning;
        if line < avatar {
            // To end before this line, the avatar passes all lines from here to where it stands.
            let passing = (2 * back - 1).max(2 * forward + 1).max(1);
            let change = passing - returning;
            // The best sum of changes over a run of lines that ends at the avatar.
            best_back = (best_back + change).min(change);
        } else {
            let passing = (2 * forward - 1).max(2 * back + 1).max(1);
            gain += passing - returning;
            best_gain = best_gain.min(gain);
        }
    }
    let best = best_gain.min(best_back);
    (total + best) as u32
}
