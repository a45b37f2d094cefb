//! PDDL and Essence Prime from texts. Plans are checked by the validator, solutions by the evaluator,
//! before Python sees them.

use ployglot_base::{Budget, Limit, Outcome};
use ployglot_eprime::{Model, Params, Value as ModelValue};
use ployglot_pddl::{
    CannotGround, CannotRead, Ruling, Step, ground_within, parse_domain_within, parse_plan,
    parse_problem_within, print_step, validate_within,
};
use ployglot_solve::{
    Engine, Estimate, ModelFailure, ModelStatus, PlanRequest, Technology, plan_task, solve_model,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::run::{Allowance, run};

/// Why there is no result: a message, or a limit.
enum Stop {
    Message(String),
    Limit(Limit),
}

impl From<CannotRead> for Stop {
    fn from(why: CannotRead) -> Self {
        match why {
            CannotRead::Text(bad) => Stop::Message(bad.to_string()),
            CannotRead::Limit(limit) => Stop::Limit(limit),
        }
    }
}

impl From<CannotGround> for Stop {
    fn from(why: CannotGround) -> Self {
        match why {
            CannotGround::Unsupported(why) | CannotGround::TooLarge(why) => Stop::Message(why),
            CannotGround::Limit(limit) => Stop::Limit(limit),
        }
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

fn plan_texts(
    domain: &str,
    problem: &str,
    request: &PlanRequest,
    budget: &Budget,
) -> Result<Value, Stop> {
    let domain = parse_domain_within(domain, budget)?.value;
    let problem = parse_problem_within(problem, &domain, budget)?.value;
    let task = ground_within(&domain, &problem, budget)?;
    let planned = plan_task(&task, request, budget, &mut |_, _| ());
    let planned = planned.map_err(|bad| Stop::Message(bad.0))?;
    let outcome = &planned.report.outcome;
    let (mut status, mut limit) = match outcome {
        Outcome::Optimal { .. } => ("optimal", None),
        Outcome::Feasible { why, .. } => ("feasible", Some(*why)),
        Outcome::Unsolvable => ("unsolvable", None),
        Outcome::GaveUp { why, .. } => ("limit", Some(*why)),
        Outcome::Contradiction(found) => {
            return Err(Stop::Message(format!(
                "the planner contradicts itself: {found}"
            )));
        }
    };
    let mut plan = None;
    let mut checked = false;
    if let Some(operators) = outcome.plan() {
        let steps: Vec<Step> = operators
            .iter()
            .map(|id| task.operators[id.0 as usize].step.clone())
            .collect();
        let validate = |budget: &Budget| validate_within(&domain, &problem, &steps, budget);
        match budget.last_check(validate) {
            Ok(Ruling::Valid { .. }) => checked = true,
            Ok(ruling) => {
                return Err(Stop::Message(format!(
                    "the validator rejects the plan: {ruling:?}"
                )));
            }
            // A plan that the validator has not seen is not called optimal.
            Err(ended) => {
                limit = Some(ended);
                status = "feasible";
            }
        }
        plan = Some(
            steps
                .iter()
                .map(|step| print_step(step, &domain, &problem))
                .collect::<Vec<_>>(),
        );
    }
    Ok(json!({
        "status": status, "limit": limit.map(|limit| limit.to_string()), "cost": outcome.cost(),
        "at_least": outcome.at_least(), "plan": plan, "checked": checked,
        "expanded": planned.report.effort.expanded, "generated": planned.report.effort.generated,
        "engine": request.engine.name(), "estimate": planned.estimate.map(Estimate::name),
    }))
}

/// Plans for a domain and a problem; the answer as JSON.
#[pyfunction]
#[pyo3(signature = (domain, problem, engine, estimate, time, memory, threads, progress))]
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub fn plan_pddl(
    py: Python,
    domain: String,
    problem: String,
    engine: &str,
    estimate: Option<&str>,
    time: Option<f64>,
    memory: Option<u64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let engine = Engine::parse(engine).map_err(|bad| PyValueError::new_err(bad.to_string()))?;
    let estimate = estimate.map(Estimate::parse).transpose();
    let estimate = estimate.map_err(|bad| PyValueError::new_err(bad.to_string()))?;
    let request = PlanRequest {
        estimate,
        ..PlanRequest::new(engine)
    };
    let allowed = Allowance {
        time,
        memory,
        threads,
        progress,
    };
    let answer = run(py, allowed, move |budget| {
        let planned = plan_texts(&domain, &problem, &request, budget);
        (planned, budget.elapsed().as_secs_f64())
    })?;
    finished(answer, |limit| {
        json!({ "status": "limit", "limit": limit, "cost": null, "at_least": 0, "plan": null, "checked": false,
            "expanded": 0, "generated": 0, "engine": engine.name(), "estimate": null })
    })
}

/// The answer with its time as JSON; `limited` makes one where a limit ended the work early.
fn finished(
    (answer, seconds): (Result<Value, Stop>, f64),
    limited: impl FnOnce(String) -> Value,
) -> PyResult<String> {
    let mut row = match answer {
        Ok(row) => row,
        Err(Stop::Limit(limit)) => limited(limit.to_string()),
        Err(Stop::Message(why)) => return Err(PyValueError::new_err(why)),
    };
    row["seconds"] = seconds.into();
    Ok(row.to_string())
}

/// Checks a plan for a domain and a problem; the ruling as JSON.
#[pyfunction]
pub fn validate_pddl(
    py: Python,
    domain: String,
    problem: String,
    plan: String,
) -> PyResult<String> {
    let allowed = Allowance {
        time: None,
        memory: None,
        threads: 1,
        progress: None,
    };
    let ruling = run(py, allowed, move |budget| -> Result<Value, Stop> {
        let domain = parse_domain_within(&domain, budget)?.value;
        let problem = parse_problem_within(&problem, &domain, budget)?.value;
        let steps = parse_plan(&plan, &domain, &problem);
        let steps = steps.map_err(|bad| Stop::Message(bad.to_string()))?;
        Ok(match validate_within(&domain, &problem, &steps, budget)? {
            Ruling::Valid { cost } => json!({ "ruling": "valid", "cost": cost }),
            Ruling::Fails { at, step, why } => {
                json!({ "ruling": "fails", "at": at, "step": step, "why": why })
            }
            Ruling::Misses { why } => json!({ "ruling": "misses", "why": why }),
        })
    })?;
    match ruling {
        Ok(ruling) => Ok(ruling.to_string()),
        Err(Stop::Message(why)) => Err(PyValueError::new_err(why)),
        Err(Stop::Limit(limit)) => Err(PyValueError::new_err(format!("ended by a limit: {limit}"))),
    }
}

/// A value as JSON: a number, a truth, or nested lists in the order of the indices.
fn value(value: &ModelValue) -> Value {
    match value {
        ModelValue::Number(number) => (*number).into(),
        ModelValue::Truth(truth) => (*truth).into(),
        ModelValue::Matrix(matrix) => {
            let truths = matrix.of == ployglot_eprime::Scalar::Bool;
            let items = matrix.items.iter().map(|&item| {
                if truths {
                    json!(item != 0)
                } else {
                    json!(item)
                }
            });
            let mut items: Vec<Value> = items.collect();
            for axis in matrix.axes.iter().skip(1).rev() {
                let length = (axis.domain.len() as usize).max(1);
                items = items
                    .chunks(length)
                    .map(|row| Value::from(row.to_vec()))
                    .collect();
            }
            Value::from(items)
        }
    }
}

/// Solves an Essence Prime model; the answer as JSON.
#[pyfunction]
#[pyo3(signature = (model, params, solver, most, time, memory, progress))]
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub fn solve_eprime(
    py: Python,
    model: String,
    params: String,
    solver: &str,
    most: usize,
    time: Option<f64>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let technology =
        Technology::parse(solver).map_err(|bad| PyValueError::new_err(bad.to_string()))?;
    let allowed = Allowance {
        time,
        memory,
        threads: 1,
        progress,
    };
    let answer = run(py, allowed, move |budget| {
        let solved = eprime(&model, &params, technology, most, budget);
        (solved, budget.elapsed().as_secs_f64())
    })?;
    finished(answer, |limit| {
        json!({ "status": "limit", "limit": limit, "solutions": [], "objective": null, "bound": null,
            "solver": technology.name(), "variables": 0, "constraints": 0 })
    })
}

fn eprime(
    model: &str,
    params: &str,
    technology: Technology,
    most: usize,
    budget: &Budget,
) -> Result<Value, Stop> {
    let place = |what: &str, bad: String| Stop::Message(format!("{what}: {bad}"));
    let model =
        Model::parse_within(model, budget)?.map_err(|bad| place("model", bad.to_string()))?;
    let params = Params::parse_within(params, budget)?
        .map_err(|bad| place("parameters", bad.to_string()))?;
    let answer = solve_model(&model, &params, technology, most, budget, &mut |_, _, _| ());
    let answer = answer.map_err(|failure| match failure {
        ModelFailure::Fault(fault) => Stop::Message(fault.to_string()),
        ModelFailure::Defect(why) | ModelFailure::Missing(why) => Stop::Message(why),
    })?;
    let limit = match answer.status {
        ModelStatus::Limit(limit) => Some(limit.to_string()),
        _ => None,
    };
    let solutions = answer.solutions.iter().map(|solution| {
        let values = solution
            .values
            .iter()
            .map(|(name, found)| (name.clone(), value(found)));
        Value::Object(values.collect())
    });
    Ok(json!({
        "status": answer.status.word(), "limit": limit, "solutions": solutions.collect::<Vec<_>>(),
        "objective": answer.objective, "bound": answer.bound, "solver": technology.name(),
        "variables": answer.variables, "constraints": answer.constraints,
    }))
}
