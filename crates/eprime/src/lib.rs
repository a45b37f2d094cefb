//! Essence Prime: models and parameters as text, to finite-domain problems.

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
pub use lex::Spot;
pub use model::{Model, Scalar, Type};
pub use unroll::Unrolled;
pub use value::{Axis, Matrix, Value};
