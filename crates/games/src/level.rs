//! A level together with the header that its author wrote: title, author, par, comments.

use ployglot_base::BadText;

use crate::document::{COMMON_KEYS, Document, Entry, HeaderLine};
use crate::game::Game;

/// A level of one game with its header. It prints exactly as it was parsed.
///
/// ```
/// use ployglot_games::{Bombastic, Document, Level, Par};
///
/// let text = "game: bombastic\ntitle: One push\npar: 1\n\n@$.\n";
/// let level = Level::<Bombastic>::parse(&Document::parse(text)?)?;
/// assert_eq!(level.title(), Some("One push"));
/// assert_eq!(level.par("steps"), Some(Par::Cost(1)));
/// assert_eq!(level.print(), text);
/// # Ok::<(), ployglot_games::BadText>(())
/// ```
#[derive(Clone, Debug)]
pub struct Level<G: Game> {
    /// Every line above the board, options included.
    header: Vec<HeaderLine>,
    /// Comments and blank lines below the board.
    footer: Vec<String>,
    /// The level without its header.
    pub game: G,
}

/// The cost of the best plans, as the author claims it: `par: 7`, `par: unsolvable`,
/// `par: 12 pieces, 15 pieces+rotations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Par {
    /// The cost.
    Cost(u32),
    /// There is no plan.
    Unsolvable,
}

impl<G: Game> Level<G> {
    /// Reads a level; the par, if there is one, must be readable too.
    pub fn parse(document: &Document) -> Result<Self, BadText> {
        let game = G::parse(document)?;
        let level = Self {
            header: document.header.clone(),
            footer: document.footer.clone(),
            game,
        };
        for measure in G::MEASURES {
            level.read_par(measure.name)?;
        }
        Ok(level)
    }

    /// A level without an author's header, such as a generated one.
    pub fn bare(game: G) -> Self {
        let mut header = vec![entry("game", G::NAME)];
        let text = game.write(&game.start());
        header.extend(text.options.iter().map(|(key, value)| entry(key, value)));
        header.push(HeaderLine::Plain(String::new()));
        Self {
            header,
            footer: Vec::new(),
            game,
        }
    }

    /// The title.
    pub fn title(&self) -> Option<&str> {
        self.common("title")
    }

    /// The value of one of the `COMMON_KEYS` in the header.
    pub fn common(&self, key: &str) -> Option<&str> {
        self.entries()
            .find(|entry| entry.key == key)
            .map(|entry| entry.value.as_str())
    }

    /// The par that the text claims for a measure.
    pub fn par(&self, measure: &str) -> Option<Par> {
        self.read_par(measure).expect("checked by parse")
    }

    /// The text of the level, exactly as it was parsed.
    pub fn print(&self) -> String {
        let text = self.game.write(&self.game.start());
        self.lines(
            self.header.iter().map(HeaderLine::print).collect(),
            text.rows,
        )
    }

    /// The text of the level that starts in this state. It has no par and no difficulty, because
    /// those hold for the original start.
    pub fn print_at(&self, state: &G::State) -> String {
        let text = self.game.write(state);
        let mut lines: Vec<String> = Vec::new();
        for line in &self.header {
            match line {
                HeaderLine::Entry(entry) if !COMMON_KEYS.contains(&entry.key.as_str()) => {}
                HeaderLine::Entry(entry) if entry.key == "par" || entry.key == "difficulty" => {}
                kept => lines.push(kept.print()),
            }
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines.extend(
            text.options
                .iter()
                .map(|(key, value)| entry(key, value).print()),
        );
        lines.push(String::new());
        self.lines(lines, text.rows)
    }

    fn lines(&self, header: Vec<String>, rows: Vec<String>) -> String {
        let mut text = String::new();
        for line in header.iter().chain(&rows).chain(&self.footer) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.header.iter().filter_map(|line| match line {
            HeaderLine::Entry(entry) => Some(entry),
            HeaderLine::Plain(_) => None,
        })
    }

    fn read_par(&self, measure: &str) -> Result<Option<Par>, BadText> {
        let Some(entry) = self.entries().find(|entry| entry.key == "par") else {
            return Ok(None);
        };
        let bad = || {
            let names: Vec<_> = G::MEASURES.iter().map(|measure| measure.name).collect();
            entry.bad(format!(
                "par is 'unsolvable', or a number, or numbers with their measures ({}), found '{}'",
                names.join(", "),
                entry.value
            ))
        };
        if entry.value == "unsolvable" {
            return Ok(Some(Par::Unsolvable));
        }
        let mut found = None;
        for part in entry.value.split(',') {
            let mut words = part.split_whitespace();
            let cost = words
                .next()
                .and_then(|word| word.parse().ok())
                .ok_or_else(bad)?;
            let named = words.next().unwrap_or(G::MEASURES[0].name);
            if words.next().is_some() || G::MEASURES.iter().all(|measure| measure.name != named) {
                return Err(bad());
            }
            if named == measure {
                found = Some(Par::Cost(cost));
            }
        }
        Ok(found)
    }
}

fn entry(key: &str, value: &str) -> HeaderLine {
    HeaderLine::Entry(Entry {
        key: key.to_string(),
        value: value.to_string(),
        line: 0,
        key_column: 0,
        value_column: 0,
    })
}
