//! Estimates of the cost to the goal, for searches on tasks. All but `projections` and `abstractions`
//! come from one relaxation (`relaxed`): a fact that was true once stays true, one that was false
//! once stays false.
//!
//! `Estimate` is the one list of the estimates that can be chosen by name. Where a user sees them, they
//! are called heuristics.

mod abstractions;
mod ff;
mod landmark_count;
mod landmark_memory;
mod lmcut;
mod max;
mod novelty;
mod numeric;
mod projections;
mod relaxed;

pub use abstractions::{AbstractionLimits, Abstractions, AbstractionsGuide};
pub use ff::{Ff, RelaxedPlan};
pub use landmark_count::{LandmarkChange, LandmarkCount};
pub use lmcut::LandmarkCut;
pub use max::Max;
pub use novelty::Novelty;
pub use projections::Projections;
pub(crate) use relaxed::Gate;
pub use relaxed::RelaxedTask;

use std::fmt;

use crate::named::by_name;

/// An estimate that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Estimate {
    /// Always 0.
    Blind,
    /// The hmax estimate: [`Max`].
    Max,
    /// The LM-cut estimate: [`LandmarkCut`].
    LandmarkCut,
    /// Sums of exact costs in independent projections: [`Projections`].
    Projections,
    /// Sums of costs in many abstractions: [`Abstractions`].
    Abstractions,
    /// Whichever of the lower bounds suits the task, found by trying them.
    Auto,
    /// The cost of a relaxed plan: [`Ff`].
    Ff,
    /// [`Ff`] and [`LandmarkCount`] in turns.
    Landmarks,
}

impl Estimate {
    /// The one list of estimates, in the order of help texts.
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::Blind,
        Self::Max,
        Self::LandmarkCut,
        Self::Projections,
        Self::Abstractions,
        Self::Ff,
        Self::Landmarks,
    ];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blind => "blind",
            Self::Max => "max",
            Self::LandmarkCut => "lmcut",
            Self::Projections => "projections",
            Self::Abstractions => "abstractions",
            Self::Auto => "auto",
            Self::Ff => "ff",
            Self::Landmarks => "landmarks",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Blind => "always 0: the least work per state",
            Self::Max => "hmax: the cost of the most expensive part of the goal in the relaxation",
            Self::LandmarkCut => "landmark cuts: often many times sharper than max, and slower",
            Self::Projections => {
                "parts of the task that no effect connects, each solved beforehand, and added up"
            }
            Self::Abstractions => {
                "pattern databases and Cartesian abstractions, added up by saturated cost partitioning"
            }
            Self::Auto => "projections first; then max, landmark cuts and abstractions in turns",
            Self::Ff => "the cost of a relaxed plan: for greedy search, proves nothing",
            Self::Landmarks => {
                "ff and the number of landmarks to be reached, in turns: for lazy and gbfs only"
            }
        }
    }

    /// Whether the estimate never exceeds the true cost, so that a search can prove its plan
    /// optimal with it.
    pub fn is_admissible(self) -> bool {
        match self {
            Self::Blind
            | Self::Max
            | Self::LandmarkCut
            | Self::Projections
            | Self::Abstractions
            | Self::Auto => true,
            Self::Ff | Self::Landmarks => false,
        }
    }

    /// The estimate of this name. The error is a sentence for the user.
    pub fn parse(name: &str) -> Result<Self, String> {
        by_name("heuristic", name, &Self::ALL, Self::name)
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Estimate;

    #[test]
    fn every_estimate_is_found_by_its_name() {
        for estimate in Estimate::ALL {
            assert_eq!(Estimate::parse(estimate.name()), Ok(estimate));
        }
        assert_eq!(
            Estimate::parse("lm-cut"),
            Err("unknown heuristic 'lm-cut'; did you mean 'lmcut'?".to_string())
        );
    }
}
