//! Tables. Of four encodings the one with the fewest literals is chosen:
//!
//! - the missing combinations as clauses, where few are missing;
//! - supports, for two columns: a value implies one of its partners;
//! - a function, where some column is determined by the others: a clause for each row;
//! - selectors: a literal for each row that implies the row's values, and each value implies one of
//!   its rows (Bacchus 2007). This one achieves full propagation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ployglot_base::Poll;

use super::encoder::Encoder;
use super::solver::{Clauses, Lit};
use super::views::Int;
use crate::problem::Operand;

/// The missing combinations are listed if there are at most this many combinations in all.
const COMBINATIONS: u64 = 4096;

impl Encoder<dyn Clauses> {
    pub(super) fn negative_table(&mut self, when: Lit, columns: &[Operand], rows: &[Vec<i32>]) {
        let columns = self.operands(columns);
        for row in rows {
            self.poll.step();
            let cells = columns.iter().zip(row);
            if cells.clone().all(|(&x, &v)| self.domain(x).contains(v)) {
                let clause: Vec<Lit> = cells.map(|(&x, &v)| !self.is(x, v)).collect();
                self.imply(when, &clause);
            }
        }
    }

    pub(super) fn table(&mut self, when: Lit, columns: &[Operand], rows: &[Vec<i32>]) {
        let operands = self.operands(columns);
        // A repeated or constant column only filters the rows.
        let mut columns: Vec<Int> = Vec::new();
        let mut kept: Vec<usize> = Vec::new();
        for (i, &x) in operands.iter().enumerate() {
            if !columns.contains(&x) && self.domain(x).fixed().is_none() {
                columns.push(x);
                kept.push(i);
            }
        }
        let agrees = |row: &&Vec<i32>| {
            self.poll.steps(row.len());
            let same = |i: usize| {
                operands
                    .iter()
                    .position(|&x| x == operands[i])
                    .is_none_or(|j| row[i] == row[j])
            };
            (0..row.len()).all(|i| self.domain(operands[i]).contains(row[i]) && same(i))
        };
        let rows: BTreeSet<Vec<i32>> = rows
            .iter()
            .filter(agrees)
            .map(|row| kept.iter().map(|&i| row[i]).collect())
            .collect();
        let rows: Vec<Vec<i32>> = rows.into_iter().collect();
        if rows.is_empty() {
            self.imply(when, &[]);
            return;
        }
        if columns.is_empty() {
            return;
        }
        // Forbid the values that no row has.
        let mut used: Vec<BTreeSet<i32>> = vec![BTreeSet::new(); columns.len()];
        for row in &rows {
            self.poll.steps(row.len());
            row.iter().zip(&mut used).for_each(|(&v, used)| {
                used.insert(v);
            });
        }
        for (&x, used) in columns.iter().zip(&used) {
            self.within(when, x, used);
        }
        if columns.len() == 1 {
            return;
        }
        let all = combinations(used.iter());
        if all == rows.len() as u64 {
            return;
        }
        let missing = match all <= COMBINATIONS {
            true => missing(&rows, &used),
            false => Vec::new(),
        };
        let width = columns.len();
        let total: usize = used.iter().map(BTreeSet::len).sum();
        let by_missing = match all <= COMBINATIONS {
            true => missing.len() * width,
            false => usize::MAX,
        };
        let by_selectors = rows.len() * (3 * width + 1) + total;
        let function = function(&rows, width, &self.poll);
        let by_function = match function {
            Some(result) => {
                let arguments = (0..width).filter(|&i| i != result);
                let keys = combinations(arguments.map(|i| &used[i]));
                // Argument combinations without a row must be forbidden as well.
                match keys <= COMBINATIONS {
                    true => rows.len() * width + (keys as usize - rows.len()) * (width - 1),
                    false => usize::MAX,
                }
            }
            None => usize::MAX,
        };
        // Of two columns, supports achieve full propagation; where they are long because few
        // combinations are missing, these say the same in less.
        let few_missing = all <= COMBINATIONS && missing.len() * 4 < rows.len();
        if width == 2 && !few_missing {
            self.supports(when, &columns, &rows);
        } else if width == 2 || by_missing <= by_function && by_missing <= by_selectors {
            for row in &missing {
                let cells = columns.iter().zip(row);
                let clause: Vec<Lit> = cells.map(|(&x, &v)| !self.is(x, v)).collect();
                self.imply(when, &clause);
            }
        } else if by_function <= by_selectors {
            self.functional(
                when,
                &columns,
                &rows,
                &used,
                function.expect("it has a cost"),
            );
        } else {
            self.selectors(when, &columns, &rows);
        }
    }

