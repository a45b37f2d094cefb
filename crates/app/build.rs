//! Records the commit and the target for `ploy --version`. The commit comes from git, or from
//! `PLOY_COMMIT` where there is no repository (a source archive); without both it is not known.

use std::path::Path;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_string())
}

fn main() {
    println!("cargo:rerun-if-env-changed=PLOY_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    // The log of HEAD changes with each commit and each checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo:rerun-if-changed={log}");
    }
    let given = std::env::var("PLOY_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty());
    let commit = given.or_else(|| git(&["show", "--no-patch", "--format=%h, %cs", "HEAD"]));
    let commit = commit.unwrap_or_else(|| "commit not known".to_string());
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo:rustc-env=PLOY_COMMIT_SHOWN={commit}");
    println!("cargo:rustc-env=PLOY_TARGET={target}");
}
