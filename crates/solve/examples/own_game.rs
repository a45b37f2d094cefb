//! A game of one's own in about a hundred lines: add one or double until the number is right.
//!
//!     cargo run -p ployglot-solve --example own_game
//!
//! The bounds and the models keep their defaults, so the game is searched blindly.

use ployglot_games::*;
use ployglot_search::breadth_first::breadth_first;
use ployglot_solve::{Request, solve};

/// A level: the number at the start, and the number to reach.
#[derive(Clone, Debug)]
struct Numbers {
    start: u64,
    goal: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Add,
    Double,
}

/// What searches need: the rules, and states packed into machine words.
#[rustfmt::skip]
impl Space for Numbers {
    type State = u64;
    type Move = Step;

    fn start(&self) -> u64 { self.start }
    fn is_goal(&self, state: &u64) -> bool { *state == self.goal }
    fn moves(&self, state: &u64, moves: &mut Vec<Step>) { moves.extend(legal_moves(self, state)); }
    fn apply(&self, state: &u64, mv: Step) -> u64 { self.play(state, mv).expect("it was listed") }
    fn words(&self) -> usize { 1 }
    fn pack(&self, state: &u64, words: &mut [u64]) { words[0] = *state; }
    fn unpack(&self, words: &[u64]) -> u64 { words[0] }
}

impl Rules for Numbers {
    const MEASURES: &'static [Measure] = &[Measure {
        name: "steps",
        additive: true,
    }];

    fn play(&self, state: &u64, mv: Step) -> Result<u64, Refusal> {
        let next = match mv {
            Step::Add => state + 1,
            Step::Double => state * 2,
        };
        let too_large = || Refusal::new("the number would be larger than the goal");
        (next <= self.goal).then_some(next).ok_or_else(too_large)
    }

    fn writable_moves(&self, _state: &u64) -> Vec<Step> {
        vec![Step::Add, Step::Double]
    }

    fn shortfall(&self, state: &u64) -> Option<String> {
        (*state != self.goal).then(|| format!("the number is {state}, not {}", self.goal))
    }
}

impl Text for Numbers {
    const SYMBOLS: &'static [Symbol] = &[];

    /// The board is the number at the start; the option `goal` is the number to reach.
    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&["goal"])?;
        let goal = document.required("goal")?.number(1..=1000)? as u64;
        let number = document.board.first().and_then(|row| row.text.parse().ok());
        let bad = || BadText::new(document.board_line(), 1, "the board is a number");
        let start = number.ok_or_else(bad)?;
        Ok(Numbers { start, goal })
    }

    fn write(&self, state: &u64) -> LevelText {
        LevelText {
            options: vec![("goal", self.goal.to_string())],
            rows: vec![state.to_string()],
        }
    }

    fn print_move(&self, _state: &u64, mv: Step) -> String {
        format!("{mv:?}").to_lowercase()
    }

    fn parse_move(&self, state: &u64, text: &str) -> Result<Step, BadText> {
        let wanted = text.trim().to_lowercase();
        let mut moves = self.writable_moves(state).into_iter();
        let found = moves.find(|&mv| self.print_move(state, mv) == wanted);
        found.ok_or_else(|| BadText::new(1, 1, "a move is 'add' or 'double'"))
    }
}

impl Pictures for Numbers {
    fn view(&self, state: &u64) -> View {
        let mut view = View::new(1, 2);
        view.add_status("number", state.to_string());
        view
    }

    fn gesture(&self, _state: &u64, mv: Step) -> Gesture {
        let (row, col) = (1, 1 + mv as i32);
        let toward = None;
        Gesture { row, col, toward }
    }
}

impl Generation for Numbers {
    fn generate(_spec: &Spec, random: &mut Random) -> Result<Self, String> {
        let goal = 1 + random.below(1000) as u64;
        Ok(Numbers { start: 1, goal })
    }
}

/// What certificates list: the numbers that are reached.
#[rustfmt::skip]
impl Listing for Numbers {
    type Node = u64;

    fn lists(measure: &str) -> bool { measure == "steps" }
    fn roots(&self, _measure: &str) -> Vec<(u64, u32)> { vec![(self.start, 0)] }
    fn successors(&self, _measure: &str, node: &u64) -> Vec<(u64, u32)> {
        let steps = self.writable_moves(node).into_iter();
        steps.filter_map(|mv| Some((self.play(node, mv).ok()?, 1))).collect()
    }
    fn is_end(&self, node: &u64) -> bool { *node == self.goal }
    fn encode(&self, node: &u64, bytes: &mut Vec<u8>) { bytes.extend(node.to_be_bytes()); }
    fn decode(&self, bytes: &[u8]) -> Option<u64> { Some(u64::from_be_bytes(bytes.try_into().ok()?)) }
    fn describe(&self, node: &u64) -> String { node.to_string() }
}

impl Knowledge for Numbers {}

impl Models for Numbers {}

impl Game for Numbers {
    const NAME: &'static str = "numbers";
    const README: &'static str = "Add one or double until the number is right.";
    const LEVELS: &'static [BuiltinLevel] = &[];
}

fn main() -> Result<(), BadText> {
    let level = Numbers::parse(&Document::parse("game: numbers\ngoal: 100\n\n1\n")?)?;

    // By the best route, which is A* by default.
    let answer = solve(&level, &Request::default(), &Budget::unlimited());
    let answer = answer.expect("the request names nothing unknown");
    println!("{}: {:?} steps", answer.status.word(), answer.cost);

    // By a plain search, judged by the referee.
    let report = breadth_first(&level, &|| Blind, &Budget::unlimited());
    let Outcome::Optimal { plan, cost } = report.outcome else {
        panic!("this level has a plan");
    };
    println!("{}", plan::print(&level, &plan).join(", "));
    let ruling = judge(&level, "steps", &plan);
    assert!(matches!(ruling, Ruling::Accepted { cost: 8, .. }));
    assert_eq!(answer.cost, Some(cost));
    Ok(())
}
