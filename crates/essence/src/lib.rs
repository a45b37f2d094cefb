//! Essence: reads specifications and parameter files with abstract types (sets, functions, relations,
//! partitions, …), and refines them into finite-domain problems ([`ployglot_csp::Problem`]) that SAT,
//! CP and MIP back ends solve.
//!
//! ```
//! use ployglot_base::Budget;
//! use ployglot_csp::sat::{Cadical, SatBackend};
//! use ployglot_csp::{Backend, SolveResult};
//! use ployglot_eprime::Ruling;
//! use ployglot_essence::{Model, Params};
//!
//! let model = Model::parse(
//!     "language Essence 1.3
//!      given n : int
//!      find s : set of int(1..n)
//!      find pairs : partition (partSize 2) from int(1..4)
//!      such that
//!          sum(s) = 2 * n, 1 in s,
//!          forAll part in parts(pairs) . sum(part) = 5",
//! )?;
//! let params = Params::parse("letting n be 5")?;
//! let instance = model.instance(&params)?;
//! let refined = instance.refine()?;
//!
//! let mut solver = SatBackend::<Cadical>::default();
//! let result = solver.solve(&refined.problem, &[], &Budget::unlimited());
//! let SolveResult::Satisfiable(values) = result else {
//!     panic!("1 + 4 + 5 = 10");
//! };
//! let solution = refined.solution(&values);
//! let pairs = solution.get("pairs").map(ToString::to_string);
//! assert_eq!(pairs.as_deref(), Some("partition({1, 4}, {2, 3})"));
//! // The judge evaluates the original specification on abstract values.
//! assert_eq!(instance.judge(&solution)?, Ruling::Solves(None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/essence.md` describes the representations.

#![warn(missing_docs)]

mod check;
mod deep;
mod domain;
mod enumerate;
mod evaluate;
mod exhaust;
mod horizon;
mod instance;
mod model;
mod parse;
mod refine;
mod resolve;
mod tree;
mod types;
mod value;

pub use horizon::Horizon;
pub use instance::{Instance, Params, Solution};
pub use model::{Model, attributes_and_operators, is_essence};
pub use refine::Refined;
pub use value::{Named, Value};
