//! Solutions of constraint models: checked against the original model, and read back into moves.

use ployglot_base::{BadText, Budget, Limit};
use ployglot_csp::Problem;
use ployglot_csp::check::check_within;
use ployglot_eprime::{Instance, Ruling, Solution};
use ployglot_games::{ConstraintModel, Game};

use crate::language::ModelText;

/// The judge of solutions of one instance: evaluates the original text, and shares no code with what
/// made the flat problem.
pub trait Judge {
    /// Values of the decision variables.
    type Solution;

    /// Whether the values are a solution. The outer error is the limit that ended the work.
    fn ruling(
        &self,
        solution: &Self::Solution,
        budget: &Budget,
    ) -> Result<Result<Ruling, BadText>, Limit>;
}

impl Judge for Instance<'_> {
    type Solution = Solution;

    fn ruling(
        &self,
        solution: &Solution,
        budget: &Budget,
    ) -> Result<Result<Ruling, BadText>, Limit> {
        self.judge_within(solution, budget)
    }
}

impl Judge for ployglot_essence::Instance<'_> {
    type Solution = ployglot_essence::Solution;

    fn ruling(
        &self,
        solution: &Self::Solution,
        budget: &Budget,
    ) -> Result<Result<Ruling, BadText>, Limit> {
        self.judge_within(solution, budget)
    }
}

/// A solution, if the checker of the flat problem and the judge of the original model accept it,
/// with its objective. The inner error is a defect of the back end that found the values; the outer
/// one is the limit that ended the check.
pub(crate) fn check_solution<S>(
    instance: &dyn Judge<Solution = S>,
    problem: &Problem,
    values: &[i32],
    solution: S,
    budget: &Budget,
) -> Result<Result<(S, Option<i64>), String>, Limit> {
    let objective = budget.last_check(|budget| {
        if let Err(violation) = check_within(problem, values, budget)? {
            return Ok(Err(format!("{violation:?}")));
        }
        Ok(match instance.ruling(&solution, budget)? {
            Ok(Ruling::Solves(objective)) => Ok(objective),
            Ok(Ruling::Outside(name)) => Err(format!("'{name}' is outside its domain")),
            Ok(Ruling::Breaks(bad)) | Err(bad) => Err(bad.to_string()),
        })
    })?;
    Ok(objective.map(|objective| (solution, objective)))
}

/// The moves that a solution of a game's model stands for. The error is the reason why it stands
/// for none.
pub fn read_solution<G: Game, M: ModelText>(
    level: &G,
    model: &ConstraintModel<G>,
    horizon: u32,
    solution: &M::Solution,
) -> Result<Vec<G::Move>, String> {
    (model.moves)(level, horizon, &|name, place| {
        M::number_at(solution, name, place)
    })
}
