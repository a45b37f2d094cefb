//! The tables of a paper beside ours: for each figure that the paper printed, the same figure of its
//! own model here, and of ours.
//!
//! A table whose rows are solvers has one row of ours for each of its rows and columns, so that the
//! three figures stand side by side. Figures over all levels depend on the levels and on the limit,
//! which the note states.

use super::grid::Grid;
use super::results::{Case, Results};
use super::tables::seconds;
use crate::paper::{Figure, Means, PaperColumn, PaperTable};

/// Each table with its title.
pub fn tables(results: &Results) -> Vec<(String, Grid)> {
    let one = |table: &PaperTable| {
        let title = format!("{}: {}", table.title, table.source);
        (title, grid(results, table))
    };
    results.papers.iter().map(one).collect()
}

fn grid(results: &Results, table: &PaperTable) -> Grid {
    let mut grid = Grid::new(
        4,
        [
            "row",
            "column",
            "paper's model",
            "our model",
            "paper",
            "here",
            "ours",
        ],
    );
    let common = match table.means {
        Means::Own => None,
        Means::Common => Some(answered_by_all(results, &table.all_solvers())),
    };
    for row in table.rows() {
        let levels: Vec<&str> = about(results, table, row.name);
        if levels.is_empty() {
            continue;
        }
        let mut of_means = levels.clone();
        if let Some(common) = &common {
            of_means.retain(|level| common.contains(level));
        }
        for (column, figure) in table.columns.iter().zip(&row.figures) {
            let Some([theirs, ours]) = table.solvers_of(row.name, column) else {
                continue;
            };
            let [their_base, our_base] = table
                .bases_of(row.name, column)
                .unwrap_or_else(|| [theirs.clone(), ours.clone()]);
            let levels = match column.figure.is_mean() {
                true => &of_means,
                false => &levels,
            };
            let value = |solver: &str, base: &str| value(results, column, levels, solver, base);
            grid.rows.push(vec![
                row.name.to_string(),
                column.name.clone(),
                theirs.clone(),
                ours.clone(),
                figure.to_string(),
                value(&theirs, &their_base),
                value(&ours, &our_base),
            ]);
        }
    }
    let levels = match levels(results).len() {
        1 => "1 level".to_string(),
        several => format!("{several} levels"),
    };
    let not_run = table
        .rows()
        .filter(|row| about(results, table, row.name).is_empty())
        .count();
    let missing = match not_run {
        0 => String::new(),
        rows => format!("; {rows} rows of the paper are about levels that were not run"),
    };
    let means = match &common {
        None => String::new(),
        Some(common) => format!(
            "; means over the {} levels that all solvers of this table solved",
            common.len()
        ),
    };
    grid.note = format!(
        "here: {levels}, {} s each{means}; a dash: not run, or no figure{missing}",
        results.limit()
    );
    grid
}

/// The names of all levels.
fn levels(results: &Results) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for case in &results.cases {
        if !names.contains(&case.level.as_str()) {
            names.push(&case.level);
        }
    }
    names
}

/// The levels that each of these solvers has an answer for.
fn answered_by_all<'a>(results: &'a Results, solvers: &[String]) -> Vec<&'a str> {
    let mut names = levels(results);
    for solver in solvers {
        let cases: Vec<&Case> = results.cases_of(solver).collect();
        let answered: Vec<&str> = answered(&cases).map(|case| case.level.as_str()).collect();
        names.retain(|level| answered.contains(level));
    }
    names
}

/// The levels that a row is about.
fn about<'a>(results: &'a Results, table: &PaperTable, row: &str) -> Vec<&'a str> {
    let mut names = levels(results);
    names.retain(|level| table.is_about(row, level));
    names
}

