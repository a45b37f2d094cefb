//! A lower bound from *stars*: how the blocks of one pattern can meet if only walls are obstacles.
//!
//! Every block vanishes in a group of equal neighbours, and every such group can be split into
//! stars: a centre block and one to four of its neighbours. So the blocks of a pattern are
//! partitioned into stars, and a star costs what its blocks must move to meet. A block moves
//! sideways at cost 1 and falls for free, and it may stop falling anywhere, because any block may
//! lie below. No move moves two blocks, so the costs of the stars add up, over all patterns. If
//! there is no partition, the state is a dead end: this covers a pattern with a single block left,
//! and a block in a pit that no partner can enter.
//!
//! A *closed floor* is a row of cells with wall below each and at both ends. A block on it never
//! leaves it, and two blocks on it never swap places. So two blocks on it that are in the same star
//! must become neighbours, or have their centre between them; hence all blocks between them must
//! vanish before. If two stars of different patterns both have two blocks on one closed floor, and
//! these alternate (`A B A B`), each star would have to vanish before the other. So partitions
//! carry *links*: the pairs of blocks on a closed floor that they join. Partitions with crossing
//! links exclude each other.

use std::collections::HashMap;

use super::fast::{Field, NONE};
use super::trios::Trios;
use crate::Switches;

/// A partition of the blocks of a pattern into stars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) cost: u16,
    /// The pairs of cells on one closed floor whose blocks are in the same star, left before right.
    links: Vec<(u16, u16)>,
}

/// A cache: the partitions of each set of cells that was requested. Each set has a number.
pub(super) struct Stars<'a> {
    field: &'a Field,
    /// Whether links are used.
    floors_on: bool,
    /// The cells from which a move costs nothing.
    free: Vec<bool>,
    trios_on: bool,
    /// Computed when a set of three or more blocks is first requested; the inner `None` means that
    /// the level is too large.
    trios: Option<Option<Trios>>,
    /// For each cell the number of its closed floor; 0 if it is on none.
    floor: Vec<u16>,
    /// The distances from each cell that has held a block, computed when first needed.
    distances: Vec<Option<Distances>>,
    /// For each set its partitions, cheapest first; empty for a dead end.
    partitions: Vec<Vec<Partition>>,
    numbers: HashMap<Box<[u16]>, u32>,
}

/// What it costs a block to move from one cell to each cell, and to some neighbour of each cell.
struct Distances {
    to: Vec<u16>,
    beside: Vec<u16>,
}

/// With more blocks of one pattern, an exact partition takes too long.
const MOST_BLOCKS: usize = 10;
/// With more blocks, links are ignored and only the cheapest partition is kept.
const MOST_LINKED: usize = 7;
/// Crossing links need four cells.
const SHORTEST_FLOOR: usize = 4;

const UNREACHABLE: u16 = u16::MAX;

impl<'a> Stars<'a> {
    /// Moves from the cells in `free` cost nothing.
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
            distances: (0..field.places.len()).map(|_| None).collect(),
            partitions: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// The number of a set of cells, given in ascending order, that hold the blocks of one pattern.
    pub(super) fn number(&mut self, cells: &[u16]) -> u32 {
        if let Some(&number) = self.numbers.get(cells) {
            return number;
        }
        let number = self.add(cells);
        self.numbers.insert(cells.into(), number);
        number
    }

