//! Essence Prime models of anybody: satisfied, optimised, enumerated, or swept over a parameter to the first value that has a
//! solution. Every solution is judged by the original model before it is told.

use std::ops::ControlFlow;

use ployglot_base::{Budget, Limit, Progress};
use ployglot_csp::filter::filter;
use ployglot_csp::probe::probe;
use ployglot_csp::{
    Backend, Enumerated, Literal, Optimum, Problem, Size, SolveResult, VarId, optimise, solutions,
};
use ployglot_eprime::{Fault, Horizon, Instance, Model, Params, Ruling, Solution};

use crate::constraint::Technology;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelStatus {
    Satisfiable,
    Unsatisfiable,
    /// No solution has a better objective.
    Optimal,
    Limit(Limit),
}

impl ModelStatus {
    /// As in `--json`.
    pub fn word(&self) -> &'static str {
        match self {
            ModelStatus::Satisfiable => "satisfiable",
            ModelStatus::Unsatisfiable => "unsatisfiable",
            ModelStatus::Optimal => "optimal",
            ModelStatus::Limit(_) => "limit",
        }
    }
}

/// What came of a model.
#[derive(Clone, Debug)]
pub struct ModelAnswer {
    pub status: ModelStatus,
    pub solutions: Vec<Solution>,
    /// Of the last solution.
    pub objective: Option<i64>,
    /// Proven of the objective: no solution is better.
    pub bound: Option<i64>,
    pub unrolling: f64,
    pub solving: f64,
    pub variables: usize,
    pub rules: usize,
    pub size: Size,
    pub effort: u64,
    /// Each value of a sweep, with what was found there.
    pub steps: Vec<SweepStep>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SweepStep {
    pub value: i64,
    pub satisfiable: Option<bool>,
    pub unrolling: f64,
    pub solving: f64,
    pub size: Size,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum ModelFailure {
    /// In one of the texts.
    Fault(Fault),
    /// The judge rejects what a back end claims.
    Defect(String),
}

impl From<Fault> for ModelFailure {
    fn from(fault: Fault) -> Self {
        ModelFailure::Fault(fault)
    }
}

/// Hears of each solution, with its objective and what is proven of it where there is one; and again when more is proven.
pub type Tell<'t> = dyn FnMut(&Solution, Option<i64>, Option<i64>) + 't;

/// A solver that follows one problem, with the clock.
struct Run<'a> {
    backend: Box<dyn Backend>,
    technology: &'a Technology,
    budget: &'a Budget,
    answer: ModelAnswer,
}

impl<'a> Run<'a> {
    fn new(technology: &'a Technology, budget: &'a Budget) -> Self {
        Self {
            backend: (technology.make)(),
            technology,
            budget,
            answer: ModelAnswer {
                status: ModelStatus::Unsatisfiable,
                solutions: Vec::new(),
                objective: None,
                bound: None,
                unrolling: 0.0,
                solving: 0.0,
                variables: 0,
                rules: 0,
                size: Size::default(),
                effort: 0,
                steps: Vec::new(),
            },
        }
    }

    fn now(&self) -> f64 {
        self.budget.elapsed().as_secs_f64()
    }

    fn ask(&mut self, problem: &Problem, assumptions: &[Literal]) -> SolveResult {
        let began = self.now();
        let verdict = self.backend.solve(problem, assumptions, self.budget);
        self.account(problem, began);
        verdict
    }

    /// What the solver did since then.
    fn account(&mut self, problem: &Problem, began: f64) {
        self.answer.solving += self.now() - began;
        self.answer.size = self.backend.size();
        self.answer.effort = self.backend.effort();
        self.answer.variables = problem.variables.len();
        self.answer.rules = problem.constraints.len();
    }

