//! Estimates of the cost to the goal, for searches on tasks. All come from one relaxation (`relaxed`): what was once true, or
//! once false, stays available.
//!
//! `hmax` and `lmcut` are admissible; `ff` is not, and knows which operators are worth trying first.

mod ff;
mod lmcut;
mod max;
mod projections;
mod relaxed;

pub use ff::{Ff, RelaxedPlan};
pub use lmcut::LandmarkCut;
pub use max::Max;
pub use projections::{Projected, Projections};
pub use relaxed::Relaxed;
