//! The cheapest way to give every row a column of its own (the Hungarian method, by shortest augmenting paths: Jonker and
//! Volgenant 1987). Rows are few, so the plain quadratic scan is the fast one.

/// A cost that cannot be paid. A sum of a few is still a number.
pub(super) const NEVER: u32 = 1 << 24;

#[derive(Clone, Debug, Default)]
pub(super) struct Assignment {
    rows: usize,
    cols: usize,
    costs: Vec<u32>,
    /// Potentials of rows and columns, and the row of each column; index 0 is the row to be placed next.
    row_price: Vec<i64>,
    col_price: Vec<i64>,
    row_of: Vec<usize>,
    slack: Vec<i64>,
    from: Vec<usize>,
    used: Vec<bool>,
}

impl Assignment {
    /// All costs are `NEVER`. There are at least as many columns as rows.
    pub(super) fn reset(&mut self, rows: usize, cols: usize) {
        assert!(rows <= cols, "every row finds a column");
        (self.rows, self.cols) = (rows, cols);
        self.costs.clear();
        self.costs.resize(rows * cols, NEVER);
    }

    pub(super) fn set(&mut self, row: usize, col: usize, cost: u32) {
        self.costs[row * self.cols + col] = cost;
    }

    /// The least sum; `NEVER` where every assignment has a cost that cannot be paid.
    pub(super) fn least(&mut self) -> u32 {
        let refill = |list: &mut Vec<i64>, length, value| {
            list.clear();
            list.resize(length, value);
        };
        refill(&mut self.row_price, self.rows + 1, 0);
        refill(&mut self.col_price, self.cols + 1, 0);
        self.row_of.clear();
        self.row_of.resize(self.cols + 1, 0);
        self.from.clear();
        self.from.resize(self.cols + 1, 0);
        for row in 1..=self.rows {
            self.row_of[0] = row;
            refill(&mut self.slack, self.cols + 1, i64::MAX);
            self.used.clear();
            self.used.resize(self.cols + 1, false);
            let mut col = 0;
            while self.row_of[col] != 0 {
                col = self.nearest_column(col);
            }
            // The path turns over: each column on it takes the row of the one before.
            while col != 0 {
                let before = self.from[col];
                self.row_of[col] = self.row_of[before];
                col = before;
            }
        }
        let costs = (1..=self.cols).filter(|&col| self.row_of[col] != 0);
        let sum: u64 = costs
            .map(|col| u64::from(self.costs[(self.row_of[col] - 1) * self.cols + col - 1]))
            .sum();
        sum.min(u64::from(NEVER)) as u32
    }

    /// Extends the tree of shortest paths from `col` by the column that is nearest, and shifts the prices.
    fn nearest_column(&mut self, col: usize) -> usize {
        self.used[col] = true;
        let row = self.row_of[col];
        let (mut least, mut nearest) = (i64::MAX, 0);
        for other in (1..=self.cols).filter(|&other| !self.used[other]) {
            let cost = i64::from(self.costs[(row - 1) * self.cols + other - 1]);
            let reduced = cost - self.row_price[row] - self.col_price[other];
            if reduced < self.slack[other] {
                self.slack[other] = reduced;
                self.from[other] = col;
            }
            if self.slack[other] < least {
                (least, nearest) = (self.slack[other], other);
            }
        }
        for other in 0..=self.cols {
            if self.used[other] {
                self.row_price[self.row_of[other]] += least;
                self.col_price[other] -= least;
            } else {
                self.slack[other] = self.slack[other].saturating_sub(least);
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Every row takes every free column in turn.
    fn slow(costs: &[Vec<u32>], taken: &mut Vec<usize>) -> u32 {
        let Some(row) = costs.get(taken.len()) else {
            return 0;
        };
        let mut least = NEVER;
        for (col, &cost) in row.iter().enumerate() {
            if !taken.contains(&col) {
                taken.push(col);
                least = least.min(cost + slow(costs, taken));
                taken.pop();
            }
        }
        least
    }

    #[test]
    fn the_least_of_all_assignments_is_found() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let rows = 1 + random.below(4);
            let cols = rows + random.below(3);
            let mut cost = || {
                if random.chance(1, 5) {
                    NEVER
                } else {
                    random.below(20) as u32
                }
            };
            let costs: Vec<Vec<u32>> = (0..rows)
                .map(|_| (0..cols).map(|_| cost()).collect())
                .collect();
            let mut assignment = Assignment::default();
            assignment.reset(rows, cols);
            for (row, line) in costs.iter().enumerate() {
                for (col, &cost) in line.iter().enumerate() {
                    assignment.set(row, col, cost);
                }
            }
            assert_eq!(
                assignment.least(),
                slow(&costs, &mut Vec::new()),
                "{costs:?}"
            );
        }
    }
}