    /// Adds a set that is known to be new; for callers that store the numbers themselves.
    pub(super) fn add(&mut self, cells: &[u16]) -> u32 {
        let partitions = self.partitions_of(cells);
        self.partitions.push(partitions);
        (self.partitions.len() - 1) as u32
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// The cost of the cheapest partition; `None` if there is none.
    pub(super) fn cost(&self, number: u32) -> Option<u16> {
        let cheapest = self.partitions[number as usize].first();
        cheapest.map(|partition| partition.cost)
    }

    /// Whether the cheapest partition has links, so that it may cross another.
    pub(super) fn linked(&self, number: u32) -> bool {
        let cheapest = self.partitions[number as usize].first();
        cheapest.is_some_and(|partition| !partition.links.is_empty())
    }

    /// The least total cost of one partition for each pattern such that no links cross; `None` if
    /// there is none, or if it costs more than `most`. Usually fewer than two of the cheapest
    /// partitions have links, which is quick to check.
    pub(super) fn combined(&self, numbers: &[u32], most: u32) -> Option<u32> {
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
        let mut choice = PartitionChoice {
            stars: self,
            numbers,
            chosen: Vec::with_capacity(numbers.len()),
            best: most + 1,
        };
        choice.choose(0, sum);
        (choice.best <= most).then_some(choice.best)
    }

    fn partitions_of(&mut self, cells: &[u16]) -> Vec<Partition> {
        let plain = |cost: u16| {
            let links = Vec::new();
            vec![Partition { cost, links }]
        };
        match cells.len() {
            0 => return plain(0),
            1 => return Vec::new(),
            _ => {}
        }
        for &cell in cells {
            let distance = &mut self.distances[usize::from(cell)];
            distance.get_or_insert_with(|| Distances::new(self.field, cell, &self.free));
        }
        let distance = |&cell: &u16| {
            self.distances[usize::from(cell)]
                .as_ref()
                .expect("just made")
        };
        let distances: Vec<&Distances> = cells.iter().map(distance).collect();
        if cells.len() > MOST_BLOCKS {
            let cost = nearest_partner_bound(&distances);
            return if cost == UNREACHABLE {
                Vec::new()
            } else {
                plain(cost)
            };
        }
        if self.trios_on && self.trios.is_none() && cells.len() > 2 {
            self.trios = Some(Trios::new(self.field, &self.free));
        }
        let trios = self.trios.iter().flatten().next();
        let stars = star_costs(cells, &distances, trios);
        let on_floor = cells
            .iter()
            .filter(|&&cell| self.floor[usize::from(cell)] > 0);
        if cells.len() > MOST_LINKED || on_floor.count() < 2 || !self.floors_on {
            let cost = cheapest_partition(&stars, cells.len());
            return if cost == UNREACHABLE {
                Vec::new()
            } else {
                plain(cost)
            };
        }
        let mut all = PartitionSearch {
            cells,
            floor: &self.floor,
            stars: &stars,
            links: Vec::new(),
            found: Vec::new(),
        };
        all.extend((1 << cells.len()) - 1, 0);
        // A partition is dominated by one that costs no more and has a subset of its links.
        let mut found = all.found;
        found.sort_by_key(|partition| (partition.cost, partition.links.len()));
        let mut useful: Vec<Partition> = Vec::new();
        for partition in found {
            let dominates = |known: &Partition| {
                known
                    .links
                    .iter()
                    .all(|link| partition.links.contains(link))
            };
            if !useful.iter().any(dominates) {
                useful.push(partition);
            }
        }
        useful
    }

    fn cross(&self, one: &Partition, other: &Partition) -> bool {
        let crosses = |&(a, b): &(u16, u16), &(c, d): &(u16, u16)| {
            self.floor[usize::from(a)] == self.floor[usize::from(c)]
                && ((a < c && c < b && b < d) || (c < a && a < d && d < b))
        };
        let mut links = one.links.iter();
        links.any(|link| other.links.iter().any(|beside| crosses(link, beside)))
    }
}

/// Branch and bound over the choice of one partition for each pattern.
struct PartitionChoice<'a> {
    stars: &'a Stars<'a>,
    numbers: &'a [u32],
    chosen: Vec<&'a Partition>,
    best: u32,
}

impl PartitionChoice<'_> {
    /// `least` is the cost of the chosen partitions and the cheapest ones of the other patterns.
    fn choose(&mut self, next: usize, least: u32) {
        let Some(&number) = self.numbers.get(next) else {
            self.best = self.best.min(least);
            return;
        };
        let partitions = &self.stars.partitions[number as usize];
        let cheapest = partitions[0].cost;
        for partition in partitions {
            let least = least + u32::from(partition.cost - cheapest);
            if least >= self.best {
                return;
            }
            if self
                .chosen
                .iter()
                .any(|&other| self.stars.cross(other, partition))
            {
                continue;
            }
            self.chosen.push(partition);
            self.choose(next + 1, least);
            self.chosen.pop();
        }
    }
}

/// Enumerates all partitions of a few blocks.
struct PartitionSearch<'a> {
    cells: &'a [u16],
    floor: &'a [u16],
    stars: &'a [u16],
    links: Vec<(u16, u16)>,
    found: Vec<Partition>,
}

