//! The database of results, in SQLite. Each run is one row, written in one transaction when the run
//! has ended. So a runner that is killed loses only the runs in progress, and the same command
//! later makes the missing ones.
//!
//! `docs/formats.md` describes the tables for direct queries.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::contradictions::RunClaim;
use super::levels::SuiteLevel;
use super::paper::PaperTable;
use super::suite::Suite;
use super::tasks::ANY_PLAN;
use ployglot_io::failure::Failure;

/// The version of the tables, as `PRAGMA user_version` has it. Version 1 had the same tables, but
/// wrote the definitions of external solvers in another form.
pub const SCHEMA_VERSION: i64 = 2;

/// The versions that reports can read, and that a runner brings up to date.
const KNOWN_VERSIONS: std::ops::RangeInclusive<i64> = 1..=SCHEMA_VERSION;

/// Marks a database as ours: `PRAGMA application_id` is "Ploy" in ASCII. Version 1 has 0.
const APPLICATION: i64 = 0x506c_6f79;

/// The tables. SQLite keeps these texts, so a database with the same texts is ours.
const TABLES: [&str; 3] = [
    "CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, started INTEGER NOT NULL, suite TEXT NOT NULL, text TEXT NOT NULL, program TEXT NOT NULL,
    machine TEXT NOT NULL, jobs INTEGER NOT NULL
) STRICT",
    "CREATE TABLE levels (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, family TEXT NOT NULL, game TEXT NOT NULL, seed INTEGER, text TEXT NOT NULL,
    UNIQUE (name, text)
) STRICT",
    "CREATE TABLE runs (
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
) STRICT",
];

/// The seconds of the phases of a run through a model. A database of an older program does not have
/// this table, and a runner adds it.
const PHASES: &str = "CREATE TABLE IF NOT EXISTS phases (
    run INTEGER PRIMARY KEY REFERENCES runs, reading REAL NOT NULL, unrolling REAL NOT NULL,
    encoding REAL NOT NULL, solving REAL NOT NULL
) STRICT";

/// An open database.
pub struct Store {
    connection: Connection,
    name: String,
    /// Locked by a runner, because two runners would make each run twice. Dropped after the
    /// connection.
    _lock: Option<std::fs::File>,
}

/// What a file is to a runner.
enum Kind {
    /// It has no tables yet.
    Empty,
    /// A database of this program, with its version.
    Ours(i64),
}

/// An error of SQLite for the user. A disk that is full or cannot be written is an error of the
/// file.
fn failed(name: &str, error: rusqlite::Error) -> Failure {
    let io = |kind: std::io::ErrorKind| Failure::io(name, kind.into());
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io(std::io::ErrorKind::StorageFull),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            io(std::io::ErrorKind::PermissionDenied)
        }
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
            Failure::io(name, std::io::Error::other(error.to_string()))
        }
        _ => Failure::Usage(format!("{name}: {error}")),
    }
}

/// The identity of a run: two runs with equal keys are the same run. (`base` follows from the other
/// fields.)
#[derive(Clone, Debug)]
pub struct Key {
    /// The number of the level in the database.
    pub level: i64,
    /// The solver's name in reports.
    pub solver: String,
    /// Everything that decides what the solver does.
    pub definition: String,
    /// The solver that this one is compared with, to show the effect of switches.
    pub base: Option<String>,
    /// The measure of plans.
    pub measure: String,
    /// The number of the repeat, from 1.
    pub repeat: u32,
    /// The limit of CPU time.
    pub cpu: Duration,
    /// The limit of wall-clock time.
    pub wall: Duration,
    /// The limit of memory, in bytes.
    pub memory: u64,
}

/// A run that has ended, as it is written to the database.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FinishedRun {
    /// When it started, in Unix time.
    pub started: i64,
    /// The core that it was bound to.
    pub core: Option<usize>,
    /// `exit`, `signal`, the limit that ended it (`cpu`, `wall`, `memory`, `output`), or `refused`:
    /// the level could not be exported.
    pub ended: String,
    /// The exit code or the number of the signal.
    pub code: Option<i32>,
    /// CPU time of all processes, in seconds.
    pub cpu: f64,
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// Peak memory of all processes together, in bytes.
    pub memory: u64,
    /// What it claims.
    pub answer: Answer,
}

