//! Results as reports see them: a *case* is one level by one solver, with all its repeats.

use std::collections::BTreeSet;

use crate::store::{Record, Store};
use ployglot_io::failure::Failure;

pub struct Results {
    /// Levels in the order of the suite, and for each its solvers in theirs.
    pub cases: Vec<Case>,
    pub solvers: Vec<String>,
    /// The suite, the program and the machine, each as often as there are different ones.
    pub origins: Vec<[String; 3]>,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub level: String,
    pub family: String,
    pub measure: String,
    pub solver: String,
    pub base: Option<String>,
    pub runs: Vec<Record>,
}

impl Results {
    pub fn read(name: &str) -> Result<Results, Failure> {
        let store = Store::read(name)?;
        let records = store.records()?;
        if records.is_empty() {
            return Err(Failure::Usage(format!(
                "{name}: there are no results in it"
            )));
        }
        Ok(Results::of(records, store.origins()?))
    }

    pub fn of(records: Vec<Record>, origins: Vec<[String; 3]>) -> Results {
        let mut cases: Vec<Case> = Vec::new();
        let mut solvers: Vec<(usize, String)> = Vec::new();
        // Runs with other limits are another solver's.
        let limits = |record: &Record| (record.cpu_limit.to_bits(), record.memory_limit);
        let several = records.iter().map(limits).collect::<BTreeSet<_>>().len() > 1;
        for record in records {
            let mark = match several {
                true => format!(
                    " ({} s, {} MB)",
                    record.cpu_limit,
                    record.memory_limit >> 20
                ),
                false => String::new(),
            };
            let solver = format!("{}{mark}", record.solver);
            if solvers.iter().all(|(_, known)| *known != solver) {
                solvers.push((record.rank, solver.clone()));
            }
            let same = |case: &&mut Case| {
                case.solver == solver
                    && case.level == record.level
                    && case.measure == record.measure
            };
            // The runs of a level stand together, so the case is near the end.
            match cases.iter_mut().rev().take(4096).find(same) {
                Some(case) => case.runs.push(record),
                None => cases.push(Case {
                    level: record.level.clone(),
                    family: record.family.clone(),
                    measure: record.measure.clone(),
                    base: record.base.as_ref().map(|base| format!("{base}{mark}")),
                    solver,
                    runs: vec![record],
                }),
            }
        }
        // The first level need not have met them all.
        solvers.sort_by_key(|(rank, _)| *rank);
        Results {
            cases,
            solvers: solvers.into_iter().map(|(_, solver)| solver).collect(),
            origins,
        }
    }

    pub fn of_solver<'a>(&'a self, solver: &'a str) -> impl Iterator<Item = &'a Case> {
        self.cases.iter().filter(move |case| case.solver == solver)
    }

    /// The longest time that a run had.
    pub fn limit(&self) -> f64 {
        let limits = self
            .cases
            .iter()
            .flat_map(|case| &case.runs)
            .map(|run| run.cpu_limit);
        limits.fold(0.001, f64::max)
    }

    /// The two solvers that are asked for, or the first two.
    pub fn pair(&self, asked: Option<&(String, String)>) -> Result<(String, String), Failure> {
        let known = || self.solvers.join(", ");
        let find = |name: &String| {
            let found = self.solvers.iter().find(|solver| *solver == name).cloned();
            found.ok_or_else(|| {
                Failure::Usage(format!(
                    "no solver '{name}' in the results; known are {}",
                    known()
                ))
            })
        };
        match (asked, &self.solvers[..]) {
            (Some((x, y)), _) => Ok((find(x)?, find(y)?)),
            (None, [x, y, ..]) => Ok((x.clone(), y.clone())),
            _ => Err(Failure::Usage(format!(
                "a scatter plot needs two solvers; there is {}",
                known()
            ))),
        }
    }
}

impl Case {
    /// Every repeat is.
    pub fn solved(&self) -> bool {
        self.runs.iter().all(Record::solved)
    }

    /// The mean of the repeats.
    pub fn par2(&self) -> f64 {
        self.mean(Record::par2)
    }

    pub fn cpu(&self) -> f64 {
        self.mean(|run| run.cpu)
    }

    fn mean(&self, figure: impl Fn(&Record) -> f64) -> f64 {
        self.runs.iter().map(figure).sum::<f64>() / self.runs.len().max(1) as f64
    }

    pub fn memory(&self) -> i64 {
        self.runs.iter().map(|run| run.memory).max().unwrap_or(0)
    }

    /// The run that says the least good: the others may have been lucky.
    pub fn worst(&self) -> &Record {
        let unsolved = self.runs.iter().find(|run| !run.solved());
        unsolved.or(self.runs.first()).expect("a case has a run")
    }

    pub fn outcome(&self) -> String {
        self.worst().outcome()
    }

    /// The cost, or the bound where there is no plan.
    pub fn cost(&self) -> String {
        let run = self.worst();
        match (run.cost, run.at_least) {
            (Some(cost), _) => cost.to_string(),
            (None, Some(bound)) if bound > 0 && run.status != "unsolvable" => format!(">={bound}"),
            _ => "-".to_string(),
        }
    }
}
