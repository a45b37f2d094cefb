//! The lower bound: for each pattern, the cheapest way to bring its blocks together, if nothing else were in the way.
//!
//! In the end every block goes in a group of equal neighbours, and every such group falls apart into *stars*: a block
//! in the middle and one to four that border on it. So the blocks of a pattern are shared out among stars, and a star
//! costs what its blocks must walk to meet. A block walks by steps to the side, which cost 1, and by falling, which is
//! free, and may end anywhere, because anything may lie below. Only walls are in the way. No move walks for two blocks,
//! so the stars' costs add up, over all patterns. Where no sharing out is possible the state is lost: that includes a
//! pattern with one block left, and a block in a pit that no partner can enter.

use std::collections::HashMap;

use super::fast::{NONE, State};
use super::rules::Puzznic;
use crate::*;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "stars",
    about: "the cheapest sharing out of each pattern's blocks among stars of neighbours",
}];

/// Above this many cells the tables of distances would be larger than the search.
const MOST_CELLS: usize = 4000;
/// Above this many blocks of one pattern, sharing them out exactly takes too long.
const MOST_BLOCKS: usize = 10;
/// A memory of at most this many positions of a pattern's blocks.
const MOST_KNOWN: usize = 1 << 20;

const FAR: u16 = u16::MAX;

pub(super) struct Stars<'a> {
    level: &'a Puzznic,
    on: bool,
    /// For each cell that a block was seen in, what it costs to walk to each cell, and beside each cell.
    walks: Vec<Option<Box<Walk>>>,
    /// What the sharing out costs, by the cells of a pattern's blocks; `FAR` where it is impossible.
    known: HashMap<Box<[u16]>, u16>,
    cells: Vec<Vec<u16>>,
}

struct Walk {
    to: Vec<u16>,
    beside: Vec<u16>,
}

impl<'a> Stars<'a> {
    pub(super) fn new(level: &'a Puzznic, switches: &Switches) -> Self {
        let cells = level.field.places.len();
        Self {
            level,
            on: switches.on("stars") && cells <= MOST_CELLS,
            walks: (0..cells).map(|_| None).collect(),
            known: HashMap::new(),
            cells: vec![Vec::new(); level.letters.len()],
        }
    }

    /// What it costs to clear the blocks in these cells, all of one pattern.
    fn pattern_cost(&mut self, cells: &[u16]) -> u16 {
        if cells.len() < 2 {
            return if cells.is_empty() { 0 } else { FAR };
        }
        if !self.on {
            return 0;
        }
        if let Some(&cost) = self.known.get(cells) {
            return cost;
        }
        for &cell in cells {
            if self.walks[usize::from(cell)].is_none() {
                self.walks[usize::from(cell)] = Some(Box::new(walk(self.level, cell)));
            }
        }
        let walk = |&cell: &u16| self.walks[usize::from(cell)].as_deref().expect("just made");
        let walks: Vec<&Walk> = cells.iter().map(walk).collect();
        let cost = if walks.len() <= MOST_BLOCKS {
            share_out(&walks)
        } else {
            furthest(&walks)
        };
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(cells.into(), cost);
        cost
    }
}

impl Guide<Puzznic> for Stars<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        let mut cells = std::mem::take(&mut self.cells);
        cells.iter_mut().for_each(Vec::clear);
        for (cell, &block) in state.0.iter().enumerate() {
            if block > 0 {
                cells[usize::from(block) - 1].push(cell as u16);
            }
        }
        let mut sum = Some(0);
        for cells in &cells {
            let cost = self.pattern_cost(cells);
            sum = sum.filter(|_| cost != FAR).map(|sum| sum + u32::from(cost));
            if sum.is_none() {
                break;
            }
        }
        self.cells = cells;
        sum
    }
}

