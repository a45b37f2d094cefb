//! The exact search for the cheapest path, by either measure.
//!
//! A *walk* may use a piece twice; a *path* may not. The cheapest walk is easy to find, the
//! cheapest path is NP-hard in general. On most boards the cheapest walk already is a path. Where
//! it is not, three techniques are combined:
//!
//! - *Memory* (`rounds.rs`): the pieces on a loop remember the piece where the walk crossed itself,
//!   and the search for the cheapest walk is repeated. Good where crossings are few and local,
//!   however large the board.
//! - *Trimming* (`trim.rs`): nodes that a walk can use, but a path cannot, are found by dominators
//!   and closed. Good where the board is a maze of straight runs; it proves most boards without a
//!   path unsolvable.
//! - *Splitting* (`splits.rs`): a walk uses a piece in two ways, and a path in at most one of them;
//!   so the search branches on which of the two is closed, and trims both boards. Good for what
//!   remains.
//!
//! Memory runs first with a small effort. If that does not solve the level, we trim, and then
//! memory and splitting alternate, each time with twice the effort. So the search takes not much
//! longer than the better of the two. Each of them alone is complete: it ends with the cheapest
//! path, or with a proof that there is none.

use super::path_problem::{Best, Passage, PathProblem};
use super::rounds::Rounds;
use super::rules::{Move, PipeMania};
use super::splits::Splits;
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "walk",
        about: "stop at once if the cheapest walk is a path",
    },
    Rule {
        name: "first-turn",
        about: "try memory before trimming",
    },
    Rule {
        name: "memory",
        about: "remember crossings; without it, boards are only split, unless a piece is required",
    },
    Rule {
        name: "local-memory",
        about: "remember a crossing only along its loop, not on the whole board",
    },
    Rule {
        name: "trim",
        about: "close nodes that walks can use but paths cannot",
    },
    Rule {
        name: "split",
        about: "alternate memory with splitting the board at a crossing",
    },
    Rule {
        name: "required-bound",
        about: "bound the remaining cost by the required pieces",
    },
];

pub(super) fn search(
    level: &PipeMania,
    measure: &str,
    switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    let mut best = Best::default();
    let ended = PathProblem::new(level, measure, switches, budget)
        .and_then(|problem| problem.map_or(Ok(()), |problem| solve(problem, &mut best, budget)));
    let effort = best.effort;
    let found = best.path.map(|(cost, path)| (turns(level, &path), cost));
    let at_least = best.at_least;
    let outcome = match ended {
        Ok(()) => Outcome::proven(found, at_least),
        Err(why) => Outcome::at_limit(found, at_least, why),
    };
    Report { outcome, effort }
}

/// The plan of a path: the quarter turns that its pieces need, in the order of the path.
fn turns(level: &PipeMania, path: &[Passage]) -> Vec<Move> {
    let mut plan = Vec::new();
    for &(place, entered, out) in path {
        let turns = level.board[place].turns_to_lead(entered, out);
        let mv = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        let turns = turns.expect("the search found this passage through the piece");
        plan.extend((0..turns).map(|_| mv));
    }
    plan
}

/// How a run with limited effort ended.
pub(super) enum RunEnd {
    /// The best path is proven optimal, or it is proven that there is none.
    Proven,
    /// The effort is spent, and there is more to do.
    Paused,
}

/// The effort of the first run, in expanded nodes: for each node of the board, and a constant.
const FIRST_EFFORT: (u64, u64) = (1, 500);
/// Expanding a label of memory takes as long as trimming several nodes, so memory gets only this
/// fraction of the effort.
const MEMORY_DIVISOR: u64 = 16;

fn solve(mut problem: PathProblem, best: &mut Best, budget: &Budget) -> Result<(), Limit> {
    let distances = problem.distances(budget)?;
    let Some((cost, walk)) = problem.cheapest_walk(&distances) else {
        return Ok(());
    };
    best.at_least = cost;
    let (switches, plain) = (problem.switches, problem.required.is_empty());
    if switches.on("walk") && plain && problem.crossings(&walk).is_empty() {
        best.offer(cost, &problem, &walk);
        return Ok(());
    }
    let mut effort = FIRST_EFFORT.0 * problem.graph.nodes() as u64 + FIRST_EFFORT.1;
    let mut rounds = Rounds::new(&problem, distances, budget)?;
    let mut splits = (switches.on("split") && plain).then(Splits::default);
    let remember = switches.on("memory") || splits.is_none();
    if remember
        && switches.on("first-turn")
        && let RunEnd::Proven = rounds.run(&problem, effort, best, budget)?
    {
        return Ok(());
    }
    let mut untrimmed = switches.on("trim");
    // Memory gets more of the first effort, because trimming has made its search easier.
    let mut memory_effort = effort / 2;
    loop {
        // Any path serves as the answer if time runs out, and as an upper bound for trimming.
        let known = best.cost();
        rounds.first_path(&problem, effort / MEMORY_DIVISOR, best, budget)?;
        if untrimmed || switches.on("trim") && best.cost() < known {
            untrimmed = false;
            match trimmed(&mut problem, rounds, best, budget)? {
                Some(next) => rounds = next,
                None => return Ok(()),
            }
        }
        if remember && let RunEnd::Proven = rounds.run(&problem, memory_effort, best, budget)? {
            return Ok(());
        }
        if let Some(splits) = &mut splits
            && let RunEnd::Proven = splits.run(&mut problem, effort, best, budget)?
        {
            return Ok(());
        }
        if best.at_least >= best.cost() {
            return Ok(());
        }
        effort *= 2;
        memory_effort = effort / MEMORY_DIVISOR;
    }
}

/// The rounds on the trimmed board; `None`: no path on it is cheaper than the best one.
fn trimmed(
    problem: &mut PathProblem,
    rounds: Rounds,
    best: &mut Best,
    budget: &Budget,
) -> Result<Option<Rounds>, Limit> {
    problem.trim(best, budget)?;
    let distances = problem.distances(budget)?;
    let walk = problem.cheapest_walk(&distances);
    if walk.is_none_or(|(cost, _)| cost >= best.cost()) {
        return Ok(None);
    }
    Ok(Some(rounds.restricted_to(problem, distances, budget)?))
}