/// What a run claims, and the referee's ruling on its plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// `optimal`, `feasible`, `unsolvable`, `limit`, `error` or `defect`.
    pub status: String,
    /// The cost of the plan, as replayed or, without a replay, as claimed.
    pub cost: Option<u32>,
    /// The claimed lower bound.
    pub at_least: Option<u32>,
    /// The moves, one a line.
    pub plan: Option<String>,
    /// The referee has replayed and accepted the plan.
    pub checked: bool,
    /// Why the referee rejects the plan or its claimed cost; or what is broken.
    pub rejected: Option<String>,
    /// The number of expanded states, or of nodes of a constraint solver.
    pub expanded: Option<i64>,
    /// A message of the solver, or the limit at which the runner ended it.
    pub message: Option<String>,
    /// The seconds of reading, unrolling, encoding and solving, for a route through a model.
    #[serde(default)]
    pub phases: Option<[f64; 4]>,
}

/// A run as reports use it. Fields without a comment are those of [`Key`], [`FinishedRun`] and
/// [`Answer`].
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(
    missing_docs,
    reason = "most fields are documented in Key, FinishedRun and Answer"
)]
pub struct Record {
    /// The name of the level.
    pub level: String,
    /// The family of the level.
    pub family: String,
    /// The game of the level.
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
    pub phases: Option<[f64; 4]>,
    /// What contradicts its claim: `lie: …` or `dispute: …`.
    pub contradiction: Option<String>,
    /// The position of the solver in the suite.
    pub rank: usize,
}

