//! A designer's plan compared with the best plans: is it best, and if not, after which of its moves
//! can the par no longer be met?

use ployglot_base::{Budget, Effort, Limit, Outcome, Report};
use ployglot_games::{Game, Ruling, judge};

use super::start_at;
use crate::answer::{Status, certify};
use crate::{BadRequest, Request, solve};

/// How a plan compares with the best plans of its level.
#[derive(Clone, Debug)]
pub enum PlanComparison<G: Game> {
    /// The referee rejects the plan, for this reason.
    Rejected(String),
    /// No plan is cheaper.
    Best {
        /// The cost of the plan.
        cost: u32,
    },
    /// There is a cheaper plan.
    Shortcut {
        /// The cost of the plan.
        cost: u32,
        /// The cost of the cheaper plan.
        best: u32,
        /// The number of moves at the start that both plans have in common.
        common: usize,
        /// The state after the common moves.
        state: G::State,
        /// The moves of the cheaper plan from there.
        better: Vec<G::Move>,
    },
    /// It is not known whether there is a cheaper plan.
    Unknown {
        /// The cost of the plan.
        cost: u32,
        /// Proven: no plan costs less than this.
        at_least: u32,
    },
    /// A defect of the program: the solver's answer contradicts the plan, or itself.
    Defect(String),
}

/// Compares a plan with the best ones. The common part is as long as possible: the level is solved
/// again from the state after each prefix of the plan.
#[inline(never)]
pub fn compare_plans<G: Game>(
    level: &G,
    plan: &[G::Move],
    budget: &Budget,
) -> Result<PlanComparison<G>, BadRequest> {
    let measure = G::MEASURES[0].name;
    let cost = match judge(level, measure, plan) {
        Ruling::Accepted { cost, .. } => cost,
        Ruling::Illegal { at, refusal, .. } => {
            let why = format!("move {at} is illegal: {}", refusal.0);
            return Ok(PlanComparison::Rejected(why));
        }
        Ruling::Missed { shortfall, .. } => {
            let why = format!("it misses the goal: {shortfall}");
            return Ok(PlanComparison::Rejected(why));
        }
    };
    let answer = solve(level, &Request::default(), budget)?;
    // The referee accepts the plan, so the answer must agree with it.
    let report = Report {
        outcome: Outcome::at_limit(Some((plan.to_vec(), cost)), 0, Limit::Incomplete),
        effort: Effort::default(),
    };
    let name = "the given plan".to_string();
    let given = certify(level, measure, name, report, 0.0, budget);
    if let Status::Defect(why) = given.join(answer.clone()).status {
        return Ok(PlanComparison::Defect(why));
    }
    let at_least = answer.at_least.unwrap_or(0);
    let proven = answer.status == Status::Optimal;
    let best = match (&answer.status, answer.cost) {
        (Status::Optimal, Some(best)) if best >= cost => {
            return Ok(PlanComparison::Best { cost });
        }
        (Status::Optimal | Status::Feasible(_), Some(best)) if best < cost => best,
        _ => return Ok(PlanComparison::Unknown { cost, at_least }),
    };
    let mut comparison = PlanComparison::Shortcut {
        cost,
        best,
        common: 0,
        state: level.start(),
        better: answer.plan.unwrap_or_default(),
    };
    // Only where the cost is a sum over moves can the costs of prefix and rest be added.
    if !G::MEASURES[0].additive {
        return Ok(comparison);
    }
    let mut state = level.start();
    let mut spent = 0;
    for (made, &mv) in plan.iter().enumerate() {
        spent += level.cost(&state, mv);
        state = level.apply(&state, mv);
        let rest = solve(&start_at(level, &state), &Request::default(), budget)?;
        if let Status::Defect(why) = rest.status {
            return Ok(PlanComparison::Defect(why));
        }
        match (rest.cost, rest.plan) {
            (Some(rest), _) if proven && spent + rest < best => {
                return Ok(PlanComparison::Defect(format!(
                    "{} claims that every plan costs at least {best}, and the given plan, continued after {} moves, costs {}",
                    answer.route,
                    made + 1,
                    spent + rest
                )));
            }
            (Some(rest), Some(better)) if spent + rest <= best => {
                comparison = PlanComparison::Shortcut {
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
    Ok(comparison)
}
