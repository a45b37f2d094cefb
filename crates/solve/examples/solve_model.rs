//! Solves an Essence Prime model by every technology, and prints the solution: a knapsack. MIP is
//! left out, because its solver is another program, which this example may not run.
//!
//! `cargo run -p ployglot-solve --example solve_model`

use ployglot_base::Budget;
use ployglot_eprime::{Model, Params};
use ployglot_solve::{ModelFailure, Technology, solve_model};

const MODEL: &str = "language ESSENCE' 1.0
given weight, profit : matrix indexed by [int(1..items)] of int
given capacity : int
find packed : matrix indexed by [int(1..items)] of bool
maximising sum i : int(1..items) . packed[i] * profit[i]
such that (sum i : int(1..items) . packed[i] * weight[i]) <= capacity
";

const PARAMS: &str = "letting weight be [12, 2, 1, 4, 1]
letting profit be [4, 2, 1, 10, 2]
letting capacity be 15
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::parse(MODEL)?;
    let params = Params::parse(PARAMS)?;
    let inside = |technology: &&Technology| technology.tool().is_none();
    for &technology in Technology::ALL.iter().filter(inside) {
        let mut report = |_: &_, objective: Option<i64>, bound: Option<i64>| {
            println!("  objective {objective:?}, bound {bound:?}");
        };
        println!("{technology}:");
        let budget = Budget::unlimited();
        let answer = solve_model(&model, &params, technology, 1, &budget, &mut report);
        let answer = answer.map_err(|failure| match failure {
            ModelFailure::Fault(fault) => fault.to_string(),
            ModelFailure::Defect(why) | ModelFailure::Missing(why) => why,
        })?;
        println!("  {}", answer.status.word());
        for solution in &answer.solutions {
            print!("{solution}");
        }
    }
    Ok(())
}
