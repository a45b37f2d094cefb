//! Planning tasks of a suite: PDDL files, in a folder for each domain, as the collections of the
//! planning competitions have them. Solvers from elsewhere, and `ploy plan`, solve them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ployglot_base::Budget;
use ployglot_base::text::unknown;
use ployglot_io::failure::Failure;
use ployglot_io::planning_files;
use ployglot_pddl::{Ruling, parse_domain, parse_plan, parse_problem, print_step, validate_within};
use serde::Deserialize;

use super::globs::Globs;
use super::levels::SuiteLevel;
use super::suite::Suite;

/// The name of the game of planning tasks, in suites and databases.
pub const TASK: &str = "pddl";

/// The measure by which a plan counts as solved without a proof that it is the best.
pub const ANY_PLAN: &str = "any-plan";

/// The measures of planning tasks. By the first one, the default, the cost is the metric of the
/// problem, and a run has to prove that its plan is optimal.
const MEASURES: [&str; 2] = ["cost", ANY_PLAN];

/// The measure that a suite requests, or the default.
pub fn measure(requested: Option<&str>) -> Result<&'static str, String> {
    let Some(requested) = requested else {
        return Ok(MEASURES[0]);
    };
    let found = MEASURES.into_iter().find(|measure| *measure == requested);
    found.ok_or_else(|| unknown("measure", requested, MEASURES))
}

/// One `[[tasks]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSource {
    /// The folder that has a folder for each domain; relative to the folder of the suite.
    pub folder: Option<PathBuf>,
    /// Globs of names of domains.
    #[serde(default = "all")]
    pub domains: Vec<String>,
    /// Globs of names of domains that are left out.
    #[serde(default)]
    pub except: Vec<String>,
    /// The problems of each domain, by their positions in the sorted list of its files, from 1;
    /// empty: all.
    #[serde(default)]
    pub problems: Vec<usize>,
}

fn all() -> Vec<String> {
    vec!["*".to_string()]
}

impl TaskSource {
    /// The tasks of this source, by domain and by the name of the problem.
    pub fn tasks(&self, suite: &Suite) -> Result<Vec<SuiteLevel>, Failure> {
        let bad = |why: String| Failure::Usage(format!("the suite's tasks: {why}"));
        let folder = self.folder.as_ref().ok_or_else(|| {
            bad(
                "no folder is named; name the one that has the domains with --tasks DIR"
                    .to_string(),
            )
        })?;
        let globs = |patterns: &[String]| Globs::new(patterns).map_err(bad);
        let (wanted, unwanted) = (globs(&self.domains)?, globs(&self.except)?);
        let mut tasks = Vec::new();
        for (name, folder) in entries(&suite.folder.join(folder))? {
            if !folder.is_dir() || !wanted.matches(&name) || unwanted.matches(&name) {
                continue;
            }
            for (file, path) in self.problems(&folder)? {
                let texts = planning_files::load(&path.display().to_string(), None)?;
                let [domain, problem] = texts.contents();
                tasks.push(SuiteLevel {
                    name: format!("{name}/{file}"),
                    family: name.clone(),
                    game: TASK,
                    seed: None,
                    text: TaskTexts { domain, problem }.print(),
                });
            }
        }
        match tasks.is_empty() {
            true => Err(bad(format!("there are none in {}", folder.display()))),
            false => Ok(tasks),
        }
    }

    /// The chosen problem files of a domain.
    fn problems(&self, folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
        let mut files = entries(folder)?;
        files.retain(|(name, path)| name.ends_with(".pddl") && planning_files::is_problem(path));
        if self.problems.is_empty() {
            return Ok(files);
        }
        let chosen = self.problems.iter();
        let chosen = chosen.filter_map(|position| files.get(position.checked_sub(1)?).cloned());
        Ok(chosen.collect())
    }
}

