//! Budgets for tests of solvers that are programs of their own, and whether these are installed.
//! With `PLOY_SOLVERS=required`, those that `scripts/setup solvers` installs must be.

use ployglot_base::{Budget, Tool};

use crate::skip::skip;

/// A budget without limits and with the permission to run the programs of this machine.
pub fn budget() -> Budget {
    Budget::unlimited().with_programs(ployglot_programs::local())
}

/// Whether a tool is installed; if not, the current test is skipped.
pub fn has_tool(tool: &Tool) -> bool {
    let found = ployglot_programs::local().find(tool).is_some();
    if !found {
        let required = std::env::var_os("PLOY_SOLVERS").is_some_and(|word| word == "required");
        let by_setup = ["Debian", "Cargo"];
        let installed =
            tool.package.is_some() || by_setup.iter().any(|how| tool.install.starts_with(how));
        assert!(!required || !installed, "{} is required", tool.name);
        skip(&format!("{} is not installed", tool.name));
    }
    found
}

/// Whether the setup of a tool succeeded; if not, the current test is skipped.
pub fn ready(setup: Result<(), String>) -> bool {
    if let Err(why) = &setup {
        skip(why);
    }
    setup.is_ok()
}
