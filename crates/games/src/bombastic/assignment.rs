//! The assignment problem: gives every row a column of its own at the least total cost (Hungarian
//! method by shortest augmenting paths, Jonker and Volgenant 1987). There are few rows, so the
//! plain quadratic scan is the fastest.

/// The cost of a forbidden pair. Small enough that a sum of some does not overflow.
pub(super) const FORBIDDEN: u32 = 1 << 24;

#[derive(Clone, Debug, Default)]
pub(super) struct Assignment {
    rows: usize,
    cols: usize,
    costs: Vec<u32>,
    /// Dual potentials of the rows and columns, numbered from 1.
    row_potential: Vec<i64>,
    col_potential: Vec<i64>,
    /// The row assigned to each column; index 0 holds the row to be assigned next.
    row_of: Vec<usize>,
    /// By column: the least reduced cost of a path to it.
    slack: Vec<i64>,
    /// By column: the previous column on that path.
    from: Vec<usize>,
    /// By column: whether it is in the tree of shortest paths.
    used: Vec<bool>,
}

impl Assignment {
    /// Sets the size, and all costs to `FORBIDDEN`. There must be at least as many columns as rows.
    pub(super) fn reset(&mut self, rows: usize, cols: usize) {
        assert!(rows <= cols, "there are at least as many columns as rows");
        (self.rows, self.cols) = (rows, cols);
        self.costs.clear();
        self.costs.resize(rows * cols, FORBIDDEN);
    }

    pub(super) fn set(&mut self, row: usize, col: usize, cost: u32) {
        self.costs[row * self.cols + col] = cost;
    }

    /// The least total cost; `FORBIDDEN` if every assignment has a forbidden pair.
    pub(super) fn least(&mut self) -> u32 {
        let refill = |list: &mut Vec<i64>, length, value| {
            list.clear();
            list.resize(length, value);
        };
        refill(&mut self.row_potential, self.rows + 1, 0);
        refill(&mut self.col_potential, self.cols + 1, 0);
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
            // Augment: each column on the path takes the row of the previous one.
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
        sum.min(u64::from(FORBIDDEN)) as u32
    }

    /// Extends the tree of shortest paths from `col` by the nearest column, and updates the
    /// potentials.
    fn nearest_column(&mut self, col: usize) -> usize {
        self.used[col] = true;
        let row = self.row_of[col];
        let (mut least, mut nearest) = (i64::MAX, 0);
        for other in (1..=self.cols).filter(|&other| !self.used[other]) {
            let cost = i64::from(self.costs[(row - 1) * self.cols + other - 1]);
            let reduced = cost - self.row_potential[row] - self.col_potential[other];
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
                self.row_potential[self.row_of[other]] += least;
                self.col_potential[other] -= least;
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

    /// Brute force: tries every free column for each row.
    fn brute_force(costs: &[Vec<u32>], taken: &mut Vec<usize>) -> u32 {
        let Some(row) = costs.get(taken.len()) else {
            return 0;
        };
        let mut least = FORBIDDEN;
        for (col, &cost) in row.iter().enumerate() {
            if !taken.contains(&col) {
                taken.push(col);
                least = least.min(cost + brute_force(costs, taken));
                taken.pop();
            }
        }
        least
    }

    #[test]
    fn the_minimum_agrees_with_brute_force() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let rows = 1 + random.below(4);
            let cols = rows + random.below(3);
            let mut cost = || {
                if random.chance(1, 5) {
                    FORBIDDEN
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
                brute_force(&costs, &mut Vec::new()),
                "{costs:?}"
            );
        }
    }
}
