//! PDDL from texts. Every plan is checked by the validator before Python sees it.

use ployglot_base::{Budget, Outcome};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{
    Ruling, Step, ground_within, parse_domain_within, parse_plan, parse_problem_within, print_step,
    validate_within,
};
use ployglot_solve::{Engine, Estimate, PlanRequest, plan_task};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::run::{Allowance, run, run_improving};
use crate::stop::{Stop, finished};

fn plan_texts(
    domain: &str,
    problem: &str,
    request: &PlanRequest,
    budget: &Budget,
    pass_on: &mut dyn FnMut(Vec<String>, u32),
) -> Result<Value, Stop> {
    let domain = parse_domain_within(domain, budget)?.value;
    let problem = parse_problem_within(problem, &domain, budget)?.value;
    let task = ground_within(&domain, &problem, budget)?;
    let steps_of = |operators: &[OperatorId]| -> Vec<Step> {
        let operators = operators.iter();
        operators
            .map(|id| task.operators[id.0 as usize].step.clone())
            .collect()
    };
    let print = |steps: &[Step]| -> Vec<String> {
        let steps = steps.iter();
        steps
            .map(|step| print_step(step, &domain, &problem))
            .collect()
    };
    let planned = plan_task(&task, request, budget, &mut |operators, cost| {
        let steps = steps_of(operators);
        // A plan that is wrong is seen again at the end, and is a defect there.
        if let Ok(Ruling::Valid { .. }) = validate_within(&domain, &problem, &steps, budget) {
            pass_on(print(&steps), cost);
        }
    });
    let planned = planned.map_err(|bad| Stop::Message(bad.0))?;
    let outcome = &planned.report.outcome;
    let (mut status, mut limit) = match outcome {
        Outcome::Optimal { .. } => ("optimal", None),
        Outcome::Feasible { why, .. } => ("feasible", Some(*why)),
        Outcome::Unsolvable => ("unsolvable", None),
        Outcome::GaveUp { why, .. } => ("limit", Some(*why)),
        Outcome::Contradiction(found) => {
            return Err(Stop::Defect(format!(
                "the planner contradicts itself: {found}"
            )));
        }
    };
    let mut plan = None;
    let mut checked = false;
    if let Some(operators) = outcome.plan() {
        let steps = steps_of(operators);
        let validate = |budget: &Budget| validate_within(&domain, &problem, &steps, budget);
        match budget.last_check(validate) {
            Ok(Ruling::Valid { .. }) => checked = true,
            Ok(ruling) => {
                return Err(Stop::Defect(format!(
                    "the validator rejects the plan: {ruling:?}"
                )));
            }
            // A plan that the validator has not seen is not called optimal.
            Err(ended) => {
                limit = Some(ended);
                status = "feasible";
            }
        }
        plan = Some(print(&steps));
    }
    Ok(json!({
        "status": status, "limit": limit.map(|limit| limit.to_string()), "cost": outcome.cost(),
        "at_least": outcome.at_least(), "plan": plan, "checked": checked,
        "expanded": planned.report.effort.expanded, "generated": planned.report.effort.generated,
        "engine": request.engine.name(), "heuristic": planned.estimate.map(Estimate::name),
    }))
}

/// Plans for a domain and a problem; the answer as JSON. `improved` is called with each better plan that an
/// engine finds before its answer.
#[pyfunction]
#[pyo3(signature = (domain, problem, engine, estimate, time, memory, threads, progress, improved))]
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
    improved: Option<Py<PyAny>>,
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
    let answer = run_improving(py, allowed, improved, move |budget, pass_on| {
        let planned = plan_texts(&domain, &problem, &request, budget, pass_on);
        (planned, budget.elapsed().as_secs_f64())
    })?;
    finished(answer, |limit| {
        json!({ "status": "limit", "limit": limit, "cost": null, "at_least": 0, "plan": null, "checked": false,
            "expanded": 0, "generated": 0, "engine": engine.name(), "heuristic": null })
    })
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
        Err(stop) => Err(stop.exception()),
    }
}
