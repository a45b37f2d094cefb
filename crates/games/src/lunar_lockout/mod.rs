//! Lunar Lockout: spacecraft slide until another one stops them, and the red one must come to rest on the goal.
//! README.md has the rules.

mod bound;
mod constraint;
mod fast;
mod formats;
mod generate;
mod paints;
mod picture;
mod planning;
mod relax;
mod rules;
pub mod table;
#[cfg(test)]
mod tests;
mod text;

pub use rules::{LunarLockout, Move, State};

use crate::game::FindHardest;
use crate::*;

impl Game for LunarLockout {
    const NAME: &'static str = "lunar-lockout";
    const MEASURES: &'static [Measure] = &[Measure {
        name: "slides",
        additive: true,
    }];
    const FORMATS: &'static [Format<Self>] = formats::FORMATS;
    const SEARCHES: &'static [OwnSearch<Self>] = &[OwnSearch {
        name: "table",
        about: "the optimum of every state of the board, backwards from the goal",
        measures: &["slides"],
        run: table::search,
    }];
    const RULES: &'static [Rule] = bound::RULES;
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
    const KNOBS: &'static [Knob] = generate::KNOBS;
    const README: &'static str = include_str!("README.md");
    const PAINTS: &'static [Paint] = paints::PAINTS;
    const OPTIONS: &'static [Rule] = paints::OPTIONS;
    const LIKENESS: Likeness = Likeness {
        mirror_columns: true,
        mirror_rows: true,
        transpose: true,
        is_name: |c| c.is_ascii_alphanumeric() && c != 'R' && c != 'X',
    };
    const HARDEST: Option<FindHardest<Self>> = Some(table::hardest);
    const LEVELS: &'static [Builtin] = levels![
        "01-touchdown",
        "02-make-way",
        "03-a-longer-line",
        "04-stepping-stones",
        "05-second-thoughts",
        "06-the-loose-end",
        "07-squatter",
        "08-solid-edges",
        "09-corner-to-centre",
        "10-lost-in-space",
        "11-asteroid-belt",
        "12-round-trip",
        "13-grand-tour",
        "14-deep-space",
        "15-the-longest-way",
    ];

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:astar"
    }

    fn parse(document: &Document) -> Result<Self, BadText> {
        text::parse(document)
    }

    fn write(&self, state: &State) -> Sheet {
        text::write(self, state)
    }

    fn print_move(&self, state: &State, mv: Move) -> String {
        text::print_move(self, state, mv)
    }

    fn parse_move(&self, state: &State, text: &str) -> Result<Move, BadText> {
        text::parse_move(self, state, text)
    }

    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        rules::play(self, state, mv)
    }

    fn writable_moves(&self, state: &State) -> Vec<Move> {
        rules::writable_moves(self, state)
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        rules::shortfall(self, state)
    }

    fn variant(&self) -> String {
        let walls = self.walls.cells().iter().any(|&sides| sides != 0);
        let mut words = Vec::new();
        words.extend(self.edge_stops.then_some("edge stop"));
        words.extend(walls.then_some("walls"));
        words.join(", ")
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        bound::Relaxed::new(self, switches)
    }

    /// No plan needs to meet a state twice, so none is longer than there are states.
    fn longest_plan(&self) -> Option<u32> {
        fast::states(self).and_then(|states| u32::try_from(states - 1).ok())
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        generate::generate(spec, random)
    }

    fn view(&self, state: &State) -> View {
        picture::view(self, state)
    }

    fn film(&self, state: &State, mv: Move) -> Vec<View> {
        picture::film(self, state, mv)
    }

    fn grip(&self, _state: &State, mv: Move) -> Grip {
        picture::grip(self, mv)
    }
}
