//! How the blocks of one pattern can come together, if nothing else were in the way.
//!
//! In the end every block goes in a group of equal neighbours, and every such group falls apart into *stars*: a block
//! in the middle and one to four that border on it. So the blocks of a pattern are shared out among stars, and a star
//! costs what its blocks must walk to meet. A block walks by steps to the side, which cost 1, and by falling, which is
//! free, and may end anywhere, because anything may lie below. Only walls are in the way. No move walks for two blocks,
//! so the stars' costs add up, over all patterns. Where no sharing out is possible the state is lost: that includes a
//! pattern with one block left, and a block in a pit that no partner can enter.
//!
//! A *closed floor* is a row of cells with wall below each and at both ends. What lies on it never leaves it and never
//! changes places. Two blocks on it that go in the same star must be neighbours then, or have their middle between them;
//! so whatever lay between them has gone before. If two stars of different patterns both have two blocks on one closed
//! floor, and these alternate (`A B A B`), each star would have to go before the other. So sharings carry *links*: the
//! pairs of blocks on a closed floor that they join. Links that cross cannot both be meant.

use std::collections::HashMap;

use super::fast::{Field, NONE};
use super::trios::Trios;
use crate::Switches;

/// One way to share out the blocks of a pattern among stars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    pub(super) cost: u16,
    /// The pairs of cells on one closed floor whose blocks go together, left before right.
    links: Vec<(u16, u16)>,
}

/// The sharings of every set of cells that was asked for, each set with a number.
pub(super) struct Stars<'a> {
    field: &'a Field,
    /// Whether links are looked at.
    floors_on: bool,
    /// The cells from which a move is not counted.
    free: Vec<bool>,
    /// Made when three blocks are first asked for.
    trios_on: bool,
    trios: Option<Option<Trios>>,
    /// For each cell the number of its closed floor; 0 where it is on none.
    floor: Vec<u16>,
    /// For each cell that a block was seen in, what it costs to walk to each cell, and beside each cell.
    walks: Vec<Option<Walk>>,
    /// Cheapest first. Empty where there is none.
    sharings: Vec<Vec<Sharing>>,
    numbers: HashMap<Box<[u16]>, u32>,
}

struct Walk {
    to: Vec<u16>,
    beside: Vec<u16>,
}

/// Above this many blocks of one pattern, sharing them out exactly takes too long.
const MOST_BLOCKS: usize = 10;
/// Above this many, the sharings are not told apart by their links.
const MOST_LINKED: usize = 7;
/// A crossing takes four cells.
const SHORTEST_FLOOR: usize = 4;

const FAR: u16 = u16::MAX;

