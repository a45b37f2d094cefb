//! Certificates: a folder that proves what a best plan of a level costs, or that there is no plan.
//!
//! A folder has a [`Manifest`] (what is claimed, what must be trusted, which files there are and
//! their hashes), the plan, and a proof that nothing is cheaper. [`verify`] checks all of it and
//! uses nothing of the searches: plans are replayed by the referee, lists of nodes by the slow rules
//! (`layers/`), proofs of unsatisfiability by an LRAT checker (`lrat.rs`), and proofs through planning
//! by VeriPB (`planning.rs`).
//!
//! A new kind of proof is an arm of [`Part`], a function that checks it, and its arm in
//! `verify.rs`, where the match has no wildcard.
//!
//! This crate opens no files: a caller gives it a [`Folder`] to read from, or a [`NewFolder`] to
//! write to.

#![warn(missing_docs)]

mod certified;
mod clauses;
mod folder;
mod hash;
mod layers;
mod lrat;
mod manifest;
mod plan;
mod planning;
mod trusted;
mod verify;

pub use certified::{Certified, certified};
pub use clauses::{NamedModel, Range, ReadModel};
pub use folder::{Files, Folder, Memory, NewFolder};
pub use hash::{Hashing, sha256};
pub use layers::{CannotList, Listed, list, read_list, write_list};
pub use lrat::{Checked, NotProven, check_lrat};
pub use manifest::{Claim, FORMAT, File, MANIFEST, Manifest, Part, Refutation, bad_name};
pub use planning::{PDDL, PlanningTask, trusted as trusted_planning, write_lower_bound};
pub use verify::{NoCertificate, Report, Step, Trouble, Verdict, verify};
