//! Constraint models: a game's rules in Essence Prime or Essence, the parameters of a level, and the
//! translation of a solution back into moves.
//!
//! The texts are standard Essence Prime or Essence. A model describes the plans with a given number of steps,
//! its horizon. A solver tries horizons in turn until there is a solution, or until the model's
//! last horizon is exceeded, which proves that the level has no plan. Every solution is read back
//! into moves and judged by the referee.

use ployglot_base::{Guide, Space, Switches};

use crate::knowledge::Knowledge;

/// The language of a constraint model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Matrices of integers and booleans.
    EssencePrime,
    /// Sets, functions, relations and other abstract types.
    Essence,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::EssencePrime, Language::Essence];

    /// The first part of the names of models and routes.
    pub fn prefix(self) -> &'static str {
        match self {
            Language::EssencePrime => "eprime",
            Language::Essence => "essence",
        }
    }

    /// The name of an exported model's file.
    pub fn file(self) -> &'static str {
        match self {
            Language::EssencePrime => "model.eprime",
            Language::Essence => "model.essence",
        }
    }
}

/// A model of a game in Essence Prime or Essence.
pub struct ConstraintModel<G: Space + 'static> {
    /// The language of its text.
    pub language: Language,
    /// As in the route `eprime:NAME:sat`. Models of a game in different languages may have the same
    /// name.
    pub name: &'static str,
    /// One line for the list of routes.
    pub about: &'static str,
    /// The measure that it optimises.
    pub measure: &'static str,
    /// Other measures that the horizons of this model give bounds for. Its plans need not be the
    /// best by them.
    pub bounds: &'static [OtherMeasure<G>],
    /// The model file.
    pub text: &'static str,
    /// Optional constraints that do not change the optimum: `eprime:NAME+SWITCH:sat`.
    pub switches: &'static [ModelSwitch],
    /// The parameter that holds the horizon; it is not part of `parameters`.
    pub horizon: &'static str,
    /// In which order horizons are tried.
    pub sweep: Sweep,
    /// The least cost of a plan that needs this many steps. Where a step is a move, it is the same
    /// number.
    pub least_cost: fn(&G, horizon: u32) -> u32,
    /// The first horizon to try: no plan has fewer steps.
    pub first_horizon: fn(&G) -> u32,
    /// The last horizon to try: no plan without wasted moves has more steps. `None` if no such
    /// limit is known.
    pub last_horizon: fn(&G) -> Option<u32>,
    /// The parameter file of a level without the horizon; `Err`: why this model cannot express it.
    pub parameters: fn(&G) -> Result<String, String>,
    /// The moves of a solution; `Err`: why the solution makes no sense.
    pub moves: ReadSolution<G>,
    /// The constraint that fixes a move at a step, for models in which a step is a move. Such
    /// models have the switch `GUESS`.
    pub fix_move: Option<FixMove<G>>,
}

impl<G: Space + 'static> ConstraintModel<G> {
    /// What most models have in common: one horizon after the other, a step is a move, and nothing
    /// is known about the level.
    pub const DEFAULT: Self = Self {
        language: Language::EssencePrime,
        name: "",
        about: "",
        measure: "",
        bounds: &[],
        text: "",
        switches: &[],
        horizon: "noSteps",
        sweep: Sweep::OneByOne,
        least_cost: |_, horizon| horizon,
        first_horizon: |_| 1,
        last_horizon: |_| None,
        parameters: |_| Ok(String::new()),
        moves: |_, _, _| Ok(Vec::new()),
        fix_move: None,
    };

    /// The language and the name, as `ploy export --to` takes it: `eprime:action`.
    pub fn full_name(&self) -> String {
        format!("{}:{}", self.language.prefix(), self.name)
    }

    /// The text with some of the switches on.
    pub fn text_with(&self, switches: &[&ModelSwitch]) -> String {
        let mut text = self.text.to_string();
        for switch in switches {
            text = without_part(&text, switch.without);
        }
        for switch in switches.iter().filter(|switch| !switch.text.is_empty()) {
            switch_on(&mut text, switch.text);
        }
        text
    }

    /// Whether this is a model of one of the papers, written from its text with nothing added. The
    /// name has the section: `paper-5.3`.
    pub fn is_of_a_paper(&self) -> bool {
        is_of_a_paper(self.name)
    }

    /// The least cost by a measure of a plan that needs this many steps; `None` if the horizon says
    /// nothing about the measure.
    pub fn least_cost_by(&self, measure: &str) -> Option<fn(&G, horizon: u32) -> u32> {
        if measure == self.measure {
            return Some(self.least_cost);
        }
        let other = self.bounds.iter().find(|other| other.measure == measure);
        other.map(|other| other.least_cost)
    }
}

