//! What the terminal can show, and boards that fit it.
//!
//! `anstream` removes colours where they are not wanted (`NO_COLOR`, a pipe). Characters beyond
//! ASCII are used only on a terminal, and not where its locale excludes them.

use std::io::IsTerminal;

use ployglot_games::View;

use ployglot_pictures::terminal::{self, Look, Size, Window};

/// The largest number of rows, and of columns, of a board that are printed.
const MOST_CELLS: usize = 100;

/// Whether characters beyond ASCII may be used on standard output.
pub fn unicode() -> bool {
    std::io::stdout().is_terminal() && locale_is_unicode()
}

/// Whether the locale allows characters beyond ASCII.
pub fn locale_is_unicode() -> bool {
    allows_unicode(|name| std::env::var(name).ok())
}

/// The first of the locale's variables that is set decides; where none is set, Unicode is assumed.
fn allows_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    if matches!(variable("TERM").as_deref(), Some("dumb" | "linux")) {
        return false;
    }
    let set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find(|name| set(name));
    let locale = locale.and_then(|name| variable(name));
    locale.is_none_or(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

/// Columns and lines of the terminal at standard output; `None` where there is no terminal, or its
/// size is not known.
pub fn size() -> Option<(usize, usize)> {
    let (width, height) = std::io::stdout()
        .is_terminal()
        .then(|| crossterm::terminal::size().ok())??;
    (width > 0 && height > 0).then_some((usize::from(width), usize::from(height)))
}

/// A board as text for standard output, cut to what fits.
pub fn board(view: &View) -> String {
    let width = size().map(|(width, _)| width);
    fitted(view, unicode(), width)
}

fn fitted(view: &View, unicode: bool, width: Option<usize>) -> String {
    let (rows, cols) = (view.cells.rows(), view.cells.cols());
    let fit = width.map_or(cols, |width| {
        terminal::cells_within(view, Size::Small, width, usize::MAX).1
    });
    let window = Window {
        rows: rows.min(MOST_CELLS),
        cols: cols.min(MOST_CELLS).min(fit.max(5)),
        ..Window::ALL
    };
    let look = Look {
        unicode,
        window,
        ..Look::PLAIN
    };
    let mut text = terminal::draw(view, look).ansi();
    if window.rows < rows || window.cols < cols {
        text.push_str(&format!(
            "(the board has {rows} rows and {cols} columns; the first {} and {} are shown)\n",
            window.rows, window.cols
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_whether_unicode_is_used() {
        let allows = |locale: &[(&str, &str)]| {
            allows_unicode(|name| {
                let found = locale.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        assert!(allows(&[]));
        assert!(allows(&[("LANG", "de_DE.UTF-8")]));
        assert!(!allows(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!allows(&[("TERM", "dumb"), ("LANG", "de_DE.UTF-8")]));
    }

    #[test]
    fn a_huge_board_is_cut_with_a_note() {
        let text = fitted(&View::new(1000, 1000), false, None);
        assert!(
            text.contains("1000 rows and 1000 columns; the first 100 and 100"),
            "{text}"
        );
        assert!(text.lines().count() < 110 && text.len() < 60_000);
        let narrow = fitted(&View::new(2, 40), false, Some(32));
        assert!(narrow.contains("the first 2 and 10"), "{narrow}");
        let plain = anstream::adapter::strip_str(&narrow).to_string();
        assert!(plain.lines().take(3).all(|line| line.chars().count() <= 32));
        assert!(!fitted(&View::new(2, 10), false, Some(80)).contains("shown"));
    }
}