impl PartitionSearch<'_> {
    fn extend(&mut self, left: usize, cost: u16) {
        if left == 0 {
            let links = self.links.clone();
            self.found.push(Partition { cost, links });
            return;
        }
        let first = left & left.wrapping_neg();
        let rest = left ^ first;
        let mut part = rest;
        while part > 0 {
            let star = part | first;
            if self.stars[star] != UNREACHABLE {
                let before = self.links.len();
                self.link(star);
                self.extend(left ^ star, cost + self.stars[star]);
                self.links.truncate(before);
            }
            part = (part - 1) & rest;
        }
    }

    /// Adds the links of a star: between consecutive blocks on the same closed floor.
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

impl Distances {
    /// Breadth-first search from a cell.
    fn new(field: &Field, from: u16, free: &[bool]) -> Distances {
        let mut to = vec![UNREACHABLE; field.places.len()];
        let mut layer = vec![from];
        let mut cost = 0;
        while !layer.is_empty() {
            let mut next = Vec::new();
            while let Some(cell) = layer.pop() {
                // Falling is free: the cells below are reached too, down to the floor or to a cell
                // that was reached before.
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
            sides
                .map(|side| to[usize::from(side)])
                .min()
                .unwrap_or(UNREACHABLE)
        };
        let beside = (0..to.len()).map(beside).collect();
        Distances { to, beside }
    }
}

/// The cheapest partition of the blocks into stars, by dynamic programming over sets of blocks.
fn cheapest_partition(stars: &[u16], blocks: usize) -> u16 {
    let all = (1usize << blocks) - 1;
    let mut best = vec![UNREACHABLE; all + 1];
    best[0] = 0;
    // The first block is in the first star, so of the sets of remaining blocks only the full one
    // has it.
    for set in (2..all).step_by(2).chain([all]) {
        // Choose the star that has the first block of the set.
        let first = set & set.wrapping_neg();
        let rest = set ^ first;
        let mut part = rest;
        while part > 0 {
            let (star, others) = (stars[part | first], best[rest ^ part]);
            if star != UNREACHABLE && others != UNREACHABLE {
                best[set] = best[set].min(star + others);
            }
            part = (part - 1) & rest;
        }
    }
    best[all]
}

/// For each set of blocks, the cost of a star of all of them: the minimum over all cells for the
/// centre and all blocks in it. Three and more blocks must meet at the same time.
fn star_costs(cells: &[u16], distances: &[&Distances], trios: Option<&Trios>) -> Vec<u16> {
    let places = distances[0].to.len();
    let mut growth = StarGrowth {
        cells,
        distances,
        trios,
        costs: vec![UNREACHABLE; 1 << distances.len()],
    };
    // The star without blocks: nothing beside the centre, and no block that could be in it.
    let empty = Star {
        beside: vec![0; places],
        with_centre: vec![UNREACHABLE; places],
        trio: UNREACHABLE,
    };
    let mut stars = vec![empty; LARGEST_STAR + 1];
    growth.grow(&mut stars, 0, 0);
    growth.costs
}

/// A centre and four neighbours.
const LARGEST_STAR: usize = 5;

/// The cost of a star of some blocks, for each cell as its centre.
#[derive(Clone)]
struct Star {
    /// All of them move beside the centre.
    beside: Vec<u16>,
    /// One of them moves into the centre, the others beside it.
    with_centre: Vec<u16>,
    /// The cost of the three of them that meet most cheaply: a star of three or more blocks
    /// contains a star of three.
    trio: u16,
}

/// Stars grow block by block: the costs of a set follow from those of the set without its last
/// block by two additions for each centre.
struct StarGrowth<'a> {
    cells: &'a [u16],
    distances: &'a [&'a Distances],
    trios: Option<&'a Trios>,
    costs: Vec<u16>,
}

