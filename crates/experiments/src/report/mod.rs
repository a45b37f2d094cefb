//! Reports: tables and plots of a database of results, in several formats.
//!
//! ```text
//! records ─► results.rs ─► tables.rs ─► grid.rs ─► text, CSV, LaTeX ─┐
//!                     └──► plots.rs, axis.rs ─► SVG ─────────────────┴─► page.rs (HTML)
//! ```

mod axis;
mod compare;
mod grid;
mod page;
mod paper;
mod plots;
mod results;
mod tables;

use grid::Grid;
pub use results::Results;

use ployglot_io::failure::Failure;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[allow(
    missing_docs,
    reason = "a doc comment would become help text of the command line"
)]
pub enum Format {
    Text,
    Csv,
    Latex,
    Svg,
    Html,
}

impl Format {
    /// The format of a file, by the ending of its name.
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

/// A part of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Levels solved and PAR2 score of each solver, and what each switch changes
    Summary,
    /// As in the CP 2022 paper: each route without switches, and what each switch or rule changes
    Switches,
    /// How many levels of each family each solver solves
    Families,
    /// Every level by every solver
    Levels,
    /// How many levels are solved within which time
    Cactus,
    /// Two solvers, level by level
    Scatter,
    /// The time of each solver by phase: reading, unrolling, encoding, solving
    Phases,
    /// The tables of the paper that the suite is about, with our figures beside them
    Paper,
}

/// What to report.
pub struct ReportOptions {
    /// The format.
    pub format: Format,
    /// The part; `None`: the default part of the format.
    pub part: Option<Part>,
    /// The two solvers of a scatter plot; `None`: the first two.
    pub scatter: Option<(String, String)>,
}

/// The text of the report in its format.
pub fn report(results: &Results, options: &ReportOptions) -> Result<String, Failure> {
    let pair = || results.pair(options.scatter.as_ref());
    let part = options.part.unwrap_or(match options.format {
        Format::Csv => Part::Levels,
        Format::Svg => Part::Cactus,
        Format::Text | Format::Latex | Format::Html => Part::Summary,
    });
    match (options.format, part) {
        (Format::Html, _) => Ok(page::page(results, pair().ok())),
        (Format::Svg, Part::Cactus) => Ok(plots::cactus(results)),
        (Format::Svg, Part::Scatter) => pair().map(|(x, y)| plots::scatter(results, &x, &y)),
        (Format::Svg, _) => Err(Failure::CommandLine(
            "only the parts 'cactus' and 'scatter' can be svg".to_string(),
        )),
        (format, Part::Summary) => Ok(write(&tables::summary(results), format)),
        (format, Part::Switches) => Ok(write(&tables::switches(results), format)),
        (format, Part::Families) => Ok(write(&tables::families(results), format)),
        (format, Part::Levels) => Ok(write(&tables::levels(results), format)),
        (format, Part::Phases) => Ok(write(&tables::phases(results), format)),
        (format, Part::Paper) => {
            let grids = paper::tables(results);
            if grids.is_empty() {
                return Err(Failure::Usage(
                    "the suite of these results has no [[tables]] of a paper".to_string(),
                ));
            }
            let text = |(title, grid): &(String, Grid)| match format {
                Format::Text => format!("{title}\n\n{}", write(grid, format)),
                _ => write(grid, format),
            };
            Ok(grids.iter().map(text).collect::<Vec<_>>().join("\n"))
        }
        (format, Part::Cactus) => Ok(write(&tables::cactus(results), format)),
        (format, Part::Scatter) => {
            pair().map(|(x, y)| write(&tables::scatter(results, &x, &y), format))
        }
    }
}

/// The table of what changed from one set of results to another, changed outcomes first.
pub fn comparison(before: &Results, after: &Results, format: Format) -> Result<String, Failure> {
    let grid = compare::changes(before, after);
    match format {
        Format::Svg => Err(Failure::CommandLine(
            "a comparison cannot be svg; use text, csv, latex or html".to_string(),
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
