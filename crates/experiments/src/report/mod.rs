//! Reports: what a database of results says, as tables and plots, in whichever format is asked for.
//!
//! ```text
//! records ─► results.rs (cases: a level by a solver) ─► tables.rs ─► grid.rs ─► text, CSV, LaTeX ─┐
//!                                                  └─► plots.rs, axis.rs ─► SVG ──────────────────┴─► page.rs (HTML)
//! ```

mod axis;
mod compare;
mod grid;
mod page;
mod plots;
mod results;
mod tables;

use grid::Grid;
pub use results::Results;

use ployglot_io::failure::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Csv,
    Latex,
    Svg,
    Html,
}

impl Format {
    /// The format that a file of this name has.
    pub fn of_file(name: &str) -> Option<Format> {
        match name.rsplit_once('.')?.1 {
            "txt" => Some(Format::Text),
            "csv" => Some(Format::Csv),
            "tex" => Some(Format::Latex),
            "svg" => Some(Format::Svg),
            "html" => Some(Format::Html),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Levels solved and PAR2 score of each solver, and what each switch changes
    Summary,
    /// The papers' table: each route as it is, and what each switch of a model or a rule changes
    Switches,
    /// How many levels of each family each solver solves
    Families,
    /// Every level by every solver
    Levels,
    /// How many levels are solved within which time
    Cactus,
    /// Two solvers, level by level
    Scatter,
}

pub struct Wanted {
    pub format: Format,
    /// `None`: what the format is best for.
    pub part: Option<Part>,
    pub scatter: Option<(String, String)>,
}

/// The report as text of the format.
pub fn report(results: &Results, wanted: &Wanted) -> Result<String, Failure> {
    let pair = || results.pair(wanted.scatter.as_ref());
    let part = wanted.part.unwrap_or(match wanted.format {
        Format::Csv => Part::Levels,
        Format::Svg => Part::Cactus,
        Format::Text | Format::Latex | Format::Html => Part::Summary,
    });
    match (wanted.format, part) {
        (Format::Html, _) => Ok(page::page(results, pair().ok())),
        (Format::Svg, Part::Cactus) => Ok(plots::cactus(results)),
        (Format::Svg, Part::Scatter) => pair().map(|(x, y)| plots::scatter(results, &x, &y)),
        (Format::Svg, _) => Err(Failure::CommandLine(
            "of the parts, 'cactus' and 'scatter' are pictures".to_string(),
        )),
        (format, Part::Summary) => Ok(write(&tables::summary(results), format)),
        (format, Part::Switches) => Ok(write(&tables::switches(results), format)),
        (format, Part::Families) => Ok(write(&tables::families(results), format)),
        (format, Part::Levels) => Ok(write(&tables::levels(results), format)),
        (format, Part::Cactus) => Ok(write(&tables::cactus(results), format)),
        (format, Part::Scatter) => {
            pair().map(|(x, y)| write(&tables::scatter(results, &x, &y), format))
        }
    }
}

/// What changed from one set of results to another, changed outcomes first.
pub fn comparison(before: &Results, after: &Results, format: Format) -> Result<String, Failure> {
    let grid = compare::changes(before, after);
    match format {
        Format::Svg => Err(Failure::CommandLine(
            "a comparison is no picture; take text, csv, latex or html".to_string(),
        )),
        Format::Html => Ok(page::one_table(&grid, "What changed")),
        format => Ok(write(&grid, format)),
    }
}

fn write(grid: &Grid, format: Format) -> String {
    match format {
        Format::Csv => grid.csv(),
        Format::Latex => grid.latex(),
        _ => grid.text(),
    }
}
