//! The analysis of a state: a lower bound on the steps to the goal, and dead ends.
//!
//! Everything is computed on the ground as it is now. Ice only ever melts, so what cannot be
//! reached or pushed on this ground never will be, and distances only grow. Each rule can be
//! switched off by name.
//!
//! - The avatar stays in one connected component of the ground. Blocks outside it never move, so
//!   they must be on goals.
//! - A block that is blocked along both axes, by the ground or by other such blocks, is frozen: a
//!   dead end off a goal, and an obstacle on one. A push onto a cell from which no goal can be
//!   reached counts as blocked.
//! - Every block needs pushes to a goal of its own: the cheapest assignment. Before the first push
//!   the avatar must walk to it.
//! - Crossings: the avatar's steps over the line between two columns alternate in direction. If two
//!   blocks must cross to the right, it must also come back once in between. Counted for every line
//!   between columns and between rows, this bounds all steps, walks included; see `Crossings`.
//!
//! Tried and dropped: a rule `cuts` that found the cut vertices of the ground (Hopcroft and Tarjan
//! 1973). A block on a cut vertex cannot be walked around, which sharpens the distances, and ice on
//! one is a bridge that is crossed once, which gives dead ends. It saved an eighth of the states
//! (228,529 with, 262,803 without, on 54 levels), but took more time than it saved: 1.9 seconds
//! with, 1.1 seconds without.

use super::assignment::{Assignment, FORBIDDEN};
use super::bits::Bits;
use super::rules::{Bombastic, Tile};
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "melted",
        about: "bounds use the ground as it is now, not as it was at the start",
    },
    Rule {
        name: "frozen",
        about: "blocks that can never move again are dead ends, or obstacles if on goals",
    },
    Rule {
        name: "matching",
        about: "every block needs a goal of its own, not only the nearest one",
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
        name: "in-play",
        about: "ground and blocks that no plan can use any more are removed from the state",
    },
    Rule {
        name: "dominance",
        about: "a state is pruned if another has the same avatar and blocks, no more steps and no more melted ice",
    },
];

/// A state as bit sets. Parts that no plan can use any more may be missing: blocks that stay on
/// their goals, and ground that cannot be reached or is not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BitState<const N: usize> {
    pub(super) avatar: usize,
    pub(super) blocks: Bits<N>,
    /// The cells that are not dead now.
    pub(super) ground: Bits<N>,
}

/// Lower bounds: every plan has at least this many steps, and this many pushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) steps: u32,
    pub(super) pushes: u32,
}

/// The part of a state that can still change: without what the avatar cannot reach, and without
/// frozen blocks.
struct ActiveArea<const N: usize> {
    /// Where the avatar can walk, if blocks are ignored.
    walk: Bits<N>,
    /// `walk`, plus the icy goals beside it that only blocks may enter.
    reach: Bits<N>,
    blocks: Bits<N>,
    goals: Bits<N>,
}

/// The level as bit sets, and which rules are on.
#[derive(Clone)]
pub(super) struct Analysis<const N: usize> {
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Bits per row: the distance from a bit to the one below it.
    pub(super) width: usize,
    /// The cells that are not dead at the start.
    pub(super) ground: Bits<N>,
    pub(super) ice: Bits<N>,
    pub(super) goals: Bits<N>,
    use_melted: bool,
    use_frozen: bool,
    use_matching: bool,
    use_first_walk: bool,
    use_crossings: bool,
    use_in_play: bool,
    assignment: Assignment,
    crossings: Crossings,
}

/// With more goals than this the assignment takes too long; then the pushes of each block to its
/// nearest goal are added up.
const MAX_GOALS: usize = 64;

/// The number of words that a bit set of the level's cells takes.
pub(super) fn words(level: &Bombastic) -> usize {
    (level.tiles.rows() * (level.tiles.cols() + 1)).div_ceil(64)
}

