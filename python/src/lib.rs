//! The native half of the Python package `ployglot`. The package (`python/ployglot`) gives it its
//! types, its documentation and its pictures; here are only the calls.
//!
//! `run.rs` runs work within limits, `level.rs` has levels and states, `work.rs` solves, rates and
//! generates levels, `pddl.rs` plans for PDDL, `models.rs` solves Essence and Essence Prime, `stop.rs` has
//! the ends without a result.

mod level;
mod models;
mod pddl;
mod run;
mod stop;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::level::{Move, NativeLevel, State};
    #[pymodule_export]
    use crate::models::solve_text;
    #[pymodule_export]
    use crate::pddl::{plan_pddl, validate_pddl};
    #[pymodule_export]
    use crate::work::{
        builtin_levels, check_plan, games, generate_levels, rate_level, solve_level,
    };
}
