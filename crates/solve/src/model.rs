//! Models in Essence Prime and Essence from any source: satisfied, optimised, enumerated, or swept
//! over a parameter up to the first value that has a solution. Every solution is checked against the
//! original model before it is reported.

use std::collections::HashSet;
use std::ops::ControlFlow;

use ployglot_base::{Budget, Limit, Progress};
use ployglot_csp::filter::filter;
use ployglot_csp::probe::probe;
use ployglot_csp::relax::relax;
use ployglot_csp::{
    Backend, Counts, Enumerated, Literal, Optimum, Problem, Size, SolveResult, optimise, solutions,
};
use ployglot_eprime::{Fault, Solution};

use crate::language::{Flat, GrowingProblem, ModelText};
use crate::optimisation::Optimisation;
use crate::solution::{Judge, check_solution};
use crate::technology::Technology;

/// How the solving of a model ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelStatus {
    /// There is a solution, and the model has no objective.
    Satisfiable,
    /// Proven: there is no solution.
    Unsatisfiable,
    /// A solution, and no other one has a better objective.
    Optimal,
    /// A limit ended the run; there may be solutions.
    Limit(Limit),
}

impl ModelStatus {
    /// The name in `--json` output.
    pub fn word(&self) -> &'static str {
        match self {
            ModelStatus::Satisfiable => "satisfiable",
            ModelStatus::Unsatisfiable => "unsatisfiable",
            ModelStatus::Optimal => "optimal",
            ModelStatus::Limit(_) => "limit",
        }
    }
}

/// The answer to a model.
#[derive(Clone, Debug)]
pub struct ModelAnswer<S = Solution> {
    /// How the run ended.
    pub status: ModelStatus,
    /// The solutions, in the order in which they were found; of a model with an objective only the
    /// best.
    pub solutions: Vec<S>,
    /// The objective of the last solution.
    pub objective: Option<i64>,
    /// Proven: no solution has a better objective.
    pub bound: Option<i64>,
    /// Seconds of unrolling.
    pub unrolling: f64,
    /// Seconds of solving.
    pub solving: f64,
    /// The number of variables of the flat problem.
    pub variables: usize,
    /// The number of constraints of the flat problem.
    pub constraints: usize,
    /// The size of the problem in the solver's own terms: clauses, rows.
    pub size: Size,
    /// The effort of the solver: conflicts, nodes.
    pub effort: u64,
    /// Nodes, failures and restarts of the search, for solvers that report them.
    pub counts: Option<Counts>,
    /// The values of a sweep, in the order in which they were tried.
    pub steps: Vec<SweepStep>,
    /// Sentences for the user: what is probably a mistake, and what was not honoured.
    pub warnings: Vec<String>,
}

impl<S> ModelAnswer<S> {
    /// The answer of a run that a limit ended before anything was known.
    pub fn limited(limit: Limit) -> Self {
        Self::new(ModelStatus::Limit(limit))
    }

    /// The same answer with the solutions in another form.
    pub fn map<T>(self, form: impl FnMut(S) -> T) -> ModelAnswer<T> {
        ModelAnswer {
            status: self.status,
            solutions: self.solutions.into_iter().map(form).collect(),
            objective: self.objective,
            bound: self.bound,
            unrolling: self.unrolling,
            solving: self.solving,
            variables: self.variables,
            constraints: self.constraints,
            size: self.size,
            effort: self.effort,
            counts: self.counts,
            steps: self.steps,
            warnings: self.warnings,
        }
    }