impl<'a> Stars<'a> {
    /// Moves from these cells are not counted.
    pub(super) fn new(field: &'a Field, switches: &Switches, free: &[u16]) -> Self {
        let floor = closed_floors(field);
        Self {
            field,
            floors_on: switches.on("floors")
                && free.is_empty()
                && floor.iter().any(|&floor| floor > 0),
            free: (0..field.places.len() as u16)
                .map(|cell| free.contains(&cell))
                .collect(),
            trios_on: switches.on("trios"),
            trios: None,
            floor,
            walks: (0..field.places.len()).map(|_| None).collect(),
            sharings: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// The number of a set of cells, in ascending order, that hold the blocks of one pattern.
    pub(super) fn number(&mut self, cells: &[u16]) -> u32 {
        if let Some(&number) = self.numbers.get(cells) {
            return number;
        }
        let number = self.add(cells);
        self.numbers.insert(cells.into(), number);
        number
    }

    /// The same for a set that is known to be new; for a caller that keeps the numbers himself.
    pub(super) fn add(&mut self, cells: &[u16]) -> u32 {
        let sharings = self.share_out(cells);
        self.sharings.push(sharings);
        (self.sharings.len() - 1) as u32
    }

    /// How many sets are known.
    pub(super) fn len(&self) -> usize {
        self.sharings.len()
    }

    /// What the cheapest sharing costs; `None` where there is none.
    pub(super) fn cost(&self, number: u32) -> Option<u16> {
        let cheapest = self.sharings[number as usize].first();
        cheapest.map(|sharing| sharing.cost)
    }

    /// Whether the cheapest sharing has links, so that it may cross another.
    pub(super) fn linked(&self, number: u32) -> bool {
        let cheapest = self.sharings[number as usize].first();
        cheapest.is_some_and(|sharing| !sharing.links.is_empty())
    }

    /// The least that all these patterns cost together, links considered; `None` if there is no way, or if it costs
    /// more than `most`. That a choice of the cheapest has no crossing is the usual case, and quick to see.
    pub(super) fn together(&self, numbers: &[u32], most: u32) -> Option<u32> {
        let mut sum = 0;
        for &number in numbers {
            sum += u32::from(self.cost(number)?);
        }
        if sum > most {
            return None;
        }
        if numbers
            .iter()
            .filter(|&&number| self.linked(number))
            .count()
            < 2
        {
            return Some(sum);
        }
        let mut choice = Choice {
            stars: self,
            numbers,
            chosen: Vec::with_capacity(numbers.len()),
            best: most + 1,
        };
        choice.choose(0, sum);
        (choice.best <= most).then_some(choice.best)
    }

    fn share_out(&mut self, cells: &[u16]) -> Vec<Sharing> {
        let plain = |cost: u16| {
            let links = Vec::new();
            vec![Sharing { cost, links }]
        };
        match cells.len() {
            0 => return plain(0),
            1 => return Vec::new(),
            _ => {}
        }
        for &cell in cells {
            let walk = &mut self.walks[usize::from(cell)];
            walk.get_or_insert_with(|| Walk::new(self.field, cell, &self.free));
        }
        let walk = |&cell: &u16| self.walks[usize::from(cell)].as_ref().expect("just made");
        let walks: Vec<&Walk> = cells.iter().map(walk).collect();
        if cells.len() > MOST_BLOCKS {
            let cost = furthest(&walks);
            return if cost == FAR { Vec::new() } else { plain(cost) };
        }
        if self.trios_on && self.trios.is_none() && cells.len() > 2 {
            self.trios = Some(Trios::new(self.field, &self.free));
        }
        let trios = self.trios.iter().flatten().next();
        let stars = star_costs(cells, &walks, trios);
        let on_floor = cells
            .iter()
            .filter(|&&cell| self.floor[usize::from(cell)] > 0);
        if cells.len() > MOST_LINKED || on_floor.count() < 2 || !self.floors_on {
            let cost = cheapest(&stars, cells.len());
            return if cost == FAR { Vec::new() } else { plain(cost) };
        }
        let mut all = Sharings {
            cells,
            floor: &self.floor,
            stars: &stars,
            links: Vec::new(),
            found: Vec::new(),
        };
        all.share((1 << cells.len()) - 1, 0);
        // A sharing is of no use where another costs no more and has no links beside.
        let mut found = all.found;
        found.sort_by_key(|sharing| (sharing.cost, sharing.links.len()));
        let mut useful: Vec<Sharing> = Vec::new();
        for sharing in found {
            let no_use =
                |known: &Sharing| known.links.iter().all(|link| sharing.links.contains(link));
            if !useful.iter().any(no_use) {
                useful.push(sharing);
            }
        }
        useful
    }

    fn cross(&self, one: &Sharing, other: &Sharing) -> bool {
        let crosses = |&(a, b): &(u16, u16), &(c, d): &(u16, u16)| {
            self.floor[usize::from(a)] == self.floor[usize::from(c)]
                && ((a < c && c < b && b < d) || (c < a && a < d && d < b))
        };
        let mut links = one.links.iter();
        links.any(|link| other.links.iter().any(|beside| crosses(link, beside)))
    }
}

/// Branch and bound over one sharing for each pattern.
struct Choice<'a> {
    stars: &'a Stars<'a>,
    numbers: &'a [u32],
    chosen: Vec<&'a Sharing>,
    best: u32,
}

impl Choice<'_> {
    /// `least` is what the chosen ones cost, and the cheapest of the others.
    fn choose(&mut self, next: usize, least: u32) {
        let Some(&number) = self.numbers.get(next) else {
            self.best = self.best.min(least);
            return;
        };
        let sharings = &self.stars.sharings[number as usize];
        let cheapest = sharings[0].cost;
        for sharing in sharings {
            let least = least + u32::from(sharing.cost - cheapest);
            if least >= self.best {
                return;
            }
            if self
                .chosen
                .iter()
                .any(|&other| self.stars.cross(other, sharing))
            {
                continue;
            }
            self.chosen.push(sharing);
            self.choose(next + 1, least);
            self.chosen.pop();
        }
    }
}

/// All ways to share out a few blocks.
struct Sharings<'a> {
    cells: &'a [u16],
    floor: &'a [u16],
    stars: &'a [u16],
    links: Vec<(u16, u16)>,
    found: Vec<Sharing>,
}

