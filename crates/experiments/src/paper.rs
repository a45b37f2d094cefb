//! A table of a paper as data in a suite file: what the paper printed, and which of our solvers
//! stand beside each figure. `docs/formats.md` describes it; `report/paper.rs` prints it.
//!
//! ```toml
//! [[tables]]
//! title = "Table 1"
//! source = "where the figures are from"
//! columns = [
//!     { name = "solved", figure = "solved" },
//!     { name = "solved, de", figure = "solved-change", insert = "+dead-end" },
//! ]
//! rows = """
//! SAT+A | 176 | 0
//! """
//! [tables.solvers]
//! "SAT+A" = ["eprime:paper-5.3{}:sat", "eprime:action{}:sat"]
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

/// A table of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// As the paper calls it: `Table 1`.
    pub title: String,
    /// Where it is from, and under which limits it was measured.
    pub source: String,
    /// The columns, without the one that names the rows.
    pub columns: Vec<PaperColumn>,
    /// One row a line: its name, then the figures, with `|` between them.
    pub rows: String,
    /// The solvers of a row: the paper's own model here, and ours. `{}` is where a column inserts
    /// its switch.
    #[serde(default)]
    pub solvers: BTreeMap<String, [String; 2]>,
    /// The name of a row names a level: the stem of its file or its whole name, with `{}` for the
    /// name of the row. Without it, figures are over all levels.
    pub level: Option<String>,
    /// The levels that means are over.
    #[serde(default)]
    pub means: Means,
}

/// The levels that the means of a table are over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    /// For each solver, the levels that it has an answer for.
    #[default]
    Own,
    /// The levels that all solvers of the table have an answer for, so that all means are over the
    /// same levels.
    Common,
}

/// A column of a paper's table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperColumn {
    /// The heading in the paper.
    pub name: String,
    /// What it shows.
    pub figure: Figure,
    /// What is put in the place of `{}` in the names of the row's solvers.
    #[serde(default)]
    pub insert: String,
    /// The solvers of the column, where the rows are levels.
    pub solvers: Option<[String; 2]>,
}

/// What a figure of a paper shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Levels solved.
    Solved,
    /// Levels solved, less those without the switch.
    SolvedChange,
    /// The PAR2 score in seconds.
    Par2,
    /// The PAR2 score, less the one without the switch.
    Par2Change,
    /// `Y`: optimal, `U`: unsolvable, `N`: neither, `M`: out of memory.
    Proof,
    /// CPU seconds.
    Cpu,
    /// Megabytes.
    Memory,
    /// The cost of the plan.
    Cost,
    /// Levels with a plan.
    Found,
    /// The mean cost of the plans.
    MeanCost,
    /// The mean CPU seconds of the levels with an answer: a plan, or a proof that there is none.
    MeanCpu,
    /// The mean memory of the same levels, in megabytes.
    MeanMemory,
    /// The mean number of search nodes of the same levels: decisions of a constraint solver, expanded
    /// states of a search.
    MeanNodes,
}

impl Figure {
    /// Whether it is a mean over levels with a plan or an answer.
    pub fn is_mean(self) -> bool {
        matches!(
            self,
            Figure::MeanCost | Figure::MeanCpu | Figure::MeanMemory | Figure::MeanNodes
        )
    }
}

/// A row of a table: its name, and the figures.
pub struct PaperRow<'a> {
    /// The name in the first column.
    pub name: &'a str,
    /// The figures, as the paper prints them.
    pub figures: Vec<&'a str>,
}

impl PaperTable {
    /// The rows of the table.
    pub fn rows(&self) -> impl Iterator<Item = PaperRow<'_>> {
        let lines = self.rows.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty());
        lines.map(|line| {
            let mut cells = line.split('|').map(str::trim);
            PaperRow {
                name: cells.next().unwrap_or(""),
                figures: cells.collect(),
            }
        })
    }

    /// The two solvers of a figure: the paper's own model here, and ours.
    pub fn solvers_of(&self, row: &str, column: &PaperColumn) -> Option<[String; 2]> {
        let names = column.solvers.as_ref().or_else(|| self.solvers.get(row))?;
        Some(names.clone().map(|name| name.replace("{}", &column.insert)))
    }

    /// The same solvers without the column's switch, for differences.
    pub fn bases_of(&self, row: &str, column: &PaperColumn) -> Option<[String; 2]> {
        let names = column.solvers.as_ref().or_else(|| self.solvers.get(row))?;
        Some(names.clone().map(|name| name.replace("{}", "")))
    }

    /// All solvers of the table, each once.
    pub fn all_solvers(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for row in self.rows() {
            let columns = self.columns.iter();
            for name in
                columns.flat_map(|column| self.solvers_of(row.name, column).into_iter().flatten())
            {
                if !all.contains(&name) {
                    all.push(name);
                }
            }
        }
        all
    }

    /// Whether a row of this name is about this level.
    pub fn is_about(&self, row: &str, level: &str) -> bool {
        let Some(pattern) = &self.level else {
            return true;
        };
        let wanted = pattern.replace("{}", row);
        let file = level.rsplit('/').next().unwrap_or(level);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        [level, file, stem].contains(&wanted.as_str())
    }

    /// Checks what the types do not express.
    pub fn check(&self) -> Result<(), String> {
        let title = &self.title;
        for row in self.rows() {
            if row.figures.len() != self.columns.len() {
                return Err(format!(
                    "{title}: the row '{}' has {} figures, and the table has {} columns",
                    row.name,
                    row.figures.len(),
                    self.columns.len()
                ));
            }
            let without = |column: &&PaperColumn| self.solvers_of(row.name, column).is_none();
            if let Some(column) = self.columns.iter().find(without) {
                return Err(format!(
                    "{title}: no solvers are given for the row '{}' or the column '{}'",
                    row.name, column.name
                ));
            }
        }
        Ok(())
    }
}