impl Store {
    /// Opens the database for a runner: creates it where it is missing, and locks it. A file that
    /// is not a database of this program is refused, and not changed.
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
        // SQLite recovers a database when it opens it, and may write then. So a foreign file is
        // first recognised by its bytes alone, without the logs beside it; then by its content with
        // the logs, without permission to write.
        Store::unchanged(name)?.kind()?;
        Store::read_only(name)?.kind()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(name, flags)?;
        store._lock = Some(file);
        store.prepare()?;
        Ok(store)
    }

    /// Opens an existing database for reports, read-only.
    pub fn read(name: &str) -> Result<Store, Failure> {
        if !Path::new(name).is_file() {
            return Err(Failure::io(name, std::io::ErrorKind::NotFound.into()));
        }
        let store = Store::read_only(name)?;
        match store.kind()? {
            Kind::Ours(_) => Ok(store),
            Kind::Empty => Err(store.foreign()),
        }
    }

    fn connect(name: &str, flags: OpenFlags) -> Result<Store, Failure> {
        let opened = Connection::open_with_flags(name, flags);
        let connection = opened.map_err(|error| failed(name, error))?;
        connection
            .busy_timeout(Duration::from_secs(30))
            .map_err(|error| failed(name, error))?;
        Ok(Store {
            connection,
            name: name.to_string(),
            _lock: None,
        })
    }

    fn read_only(name: &str) -> Result<Store, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Store::connect(name, flags)
    }

    /// Opens the file as if it could not change: without locks and without its logs.
    fn unchanged(name: &str) -> Result<Store, Failure> {
        let escaped: String = name
            .bytes()
            .map(|byte| match byte {
                b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                    char::from(byte).to_string()
                }
                _ => format!("%{byte:02x}"),
            })
            .collect();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let mut store = Store::connect(&format!("file:{escaped}?immutable=1"), flags)?;
        store.name = name.to_string();
        Ok(store)
    }

    /// Whether the database is empty or ours; any other is an error.
    fn kind(&self) -> Result<Kind, Failure> {
        let number = |pragma: &str| -> rusqlite::Result<i64> {
            (self.connection).pragma_query_value(None, pragma, |row| row.get(0))
        };
        let count = |row: &Row<'_>| row.get::<_, i64>(0);
        let kind = || -> rusqlite::Result<Option<Kind>> {
            let (version, application) = (number("user_version")?, number("application_id")?);
            let any = "SELECT count(*) FROM sqlite_schema";
            let any = self.connection.query_row(any, [], count)?;
            let ours = "SELECT count(*) FROM sqlite_schema WHERE sql IN (?, ?, ?)";
            let ours = self.connection.query_row(ours, TABLES, count)?;
            Ok(if any == 0 && (version, application) == (0, 0) {
                Some(Kind::Empty)
            } else if ours == TABLES.len() as i64
                && KNOWN_VERSIONS.contains(&version)
                && (application == APPLICATION || (version, application) == (1, 0))
            {
                Some(Kind::Ours(version))
            } else {
                None
            })
        };
        match kind() {
            Ok(Some(kind)) => Ok(kind),
            Ok(None) => Err(self.foreign()),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
                Err(self.foreign())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn foreign(&self) -> Failure {
        Failure::Usage(format!(
            "{}: this is not a database of 'ploy bench'",
            self.name
        ))
    }

    /// Sets the options of the connection, creates the tables of an empty database, and brings an
    /// older one up to date.
    fn prepare(&mut self) -> Result<(), Failure> {
        let kind = self.kind()?;
        let prepare = || -> rusqlite::Result<()> {
            let connection = &self.connection;
            connection.pragma_update(None, "synchronous", "full")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            let marks = format!(
                "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA_VERSION};"
            );
            let change = connection.unchecked_transaction()?;
            match kind {
                Kind::Ours(SCHEMA_VERSION) => {}
                Kind::Ours(_) => {
                    self.rewrite_definitions()?;
                    connection.execute_batch(&marks)?;
                }
                Kind::Empty => {
                    let tables = TABLES.map(|table| format!("{table};")).concat();
                    connection.execute_batch(&(tables + &marks))?;
                }
            }
            connection.execute_batch(PHASES)?;
            change.commit()?;
            // Only now: the tables are then in the file itself, also if this process is killed.
            connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))
        };
        prepare().map_err(|error| self.failed(error))
    }

    /// Version 1 wrote the definitions of external solvers in a form of their own. Each session has
    /// the text of its suite, from which the definitions of its runs are written again. (Where a
    /// suite cannot be read any more, its runs keep their definitions, and are made again.)
    fn rewrite_definitions(&self) -> rusqlite::Result<()> {
        let mut sessions = self.connection.prepare("SELECT id, text FROM sessions")?;
        let sessions = sessions.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let sessions: Vec<(i64, String)> = sessions.collect::<rusqlite::Result<_>>()?;
        for (session, text) in sessions {
            let solvers = Suite::parse(&text).map_or(Vec::new(), |suite| suite.solvers);
            for solver in solvers {
                let update =
                    "UPDATE OR IGNORE runs SET definition = ? WHERE session = ? AND solver = ?";
                let values = params![solver.definition(), session, solver.name];
                self.connection.execute(update, values)?;
            }
        }
        Ok(())
    }

    fn failed(&self, error: rusqlite::Error) -> Failure {
        failed(&self.name, error)
    }

    /// Adds a session and returns its number. `jobs`: how many runs at a time; 0: no limit, on a
    /// cluster.
    pub fn add_session(
        &self,
        suite: &Suite,
        jobs: usize,
        program: &str,
        machine: &str,
    ) -> Result<i64, Failure> {
        let insert = "INSERT INTO sessions (started, suite, text, program, machine, jobs) VALUES (?, ?, ?, ?, ?, ?)";
        let values = params![
            super::machine::unix_time(),
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

    /// The number of runs that other builds of the program made.
    pub fn runs_of_other_builds(&self, program: &str) -> Result<usize, Failure> {
        let count =
            "SELECT count(*) FROM runs JOIN sessions ON sessions.id = session WHERE program <> ?";
        let found = self
            .connection
            .query_row(count, [program], |row| row.get::<_, i64>(0));
        found
            .map(|found| found as usize)
            .map_err(|error| self.failed(error))
    }

    /// The numbers of the levels. New levels are added.
    pub fn level_ids(&self, levels: &[SuiteLevel]) -> Result<Vec<i64>, Failure> {
        let ids = || {
            let transaction = self.connection.unchecked_transaction()?;
            let ids = levels.iter().map(|level| level_id(&transaction, level));
            let ids = ids.collect::<rusqlite::Result<_>>()?;
            transaction.commit()?;
            Ok(ids)
        };
        ids().map_err(|error| self.failed(error))
    }

    /// Whether this run is in the database.
    pub fn contains(&self, key: &Key) -> Result<bool, Failure> {
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

    /// Adds a run that has ended. If the database already has a run with this key, that one is
    /// kept.
    pub fn add_run(&self, session: i64, key: &Key, done: &FinishedRun) -> Result<(), Failure> {
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
        let add = || {
            let change = self.connection.unchecked_transaction()?;
            let added = change.execute(insert, values)?;
            if let Some([reading, unrolling, encoding, solving]) =
                answer.phases.filter(|_| added > 0)
            {
                let run = change.last_insert_rowid();
                let insert = "INSERT OR REPLACE INTO phases VALUES (?, ?, ?, ?, ?)";
                change.execute(insert, params![run, reading, unrolling, encoding, solving])?;
            }
            change.commit()
        };
        add().map_err(|error: rusqlite::Error| self.failed(error))
    }

    /// What all runs claim.
    pub fn claims(&self) -> Result<Vec<RunClaim>, Failure> {
        let select = "SELECT runs.id, levels.text || char(0) || measure, status, cost, at_least, checked, rejected
                      FROM runs JOIN levels ON levels.id = level ORDER BY runs.id";
        self.rows(select, |row| {
            Ok(RunClaim {
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

    /// Marks these runs as contradicted, and removes all earlier marks.
    pub fn write_contradictions(
        &mut self,
        contradictions: &BTreeMap<i64, String>,
    ) -> Result<(), Failure> {
        let mut mark = || {
            let transaction = self.connection.transaction()?;
            transaction.execute("UPDATE runs SET lie = NULL WHERE lie IS NOT NULL", [])?;
            for (run, why) in contradictions {
                transaction.execute("UPDATE runs SET lie = ? WHERE id = ?", params![why, run])?;
            }
            transaction.commit()
        };
        mark().map_err(|error| self.failed(error))
    }

    /// The tables of papers in the suite that was run last.
    pub fn paper_tables(&self) -> Result<Vec<PaperTable>, Failure> {
        let texts = self.rows("SELECT text FROM sessions ORDER BY id DESC", |row| {
            row.get::<_, String>(0)
        })?;
        let last = texts.first().and_then(|text| Suite::parse(text).ok());
        Ok(last.map_or(Vec::new(), |suite| suite.tables))
    }

    /// The solvers in the order of the suite that was run last, then those of earlier suites. (The
    /// rows are in the order in which parallel runs ended.)
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
        let has_phases = "SELECT name FROM sqlite_schema WHERE name = 'phases'";
        let has_phases = self.rows(has_phases, |row| row.get::<_, String>(0))?;
        let (phases, join) = match has_phases.is_empty() {
            true => ("NULL, NULL, NULL, NULL", ""),
            false => (
                "reading, unrolling, encoding, solving",
                "LEFT JOIN phases ON phases.run = runs.id",
            ),
        };
        let select = format!(
            "SELECT levels.name, family, game, solver, base, measure, repeat, cpu_limit, memory_limit, ended, code, cpu,
            wall, memory, status, cost, at_least, checked, expanded, message, lie,
            levels.id, {phases}
            FROM runs JOIN levels ON levels.id = level {join}
            ORDER BY levels.id, (SELECT min(first.id) FROM runs AS first WHERE first.solver = runs.solver), measure, repeat, runs.id"
        );
        let mut records = self.rows(&select, |row| {
            let phase = |column: usize| row.get::<_, Option<f64>>(column);
            let phases = match (phase(22)?, phase(23)?, phase(24)?, phase(25)?) {
                (Some(reading), Some(unrolling), Some(encoding), Some(solving)) => {
                    Some([reading, unrolling, encoding, solving])
                }
                _ => None,
            };
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
                phases,
                contradiction: row.get(20)?,
                rank: usize::MAX,
            };
            Ok((row.get::<_, i64>(21)?, record))
        })?;
        let order = self.solver_order()?;
        for (_, record) in &mut records {
            // Solvers that are in no suite come last, in the order of their first rows.
            let rank = order.iter().position(|known| *known == record.solver);
            record.rank = rank.unwrap_or(usize::MAX);
        }
        records.sort_by_key(|(level, record)| (*level, record.rank));
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    /// The suite, the program and the machine of all sessions with runs, without duplicates.
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

/// The number of a level, which is added if it is new.
fn level_id(connection: &Connection, level: &SuiteLevel) -> rusqlite::Result<i64> {
    let insert =
        "INSERT OR IGNORE INTO levels (name, family, game, seed, text) VALUES (?, ?, ?, ?, ?)";
    let seed = level.seed.map(|seed| seed as i64);
    connection.execute(
        insert,
        params![level.name, level.family, level.game, seed, level.text],
    )?;
    let find = "SELECT id FROM levels WHERE name = ? AND text = ?";
    connection.query_row(find, params![level.name, level.text], |row| row.get(0))
}

impl Drop for Store {
    /// Leaves one file when a runner ends regularly. While it runs, new rows are in a second file
    /// (the write-ahead log), so that reports can read at the same time; a reader cannot remove
    /// that file.
    fn drop(&mut self) {
        if self._lock.is_some() {
            let _ = self
                .connection
                .pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()));
        }
    }
}

impl Record {
    /// Proven optimal or unsolvable within the limits, or with any valid plan where that is the
    /// measure, and not contradicted.
    pub fn solved(&self) -> bool {
        self.ended == "exit"
            && self.contradiction.is_none()
            && match self.status.as_str() {
                "optimal" | "unsolvable" => true,
                "feasible" => self.measure == ANY_PLAN && self.checked,
                _ => false,
            }
    }

    /// The PAR2 score: the CPU time of a solved run, else twice the limit.
    pub fn par2(&self) -> f64 {
        if self.solved() {
            self.cpu
        } else {
            2.0 * self.cpu_limit
        }
    }

    /// The outcome in one or two words, for tables.
    pub fn outcome(&self) -> String {
        if let Some(contradiction) = &self.contradiction {
            return contradiction.split(':').next().unwrap_or("lie").to_string();
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
