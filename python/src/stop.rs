//! How work on a text ends without a result, and what Python gets then: a limit becomes an answer, a
//! fault in the text a `ValueError`, a defect of ours a `RuntimeError`.

use ployglot_base::Limit;
use ployglot_pddl::{CannotGround, CannotRead};
use ployglot_solve::ModelFailure;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;

/// Why there is no result.
pub enum Stop {
    /// A fault in what Python gave, or something that is missing.
    Message(String),
    /// A limit ended the work.
    Limit(Limit),
    /// A judge rejects the claim of a solver.
    Defect(String),
}

impl Stop {
    /// The exception; a limit is one where there is no answer that could name it.
    pub fn exception(self) -> PyErr {
        match self {
            Stop::Message(why) => PyValueError::new_err(why),
            Stop::Limit(limit) => PyRuntimeError::new_err(format!("ended by a limit: {limit}")),
            Stop::Defect(why) => PyRuntimeError::new_err(format!("ployglot has a defect: {why}")),
        }
    }
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

impl From<ModelFailure> for Stop {
    fn from(failure: ModelFailure) -> Self {
        match failure {
            ModelFailure::Fault(fault) => Stop::Message(fault.to_string()),
            ModelFailure::Missing(why) => Stop::Message(why),
            ModelFailure::Defect(why) => Stop::Defect(why),
        }
    }
}

/// The answer with its time as JSON; `limited` makes one where a limit ended the work early.
pub fn finished(
    (answer, seconds): (Result<Value, Stop>, f64),
    limited: impl FnOnce(String) -> Value,
) -> PyResult<String> {
    let mut row = match answer {
        Ok(row) => row,
        Err(Stop::Limit(limit)) => limited(limit.to_string()),
        Err(stop) => return Err(stop.exception()),
    };
    row["seconds"] = seconds.into();
    Ok(row.to_string())
}