    fn new(status: ModelStatus) -> Self {
        Self {
            status,
            solutions: Vec::new(),
            objective: None,
            bound: None,
            unrolling: 0.0,
            solving: 0.0,
            variables: 0,
            constraints: 0,
            size: Size::default(),
            effort: 0,
            counts: None,
            steps: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// One value of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepStep {
    /// The value of the parameter.
    pub value: i64,
    /// Whether there is a solution; `None`: a limit was hit.
    pub satisfiable: Option<bool>,
    /// Seconds of unrolling.
    pub unrolling: f64,
    /// Seconds of solving.
    pub solving: f64,
    /// The size of the problem in the solver's own terms.
    pub size: Size,
}

/// Why a model has no answer.
#[derive(Clone, Debug)]
pub enum ModelFailure {
    /// An error in the model, in the parameters, or in a setting.
    Fault(Fault),
    /// The judge rejects what a back end claims.
    Defect(String),
    /// The solver is a program that is not installed.
    Missing(String),
}

impl From<Fault> for ModelFailure {
    fn from(fault: Fault) -> Self {
        ModelFailure::Fault(fault)
    }
}

/// Called for each solution, with its objective and the bound proven so far if the model has an
/// objective; and again when the bound improves.
pub type ReportSolution<'t, S = Solution> = dyn FnMut(&S, Option<i64>, Option<i64>) + 't;

/// A solver that follows one problem, and the answer so far.
struct ModelRun<'a, S> {
    backend: Box<dyn Backend>,
    technology: Technology,
    budget: &'a Budget,
    /// The effort of the solvers before this one.
    spent: u64,
    pub answer: ModelAnswer<S>,
}

impl<'a, S: Clone + PartialEq> ModelRun<'a, S> {
    pub fn new(technology: Technology, budget: &'a Budget) -> Self {
        Self {
            backend: technology.backend(),
            technology,
            budget,
            spent: 0,
            answer: ModelAnswer::new(ModelStatus::Unsatisfiable),
        }
    }

    /// Starts with a new solver; the effort of the old one counts.
    pub fn restart(&mut self) {
        self.spent += self.backend.effort();
        self.backend = self.technology.backend();
    }

    pub fn now(&self) -> f64 {
        self.budget.elapsed().as_secs_f64()
    }

    /// The answer of a run that a limit ended.
    pub fn end(mut self, limit: Limit) -> ModelAnswer<S> {
        self.answer.status = ModelStatus::Limit(limit);
        self.answer
    }

    pub fn satisfy(&mut self, problem: &Problem, assumptions: &[Literal]) -> SolveResult {
        let started = self.now();
        let result = self.backend.solve(problem, assumptions, self.budget);
        self.record(problem, started);
        result
    }

    /// Records time, size and effort of a call to the solver.
    fn record(&mut self, problem: &Problem, started: f64) {
        self.answer.solving += self.now() - started;
        self.answer.size = self.backend.size();
        self.answer.effort = self.spent + self.backend.effort();
        self.answer.counts = self.backend.counts();
        self.answer.variables = problem.variables.len();
        self.answer.constraints = problem.constraints.len();
    }

