//! PDDL: domain and problem texts to planning problems that can be checked and searched.

pub mod lifted;
pub mod parse;
pub mod plan;
pub mod tree;
pub mod validate;

pub use parse::{Read, parse_domain, parse_problem};
pub use plan::{Step, parse_plan, print_step};
pub use validate::{Verdict, validate};
