//! The routes `pddl:NAME` and `pddl:NAME:ENGINE`: the level as a planning problem, grounded and given to an engine, and the plan read back
//! into moves.

use ployglot_base::{Budget, Outcome, Report, Space};
use ployglot_games::{Game, PlanningModel};
use ployglot_pddl::{CannotGround, Task, ground, parse_domain, parse_problem};

use crate::CannotSolve;
use crate::planner::{PlanRequest, plan_task};

/// Solves a level through one of its planning models.
pub(crate) fn run<G: Game>(
    level: &G,
    model: &PlanningModel<G>,
    engine: &str,
    budget: &Budget,
) -> Result<Report<G::Move>, CannotSolve> {
    let text = (model.problem)(level).map_err(CannotSolve)?;
    let task = task(model.domain, &text)?;
    let request = PlanRequest::engine(engine);
    let planned = plan_task(&task.task, &request, budget, &mut |_, _| ()).map_err(CannotSolve)?;
    let report = planned.report;
    let outcome = match report.outcome {
        Outcome::Optimal { plan, cost } => Outcome::Optimal {
            plan: task.moves(level, model, &plan)?,
            cost,
        },
        Outcome::Feasible {
            plan,
            cost,
            at_least,
            why,
        } => Outcome::Feasible {
            plan: task.moves(level, model, &plan)?,
            cost,
            at_least,
            why,
        },
        Outcome::Unsolvable => Outcome::Unsolvable,
        Outcome::GaveUp { at_least, why } => Outcome::GaveUp { at_least, why },
    };
    Ok(Report {
        outcome,
        effort: report.effort,
    })
}

/// A task, and the names of its steps.
struct Named {
    task: Task,
    names: Vec<Vec<String>>,
}

fn task(domain: &str, problem: &str) -> Result<Named, CannotSolve> {
    let domain = parse_domain(domain)
        .map_err(|bad| CannotSolve(format!("the model's domain: {bad}")))?
        .value;
    let problem = parse_problem(problem, &domain)
        .map_err(|bad| CannotSolve(format!("the model's problem: {bad}")))?
        .value;
    let task = ground(&domain, &problem).map_err(|CannotGround(why)| CannotSolve(why))?;
    let name = |operator: &ployglot_pddl::task::Operator| {
        let action = domain.actions[operator.step.action].name.clone();
        let objects = operator
            .step
            .arguments
            .iter()
            .map(|object| problem.objects[object.0 as usize].name.clone());
        std::iter::once(action).chain(objects).collect()
    };
    let names = task.operators.iter().map(name).collect();
    Ok(Named { task, names })
}

impl Named {
    fn moves<G: Game>(
        &self,
        level: &G,
        model: &PlanningModel<G>,
        plan: &[<Task as Space>::Move],
    ) -> Result<Vec<G::Move>, CannotSolve> {
        let steps: Vec<Vec<String>> = plan
            .iter()
            .map(|step| self.names[step.0 as usize].clone())
            .collect();
        (model.moves)(level, &steps).map_err(CannotSolve)
    }
}
