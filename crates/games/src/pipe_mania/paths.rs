//! The exact search for the cheapest path, by either measure.
//!
//! The cheapest *walk* may use a piece twice; the cheapest *path* may not, and finding it is NP-hard in general. But on
//! most boards the cheapest walk is a path already. Where it is not, three ideas share the work:
//!
//! - *Memory* (`rounds.rs`): the pieces on a loop learn to remember the piece where the walk crossed itself, and we look for
//!   the cheapest walk again. This is good where crossings are few and local, however large the board.
//! - *Trimming* (`trim.rs`): pieces that a walk can use, but a path cannot, are found by dominators and closed. This is
//!   good where the board is a maze of straight runs; most boards without a path fall apart by it.
//! - *Splitting* (`splits.rs`): a walk uses a piece in two ways, a path uses it in one of them at most; so we close the one or the
//!   other, and trim both boards. This is good for what remains.
//!
//! Memory begins; if a little of it is not enough, we trim, and from there on memory and splitting take turns, each with
//! twice the effort of its turn before. So the search takes not much longer than the better of the two. Each of them alone
//! is complete: it ends with the cheapest path, or with a proof that there is none.

use super::problem::{Best, Passage, Problem};
use super::rounds::Rounds;
use super::rules::{Move, PipeMania};
use super::splits::Splits;
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "walk",
        about: "take the cheapest walk at once where it is a path",
    },
    Rule {
        name: "first-turn",
        about: "let memory try before trimming",
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
        about: "close what walks can use but paths cannot",
    },
    Rule {
        name: "split",
        about: "take turns with splitting the board at a crossing",
    },
    Rule {
        name: "required-bound",
        about: "bound the way that is left by the required pieces",
    },
];

pub(super) fn search(
    level: &PipeMania,
    measure: &str,
    switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    let mut best = Best::default();
    let ended = Problem::new(level, measure, switches, budget)
        .and_then(|problem| problem.map_or(Ok(()), |problem| solve(problem, &mut best, budget)));
    let effort = best.effort;
    let found = best.path.map(|(cost, path)| (turns(level, &path), cost));
    let at_least = best.at_least;
    let outcome = match (ended, found) {
        (Ok(()), Some((plan, cost))) => Outcome::Optimal { plan, cost },
        (Ok(()), None) => Outcome::Unsolvable,
        (Err(_), Some((plan, cost))) if cost <= at_least => Outcome::Optimal { plan, cost },
        (Err(why), Some((plan, cost))) => Outcome::Feasible {
            plan,
            cost,
            at_least,
            why,
        },
        (Err(why), None) => Outcome::GaveUp { at_least, why },
    };
    Report { outcome, effort }
}

/// The turns that the pieces of a path need, in the order of the path.
fn turns(level: &PipeMania, path: &[Passage]) -> Vec<Move> {
    let mut plan = Vec::new();
    for &(place, entered, out) in path {
        let turns = level.board[place].turns_to_lead(entered, out);
        let mv = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        let turns = turns.expect("the search took this way through the piece");
        plan.extend((0..turns).map(|_| mv));
    }
    plan
}

/// What a search did with the effort it was given.
pub(super) enum Work {
    /// The best path is proven the best, or that there is none.
    Proven,
    /// There is more to do.
    Paused,
}

/// The effort of the first turn, in nodes looked at: for each node of the board, and in all.
const FIRST_TURN: (u64, u64) = (1, 500);
/// A label of memory costs as much as several nodes of trimming, so it gets a smaller share of a turn.
const SHARE_OF_MEMORY: u64 = 16;

fn solve(mut problem: Problem, best: &mut Best, budget: &Budget) -> Result<(), Limit> {
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
    let mut turn = FIRST_TURN.0 * problem.graph.nodes() as u64 + FIRST_TURN.1;
    let mut rounds = Rounds::new(&problem, distances, budget)?;
    let mut splits = (switches.on("split") && plain).then(Splits::default);
    let remember = switches.on("memory") || splits.is_none();
    if remember
        && switches.on("first-turn")
        && let Work::Proven = rounds.work(&problem, turn, best, budget)?
    {
        return Ok(());
    }
    let mut untrimmed = switches.on("trim");
    // Memory gets most of the first turn, because trimming has made it easier.
    let mut share = turn / 2;
    loop {
        // A path is at hand when time runs out, and what cannot cost less than it can be closed.
        let known = best.cost();
        rounds.first_path(&problem, turn / SHARE_OF_MEMORY, best, budget)?;
        if untrimmed || switches.on("trim") && best.cost() < known {
            untrimmed = false;
            match trimmed(&mut problem, rounds, best, budget)? {
                Some(next) => rounds = next,
                None => return Ok(()),
            }
        }
        if remember && let Work::Proven = rounds.work(&problem, share, best, budget)? {
            return Ok(());
        }
        if let Some(splits) = &mut splits
            && let Work::Proven = splits.work(&mut problem, turn, best, budget)?
        {
            return Ok(());
        }
        if best.at_least >= best.cost() {
            return Ok(());
        }
        turn *= 2;
        share = turn / SHARE_OF_MEMORY;
    }
}

/// The rounds on what is left of the board after trimming; `None`: no path is left that is cheaper than the best.
fn trimmed(
    problem: &mut Problem,
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
    Ok(Some(rounds.on(problem, distances, budget)?))
}
