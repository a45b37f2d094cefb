//! Reads PDDL files: a domain and a problem, with the reader's warnings on standard error.

use std::path::Path;

use ployglot_base::BadText;
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::parse::is_domain_text;
use ployglot_pddl::{CannotGround, Task, ground, parse_domain, parse_problem};

use crate::failure::Failure;
use crate::{failure, load};

/// A domain and a problem.
pub struct Files {
    pub domain: Domain,
    pub problem: Problem,
}

/// Reads a domain and a problem. A single file is the problem; its domain is then in the same
/// folder: `domain.pddl`, `NAME-domain.pddl`, `domain-NAME.pddl`, or the only other file there that
/// defines a domain. Warnings go to standard error.
pub fn read(first: &str, second: Option<&str>) -> Result<Files, Failure> {
    let (domain_name, problem_name) = match second {
        Some(problem) => (first.to_string(), problem),
        None => (find_domain(first)?, first),
    };
    let text = load::text(&domain_name)?;
    let domain =
        parse_domain(&text).map_err(|bad| load::bad_text(&domain_name, text.as_bytes(), bad))?;
    warn(&domain_name, &text, domain.warnings);
    let text = load::text(problem_name)?;
    let problem = parse_problem(&text, &domain.value)
        .map_err(|bad| load::bad_text(problem_name, text.as_bytes(), bad))?;
    warn(problem_name, &text, problem.warnings);
    Ok(Files {
        domain: domain.value,
        problem: problem.value,
    })
}

impl Files {
    /// Grounds the problem.
    pub fn ground(&self) -> Result<Task, Failure> {
        ground(&self.domain, &self.problem).map_err(|CannotGround(why)| Failure::Unsupported(why))
    }
}

fn warn(name: &str, text: &str, warnings: Vec<BadText>) {
    for warning in warnings {
        failure::warn(name, text, &warning);
    }
}

/// The domain file in the folder of this problem.
fn find_domain(problem: &str) -> Result<String, Failure> {
    let path = Path::new(problem);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    for name in [
        "domain.pddl".to_string(),
        format!("{stem}-domain.pddl"),
        format!("domain-{stem}.pddl"),
    ] {
        let candidate = folder.join(name);
        if candidate.is_file() && candidate != path {
            return Ok(candidate.display().to_string());
        }
    }
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Failure::io(folder.display().to_string(), error))?;
    let mut domains: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|other| {
            other
                .extension()
                .is_some_and(|extension| extension == "pddl")
                && other != path
        })
        .filter(|other| std::fs::read_to_string(other).is_ok_and(|text| is_domain_text(&text)))
        .map(|other| other.display().to_string())
        .collect();
    domains.sort();
    match &domains[..] {
        [one] => Ok(one.clone()),
        [] => Err(Failure::CommandLine(format!(
            "{problem}: no domain file in the same folder; name both files"
        ))),
        many => Err(Failure::CommandLine(format!(
            "{problem}: several domain files in the same folder; name one of {}",
            many.join(", ")
        ))),
    }
}