    /// The variable has one of these values.
    fn within(&mut self, when: Lit, x: Int, values: &BTreeSet<i32>) {
        let domain = self.domain(x);
        if domain.len() == values.len() as u64 {
            return;
        }
        let others = domain.minus(&crate::Domain::from_values(values.iter().copied()));
        for &(low, high) in others.ranges() {
            if low == high {
                let literal = self.is(x, low);
                self.imply(when, &[!literal]);
            } else {
                let (under, up_to) = (!self.at_least(x, low), self.at_most(x, high));
                self.imply(when, &[under, !up_to]);
            }
        }
    }

    /// Each value implies one of its partners in the other column.
    fn supports(&mut self, when: Lit, columns: &[Int], rows: &[Vec<i32>]) {
        for (from, to) in [(0, 1), (1, 0)] {
            let mut partners: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
            for row in rows {
                self.poll.step();
                partners.entry(row[from]).or_default().push(row[to]);
            }
            let all = rows
                .iter()
                .map(|row| row[to])
                .collect::<BTreeSet<i32>>()
                .len();
            for (value, partners) in partners {
                if partners.len() < all {
                    let mut clause = vec![!self.is(columns[from], value)];
                    clause.extend(partners.iter().map(|&v| self.is(columns[to], v)));
                    self.imply(when, &clause);
                }
            }
        }
    }

    /// The arguments of each row imply its result.
    fn functional(
        &mut self,
        when: Lit,
        columns: &[Int],
        rows: &[Vec<i32>],
        used: &[BTreeSet<i32>],
        result: usize,
    ) {
        let arguments: Vec<usize> = (0..columns.len()).filter(|&i| i != result).collect();
        for row in rows {
            let mut clause: Vec<Lit> = arguments
                .iter()
                .map(|&i| !self.is(columns[i], row[i]))
                .collect();
            clause.push(self.is(columns[result], row[result]));
            self.imply(when, &clause);
        }
        let keys: BTreeSet<Vec<i32>> = rows
            .iter()
            .map(|row| arguments.iter().map(|&i| row[i]).collect())
            .collect();
        let keys: Vec<Vec<i32>> = keys.into_iter().collect();
        let used: Vec<BTreeSet<i32>> = arguments.iter().map(|&i| used[i].clone()).collect();
        for key in missing(&keys, &used) {
            let cells = arguments.iter().zip(&key);
            let clause: Vec<Lit> = cells.map(|(&i, &v)| !self.is(columns[i], v)).collect();
            self.imply(when, &clause);
        }
        // The supports of each value of the result in each argument.
        for &argument in &arguments {
            let pairs: BTreeSet<Vec<i32>> = rows
                .iter()
                .map(|row| vec![row[argument], row[result]])
                .collect();
            let pairs: Vec<Vec<i32>> = pairs.into_iter().collect();
            self.supports(when, &[columns[argument], columns[result]], &pairs);
        }
    }

    /// A selector literal for each row.
    fn selectors(&mut self, when: Lit, columns: &[Int], rows: &[Vec<i32>]) {
        let selectors: Vec<Lit> = rows.iter().map(|_| self.fresh()).collect();
        self.imply(when, &selectors);
        for (i, &x) in columns.iter().enumerate() {
            let mut rows_of: BTreeMap<i32, Vec<Lit>> = BTreeMap::new();
            for (row, &selector) in rows.iter().zip(&selectors) {
                rows_of.entry(row[i]).or_default().push(selector);
            }
            for (value, mut rows) in rows_of {
                let literal = self.is(x, value);
                for &selector in &rows {
                    self.clause(&[!selector, literal]);
                }
                rows.push(!literal);
                self.imply(when, &rows);
            }
        }
    }
}

/// The number of combinations of these values, at most `u64::MAX`.
fn combinations<'u>(used: impl Iterator<Item = &'u BTreeSet<i32>>) -> u64 {
    used.fold(1, |all, used| all.saturating_mul(used.len() as u64))
}

/// The combinations of the used values that are not rows.
fn missing(rows: &[Vec<i32>], used: &[BTreeSet<i32>]) -> Vec<Vec<i32>> {
    let rows: HashSet<&[i32]> = rows.iter().map(|row| &row[..]).collect();
    let mut all: Vec<Vec<i32>> = vec![Vec::new()];
    for used in used {
        let longer = |start: &Vec<i32>| {
            let start = start.clone();
            used.iter().map(move |&v| [&start[..], &[v]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|row| !rows.contains(&row[..]));
    all
}

/// A column that is determined by the others.
fn function(rows: &[Vec<i32>], width: usize, poll: &Poll) -> Option<usize> {
    (0..width).rev().find(|&column| {
        let mut seen: HashMap<Vec<i32>, i32> = HashMap::with_capacity(rows.len());
        rows.iter().all(|row| {
            poll.steps(width);
            let mut key = row.clone();
            let value = key.remove(column);
            *seen.entry(key).or_insert(value) == value
        })
    })
}
