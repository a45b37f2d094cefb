//! The rules of a game as the prose states them: slow, obvious, and the only rules that the referee
//! uses.
//!
//! The rules are written twice. `Rules::play` follows the prose cell by cell; `Space::moves` and
//! `Space::apply` are the fast version for searches. The laws (`tests/laws.rs`) compare the two.

use std::fmt::Debug;

use ployglot_base::Space;

/// The rules of a game. A value of the type is one level.
///
/// In a game's folder: `rules.rs`.
pub trait Rules: Space + Sized + Clone + Debug + Send + 'static {
    /// The ways to count the cost of a plan. The first is the default.
    const MEASURES: &'static [Measure];

    /// Makes a move as the prose describes it, or explains why the move is illegal.
    fn play(&self, state: &Self::State, mv: Self::Move) -> Result<Self::State, Refusal>;

    /// Every move that can be written in this state, legal or not, in a fixed order.
    fn writable_moves(&self, state: &Self::State) -> Vec<Self::Move>;

    /// What the state lacks to be a goal, in a sentence; `None` at the goal. The slow version of
    /// `Space::is_goal`.
    fn shortfall(&self, state: &Self::State) -> Option<String>;

    /// The cost by this measure of a legal plan that ends in `end`. The default is the number of
    /// moves.
    fn plan_cost(&self, _measure: &str, plan: &[Self::Move], _end: &Self::State) -> u32 {
        plan.len() as u32
    }
}

/// A way to count the cost of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The name on the command line and in `par: 7 NAME`.
    pub name: &'static str,
    /// Whether the cost is the sum of `Space::cost` over the moves. If so, a search through states
    /// can optimise it.
    pub additive: bool,
}

/// Why a move is illegal: a sentence that names the rule, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// A refusal with this sentence.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}
