//! The routes `pddl:NAME` and `pddl:NAME:ENGINE`: the level as a planning problem, grounded and
//! given to an engine, and the plan read back into moves.

use ployglot_base::{Budget, Report};
use ployglot_games::{Game, PlanningModel};
use ployglot_pddl::task::{Operator, OperatorId};
use ployglot_pddl::{CannotGround, Task, ground, parse_domain, parse_problem};

use crate::CannotSolve;
use crate::planner::{Engine, PlanRequest, plan_task};

/// Solves a level through one of its planning models.
pub(crate) fn run<G: Game>(
    level: &G,
    model: &PlanningModel<G>,
    engine: Engine,
    budget: &Budget,
) -> Result<Report<G::Move>, CannotSolve> {
    let text = (model.problem)(level).map_err(CannotSolve::Unfit)?;
    let task = NamedTask::new(model.domain, &text)?;
    let request = PlanRequest::new(engine);
    let planned = plan_task(&task.task, &request, budget, &mut |_, _| ());
    let report = planned.map_err(|bad| CannotSolve::Unfit(bad.0))?.report;
    let moves = |plan: Vec<OperatorId>| task.moves(level, model, &plan);
    Ok(Report {
        outcome: report.outcome.try_map(moves)?,
        effort: report.effort,
    })
}

/// A task, and the name and arguments of each operator's step.
struct NamedTask {
    task: Task,
    steps: Vec<Vec<String>>,
}

impl NamedTask {
    fn new(domain: &str, problem: &str) -> Result<Self, CannotSolve> {
        let domain = parse_domain(domain)
            .map_err(|bad| {
                CannotSolve::Defect(format!("the model's domain cannot be read: {bad}"))
            })?
            .value;
        let problem = parse_problem(problem, &domain)
            .map_err(|bad| {
                CannotSolve::Defect(format!("the model's problem cannot be read: {bad}"))
            })?
            .value;
        let task =
            ground(&domain, &problem).map_err(|CannotGround(why)| CannotSolve::of_model(why))?;
        let step = |operator: &Operator| {
            let action = domain.actions[operator.step.action].name.clone();
            let arguments = operator
                .step
                .arguments
                .iter()
                .map(|object| problem.objects[object.0 as usize].name.clone());
            std::iter::once(action).chain(arguments).collect()
        };
        let steps = task.operators.iter().map(step).collect();
        Ok(Self { task, steps })
    }

    /// The moves that a plan of the task stands for.
    fn moves<G: Game>(
        &self,
        level: &G,
        model: &PlanningModel<G>,
        plan: &[OperatorId],
    ) -> Result<Vec<G::Move>, CannotSolve> {
        let steps: Vec<Vec<String>> = plan
            .iter()
            .map(|operator| self.steps[operator.0 as usize].clone())
            .collect();
        (model.moves)(level, &steps).map_err(CannotSolve::Defect)
    }
}
