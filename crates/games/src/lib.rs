//! The games: rules, texts, pictures, bounds, models, and the referee that judges every plan.
//!
//! A game is one folder, and a type that implements [`Game`]. [`AnyLevel`] reads a level of any
//! game; [`judge`] judges a plan. CONTRIBUTING.md describes how to add a game: copy the folder
//! `template`, declare its module here, and add it to the list `games!` below.

// The games. Each is also in the list `games!` below.
pub mod bombastic;
pub mod lunar_lockout;
pub mod pipe_mania;
pub mod plotting;
pub mod puzzlescript;
pub mod puzznic;

// What they share.
pub mod constraint;
pub mod controls;
pub mod document;
pub mod game;
pub mod generate;
pub mod grid;
pub mod knowledge;
pub mod level;
pub mod listing;
pub mod models;
pub mod param;
pub mod picture;
pub mod plan;
pub mod planning;
pub mod referee;
pub mod rules;
pub mod symmetry;
pub mod template;
pub mod text;
pub mod view;

pub use constraint::{
    ConstraintModel, FROM_ONE, GUESS, Language, Lookup, ModelSwitch, OtherMeasure, Sweep,
    is_of_a_paper,
};
pub use controls::{Controls, gestures};
pub use document::{Document, LevelText};
pub use game::{BuiltinLevel, Game, Lesson};
pub use generate::{FindHardest, Generation, Hardest, Knob, NotGenerated, Spec};
pub use grid::{Grid, Side};
pub use knowledge::{CountPlans, GameSearch, Knowledge, Rule};
pub use level::{Level, Par};
pub use listing::{Exclusion, Listing, NodeBound, Reason};
pub use models::Models;
pub use param::Params;
pub use picture::{Gesture, Pictures};
pub use planning::PlanningModel;
pub use ployglot_base::{
    BadText, Blind, Budget, Effort, Guide, Limit, Outcome, Progress, Random, Report, Space,
    Switches,
};
pub use referee::{Ruling, judge, legal_moves};
pub use rules::{Measure, Refusal, Rules};
pub use symmetry::{Symmetries, canonical_form};
pub use text::{Format, LevelOption, Symbol, Text};
pub use view::{Cell, Ground, Piece, Shape, Sprite, StatusItem, View};

use ployglot_base::text::{unknown, utf8};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The name of the canonical level format, which all games share.
pub const CANONICAL: &str = "level";

/// The one list of games. Everything that depends on the games reads it.
macro_rules! games {
    ($($module:ident :: $game:ident),* $(,)?) => {
        $(pub use $module::$game;)*

        /// A level of any game.
        ///
        /// ```
        /// use ployglot_games::{AnyLevel, Game, Level, LevelVisitor};
        ///
        /// /// The number of moves that are legal at the start.
        /// struct LegalMoves;
        ///
        /// impl LevelVisitor for LegalMoves {
        ///     type Out = usize;
        ///     fn visit<G: Game>(self, level: &Level<G>) -> usize {
        ///         ployglot_games::legal_moves(&level.game, &level.game.start()).len()
        ///     }
        /// }
        ///
        /// let level = AnyLevel::read("game: bombastic\n\n@$.\n")?;
        /// assert_eq!(level.game_name(), "bombastic");
        /// assert_eq!(level.visit(LegalMoves), 1);
        ///
        /// let bad = AnyLevel::read("game: bombstic\n\n@$.\n").unwrap_err();
        /// assert_eq!(bad.message, "unknown game 'bombstic'; did you mean 'bombastic'?");
        /// # Ok::<(), ployglot_games::BadText>(())
        /// ```
        #[derive(Clone, Debug)]
        pub enum AnyLevel {
            $(
                #[doc = concat!("A level of ", stringify!($game), ".")]
                $game(Level<$game>),
            )*
        }

        /// The names of all games.
        pub const NAMES: &[&str] = &[$($game::NAME),*];

        impl AnyLevel {
            /// Calls the visitor with the level.
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
    plotting::Plotting,
    puzznic::Puzznic,
    pipe_mania::PipeMania,
    lunar_lockout::LunarLockout,
    bombastic::Bombastic,
    puzzlescript::PuzzleScript,
}

/// A function on a level that works for every game.
pub trait LevelVisitor {
    /// What the function returns.
    type Out;
    /// The function.
    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out;
}

/// An action that is repeated for every game.
pub trait GameVisitor {
    /// The action for one game.
    fn visit<G: Game>(&mut self);
}

impl AnyLevel {
    /// Reads a level in any known format, recognised by its content.
    pub fn read(text: &str) -> Result<AnyLevel, BadText> {
        document::check_size(text)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !has_game_line(text) {
            return AnyLevel::read_foreign(text).unwrap_or_else(|| Err(unrecognised(text)));
        }
        let document = Document::parse(text)?;
        let entry = document.required("game")?;
        AnyLevel::parse(&entry.value, &document).unwrap_or_else(|| {
            let names = NAMES.iter().copied();
            Err(entry.bad(unknown("game", &entry.value, names)))
        })
    }

    /// Reads a level from bytes, which need not be UTF-8.
    pub fn read_bytes(bytes: &[u8]) -> Result<AnyLevel, BadText> {
        AnyLevel::read(utf8(bytes, "a level")?)
    }

    /// The name of the game.
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

/// Whether the text has a line `game: …` among its first 1000 lines.
fn has_game_line(text: &str) -> bool {
    let header = text.lines().take(1000);
    header.map(str::trim_start).any(|line| {
        line.split_once(':')
            .is_some_and(|(key, _)| key.trim() == "game")
    })
}

/// The error for a text without a `game: …` line that no format recognises.
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
            "this is not a known level format; a level starts with 'game: NAME', where NAME is {}",
            NAMES.join(", ")
        ),
    )
}