impl<const N: usize> Analysis<N> {
    pub(super) fn new(level: &Bombastic, switches: &Switches) -> Self {
        assert!(words(level) <= N, "the board fits in the bit sets");
        let (rows, cols) = (level.tiles.rows(), level.tiles.cols());
        let mut analysis = Self {
            rows,
            cols,
            width: cols + 1,
            ground: Bits::NONE,
            ice: Bits::NONE,
            goals: Bits::NONE,
            use_melted: switches.on("melted"),
            use_frozen: switches.on("frozen"),
            use_matching: switches.on("matching"),
            use_first_walk: switches.on("first-walk"),
            use_crossings: switches.on("crossings"),
            use_in_play: switches.on("in-play"),
            assignment: Assignment::default(),
            crossings: Crossings::default(),
        };
        for place in level.tiles.places() {
            let bit = place.0 * analysis.width + place.1;
            match level.tiles[place] {
                Tile::Dead => continue,
                Tile::Ice => analysis.ice.insert(bit),
                Tile::Normal => {}
            }
            analysis.ground.insert(bit);
            if level.goals[place] {
                analysis.goals.insert(bit);
            }
        }
        analysis
    }

    /// The set shifted by one cell to a side.
    #[inline]
    pub(super) fn toward(&self, set: Bits<N>, side: Side) -> Bits<N> {
        match side {
            Side::Up => set.down(self.width),
            Side::Right => set.up(1),
            Side::Down => set.up(self.width),
            Side::Left => set.down(1),
        }
    }

    /// The bit of the neighbour on a side; out of range beyond the edge.
    pub(super) fn bit_toward(&self, bit: usize, side: Side) -> usize {
        match side {
            Side::Up => bit.wrapping_sub(self.width),
            Side::Right => bit + 1,
            Side::Down => bit + self.width,
            Side::Left => bit.wrapping_sub(1),
        }
    }

    /// The neighbours of a set.
    #[inline]
    pub(super) fn around(&self, set: Bits<N>) -> Bits<N> {
        set.up(1) | set.down(1) | set.up(self.width) | set.down(self.width)
    }

    /// The cells that can be reached from `from` inside `within`, `from` included.
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

    /// The lower bounds of a state; `None`: it is a dead end. Removes from the state what no plan
    /// can use any more.
    pub(super) fn assess(&mut self, state: &mut BitState<N>) -> Option<Bound> {
        if state.blocks.is_subset(self.goals) {
            return Some(Bound::default());
        }
        let area = self.area(state)?;
        if self.use_in_play {
            state.ground = state.ground & area.reach;
            state.blocks = area.blocks;
        }
        let pushes = self.pushes(&area)?;
        let walk = if self.use_first_walk {
            self.first_walk(Bits::one(state.avatar), &area)?
        } else {
            0
        };
        let mut steps = pushes + walk;
        if self.use_crossings {
            let (blocks, goals) = (area.blocks, area.goals);
            steps = steps.max(self.crossings(state.avatar, blocks, goals));
        }
        Some(Bound { steps, pushes })
    }

    /// A cheap lower bound on the steps, where at least `pushes` pushes are known to be needed.
    pub(super) fn quick_bound(&mut self, state: &BitState<N>, pushes: u32) -> u32 {
        if !self.use_crossings {
            return pushes;
        }
        let goals = self.goals & state.ground;
        pushes.max(self.crossings(state.avatar, state.blocks, goals))
    }

    fn crossings(&mut self, avatar: usize, blocks: Bits<N>, goals: Bits<N>) -> u32 {
        let width = self.width;
        let coordinates = |bit: usize| [bit / width, bit % width];
        self.crossings.steps(
            [self.rows, self.cols],
            coordinates(avatar),
            blocks.iter().map(coordinates),
            goals.iter().map(coordinates),
            (blocks & !goals).iter().map(coordinates),
        )
    }

