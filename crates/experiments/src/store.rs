//! The database of results, in SQLite. Each run is one row, written in one transaction when the run has ended, so whatever
//! kills the runner loses the runs in flight and nothing else. The same command then finds what is there and does the rest.
//!
//! `docs/formats.md` describes the tables for whoever asks them directly.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::levels::Entry;
use super::lies::Said;
use super::suite::Suite;
use ployglot_io::failure::Failure;

pub const SCHEMA_VERSION: i64 = 1;

const SCHEMA: &str = "
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, started INTEGER NOT NULL, suite TEXT NOT NULL, text TEXT NOT NULL, program TEXT NOT NULL,
    machine TEXT NOT NULL, jobs INTEGER NOT NULL
) STRICT;
CREATE TABLE levels (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, family TEXT NOT NULL, game TEXT NOT NULL, seed INTEGER, text TEXT NOT NULL,
    UNIQUE (name, text)
) STRICT;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions, level INTEGER NOT NULL REFERENCES levels,
    solver TEXT NOT NULL, definition TEXT NOT NULL, base TEXT, measure TEXT NOT NULL, repeat INTEGER NOT NULL,
    cpu_limit REAL NOT NULL, wall_limit REAL NOT NULL, memory_limit INTEGER NOT NULL,
    started INTEGER NOT NULL, core INTEGER,
    ended TEXT NOT NULL, code INTEGER,
    cpu REAL NOT NULL, wall REAL NOT NULL, memory INTEGER NOT NULL,
    status TEXT NOT NULL, cost INTEGER, at_least INTEGER, plan TEXT, checked INTEGER NOT NULL, rejected TEXT,
    expanded INTEGER, message TEXT, lie TEXT,
    UNIQUE (level, solver, definition, measure, repeat, cpu_limit, wall_limit, memory_limit)
) STRICT;
";

pub struct Store {
    connection: Connection,
    name: String,
    /// Held by the runner while it lives: two runners would do everything twice. (Dropped after the connection.)
    _lock: Option<std::fs::File>,
}

/// What makes two runs the same run.
#[derive(Clone, Debug)]
pub struct Key {
    pub level: i64,
    pub solver: String,
    pub definition: String,
    pub base: Option<String>,
    pub measure: String,
    pub repeat: u32,
    pub cpu: Duration,
    pub wall: Duration,
    pub memory: u64,
}

/// A run that has ended, as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Done {
    pub started: i64,
    pub core: Option<usize>,
    /// `exit`, `signal`, `cpu`, `wall`, `memory`, `output`, or `refused`: the level could not be exported.
    pub ended: String,
    pub code: Option<i32>,
    pub cpu: f64,
    pub wall: f64,
    pub memory: u64,
    pub answer: Answer,
}

/// What a run claims, and the referee's word on its plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// `optimal`, `feasible`, `unsolvable`, `limit` or `error`.
    pub status: String,
    pub cost: Option<u32>,
    pub at_least: Option<u32>,
    /// Moves, one a line.
    pub plan: Option<String>,
    /// The referee agrees with the plan.
    pub checked: bool,
    /// The referee rejects the plan or its cost, and why.
    pub rejected: Option<String>,
    pub expanded: Option<i64>,
    pub message: Option<String>,
}

/// A run as reports see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub level: String,
    pub family: String,
    pub game: String,
    pub solver: String,
    pub base: Option<String>,
    pub measure: String,
    pub repeat: u32,
    pub cpu_limit: f64,
    pub memory_limit: i64,
    pub ended: String,
    pub code: Option<i32>,
    pub cpu: f64,
    pub wall: f64,
    pub memory: i64,
    pub status: String,
    pub cost: Option<u32>,
    pub at_least: Option<u32>,
    pub checked: bool,
    pub expanded: Option<i64>,
    pub message: Option<String>,
    pub lie: Option<String>,
    /// The solver's place in the suite.
    pub rank: usize,
}

