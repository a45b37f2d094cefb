//! Puzznic (Taito 1989): blocks are moved to the left and right until equal ones meet and vanish. README.md has the
//! rules.

mod beam;
mod bitboard;
mod bound;
mod constraint;
mod deepening;
mod estimate;
mod fast;
mod formats;
mod generate;
mod nodes;
mod packer;
mod paints;
mod picture;
mod pits;
mod planning;
mod rules;
mod search;
mod stars;
#[cfg(test)]
mod tests;
mod text;
mod trios;

pub use fast::State;
pub use rules::{Move, Puzznic};

use crate::*;

impl Game for Puzznic {
    const NAME: &'static str = "puzznic";
    const MEASURES: &'static [Measure] = &[Measure {
        name: "moves",
        additive: true,
    }];
    const FORMATS: &'static [Format<Self>] = formats::FORMATS;
    const SEARCHES: &'static [OwnSearch<Self>] = search::SEARCHES;
    const RULES: &'static [Rule] = bound::RULES;
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
    const KNOBS: &'static [Knob] = generate::KNOBS;
    const README: &'static str = include_str!("README.md");
    const PAINTS: &'static [Paint] = paints::PAINTS;
    const LIKENESS: Likeness = Likeness {
        mirror_columns: true,
        is_name: |c| c.is_ascii_alphabetic(),
        ..Likeness::NONE
    };
    const LEVELS: &'static [Builtin] = levels![
        "01-first-step",
        "02-over-the-edge",
        "03-three-at-once",
        "04-pull-the-rug",
        "05-so-near",
        "06-bridge",
        "07-diamond",
        "08-stepping-down",
        "09-drawbridge",
        "10-odd-ones",
        "11-octagon",
        "12-upstairs-downstairs",
        "13-two-doors",
        "14-hourglass"
    ];

    fn best_route(&self, _measure: &str) -> &'static str {
        if search::fits(self) {
            "search:bitboard"
        } else {
            "search:astar"
        }
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

    /// Column by column from the top, as the fast moves come.
    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        let (rows, cols) = (self.written.rows() as u16, self.written.cols() as u16);
        let places = (0..cols).flat_map(|col| (0..rows).map(move |row| (row, col)));
        let both = |(row, col)| [Side::Left, Side::Right].map(|side| Move { row, col, side });
        places.flat_map(both).collect()
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        rules::shortfall(self, state)
    }

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        bound::Bound::new(self, switches)
    }

    fn longest_plan(&self) -> Option<u32> {
        bound::longest_plan(self)
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
        Grip {
            row: i32::from(mv.row) + 1,
            col: i32::from(mv.col) + 1,
            toward: Some(mv.side),
        }
    }
}
