//! Results grouped for reports: a *case* is one level solved by one solver, with all its repeats.

use std::collections::BTreeSet;

use ployglot_base::text;

use crate::store::{Record, Store};
use ployglot_io::failure::Failure;

/// All results of a database.
pub struct Results {
    /// The cases: levels in the order of the suite, and for each level solvers in the order of the
    /// suite.
    pub cases: Vec<Case>,
    /// The names of the solvers, in the order of the suite.
    pub solvers: Vec<String>,
    /// The different suites, programs and machines that made the runs.
    pub origins: Vec<[String; 3]>,
}

/// One level solved by one solver.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the level.
    pub level: String,
    /// The family of the level.
    pub family: String,
    /// The measure of plans.
    pub measure: String,
    /// The name of the solver, with its limits where the database has several limits.
    pub solver: String,
    /// The solver that this one is compared with, to show the effect of switches.
    pub base: Option<String>,
    /// The repeats; at least one.
    pub runs: Vec<Record>,
}

impl Results {
    /// Reads a database.
    pub fn read(name: &str) -> Result<Results, Failure> {
        let store = Store::read(name)?;
        let records = store.records()?;
        if records.is_empty() {
            return Err(Failure::Usage(format!(
                "{name}: the database has no results"
            )));
        }
        Ok(Results::from_records(records, store.origins()?))
    }

    /// Groups records, which are in the order of the suite.
    pub fn from_records(records: Vec<Record>, origins: Vec<[String; 3]>) -> Results {
        let mut cases: Vec<Case> = Vec::new();
        let mut solvers: Vec<(usize, String)> = Vec::new();
        // Runs of a solver with different limits count as different solvers.
        let limits = |record: &Record| (record.cpu_limit.to_bits(), record.memory_limit);
        let several = records.iter().map(limits).collect::<BTreeSet<_>>().len() > 1;
        for record in records {
            let suffix = match several {
                true => format!(
                    " ({} s, {} MB)",
                    record.cpu_limit,
                    record.memory_limit >> 20
                ),
                false => String::new(),
            };
            let solver = format!("{}{suffix}", record.solver);
            if solvers.iter().all(|(_, known)| *known != solver) {
                solvers.push((record.rank, solver.clone()));
            }
            let same = |case: &&mut Case| {
                case.solver == solver
                    && case.level == record.level
                    && case.measure == record.measure
            };
            // The runs of a level follow each other, so the case is near the end.
            match cases.iter_mut().rev().take(4096).find(same) {
                Some(case) => case.runs.push(record),
                None => cases.push(Case {
                    level: record.level.clone(),
                    family: record.family.clone(),
                    measure: record.measure.clone(),
                    base: record.base.as_ref().map(|base| format!("{base}{suffix}")),
                    solver,
                    runs: vec![record],
                }),
            }
        }
        // A solver that cannot solve the first level was found later than its place in the suite.
        solvers.sort_by_key(|(rank, _)| *rank);
        Results {
            cases,
            solvers: solvers.into_iter().map(|(_, solver)| solver).collect(),
            origins,
        }
    }

    /// The cases of a solver.
    pub fn cases_of<'a>(&'a self, solver: &'a str) -> impl Iterator<Item = &'a Case> {
        self.cases.iter().filter(move |case| case.solver == solver)
    }

    /// The number of runs whose claim is contradicted: lies and disputes.
    pub fn contradicted(&self) -> usize {
        let runs = self.cases.iter().flat_map(|case| &case.runs);
        runs.filter(|run| run.contradiction.is_some()).count()
    }

    /// The highest limit of CPU time of any run, in seconds.
    pub fn limit(&self) -> f64 {
        let limits = self
            .cases
            .iter()
            .flat_map(|case| &case.runs)
            .map(|run| run.cpu_limit);
        limits.fold(0.001, f64::max)
    }

    /// The requested two solvers, or the first two.
    pub fn pair(&self, asked: Option<&(String, String)>) -> Result<(String, String), Failure> {
        let find = |name: &String| {
            let found = self.solvers.iter().find(|solver| *solver == name).cloned();
            let known = self.solvers.iter().map(String::as_str);
            found.ok_or_else(|| Failure::Usage(text::unknown("solver", name, known)))
        };
        match (asked, &self.solvers[..]) {
            (Some((x, y)), _) => Ok((find(x)?, find(y)?)),
            (None, [x, y, ..]) => Ok((x.clone(), y.clone())),
            _ => Err(Failure::Usage(format!(
                "a scatter plot needs two solvers; there is only {}",
                self.solvers.join(", ")
            ))),
        }
    }
}

impl Case {
    /// Whether every repeat is solved.
    pub fn solved(&self) -> bool {
        self.runs.iter().all(Record::solved)
    }

    /// The mean PAR2 score of the repeats.
    pub fn par2(&self) -> f64 {
        self.mean(Record::par2)
    }

    /// The mean CPU time of the repeats, in seconds.
    pub fn cpu(&self) -> f64 {
        self.mean(|run| run.cpu)
    }

    fn mean(&self, figure: impl Fn(&Record) -> f64) -> f64 {
        self.runs.iter().map(figure).sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// The highest peak of memory of the repeats, in bytes.
    pub fn memory(&self) -> i64 {
        self.runs.iter().map(|run| run.memory).max().unwrap_or(0)
    }

    /// A repeat that is not solved, else the first one.
    pub fn worst(&self) -> &Record {
        let unsolved = self.runs.iter().find(|run| !run.solved());
        unsolved.or(self.runs.first()).expect("a case has a run")
    }

    /// The outcome of the worst repeat.
    pub fn outcome(&self) -> String {
        self.worst().outcome()
    }

    /// The cost of the plan, or the lower bound where there is no plan.
    pub fn cost(&self) -> String {
        let run = self.worst();
        match (run.cost, run.at_least) {
            (Some(cost), _) => cost.to_string(),
            (None, Some(bound)) if bound > 0 && run.status != "unsolvable" => format!(">={bound}"),
            _ => "-".to_string(),
        }
    }
}
