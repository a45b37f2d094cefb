//! Planning with PDDL: reading domains and problems, grounding, planning as satisfiability,
//! estimates for heuristic search, and validation of plans.
//!
//! The supported language is `:adl` with derived predicates (axioms), action costs and numeric
//! fluents. The way from texts to a plan:
//!
//! 1. [`parse_domain`] and [`parse_problem`] read the texts; errors carry their position.
//! 2. [`ground()`] makes a [`Task`] without variables. A task is a [`ployglot_base::Space`], so every
//!    search of the project runs on it; [`Compact`] is the same task with fewer and smaller states.
//! 3. A search with one of the [`estimates`], or [`satplan::satplan`], finds a plan.
//! 4. [`validate()`] judges the plan on the ungrounded problem. It shares no code with the
//!    grounder.
//!
//! [`sas::print_sas`] writes a task for Fast Downward.
//!
//! ```
//! use ployglot_base::Budget;
//! use ployglot_pddl::satplan::{SatOptions, satplan};
//! use ployglot_pddl::{Ruling, Step, ground, parse_domain, parse_problem, print_step, validate};
//!
//! let domain = parse_domain(
//!     "(define (domain switches)
//!        (:requirements :strips :negative-preconditions)
//!        (:predicates (on ?s) (next ?a ?b))
//!        (:action press :parameters (?a ?b)
//!          :precondition (and (on ?a) (next ?a ?b) (not (on ?b)))
//!          :effect (on ?b)))",
//! )?
//! .value;
//! let problem = parse_problem(
//!     "(define (problem three) (:domain switches)
//!        (:objects a b c)
//!        (:init (on a) (next a b) (next b c))
//!        (:goal (on c)))",
//!     &domain,
//! )?
//! .value;
//!
//! let task = ground(&domain, &problem)?;
//! let found = satplan(&task, SatOptions::default(), &Budget::unlimited())?;
//! let plan = found.report.outcome.plan().expect("the problem is solvable");
//! let steps: Vec<Step> = plan
//!     .iter()
//!     .map(|id| task.operators[id.0 as usize].step.clone())
//!     .collect();
//!
//! assert_eq!(print_step(&steps[0], &domain, &problem), "(press a b)");
//! assert_eq!(validate(&domain, &problem, &steps), Ruling::Valid { cost: 2.0 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod abstraction;
mod bit_set;
pub mod certificate;
pub mod circuit;
pub mod compact;
mod cutoff;
mod dependents;
pub mod estimates;
pub mod evaluate;
mod graph;
pub mod ground;
mod hopeless;
mod interner;
mod invariants;
mod landmarks;
pub mod lifted;
mod lists;
mod named;
mod network;
mod packing;
pub mod parse;
mod partial_state;
pub mod plan;
mod projection;
pub mod pruning;
mod queue;
mod reduced;
pub mod sas;
pub mod satplan;
pub mod symbolic;
pub mod task;
pub mod tree;
pub mod validate;

pub use compact::Compact;
pub use ground::{CannotGround, ground, ground_whole, ground_within};
pub use parse::{
    CannotRead, Parsed, parse_domain, parse_domain_within, parse_problem, parse_problem_within,
};
pub use plan::{Step, parse_plan, print_step};
pub use task::Task;
pub use validate::{LiftedState, Ruling, validate, validate_within};
