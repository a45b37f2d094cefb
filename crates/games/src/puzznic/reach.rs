//! The parameters of the model `reach`, and the moves of its solutions.
//!
//! The cells of the model are those that a block can reach: its own, the cells beside a cell that it
//! can reach, and all cells below one in the same shaft, since a pile may end at any height. Blocks
//! never rise, so what is missing of a shaft is its upper part.
//!
//! A parameter bounds when a block of each pattern can be in a cell: it moves sideways at cost 1, and
//! falls for free.
//!
//! The bounds are those of the native search: what two blocks must move to meet (`stars.rs`), and
//! three that must vanish together (`trios.rs`): for two cells the least over all cells of the third, and
//! a list of the trios that need more than that.

use super::fast::{Field, NONE};
use super::meetings::moves_from;
use super::rules::{Move, Puzznic};
use super::stars::Stars;
use super::trios::Trios;
use crate::*;

/// The blocks in two cells can never meet.
const NEVER: u16 = 10_000;

/// The most trios that are listed: each is a constraint of every state.
const MOST_TRIOS: usize = 40_000;

/// The cells that a block can reach, in the order of their numbers.
pub(super) fn cells(level: &Puzznic) -> Vec<u16> {
    let field = &level.field;
    let mut reached = vec![false; field.places.len()];
    let start = level.start();
    let blocks = start.0.iter().enumerate().filter(|(_, block)| **block > 0);
    let mut open: Vec<u16> = blocks.map(|(cell, _)| cell as u16).collect();
    while let Some(cell) = open.pop() {
        if std::mem::replace(&mut reached[usize::from(cell)], true) {
            continue;
        }
        open.extend([
            field.left[usize::from(cell)],
            field.right[usize::from(cell)],
        ]);
        open.push(below(field, cell));
        open.retain(|&next| next != NONE && !reached[usize::from(next)]);
    }
    let numbers = 0..field.places.len() as u16;
    numbers.filter(|&cell| reached[usize::from(cell)]).collect()
}

/// The cell below in the same shaft.
pub(super) fn below(field: &Field, cell: u16) -> u16 {
    let shaft = field.shafts[usize::from(field.shaft_of[usize::from(cell)])];
    if cell + 1 < shaft.end { cell + 1 } else { NONE }
}

