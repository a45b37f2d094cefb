//! Where a designer's plan and the best plans part: the first move after which the par can no longer be met.

use ployglot_base::Budget;
use ployglot_games::{Game, Ruling, judge};

use super::start_at;
use crate::answer::Status;
use crate::{BadRequest, Request, solve};

#[derive(Clone, Debug)]
pub enum Parting<G: Game> {
    /// The plan is not accepted, so there is nothing to compare: the referee's words.
    Rejected(String),
    /// No plan is cheaper.
    Best { cost: u32 },
    /// There is a cheaper plan: both are the same for `common` moves, and there, in `state`, the better one goes on with
    /// `better`.
    Shortcut {
        cost: u32,
        best: u32,
        common: usize,
        state: G::State,
        better: Vec<G::Move>,
    },
    /// It is not known whether there is a cheaper plan.
    Open { cost: u32, at_least: u32 },
}

/// Compares a plan with the best ones. The common part is as long as possible: each prefix of the plan is asked what the
/// best way on from there is.
pub fn compare_plans<G: Game>(
    level: &G,
    plan: &[G::Move],
    budget: &Budget,
) -> Result<Parting<G>, BadRequest> {
    let measure = G::MEASURES[0].name;
    let cost = match judge(level, measure, plan) {
        Ruling::Accepted { cost, .. } => cost,
        Ruling::Illegal { at, refusal, .. } => {
            return Ok(Parting::Rejected(format!(
                "move {at} is illegal: {}",
                refusal.0
            )));
        }
        Ruling::Missed { shortfall, .. } => {
            return Ok(Parting::Rejected(format!(
                "it misses the goal: {shortfall}"
            )));
        }
    };
    let answer = solve(level, &Request::default(), budget)?;
    let at_least = answer.at_least.unwrap_or(0);
    let best = match (&answer.status, answer.cost) {
        (Status::Optimal, Some(best)) if best >= cost => return Ok(Parting::Best { cost }),
        (Status::Optimal | Status::Feasible(_), Some(best)) if best < cost => best,
        _ => return Ok(Parting::Open { cost, at_least }),
    };
    let mut parting = Parting::Shortcut {
        cost,
        best,
        common: 0,
        state: level.start(),
        better: answer.plan.unwrap_or_default(),
    };
    // The cost of a prefix and a way on must add up, move by move.
    if !G::MEASURES[0].additive {
        return Ok(parting);
    }
    let mut state = level.start();
    let mut spent = 0;
    for (made, &mv) in plan.iter().enumerate() {
        spent += level.cost(&state, mv);
        state = level.apply(&state, mv);
        let rest = solve(&start_at(level, &state), &Request::default(), budget)?;
        match (rest.cost, rest.plan) {
            (Some(rest), Some(better)) if spent + rest <= best => {
                parting = Parting::Shortcut {
                    cost,
                    best,
                    common: made + 1,
                    state: state.clone(),
                    better,
                };
            }
            _ => break,
        }
    }
    Ok(parting)
}
