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
use super::cuts::{Cuts, Work};
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
        name: "cuts",
        about: "where the ground hangs together by one cell, blocks cannot be walked around, and ice is crossed once",
    },
    Rule {
        name: "in-play",
        about: "ground and blocks that nobody can use any more are forgotten",
    },
    Rule {
        name: "dominance",
        about: "a position is forgotten where another has the same avatar and blocks, no more steps and no more melted ice",
    },
];

/// A position in bits. What is out of play for good may be missing from it: blocks that stay on their goals, ground that
/// nobody can come to or needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position<const N: usize> {
    pub(super) avatar: usize,
    pub(super) blocks: Bits<N>,
    /// What is not dead by now.
    pub(super) ground: Bits<N>,
}

/// No plan has fewer steps, nor fewer pushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) steps: u32,
    pub(super) pushes: u32,
}

/// What is left to play with: without what the avatar cannot reach, and without what is frozen.
struct Field<const N: usize> {
    /// Where the avatar can walk, through blocks too.
    walk: Bits<N>,
    /// And where blocks can be pushed.
    reach: Bits<N>,
    blocks: Bits<N>,
    goals: Bits<N>,
}

/// For each side of a push: where it can be made, and where the avatar can leave its line after it.
struct Turns<const N: usize> {
    pushable: [Bits<N>; 4],
    leavable: [Bits<N>; 4],
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
    parts: bool,
    shrinks: bool,
    cuts: Cuts<N>,
    assignment: Assignment,
    crossings: Crossings,
}

