//! What a search may know about a space beyond its moves: a lower bound on the cost to the goal,
//! and which moves need not be tried.
//!
//! A guide has scratch space of its own (`&mut self`), so each thread makes one. Its answers depend
//! on the state alone: the same state gets the same answers throughout a search.

use crate::space::Space;

/// Knowledge about a space: bounds and pruning.
///
/// ```
/// use ployglot_base::{Guide, Space};
///
/// /// The number line: from 0 to a goal by steps of 1 and 5.
/// struct Line {
///     goal: u32,
/// }
///
/// impl Space for Line {
///     type State = u32;
///     type Move = u32;
///     fn start(&self) -> u32 { 0 }
///     fn is_goal(&self, state: &u32) -> bool { *state == self.goal }
///     fn moves(&self, _: &u32, moves: &mut Vec<u32>) { moves.extend([1, 5]) }
///     fn apply(&self, state: &u32, mv: u32) -> u32 { state + mv }
///     fn words(&self) -> usize { 1 }
///     fn pack(&self, state: &u32, words: &mut [u64]) { words[0] = u64::from(*state) }
///     fn unpack(&self, words: &[u64]) -> u32 { words[0] as u32 }
/// }
///
/// /// A move covers at most 5, and steps of 1 are only needed near the goal.
/// struct Distance<'a>(&'a Line);
///
/// impl Guide<Line> for Distance<'_> {
///     fn lower_bound(&mut self, state: &u32) -> Option<u32> {
///         self.0.goal.checked_sub(*state).map(|left| left.div_ceil(5))
///     }
///     fn narrow(&mut self, state: &u32, moves: &mut Vec<u32>) {
///         if *state + 5 <= self.0.goal {
///             moves.retain(|&mv| mv == 5);
///         }
///     }
/// }
///
/// let line = Line { goal: 12 };
/// let mut guide = Distance(&line);
/// assert_eq!(guide.lower_bound(&0), Some(3));
/// assert_eq!(guide.lower_bound(&13), None, "a dead end");
/// assert!(guide.allows(&10, 1) && !guide.allows(&0, 2));
///
/// // The guide leaves one move in every state but the last ones: no search is needed.
/// let (mut state, mut plan) = (line.start(), Vec::new());
/// while !line.is_goal(&state) {
///     let mut moves = Vec::new();
///     line.moves(&state, &mut moves);
///     guide.narrow(&state, &mut moves);
///     plan.push(moves[0]);
///     state = line.apply(&state, moves[0]);
/// }
/// assert_eq!(plan, [5, 5, 1, 1]);
/// ```
pub trait Guide<S: Space + ?Sized> {
    /// No plan from here costs less; `None`: there is certainly no plan from here.
    /// On a goal state it is `Some(0)`.
    fn lower_bound(&mut self, state: &S::State) -> Option<u32>;

    /// Whether `lower_bound` is what its name says. Where it is not, a search may only order states
    /// by it, and must claim nothing about costs.
    fn is_admissible(&self) -> bool {
        true
    }

    /// Whether a plan of at most `cost` may exist from here. A guide overrides this where the
    /// question can be answered faster, or more sharply, than by the bound.
    fn allows(&mut self, state: &S::State, cost: u32) -> bool {
        self.lower_bound(state).is_some_and(|bound| bound <= cost)
    }

    /// An estimate of the distance to a goal, in any unit. Searches that keep only the most
    /// promising states keep those with the least estimate. It proves nothing.
    fn estimate(&mut self, state: &S::State) -> u32 {
        self.lower_bound(state).unwrap_or(u32::MAX)
    }

    /// Removes legal moves that some optimal plan from this state does not need. If there is a plan
    /// from this state, an optimal one must remain that uses only moves that are kept, here and in
    /// every later state.
    fn narrow(&mut self, _state: &S::State, _moves: &mut Vec<S::Move>) {}
}

/// The guide without knowledge: its bound is 0 everywhere, and it keeps all moves.
pub struct Blind;

impl<S: Space + ?Sized> Guide<S> for Blind {
    fn lower_bound(&mut self, _state: &S::State) -> Option<u32> {
        Some(0)
    }
}

/// A guide whose type is not known where it is used.
impl<S: Space + ?Sized, G: Guide<S> + ?Sized> Guide<S> for Box<G> {
    fn lower_bound(&mut self, state: &S::State) -> Option<u32> {
        (**self).lower_bound(state)
    }

    fn is_admissible(&self) -> bool {
        (**self).is_admissible()
    }

    fn allows(&mut self, state: &S::State, cost: u32) -> bool {
        (**self).allows(state, cost)
    }

    fn estimate(&mut self, state: &S::State) -> u32 {
        (**self).estimate(state)
    }

    fn narrow(&mut self, state: &S::State, moves: &mut Vec<S::Move>) {
        (**self).narrow(state, moves);
    }
}

/// The names of the rules of a guide that are switched off, so that the effect and the safety of
/// each rule can be measured by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    off: Vec<String>,
}

impl Switches {
    /// All rules are on.
    pub fn all_on() -> Self {
        Self::default()
    }

    /// All rules are on but these.
    pub fn without(names: &[&str]) -> Self {
        Self {
            off: names.iter().map(|name| name.to_string()).collect(),
        }
    }

    /// Whether the rule of this name is on.
    pub fn on(&self, name: &str) -> bool {
        !self.off.iter().any(|off| off == name)
    }

    /// The names of the rules that are off.
    pub fn off(&self) -> &[String] {
        &self.off
    }
}
