//! Reads PDDL files: a domain and a problem, with the reader's warnings on standard error.

use std::io::Read;
use std::path::Path;

use ployglot_base::{BadText, Budget, Limit};
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::parse::is_domain_text;
use ployglot_pddl::tree::MAX_BYTES;
use ployglot_pddl::{
    CannotGround, CannotRead, Task, ground_within, parse_domain_within, parse_problem_within,
};

use crate::failure::Failure;
use crate::{failure, load};

/// The texts of a domain and a problem, with the names of their files.
pub struct Texts {
    domain: (String, String),
    problem: (String, String),
}

/// A domain and a problem.
pub struct Files {
    pub domain: Domain,
    pub problem: Problem,
}

/// Why work on planning files ended early.
pub enum Stopped {
    Failure(Failure),
    Limit(Limit),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failure(failure)
    }
}

impl From<CannotGround> for Stopped {
    fn from(why: CannotGround) -> Self {
        match why {
            CannotGround::Unsupported(why) | CannotGround::TooLarge(why) => {
                Stopped::Failure(Failure::Unsupported(why))
            }
            CannotGround::Limit(limit) => Stopped::Limit(limit),
        }
    }
}

/// Loads the texts of a domain and a problem. A single file is the problem; its domain is then in
/// the same folder: `domain.pddl`, `NAME-domain.pddl`, `domain-NAME.pddl`, `domain_NAME.pddl`, for
/// `p01-more.pddl` also `p01-domain.pddl`, or the only other file there that defines a domain.
pub fn load(first: &str, second: Option<&str>) -> Result<Texts, Failure> {
    let (domain, problem) = match second {
        Some(problem) => (first.to_string(), problem),
        None => (find_domain(first)?, first),
    };
    let text = load::text_up_to(&domain, MAX_BYTES)?;
    Ok(Texts {
        domain: (domain, text),
        problem: (problem.to_string(), load::text_up_to(problem, MAX_BYTES)?),
    })
}

impl Texts {
    /// The names of the files of the domain, which may have been found, and of the problem.
    pub fn names(&self) -> [Option<&String>; 2] {
        [Some(&self.domain.0), Some(&self.problem.0)]
    }

    /// The texts of the domain and of the problem.
    pub fn contents(&self) -> [String; 2] {
        [self.domain.1.clone(), self.problem.1.clone()]
    }

    /// Reads the texts. Warnings go to standard error.
    pub fn read(self, budget: &Budget) -> Result<Files, Stopped> {
        let (name, text) = &self.domain;
        let domain = parse_domain_within(text, budget).map_err(|why| stopped(name, text, why))?;
        warn(name, text, domain.warnings);
        let (name, text) = &self.problem;
        let problem = parse_problem_within(text, &domain.value, budget)
            .map_err(|why| stopped(name, text, why))?;
        warn(name, text, problem.warnings);
        Ok(Files {
            domain: domain.value,
            problem: problem.value,
        })
    }
}

fn stopped(name: &str, text: &str, why: CannotRead) -> Stopped {
    match why {
        CannotRead::Text(bad) => load::bad_text(name, text.as_bytes(), bad).into(),
        CannotRead::Limit(limit) => Stopped::Limit(limit),
    }
}

impl Files {
    /// Grounds the problem.
    pub fn ground(&self, budget: &Budget) -> Result<Task, Stopped> {
        Ok(ground_within(&self.domain, &self.problem, budget)?)
    }
}

/// At most this many warnings of a file are printed.
const MOST_WARNINGS: usize = 20;

fn warn(name: &str, text: &str, warnings: Vec<BadText>) {
    for warning in warnings.iter().take(MOST_WARNINGS) {
        failure::warn(name, text, warning);
    }
    if let Some(more) = warnings.len().checked_sub(MOST_WARNINGS + 1) {
        anstream::eprintln!("{name}: {} more warnings", more + 1);
    }
}

/// Whether the file is a problem, as far as its first part tells: a PDDL file that defines no domain.
pub fn is_problem(path: &Path) -> bool {
    path.is_file() && !is_domain_text(&start_of(path))
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
        format!("domain_{stem}.pddl"),
        format!("{}-domain.pddl", stem.split('-').next().unwrap_or_default()),
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
        .filter(|other| is_domain_text(&start_of(other)))
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

/// The first part of a file, which is enough to see what it defines; empty where it cannot be read.
fn start_of(path: &Path) -> String {
    const ENOUGH: u64 = 1 << 16;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(ENOUGH).read_to_end(&mut bytes));
    read.map_or(String::new(), |_| {
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
