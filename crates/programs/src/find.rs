//! Finds the program of a tool, or builds it.
//!
//! A program is looked for in the folder `PLOY_PROGRAMS` if that is set, beside the running program,
//! in the folder `tools` beside its folder (`target/tools` for `target/quick/ploy`), and in `PATH`,
//! in this order. A tool that a package of this project builds is built when a clone
//! of the project runs: `./ploy` sets `PLOY_SOURCE` to the clone, and `scripts/build-tool` does the
//! rest. A program that was installed has no sources, and gets the message how to install the tool.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ployglot_base::{Budget, Progress, Tool};

use crate::run::{own_group, wait_within};

/// Where the program of a tool is, if it is installed.
pub fn find(tool: &Tool) -> Option<PathBuf> {
    let chosen = env::var_os("PLOY_PROGRAMS").map(PathBuf::from);
    let beside = env::current_exe().ok();
    let beside = beside.and_then(|program| program.parent().map(Path::to_path_buf));
    let tools = beside.as_deref().and_then(Path::parent);
    let tools = tools.map(|target| target.join("tools"));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = chosen
        .into_iter()
        .chain(beside)
        .chain(tools)
        .chain(env::split_paths(&path).filter(|folder| folder.is_absolute()))
        .collect();
    let mut programs = tool.programs.iter();
    programs.find_map(|name| {
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders
            .iter()
            .map(|folder| folder.join(&name))
            .find(|path| is_program(path))
    })
}

/// Like [`find`], and builds what a clone of the project can build.
pub fn obtain(tool: &Tool, budget: &Budget) -> Result<PathBuf, String> {
    if let Some(program) = find(tool) {
        return Ok(program);
    }
    if let (Some(package), Some(source)) = (tool.package, env::var_os("PLOY_SOURCE")) {
        build(tool, package, Path::new(&source), budget)?;
        if let Some(program) = find(tool) {
            return Ok(program);
        }
    }
    let names = tool.programs.join("' or '");
    Err(format!(
        "{} is not installed: there is no program '{names}' in PATH ({})",
        tool.name, tool.install
    ))
}

/// Builds a package of this project by its script, whose progress the user sees.
fn build(tool: &Tool, package: &str, source: &Path, budget: &Budget) -> Result<(), String> {
    let script = source.join("scripts/build-tool");
    let mut command = Command::new(&script);
    command
        .arg(package)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    own_group(&mut command);
    let failed = |why: String| {
        format!(
            "{} could not be built by {}: {why}",
            tool.name,
            script.display()
        )
    };
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let progress = || Progress {
        phase: "building",
        ..Progress::default()
    };
    match wait_within(&mut child, &mut || budget.check(progress)) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(limit) => Err(failed(format!("a limit was reached: {limit}"))),
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let data = std::fs::metadata(path);
    data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
