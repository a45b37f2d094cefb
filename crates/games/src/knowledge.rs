//! What a game knows beyond its rules, for searches: bounds, pruning, searches of its own.

use std::collections::HashSet;

use ployglot_base::{Blind, Budget, Guide, Report, Space, Switches};

use crate::rules::Rules;

/// What searches may know about a game. Every item has a default: a game without knowledge is
/// searched blindly.
///
/// In a game's folder: `bound.rs`.
pub trait Knowledge: Rules {
    /// The rules of the guide and of the game's own searches that can be switched off by name.
    const RULES: &'static [Rule] = &[];
    /// Searches of the game's own, beside the generic ones.
    const SEARCHES: &'static [GameSearch<Self>] = &[];
    /// Counts the best plans that differ in more than the order of their moves, for games in which
    /// the graph of states does not show that number.
    const COUNT_PLANS: Option<CountPlans<Self>> = None;

    /// The best route for this level and measure: `search:astar`.
    fn best_route(&self, _measure: &str) -> &'static str {
        "search:astar"
    }

    /// Lower bounds on the cost by the default measure, and whatever else prunes.
    fn guide(&self, _switches: &Switches) -> impl Guide<Self> + Send {
        Blind
    }

    /// Why nothing can be proven about this level, in a sentence; `None` if plans can be proven. Such
    /// a level can be played and shown, but not solved.
    fn unproven(&self) -> Option<String> {
        None
    }

    /// The level with rules of its packed states switched off; `None` if the game has no such rules.
    fn with_switches(&self, _switches: &Switches) -> Option<Self> {
        None
    }

    /// No plan without wasted moves is longer; `None` if no such limit is known.
    fn longest_plan(&self) -> Option<u32> {
        None
    }
}

/// The depth of breadth-first search from the start, without the states that the guide knows to be
/// dead ends: if the level has a plan, it has one that is not longer. `None` if the level has more
/// states than `most`.
pub(crate) fn depth_of_states<G: Knowledge>(level: &G, most: usize) -> Option<u32> {
    let mut seen = HashSet::new();
    // Packed states: blocks that are interchangeable pack alike.
    let mut is_new = |state: &G::State| {
        let mut words = vec![0; level.words()];
        level.pack(state, &mut words);
        seen.insert(words)
    };
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    is_new(&level.start());
    let mut layer = vec![level.start()];
    let mut kept = 1;
    let mut depth = 0;
    let mut moves = Vec::new();
    loop {
        let mut next = Vec::new();
        for state in &layer {
            moves.clear();
            level.moves(state, &mut moves);
            for &mv in &moves {
                let after = level.apply(state, mv);
                if is_new(&after) && guide.lower_bound(&after).is_some() {
                    next.push(after);
                }
            }
            if kept + next.len() > most {
                return None;
            }
        }
        if next.is_empty() {
            return Some(depth);
        }
        kept += next.len();
        depth += 1;
        layer = next;
    }
}

/// A rule of a guide or of a game's own search, with the name that switches it off.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name, as in `--without NAME`.
    pub name: &'static str,
    /// What the rule does, in one line.
    pub about: &'static str,
}

/// A search that a game brings itself; listed as the route `search:NAME`.
pub struct GameSearch<G: Space> {
    /// As in the route `search:NAME`.
    pub name: &'static str,
    /// One line for the list of routes.
    pub about: &'static str,
    /// The names of the measures that it optimises.
    pub measures: &'static [&'static str],
    /// Runs the search for one of these measures.
    pub run: fn(&G, measure: &str, &Switches, &Budget) -> Report<G::Move>,
}

/// Counts the best plans of a level, given its par by the default measure and the number at which
/// to stop counting. `None`: there are more, or the budget ran out.
pub type CountPlans<G> = fn(&G, par: u32, most: usize, &Budget) -> Option<usize>;
