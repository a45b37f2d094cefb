//! Essence Prime models of anybody: satisfied, optimised, enumerated, or swept over a parameter to the first value that has a
//! solution. Every solution is judged by the original model before it is told.

use ployglot_base::{Budget, Limit, Progress};
use ployglot_csp::{Backend, Constraint, Goal, Literal, Problem, Size, VarId, Verdict};
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

    fn ask(&mut self, problem: &Problem, assumptions: &[Literal]) -> Verdict {
        let began = self.now();
        let verdict = self.backend.solve(problem, assumptions, self.budget);
        self.answer.solving += self.now() - began;
        self.answer.size = self.backend.size();
        self.answer.effort = self.backend.effort();
        self.answer.variables = problem.variables.len();
        self.answer.rules = problem.rules.len();
        verdict
    }

    fn judged(
        &self,
        instance: &Instance,
        problem: &Problem,
        values: &[i32],
        solution: Solution,
    ) -> Result<(Solution, Option<i64>), ModelFailure> {
        let defect = |why: String| {
            Err(ModelFailure::Defect(format!(
                "the back end '{}': {why}",
                self.technology.name
            )))
        };
        if let Err(breach) = ployglot_csp::check::check(problem, values) {
            return defect(format!("{breach:?}"));
        }
        match instance.judge(&solution) {
            Ok(Ruling::Solves(objective)) => Ok((solution, objective)),
            Ok(Ruling::Outside(name)) => defect(format!("'{name}' is outside its domain")),
            Ok(Ruling::Breaks(bad)) | Err(bad) => defect(bad.to_string()),
        }
    }

    /// The first solution is there; better ones follow, under the assumption that they are better, until there is none.
    fn improve(
        &mut self,
        instance: &Instance,
        problem: &Problem,
        assumptions: &[Literal],
        solution: &dyn Fn(&[i32]) -> Solution,
        tell: &mut dyn FnMut(&Solution, Option<i64>),
    ) -> Result<(), ModelFailure> {
        let Some(objective) = problem.objective else {
            return Ok(());
        };
        loop {
            let Some(best) = self
                .answer
                .objective
                .and_then(|best| i32::try_from(best).ok())
            else {
                return Ok(());
            };
            let better = match objective.goal {
                Goal::Minimise => Literal::AtMost(objective.value, best - 1),
                Goal::Maximise => Literal::AtLeast(objective.value, best + 1),
            };
            if better.known(problem.domain(objective.value)) == Some(false) {
                self.answer.status = ModelStatus::Optimal;
                return Ok(());
            }
            let assumptions: Vec<Literal> = assumptions.iter().copied().chain([better]).collect();
            match self.ask(problem, &assumptions) {
                Verdict::GaveUp(limit) => {
                    self.answer.status = ModelStatus::Limit(limit);
                    return Ok(());
                }
                Verdict::Unsatisfiable => {
                    self.answer.status = ModelStatus::Optimal;
                    return Ok(());
                }
                Verdict::Satisfiable(values) => {
                    let (found, value) =
                        self.judged(instance, problem, &values, solution(&values))?;
                    tell(&found, value);
                    self.answer.solutions = vec![found];
                    self.answer.objective = value;
                }
            }
        }
    }
}

/// Satisfies or optimises one instance; `most` solutions are listed where nothing is optimised. Each is told as it is found.
pub fn solve_model(
    model: &Model,
    params: &Params,
    technology: &Technology,
    most: usize,
    budget: &Budget,
    mut tell: impl FnMut(&Solution, Option<i64>),
) -> Result<ModelAnswer, ModelFailure> {
    let mut run = Run::new(technology, budget);
    let began = run.now();
    let instance = model.instance(params)?;
    let mut unrolled = instance.unroll()?;
    run.answer.unrolling = run.now() - began;
    let decisions: Vec<VarId> = unrolled.decisions().collect();
    loop {
        match run.ask(&unrolled.problem, &[]) {
            Verdict::GaveUp(limit) => {
                run.answer.status = ModelStatus::Limit(limit);
                return Ok(run.answer);
            }
            Verdict::Unsatisfiable => return Ok(run.answer),
            Verdict::Satisfiable(values) => {
                let solution = unrolled.solution(&values);
                let (solution, objective) =
                    run.judged(&instance, &unrolled.problem, &values, solution)?;
                tell(&solution, objective);
                run.answer.status = ModelStatus::Satisfiable;
                run.answer.objective = objective;
                run.answer.solutions.push(solution);
                if unrolled.problem.objective.is_some() {
                    let read = |values: &[i32]| unrolled.solution(values);
                    run.improve(&instance, &unrolled.problem, &[], &read, &mut tell)?;
                    return Ok(run.answer);
                }
                if run.answer.solutions.len() >= most {
                    return Ok(run.answer);
                }
                // The next solution differs in some decision.
                let other = decisions
                    .iter()
                    .map(|&id| Literal::IsNot(id, values[id.index()]));
                unrolled.problem.post(Constraint::Clause(other.collect()));
            }
        }
    }
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
                Verdict::Satisfiable(_) => Some(true),
                Verdict::Unsatisfiable => Some(false),
                Verdict::GaveUp(_) => None,
            },
            unrolling,
            solving: run.now() - began,
            size: run.answer.size,
        };
        tell(&report);
        run.answer.steps.push(report);
        match verdict {
            Verdict::GaveUp(limit) => {
                run.answer.status = ModelStatus::Limit(limit);
                return Ok(run.answer);
            }
            Verdict::Unsatisfiable => value += 1,
            Verdict::Satisfiable(values) => {
                let missing = || ModelFailure::Defect("nothing is unrolled".to_string());
                let instance = horizon.instance().ok_or_else(missing)?;
                let solution = horizon.solution(&values).ok_or_else(missing)?;
                let (solution, objective) =
                    run.judged(instance, horizon.problem(), &values, solution)?;
                run.answer.status = ModelStatus::Satisfiable;
                run.answer.objective = objective;
                run.answer.solutions.push(solution);
                let read = |values: &[i32]| {
                    horizon
                        .solution(values)
                        .unwrap_or_else(|| Solution { values: Vec::new() })
                };
                run.improve(
                    instance,
                    horizon.problem(),
                    &step.assumptions,
                    &read,
                    &mut |_, _| {},
                )?;
                return Ok(run.answer);
            }
        }
    }
    Ok(run.answer)
}