/// The parameters of a level.
pub(super) fn parameters(level: &Puzznic) -> Result<String, String> {
    let field = &level.field;
    let cells = cells(level);
    if cells.is_empty() {
        return Err("a level without blocks has no cells for this model".to_string());
    }
    let number = |cell: u16| match cells.binary_search(&cell) {
        Ok(at) if cell != NONE => at + 1,
        _ => 0,
    };
    let start = level.start();
    let mut text = "language ESSENCE' 1.0\n".to_string();
    let mut letting = |name: &str, value: &dyn Fn(u16) -> usize| {
        let values: Vec<String> = cells.iter().map(|&cell| value(cell).to_string()).collect();
        text.push_str(&format!("letting {name} be [{}]\n", values.join(", ")));
    };
    let shaft = |cell: u16| field.shafts[usize::from(field.shaft_of[usize::from(cell)])];
    let above = |cell: u16| match cell > shaft(cell).top {
        true => number(cell - 1),
        false => 0,
    };
    let top = |cell: u16| {
        let first = (shaft(cell).top..=cell).find(|&above| number(above) > 0);
        first.map_or(0, number)
    };
    letting("initPat", &|cell| usize::from(start.0[usize::from(cell)]));
    let count = |pattern: usize| {
        let of_pattern = start.0.iter();
        let of_pattern = of_pattern.filter(|&&block| usize::from(block) == pattern + 1);
        of_pattern.count().to_string()
    };
    let counts: Vec<String> = (0..level.letters.len()).map(count).collect();
    letting("up", &above);
    letting("right", &|cell| number(field.right[usize::from(cell)]));
    letting("down", &|cell| number(below(field, cell)));
    letting("left", &|cell| number(field.left[usize::from(cell)]));
    letting("column", &|cell| {
        usize::from(field.places[usize::from(cell)].1) + 1
    });
    letting("top", &top);
    letting("height", &|cell| usize::from(shaft(cell).end - cell));
    text.push_str(&format!("letting blocks be [{}]\n", counts.join(", ")));
    let meets = Meets::new(level, &cells);
    let soonest = soonest(level, &cells);
    let trios = meets.trios(level, &cells, &soonest);
    let furthest = trios.iter().map(|&(_, moves)| moves);
    let furthest = furthest.filter(|&moves| moves < NEVER).max().unwrap_or(0);
    let furthest = furthest.max(meets.furthest());
    text.push_str(&format!("letting furthest be {furthest}\n"));
    let trio = |&([one, two, three], moves): &([usize; 3], u16)| {
        format!(" [{}, {}, {}, {moves}]", one + 1, two + 1, three + 1)
    };
    let mut rows: Vec<String> = trios.iter().map(trio).collect();
    if rows.is_empty() {
        // A matrix has a row; this one says nothing.
        rows.push(" [1, 1, 1, 0]".to_string());
    }
    text.push_str(&format!("letting trios be [\n{}\n]\n", rows.join(",\n")));
    for (name, costs) in [
        ("soonest", &soonest),
        ("meets", &meets.of_two),
        ("meetsOfThree", &meets.of_three),
    ] {
        let row = |row: &Vec<u16>| {
            let values: Vec<String> = row.iter().map(u16::to_string).collect();
            format!(" [{}]", values.join(", "))
        };
        let rows: Vec<String> = costs.iter().map(row).collect();
        text.push_str(&format!("letting {name} be [\n{}\n]\n", rows.join(",\n")));
    }
    Ok(text)
}

/// For each pattern and each cell, the fewest moves that bring one of the pattern's blocks there if
/// only walls are in its way; `NEVER` if none can come.
fn soonest(level: &Puzznic, cells: &[u16]) -> Vec<Vec<u16>> {
    let start = level.start();
    let mut soonest = vec![vec![NEVER; cells.len()]; level.letters.len()];
    for (&block, from) in start.0.iter().zip(0..) {
        let Some(pattern) = block.checked_sub(1) else {
            continue;
        };
        let of_pattern = &mut soonest[usize::from(pattern)];
        for (least, moves) in of_pattern.iter_mut().zip(moves_from(level, cells, from)) {
            *least = moves.map_or(*least, |moves| (moves as u16).min(*least));
        }
    }
    soonest
}

/// What the blocks in two cells must move to meet, for each pair of cells; `NEVER` if they cannot.
struct Meets {
    /// Whatever other blocks of their pattern there are.
    of_two: Vec<Vec<u16>>,
    /// If a third block must vanish together with them.
    of_three: Vec<Vec<u16>>,
    /// What three blocks must move; `None` if no pattern has three, or there are too many cells.
    by_three: Option<Trios>,
}