impl Sharings<'_> {
    fn share(&mut self, left: usize, cost: u16) {
        if left == 0 {
            let links = self.links.clone();
            self.found.push(Sharing { cost, links });
            return;
        }
        let first = left & left.wrapping_neg();
        let rest = left ^ first;
        let mut part = rest;
        while part > 0 {
            let star = part | first;
            if self.stars[star] != FAR {
                let before = self.links.len();
                self.link(star);
                self.share(left ^ star, cost + self.stars[star]);
                self.links.truncate(before);
            }
            part = (part - 1) & rest;
        }
    }

    /// Neighbours in the star that lie on the same closed floor are linked.
    fn link(&mut self, star: usize) {
        let mut members: Vec<(u16, u16)> = (0..self.cells.len())
            .filter(|block| star >> block & 1 == 1)
            .map(|block| {
                (
                    self.floor[usize::from(self.cells[block])],
                    self.cells[block],
                )
            })
            .filter(|&(floor, _)| floor > 0)
            .collect();
        members.sort_unstable();
        for pair in members.windows(2) {
            if pair[0].0 == pair[1].0 {
                self.links.push((pair[0].1, pair[1].1));
            }
        }
    }
}

impl Walk {
    /// The cheapest walk from a cell to every other one, and to any neighbour of every other one.
    fn new(field: &Field, from: u16, free: &[bool]) -> Walk {
        let mut to = vec![FAR; field.places.len()];
        let mut layer = vec![from];
        let mut cost = 0;
        while !layer.is_empty() {
            let mut next = Vec::new();
            while let Some(cell) = layer.pop() {
                // Falling is free: what lies below is reached as well, down to the floor or to where we fell before.
                let end = field.shafts[usize::from(field.shaft_of[usize::from(cell)])].end;
                for below in usize::from(cell)..usize::from(end) {
                    if to[below] <= cost {
                        break;
                    }
                    to[below] = cost;
                    let beside = [field.left[below], field.right[below]];
                    let open = |&side: &u16| side != NONE && to[usize::from(side)] > cost;
                    let reached = if free[below] { &mut layer } else { &mut next };
                    reached.extend(beside.into_iter().filter(open));
                }
            }
            layer = next;
            cost += 1;
        }
        let beside = |cell: usize| {
            let sides = field.beside(cell as u16).into_iter();
            let sides = sides.filter(|&side| side != NONE);
            sides.map(|side| to[usize::from(side)]).min().unwrap_or(FAR)
        };
        let beside = (0..to.len()).map(beside).collect();
        Walk { to, beside }
    }
}

/// The cheapest partition of the blocks into stars, by dynamic programming over sets of blocks.
fn cheapest(stars: &[u16], blocks: usize) -> u16 {
    let all = (1usize << blocks) - 1;
    let mut best = vec![FAR; all + 1];
    best[0] = 0;
    // The first block goes with the first star, so it is in none of the sets that are left, but in that of all.
    for set in (2..all).step_by(2).chain([all]) {
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
/// Three blocks and more have to meet all at once.
fn star_costs(cells: &[u16], walks: &[&Walk], trios: Option<&Trios>) -> Vec<u16> {
    let places = walks[0].to.len();
    let mut growing = Growing {
        cells,
        walks,
        trios,
        costs: vec![FAR; 1 << walks.len()],
    };
    // Nobody is beside any middle, and nobody in it.
    let nobody = Star {
        beside: vec![0; places],
        with_middle: vec![FAR; places],
        trio: FAR,
    };
    let mut stars = vec![nobody; LARGEST_STAR + 1];
    growing.grow(&mut stars, 0, 0);
    growing.costs
}

/// A middle and its four neighbours.
const LARGEST_STAR: usize = 5;

/// What it costs some blocks to make a star, for each cell as its middle.
#[derive(Clone)]
struct Star {
    /// All of them walk beside the middle.
    beside: Vec<u16>,
    /// One of them walks into it, the others beside it.
    with_middle: Vec<u16>,
    /// What the cheapest three of them cost to meet at once: some three of a star are a star.
    trio: u16,
}

/// Stars grow block by block, so that a set's costs come from those of the set without its last block by two additions
/// for each middle.
struct Growing<'a> {
    cells: &'a [u16],
    walks: &'a [&'a Walk],
    trios: Option<&'a Trios>,
    costs: Vec<u16>,
}

