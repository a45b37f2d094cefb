//! A table, and its formats: plain text, CSV, LaTeX, HTML.

use comfy_table::{CellAlignment, Table, presets};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, as long as the header.
    pub rows: Vec<Vec<String>>,
    /// The number of columns at the left that are text; the others are numbers, aligned right.
    pub text_columns: usize,
    /// The last column is text as well.
    pub last_column_is_text: bool,
    /// A sentence below the table, in text and HTML.
    pub note: String,
}

impl Grid {
    /// An empty table.
    pub fn new<S: Into<String>>(text_columns: usize, header: impl IntoIterator<Item = S>) -> Grid {
        Grid {
            text_columns,
            header: header.into_iter().map(Into::into).collect(),
            ..Grid::default()
        }
    }

    fn is_number(&self, column: usize) -> bool {
        column >= self.text_columns
            && !(self.last_column_is_text && column + 1 == self.header.len())
    }

    /// Plain text in aligned columns.
    pub fn text(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(self.header.iter().map(|name| name.to_uppercase()));
        for row in &self.rows {
            table.add_row(row);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if self.is_number(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let table: String = table
            .trim_fmt()
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect();
        if self.note.is_empty() {
            table
        } else {
            format!("{table}\n{}\n", self.note)
        }
    }

    /// Comma-separated values.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            writer
                .write_record(row)
                .expect("rows are as long as the header, and writing to memory succeeds");
        }
        let bytes = writer.into_inner().expect("writing to memory succeeds");
        String::from_utf8(bytes).expect("cells are UTF-8")
    }

    /// A `tabular` with the rules of the booktabs package.
    pub fn latex(&self) -> String {
        let columns: String = (0..self.header.len())
            .map(|index| if self.is_number(index) { 'r' } else { 'l' })
            .collect();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(|cell| latex(cell)).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        let rows: String = self.rows.iter().map(line).collect();
        format!(
            "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n",
            line(&self.header)
        )
    }

    /// An HTML table. A cell that begins with an outcome gets that as its class, for its colour; a
    /// cell such as `3/4` gets a bar.
    pub fn html(&self) -> String {
        let class = |index: usize, cell: &str, tag: &str| {
            let mut classes = Vec::new();
            if self.is_number(index) {
                classes.push("figure");
            }
            let word = cell.split(' ').next().unwrap_or("");
            if let Some(known) = COLOURED.iter().find(|known| tag == "td" && **known == word) {
                classes.push(known);
            }
            let share = share(cell).map(|share| format!(" style=\"--share: {share:.0}%\""));
            if share.is_some() {
                classes.push("share");
            }
            match classes.is_empty() {
                true => String::new(),
                false => format!(
                    " class=\"{}\"{}",
                    classes.join(" "),
                    share.unwrap_or_default()
                ),
            }
        };
        let row = |row: &Vec<String>, tag: &str| {
            let cells = row.iter().enumerate();
            let cells: String = cells
                .map(|(index, cell)| {
                    format!("<{tag}{}>{}</{tag}>", class(index, cell, tag), escape(cell))
                })
                .collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(|cells| row(cells, "td")).collect();
        let note = if self.note.is_empty() {
            String::new()
        } else {
            format!("<p>{}</p>\n", escape(&self.note))
        };
        format!(
            "<div class=\"wide\"><table>\n<thead>{}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n{note}",
            row(&self.header, "th").trim_end()
        )
    }
}

/// The percentage of a cell such as `3/4`: 75.
fn share(cell: &str) -> Option<f64> {
    let (part, whole) = cell.split_once('/')?;
    let (part, whole): (u32, u32) = (part.parse().ok()?, whole.parse().ok()?);
    (whole > 0).then(|| 100.0 * f64::from(part) / f64::from(whole))
}

/// Outcomes with a colour of their own.
const COLOURED: [&str; 11] = [
    "optimal",
    "unsolvable",
    "feasible",
    "limit",
    "time",
    "memory",
    "error",
    "signal",
    "lie",
    "dispute",
    "lost",
];

/// Text escaped for HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Text escaped for LaTeX.
fn latex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '×' => out.push_str("$\\times$"),
            'Δ' => out.push_str("$\\Delta$"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(1, ["solver", "solved"]);
        grid.rows
            .push(vec!["a_b, \"c\" <d>".to_string(), "12".to_string()]);
        grid
    }

    #[test]
    fn each_format_escapes_special_characters() {
        assert_eq!(grid().csv(), "solver,solved\n\"a_b, \"\"c\"\" <d>\",12\n");
        assert!(grid().latex().contains("a\\_b, \"c\" <d> & 12 \\\\"));
        assert!(
            grid()
                .html()
                .contains("<td>a_b, &quot;c&quot; &lt;d&gt;</td><td class=\"figure\">12</td>")
        );
        assert_eq!(
            grid().text(),
            "SOLVER        SOLVED\na_b, \"c\" <d>      12\n"
        );
    }
}
