//! A game that does almost nothing, to be copied for a new one: a token on a row of cells steps left or right until
//! it stands on the goal. README.md has its rules; CONTRIBUTING.md says how to copy it.

mod bound;
mod generate;
mod paints;
mod picture;
mod rules;
mod text;

pub use rules::{Move, State, Template};

use crate::*;

impl Game for Template {
    const NAME: &'static str = "template";
    const MEASURES: &'static [Measure] = &[Measure {
        name: "steps",
        additive: true,
    }];
    const FORMATS: &'static [Format<Self>] = text::FORMATS;
    const KNOBS: &'static [Knob] = generate::KNOBS;
    const README: &'static str = include_str!("README.md");
    const PAINTS: &'static [Paint] = paints::PAINTS;
    const LEVELS: &'static [Builtin] = levels!["1-step", "2-walk", "3-no-goal"];

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:astar"
    }

    fn parse(document: &Document) -> Result<Self, BadText> {
        text::parse(document)
    }

    fn write(&self, state: &State) -> Sheet {
        text::write(self, state)
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        mv.0.name().to_string()
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        text::parse_move(text)
    }

    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        rules::play(self, state, mv)
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        vec![Move(Side::Right), Move(Side::Left)]
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        rules::shortfall(self, state)
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        bound::Distance::new(self, switches)
    }

    fn longest_plan(&self) -> Option<u32> {
        Some(self.cells as u32 - 1)
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        generate::generate(spec, random)
    }

    fn view(&self, state: &State) -> View {
        picture::view(self, state)
    }

    fn grip(&self, state: &State, mv: Move) -> Grip {
        Grip {
            row: 1,
            col: i32::from(state.0) + 1,
            toward: Some(mv.0),
        }
    }
}
