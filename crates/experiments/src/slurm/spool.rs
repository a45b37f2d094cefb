//! The folder between `ploy bench --engine slurm` and the nodes, which all of them see: `results.db.slurm/`, with a folder for
//! each job array. Its `batch.json` says what each task of the array is to run; a task leaves its result beside it, complete or
//! not at all. Nobody but the command writes the database, which so need not stand a network's file system.
//!
//! Nothing of importance is kept elsewhere: a command that was killed reads these folders again and knows what is on its way.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::store::Done;
use crate::suite::{Limits, Suite};
use ployglot_io::failure::Failure;
use ployglot_io::output;

/// What one job array is to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// Of the job, and of the folder: like no other's.
    pub name: String,
    /// The suite's text, and the folder that its relative paths start from.
    suite: String,
    folder: PathBuf,
    cpu: Duration,
    wall: Duration,
    memory: u64,
    grace: Duration,
    pub tasks: Vec<Task>,
}

/// One run. Two that are equal, of batches with the same limits, are the same run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The level's name and text.
    pub level: String,
    pub text: String,
    pub solver: String,
    pub definition: String,
    pub measure: String,
    pub repeat: u32,
}

/// What a task leaves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Left {
    pub program: String,
    pub machine: String,
    pub done: Done,
}

impl Batch {
    pub fn new(name: String, suite: &Suite, tasks: Vec<Task>) -> Batch {
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
    pub fn open(database: &str) -> Result<Spool, Failure> {
        let folder = PathBuf::from(format!("{database}.slurm"));
        let made = std::fs::create_dir_all(&folder).and_then(|()| folder.canonicalize());
        made.map(Spool)
            .map_err(|error| Failure::io(folder.display().to_string(), error))
    }

    pub fn folder(&self, batch: &str) -> PathBuf {
        self.0.join(batch)
    }

    /// Those that an earlier command has left, by name. One without its file was never given to SLURM, and goes.
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

    pub fn write(&self, batch: &Batch) -> Result<PathBuf, Failure> {
        let folder = self.folder(&batch.name);
        let failed = |error| Failure::io(folder.display().to_string(), error);
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let text = serde_json::to_string(batch).expect("a batch is plain data");
        output::file(&folder.join(BATCH).display().to_string(), text.as_bytes())?;
        Ok(folder)
    }

    /// What a task has left, if it has ended.
    pub fn left(&self, batch: &str, task: usize) -> Option<Left> {
        let text = std::fs::read_to_string(self.folder(batch).join(result_name(task))).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The last words of a task that was lost.
    pub fn last_words(&self, batch: &str, task: usize) -> Option<String> {
        let text = std::fs::read(self.folder(batch).join(format!("{task}.log"))).ok()?;
        let text = String::from_utf8_lossy(&text);
        text.lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .map(str::to_string)
    }

    pub fn remove(&self, batch: &str) {
        // What cannot be removed is read again the next time, and found to be done.
        let _ = std::fs::remove_dir_all(self.folder(batch));
        let _ = std::fs::remove_dir(&self.0);
    }
}

pub fn read_batch(folder: &Path) -> Result<Batch, Failure> {
    let file = folder.join(BATCH);
    let failed = |error| Failure::io(file.display().to_string(), error);
    let text = std::fs::read_to_string(&file).map_err(failed)?;
    serde_json::from_str(&text).map_err(|bad| Failure::Defect(format!("{}: {bad}", file.display())))
}

/// For a task: leaves its result, which is on the disk before it has its name.
pub fn leave(folder: &Path, task: usize, left: &Left) -> std::io::Result<()> {
    use std::io::Write;
    let text = serde_json::to_string(left).expect("a result is plain data");
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
