//! The technologies that satisfy constraint problems, and the solver behind each.

use std::fmt;

use ployglot_base::text::unknown;
use ployglot_csp::Backend;
use ployglot_csp::cp::CpBackend;
#[cfg(feature = "mip")]
use ployglot_csp::mip::MipBackend;
use ployglot_csp::sat::{Cadical, Kissat, SatBackend};

use crate::BadRequest;

/// A technology that satisfies constraint problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Technology {
    /// Satisfiability, by CaDiCaL.
    Sat,
    /// Satisfiability, by Kissat.
    Kissat,
    /// Constraint programming, by Pumpkin.
    Cp,
    /// Mixed integer programming, by HiGHS.
    #[cfg(feature = "mip")]
    Mip,
}

impl Technology {
    /// The one list of technologies, in the order of help texts.
    pub const ALL: &[Self] = &[
        Self::Sat,
        Self::Kissat,
        Self::Cp,
        #[cfg(feature = "mip")]
        Self::Mip,
    ];

    /// The name, as in `eprime:NAME:sat` and `--solver sat`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Kissat => "sat:kissat",
            Self::Cp => "cp",
            #[cfg(feature = "mip")]
            Self::Mip => "mip",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sat => "CaDiCaL, which grows with the horizon where the model allows it",
            Self::Kissat => "Kissat, restarted for each horizon",
            Self::Cp => "Pumpkin, by lazy clause generation",
            #[cfg(feature = "mip")]
            Self::Mip => "HiGHS, by branch and cut",
        }
    }

    /// The technology of this name.
    pub fn parse(name: &str) -> Result<Self, BadRequest> {
        let mut all = Self::ALL.iter().copied();
        all.find(|technology| technology.name() == name)
            .ok_or_else(|| {
                let known = Self::ALL.iter().map(|technology| technology.name());
                BadRequest(unknown("solver", name, known))
            })
    }

    /// A new solver, ready to follow a growing problem.
    pub fn backend(self) -> Box<dyn Backend> {
        match self {
            Self::Sat => Box::new(SatBackend::<Cadical>::default()),
            Self::Kissat => Box::new(SatBackend::<Kissat>::default()),
            Self::Cp => Box::new(CpBackend::default()),
            #[cfg(feature = "mip")]
            Self::Mip => Box::new(MipBackend::default()),
        }
    }

    /// A new solver for a second thread: one with another configuration, where there is one.
    pub fn companion(self) -> Box<dyn Backend> {
        match self {
            Self::Sat => Box::new(SatBackend::new(Cadical::without_decision_order())),
            Self::Kissat | Self::Cp => self.backend(),
            #[cfg(feature = "mip")]
            Self::Mip => self.backend(),
        }
    }

    /// Whether the solver follows the `heuristic` of a model.
    pub fn honours(self, heuristic: &str) -> bool {
        match self {
            Self::Cp => true,
            // CaDiCaL takes an order of decisions.
            Self::Sat => heuristic == "static",
            Self::Kissat => false,
            #[cfg(feature = "mip")]
            Self::Mip => false,
        }
    }

    /// Whether values are probed before the solver gets a problem that does not grow. Solvers that
    /// learn clauses are as fast without probing.
    pub(crate) fn probes(self) -> bool {
        match self {
            Self::Sat | Self::Kissat | Self::Cp => false,
            #[cfg(feature = "mip")]
            Self::Mip => true,
        }
    }
}

impl fmt::Display for Technology {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technology_is_found_by_its_name() {
        for &technology in Technology::ALL {
            assert_eq!(Technology::parse(technology.name()), Ok(technology));
        }
        let bad = Technology::parse("sta").expect_err("there is no such technology");
        assert_eq!(bad.0, "unknown solver 'sta'; did you mean 'sat'?");
    }
}