/// The cheapest walk from a cell to every other one, and to any neighbour of every other one.
fn walk(level: &Puzznic, from: u16) -> Walk {
    let field = &level.field;
    let mut to = vec![FAR; field.places.len()];
    let mut layer = vec![from];
    let mut cost = 0;
    while !layer.is_empty() {
        let mut next = Vec::new();
        for cell in layer {
            // Falling is free: what lies below, down to the floor or to where we fell before, is reached as well.
            let end = field.shafts[usize::from(field.shaft_of[usize::from(cell)])].end;
            for below in cell..end {
                let index = usize::from(below);
                if to[index] <= cost {
                    break;
                }
                to[index] = cost;
                let beside = [field.left[index], field.right[index]];
                let open = |&side: &u16| side != NONE && to[usize::from(side)] == FAR;
                next.extend(beside.into_iter().filter(open));
            }
        }
        layer = next;
        cost += 1;
    }
    let beside = |cell: usize| {
        let sides = field.beside(cell as u16).into_iter();
        let costs = sides.filter(|&side| side != NONE).map(|side| to[usize::from(side)]);
        costs.min().unwrap_or(FAR)
    };
    let beside = (0..to.len()).map(beside).collect();
    Walk { to, beside }
}

/// The cheapest partition of the blocks into stars, by dynamic programming over sets of blocks.
fn share_out(walks: &[&Walk]) -> u16 {
    let all = (1usize << walks.len()) - 1;
    let stars = star_costs(walks);
    let mut best = vec![FAR; all + 1];
    best[0] = 0;
    for set in 1..=all {
        // Some star has the first block of the set.
        let first = set & set.wrapping_neg();
        let rest = set ^ first;
        let mut part = rest;
        while part > 0 {
            let (star, others) = (stars[part | first], best[rest ^ part]);
            if star != FAR && others != FAR {
                best[set] = best[set].min(star + others);
            }
            part = (part - 1) & rest;
        }
    }
    best[all]
}

/// For each set of blocks the cost of a star of all of them: over all cells for the middle, and all blocks in it.
fn star_costs(walks: &[&Walk]) -> Vec<u16> {
    let sets = 1usize << walks.len();
    let mut costs = vec![FAR; sets];
    for middle in 0..walks[0].to.len() {
        for (set, cost) in costs.iter_mut().enumerate() {
            if !(2..=5).contains(&set.count_ones()) {
                continue;
            }
            let members = || (0..walks.len()).filter(|block| set >> block & 1 == 1);
            for centre in members() {
                let star = members().try_fold(0u16, |sum, block| {
                    let walk = walks[block];
                    let step = if block == centre {
                        walk.to[middle]
                    } else {
                        walk.beside[middle]
                    };
                    (step != FAR).then(|| sum + step)
                });
                if let Some(star) = star {
                    *cost = (*cost).min(star);
                }
            }
        }
    }
    costs
}

/// A bound for many blocks: the one that is furthest from its nearest partner must meet some partner.
fn furthest(walks: &[&Walk]) -> u16 {
    let meet = |a: &Walk, b: &Walk| {
        let costs = a.to.iter().zip(&b.beside);
        costs.map(|(&a, &b)| a.saturating_add(b)).min().unwrap_or(FAR)
    };
    let nearest = |block: usize| {
        let partners = (0..walks.len()).filter(|&partner| partner != block);
        partners
            .map(|partner| meet(walks[block], walks[partner]))
            .min()
            .unwrap_or(FAR)
    };
    (0..walks.len()).map(nearest).max().unwrap_or(0)
}

/// How deep breadth-first search goes where the level is small enough to be searched at once, lost states left out.
pub(super) fn longest_plan(level: &Puzznic) -> Option<u32> {
    const MOST_STATES: usize = 20_000;
    let mut guide = Stars::new(level, &Switches::all_on());
    let mut seen = std::collections::HashSet::from([level.start()]);
    let mut layer = vec![level.start()];
    let mut depth = 0;
    let mut moves = Vec::new();
    loop {
        let mut next = Vec::new();
        for state in &layer {
            moves.clear();
            level.moves(state, &mut moves);
            for &mv in &moves {
                let after = level.apply(state, mv);
                if guide.lower_bound(&after).is_some() && seen.insert(after.clone()) {
                    next.push(after);
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        if next.is_empty() {
            return Some(depth);
        }
        depth += 1;
        layer = next;
    }
}
