//! Essence and Essence Prime from texts. Every solution is checked by the evaluator of its language
//! before Python sees it.
//!
//! Values go to Python as JSON. What JSON does not have is an object with one key, the kind of the
//! value: `{"set": [1, 2]}`, `{"function": [[1, 2]]}`; the package makes Python's own types of them.

use ployglot_base::{BadText, Budget};
use ployglot_eprime::{Fault, Source, Value as PrimeValue};
use ployglot_essence::{Value as EssenceValue, is_essence};
use ployglot_solve::{ModelAnswer, ModelStatus, Technology, solve_model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::run::{Allowance, run};
use crate::stop::{Stop, finished};

/// A value of Essence Prime as JSON: a number, a truth, or nested lists in the order of the indices.
fn prime_value(value: &PrimeValue) -> Value {
    match value {
        PrimeValue::Number(number) => (*number).into(),
        PrimeValue::Truth(truth) => (*truth).into(),
        PrimeValue::Matrix(matrix) => {
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

/// A value of Essence as JSON.
fn essence_value(value: &EssenceValue) -> Value {
    let list = |items: &[EssenceValue]| items.iter().map(essence_value).collect::<Value>();
    let pairs = |pairs: &[(EssenceValue, EssenceValue)]| {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(from, to)| json!([essence_value(from), essence_value(to)]));
        pairs.collect::<Value>()
    };
    match value {
        EssenceValue::Bool(truth) => json!(truth),
        EssenceValue::Int(number) => json!(number),
        EssenceValue::Member(..) => json!(value.to_string()),
        EssenceValue::Matrix(_, items) => list(items),
        EssenceValue::Tuple(items) => json!({ "tuple": list(items) }),
        EssenceValue::Record(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| json!([name.as_ref(), essence_value(value)]));
            json!({ "record": fields.collect::<Value>() })
        }
        EssenceValue::Variant(name, value) => {
            json!({ "record": [[name.as_ref(), essence_value(value)]] })
        }
        EssenceValue::Set(items) => json!({ "set": list(items) }),
        EssenceValue::Relation(items) => json!({ "set": list(items) }),
        EssenceValue::Partition(parts) => json!({ "set": list(parts) }),
        EssenceValue::MSet(items) => json!({ "mset": list(items) }),
        EssenceValue::Sequence(items) => list(items),
        EssenceValue::Function(images) => json!({ "function": pairs(images) }),
        EssenceValue::Permutation(images) => json!({ "function": pairs(images) }),
    }
}

/// What is asked of a solver.
struct Asked {
    technology: Technology,
    /// The most solutions.
    most: usize,
}

/// Solves an Essence or Essence Prime model; the answer as JSON. Without `essence` the text's first
/// line says which it is.
#[pyfunction]
#[pyo3(signature = (model, params, essence, solver, most, time, memory, progress))]
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub fn solve_text(
    py: Python,
    model: String,
    params: String,
    essence: Option<bool>,
    solver: &str,
    most: usize,
    time: Option<f64>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let technology =
        Technology::parse(solver).map_err(|bad| PyValueError::new_err(bad.to_string()))?;
    let essence = essence.or(is_essence(&model)).unwrap_or(false);
    let language = if essence { "Essence" } else { "Essence Prime" };
    let allowed = Allowance {
        time,
        memory,
        threads: 1,
        progress,
    };
    let answer = run(py, allowed, move |budget| {
        let asked = Asked { technology, most };
        let solved = match essence {
            true => by_essence(&model, &params, &asked, budget),
            false => by_eprime(&model, &params, &asked, budget),
        };
        let solved = solved.map(|answer| row(&answer, technology, language));
        (solved, budget.elapsed().as_secs_f64())
    })?;
    finished(answer, |limit| {
        json!({ "status": "limit", "limit": limit, "solutions": [], "objective": null, "bound": null,
            "solver": technology.name(), "language": language, "variables": 0, "constraints": 0,
            "warnings": [] })
    })
}

fn in_model(bad: BadText) -> Stop {
    let source = Source::Model;
    Stop::Message(Fault { source, bad }.to_string())
}

fn in_params(bad: BadText) -> Stop {
    let source = Source::Params;
    Stop::Message(Fault { source, bad }.to_string())
}

fn by_eprime(
    model: &str,
    params: &str,
    asked: &Asked,
    budget: &Budget,
) -> Result<ModelAnswer<Value>, Stop> {
    let model = ployglot_eprime::Model::parse_within(model, budget)?.map_err(in_model)?;
    let params = ployglot_eprime::Params::parse_within(params, budget)?.map_err(in_params)?;
    let ignore = &mut |_: &_, _, _| ();
    let answer = solve_model(
        &model,
        &params,
        asked.technology,
        asked.most,
        budget,
        ignore,
    )?;
    Ok(answer.map(|solution| {
        let values = solution.values.iter();
        let values = values.map(|(name, found)| (name.clone(), prime_value(found)));
        Value::Object(values.collect())
    }))
}

fn by_essence(
    model: &str,
    params: &str,
    asked: &Asked,
    budget: &Budget,
) -> Result<ModelAnswer<Value>, Stop> {
    let model = ployglot_essence::Model::parse_within(model, budget)?.map_err(in_model)?;
    let params = ployglot_essence::Params::parse_within(params, budget)?.map_err(in_params)?;
    let ignore = &mut |_: &_, _, _| ();
    let answer = solve_model(
        &model,
        &params,
        asked.technology,
        asked.most,
        budget,
        ignore,
    )?;
    Ok(answer.map(|solution| {
        let values = solution.values.iter();
        let values = values.map(|(name, found)| (name.clone(), essence_value(found)));
        Value::Object(values.collect())
    }))
}

/// The answer as JSON.
fn row(answer: &ModelAnswer<Value>, technology: Technology, language: &str) -> Value {
    let limit = match answer.status {
        ModelStatus::Limit(limit) => Some(limit.to_string()),
        _ => None,
    };
    json!({
        "status": answer.status.word(), "limit": limit, "solutions": answer.solutions,
        "objective": answer.objective, "bound": answer.bound, "solver": technology.name(),
        "language": language, "variables": answer.variables, "constraints": answer.constraints,
        "warnings": answer.warnings,
    })
}
