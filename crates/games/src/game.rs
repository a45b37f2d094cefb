//! What a game is to the rest of the house.
//!
//! A value of a game is one level. What crosses to people and files is text; what crosses to searches is
//! `Space`; what crosses to pictures is `View`. The rules stand twice: `play` says them as the prose has
//! them, slow and obvious, and is what the referee uses; `Space::moves` and `Space::apply` are fast, and
//! the laws (`tests/laws.rs`) hold them to `play` for good.

use ployglot_base::{BadText, Budget, Guide, Random, Report, Space, Switches};

use crate::constraint::ConstraintModel;
use crate::document::{Document, Sheet};
use crate::grid::Side;
use crate::likeness::Likeness;
use crate::planning::PlanningModel;
use crate::view::View;

pub trait Game: Space + Sized + Clone + std::fmt::Debug + Send + 'static {
    /// As in `game: NAME` and on the command line.
    const NAME: &'static str;
    /// The first is the default.
    const MEASURES: &'static [Measure];
    /// Formats from the wild, beside the canonical one.
    const FORMATS: &'static [Format<Self>];
    /// Searches of this game's own, beside the generic ones.
    const SEARCHES: &'static [OwnSearch<Self>] = &[];
    /// The route that is best for this game, for each measure if they differ: `search:astar`.
    fn best_route(&self, measure: &str) -> &'static str;
    /// Models of this game in PDDL, for the routes `pddl:NAME`.
    const PLANNING: &'static [PlanningModel<Self>] = &[];
    /// Models of this game in Essence Prime, for the routes `eprime:NAME:sat|cp|mip`.
    const CONSTRAINT: &'static [ConstraintModel<Self>] = &[];
    /// The rules inside the guide that can be switched off by name.
    const RULES: &'static [Rule] = &[];
    /// What `generate` understands beside the size.
    const KNOBS: &'static [Knob];
    /// The knobs, and their values, with which `generate` builds no plan into its levels; empty where it never does. A level that
    /// is built around a plan is never without one, and seldom has a long par.
    const WITHOUT_PLAN: &'static [(&'static str, u32)] = &[];
    /// The rules for people, in Markdown.
    const README: &'static str;
    /// What can stand in a cell of a level's text, for those who paint levels.
    const PAINTS: &'static [Paint];
    /// The options of a level's text.
    const OPTIONS: &'static [Rule] = &[];
    /// Which levels are the same puzzle.
    const LIKENESS: Likeness = Likeness::NONE;
    /// How many best plans there are that differ in more than the order of their moves, where a map of states cannot tell.
    const COUNT_PLANS: Option<CountPlans<Self>> = None;
    /// The levels with the longest best plans among all that fit a spec, where all can be looked at.
    const HARDEST: Option<FindHardest<Self>> = None;
    /// The built-in levels, easiest first.
    const LEVELS: &'static [Builtin];

    // Text.

    /// Reads the options and the board of a canonical level text. Option names are the document's to
    /// check: `document.only(&["goal", "hand"])?`.
    fn parse(document: &Document) -> Result<Self, BadText>;

    /// The level that starts in this state, as `parse` reads it.
    fn write(&self, state: &Self::State) -> Sheet;

    /// What was mended while the level was read, such as short rows: each with its place in the text.
    fn warnings(&self) -> &[BadText] {
        &[]
    }

    /// A move as one line of a plan; the state is the one it is made in.
    fn print_move(&self, state: &Self::State, mv: Self::Move) -> String;

    /// Reads what `print_move` writes; leniently with case and spaces. Column 1 is where `text` starts.
    /// That the move can be written does not make it legal.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, BadText>;

    /// The moves on one line of a plan, without its comment, for `parse_move`: each with its column, in characters
    /// from 1. A game with a shorthand for many moves (`LLurRD`) takes it apart here.
    fn split_moves(line: &str) -> Vec<(usize, &str)> {
        vec![(1, line)]
    }

    // Rules, slow and obvious.

    /// The rule as the prose has it.
    fn play(&self, state: &Self::State, mv: Self::Move) -> Result<Self::State, Refusal>;

    /// Every move that can be written in this state, legal or not, in a fixed order.
    fn writable_moves(&self, state: &Self::State) -> Vec<Self::Move>;

    /// What the state lacks to be a goal, in a sentence; `None` at the goal. The slow twin of `is_goal`.
    fn shortfall(&self, state: &Self::State) -> Option<String>;

    /// What a legal plan that ends in `end` costs by this measure.
    fn plan_cost(&self, _measure: &str, plan: &[Self::Move], _end: &Self::State) -> u32 {
        plan.len() as u32
    }

    /// The variant of the rules that this level plays by, where it has options: `edge stop`; else empty.
    fn variant(&self) -> String {
        String::new()
    }

    // Knowledge for searches.

    /// A lower bound on the cost by the default measure, and whatever else prunes.
    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send;

    /// No plan that wastes no move is longer; `None` if that is not known.
    fn longest_plan(&self) -> Option<u32>;

    /// A random level. The same spec and random numbers give the same level.
    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String>;

    // Pictures.

    fn view(&self, state: &Self::State) -> View;

    /// What happens on the board during a legal move, moment by moment, after the state before it and up to
    /// `view` of the state after it. Pieces keep their ids from one moment to the next.
    fn film(&self, state: &Self::State, mv: Self::Move) -> Vec<View> {
        vec![self.view(&self.play(state, mv).expect("only legal moves are filmed"))]
    }

    /// Where the player takes hold of the board to make this move.
    fn grip(&self, state: &Self::State, mv: Self::Move) -> Grip;
}