/// The names and paths in a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let failed = |error| Failure::io(folder.display().to_string(), error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
            found.push((name.to_string(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

/// The texts of a domain and a problem. As one text, the form in databases: a line `task: BYTES`
/// with the length of the domain's text, then both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTexts {
    /// The text of the domain.
    pub domain: String,
    /// The text of the problem.
    pub problem: String,
}

impl TaskTexts {
    /// Both as one text.
    pub fn print(&self) -> String {
        format!(
            "task: {}\n{}{}",
            self.domain.len(),
            self.domain,
            self.problem
        )
    }

    /// The texts that `print` has made one; `None`: it is the text of a level.
    pub fn parse(text: &str) -> Option<Self> {
        let (bytes, rest) = text.strip_prefix("task: ")?.split_once('\n')?;
        let (domain, problem) = rest.split_at_checked(bytes.parse().ok()?)?;
        Some(Self {
            domain: domain.to_string(),
            problem: problem.to_string(),
        })
    }

    /// Judges the text of a plan by the validator: its cost, rounded down, and its steps. `Ok(None)`:
    /// a limit of time ended the validator. `Err`: the plan is not valid.
    pub fn replay(&self, plan: &str) -> Result<Option<(u32, String)>, String> {
        const TIME: Duration = Duration::from_secs(60);
        let domain = parse_domain(&self.domain).map_err(|bad| bad.to_string())?;
        let domain = domain.value;
        let problem = parse_problem(&self.problem, &domain).map_err(|bad| bad.to_string())?;
        let problem = problem.value;
        let steps = parse_plan(plan, &domain, &problem).map_err(|bad| bad.to_string())?;
        let budget = Budget::unlimited().with_time(TIME);
        match validate_within(&domain, &problem, &steps, &budget) {
            Err(_) => Ok(None),
            Ok(Ruling::Valid { cost }) => {
                let lines = steps.iter().map(|step| print_step(step, &domain, &problem));
                Ok(Some((cost as u32, lines.collect::<Vec<_>>().join("\n"))))
            }
            Ok(Ruling::Fails { at, step, why }) => {
                Err(format!("step {at} {step} cannot be taken: {why}"))
            }
            Ok(Ruling::Misses { why }) => Err(format!("the goal does not hold: {why}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOMAIN: &str = "(define (domain d) (:predicates (p) (q))
        (:action a :parameters () :precondition (p) :effect (q)))";
    const PROBLEM: &str = "(define (problem x) (:domain d) (:init (p)) (:goal (q)))";

    fn texts() -> TaskTexts {
        TaskTexts {
            domain: DOMAIN.to_string(),
            problem: PROBLEM.to_string(),
        }
    }

    #[test]
    fn a_task_is_printed_as_it_is_parsed() {
        assert_eq!(TaskTexts::parse(&texts().print()), Some(texts()));
        assert_eq!(TaskTexts::parse("game: plotting\n"), None);
        assert_eq!(TaskTexts::parse("task: 999\n(define)"), None);
    }

    #[test]
    fn plans_are_judged() {
        assert_eq!(
            texts().replay("(a)\n; cost = 1\n"),
            Ok(Some((1, "(a)".to_string())))
        );
        assert!(
            texts()
                .replay("")
                .is_err_and(|why| why.contains("goal does not hold"))
        );
        assert!(texts().replay("(b)\n").is_err());
    }

    #[test]
    fn problems_are_found_by_domain_and_position() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        for domain in ["b-opt", "a", "c-sat"] {
            write(&format!("{domain}/domain.pddl"), DOMAIN);
            for number in 1..=3 {
                write(&format!("{domain}/p{number}.pddl"), PROBLEM);
            }
        }
        let names = |more: &str| {
            let text = format!(
                "name='a'\n[limits]\ncpu='1s'\nmemory='1G'\n[[solvers]]\nname='x'\ncommand=['y']\n[[tasks]]\n{more}"
            );
            let mut suite = Suite::parse(&text).expect("a suite");
            suite.folder = folder.path().to_path_buf();
            let tasks = suite.tasks[0].tasks(&suite);
            tasks.map(|tasks| tasks.into_iter().map(|task| task.name).collect::<Vec<_>>())
        };
        let some = names("folder='.'\nexcept=['*-sat']\nproblems=[1,3,9]\n");
        let some = some.unwrap_or_else(|bad| panic!("{}", bad.line()));
        assert_eq!(
            some,
            ["a/p1.pddl", "a/p3.pddl", "b-opt/p1.pddl", "b-opt/p3.pddl"]
        );
        let none = names("problems=[1]\n").unwrap_err().line();
        assert!(none.contains("--tasks DIR"), "{none}");
        let none = names("folder='.'\ndomains=['x*']\n").unwrap_err().line();
        assert!(none.contains("there are none"), "{none}");
    }
}
