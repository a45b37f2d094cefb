//! The least total cost of giving each row a column of its own: the Hungarian method with potentials,
//! row by row (Kuhn 1955, in the form of Jonker and Volgenant 1987).

/// The least total; `None` where some row can get no column. `costs` has the rows one after the
/// other; `u32::MAX` is not allowed.
pub(super) fn least_total(costs: &[u32], rows: usize, columns: usize) -> Option<u32> {
    if rows > columns {
        return None;
    }
    /// More than any total of allowed costs.
    const FORBIDDEN: i64 = 1 << 40;
    let cost = |row: usize, column: usize| match costs[row * columns + column] {
        u32::MAX => FORBIDDEN,
        cost => i64::from(cost),
    };
    // Rows and columns count from 1; 0 is a column for the row that is being added.
    let mut row_potential = vec![0i64; rows + 1];
    let mut column_potential = vec![0i64; columns + 1];
    let mut row_of = vec![0usize; columns + 1];
    let mut before = vec![0usize; columns + 1];
    let mut least = vec![i64::MAX; columns + 1];
    let mut used = vec![false; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        least.fill(i64::MAX);
        used.fill(false);
        while row_of[column] != 0 {
            used[column] = true;
            let current = row_of[column];
            let (mut delta, mut next) = (i64::MAX, 0);
            for other in 1..=columns {
                if used[other] {
                    continue;
                }
                let reduced =
                    cost(current - 1, other - 1) - row_potential[current] - column_potential[other];
                if reduced < least[other] {
                    least[other] = reduced;
                    before[other] = column;
                }
                if least[other] < delta {
                    delta = least[other];
                    next = other;
                }
            }
            for other in 0..=columns {
                if used[other] {
                    row_potential[row_of[other]] += delta;
                    column_potential[other] -= delta;
                } else if least[other] != i64::MAX {
                    least[other] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let assigned = (1..=columns).filter(|&column| row_of[column] != 0);
    let total: i64 = assigned
        .map(|column| cost(row_of[column] - 1, column - 1))
        .sum();
    (total < FORBIDDEN).then_some(total as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Random;

    /// All ways to give each row a column of its own.
    fn by_trying(costs: &[u32], columns: usize, row: usize, taken: &mut Vec<usize>) -> Option<u32> {
        if row * columns == costs.len() {
            return Some(0);
        }
        let mut best = None;
        for column in 0..columns {
            let cost = costs[row * columns + column];
            if cost == u32::MAX || taken.contains(&column) {
                continue;
            }
            taken.push(column);
            let rest = by_trying(costs, columns, row + 1, taken);
            taken.pop();
            if let Some(rest) = rest {
                best = Some(best.map_or(rest + cost, |best: u32| best.min(rest + cost)));
            }
        }
        best
    }

    #[test]
    fn the_total_is_the_least_of_all() {
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let (rows, columns) = (1 + random.below(4), 1 + random.below(5));
            let cost = |_| match random.below(4) {
                0 => u32::MAX,
                _ => random.below(20) as u32,
            };
            let costs: Vec<u32> = (0..rows * columns).map(cost).collect();
            let slow = by_trying(&costs, columns, 0, &mut Vec::new());
            assert_eq!(least_total(&costs, rows, columns), slow, "{costs:?} {rows}");
        }
    }
}