/// A way to count the cost of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    pub name: &'static str,
    /// The cost is the sum of `Space::cost` over the moves, so a search through states optimises it.
    pub additive: bool,
}

/// A way to write levels that others use.
pub struct Format<G: Game> {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether a text is probably of this format: by content, generously, but not what another format owns.
    pub recognise: fn(&str) -> bool,
    pub read: fn(&str) -> Result<G, BadText>,
    /// `Err`: why this format cannot hold this level.
    pub write: fn(&G, &G::State) -> Result<String, String>,
}

/// A search that a game brings itself; listed as the route `search:NAME`.
pub struct OwnSearch<G: Game> {
    pub name: &'static str,
    pub about: &'static str,
    /// The names of the measures that it optimises.
    pub measures: &'static [&'static str],
    pub run: fn(&G, measure: &str, &Switches, &Budget) -> Report<G::Move>,
}

/// A rule of a guide or an own search, by the name that switches it off.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub name: &'static str,
    pub about: &'static str,
}

/// A cell of a level's text, and what it means. One that starts with `_` stands for whatever is there, with the rest added:
/// `_!` makes `L2` to `L2!`.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    pub text: &'static str,
    pub about: &'static str,
}

/// A level that comes with the program. Its optimum is in its own text (`par: 7`).
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub name: &'static str,
    pub text: &'static str,
}

/// A number that a generator understands.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    pub name: &'static str,
    pub about: &'static str,
    pub default: u32,
}

/// The levels of a size with the longest best plans.
pub struct Hardest<G> {
    pub levels: Vec<G>,
    /// By the default measure.
    pub par: u32,
}

/// `Err`: why they cannot be told.
pub type FindHardest<G> = fn(&Spec, &Budget) -> Result<Hardest<G>, String>;

/// A level, its par by the default measure, and how many plans are worth counting; `None`: more, or the budget ended it.
pub type CountPlans<G> = fn(&G, par: u32, most: usize, &Budget) -> Option<usize>;

/// What is wanted of a generated level.
#[derive(Clone, Debug)]
pub struct Spec {
    pub rows: usize,
    pub cols: usize,
    /// By name; what is missing takes its default.
    pub knobs: Vec<(String, u32)>,
}

/// As on the command line: `--size 6x6 --colours 4`.
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--size {}x{}", self.rows, self.cols)?;
        for (name, value) in &self.knobs {
            write!(f, " --{name} {value}")?;
        }
        Ok(())
    }
}

impl Spec {
    pub fn size(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            knobs: Vec::new(),
        }
    }

    pub fn with(mut self, name: &str, value: u32) -> Self {
        self.knobs.push((name.to_string(), value));
        self
    }

    /// The value asked for, or the default of the knob in the game's list.
    pub fn knob<G: Game>(&self, name: &str) -> u32 {
        let asked = self.knobs.iter().rev().find(|(known, _)| known == name);
        asked.map_or_else(
            || {
                let knob = G::KNOBS.iter().find(|knob| knob.name == name);
                knob.expect("a generator asks for knobs that it lists")
                    .default
            },
            |&(_, value)| value,
        )
    }
}

/// Why a move is illegal: a sentence without its full stop, that names the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// A cell of the board, counted from 1 (0 and one past the end are the rim, where Plotting shoots from), and the
/// direction of the move, if it has one. Keyboards and pointers find moves by their grips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grip {
    pub row: i32,
    pub col: i32,
    pub toward: Option<Side>,
}

/// The built-in levels of a game, from the files in its folder `levels`.
#[macro_export]
macro_rules! levels {
    ($($name:literal),* $(,)?) => {
        &[$($crate::game::Builtin { name: $name, text: include_str!(concat!("levels/", $name, ".level")) }),*]
    };
}
