//! A suite in a temporary folder, with small scripts as solvers.

use std::process::{Command, Stdio};

use rusqlite::{Connection, OpenFlags};

use ployglot_testing::program::{Folder, Ran, command, wait_for};

/// A level whose optimal plan is one shot.
pub const LEVEL: &str = "plotting/01-first-shot";

/// A suite and its database.
pub struct Bench {
    folder: Folder,
    /// The text of the suite.
    suite: String,
    /// Variables of the environment of `ploy bench`.
    environment: Vec<(String, String)>,
}

/// A row of the table `runs`.
#[derive(Debug, PartialEq)]
pub struct Row {
    pub solver: String,
    pub ended: String,
    pub code: Option<i32>,
    pub status: String,
    pub cost: Option<u32>,
    pub checked: bool,
    pub cpu: f64,
    pub memory: i64,
    /// The column `lie`; empty for null.
    pub contradiction: String,
    pub message: String,
}

impl Bench {
    /// A suite with these limits and routes, on one level.
    pub fn new(limits: &str, routes: &str) -> Bench {
        let head = format!(
            "name = 'test'\nroutes = [{routes}]\n[limits]\n{limits}\n[[levels]]\nfiles = ['{LEVEL}']\n"
        );
        Bench {
            folder: Folder::new(),
            suite: head,
            environment: Vec::new(),
        }
    }

    /// A suite of this text.
    pub fn of(suite: &str) -> Bench {
        Bench {
            folder: Folder::new(),
            suite: suite.to_string(),
            environment: Vec::new(),
        }
    }

    /// Adds a script as a solver. Its arguments are the folder of the suite, the level and the file
    /// for the plan; `more` is further text of its table in the suite.
    pub fn script(mut self, name: &str, script: &str, more: &str) -> Bench {
        self.folder.file(&format!("{name}.sh"), script);
        let command = format!(
            "command = ['sh', '{{suite}}/{name}.sh', '{{suite}}', '{{level}}', '{{plan}}']"
        );
        self.suite += &format!("[[solvers]]\nname = '{name}'\n{command}\n{more}\n");
        self
    }

    /// Adds text to the suite.
    pub fn with(mut self, text: &str) -> Bench {
        self.suite += text;
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: &str) -> Bench {
        self.environment.push((name.to_string(), value.to_string()));
        self
    }

    fn command(&self, more: &[&str]) -> Command {
        let suite = self.folder.file("suite.toml", &self.suite);
        let mut command = command();
        command
            .args(["bench", &suite, "--db", &self.path("results.db")])
            .args(more)
            .stdin(Stdio::null())
            .envs(self.environment.iter().cloned());
        command
    }

    /// Runs `ploy bench` to its end, with these further arguments.
    #[track_caller]
    pub fn run(&self, more: &[&str]) -> Ran {
        let output = self.command(more).output().expect("the program starts");
        output.into()
    }

    /// Starts `ploy bench` and does not wait for its end.
    pub fn start(&self, more: &[&str]) -> std::process::Child {
        let mut command = self.command(more);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program starts")
    }

    /// The path of a file in the folder of the suite.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Writes a file into the folder of the suite.
    pub fn file(&self, name: &str, text: &str) {
        self.folder.file(name, text);
    }

    /// The text of a file in the folder of the suite, if it exists.
    pub fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// Waits for a script to write a process number to a file.
    pub fn pid(&self, name: &str) -> i32 {
        wait_for(|| self.text(name)?.trim().parse().ok())
    }

    /// The database of results.
    pub fn database(&self) -> Connection {
        Connection::open_with_flags(self.path("results.db"), OpenFlags::SQLITE_OPEN_READ_WRITE)
            .expect("a database")
    }

    /// All runs in the database.
    pub fn rows(&self) -> Vec<Row> {
        let database = self.database();
        let select = "SELECT solver, ended, code, status, cost, checked, cpu, memory, coalesce(lie, ''), coalesce(message, '') FROM runs ORDER BY id";
        let mut select = database.prepare(select).expect("the tables are there");
        let rows = select.query_map([], |row| {
            Ok(Row {
                solver: row.get(0)?,
                ended: row.get(1)?,
                code: row.get(2)?,
                status: row.get(3)?,
                cost: row.get(4)?,
                checked: row.get(5)?,
                cpu: row.get(6)?,
                memory: row.get(7)?,
                contradiction: row.get(8)?,
                message: row.get(9)?,
            })
        });
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    }

    /// The first run of a solver.
    #[track_caller]
    pub fn row(&self, solver: &str) -> Row {
        let found = self.rows().into_iter().find(|row| row.solver == solver);
        found.unwrap_or_else(|| panic!("no run by {solver} in {:#?}", self.rows()))
    }
}

/// Whether the process runs; a zombie does not.
pub fn is_running(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}
