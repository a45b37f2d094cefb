//! What a search may know about a space beyond its moves: a lower bound on the cost to the goal, and
//! which moves need not be tried.
//!
//! A guide is a value with scratch space of its own (`&mut self`), so each thread makes one. It never
//! changes its mind: the same state gets the same answers throughout a search.

use crate::space::Space;

pub trait Guide<S: Space + ?Sized> {
    /// No plan from here costs less; `None`: surely no plan exists from here.
    /// On a goal state it is `Some(0)`.
    fn lower_bound(&mut self, state: &S::State) -> Option<u32>;

    /// Whether a plan of at most `cost` may exist from here. A guide overrides this where the
    /// question is cheaper, or has a sharper answer, than the bound.
    fn allows(&mut self, state: &S::State, cost: u32) -> bool {
        self.lower_bound(state).is_some_and(|bound| bound <= cost)
    }

    /// How far from a goal the state seems, in any unit: searches that keep only the most promising states keep those
    /// where this is least. Nothing is proven by it.
    fn estimate(&mut self, state: &S::State) -> u32 {
        self.lower_bound(state).unwrap_or(u32::MAX)
    }

    /// Drops legal moves that some optimal plan from this state does without. The answer depends on the
    /// state alone, and if a plan exists, an optimal one must remain through the moves that are kept,
    /// here and in every state after.
    fn narrow(&mut self, _state: &S::State, _moves: &mut Vec<S::Move>) {}
}

/// Knows nothing.
pub struct Blind;

impl<S: Space + ?Sized> Guide<S> for Blind {
    fn lower_bound(&mut self, _state: &S::State) -> Option<u32> {
        Some(0)
    }
}

/// The names of the rules that are switched off, so that each one's effect, and its safety, can be
/// measured by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    off: Vec<String>,
}

impl Switches {
    /// Every rule is on.
    pub fn all_on() -> Self {
        Self::default()
    }

    pub fn without(names: &[&str]) -> Self {
        Self {
            off: names.iter().map(|name| name.to_string()).collect(),
        }
    }

    pub fn on(&self, name: &str) -> bool {
        !self.off.iter().any(|off| off == name)
    }

    pub fn off(&self) -> &[String] {
        &self.off
    }
}