/// Our figure for a cell of the table.
fn value<'a>(
    results: &'a Results,
    column: &PaperColumn,
    levels: &[&str],
    solver: &str,
    base: &str,
) -> String {
    let cases = |solver: &str| -> Vec<&'a Case> {
        let cases = results.cases.iter().filter(|case| case.solver == solver);
        cases
            .filter(|case| levels.contains(&case.level.as_str()))
            .collect()
    };
    let own = cases(solver);
    if own.is_empty() {
        return "-".to_string();
    }
    let solved = |cases: &[&Case]| cases.iter().filter(|case| case.solved()).count() as i64;
    let par2 = |cases: &[&Case]| cases.iter().map(|case| case.par2()).sum::<f64>();
    match column.figure {
        Figure::Solved => format!("{} of {}", solved(&own), own.len()),
        Figure::Par2 => seconds(par2(&own)),
        Figure::SolvedChange | Figure::Par2Change => {
            // Only the levels that both solvers ran.
            let both = |cases: &[&'a Case], others: &[&Case]| -> Vec<&'a Case> {
                let ran = |case: &&Case| others.iter().any(|other| other.level == case.level);
                cases.iter().copied().filter(ran).collect()
            };
            let others = cases(base);
            let (with, without) = (both(&own, &others), both(&others, &own));
            match (with.is_empty(), column.figure) {
                (true, _) => "-".to_string(),
                (_, Figure::SolvedChange) => format!("{:+}", solved(&with) - solved(&without)),
                _ => format!("{:+.2}", par2(&with) - par2(&without)),
            }
        }
        Figure::Found => format!("{} of {}", with_plan(&own).count(), own.len()),
        Figure::MeanCost => mean(
            with_plan(&own)
                .filter_map(|case| case.worst().cost)
                .map(f64::from),
        ),
        Figure::MeanCpu => mean(answered(&own).map(|case| case.cpu())),
        Figure::MeanMemory => {
            let megabytes = |case: &Case| case.memory() as f64 / f64::from(1 << 20);
            mean(answered(&own).map(megabytes))
        }
        Figure::MeanNodes => {
            let nodes: Option<Vec<i64>> =
                answered(&own).map(|case| case.worst().expanded).collect();
            // Some run does not report its nodes.
            let Some(nodes) = nodes else {
                return "-".to_string();
            };
            mean(nodes.into_iter().map(|nodes| nodes as f64))
        }
        Figure::Proof => own
            .iter()
            .map(|case| proof(case))
            .collect::<Vec<_>>()
            .join(" "),
        Figure::Cpu => join(&own, |case| {
            let limit = case.worst().cpu_limit;
            match case.solved() {
                true => seconds(case.cpu()),
                false => format!("> {limit}"),
            }
        }),
        Figure::Memory => join(&own, |case| {
            format!("{:.1}", case.memory() as f64 / f64::from(1 << 20))
        }),
        Figure::Cost => join(&own, |case| {
            case.worst()
                .cost
                .map_or("-".to_string(), |cost| cost.to_string())
        }),
    }
}

/// The cases with a plan that the referee accepted.
fn with_plan<'a>(cases: &'a [&'a Case]) -> impl Iterator<Item = &'a Case> {
    cases.iter().copied().filter(|case| case.worst().checked)
}

/// The cases with a plan, or with a proof that there is none.
fn answered<'a>(cases: &'a [&'a Case]) -> impl Iterator<Item = &'a Case> {
    let answered = |case: &&Case| case.worst().checked || case.solved();
    cases.iter().copied().filter(answered)
}

/// The mean with two decimals; a dash if there is nothing.
fn mean(values: impl Iterator<Item = f64>) -> String {
    let values: Vec<f64> = values.collect();
    match values.len() {
        0 => "-".to_string(),
        count => format!("{:.2}", values.iter().sum::<f64>() / count as f64),
    }
}

fn join(cases: &[&Case], cell: impl Fn(&Case) -> String) -> String {
    let cells: Vec<String> = cases.iter().map(|case| cell(case)).collect();
    cells.join(" ")
}

/// The letter of the Puzznic paper.
fn proof(case: &Case) -> String {
    let letter = match (case.solved(), case.outcome().as_str()) {
        (true, "unsolvable") => "U",
        (true, _) => "Y",
        (false, "memory") => "M",
        (false, _) => "N",
    };
    letter.to_string()
}
