//! Solves a level of Plotting by three routes that check each other, and prints the plan.
//!
//! `cargo run -p ployglot-solve --example solve_level`

use ployglot_base::{Budget, Space};
use ployglot_games::{Document, Plotting, Text};
use ployglot_solve::{Request, disagreement, solve};

const LEVEL: &str = "game: plotting
goal: 2

RGB
GRR
BGR
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let level = Plotting::parse(&Document::parse(LEVEL)?)?;
    let mut answers = Vec::new();
    for route in ["search:astar", "pddl:natural", "eprime:action:sat"] {
        let request = Request {
            route: Some(route.to_string()),
            ..Request::default()
        };
        let answer = solve(&level, &request, &Budget::unlimited())?;
        let cost = answer.cost.map_or("-".to_string(), |cost| cost.to_string());
        let status = answer.status.word();
        println!("{route}: {status}, {cost} {}", answer.measure);
        answers.push(answer);
    }
    match disagreement(&answers) {
        Some(contradiction) => println!("the routes disagree: {contradiction}"),
        None => println!("the routes agree"),
    }
    // The text of a move may depend on the state in which it is made.
    let mut state = level.start();
    for &mv in answers[0].plan.as_deref().unwrap_or_default() {
        println!("  {}", level.print_move(&state, mv));
        state = level.apply(&state, mv);
    }
    Ok(())
}