impl StarGrowth<'_> {
    /// Computes the costs of all sets that extend this one by later blocks. `stars[0]` is the star
    /// of this set; the others are buffers.
    fn grow(&mut self, stars: &mut [Star], set: usize, from: usize) {
        let [base, rest @ ..] = stars else { return };
        for block in from..self.distances.len() {
            let Some(larger) = rest.first_mut() else {
                return;
            };
            let distance = self.distances[block];
            let base_costs = base.beside.iter().zip(&base.with_centre);
            let distances = distance.beside.iter().zip(&distance.to);
            let larger_costs = larger.beside.iter_mut().zip(&mut larger.with_centre);
            for ((beside, with_centre), ((base, base_with_centre), (distance, to))) in
                larger_costs.zip(base_costs.zip(distances))
            {
                *beside = base.saturating_add(*distance);
                *with_centre = base_with_centre
                    .saturating_add(*distance)
                    .min(base.saturating_add(*to));
            }
            larger.trio = base.trio.min(self.cheapest_trio(set, block));
            let with_block = set | 1 << block;
            if set != 0 {
                let cost = larger
                    .with_centre
                    .iter()
                    .copied()
                    .min()
                    .unwrap_or(UNREACHABLE);
                let at_once = self.trios.is_some() && with_block.count_ones() > 2;
                self.costs[with_block] = if at_once { cost.max(larger.trio) } else { cost };
            }
            self.grow(rest, with_block, block + 1);
        }
    }

    /// The least cost of a trio of two blocks of the set and a later block.
    fn cheapest_trio(&self, set: usize, block: usize) -> u16 {
        let Some(trios) = self.trios else {
            return UNREACHABLE;
        };
        let mut least = UNREACHABLE;
        let members = (0..block).filter(|&member| set >> member & 1 == 1);
        for second in members.clone() {
            for first in members.clone().take_while(|&first| first < second) {
                let trio = [first, second, block].map(|member| self.cells[member]);
                least = least.min(trios.cost(trio).unwrap_or(UNREACHABLE));
            }
        }
        least
    }
}

/// A bound for many blocks: the block that is furthest from its nearest partner must meet one.
fn nearest_partner_bound(distances: &[&Distances]) -> u16 {
    let meet = |a: &Distances, b: &Distances| {
        let costs = a.to.iter().zip(&b.beside);
        costs
            .map(|(&a, &b)| a.saturating_add(b))
            .min()
            .unwrap_or(UNREACHABLE)
    };
    let nearest = |block: usize| {
        let partners = (0..distances.len()).filter(|&partner| partner != block);
        partners
            .map(|partner| meet(distances[block], distances[partner]))
            .min()
            .unwrap_or(UNREACHABLE)
    };
    (0..distances.len()).map(nearest).max().unwrap_or(0)
}

/// The number of the closed floor of each cell, from 1; 0 for cells on none.
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

    /// The cost of a star by definition: the minimum over all cells for the centre, and all blocks
    /// in it.
    fn star_cost(
        set: &[usize],
        cells: &[u16],
        distances: &[&Distances],
        trios: Option<&Trios>,
    ) -> u16 {
        let mut cost = u32::from(UNREACHABLE);
        for centre in 0..distances[0].to.len() {
            for &central in set {
                let others = set.iter().filter(|&&block| block != central);
                let others = others.map(|&block| u32::from(distances[block].beside[centre]));
                cost = cost.min(others.sum::<u32>() + u32::from(distances[central].to[centre]));
            }
        }
        let mut trio = UNREACHABLE;
        for (c, &third) in set.iter().enumerate() {
            for (b, &second) in set[..c].iter().enumerate() {
                for &first in &set[..b] {
                    let cells = [cells[first], cells[second], cells[third]];
                    let cost = trios.and_then(|trios| trios.cost(cells));
                    trio = trio.min(cost.unwrap_or(UNREACHABLE));
                }
            }
        }
        match trios.is_some() && set.len() > 2 {
            true => (cost as u16).max(trio),
            false => cost as u16,
        }
    }

    #[test]
    fn star_growth_agrees_with_the_definition() {
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
            let distances: Vec<Distances> = cells
                .iter()
                .map(|&cell| Distances::new(&level.field, cell, &free))
                .collect();
            let distances: Vec<&Distances> = distances.iter().collect();
            let costs = star_costs(&cells, &distances, trios.as_ref());
            for (set, &cost) in costs.iter().enumerate() {
                let members: Vec<usize> = (0..7).filter(|block| set >> block & 1 == 1).collect();
                if (2..=LARGEST_STAR).contains(&members.len()) {
                    assert_eq!(
                        cost,
                        star_cost(&members, &cells, &distances, trios.as_ref())
                    );
                } else {
                    assert_eq!(cost, UNREACHABLE);
                }
            }
        }
    }
}
