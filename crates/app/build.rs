//! Records the commit, the target and the profile for `ploy --version`. The commit comes from git, or from
//! `PLOY_COMMIT` where there is no repository (a source archive); without both it is not known.

use std::path::Path;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_string())
}

/// The profile. Cargo tells a build script only whether it is `release` or like it; the name is that of
/// the folder with the build: `target/quick/build/…`.
fn profile() -> Option<String> {
    let out = std::env::var("OUT_DIR").ok()?;
    let build = Path::new(&out)
        .ancestors()
        .find(|folder| folder.ends_with("build"))?;
    let name = build.parent()?.file_name()?.to_str()?;
    Some(if name == "debug" { "dev" } else { name }.to_string())
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
    let profile = profile().or_else(|| std::env::var("PROFILE").ok());
    let profile = profile.unwrap_or_default();
    println!("cargo:rustc-env=PLOY_PROFILE_SHOWN={profile}");
}
