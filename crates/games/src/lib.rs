//! The games: their rules, their texts, their pictures, and the referee.
//!
//! A game is one folder. It is added by copying `template` and naming it below: its module, its type
//! and its place in the list `games!`.

// The games.
pub mod bombastic;
pub mod lunar_lockout;
pub mod pipe_mania;
pub mod plotting;
pub mod puzznic;

pub use bombastic::Bombastic;
pub use lunar_lockout::LunarLockout;
pub use pipe_mania::PipeMania;
pub use plotting::Plotting;
pub use puzznic::Puzznic;

// What they share.
pub mod constraint;
pub mod document;
pub mod game;
pub mod generate;
pub mod grid;
pub mod knowledge;
pub mod level;
pub mod likeness;
pub mod models;
pub mod param;
pub mod picture;
pub mod plan;
pub mod planning;
pub mod referee;
pub mod rules;
pub mod template;
pub mod text;
pub mod view;

pub use constraint::{ConstraintModel, GUESS, Lookup, ModelSwitch};
pub use document::{Document, Sheet};
pub use game::{Builtin, Game};
pub use generate::{FindHardest, Generation, Hardest, Knob, Spec};
pub use grid::{Grid, Side};
pub use knowledge::{CountPlans, Knowledge, OwnSearch, Rule};
pub use level::{Level, Par};
pub use likeness::{Likeness, likeness};
pub use models::Models;
pub use param::Params;
pub use picture::{Grip, Pictures};
pub use planning::PlanningModel;
pub use ployglot_base::{
    BadText, Blind, Budget, Effort, Guide, Limit, Outcome, Progress, Random, Report, Space,
    Switches,
};
pub use referee::{Ruling, judge, legal_moves};
pub use rules::{Measure, Refusal, Rules};
pub use text::{Format, LevelOption, Paint, Text};
pub use view::{Aside, Cell, Ground, Piece, Shape, View};

/// The name of the format that all games share.
pub const CANONICAL: &str = "level";

/// The one list of games. Everything that can be chosen by a game's name reads it.
macro_rules! games {
    ($($game:ident),* $(,)?) => {
        /// A level of any game.
        #[derive(Clone, Debug)]
        pub enum AnyLevel {
            $($game(Level<$game>)),*
        }

        /// The names of all games.
        pub const NAMES: &[&str] = &[$($game::NAME),*];

        impl AnyLevel {
            /// Calls the visitor with the level of whichever game it is.
            pub fn visit<V: LevelVisitor>(&self, visitor: V) -> V::Out {
                match self {
                    $(AnyLevel::$game(level) => visitor.visit(level)),*
                }
            }

            fn parse(name: &str, document: &Document) -> Option<Result<AnyLevel, BadText>> {
                $(if name == $game::NAME {
                    return Some(Level::parse(document).map(AnyLevel::$game));
                })*
                None
            }

            fn read_foreign(text: &str) -> Option<Result<AnyLevel, BadText>> {
                $(if let Some(format) = $game::FORMATS.iter().find(|format| (format.recognise)(text)) {
                    return Some((format.read)(text).map(|game| AnyLevel::$game(Level::bare(game))));
                })*
                None
            }
        }

        /// Calls the visitor once for each game, in the order of the list.
        pub fn visit_games(visitor: &mut impl GameVisitor) {
            $(visitor.visit::<$game>();)*
        }
    };
}

games! {
    Plotting,
    Puzznic,
    PipeMania,
    LunarLockout,
    Bombastic,
}

/// Something to do with one level, whatever its game.
pub trait LevelVisitor {
    type Out;
    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out;
}

/// Something to do with every game.
pub trait GameVisitor {
    fn visit<G: Game>(&mut self);
}

impl AnyLevel {
    /// Reads a level in any known format, recognised by its content.
    pub fn read(text: &str) -> Result<AnyLevel, BadText> {
        document::check_size(text)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !says_game(text) {
            return AnyLevel::read_foreign(text).unwrap_or_else(|| Err(unrecognised(text)));
        }
        let document = Document::parse(text)?;
        let entry = document.required("game")?;
        AnyLevel::parse(&entry.value, &document).unwrap_or_else(|| {
            let names = NAMES.iter().copied();
            let hint = match ployglot_base::text::nearest(&entry.value, names) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("known are {}", NAMES.join(", ")),
            };
            Err(entry.bad(format!("unknown game '{}'; {hint}", entry.value)))
        })
    }

    /// Reads bytes from a stranger: they need not even be text.
    pub fn read_bytes(bytes: &[u8]) -> Result<AnyLevel, BadText> {
        match std::str::from_utf8(bytes) {
            Ok(text) => AnyLevel::read(text),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let line = valid.matches('\n').count() + 1;
                let column = valid
                    .rsplit('\n')
                    .next()
                    .map_or(0, |rest| rest.chars().count())
                    + 1;
                let byte = bytes[error.valid_up_to()];
                Err(BadText::new(
                    line,
                    column,
                    format!("a level is UTF-8 text, found the byte 0x{byte:02x}"),
                ))
            }
        }
    }

    /// The name of its game.
    pub fn game_name(&self) -> &'static str {
        struct Name;
        impl LevelVisitor for Name {
            type Out = &'static str;
            fn visit<G: Game>(self, _level: &Level<G>) -> &'static str {
                G::NAME
            }
        }
        self.visit(Name)
    }
}

/// Whether the text has a header line `game: …` above its board.
fn says_game(text: &str) -> bool {
    let header = text.lines().take(1000);
    header.map(str::trim_start).any(|line| {
        line.split_once(':')
            .is_some_and(|(key, _)| key.trim() == "game")
    })
}

fn unrecognised(text: &str) -> BadText {
    if text.trim().is_empty() {
        return BadText::new(
            1,
            1,
            "the level is empty; its first line should be 'game: NAME'",
        );
    }
    let line = text
        .lines()
        .position(|line| !line.trim().is_empty())
        .unwrap_or(0)
        + 1;
    BadText::new(
        line,
        1,
        format!(
            "this is no level format that is known; a level starts with 'game: NAME', where NAME is {}",
            NAMES.join(", ")
        ),
    )
}
