//! Essence Prime: models and parameters as text, to finite-domain problems.
//!
//! ```
//! use ployglot_eprime::{Model, Params, Ruling, Solution};
//!
//! let model = Model::parse("given n : int(1..) find x, y : int(0..n) such that x + y = n, x > y")?;
//! let params = Params::parse("letting n be 1")?;
//! let instance = model.instance(&params).expect("n fits its domain");
//! let unrolled = instance.unroll().expect("it is small");
//! assert!(unrolled.problem.variables.len() >= 2);
//! // A back end gives values for the problem, `unrolled.solution` reads them, and the judge has the last word.
//! let solution = Solution::parse("letting x be 1 letting y be 0")?;
//! assert_eq!(instance.judge(&solution)?, Ruling::Solves(None));
//! # Ok::<(), ployglot_base::BadText>(())
//! ```
//!
//! [`Horizon`] does the same for a row of values of one parameter, in one growing problem.

mod check;
mod evaluate;
mod horizon;
mod instance;
mod lex;
mod model;
mod parse;
mod tree;
mod unroll;
mod value;

pub use horizon::{Horizon, Step};
pub use instance::{Fault, Instance, Params, Ruling, Solution, Source};
pub use lex::Span;
pub use model::{Model, Scalar, Type};
pub use unroll::Unrolled;
pub use value::{Axis, Matrix, Value};
