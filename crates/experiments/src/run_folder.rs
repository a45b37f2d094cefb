//! The folder of one run, and the command line that runs a solver in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use ployglot_games::{AnyLevel, Game, Level, LevelVisitor};
use ployglot_solve::{FoundModel, find_model};

use super::solver::AnySolver;
use super::suite::Suite;
use super::tasks::TaskTexts;
use super::warden::{SELF, Wardens};
use ployglot_io::exit::BAD_FILE;
use ployglot_io::failure::Failure;

/// The files of a planning task.
const DOMAIN: &str = "domain.pddl";
const PROBLEM: &str = "problem.pddl";

/// A temporary folder with the files of one run: the level, the exported model, the plan, and what
/// the solver printed. Removed when dropped.
pub struct RunFolder {
    folder: tempfile::TempDir,
    /// What the run solves.
    pub subject: Subject,
}

/// What a run solves.
pub enum Subject {
    Level(Box<AnyLevel>),
    Task(TaskTexts),
}

impl RunFolder {
    /// A folder with the file `level`, of this text; for a planning task, with the files of its
    /// domain and problem.
    pub fn new(text: &str) -> Result<RunFolder, Failure> {
        let subject = match TaskTexts::parse(text) {
            Some(task) => Subject::Task(task),
            None => Subject::Level(Box::new(AnyLevel::read(text).map_err(|bad| {
                Failure::Defect(format!("a level of the suite cannot be read again: {bad}"))
            })?)),
        };
        let failed = |error| Failure::io("a folder for a run", error);
        let folder = tempfile::Builder::new()
            .prefix("ploy-bench-")
            .tempdir()
            .map_err(failed)?;
        let files = match &subject {
            Subject::Level(_) => vec![("level", text)],
            Subject::Task(task) => {
                vec![(DOMAIN, &task.domain[..]), (PROBLEM, &task.problem[..])]
            }
        };
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).map_err(failed)?;
        }
        Ok(RunFolder { folder, subject })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The text of a file, if it exists; of a very long file, the end.
    pub fn text(&self, name: &str) -> Option<String> {
        use std::io::{Read, Seek, SeekFrom};
        const LONGEST: u64 = 16 << 20;
        let path = self.file(name);
        // Anything but a regular file, such as a pipe, could block this process.
        let length = std::fs::metadata(&path)
            .ok()
            .filter(|file| file.is_file())?
            .len();
        let mut file = std::fs::File::open(path).ok()?;
        file.seek(SeekFrom::Start(length.saturating_sub(LONGEST)))
            .ok()?;
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The last line of a file that is not blank, shortened.
    pub fn last_line(&self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map(|line| line.chars().take(300).collect())
    }

    /// An error if the disk of this folder is full: a run that failed because of that is no result.
    pub fn check_space(&self) -> Result<(), Failure> {
        let probe = self.file("space");
        std::fs::write(&probe, [0; 1 << 16])
            .map_err(|error| Failure::io(self.path().display().to_string(), error))
    }

    /// The plan that was written last. Planners that improve their plan write `plan.1`, `plan.2`
    /// and so on.
    pub fn plan(&self) -> Option<String> {
        let numbered = (1..)
            .map(|number| format!("plan.{number}"))
            .take_while(|name| self.file(name).is_file())
            .last();
        numbered
            .and_then(|name| self.text(&name))
            .or_else(|| self.text("plan"))
    }

    /// The command line of a run. First exports the level where the solver needs a model; this time
    /// is not measured as part of the run.
    pub fn command(
        &self,
        solver: &AnySolver,
        measure: &str,
        suite: &Suite,
        wardens: &Wardens,
    ) -> Result<Vec<String>, Failure> {
        let level = self.file("level").display().to_string();
        let solver = match solver {
            AnySolver::External(solver) => solver,
            AnySolver::Route(route) => {
                let mut words = [SELF, "solve", "--json", "--measure", measure]
                    .map(str::to_string)
                    .to_vec();
                // A limit below that of the suite, so that the search ends by itself and reports
                // its bound before it is killed.
                words.push(format!(
                    "--memory={}K",
                    (suite.limits.memory / 100 * 95) >> 10
                ));
                // The results name the level and the route of a defect; a file beside the suite
                // would be one for each broken run.
                words.push(format!("--defects={}", self.path().display()));
                words.extend(route.route.iter().map(|name| format!("--route={name}")));
                if !route.without.is_empty() {
                    words.push(format!("--without={}", route.without.join(",")));
                }
                words.push(level);
                return Ok(words);
            }
        };
        if let Some(model) = &solver.export {
            self.export(&level, model, wardens)?;
        }
        let own = std::env::current_exe().map_err(|error| Failure::io("this program", error))?;
        let file = |name: &str| self.file(name).display().to_string();
        let model = solver.export.as_deref().unwrap_or("");
        let (first, last) = match &self.subject {
            Subject::Level(level) => level.visit(Horizons(model)),
            Subject::Task(_) => UNKNOWN_HORIZONS,
        };
        let placeholders = [
            ("{first}", first.to_string()),
            ("{last}", last.to_string()),
            ("{export}", model.to_string()),
            ("{level}", level),
            ("{dir}", self.path().display().to_string()),
            ("{domain}", file(DOMAIN)),
            ("{problem}", file(PROBLEM)),
            ("{model}", file("model.eprime")),
            ("{param}", file("instance.param")),
            ("{plan}", file("plan")),
            ("{suite}", suite.folder.display().to_string()),
            ("{ploy}", own.display().to_string()),
            ("{measure}", measure.to_string()),
            ("{cpu}", suite.limits.cpu.as_secs().to_string()),
            ("{wall}", suite.limits.wall().as_secs().to_string()),
            ("{memory}", (suite.limits.memory >> 20).to_string()),
        ];
        let fill = |word: &String| {
            placeholders
                .iter()
                .fold(word.clone(), |word, (name, value)| {
                    word.replace(name, value)
                })
        };
        Ok(solver.command.get_ref().iter().map(fill).collect())
    }

    /// Writes the model of the level into the folder, by `ploy export`.
    fn export(&self, level: &str, model: &str, wardens: &Wardens) -> Result<(), Failure> {
        let mut command = Command::new(SELF);
        command
            .args(["export", level, "--to", model, "--out"])
            .arg(self.path());
        let output = wardens
            .output(&mut command)
            .map_err(|error| Failure::io("ploy export", error))?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let message = message.trim().trim_start_matches("error: ").to_string();
        // A full disk says nothing about the level.
        Err(match output.status.code() == Some(i32::from(BAD_FILE)) {
            true => Failure::io("ploy export", std::io::Error::other(message)),
            false => Failure::Unsupported(message),
        })
    }
}

/// Visits a level for the first and the last horizon of this constraint model that may have a plan.
/// `u32::MAX` where no last horizon is known.
struct Horizons<'a>(&'a str);

/// The first and the last horizon where nothing is known.
const UNKNOWN_HORIZONS: (u32, u32) = (1, u32::MAX);

impl LevelVisitor for Horizons<'_> {
    type Out = (u32, u32);

    fn visit<G: Game>(self, level: &Level<G>) -> (u32, u32) {
        let Ok(FoundModel::Constraint(model, _)) = find_model::<G>(self.0) else {
            return UNKNOWN_HORIZONS;
        };
        let first = (model.first_horizon)(&level.game).max(1);
        (first, (model.last_horizon)(&level.game).unwrap_or(u32::MAX))
    }
}
