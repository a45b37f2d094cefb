//! Pipe Mania: turn pieces of pipe until a path joins two B pieces. README.md has the rules; they follow the thesis of
//! Guilherme Banci (Universidade de Brasília, 2022).

mod bound;
mod constraint;
mod count;
mod distances;
mod dominators;
mod formats;
mod generate;
mod graph;
mod look;
mod paints;
mod paths;
mod picture;
mod piece;
mod planning;
mod problem;
mod rounds;
mod rules;
mod space;
mod splits;
#[cfg(test)]
mod tests;
mod text;
mod trim;

pub use piece::{Kind, Tile};
pub use rules::{Move, PipeMania, Place, State};

use crate::game::CountPlans;
use crate::*;

impl Game for PipeMania {
    const NAME: &'static str = "pipe-mania";
    const MEASURES: &'static [Measure] = &[
        Measure {
            name: "pieces",
            additive: false,
        },
        Measure {
            name: "pieces+rotations",
            additive: false,
        },
    ];
    const FORMATS: &'static [Format<Self>] = formats::FORMATS;
    const SEARCHES: &'static [OwnSearch<Self>] = &[OwnSearch {
        name: "paths",
        about: "the cheapest path over pieces, from which the turns follow",
        measures: &["pieces", "pieces+rotations"],
        run: paths::search,
    }];
    const COUNT_PLANS: Option<CountPlans<Self>> = Some(count::best_paths);
    const RULES: &'static [Rule] = paths::RULES;
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
    const KNOBS: &'static [Knob] = generate::KNOBS;
    const README: &'static str = include_str!("README.md");
    const PAINTS: &'static [Paint] = paints::PAINTS;
    const OPTIONS: &'static [Rule] = paints::OPTIONS;
    const LEVELS: &'static [Builtin] = levels![
        "01-one-turn",
        "02-round-the-corner",
        "03-loop-the-loop",
        "04-no-second-helping",
        "05-the-far-side",
        "06-one-way-streets",
        "07-nailed-down",
        "08-scenic-route",
        "09-past-the-station",
        "10-crossroads",
        "11-join-them-all",
        "12-so-near",
        "13-chessboard",
        "14-water-garden",
        "15-long-way-home",
        "16-neighbours",
    ];

    fn best_route(&self, _measure: &str) -> &'static str {
        "search:paths"
    }

    fn parse(document: &Document) -> Result<Self, BadText> {
        text::parse(document)
    }

    fn write(&self, state: &State) -> Sheet {
        text::write(self, state)
    }

    fn warnings(&self) -> &[BadText] {
        &self.warnings
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        text::print_move(mv)
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        text::parse_move(text)
    }

    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        rules::play(self, state, mv)
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        let mv = |(row, col): Place| Move {
            row: row as u16,
            col: col as u16,
        };
        self.board.places().map(mv).collect()
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        rules::shortfall(self, state)
    }

    fn plan_cost(&self, measure: &str, plan: &[Move], end: &State) -> u32 {
        rules::plan_cost(self, measure, plan, end)
    }

    fn variant(&self) -> String {
        let options = text::write(self, &self.start()).options;
        let options = options.iter().map(|(key, value)| format!("{key} {value}"));
        options.collect::<Vec<_>>().join(", ")
    }

    fn guide(&self, _switches: &Switches) -> impl Guide<Self> + Send {
        bound::Turns::new(self)
    }

    fn longest_plan(&self) -> Option<u32> {
        let tiles = self
            .turnable
            .iter()
            .map(|&cell| self.board.cells()[cell as usize]);
        let most = tiles.map(|tile| if tile.kind == Kind::Straight { 1 } else { 3 });
        Some(most.sum())
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
            toward: None,
        }
    }
}
