//! The report as a single HTML page without scripts, fonts or other files.

use super::grid::{Grid, escape};
use super::results::Results;
use super::{paper, plots, tables};

const STYLE: &str = "
body { font: 15px/1.5 system-ui, Helvetica, Arial, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
h1, h2 { line-height: 1.2; } h1 { margin-bottom: 0.2em; } h2 { margin-top: 2em; }
.origin { color: #666; margin: 0; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 12px 3px 4px; text-align: left; border-bottom: 1px solid #e4e4e4; }
th { vertical-align: bottom; border-bottom: 2px solid #555; } td { white-space: nowrap; } .figure { text-align: right; }
tbody tr:hover { background: #f4f6f8; }
.share { background: linear-gradient(to left, #009e7340 var(--share), transparent var(--share)); }
.optimal, .unsolvable { color: #00694d; } .time, .memory, .feasible, .limit { color: #8a5a00; }
.error, .signal, .lie, .dispute, .lost { color: #b3261e; font-weight: 600; }
p { max-width: 60em; } svg { max-width: 100%; height: auto; }
";

/// The page with all tables and plots; `pair`: the solvers of the scatter plot.
pub fn page(results: &Results, pair: Option<(String, String)>) -> String {
    let mut titles: Vec<&str> = results
        .origins
        .iter()
        .map(|origin| origin[0].as_str())
        .collect();
    titles.dedup();
    let title = if titles.is_empty() {
        "Results".to_string()
    } else {
        titles.join(", ")
    };
    let mut body = format!("<h1>{}</h1>\n{}", escape(&title), origins(results));
    let mut part = |heading: &str, content: String| {
        body += &format!("<h2>{}</h2>\n{content}", escape(heading))
    };
    part(
        "Solved levels and PAR2 score",
        tables::summary(results).html(),
    );
    part("Levels solved within a time", plots::cactus(results));
    if let Some((x, y)) = pair {
        part(&format!("{x} against {y}"), plots::scatter(results, &x, &y));
    }
    let switches = tables::switches(results);
    if !switches.rows.is_empty() {
        part("What each switch changes", switches.html());
    }
    for (title, grid) in paper::tables(results) {
        part(&title, grid.html());
    }
    let phases = tables::phases(results);
    if !phases.rows.is_empty() {
        part("Time by phase", phases.html());
    }
    part(
        "Families: levels solved of all",
        tables::families(results).html(),
    );
    part("Every level", tables::matrix(results).html());
    document(&title, &body)
}

/// A page with a single table.
pub fn one_table(grid: &Grid, title: &str) -> String {
    document(
        title,
        &format!("<h1>{}</h1>\n{}", escape(title), grid.html()),
    )
}

/// A line for each program and machine that made runs.
fn origins(results: &Results) -> String {
    let one = |[_, program, machine]: &[String; 3]| {
        let machine: serde_json::Value = serde_json::from_str(machine).unwrap_or_default();
        let value = |key: &str| {
            machine[key]
                .as_str()
                .map(str::to_string)
                .unwrap_or_else(|| machine[key].to_string())
        };
        let machine = ["host", "processor", "cores", "memory", "system"]
            .map(|key| format!("{key} {}", value(key)));
        let line = format!("{program}; {}", machine.join(", "));
        format!("<p class=\"origin\">{}</p>\n", escape(&line))
    };
    results.origins.iter().map(one).collect()
}

/// The HTML document around a body.
fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}