impl Store {
    /// For the runner: made where it is missing, and locked.
    pub fn open(name: &str) -> Result<Store, Failure> {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(name);
        let file = file.map_err(|error| Failure::io(name, error))?;
        if file.try_lock().is_err() {
            return Err(Failure::Usage(format!(
                "{name}: another 'ploy bench' is writing to it"
            )));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(name, flags)?;
        store._lock = Some(file);
        store.prepare().map_err(|error| store.failed(error))?;
        store.check()?;
        Ok(store)
    }

    /// For reports: must be there, and is not changed.
    pub fn read(name: &str) -> Result<Store, Failure> {
        if !Path::new(name).is_file() {
            return Err(Failure::io(name, std::io::ErrorKind::NotFound.into()));
        }
        let store = Store::connect(
            name,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        store.check()?;
        Ok(store)
    }

    fn connect(name: &str, flags: OpenFlags) -> Result<Store, Failure> {
        let failed = |error: rusqlite::Error| Failure::Usage(format!("{name}: {error}"));
        let connection = Connection::open_with_flags(name, flags).map_err(failed)?;
        connection
            .busy_timeout(Duration::from_secs(30))
            .map_err(failed)?;
        Ok(Store {
            connection,
            name: name.to_string(),
            _lock: None,
        })
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.connection
            .pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        self.connection.pragma_update(None, "synchronous", "full")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        if self.version()? == 0 && !self.has_tables()? {
            let make = format!("BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;");
            self.connection.execute_batch(&make)?;
        }
        Ok(())
    }

    fn version(&self) -> rusqlite::Result<i64> {
        self.connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
    }

    fn has_tables(&self) -> rusqlite::Result<bool> {
        self.connection
            .query_row("SELECT count(*) > 0 FROM sqlite_schema", [], |row| {
                row.get(0)
            })
    }

    /// Somebody else's database is not touched.
    fn check(&self) -> Result<(), Failure> {
        match self.version() {
            Ok(SCHEMA_VERSION) => Ok(()),
            Ok(_) => Err(Failure::Usage(format!(
                "{}: this is not a database of 'ploy bench'",
                self.name
            ))),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: rusqlite::Error) -> Failure {
        Failure::Usage(format!("{}: {error}", self.name))
    }

    /// A new session. `jobs`: how many runs at a time; 0: as the cluster has it.
    pub fn session(
        &self,
        suite: &Suite,
        jobs: usize,
        program: &str,
        machine: &str,
    ) -> Result<i64, Failure> {
        let insert = "INSERT INTO sessions (started, suite, text, program, machine, jobs) VALUES (?, ?, ?, ?, ?, ?)";
        let values = params![
            super::machine::now(),
            suite.name,
            suite.text,
            program,
            machine,
            jobs as i64
        ];
        self.connection
            .execute(insert, values)
            .map_err(|error| self.failed(error))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// How many runs were made by another build of the program.
    pub fn foreign(&self, program: &str) -> Result<usize, Failure> {
        let count =
            "SELECT count(*) FROM runs JOIN sessions ON sessions.id = session WHERE program <> ?";
        let found = self
            .connection
            .query_row(count, [program], |row| row.get::<_, i64>(0));
        found
            .map(|found| found as usize)
            .map_err(|error| self.failed(error))
    }

    /// The numbers of levels, which are written where they are new.
    pub fn levels(&self, entries: &[Entry]) -> Result<Vec<i64>, Failure> {
        let numbers = || {
            let change = self.connection.unchecked_transaction()?;
            let numbers = entries.iter().map(|entry| level(&change, entry));
            let numbers = numbers.collect::<rusqlite::Result<_>>()?;
            change.commit()?;
            Ok(numbers)
        };
        numbers().map_err(|error| self.failed(error))
    }

    pub fn has(&self, key: &Key) -> Result<bool, Failure> {
        let find = "SELECT 1 FROM runs WHERE level = ? AND solver = ? AND definition = ? AND measure = ? AND repeat = ?
                    AND cpu_limit = ? AND wall_limit = ? AND memory_limit = ?";
        let (cpu, wall) = (key.cpu.as_secs_f64(), key.wall.as_secs_f64());
        let values = params![
            key.level,
            key.solver,
            key.definition,
            key.measure,
            key.repeat,
            cpu,
            wall,
            key.memory as i64
        ];
        let found = self
            .connection
            .query_row(find, values, |_| Ok(()))
            .optional();
        found
            .map(|found| found.is_some())
            .map_err(|error| self.failed(error))
    }

    pub fn write(&self, session: i64, key: &Key, done: &Done) -> Result<(), Failure> {
        let insert = "INSERT OR IGNORE INTO runs (session, level, solver, definition, base, measure, repeat, cpu_limit, wall_limit,
            memory_limit, started, core, ended, code, cpu, wall, memory, status, cost, at_least, plan, checked, rejected,
            expanded, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let answer = &done.answer;
        let values = params![
            session,
            key.level,
            key.solver,
            key.definition,
            key.base,
            key.measure,
            key.repeat,
            key.cpu.as_secs_f64(),
            key.wall.as_secs_f64(),
            key.memory as i64,
            done.started,
            done.core.map(|core| core as i64),
            done.ended,
            done.code,
            done.cpu,
            done.wall,
            done.memory as i64,
            answer.status,
            answer.cost,
            answer.at_least,
            answer.plan,
            answer.checked,
            answer.rejected,
            answer.expanded,
            answer.message,
        ];
        self.connection
            .execute(insert, values)
            .map(|_| ())
            .map_err(|error| self.failed(error))
    }

    /// What all runs say, for the search for lies.
    pub fn said(&self) -> Result<Vec<Said>, Failure> {
        let select = "SELECT runs.id, levels.text || char(0) || measure, status, cost, at_least, checked, rejected
                      FROM runs JOIN levels ON levels.id = level ORDER BY runs.id";
        self.rows(select, |row| {
            Ok(Said {
                run: row.get(0)?,
                level: row.get(1)?,
                status: row.get(2)?,
                cost: row.get(3)?,
                at_least: row.get(4)?,
                checked: row.get(5)?,
                rejected: row.get(6)?,
            })
        })
    }

    /// Writes who lies, and forgets what was said of it before.
    pub fn mark(&mut self, lies: &std::collections::BTreeMap<i64, String>) -> Result<(), Failure> {
        let mut mark = || {
            let change = self.connection.transaction()?;
            change.execute("UPDATE runs SET lie = NULL WHERE lie IS NOT NULL", [])?;
            for (run, why) in lies {
                change.execute("UPDATE runs SET lie = ? WHERE id = ?", params![why, run])?;
            }
            change.commit()
        };
        mark().map_err(|error| self.failed(error))
    }

    /// The solvers in the order of the suite that was run last, then those of the suites before it. Jobs that run side by side
    /// end in any order, so the order of the rows says nothing.
    fn solver_order(&self) -> Result<Vec<String>, Failure> {
        let texts = self.rows("SELECT text FROM sessions ORDER BY id DESC", |row| {
            row.get::<_, String>(0)
        })?;
        let suites = texts.iter().filter_map(|text| Suite::parse(text).ok());
        let mut order: Vec<String> = Vec::new();
        for name in suites.flat_map(|suite| suite.solver_names()) {
            if !order.contains(&name) {
                order.push(name);
            }
        }
        Ok(order)
    }

    /// All runs: levels in the order of the suite, then solvers in the order of the suite.
    pub fn records(&self) -> Result<Vec<Record>, Failure> {
        let select = "SELECT levels.name, family, game, solver, base, measure, repeat, cpu_limit, memory_limit, ended, code, cpu,
            wall, memory, status, cost, at_least, checked, expanded, message, lie,
            levels.id
            FROM runs JOIN levels ON levels.id = level
            ORDER BY levels.id, (SELECT min(first.id) FROM runs AS first WHERE first.solver = runs.solver), measure, repeat, runs.id";
        let mut records = self.rows(select, |row| {
            let record = Record {
                level: row.get(0)?,
                family: row.get(1)?,
                game: row.get(2)?,
                solver: row.get(3)?,
                base: row.get(4)?,
                measure: row.get(5)?,
                repeat: row.get(6)?,
                cpu_limit: row.get(7)?,
                memory_limit: row.get(8)?,
                ended: row.get(9)?,
                code: row.get(10)?,
                cpu: row.get(11)?,
                wall: row.get(12)?,
                memory: row.get(13)?,
                status: row.get(14)?,
                cost: row.get(15)?,
                at_least: row.get(16)?,
                checked: row.get(17)?,
                expanded: row.get(18)?,
                message: row.get(19)?,
                lie: row.get(20)?,
                rank: usize::MAX,
            };
            Ok((row.get::<_, i64>(21)?, record))
        })?;
        let order = self.solver_order()?;
        for (_, record) in &mut records {
            // Who is in no suite comes last, and first come, first served.
            let rank = order.iter().position(|known| *known == record.solver);
            record.rank = rank.unwrap_or(usize::MAX);
        }
        records.sort_by_key(|(level, record)| (*level, record.rank));
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    /// The suite, the programs and the machines of all sessions, each once.
    pub fn origins(&self) -> Result<Vec<[String; 3]>, Failure> {
        let select = "SELECT DISTINCT suite, program, machine FROM sessions WHERE id IN (SELECT session FROM runs) ORDER BY id";
        self.rows(select, |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
    }

    fn rows<T>(
        &self,
        select: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Failure> {
        let rows = || -> rusqlite::Result<Vec<T>> {
            self.connection
                .prepare(select)?
                .query_map([], read)?
                .collect()
        };
        rows().map_err(|error| self.failed(error))
    }
}

fn level(connection: &Connection, entry: &Entry) -> rusqlite::Result<i64> {
    let insert =
        "INSERT OR IGNORE INTO levels (name, family, game, seed, text) VALUES (?, ?, ?, ?, ?)";
    let seed = entry.seed.map(|seed| seed as i64);
    connection.execute(
        insert,
        params![entry.name, entry.family, entry.game, seed, entry.text],
    )?;
    let find = "SELECT id FROM levels WHERE name = ? AND text = ?";
    connection.query_row(find, params![entry.name, entry.text], |row| row.get(0))
}

impl Drop for Store {
    /// A runner that ends in order leaves one file. (While it runs, new rows are in a second one, so that reports can be read
    /// at the same time; and who only reads cannot clear that away.)
    fn drop(&mut self) {
        if self._lock.is_some() {
            let _ = self
                .connection
                .pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()));
        }
    }
}

impl Record {
    /// Proven optimal or unsolvable, within the limits, and nobody contradicts it.
    pub fn solved(&self) -> bool {
        self.ended == "exit"
            && self.lie.is_none()
            && matches!(self.status.as_str(), "optimal" | "unsolvable")
    }

    /// CPU time where it is solved, else twice the limit: the PAR2 score.
    pub fn par2(&self) -> f64 {
        if self.solved() {
            self.cpu
        } else {
            2.0 * self.cpu_limit
        }
    }

    /// In one word or two, for tables.
    pub fn outcome(&self) -> String {
        if let Some(lie) = &self.lie {
            return lie.split(':').next().unwrap_or("lie").to_string();
        }
        match (self.ended.as_str(), self.status.as_str()) {
            ("exit", "error") => "error".to_string(),
            ("exit", status) => status.to_string(),
            ("signal", _) => format!("signal {}", self.code.unwrap_or(0)),
            ("cpu" | "wall", _) => "time".to_string(),
            (ended, _) => ended.to_string(),
        }
    }
}
