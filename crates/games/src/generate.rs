//! Random levels, and the settings of a game's generator.

use ployglot_base::{Budget, Limit, Random};

use crate::rules::Rules;

/// How a game makes levels.
///
/// In a game's folder: `generate.rs`.
pub trait Generation: Rules {
    /// The numbers that `generate` understands beside the size.
    const KNOBS: &'static [Knob] = &[];
    /// Values of knobs with which `generate` places its pieces at random instead of building the
    /// level around a plan; empty where it never builds levels around a plan. Such a level always
    /// has a plan, but seldom a long one.
    const WITHOUT_PLAN: &'static [(&'static str, u32)] = &[];
    /// Finds the levels with the longest best plans among all that match a spec, for games in which
    /// all of them can be enumerated.
    const HARDEST: Option<FindHardest<Self>> = None;

    /// The rows and columns of a generated board where no size is asked for.
    const DEFAULT_SIZE: (usize, usize) = (6, 6);
    /// How many rows and columns a generated board has beyond the size of its spec, such as a frame
    /// of walls.
    const FRAME: usize = 0;

    /// Whether `generate` can change a given level ([`Spec::from`]).
    const FROM: bool = false;

    /// The levels on which `benches/hot_loops.rs` measures a move and a bound; `None` leaves the
    /// game out, because it is not searched state by state.
    fn benchmark_spec() -> Option<Spec> {
        None
    }

    /// A random level. The same spec and random numbers give the same level. `Err`: why no level
    /// matches the spec.
    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String>;

    /// The same within a budget. A generator that may take long overrides this.
    fn generate_within(
        spec: &Spec,
        random: &mut Random,
        _budget: &Budget,
    ) -> Result<Self, NotGenerated> {
        Ok(Self::generate(spec, random)?)
    }
}

/// Why a generator made no level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotGenerated {
    /// No level matches the spec, for this reason.
    Impossible(String),
    /// This limit ended the generator.
    Limit(Limit),
}

impl From<String> for NotGenerated {
    fn from(why: String) -> Self {
        NotGenerated::Impossible(why)
    }
}

impl From<Limit> for NotGenerated {
    fn from(limit: Limit) -> Self {
        NotGenerated::Limit(limit)
    }
}

impl NotGenerated {
    /// The reason, where nothing limits the generator.
    pub(crate) fn reason(self) -> String {
        match self {
            NotGenerated::Impossible(why) => why,
            NotGenerated::Limit(limit) => format!("a limit ended the generator: {limit}"),
        }
    }
}

/// A number that a generator understands.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// The name, as in `--colours 4`.
    pub name: &'static str,
    /// What it sets, in one line.
    pub about: &'static str,
    /// The value where a spec does not name it.
    pub default: u32,
}

/// What is asked of a generated level.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub cols: usize,
    /// Values of knobs by name; the last value of a name counts, and missing ones take their
    /// default.
    pub knobs: Vec<(String, u32)>,
    /// The level to change, as its name for people and its text.
    pub from: Option<(String, String)>,
}

/// As on the command line: `--size 6x6 --colours 4`.
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.from {
            Some((name, _)) => write!(f, "--from {name}")?,
            None => write!(f, "--size {}x{}", self.rows, self.cols)?,
        }
        for (name, value) in &self.knobs {
            write!(f, " --{name} {value}")?;
        }
        Ok(())
    }
}

impl Spec {
    /// A board of this size, with every knob at its default.
    pub fn size(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            knobs: Vec::new(),
            from: None,
        }
    }

    /// The same with one knob set.
    pub fn with(mut self, name: &str, value: u32) -> Self {
        self.knobs.push((name.to_string(), value));
        self
    }

    /// The value of a knob that `G` lists: that of this spec, or its default.
    pub fn knob<G: Generation>(&self, name: &str) -> u32 {
        let asked = self.knobs.iter().rev().find(|(known, _)| known == name);
        asked.map_or_else(
            || {
                let knob = G::KNOBS.iter().find(|knob| knob.name == name);
                knob.expect("a generator reads only knobs that it lists")
                    .default
            },
            |&(_, value)| value,
        )
    }
}

/// The levels of a size with the longest best plans.
pub struct Hardest<G> {
    /// The levels.
    pub levels: Vec<G>,
    /// Their par by the default measure.
    pub par: u32,
}

/// Finds the hardest levels that match a spec.
pub type FindHardest<G> = fn(&Spec, &Budget) -> Result<Hardest<G>, NotGenerated>;
