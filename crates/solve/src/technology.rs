//! The technologies that satisfy constraint problems, and the solver behind each.
//!
//! Some solvers are part of this program, others are programs of their own, which may be missing.

use std::fmt;

use ployglot_base::text::unknown;
use ployglot_base::{Budget, Tool};
use ployglot_csp::Backend;
use ployglot_csp::cp::CpBackend;
use ployglot_csp::mip::{MipBackend, MipSolver};
use ployglot_csp::outside::{
    DimacsBackend, DimacsSolver, FlatzincBackend, FlatzincSolver, missing, missing_mip,
};
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
    /// Mixed integer programming, by a program that reads MPS.
    Mip(MipSolver),
    /// Constraint programming, by a program that reads FlatZinc.
    Flatzinc(FlatzincSolver),
    /// Satisfiability, by a program that reads DIMACS.
    Dimacs(DimacsSolver),
}

impl Technology {
    /// The usual technologies, in the order of help texts: those that every model has a route for
    /// in lists. [`outside`](Self::outside) are chosen by name only.
    pub const ALL: &[Self] = &[Self::Sat, Self::Kissat, Self::Cp, Self::Mip(MipSolver::Any)];

    /// The solvers that are programs of their own, each by its own name.
    pub fn outside() -> impl Iterator<Item = Self> {
        let mip = MipSolver::ALL.iter().copied().map(Self::Mip);
        let flatzinc = FlatzincSolver::ALL.iter().copied().map(Self::Flatzinc);
        let dimacs = DimacsSolver::ALL.iter().copied().map(Self::Dimacs);
        let usual = |technology: &Self| !Self::ALL.contains(technology);
        mip.filter(usual).chain(flatzinc).chain(dimacs)
    }

    /// Every technology that has a name.
    pub fn named() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().chain(Self::outside())
    }

    /// The name, as in `eprime:NAME:sat` and `--solver sat`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Kissat => "sat:kissat",
            Self::Cp => "cp",
            Self::Mip(solver) => solver.name(),
            Self::Flatzinc(solver) => solver.name(),
            Self::Dimacs(solver) => solver.name(),
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sat => "CaDiCaL, which grows with the horizon where the model allows it",
            Self::Kissat => "Kissat, restarted for each horizon",
            Self::Cp => "Pumpkin, by lazy clause generation",
            Self::Mip(solver) => solver.about(),
            Self::Flatzinc(solver) => solver.about(),
            Self::Dimacs(solver) => solver.about(),
        }
    }

    /// The program of another project behind it, if there is one.
    pub fn tool(self) -> Option<Tool> {
        match self {
            Self::Sat | Self::Kissat | Self::Cp => None,
            Self::Mip(solver) => Some(solver.tool()),
            Self::Flatzinc(solver) => Some(solver.tool()),
            Self::Dimacs(solver) => Some(solver.tool()),
        }
    }

    /// Makes the program behind it ready: the error is a message about what is missing.
    pub fn ready(self, budget: &Budget) -> Result<(), String> {
        match (self, self.tool()) {
            (Self::Mip(solver), _) => missing_mip(solver, budget),
            (_, Some(tool)) => missing(&tool, budget),
            (_, None) => Ok(()),
        }
    }

    /// The technology of this name.
    pub fn parse(name: &str) -> Result<Self, BadRequest> {
        Self::named()
            .find(|technology| technology.name() == name)
            .ok_or_else(|| {
                let known: Vec<_> = Self::named().map(|technology| technology.name()).collect();
                BadRequest(unknown("solver", name, known))
            })
    }

    /// A new solver, ready to follow a growing problem.
    pub fn backend(self) -> Box<dyn Backend> {
        match self {
            Self::Sat => Box::new(SatBackend::<Cadical>::default()),
            Self::Kissat => Box::new(SatBackend::<Kissat>::default()),
            Self::Cp => Box::new(CpBackend::default()),
            Self::Mip(solver) => Box::new(MipBackend::new(solver)),
            Self::Flatzinc(solver) => Box::new(FlatzincBackend::new(solver)),
            Self::Dimacs(solver) => Box::new(DimacsBackend::of(solver)),
        }
    }

    /// A new solver for the model of a game, in which the moves, decided in the order of time,
    /// determine everything else.
    pub fn backend_for_moves(self) -> Box<dyn Backend> {
        match self {
            Self::Sat => Box::new(SatBackend::new(Cadical::with_complete_order())),
            _ => self.backend(),
        }
    }

    /// A new solver for a second thread: one with another configuration, where there is one.
    pub fn companion(self) -> Box<dyn Backend> {
        match self {
            Self::Sat => Box::new(SatBackend::new(Cadical::without_decision_order())),
            _ => self.backend(),
        }
    }

    /// Whether the solver follows the `heuristic` of a model.
    pub fn honours(self, heuristic: &str) -> bool {
        match self {
            Self::Cp => true,
            // CaDiCaL takes an order of decisions.
            Self::Sat => heuristic == "static",
            Self::Kissat | Self::Mip(_) | Self::Flatzinc(_) | Self::Dimacs(_) => false,
        }
    }

    /// Whether values are probed before the solver gets a problem that does not grow. Solvers that
    /// learn clauses are as fast without probing.
    pub(crate) fn probes(self) -> bool {
        matches!(self, Self::Mip(_))
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
        for technology in Technology::named() {
            assert_eq!(Technology::parse(technology.name()), Ok(technology));
        }
        let bad = Technology::parse("sta").expect_err("there is no such technology");
        assert_eq!(bad.0, "unknown solver 'sta'; did you mean 'sat'?");
    }
}