    /// Finds the best solution under the assumptions. Reports each better solution, once it is
    /// checked, and each better bound.
    pub fn optimise(
        &mut self,
        instance: &dyn Judge<Solution = S>,
        problem: &Problem,
        assumptions: &[Literal],
        solution: &dyn Fn(&[i32]) -> S,
        report: &mut ReportSolution<S>,
    ) -> Result<(), ModelFailure> {
        let (technology, budget) = (self.technology, self.budget);
        let mut last: Option<(S, Option<i64>)> = None;
        let (mut failure, mut limit) = (None, None);
        let started = self.now();
        let mut on_progress = |bound: i32, best: Option<(i32, &[i32])>| {
            let Some((_, values)) = best else { return };
            let found = solution(values);
            let checked = match last.take() {
                Some((last, objective)) if last == found => Ok(Ok((last, objective))),
                _ => check(technology, instance, problem, values, found, budget),
            };
            match checked {
                Ok(Ok((found, objective))) => {
                    report(&found, objective, Some(i64::from(bound)));
                    last = Some((found, objective));
                }
                Ok(Err(why)) => failure = failure.take().or(Some(why)),
                Err(why) => limit = Some(why),
            }
        };
        let end = optimise(
            &mut *self.backend,
            problem,
            assumptions,
            self.budget,
            &mut on_progress,
        );
        self.record(problem, started);
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
        // A solution that could not be checked in time is not reported, nor what it would prove.
        self.answer.status = limit.map_or(status, ModelStatus::Limit);
        self.answer.bound = bound.map(i64::from);
        Ok(())
    }
}

/// The solution with its objective, if it is correct; otherwise the back end has a defect. The
/// outer error is the limit that ended the check.
fn check<S>(
    technology: Technology,
    instance: &dyn Judge<Solution = S>,
    problem: &Problem,
    values: &[i32],
    solution: S,
    budget: &Budget,
) -> Result<Result<(S, Option<i64>), ModelFailure>, Limit> {
    let checked = check_solution(instance, problem, values, solution, budget)?;
    Ok(checked.map_err(|why| ModelFailure::Defect(format!("the back end '{technology}': {why}"))))
}

/// Satisfies or optimises a model with these parameters. Without an objective, lists up to `most`
/// solutions. Each solution is reported as it is found.
///
/// ```
/// use ployglot_base::Budget;
/// use ployglot_eprime::{Model, Params};
/// use ployglot_solve::{ModelStatus, Technology, solve_model};
///
/// let model = Model::parse(
///     "language ESSENCE' 1.0
///      given n : int
///      find x, y : int(0..9)
///      maximising x * y
///      such that x + y = n",
/// )
/// .expect("a model");
/// let params = Params::parse("letting n be 7").expect("parameters");
///
/// let budget = Budget::unlimited();
/// let answer = solve_model(&model, &params, Technology::Sat, 1, &budget, &mut |_, _, _| {})
///     .expect("the parameters fit the model");
/// assert_eq!(answer.status, ModelStatus::Optimal);
/// assert_eq!(answer.objective, Some(12));
/// ```
pub fn solve_model<M: ModelText>(
    model: &M,
    params: &M::Params,
    technology: Technology,
    most: usize,
    budget: &Budget,
    report: &mut ReportSolution<M::Solution>,
) -> Result<ModelAnswer<M::Solution>, ModelFailure> {
    let optimisation = Optimisation::default();
    solve_model_by(
        model,
        params,
        technology,
        &optimisation,
        most,
        budget,
        report,
    )
}

/// [`solve_model`] with these steps between the model and the solver.
#[inline(never)]
pub fn solve_model_by<M: ModelText>(
    model: &M,
    params: &M::Params,
    technology: Technology,
    optimisation: &Optimisation,
    most: usize,
    budget: &Budget,
    report: &mut ReportSolution<M::Solution>,
) -> Result<ModelAnswer<M::Solution>, ModelFailure> {
    technology.ready(budget).map_err(ModelFailure::Missing)?;
    let mut run = ModelRun::new(technology, budget);
    let started = run.now();
    let instance = match model.with_params(params, budget) {
        Ok(instance) => instance?,
        Err(limit) => return Ok(run.end(limit)),
    };
    run.answer.warnings.extend(M::warnings(&instance));
    run.answer.warnings.extend(not_honoured(model, technology));
    let flat = match M::flat(&instance, optimisation.unrolling, budget) {
        Ok(flat) => flat?,
        Err(limit) => return Ok(run.end(limit)),
    };
    run.list(&instance, started, flat, optimisation, most, report)
}

impl<S: Clone + PartialEq> ModelRun<'_, S> {
    /// Satisfies or optimises a flat problem. Without an objective, lists up to `most` solutions.
    pub fn list(
        self,
        instance: &dyn Judge<Solution = S>,
        started: f64,
        flat: Flat<S>,
        optimisation: &Optimisation,
        most: usize,
        report: &mut ReportSolution<S>,
    ) -> Result<ModelAnswer<S>, ModelFailure> {
        let mut run = self;
        let (technology, budget) = (run.technology, run.budget);
        let Flat {
            mut problem,
            decisions,
            read,
        } = flat;
        if optimisation.filter
            && let Err(limit) = filter(&mut problem, budget)
        {
            return Ok(run.end(limit));
        }
        if optimisation.probes(technology)
            && let Err(limit) = probe(&mut problem, budget)
        {
            return Ok(run.end(limit));
        }
        if optimisation.relax
            && let Err(limit) = relax(&mut problem, budget)
        {
            return Ok(run.end(limit));
        }
        run.answer.unrolling = run.now() - started;
        if problem.objective.is_some() {
            run.optimise(instance, &problem, &[], &read, report)?;
            return Ok(run.answer);
        }
        let original = problem.clone();
        let (mut found, mut failure, mut limit) = (Vec::new(), None, None);
        let started = run.now();
        // The problem grows by a clause for each solution. A check of all of them would make the time
        // quadratic in the number of solutions; that solutions differ is checked here instead.
        let mut seen = HashSet::new();
        let mut on_solution = |_: &Problem, values: &[i32]| {
            let shown: Box<[i32]> = decisions.iter().map(|var| values[var.index()]).collect();
            if !seen.insert(shown) {
                let message = format!("the back end '{technology}': it repeats a solution");
                failure = Some(ModelFailure::Defect(message));
                return ControlFlow::Break(());
            }
            let solution = read(values);
            match check(technology, instance, &original, values, solution, budget) {
                Ok(Ok((solution, _))) => {
                    report(&solution, None, None);
                    found.push(solution);
                }
                Ok(Err(why)) => failure = Some(why),
                Err(why) => limit = Some(why),
            }
            match failure.is_some() || limit.is_some() || found.len() >= most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let end = solutions(
            &mut *run.backend,
            &mut problem,
            &decisions,
            budget,
            &mut on_solution,
        );
        run.record(&problem, started);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let limit = match end {
            Enumerated::GaveUp(limit) => Some(limit),
            _ => limit,
        };
        run.answer.status = match (limit, found.is_empty()) {
            (Some(limit), _) => ModelStatus::Limit(limit),
            (_, true) => ModelStatus::Unsatisfiable,
            (_, false) => ModelStatus::Satisfiable,
        };
        run.answer.solutions = found;
        Ok(run.answer)
    }
}

/// The warning for a search hint of the model that the technology does not follow.
fn not_honoured(model: &impl ModelText, technology: Technology) -> Option<String> {
    let heuristic = model.search_heuristic()?;
    if technology.honours(heuristic) {
        return None;
    }
    let able: Vec<&str> = Technology::ALL
        .iter()
        .filter(|other| other.honours(heuristic))
        .map(|other| other.name())
        .collect();
    Some(format!(
        "'heuristic {heuristic}' has no effect on the solver '{technology}'; {} follows it",
        able.join(" or ")
    ))
}

/// Raises a parameter from `first` until there is a solution, at most up to `last`. Each value is
/// reported when it is decided.
pub fn sweep_model<M: ModelText>(
    model: &M,
    params: &M::Params,
    technology: Technology,
    (name, first, last): (&str, i64, Option<i64>),
    budget: &Budget,
    mut report: impl FnMut(&SweepStep),
) -> Result<ModelAnswer<M::Solution>, ModelFailure> {
    let values = (name, first, last);
    sweep_and_report(model, params, technology, values, budget, &mut report)
}

#[inline(never)]
pub(crate) fn sweep_and_report<M: ModelText>(
    model: &M,
    params: &M::Params,
    technology: Technology,
    (name, first, last): (&str, i64, Option<i64>),
    budget: &Budget,
    report: &mut dyn FnMut(&SweepStep),
) -> Result<ModelAnswer<M::Solution>, ModelFailure> {
    technology.ready(budget).map_err(ModelFailure::Missing)?;
    let mut run = ModelRun::new(technology, budget);
    run.answer.warnings.extend(not_honoured(model, technology));
    let mut horizon = model.horizon(params, name);
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
        let step = match horizon.unroll(value, budget) {
            Ok(step) => step?,
            Err(limit) => return Ok(run.end(limit)),
        };
        let unrolling = run.now() - started;
        run.answer.unrolling += unrolling;
        if step.fresh {
            run.restart();
        }
        let started = run.now();
        let result = run.satisfy(horizon.problem(), &step.assumptions);
        let sweep_step = SweepStep {
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
        report(&sweep_step);
        run.answer.steps.push(sweep_step);
        match result {
            SolveResult::GaveUp(limit) => return Ok(run.end(limit)),
            SolveResult::Unsatisfiable => match value.checked_add(1) {
                Some(next) => value = next,
                None => return Ok(run.answer),
            },
            SolveResult::Satisfiable(values) => {
                let missing = || ModelFailure::Defect("no horizon is unrolled".to_string());
                let instance = horizon.judge().ok_or_else(missing)?;
                let solution = horizon.solution(&values).ok_or_else(missing)?;
                let problem = horizon.problem();
                let checked = check(technology, instance, problem, &values, solution, budget);
                let (solution, objective) = match checked {
                    Ok(checked) => checked?,
                    Err(limit) => return Ok(run.end(limit)),
                };
                run.answer.status = ModelStatus::Satisfiable;
                run.answer.objective = objective;
                run.answer.solutions.push(solution);
                if problem.objective.is_some() {
                    let read = |values: &[i32]| {
                        let solution = horizon.solution(values);
                        solution.expect("a horizon was unrolled above")
                    };
                    let ignore = &mut |_: &M::Solution, _: Option<i64>, _: Option<i64>| {};
                    run.optimise(instance, problem, &step.assumptions, &read, ignore)?;
                }
                return Ok(run.answer);
            }
        }
    }
    Ok(run.answer)
}
