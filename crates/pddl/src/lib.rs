//! PDDL: domain and problem texts to planning problems that can be checked, grounded and searched.

pub mod circuit;
pub mod compact;
pub mod estimates;
pub mod evaluate;
pub mod ground;
mod invariants;
pub mod lifted;
mod network;
mod packing;
pub mod parse;
mod partial;
pub mod plan;
mod project;
mod reduced;
pub mod sas;
pub mod satplan;
pub mod task;
pub mod tree;
pub mod validate;

pub use compact::Compact;
pub use ground::{CannotGround, ground};
pub use parse::{Read, parse_domain, parse_problem};
pub use plan::{Step, parse_plan, print_step};
pub use task::Task;
pub use validate::{Verdict, World, validate};