    /// The active area of a state; `None`: the state is a dead end.
    fn area(&self, state: &BitState<N>) -> Option<ActiveArea<N>> {
        let avatar = Bits::one(state.avatar);
        let mut ground = if self.use_melted {
            state.ground
        } else {
            self.ground
        };
        let mut blocks = state.blocks;
        loop {
            // If there is no spare goal, the avatar must not melt one.
            let goals = self.goals & ground;
            let spare = goals.count().checked_sub(blocks.count())?;
            let mut kept = Bits::NONE;
            if self.use_melted && spare == 0 {
                kept = goals & self.ice;
            }
            if avatar.is_subset(kept) {
                return None;
            }
            let walk = self.flood(avatar, ground & !kept);
            let mut reach = walk | (self.around(walk) & kept);
            // Blocks out of reach stay where they are.
            if !(blocks & !reach).is_subset(self.goals) {
                return None;
            }
            if self.use_in_play {
                reach = self.without_leaves(reach, avatar | blocks | goals);
            }
            let area = ActiveArea {
                walk: walk & reach,
                reach,
                blocks: blocks & reach,
                goals: goals & reach,
            };
            let can_reach_goal = self.can_reach_goal(&area);
            if !area.blocks.is_subset(can_reach_goal) {
                return None;
            }
            let mut frozen = Bits::NONE;
            if self.use_frozen {
                frozen = self.frozen(&area, can_reach_goal);
                if !frozen.is_subset(goals) {
                    return None;
                }
            }
            // With less ground there are fewer goals, and perhaps no spare one any more.
            let tighter = spare > 0
                && area.goals.count() == area.blocks.count()
                && area.goals.intersects(self.ice);
            if frozen.is_empty() && !tighter {
                return Some(area);
            }
            ground = reach & !frozen;
            blocks = area.blocks & !frozen;
        }
    }

    /// Repeatedly removes the cells with at most one neighbour, except those in `kept`. An avatar
    /// that walks into such a cell must walk back, and a block that is pushed there stays; so no
    /// optimal plan uses it.
    fn without_leaves(&self, ground: Bits<N>, kept: Bits<N>) -> Bits<N> {
        let mut rest = ground;
        loop {
            let (right, left) = (rest.up(1), rest.down(1));
            let (below, above) = (rest.up(self.width), rest.down(self.width));
            let two = (right & left) | (below & above) | ((right | left) & (below | above));
            let next = rest & (two | kept);
            if next == rest {
                return rest;
            }
            rest = next;
        }
    }

    /// The cells from which a single block could be pushed to some goal, wherever the avatar is.
    fn can_reach_goal(&self, area: &ActiveArea<N>) -> Bits<N> {
        let mut can_reach_goal = area.goals;
        loop {
            let next = can_reach_goal | self.one_push_before(can_reach_goal, area.walk);
            if next == can_reach_goal {
                return can_reach_goal;
            }
            can_reach_goal = next;
        }
    }

    /// The cells from which a single push brings a block into `targets`.
    fn one_push_before(&self, targets: Bits<N>, walk: Bits<N>) -> Bits<N> {
        let mut before = Bits::NONE;
        for side in Side::ALL {
            // The block is beside the target, and the avatar behind the block.
            before = before | (self.toward(targets, side.opposite()) & self.toward(walk, side));
        }
        before & walk
    }

    /// The blocks that can never be moved, or only to a cell from which no goal can be reached: the
    /// greatest fixpoint. We assume that all blocks are frozen, and repeatedly release those with
    /// room for the avatar on one side and a usable cell on the other; a released block gives its
    /// neighbours room.
    fn frozen(&self, area: &ActiveArea<N>, can_reach_goal: Bits<N>) -> Bits<N> {
        let mut frozen = area.blocks;
        loop {
            let stand = area.walk & !frozen;
            let room = can_reach_goal & !frozen;
            let mut movable = Bits::NONE;
            for side in Side::ALL {
                movable = movable | (self.toward(stand, side) & self.toward(room, side.opposite()));
            }
            let next = frozen & !(movable & area.walk);
            if next == frozen {
                return frozen;
            }
            frozen = next;
        }
    }

    /// The least number of pushes that bring all blocks to goals, if blocks do not hinder each
    /// other.
    fn pushes(&mut self, area: &ActiveArea<N>) -> Option<u32> {
        let (rows, cols) = (area.blocks.count() as usize, area.goals.count() as usize);
        if rows > cols {
            return None;
        }
        if !self.use_matching || cols > MAX_GOALS {
            return self.nearest_pushes(area);
        }
        let mut assignment = std::mem::take(&mut self.assignment);
        assignment.reset(rows, cols);
        for (col, goal) in area.goals.iter().enumerate() {
            self.distances(goal, area, |row, distance| {
                assignment.set(row, col, distance)
            });
        }
        let least = assignment.least();
        self.assignment = assignment;
        (least < FORBIDDEN).then_some(least)
    }

