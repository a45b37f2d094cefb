//! Essence specifications: refined, then satisfied, optimised, enumerated, or swept over a parameter up
//! to the first value that has a solution. Every solution is judged on abstract values before it is
//! reported.

use ployglot_base::{Budget, Progress};
use ployglot_csp::SolveResult;
use ployglot_essence::{Model, Params, Solution};

use crate::model::{
    Flat, ModelAnswer, ModelFailure, ModelRun, ModelStatus, ReportSolution, SweepStep, check,
};
use crate::optimisation::Optimisation;
use crate::technology::Technology;

/// Satisfies or optimises a specification with these parameters. Without an objective, lists up to
/// `most` solutions. Each solution is reported as it is found.
pub fn solve_essence(
    model: &Model,
    params: &Params,
    technology: Technology,
    optimisation: &Optimisation,
    most: usize,
    budget: &Budget,
    report: &mut ReportSolution<Solution>,
) -> Result<ModelAnswer<Solution>, ModelFailure> {
    technology.ready(budget).map_err(ModelFailure::Missing)?;
    let run = ModelRun::new(technology, budget);
    let started = run.now();
    let instance = match model.instance_within(params, budget) {
        Ok(instance) => instance?,
        Err(limit) => return Ok(run.end(limit)),
    };
    let mut refined = match instance.refine_within(budget) {
        Ok(refined) => refined?,
        Err(limit) => return Ok(run.end(limit)),
    };
    let problem = std::mem::take(&mut refined.problem);
    let flat = Flat {
        problem,
        decisions: refined.decisions().collect(),
        read: &|values| refined.solution(values),
    };
    run.list(&instance, started, flat, optimisation, most, report)
}

/// Raises a parameter from `first` until there is a solution, at most up to `last`. Each value is
/// refined and solved afresh, and reported when it is decided.
pub fn sweep_essence(
    model: &Model,
    params: &Params,
    technology: Technology,
    (name, first, last): (&str, i64, Option<i64>),
    budget: &Budget,
    mut report: impl FnMut(&SweepStep),
) -> Result<ModelAnswer<Solution>, ModelFailure> {
    technology.ready(budget).map_err(ModelFailure::Missing)?;
    let mut run = ModelRun::new(technology, budget);
    let mut params = params.clone();
    let mut value = first;
    while last.is_none_or(|last| value <= last) {
        let progress = || Progress {
            phase: "horizon",
            depth: u32::try_from(value).unwrap_or(0),
            ..Progress::default()
        };
        if let Err(limit) = budget.check(progress) {
            return Ok(run.end(limit));
        }
        let started = run.now();
        params.set_number(name, value);
        let instance = match model.instance_within(&params, budget) {
            Ok(instance) => instance?,
            Err(limit) => return Ok(run.end(limit)),
        };
        let refined = match instance.refine_within(budget) {
            Ok(refined) => refined?,
            Err(limit) => return Ok(run.end(limit)),
        };
        let unrolling = run.now() - started;
        run.answer.unrolling += unrolling;
        run.restart();
        let started = run.now();
        let result = run.satisfy(&refined.problem, &[]);
        let step = SweepStep {
            value,
            satisfiable: match result {
                SolveResult::Satisfiable(_) => Some(true),
                SolveResult::Unsatisfiable => Some(false),
                SolveResult::GaveUp(_) => None,
            },
            unrolling,
            solving: run.now() - started,
            size: run.answer.size,
        };
        report(&step);
        run.answer.steps.push(step);
        match result {
            SolveResult::GaveUp(limit) => return Ok(run.end(limit)),
            SolveResult::Unsatisfiable => match value.checked_add(1) {
                Some(next) => value = next,
                None => return Ok(run.answer),
            },
            SolveResult::Satisfiable(values) => {
                let (problem, found) = (&refined.problem, refined.solution(&values));
                let checked = check(technology, &instance, problem, &values, found, budget);
                let (solution, objective) = match checked {
                    Ok(checked) => checked?,
                    Err(limit) => return Ok(run.end(limit)),
                };
                run.answer.status = ModelStatus::Satisfiable;
                run.answer.objective = objective;
                run.answer.solutions.push(solution);
                if problem.objective.is_some() {
                    let read = |values: &[i32]| refined.solution(values);
                    let ignore = &mut |_: &Solution, _: Option<i64>, _: Option<i64>| {};
                    run.optimise(&instance, problem, &[], &read, ignore)?;
                }
                return Ok(run.answer);
            }
        }
    }
    Ok(run.answer)
}