impl Meets {
    fn new(level: &Puzznic, cells: &[u16]) -> Self {
        let field = &level.field;
        let start = level.start();
        let blocks = |pattern: usize| {
            let of_pattern = start
                .0
                .iter()
                .filter(|&&block| usize::from(block) == pattern + 1);
            of_pattern.count()
        };
        let mut counts = (0..level.letters.len()).map(blocks);
        let threes = counts.clone().any(|count| count == 3);
        let others = counts.any(|count| count != 3);
        let mut stars = Stars::new(field, &Switches::all_on(), &[]);
        let mut of_two = |one: u16, other: u16| {
            let number = stars.number(&[one, other]);
            stars.cost(number).unwrap_or(NEVER)
        };
        let trios = match threes {
            true => Trios::new(field, &vec![false; field.places.len()]),
            false => None,
        };
        let column = |cell: u16| field.places[usize::from(cell)].1;
        let of_three = |one: u16, other: u16| {
            let Some(trios) = &trios else {
                // Of three blocks that vanish together, two are at most two columns apart.
                return column(one).abs_diff(column(other)).saturating_sub(2);
            };
            let thirds = cells
                .iter()
                .filter(|&&third| third != one && third != other);
            let cost = |&third: &u16| {
                let mut trio = [one, other, third];
                trio.sort_unstable();
                trios.cost(trio)
            };
            thirds.filter_map(cost).min().unwrap_or(NEVER)
        };
        let mut meets = Self {
            of_two: vec![vec![0; cells.len()]; cells.len()],
            of_three: vec![vec![0; cells.len()]; cells.len()],
            by_three: None,
        };
        for (at, &one) in cells.iter().enumerate() {
            for (other_at, &other) in cells.iter().enumerate().skip(at + 1) {
                if others {
                    let moves = of_two(one, other);
                    meets.of_two[at][other_at] = moves;
                    meets.of_two[other_at][at] = moves;
                }
                if threes {
                    let moves = of_three(one, other);
                    meets.of_three[at][other_at] = moves;
                    meets.of_three[other_at][at] = moves;
                }
            }
        }
        meets.by_three = trios;
        meets
    }

    /// The trios of cells that blocks of a pattern with three can reach, in which they need more moves to
    /// meet than any two of them; the first `MOST_TRIOS`.
    fn trios(
        &self,
        level: &Puzznic,
        cells: &[u16],
        soonest: &[Vec<u16>],
    ) -> Vec<([usize; 3], u16)> {
        let Some(by_three) = &self.by_three else {
            return Vec::new();
        };
        let start = level.start();
        let of_three = |pattern: &usize| {
            let blocks = start.0.iter();
            let blocks = blocks.filter(|&&block| usize::from(block) == pattern + 1);
            blocks.count() == 3
        };
        let patterns: Vec<usize> = (0..level.letters.len()).filter(of_three).collect();
        let reached = |trio: &[usize; 3]| {
            let all = |&pattern: &usize| trio.iter().all(|&at| soonest[pattern][at] < NEVER);
            patterns.iter().any(all)
        };
        let count = cells.len();
        let trios = (0..count)
            .flat_map(|one| (one + 1..count).map(move |two| (one, two)))
            .flat_map(|(one, two)| (two + 1..count).map(move |three| [one, two, three]));
        let more = |trio: [usize; 3]| {
            let [one, two, three] = trio;
            let moves = by_three.cost(trio.map(|at| cells[at])).unwrap_or(NEVER);
            let of_two = self.of_three[one][two]
                .max(self.of_three[one][three])
                .max(self.of_three[two][three]);
            (moves > of_two).then_some((trio, moves))
        };
        let trios = trios.filter(reached).filter_map(more);
        trios.take(MOST_TRIOS).collect()
    }

    /// The most moves that two blocks need which can meet.
    fn furthest(&self) -> u16 {
        let costs = self.of_two.iter().chain(&self.of_three).flatten().copied();
        costs.filter(|&cost| cost < NEVER).max().unwrap_or(0)
    }
}

/// The moves of a solution: all its ministeps are read.
pub(super) fn moves(level: &Puzznic, _horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    let cells = cells(level);
    let mut moves = Vec::new();
    for step in 1.. {
        let Some(act) = value("act", &[step]) else {
            break;
        };
        let Some(act) = usize::try_from(act).ok().filter(|act| *act > 0) else {
            continue;
        };
        let cell = cells.get((act - 1) / 2);
        let cell = cell.ok_or_else(|| format!("step {step} does not name a cell"))?;
        let (row, col) = level.field.places[usize::from(*cell)];
        let side = match act % 2 {
            1 => Side::Left,
            _ => Side::Right,
        };
        moves.push(Move { row, col, side });
    }
    Ok(moves)
}
