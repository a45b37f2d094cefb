//! Constraint models: a game's rules in Essence Prime, the parameters of a level, and the way back from a solution to moves.
//!
//! The texts are standard Essence Prime. A model describes the plans of a given number of steps; whoever solves it raises
//! that number until there is a solution, or until the model's own longest plan is exceeded, which is a proof that there is
//! none. Whatever is found is read back into moves and judged by the referee.

use ployglot_base::{Guide, Space, Switches};

use crate::knowledge::Knowledge;

pub struct ConstraintModel<G: Space> {
    /// As in the route `eprime:NAME:sat`.
    pub name: &'static str,
    pub about: &'static str,
    /// The measure that it optimises.
    pub measure: &'static str,
    /// The model file.
    pub text: &'static str,
    /// Further constraints that change no optimum, each on request: `eprime:NAME+SWITCH:sat`.
    pub switches: &'static [ModelSwitch],
    /// The parameter that counts the steps; it is not among `parameters`.
    pub horizon: &'static str,
    /// A plan that needs this many steps costs at least this much. Where a step is a move, that is the same number.
    pub proves: fn(&G, horizon: u32) -> u32,
    /// The first horizon worth a try: no plan has fewer steps.
    pub first: fn(&G) -> u32,
    /// No wasteless plan needs more steps; `None` where that is not known.
    pub last: fn(&G) -> Option<u32>,
    /// The parameter file of a level, but for the horizon; `Err`: why this model cannot hold it.
    pub parameters: fn(&G) -> Result<String, String>,
    /// The moves that a solution stands for; `Err`: why they make no sense.
    pub moves: ReadSolution<G>,
    /// The way back, in Essence Prime: what holds in a solution with this move at this step. For models in which a step is a
    /// move, which then have the switch `GUESS`.
    pub says: Option<SayMove<G>>,
}

/// Switches of a model change its text; this one changes how its horizons are asked.
pub const GUESS: ModelSwitch = ModelSwitch {
    name: "guess",
    about: "a beam of the native search guesses a plan, which the model must accept; what is shorter is refuted",
    text: "",
};

/// Text that is added to a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelSwitch {
    pub name: &'static str,
    pub about: &'static str,
    /// One or more `such that` statements, and before them the `letting`s and `find`s that they need.
    pub text: &'static str,
}

/// The value of a decision variable in a solution: its name, and its indices where it is a matrix; Booleans are 0 and 1.
/// `None`: there is no such variable.
pub type Lookup<'a> = &'a dyn Fn(&str, &[i32]) -> Option<i32>;

/// From a solution and its horizon to moves.
pub type ReadSolution<G> = fn(&G, horizon: u32, Lookup) -> Result<Vec<<G as Space>::Move>, String>;

/// From a move and the number of its step, counted from 1, to a constraint.
pub type SayMove<G> = fn(&G, step: usize, <G as Space>::Move) -> String;

/// A first horizon by the game's own bound, for models in which a step is a move. Where the bound knows that there is no plan,
/// that is beyond the longest.
pub(crate) fn least_moves<G: Knowledge>(level: &G) -> u32 {
    let bound = level.guide(&Switches::all_on()).lower_bound(&level.start());
    bound.unwrap_or_else(|| {
        level
            .longest_plan()
            .map_or(0, |longest| longest.saturating_add(1))
    })
}
