//! What a game is to the other crates.
//!
//! A value of a game is one level. Each part of a game is a trait, implemented in its own file of
//! the game's folder:
//!
//! | trait | file | what it adds |
//! |---|---|---|
//! | `Space` | `rules.rs` or `fast.rs` | what is searched: states, moves, the fast rules |
//! | [`Rules`] | `rules.rs` | the slow rules, for the referee |
//! | [`Text`] | `text.rs` | levels and moves as text |
//! | [`Knowledge`] | `bound.rs` | bounds and pruning for searches |
//! | [`Listing`] | `listing.rs` | what a certificate lists, by the slow rules |
//! | [`Pictures`] | `picture.rs` | the board as a picture, and gestures |
//! | [`Generation`] | `generate.rs` | random levels |
//! | [`Models`] | `mod.rs` | models in PDDL and Essence Prime |
//! | [`Game`] | `mod.rs` | the name, the built-in levels, the README |
//!
//! Code that is generic over `G: Game` can use the items of all of them.

use crate::generate::Generation;
use crate::knowledge::Knowledge;
use crate::listing::Listing;
use crate::models::Models;
use crate::picture::Pictures;
use crate::rules::Rules;
use crate::text::Text;

/// A game: all its parts, its name, and what comes with it.
///
/// ```
/// use ployglot_games::*;
///
/// // Read a level: the avatar '@' pushes the block '$' onto the goal '.'.
/// let document = Document::parse("game: bombastic\n\n@$-.\n")?;
/// let level = Bombastic::parse(&document)?;
///
/// // Play a move.
/// let start = level.start();
/// let right = level.parse_move(&start, "right")?;
/// let next = level.play(&start, right).expect("a legal move");
/// assert_eq!(level.write(&next).rows, ["-@$."]);
///
/// // Judge plans.
/// let ruling = judge(&level, "steps", &[right, right]);
/// assert!(matches!(ruling, Ruling::Accepted { cost: 2, .. }));
/// let ruling = judge(&level, "steps", &[right]);
/// assert!(matches!(ruling, Ruling::Missed { .. }));
/// # Ok::<(), BadText>(())
/// ```
pub trait Game: Rules + Text + Knowledge + Listing + Pictures + Generation + Models {
    /// The name, as in `game: NAME` and on the command line.
    const NAME: &'static str;
    /// The rules for people, in Markdown.
    const README: &'static str;
    /// The built-in levels, easiest first.
    const LEVELS: &'static [BuiltinLevel];
    /// Small boards that teach the rules, one rule each.
    const LESSONS: &'static [Lesson] = &[];
}

/// A level that comes with the program. Its optimum is in its own text (`par: 7`).
#[derive(Clone, Copy, Debug)]
pub struct BuiltinLevel {
    /// The name, as in `GAME/NAME`.
    pub name: &'static str,
    /// The level text.
    pub text: &'static str,
}

/// A small board that teaches one rule.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// The rule, as a title.
    pub title: &'static str,
    /// What to try and what will happen.
    pub text: &'static str,
    /// The level text.
    pub level: &'static str,
    /// A shortest plan, one move per item.
    pub plan: &'static [&'static str],
    /// Moves that are illegal at the start, each with a part of the refusal.
    pub refused: &'static [(&'static str, &'static str)],
}

/// The built-in levels of a game, from the files in its folder `levels`.
#[macro_export]
macro_rules! levels {
    ($($name:literal),* $(,)?) => {
        &[$($crate::game::BuiltinLevel { name: $name, text: include_str!(concat!("levels/", $name, ".level")) }),*]
    };
}