impl Growing<'_> {
    /// All larger sets that begin with this one, whose star is the first; the others are for use.
    fn grow(&mut self, stars: &mut [Star], set: usize, from: usize) {
        let [known, rest @ ..] = stars else { return };
        for block in from..self.walks.len() {
            let Some(larger) = rest.first_mut() else {
                return;
            };
            let walk = self.walks[block];
            let known_costs = known.beside.iter().zip(&known.with_middle);
            let walks = walk.beside.iter().zip(&walk.to);
            let larger_costs = larger.beside.iter_mut().zip(&mut larger.with_middle);
            for ((beside, with_middle), ((known, known_with), (walk, to))) in
                larger_costs.zip(known_costs.zip(walks))
            {
                *beside = known.saturating_add(*walk);
                *with_middle = known_with
                    .saturating_add(*walk)
                    .min(known.saturating_add(*to));
            }
            larger.trio = known.trio.min(self.cheapest_trio(set, block));
            let with_block = set | 1 << block;
            if set != 0 {
                let cost = larger.with_middle.iter().copied().min().unwrap_or(FAR);
                let at_once = self.trios.is_some() && with_block.count_ones() > 2;
                self.costs[with_block] = if at_once { cost.max(larger.trio) } else { cost };
            }
            self.grow(rest, with_block, block + 1);
        }
    }

    /// Over all pairs of the set with one block more, which comes after all of them.
    fn cheapest_trio(&self, set: usize, block: usize) -> u16 {
        let Some(trios) = self.trios else { return FAR };
        let mut least = FAR;
        let members = (0..block).filter(|&member| set >> member & 1 == 1);
        for second in members.clone() {
            for first in members.clone().take_while(|&first| first < second) {
                let trio = [first, second, block].map(|member| self.cells[member]);
                least = least.min(trios.cost(trio).unwrap_or(FAR));
            }
        }
        least
    }
}

/// A bound for many blocks: the one that is furthest from its nearest partner must meet some partner.
fn furthest(walks: &[&Walk]) -> u16 {
    let meet = |a: &Walk, b: &Walk| {
        let costs = a.to.iter().zip(&b.beside);
        costs
            .map(|(&a, &b)| a.saturating_add(b))
            .min()
            .unwrap_or(FAR)
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

/// Numbers the closed floors, from 1.
fn closed_floors(field: &Field) -> Vec<u16> {
    let mut floor = vec![0; field.places.len()];
    let mut floors = 0;
    for first in 0..field.places.len() {
        if field.left[first] != NONE {
            continue;
        }
        let mut cells = vec![first];
        while field.right[cells[cells.len() - 1]] != NONE {
            cells.push(usize::from(field.right[cells[cells.len() - 1]]));
        }
        let grounded = |&cell: &usize| {
            let shaft = field.shafts[usize::from(field.shaft_of[cell])];
            usize::from(shaft.end) == cell + 1
        };
        if cells.len() >= SHORTEST_FLOOR && cells.iter().all(grounded) {
            floors += 1;
            for cell in cells {
                floor[cell] = floors;
            }
        }
    }
    floor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generation, Puzznic, Random, Spec};

    /// The cost of a star as its definition has it: over all cells for the middle, and all blocks in it.
    fn star_cost(set: &[usize], cells: &[u16], walks: &[&Walk], trios: Option<&Trios>) -> u16 {
        let mut cost = u32::from(FAR);
        for middle in 0..walks[0].to.len() {
            for &centre in set {
                let others = set.iter().filter(|&&block| block != centre);
                let others = others.map(|&block| u32::from(walks[block].beside[middle]));
                cost = cost.min(others.sum::<u32>() + u32::from(walks[centre].to[middle]));
            }
        }
        let mut trio = FAR;
        for (c, &third) in set.iter().enumerate() {
            for (b, &second) in set[..c].iter().enumerate() {
                for &first in &set[..b] {
                    let cells = [cells[first], cells[second], cells[third]];
                    let cost = trios.and_then(|trios| trios.cost(cells));
                    trio = trio.min(cost.unwrap_or(FAR));
                }
            }
        }
        match trios.is_some() && set.len() > 2 {
            true => (cost as u16).max(trio),
            false => cost as u16,
        }
    }

    #[test]
    fn stars_that_grow_cost_what_stars_cost() {
        let mut random = Random::new(5);
        for seed in 0..20 {
            let spec = Spec::size(7, 7).with("walls", 20);
            let level = Puzznic::generate(&spec, &mut Random::new(seed)).expect("a level");
            let free = vec![false; level.field.places.len()];
            let trios = Trios::new(&level.field, &free).filter(|_| seed % 2 == 0);
            let mut cells: Vec<u16> = (0..free.len() as u16).collect();
            while cells.len() > 7 {
                cells.remove(random.below(cells.len()));
            }
            let walks: Vec<Walk> = cells
                .iter()
                .map(|&cell| Walk::new(&level.field, cell, &free))
                .collect();
            let walks: Vec<&Walk> = walks.iter().collect();
            let costs = star_costs(&cells, &walks, trios.as_ref());
            for (set, &cost) in costs.iter().enumerate() {
                let members: Vec<usize> = (0..7).filter(|block| set >> block & 1 == 1).collect();
                if (2..=LARGEST_STAR).contains(&members.len()) {
                    assert_eq!(cost, star_cost(&members, &cells, &walks, trios.as_ref()));
                } else {
                    assert_eq!(cost, FAR);
                }
            }
        }
    }
}
