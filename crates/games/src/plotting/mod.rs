//! Plotting: shoot the block in the hand into a pile of coloured blocks until few remain (Taito 1989; Espasa, Miguel
//! and Villaret, CP 2022). README.md has the rules.

mod bits;
mod bound;
mod constraint;
mod fast;
mod formats;
mod gains;
mod generate;
mod paints;
mod picture;
mod planning;
mod rules;
#[cfg(test)]
mod tests;
mod text;

pub use rules::{Move, Plotting, State};

use crate::*;

impl Game for Plotting {
    const NAME: &'static str = "plotting";
    const MEASURES: &'static [Measure] = &[Measure {
        name: "shots",
        additive: true,
    }];
    const FORMATS: &'static [Format<Self>] = formats::FORMATS;
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
    const RULES: &'static [Rule] = bound::RULES;
    const KNOBS: &'static [Knob] = generate::KNOBS;
    const README: &'static str = include_str!("README.md");
    const PAINTS: &'static [Paint] = paints::PAINTS;
    const OPTIONS: &'static [Rule] = paints::OPTIONS;
    const LIKENESS: Likeness = Likeness {
        is_name: |c| c.is_ascii_uppercase(),
        ..Likeness::NONE
    };
    const LEVELS: &'static [Builtin] = levels![
        "01-first-shot",
        "02-around-the-corner",
        "03-swap-and-swap",
        "04-staircase",
        "05-loaded-hand",
        "06-one-too-few",
        "07-barred-windows",
        "08-second-wind",
        "09-tower",
        "10-long-shelf",
        "11-chequers",
        "12-four-winds",
        "13-mosaic",
    ];

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:sweep"
    }

    fn parse(document: &Document) -> Result<Self, BadText> {
        text::parse(document)
    }

    fn write(&self, state: &State) -> Sheet {
        text::write(self, state)
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        text::print_move(mv)
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        text::parse_move(self, text)
    }

    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        rules::play(self, state, mv)
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        self.writable()
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        rules::shortfall(self, state)
    }

    fn variant(&self) -> String {
        text::variant(self)
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        bound::Removal::new(self, switches)
    }

    fn longest_plan(&self) -> Option<u32> {
        // Every shot removes a block.
        Some(self.blocks(&self.start()).saturating_sub(self.goal) as u32)
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
        picture::grip(mv)
    }
}