    /// Calls `record` with the pushes from each block to a goal, ignoring the other blocks and the
    /// avatar's position.
    fn distances(&self, goal: usize, area: &ActiveArea<N>, mut record: impl FnMut(usize, u32)) {
        let mut reached = Bits::one(goal);
        let mut layer = reached;
        let mut waiting = area.blocks;
        for distance in 0.. {
            if layer.intersects(waiting) {
                for (row, block) in area.blocks.iter().enumerate() {
                    if layer.contains(block) {
                        record(row, distance);
                    }
                }
                waiting = waiting & !layer;
            }
            if waiting.is_empty() || layer.is_empty() {
                return;
            }
            layer = self.one_push_before(layer, area.walk) & !reached;
            reached = reached | layer;
        }
    }

    /// The sum over the blocks of the pushes to the nearest goal.
    fn nearest_pushes(&self, area: &ActiveArea<N>) -> Option<u32> {
        let (mut reached, mut layer, mut distance, mut sum) = (area.goals, area.goals, 0, 0);
        while !layer.is_empty() {
            sum += (layer & area.blocks).count() * distance;
            layer = self.one_push_before(layer, area.walk) & !reached;
            reached = reached | layer;
            distance += 1;
        }
        area.blocks.is_subset(reached).then_some(sum)
    }

    /// The steps before the first push: to the nearest cell from which a block can be pushed now.
    fn first_walk(&self, avatar: Bits<N>, area: &ActiveArea<N>) -> Option<u32> {
        let free = area.walk & !area.blocks;
        let room = area.reach & !area.blocks;
        let mut stands = Bits::NONE;
        for side in Side::ALL {
            let back = side.opposite();
            let pushable = area.blocks & area.walk & self.toward(room, back);
            stands = stands | self.toward(pushable, back);
        }
        stands = stands & free;
        let (mut reached, mut layer, mut walk) = (avatar, avatar, 0);
        while !layer.intersects(stands) {
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

/// The bound by crossings, for each axis separately.
///
/// Take the line between columns a and a+1. The avatar's steps over it alternate: right, left,
/// right, … So if it starts on the left and ends on the right, there is one more step to the right
/// than to the left; if it ends on the side where it started, there are as many. A push that brings
/// a block from column a+1 to a+2 is a step to the right over our line. There are at least as many
/// such pushes as the number of blocks left of column a+2 exceeds the number of goals there;
/// likewise for pushes to the left. And if a block off its goal is beyond the line, the avatar must
/// get there to push it. The sum over all lines, minimised over the column where the avatar ends,
/// bounds the steps along this axis.
#[derive(Clone, Default)]
struct Crossings {
    /// By axis and coordinate: the number of blocks.
    blocks: [Vec<u32>; 2],
    /// By axis and coordinate: the number of goals.
    goals: [Vec<u32>; 2],
}

impl Crossings {
    fn steps(
        &mut self,
        sizes: [usize; 2],
        avatar: [usize; 2],
        blocks: impl Iterator<Item = [usize; 2]>,
        goals: impl Iterator<Item = [usize; 2]>,
        off_goal: impl Iterator<Item = [usize; 2]>,
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
        for place in off_goal {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
        (0..2)
            .map(|axis| {
                steps_along(
                    avatar[axis],
                    &self.blocks[axis],
                    &self.goals[axis],
                    low[axis],
                    high[axis],
                )
            })
            .sum()
    }
}

/// A lower bound on the steps along one axis. A line has the number of the coordinate before it.
fn steps_along(avatar: usize, blocks: &[u32], goals: &[u32], low: usize, high: usize) -> u32 {
    let size = blocks.len();
    let (all_blocks, all_goals): (u32, u32) = (blocks.iter().sum(), goals.iter().sum());
    // For line a: pushes forward bring blocks over line a+1, pushes back bring them over line a-1.
    let (mut blocks_before, mut goals_before) = (blocks[0], goals[0]);
    let mut back_pushes = 0;
    let (mut total, mut gain, mut best_gain) = (0i64, 0i64, 0i64);
    let mut best_back = 0i64;
    for line in 0..size.saturating_sub(1) {
        // The blocks that must cross the previous line backwards.
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
            // To end before this line, the avatar crosses all lines from here to its start.
            let passing = (2 * back - 1).max(2 * forward + 1).max(1);
            let change = passing - returning;
            // The least sum of changes over consecutive lines that end at the avatar.
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
