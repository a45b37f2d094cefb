//! PDDL: domain and problem texts to planning problems that can be checked, grounded and searched.

pub mod circuit;
pub mod estimates;
pub mod evaluate;
pub mod ground;
pub mod lifted;
pub mod parse;
pub mod plan;
pub mod satplan;
pub mod task;
pub mod tree;
pub mod validate;

pub use ground::{CannotGround, ground};
pub use parse::{Read, parse_domain, parse_problem};
pub use plan::{Step, parse_plan, print_step};
pub use task::Task;
pub use validate::{Verdict, World, validate};