/// With more goals than this the assignment takes too long, and blocks count to their nearest goal.
const MOST_GOALS: usize = 64;

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
            parts: switches.on("cuts"),
            shrinks: switches.on("in-play"),
            cuts: Cuts::new(cols + 1),
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
    #[inline]
    pub(super) fn toward(&self, set: Bits<N>, side: Side) -> Bits<N> {
        match side {
            Side::Up => set.down(self.width),
            Side::Right => set.up(1),
            Side::Down => set.up(self.width),
            Side::Left => set.down(1),
        }
    }

    /// The bit beside a bit; one out of range where the board ends.
    pub(super) fn bit_toward(&self, bit: usize, side: Side) -> usize {
        match side {
            Side::Up => bit.wrapping_sub(self.width),
            Side::Right => bit + 1,
            Side::Down => bit + self.width,
            Side::Left => bit.wrapping_sub(1),
        }
    }

    #[inline]
    pub(super) fn around(&self, set: Bits<N>) -> Bits<N> {
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

    /// What is known of a position; `None`: there is no plan. Takes out of it what is out of play.
    pub(super) fn assess(&mut self, position: &mut Position<N>) -> Option<Bound> {
        if position.blocks.within(self.goals) {
            return Some(Bound::default());
        }
        let field = self.field(position)?;
        if self.shrinks {
            position.ground = position.ground & field.reach;
            position.blocks = field.blocks;
        }
        if self.parts && !self.look_for_cuts(position.avatar, &field) {
            return None;
        }
        let pushes = self.pushes(&field)?;
        let walk = if self.walks {
            self.first_walk(Bits::one(position.avatar), &field)?
        } else {
            0
        };
        let mut steps = pushes + walk;
        if self.crosses {
            let (blocks, goals) = (field.blocks, field.goals);
            steps = steps.max(self.crossings(position.avatar, blocks, goals));
        }
        Some(Bound { steps, pushes })
    }

    /// A bound on the steps without a closer look, where at least so many pushes are known to be needed.
    pub(super) fn glance(&mut self, position: &Position<N>, pushes: u32) -> u32 {
        if !self.crosses {
            return pushes;
        }
        let goals = self.goals & position.ground;
        pushes.max(self.crossings(position.avatar, position.blocks, goals))
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

    /// What is left to play with; `None`: nothing can be won there.
    fn field(&self, position: &Position<N>) -> Option<Field<N>> {
        let avatar = Bits::one(position.avatar);
        let mut ground = if self.sees_melted {
            position.ground
        } else {
            self.ground
        };
        let mut blocks = position.blocks;
        loop {
            // Where no goal is to spare, the avatar must not melt one.
            let goals = self.goals & ground;
            let spare = goals.count().checked_sub(blocks.count())?;
            let mut kept = Bits::NONE;
            if self.sees_melted && spare == 0 {
                kept = goals & self.ice;
            }
            if avatar.within(kept) {
                return None;
            }
            let walk = self.flood(avatar, ground & !kept);
            let mut reach = walk | (self.around(walk) & kept);
            // Blocks out of reach stay where they are.
            if !(blocks & !reach).within(self.goals) {
                return None;
            }
            if self.shrinks {
                reach = self.without_dead_ends(reach, avatar | blocks | goals);
            }
            let field = Field {
                walk: walk & reach,
                reach,
                blocks: blocks & reach,
                goals: goals & reach,
            };
            let useful = self.useful(&field);
            if !field.blocks.within(useful) {
                return None;
            }
            let mut frozen = Bits::NONE;
            if self.sees_frozen {
                frozen = self.frozen(&field, useful);
                if !frozen.within(goals) {
                    return None;
                }
            }
            // With less ground there are fewer goals, and perhaps none to spare any more.
            let tighter = spare > 0
                && field.goals.count() == field.blocks.count()
                && field.goals.meets(self.ice);
            if frozen.is_empty() && !tighter {
                return Some(field);
            }
            ground = reach & !frozen;
            blocks = field.blocks & !frozen;
        }
    }

    /// The ground without the cells that have at most one neighbour, again and again. Who walks into such a cell must walk
    /// back, and a block that is pushed there stays; so no optimal plan comes there, except to those that are kept.
    fn without_dead_ends(&self, ground: Bits<N>, kept: Bits<N>) -> Bits<N> {
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

    /// The cells from which a block alone on this field can be pushed to some goal, wherever the avatar is.
    fn useful(&self, field: &Field<N>) -> Bits<N> {
        let mut useful = field.goals;
        loop {
            let next = useful | self.pulled(useful, field.walk);
            if next == useful {
                return useful;
            }
            useful = next;
        }
    }

    /// The cells from which a single push brings a block into `targets`.
    fn pulled(&self, targets: Bits<N>, walk: Bits<N>) -> Bits<N> {
        let mut before = Bits::NONE;
        for side in Side::ALL {
            // The block stands beside the target, the avatar one further.
            before = before | (self.toward(targets, side.opposite()) & self.toward(walk, side));
        }
        before & walk
    }

    /// The blocks that can never be moved, or only to their loss. We start with the suspicion that all of them are,
    /// and clear those that have room for the avatar on one side and a useful cell on the other; a block that is cleared
    /// gives its neighbours room.
    fn frozen(&self, field: &Field<N>, useful: Bits<N>) -> Bits<N> {
        let mut frozen = field.blocks;
        loop {
            let stand = field.walk & !frozen;
            let room = useful & !frozen;
            let mut movable = Bits::NONE;
            for side in Side::ALL {
                movable = movable | (self.toward(stand, side) & self.toward(room, side.opposite()));
            }
            let next = frozen & !(movable & field.walk);
            if next == frozen {
                return frozen;
            }
            frozen = next;
        }
    }

    fn look_for_cuts(&mut self, avatar: usize, field: &Field<N>) -> bool {
        let work = Work {
            ground: field.walk,
            ice: if self.sees_melted {
                self.ice
            } else {
                Bits::NONE
            },
            blocks: field.blocks,
            astray: field.blocks & !field.goals,
            goals: field.goals & field.walk,
            goals_beside: field.goals & !field.walk,
        };
        self.cuts.explore(avatar, &work)
    }

    /// The least number of pushes that bring all blocks to goals.
    fn pushes(&mut self, field: &Field<N>) -> Option<u32> {
        let (rows, cols) = (field.blocks.count() as usize, field.goals.count() as usize);
        if rows > cols {
            return None;
        }
        if !self.matches || cols > MOST_GOALS {
            return self.nearest_pushes(field);
        }
        let mut assignment = std::mem::take(&mut self.assignment);
        assignment.reset(rows, cols);
        let turns = self.turns(field.walk);
        for (col, goal) in field.goals.iter().enumerate() {
            if self.parts {
                self.distances_by_side(goal, field, &turns, |row, distance| {
                    assignment.set(row, col, distance)
                });
            } else {
                self.distances(goal, field, |row, distance| {
                    assignment.set(row, col, distance)
                });
            }
        }
        let least = assignment.least();
        self.assignment = assignment;
        (least < NEVER).then_some(least)
    }

    /// Tells the pushes from every block to a goal, were it alone and the avatar wherever it likes.
    fn distances(&self, goal: usize, field: &Field<N>, mut tell: impl FnMut(usize, u32)) {
        let mut reached = Bits::one(goal);
        let mut layer = reached;
        let mut waiting = field.blocks;
        for distance in 0.. {
            if layer.meets(waiting) {
                for (row, block) in field.blocks.iter().enumerate() {
                    if layer.contains(block) {
                        tell(row, distance);
                    }
                }
                waiting = waiting & !layer;
            }
            if waiting.is_empty() || layer.is_empty() {
                return;
            }
            layer = self.pulled(layer, field.walk) & !reached;
            reached = reached | layer;
        }
    }

    /// Where a block can be pushed to each side at all, and where the avatar that pushed it to that side from the cell behind
    /// can leave the line: it steps aside, or back, unless it came from ice.
    fn turns(&self, walk: Bits<N>) -> Turns<N> {
        let firm = walk & !self.ice;
        let aside_rows = self.toward(walk, Side::Up) | self.toward(walk, Side::Down);
        let aside_cols = self.toward(walk, Side::Left) | self.toward(walk, Side::Right);
        let mut turns = Turns {
            pushable: [Bits::NONE; 4],
            leavable: [Bits::NONE; 4],
        };
        for side in Side::ALL {
            let aside = match side {
                Side::Up | Side::Down => aside_cols,
                Side::Right | Side::Left => aside_rows,
            };
            turns.pushable[side as usize] = walk & self.toward(walk, side);
            turns.leavable[side as usize] = aside | self.toward(firm, side);
        }
        turns
    }

    /// As `distances`, but the avatar must walk around the block to push it another way: where the block stands on a cut,
    /// not every side can be reached.
    fn distances_by_side(
        &self,
        goal: usize,
        field: &Field<N>,
        turns: &Turns<N>,
        mut tell: impl FnMut(usize, u32),
    ) {
        let cuts = &self.cuts;
        let mut waiting = field.blocks;
        if waiting.contains(goal) {
            let row = field.blocks.iter().position(|block| block == goal);
            tell(row.expect("a block is there"), 0);
            waiting.remove(goal);
        }
        let target = Bits::one(goal);
        // For each side: where a block can be pushed to that side, and be at the goal after so many pushes.
        let mut layer = [Bits::NONE; 4];
        for side in Side::ALL {
            layer[side as usize] =
                turns.pushable[side as usize] & self.toward(target, side.opposite());
        }
        let mut reached = layer;
        for distance in 1.. {
            let any = layer[0] | layer[1] | layer[2] | layer[3];
            if any.is_empty() || waiting.is_empty() {
                return;
            }
            if any.meets(waiting) {
                for (row, block) in field.blocks.iter().enumerate() {
                    let cut = cuts.cuts.contains(block);
                    let here = |side: Side| {
                        let behind = side.opposite() as usize;
                        layer[side as usize].contains(block)
                            && (!cut || cuts.near[behind].contains(block))
                    };
                    if waiting.contains(block) && Side::ALL.into_iter().any(here) {
                        tell(row, distance);
                        waiting.remove(block);
                    }
                }
            }
            let on_cuts = any.meets(cuts.cuts);
            let mut next = [Bits::NONE; 4];
            for side in Side::ALL {
                // The block came by a push to this side, so the avatar is behind it; from there it goes on the same way,
                // or around.
                let back = side.opposite();
                let mut around = any & !cuts.cuts;
                if on_cuts {
                    for other in Side::ALL {
                        let same = cuts.same[back as usize][other.opposite() as usize];
                        around = around | (layer[other as usize] & same);
                    }
                }
                let straight = self.toward(layer[side as usize], back);
                let turned = self.toward(around, back) & turns.leavable[side as usize];
                let fresh = turns.pushable[side as usize] & !reached[side as usize];
                next[side as usize] = (straight | turned) & fresh;
                reached[side as usize] = reached[side as usize] | next[side as usize];
            }
            layer = next;
        }
    }

    fn nearest_pushes(&self, field: &Field<N>) -> Option<u32> {
        let (mut reached, mut layer, mut distance, mut sum) = (field.goals, field.goals, 0, 0);
        while !layer.is_empty() {
            sum += (layer & field.blocks).count() * distance;
            layer = self.pulled(layer, field.walk) & !reached;
            reached = reached | layer;
            distance += 1;
        }
        field.blocks.within(reached).then_some(sum)
    }

    /// The steps before the first push: to a cell from which a block can be pushed now.
    fn first_walk(&self, avatar: Bits<N>, field: &Field<N>) -> Option<u32> {
        let free = field.walk & !field.blocks;
        let room = field.reach & !field.blocks;
        let mut stands = Bits::NONE;
        for side in Side::ALL {
            let back = side.opposite();
            let pushable = field.blocks & field.walk & self.toward(room, back);
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
            .map(|axis| {
                along(
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
