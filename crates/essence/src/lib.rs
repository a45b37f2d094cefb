//! Essence.

#![warn(missing_docs)]

mod check;
mod deep;
mod domain;
mod enumerate;
mod evaluate;
mod instance;
mod lex;
mod model;
mod parse;
mod refine;
mod resolve;
mod tree;
mod types;
mod value;

pub use instance::{Instance, Params, Solution};
pub use model::Model;
pub use refine::Refined;
pub use value::{Named, Value};
