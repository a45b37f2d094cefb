//! Essence Prime: reads models and parameter files, and unrolls them into finite-domain problems
//! ([`ployglot_csp::Problem`]) that SAT, CP and MIP back ends solve.
//!
//! ```
//! use ployglot_base::Budget;
//! use ployglot_csp::sat::{Cadical, SatBackend};
//! use ployglot_csp::{Backend, SolveResult};
//! use ployglot_eprime::{Model, Params, Ruling, Value};
//!
//! let model = Model::parse(
//!     "language ESSENCE' 1.0
//!      given row : matrix indexed by [int(1..n)] of int
//!      find at : int(0..n)
//!      find largest : int(0..100)
//!      such that
//!          row[at] = largest, $ false where `at` is 0: row[0] is undefined
//!          forAll i : int(1..n) . row[i] <= largest",
//! )?;
//! let params = Params::parse("letting row be [3, 14, 15, 9, 2]")?;
//! let instance = model.instance(&params)?;
//! let unrolled = instance.unroll()?;
//!
//! let mut solver = SatBackend::<Cadical>::default();
//! let result = solver.solve(&unrolled.problem, &[], &Budget::unlimited());
//! let SolveResult::Satisfiable(values) = result else {
//!     panic!("there is a largest number");
//! };
//! let solution = unrolled.solution(&values);
//! assert_eq!(solution.get("at"), Some(&Value::Number(3)));
//! assert_eq!(solution.to_string(), "letting at be 3\nletting largest be 15\n");
//! // The judge evaluates the original model, and shares no code with the unroller.
//! assert_eq!(instance.judge(&solution)?, Ruling::Solves(None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Horizon`] unrolls one model for increasing values of one parameter into one growing problem.
//! `docs/from-text-to-clauses.md` follows a constraint through all stages.

#![warn(missing_docs)]

mod check;
mod deep;
mod evaluate;
mod growing;
mod horizon;
mod instance;
mod lex;
mod model;
mod parse;
mod tree;
mod unroll;
mod value;

pub use growing::{Family, Growing, Step};
pub use horizon::Horizon;
pub use instance::{Fault, Instance, Params, Ruling, Solution, Source};
pub use lex::{Language, Lexer, Span, Token};
pub use model::{Model, Scalar, Type};
pub use unroll::{Bool, Int, IntId, Overflow, Posted, Steps, Terms, Unrolled};
pub use value::{Axis, Matrix, Value};
