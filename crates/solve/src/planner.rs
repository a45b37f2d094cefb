//! Planning tasks: which search, with which estimate. One door for PDDL files and for the games' planning models.

use ployglot_base::{Blind, Budget, Report};
use ployglot_pddl::Task;
use ployglot_pddl::estimates::{Ff, LandmarkCut, Max, Relaxed};
use ployglot_pddl::task::OperatorId;
use ployglot_search::run;

/// An estimate that can be chosen by name.
pub struct Estimate {
    pub name: &'static str,
    pub about: &'static str,
    /// Never above the true cost, so that a search can prove its plan optimal with it.
    pub admissible: bool,
}

pub const ESTIMATES: &[Estimate] = &[
    Estimate {
        name: "blind",
        about: "no estimate: fastest for each state",
        admissible: true,
    },
    Estimate {
        name: "max",
        about: "hmax: the dearest part of the goal, in the relaxation",
        admissible: true,
    },
    Estimate {
        name: "lmcut",
        about: "landmark cuts: often many times sharper than max, and slower",
        admissible: true,
    },
    Estimate {
        name: "ff",
        about: "the cost of a relaxed plan: for greedy search, proves nothing",
        admissible: false,
    },
];

/// The searches that only need an order, not a bound.
const GREEDY: &[&str] = &["greedy"];

/// Searches a task. `Err` is a sentence for the user: the names do not fit together.
pub fn search_task(
    task: &Task,
    search: &str,
    estimate: &str,
    budget: &Budget,
) -> Result<Report<OperatorId>, String> {
    let Some(known) = ESTIMATES.iter().find(|known| known.name == estimate) else {
        let names: Vec<_> = ESTIMATES.iter().map(|estimate| estimate.name).collect();
        return Err(format!(
            "unknown estimate '{estimate}'; known are {}",
            names.join(", ")
        ));
    };
    if !known.admissible && !GREEDY.contains(&search) {
        return Err(format!(
            "the estimate '{estimate}' is not a lower bound, so '{search}' could prove nothing with it"
        ));
    }
    let report = match estimate {
        "max" => {
            let graph = Relaxed::new(task);
            run(search, task, &|| Max::new(task, &graph), budget)
        }
        "lmcut" => {
            let graph = Relaxed::new(task);
            run(search, task, &|| LandmarkCut::new(task, &graph), budget)
        }
        "ff" => {
            let graph = Relaxed::new(task);
            run(search, task, &|| Ff::new(task, &graph), budget)
        }
        _ => run(search, task, &|| Blind, budget),
    };
    report.ok_or_else(|| {
        let names: Vec<_> = ployglot_search::SEARCHES
            .iter()
            .map(|search| search.name)
            .collect();
        format!("unknown search '{search}'; known are {}", names.join(", "))
    })
}
