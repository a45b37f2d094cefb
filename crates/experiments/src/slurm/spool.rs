//! The folder that `ploy bench --engine slurm` shares with the nodes: `results.db.slurm/`, with a
//! folder for each job array. Its `batch.json` lists what each array task is to run; an array task
//! writes its result beside it, atomically. Only the command writes to the database, so the
//! database need not support writers over a network file system.
//!
//! These folders are the only state: a command that was killed reads them again and knows what was
//! submitted.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::store::FinishedRun;
use crate::suite::{Limits, Suite};
use ployglot_io::failure::Failure;
use ployglot_io::output;

/// The runs of one job array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The name of the job and of its folder; unique.
    pub name: String,
    /// The text of the suite.
    suite: String,
    /// The folder of the suite, for its relative paths.
    folder: PathBuf,
    cpu: Duration,
    wall: Duration,
    memory: u64,
    grace: Duration,
    /// The run of each array task.
    pub tasks: Vec<ArrayTask>,
}

/// The run of one array task. Equal ones in batches with equal limits are the same run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArrayTask {
    /// The name of the level.
    pub level: String,
    /// The text of the level.
    pub text: String,
    pub solver: String,
    pub definition: String,
    pub measure: String,
    pub repeat: u32,
}

/// The result of an array task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunResult {
    pub program: String,
    pub machine: String,
    pub done: FinishedRun,
}

impl Batch {
    /// A batch with the limits of the suite.
    pub fn new(name: String, suite: &Suite, tasks: Vec<ArrayTask>) -> Batch {
        Batch {
            name,
            suite: suite.text.clone(),
            folder: suite.folder.clone(),
            cpu: suite.limits.cpu,
            wall: suite.limits.wall(),
            memory: suite.limits.memory,
            grace: suite.limits.grace,
            tasks,
        }
    }

    /// Whether the suite has the limits of this batch.
    pub fn same_limits(&self, suite: &Suite) -> bool {
        let limits = &suite.limits;
        (self.cpu, self.wall, self.memory) == (limits.cpu, limits.wall(), limits.memory)
    }

    /// The suite as it was when the batch was made.
    pub fn suite(&self) -> Result<Suite, Failure> {
        let bad = |bad| Failure::Defect(format!("the suite of {}: {bad}", self.name));
        let mut suite = Suite::parse(&self.suite).map_err(bad)?;
        suite.folder.clone_from(&self.folder);
        suite.limits = Limits {
            cpu: self.cpu,
            wall: Some(self.wall),
            memory: self.memory,
            grace: self.grace,
        };
        Ok(suite)
    }
}

/// The folder of all batches of one database.
pub struct Spool(PathBuf);

impl Spool {
    /// Creates the folder where it is missing.
    pub fn open(database: &str) -> Result<Spool, Failure> {
        let folder = PathBuf::from(format!("{database}.slurm"));
        let made = std::fs::create_dir_all(&folder).and_then(|()| folder.canonicalize());
        made.map(Spool)
            .map_err(|error| Failure::io(folder.display().to_string(), error))
    }

    /// The folder of a batch.
    pub fn folder(&self, batch: &str) -> PathBuf {
        self.0.join(batch)
    }

    /// The batches of earlier commands, by name. A folder without a readable `batch.json` was never
    /// submitted and is removed.
    pub fn batches(&self) -> Result<Vec<Batch>, Failure> {
        let failed = |error| Failure::io(self.0.display().to_string(), error);
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(&self.0).map_err(failed)? {
            folders.push(entry.map_err(failed)?.path());
        }
        folders.sort();
        let mut batches = Vec::new();
        for folder in folders {
            match read_batch(&folder) {
                Ok(batch) => batches.push(batch),
                Err(_) => drop(std::fs::remove_dir_all(&folder)),
            }
        }
        Ok(batches)
    }

    /// Writes a batch and returns its folder.
    pub fn write(&self, batch: &Batch) -> Result<PathBuf, Failure> {
        let folder = self.folder(&batch.name);
        let failed = |error| Failure::io(folder.display().to_string(), error);
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let text = serde_json::to_string(batch).expect("a batch is plain data");
        output::file(&folder.join(BATCH).display().to_string(), text.as_bytes())?;
        Ok(folder)
    }

    /// The result of an array task, if it has ended.
    pub fn result(&self, batch: &str, task: usize) -> Option<RunResult> {
        let text = std::fs::read_to_string(self.folder(batch).join(result_name(task))).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The last line that an array task printed.
    pub fn last_log_line(&self, batch: &str, task: usize) -> Option<String> {
        let text = std::fs::read(self.folder(batch).join(format!("{task}.log"))).ok()?;
        let text = String::from_utf8_lossy(&text);
        text.lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .map(str::to_string)
    }

    /// Removes the folder of a batch, and the shared folder if it is empty.
    pub fn remove(&self, batch: &str) {
        // A folder that cannot be removed is read by the next command, which finds its runs in the
        // database.
        let _ = std::fs::remove_dir_all(self.folder(batch));
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Reads the batch of a folder.
pub fn read_batch(folder: &Path) -> Result<Batch, Failure> {
    let file = folder.join(BATCH);
    let failed = |error| Failure::io(file.display().to_string(), error);
    let text = std::fs::read_to_string(&file).map_err(failed)?;
    serde_json::from_str(&text).map_err(|bad| Failure::Defect(format!("{}: {bad}", file.display())))
}

/// Writes the result of an array task. It is on the disk before the file gets its name, so the file
/// is never incomplete.
pub fn write_result(folder: &Path, task: usize, result: &RunResult) -> std::io::Result<()> {
    use std::io::Write;
    let text = serde_json::to_string(result).expect("a result is plain data");
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(folder.join(result_name(task)))?;
    Ok(())
}

const BATCH: &str = "batch.json";

fn result_name(task: usize) -> String {
    format!("{task}.json")
}
