//! What the command line, the studio and the experiments share: levels and files are read (`load`,
//! `planning_files`), models are written as files (`model_files`), output is written completely or
//! not at all (`output`, `draft`, `folder`), errors have a place and an exit code (`failure`, `exit`), answers become
//! JSON or text (`row`), limits are parsed (`limits`), and Ctrl-C raises a flag (`interrupt`).

pub mod draft;
pub mod exit;
pub mod failure;
pub mod folder;
pub mod interrupt;
pub mod limits;
pub mod load;
pub mod model_files;
pub mod output;
pub mod planning_files;
pub mod row;

/// What runs solvers that are programs of their own, for budgets.
pub fn programs() -> std::sync::Arc<dyn ployglot_base::Programs> {
    ployglot_programs::local()
}