/// The text without the lines from `$ [part NAME]` to `$ [end NAME]`, wherever there are such lines.
fn without_part(text: &str, name: &str) -> String {
    if name.is_empty() {
        return text.to_string();
    }
    let (begin, end) = (format!("$ [part {name}]"), format!("$ [end {name}]"));
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        inside |= line == begin;
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
        inside &= line != end;
    }
    kept
}

/// Adds a switch to the text of a model: its constraints at the end, its declarations before all
/// constraints.
fn switch_on(text: &mut String, switch: &str) {
    const CONSTRAINTS: &str = "\nsuch that";
    let declares = |line: &str| !line.trim().is_empty() && !line.starts_with('$');
    let (declarations, constraints) = match switch.find(CONSTRAINTS) {
        Some(at) if switch[..at].lines().any(declares) => switch.split_at(at),
        _ => ("", switch),
    };
    let first = text.find(CONSTRAINTS).unwrap_or(text.len());
    text.insert_str(first, declarations);
    text.push('\n');
    text.push_str(constraints);
}

/// Whether a model of this name is one of the papers'.
pub fn is_of_a_paper(name: &str) -> bool {
    name.starts_with("paper-")
}

/// A measure that a model does not optimise, but gives bounds for.
pub struct OtherMeasure<G: Space> {
    /// Its name.
    pub measure: &'static str,
    /// The least cost by it of a plan that needs this many steps.
    pub least_cost: fn(&G, horizon: u32) -> u32,
}

/// In which order the horizons of a model are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// One after the other. A plan has exactly as many steps as the horizon.
    OneByOne,
    /// Each is twice the one before. A plan has at most as many steps as the horizon, and the model
    /// minimises their number.
    Doubling,
}

/// The switch by which a beam search finds a plan first. It does not change the text of the model.
pub const GUESS: ModelSwitch = ModelSwitch {
    name: "guess",
    about: "a beam search finds a plan, which the model must accept; then shorter plans are refuted",
    ..ModelSwitch::DEFAULT
};

/// The switch that takes away the first horizon of the native bound, as in the papers.
pub const FROM_ONE: ModelSwitch = ModelSwitch {
    name: "from-one",
    about: "horizons are tried from 1 on, instead of from the bound of the native search",
    ..ModelSwitch::DEFAULT
};

/// The switch that takes away the order of decisions of a model.
pub(crate) const NO_ORDER: ModelSwitch = ModelSwitch {
    name: "no-order",
    about: "without the model's order of decisions",
    without: "order",
    ..ModelSwitch::DEFAULT
};

/// An optional part of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelSwitch {
    /// As in the route `eprime:MODEL+NAME:sat`.
    pub name: &'static str,
    /// One line for the list of routes.
    pub about: &'static str,
    /// The text that is added to the model: one or more `such that` statements, after the
    /// `letting`s and `find`s that they need.
    pub text: &'static str,
    /// The part of the model's text that is taken away: the lines from `$ [part NAME]` to
    /// `$ [end NAME]`. Empty: none.
    pub without: &'static str,
}

impl ModelSwitch {
    /// A switch that changes nothing.
    pub const DEFAULT: ModelSwitch = ModelSwitch {
        name: "",
        about: "",
        text: "",
        without: "",
    };

    /// Whether the switch changes the text of the model.
    pub fn changes_text(&self) -> bool {
        !self.text.is_empty() || !self.without.is_empty()
    }
}

/// The value of a decision variable in a solution, by its name and, for a matrix, its indices. In
/// Essence functions and sequences take an index too, and tuples the place of a part; `NAME.FIELD` is a
/// field of the record or variant there. Booleans are 0 and 1, members of an enumerated type count from 1. `None`: there is nothing of this name, or
/// nothing at this place.
pub type Lookup<'a> = &'a dyn Fn(&str, &[i32]) -> Option<i32>;

/// Reads the moves of a solution with this horizon.
pub type ReadSolution<G> = fn(&G, horizon: u32, Lookup) -> Result<Vec<<G as Space>::Move>, String>;

/// The constraint that this move is made at this step, counted from 1.
pub type FixMove<G> = fn(&G, step: usize, <G as Space>::Move) -> String;

/// A first horizon by the game's own lower bound, for models in which a step is a move. Where the
/// bound proves that there is no plan, it is larger than the longest plan.
pub(crate) fn least_moves<G: Knowledge>(level: &G) -> u32 {
    let bound = level.guide(&Switches::all_on()).lower_bound(&level.start());
    bound.unwrap_or_else(|| {
        level
            .longest_plan()
            .map_or(0, |longest| longest.saturating_add(1))
    })
}
