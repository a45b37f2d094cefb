//! The routes `pddl:NAME` and `pddl:NAME:ENGINE`: the level as a planning problem, grounded and
//! given to an engine, and the plan read back into moves.

use ployglot_base::{BadText, Budget, Limit, Outcome, Phase, Report};
use ployglot_games::{Game, PlanningModel, Ruling, judge};
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{
    CannotGround, CannotRead, Task, ground_within, parse_domain_within, parse_problem_within,
};

use crate::CannotSolve;
use ployglot_engines::{Engine, PlanRequest, ended_before, plan_task};

/// Solves a level through one of its planning models.
pub(crate) fn run<G: Game>(
    level: &G,
    model: &PlanningModel<G>,
    engine: Engine,
    budget: &Budget,
) -> Result<Report<G::Move>, CannotSolve> {
    let text = (model.problem)(level).map_err(CannotSolve::Unfit)?;
    let task = match NamedTask::new(model.domain, &text, budget)? {
        Ok(task) => task,
        Err(limit) => return Ok(ended_before(limit)),
    };
    let request = PlanRequest::new(engine);
    let planned = budget.timed(Phase::Solving, || {
        plan_task(&task.task, &request, budget, &mut |_, _| ())
    });
    let report = planned.map_err(|bad| CannotSolve::Unfit(bad.0))?.report;
    let moves = |plan: Vec<OperatorId>| task.moves(level, model, &plan);
    let mut outcome = report.outcome.try_map(moves)?;
    // A plan that is not proven best may have steps that are no moves, such as a slide that is
    // started and stopped on the spot. So it may cost less than its steps.
    if let Outcome::Feasible {
        plan,
        cost,
        at_least,
        ..
    } = &mut outcome
        && let Ruling::Accepted { cost: played, .. } = judge(level, model.measure, plan)
    {
        *cost = played.clamp(*at_least, (*cost).max(*at_least));
    }
    Ok(Report {
        outcome,
        effort: report.effort,
    })
}

/// A task, with the domain and the problem, which have the names.
pub(crate) struct NamedTask {
    pub(crate) task: Task,
    pub(crate) domain: Domain,
    pub(crate) problem: Problem,
}

impl NamedTask {
    /// The inner error: a limit ended the reading or grounding.
    pub(crate) fn new(
        domain: &str,
        problem: &str,
        budget: &Budget,
    ) -> Result<Result<Self, Limit>, CannotSolve> {
        let defect = |what: &str, bad: BadText| {
            CannotSolve::Defect(format!("the model's {what} cannot be read: {bad}"))
        };
        let domain = match budget.timed(Phase::Reading, || parse_domain_within(domain, budget)) {
            Ok(read) => read.value,
            Err(CannotRead::Text(bad)) => return Err(defect("domain", bad)),
            Err(CannotRead::Limit(limit)) => return Ok(Err(limit)),
        };
        let read = || parse_problem_within(problem, &domain, budget);
        let problem = match budget.timed(Phase::Reading, read) {
            Ok(read) => read.value,
            Err(CannotRead::Text(bad)) => return Err(defect("problem", bad)),
            Err(CannotRead::Limit(limit)) => return Ok(Err(limit)),
        };
        let ground = || ground_within(&domain, &problem, budget);
        match budget.timed(Phase::Unrolling, ground) {
            Ok(task) => Ok(Ok(Self {
                task,
                domain,
                problem,
            })),
            Err(CannotGround::TooLarge(why)) => Err(CannotSolve::Unfit(why)),
            Err(CannotGround::Unsupported(why)) => Err(CannotSolve::Defect(why)),
            Err(CannotGround::Limit(limit)) => Ok(Err(limit)),
        }
    }

    /// The name and the arguments of an operator's step.
    fn step(&self, operator: &OperatorId) -> Vec<String> {
        let step = &self.task.operators[operator.0 as usize].step;
        let action = &self.domain.actions[step.action].name;
        let objects = step.arguments.iter();
        let names = objects.map(|object| &self.problem.objects[object.0 as usize].name);
        std::iter::once(action).chain(names).cloned().collect()
    }

    /// The moves that a plan of the task stands for.
    fn moves<G: Game>(
        &self,
        level: &G,
        model: &PlanningModel<G>,
        plan: &[OperatorId],
    ) -> Result<Vec<G::Move>, CannotSolve> {
        let steps: Vec<Vec<String>> = plan.iter().map(|operator| self.step(operator)).collect();
        (model.moves)(level, &steps).map_err(CannotSolve::Defect)
    }
}
