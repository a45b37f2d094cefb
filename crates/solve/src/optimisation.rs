//! The steps between a model and its solver that can be switched off, and the levels `-O0` to `-O3`
//! that choose among them.

use ployglot_eprime::Steps;

use crate::technology::Technology;

/// Which optional steps prepare a model for its solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimisation {
    /// The steps of unrolling.
    pub unrolling: Steps,
    /// Removes values that no solution has, by revising each constraint until nothing changes.
    pub filter: bool,
    /// Removes values whose assumption leads to a contradiction; `None`: if the technology profits.
    pub probe: Option<bool>,
    /// Adds bounds of the objective that single linear constraints imply.
    pub relax: bool,
}

/// The steps by name, with what each does, for help texts.
pub const STEPS: &[(&str, &str)] = &[
    (
        "simplify",
        "constraints shrink domains, and the others are rebuilt with these",
    ),
    ("merge", "variables that are always equal become one"),
    (
        "tabulate",
        "constraints on few variables that solvers would split become tables",
    ),
    (
        "filter",
        "values that a single constraint excludes are removed before the search",
    ),
    (
        "probe",
        "values whose assumption leads to a contradiction are removed before the search",
    ),
    (
        "relax",
        "what single linear constraints imply about a linear objective is added",
    ),
];

impl Default for Optimisation {
    fn default() -> Self {
        Self::level(Self::DEFAULT_LEVEL)
    }
}

impl Optimisation {
    /// The level without `-O`.
    pub const DEFAULT_LEVEL: u8 = 2;

    /// The steps of a level from 0 to 3; higher ones are like 3.
    pub fn level(level: u8) -> Self {
        Self {
            unrolling: Steps {
                simplify: level >= 1,
                merge: level >= 1,
                tabulate: level >= 2,
            },
            filter: level >= 2,
            probe: match level {
                0 | 1 => Some(false),
                2 => None,
                _ => Some(true),
            },
            relax: level >= 2,
        }
    }

    /// The same without a step; `None` if there is none of this name.
    pub fn without(mut self, step: &str) -> Option<Self> {
        match step {
            "simplify" => self.unrolling.simplify = false,
            "merge" => self.unrolling.merge = false,
            "tabulate" => self.unrolling.tabulate = false,
            "filter" => self.filter = false,
            "probe" => self.probe = Some(false),
            "relax" => self.relax = false,
            _ => return None,
        }
        Some(self)
    }

    /// Whether values are probed for this technology.
    pub(crate) fn probes(&self, technology: Technology) -> bool {
        self.probe.unwrap_or_else(|| technology.probes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_switched_off_by_its_name() {
        let mut all = Optimisation::level(3);
        for (step, _) in STEPS {
            let fewer = all.without(step).expect("it is in the list");
            assert_ne!(fewer, all, "{step}");
            all = fewer;
        }
        assert_eq!(all, Optimisation::level(0));
        assert_eq!(all.without("simplfy"), None);
    }
}
