//! What the command line, the studio and experiments share of the outside world: levels and files are read (`load`,
//! `planning_files`), output is written whole or not at all (`output`), errors have a place and an exit code (`failure`),
//! answers become JSON or text (`row`), limits are parsed (`limits`), and Ctrl-C raises a flag (`interrupt`).

pub mod failure;
pub mod interrupt;
pub mod limits;
pub mod load;
pub mod model_files;
pub mod output;
pub mod planning_files;
pub mod row;