    /// The best solution under the assumptions. Each better one is judged and told, and each better bound.
    fn optimise(
        &mut self,
        instance: &Instance,
        problem: &Problem,
        assumptions: &[Literal],
        solution: &dyn Fn(&[i32]) -> Solution,
        tell: &mut Tell,
    ) -> Result<(), ModelFailure> {
        let technology = self.technology;
        let mut last: Option<(Solution, Option<i64>)> = None;
        let mut failure = None;
        let began = self.now();
        let mut listen = |bound: i32, best: Option<(i32, &[i32])>| {
            let Some((_, values)) = best else { return };
            let found = solution(values);
            let judged = match last.take() {
                Some((last, objective)) if last == found => Ok((last, objective)),
                _ => judged(technology, instance, problem, values, found),
            };
            match judged {
                Ok((found, objective)) => {
                    tell(&found, objective, Some(i64::from(bound)));
                    last = Some((found, objective));
                }
                Err(why) => failure = failure.take().or(Some(why)),
            }
        };
        let end = optimise(
            &mut *self.backend,
            problem,
            assumptions,
            self.budget,
            &mut listen,
        );
        self.account(problem, began);
        if let Some(failure) = failure {
            return Err(failure);
        }
        if let Some((solution, objective)) = last {
            self.answer.solutions = vec![solution];
            self.answer.objective = objective;
        }
        let (status, bound) = match end {
            Optimum::Optimal { objective, .. } => (ModelStatus::Optimal, Some(objective)),
            Optimum::Unsatisfiable => (ModelStatus::Unsatisfiable, None),
            Optimum::Feasible { bound, why, .. } | Optimum::GaveUp { bound, why } => {
                (ModelStatus::Limit(why), Some(bound))
            }
        };
        self.answer.status = status;
        self.answer.bound = bound.map(i64::from);
        Ok(())
    }
}

/// The solution, if the problem's judge and the original model accept it; with its objective.
fn judged(
    technology: &Technology,
    instance: &Instance,
    problem: &Problem,
    values: &[i32],
    solution: Solution,
) -> Result<(Solution, Option<i64>), ModelFailure> {
    let defect = |why: String| {
        Err(ModelFailure::Defect(format!(
            "the back end '{}': {why}",
            technology.name
        )))
    };
    if let Err(violation) = ployglot_csp::check::check(problem, values) {
        return defect(format!("{violation:?}"));
    }
    match instance.judge(&solution) {
        Ok(Ruling::Solves(objective)) => Ok((solution, objective)),
        Ok(Ruling::Outside(name)) => defect(format!("'{name}' is outside its domain")),
        Ok(Ruling::Breaks(bad)) | Err(bad) => defect(bad.to_string()),
    }
}

/// Satisfies or optimises one instance; `most` solutions are listed where nothing is optimised. Each is told as it is found.
pub fn solve_model(
    model: &Model,
    params: &Params,
    technology: &Technology,
    most: usize,
    budget: &Budget,
    tell: &mut Tell,
) -> Result<ModelAnswer, ModelFailure> {
    let mut run = Run::new(technology, budget);
    let began = run.now();
    let instance = model.instance(params)?;
    let mut unrolled = instance.unroll()?;
    let looked_at = match technology.probes {
        true => probe(&mut unrolled.problem, budget),
        false => filter(&mut unrolled.problem, budget),
    };
    if let Err(limit) = looked_at {
        run.answer.status = ModelStatus::Limit(limit);
        return Ok(run.answer);
    }
    run.answer.unrolling = run.now() - began;
    if unrolled.problem.objective.is_some() {
        let read = |values: &[i32]| unrolled.solution(values);
        run.optimise(&instance, &unrolled.problem, &[], &read, tell)?;
        return Ok(run.answer);
    }
    let decisions: Vec<VarId> = unrolled.decisions().collect();
    let mut problem = unrolled.problem.clone();
    let (mut found, mut failure) = (Vec::new(), None);
    let began = run.now();
    let mut listen = |problem: &Problem, values: &[i32]| {
        let solution = unrolled.solution(values);
        match judged(technology, &instance, problem, values, solution) {
            Ok((solution, _)) => {
                tell(&solution, None, None);
                found.push(solution);
            }
            Err(why) => failure = Some(why),
        }
        match failure.is_some() || found.len() >= most {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let end = solutions(
        &mut *run.backend,
        &mut problem,
        &decisions,
        budget,
        &mut listen,
    );
    run.account(&problem, began);
    if let Some(failure) = failure {
        return Err(failure);
    }
    run.answer.status = match (end, found.is_empty()) {
        (Enumerated::GaveUp(limit), _) => ModelStatus::Limit(limit),
        (_, true) => ModelStatus::Unsatisfiable,
        (_, false) => ModelStatus::Satisfiable,
    };
    run.answer.solutions = found;
    Ok(run.answer)
}

/// Raises a parameter from `first` until there is a solution, or beyond `last`. Each value is told when it is decided.
pub fn sweep_model(
    model: &Model,
    params: &Params,
    technology: &Technology,
    (name, first, last): (&str, i64, Option<i64>),
    budget: &Budget,
    mut tell: impl FnMut(&SweepStep),
) -> Result<ModelAnswer, ModelFailure> {
    let mut run = Run::new(technology, budget);
    let mut horizon = Horizon::new(model, params, name);
    let mut value = first;
    while last.is_none_or(|last| value <= last) {
        let progress = || Progress {
            phase: "horizon",
            depth: u32::try_from(value).unwrap_or(0),
            ..Progress::default()
        };
        if let Err(limit) = budget.check(progress) {
            run.answer.status = ModelStatus::Limit(limit);
            return Ok(run.answer);
        }
        let began = run.now();
        let step = horizon.unroll(value)?;
        let unrolling = run.now() - began;
        run.answer.unrolling += unrolling;
        if step.fresh {
            run.backend = (technology.make)();
        }
        let began = run.now();
        let verdict = run.ask(horizon.problem(), &step.assumptions);
        let report = SweepStep {
            value,
            satisfiable: match verdict {
                SolveResult::Satisfiable(_) => Some(true),
                SolveResult::Unsatisfiable => Some(false),
                SolveResult::GaveUp(_) => None,
            },
            unrolling,
            solving: run.now() - began,
            size: run.answer.size,
        };
        tell(&report);
        run.answer.steps.push(report);
        match verdict {
            SolveResult::GaveUp(limit) => {
                run.answer.status = ModelStatus::Limit(limit);
                return Ok(run.answer);
            }
            SolveResult::Unsatisfiable => value += 1,
            SolveResult::Satisfiable(values) => {
                let missing = || ModelFailure::Defect("nothing is unrolled".to_string());
                let instance = horizon.instance().ok_or_else(missing)?;
                let solution = horizon.solution(&values).ok_or_else(missing)?;
                let (solution, objective) =
                    judged(technology, instance, horizon.problem(), &values, solution)?;
                run.answer.status = ModelStatus::Satisfiable;
                run.answer.objective = objective;
                run.answer.solutions.push(solution);
                if horizon.problem().objective.is_some() {
                    let read = |values: &[i32]| {
                        let solution = horizon.solution(values);
                        solution.expect("there is an instance, or we would not be here")
                    };
                    let assumptions = &step.assumptions;
                    run.optimise(
                        instance,
                        horizon.problem(),
                        assumptions,
                        &read,
                        &mut |_, _, _| {},
                    )?;
                }
                return Ok(run.answer);
            }
        }
    }
    Ok(run.answer)
}
