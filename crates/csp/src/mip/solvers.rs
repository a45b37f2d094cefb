//! The MIP solvers that can be called, and how each is called and read.
//!
//! All read MPS, and all write a file of solutions and a log. What differs is here: the arguments,
//! the form of the solution, the lines of the log with bounds and nodes, and the words for the
//! status. Only words that each solver uses for a proof count as one; all others are a limit.
//!
//! HiGHS and CBC are run by the tests. SCIP, Gurobi and CPLEX follow their manuals, and the tests
//! read logs and solutions in the form that the manuals show.

use std::time::Duration;

use ployglot_base::{Call, Limit, Tool};

use super::mps::column_of;
use super::run::{RunResult, Status, Tolerance};

/// A MIP solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MipSolver {
    /// HiGHS if it is installed; otherwise the first other one that is; otherwise HiGHS is built
    /// where that is possible.
    #[default]
    Any,
    /// HiGHS.
    Highs,
    /// CBC of COIN-OR.
    Cbc,
    /// SCIP.
    Scip,
    /// Gurobi.
    Gurobi,
    /// IBM ILOG CPLEX.
    Cplex,
}

/// The file with the program, and the files that solvers read or write besides.
const MODEL: &str = "model.mps";
const OPTIONS: &str = "options.txt";
const SOLUTION: &str = "solution.sol";

/// What a line of a log says about the search. Bounds are those of the minimised objective without
/// its constant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LogState {
    pub bound: Option<f64>,
    pub best: Option<f64>,
    pub nodes: Option<u64>,
    pub status: Option<Status>,
}

impl MipSolver {
    /// The one list of MIP solvers, in the order of help texts.
    pub const ALL: &[Self] = &[
        Self::Any,
        Self::Highs,
        Self::Cbc,
        Self::Scip,
        Self::Gurobi,
        Self::Cplex,
    ];

    /// The solvers that `Any` looks for, best first.
    pub const SEARCHED: &[Self] = &[
        Self::Highs,
        Self::Gurobi,
        Self::Cplex,
        Self::Scip,
        Self::Cbc,
    ];

    /// The name, as in `--solver mip:cbc`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "mip",
            Self::Highs => "mip:highs",
            Self::Cbc => "mip:cbc",
            Self::Scip => "mip:scip",
            Self::Gurobi => "mip:gurobi",
            Self::Cplex => "mip:cplex",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Any => "HiGHS, or another MIP solver that is installed, by branch and cut",
            Self::Highs => "HiGHS, by branch and cut",
            Self::Cbc => "CBC of COIN-OR, by branch and cut",
            Self::Scip => "SCIP, by branch, cut and price",
            Self::Gurobi => "Gurobi, by branch and cut",
            Self::Cplex => "CPLEX, by branch and cut",
        }
    }

    /// The program behind it; for `Any`, the one that can be built.
    pub fn tool(self) -> Tool {
        let tool = |name, programs, install| Tool {
            name,
            programs,
            package: None,
            install,
        };
        match self {
            Self::Any | Self::Highs => Tool {
                name: "HiGHS",
                programs: &["ploy-highs", "highs"],
                package: Some("ployglot-highs"),
                install: "cargo install --path tools/highs in a clone of Ployglot, or scripts/setup solvers there",
            },
            Self::Cbc => tool("CBC", &["cbc"], "Debian: apt install coinor-cbc"),
            Self::Scip => tool("SCIP", &["scip"], "see scipopt.org"),
            Self::Gurobi => tool("Gurobi", &["gurobi_cl"], "see gurobi.com"),
            Self::Cplex => tool("CPLEX", &["cplex"], "see ibm.com"),
        }
    }

    /// A call that solves this program. `Any` is called like HiGHS.
    pub(super) fn call(self, mps: Vec<u8>, tolerance: Tolerance, time: Option<Duration>) -> Call {
        let seconds = time.map(|time| format!("{:.3}", time.as_secs_f64().max(0.001)));
        let tight = tolerance == Tolerance::Tight;
        let mut files = vec![(MODEL, mps)];
        let mut words: Vec<String> = Vec::new();
        let mut add = |more: &[&str]| words.extend(more.iter().map(|word| (*word).to_string()));
        match self {
            Self::Any | Self::Highs => {
                // The objective is an integer: a solution closer than this to the bound is optimal.
                let mut options =
                    "parallel = off\nthreads = 1\nmip_rel_gap = 0\nmip_abs_gap = 0.9\n".to_string();
                if tight {
                    options += "presolve = off\nmip_feasibility_tolerance = 1e-9\nprimal_feasibility_tolerance = 1e-9\n";
                }
                if let Some(seconds) = seconds {
                    options += &format!("time_limit = {seconds}\n");
                }
                files.push((OPTIONS, options.into_bytes()));
                add(&[
                    "--options_file",
                    OPTIONS,
                    "--solution_file",
                    SOLUTION,
                    MODEL,
                ]);
            }
            Self::Cbc => {
                add(&[
                    MODEL,
                    "timeMode",
                    "elapsed",
                    "threads",
                    "0",
                    "ratioGap",
                    "0",
                    "allowableGap",
                    "0.9",
                ]);
                if tight {
                    add(&[
                        "presolve",
                        "off",
                        "preprocess",
                        "off",
                        "integerTolerance",
                        "1e-9",
                        "primalTolerance",
                        "1e-9",
                    ]);
                }
                if let Some(seconds) = &seconds {
                    add(&["seconds", seconds]);
                }
                add(&["solve", "solution", SOLUTION]);
            }
            Self::Scip => {
                let mut options =
                    "limits/gap = 0\nlimits/absgap = 0.9\nlp/threads = 1\n".to_string();
                if tight {
                    options += "presolving/maxrounds = 0\nnumerics/feastol = 1e-9\n";
                }
                if let Some(seconds) = seconds {
                    options += &format!("limits/time = {seconds}\n");
                }
                files.push((OPTIONS, options.into_bytes()));
                let commands = format!("read {MODEL} optimize write solution {SOLUTION} quit");
                add(&["-s", OPTIONS, "-c", &commands]);
            }
            Self::Gurobi => {
                add(&["Threads=1", "MIPGap=0", "MIPGapAbs=0.9"]);
                if tight {
                    add(&["Presolve=0", "IntFeasTol=1e-9", "FeasibilityTol=1e-9"]);
                }
                if let Some(seconds) = &seconds {
                    add(&[&format!("TimeLimit={seconds}")]);
                }
                add(&[&format!("ResultFile={SOLUTION}"), MODEL]);
            }
            Self::Cplex => {
                add(&[
                    "-c",
                    &format!("read {MODEL}"),
                    "set threads 1",
                    "set mip tolerances mipgap 0",
                    "set mip tolerances absmipgap 0.9",
                ]);
                if tight {
                    add(&[
                        "set preprocessing presolve n",
                        "set mip tolerances integrality 1e-9",
                        "set simplex tolerances feasibility 1e-9",
                    ]);
                }
                if let Some(seconds) = &seconds {
                    add(&[&format!("set timelimit {seconds}")]);
                }
                add(&["optimize", &format!("write {SOLUTION}"), "quit"]);
            }
        }
        Call {
            arguments: words,
            files,
            results: vec![SOLUTION],
            minds_time: time.is_some(),
            ..Call::default()
        }
    }

    /// Whether the solver gets the time limit. Without an objective there is no best solution to
    /// write at the limit, so CBC, whose claims near a limit are no proof, is just ended there.
    pub(super) fn takes_time(self, has_objective: bool) -> bool {
        self != Self::Cbc || has_objective
    }

    /// Whether a claim that the program is infeasible is a proof, after this time of the limit that
    /// the solver got. When the time of CBC (2.10.8) ends in its preprocessing, it says
    /// "infeasible" of feasible programs; a claim in the second half of its time is not believed.
    pub(super) fn refutes(self, limit: Option<Duration>, after: Duration) -> bool {
        self != Self::Cbc || limit.is_none_or(|limit| after < limit / 2)
    }

    /// Reads a line of the log.
    pub(super) fn read_line(self, line: &str, log: &mut LogState) {
        match self {
            Self::Any | Self::Highs => highs_line(line, log),
            Self::Cbc => cbc_line(line, log),
            Self::Scip => scip_line(line, log),
            Self::Gurobi => gurobi_line(line, log),
            Self::Cplex => cplex_line(line, log),
        }
    }

    /// What a run found: the log so far, and the solution file if there is one.
    pub(super) fn result(
        self,
        log: &LogState,
        solution: Option<&str>,
        columns: usize,
    ) -> RunResult {
        let solution = solution.unwrap_or("");
        let (status, values) = match self {
            Self::Any | Self::Highs => highs_solution(solution, columns),
            Self::Cbc => cbc_solution(solution, columns),
            Self::Scip => scip_solution(solution, columns),
            Self::Gurobi => (None, pairs(solution.lines(), columns)),
            Self::Cplex => cplex_solution(solution, columns),
        };
        let end = status
            .or(log.status)
            .unwrap_or(Status::Limit(Limit::Incomplete));
        RunResult {
            end,
            columns: values.filter(|_| end != Status::Infeasible),
            bound: log.bound,
            nodes: log.nodes.unwrap_or(0).max(1),
        }
    }
}

/// The number at the start of a text; infinities are no numbers.
fn number(text: &str) -> Option<f64> {
    let word = text
        .split_whitespace()
        .next()?
        .trim_end_matches([',', ';', '%']);
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number after a phrase.
fn after(line: &str, phrase: &str) -> Option<f64> {
    number(&line[line.find(phrase)? + phrase.len()..])
}

fn count(text: &str) -> Option<u64> {
    number(text)
        .filter(|&count| count >= 0.0)
        .map(|count| count as u64)
}

/// `NAME VALUE …` on each line; columns without a line are 0. `None` if no line names a column.
fn pairs<'a>(lines: impl Iterator<Item = &'a str>, columns: usize) -> Option<Vec<f64>> {
    let mut values = vec![0.0; columns];
    let mut any = columns == 0;
    for line in lines {
        let mut words = line.split_whitespace();
        let (Some(name), Some(value)) = (words.next(), words.next()) else {
            continue;
        };
        if let (Some(column), Ok(value)) = (column_of(name), value.parse())
            && column < columns
        {
            values[column] = value;
            any = true;
        }
    }
    any.then_some(values)
}

/// The table of HiGHS: `Src Proc. InQueue | Leaves Expl. | BestBound BestSol Gap | …`, and the
/// report at the end.
fn highs_line(line: &str, log: &mut LogState) {
    let trimmed = line.trim();
    if let Some(bound) = trimmed.strip_prefix("Dual bound") {
        log.bound = number(bound).or(log.bound);
    } else if let Some(nodes) = trimmed.strip_prefix("Nodes ") {
        log.nodes = count(nodes).or(log.nodes);
    } else if line.ends_with('s') && trimmed.contains('%') {
        let mut words = trimmed.split_whitespace().peekable();
        words.next_if(|word| word.chars().all(char::is_alphabetic));
        // Processed nodes, queue, leaves, explored, bound, best.
        let words: Vec<&str> = words.collect();
        if words.len() >= 7 && words[3].ends_with('%') {
            log.nodes = count(words[0]).or(log.nodes);
            log.bound = number(words[4]).or(log.bound);
            log.best = number(words[5]).or(log.best);
        }
    }
}

fn highs_solution(text: &str, columns: usize) -> (Option<Status>, Option<Vec<f64>>) {
    let mut lines = text.lines();
    let status = lines
        .find(|line| *line == "Model status")
        .and_then(|_| lines.next());
    let status = match status.map(str::trim) {
        Some("Optimal" | "Empty") => Some(Status::Optimal),
        Some("Infeasible") => Some(Status::Infeasible),
        Some("Time limit reached") => Some(Status::Limit(Limit::Time)),
        _ => None,
    };
    let primal = lines
        .skip_while(|line| !line.starts_with("# Primal solution"))
        .skip(1);
    let mut primal =
        primal.take_while(|line| !line.starts_with("# Dual") && !line.starts_with("# Rows"));
    let feasible = primal.next().is_some_and(|word| word.trim() == "Feasible");
    (status, feasible.then(|| pairs(primal, columns)).flatten())
}

/// `Cbc0010I After 100 nodes, 5 on tree, 12 best solution, best possible 10 (0.50 seconds)`.
fn cbc_line(line: &str, log: &mut LogState) {
    if line.starts_with("Cbc0010I") || line.starts_with("Cbc0005I") || line.starts_with("Cbc0011I")
    {
        log.bound = after(line, "best possible ")
            .or_else(|| after(line, "best possible"))
            .or(log.bound);
        log.nodes = after(line, "After ")
            .map(|nodes| nodes as u64)
            .or(log.nodes);
    }
    if line.starts_with("Lower bound:") {
        log.bound = after(line, "Lower bound:").or(log.bound);
    } else if line.starts_with("Enumerated nodes:") {
        log.nodes = after(line, "Enumerated nodes:")
            .map(|nodes| nodes as u64)
            .or(log.nodes);
    } else if line.starts_with("Objective value:") {
        log.best = after(line, "Objective value:").or(log.best);
    } else if line.starts_with("Result - Optimal solution found") && !line.contains("gap") {
        log.status = Some(Status::Optimal);
    }
    // An optimal value is its own bound.
    if log.status == Some(Status::Optimal) {
        log.bound = log.best.or(log.bound);
    }
}

fn cbc_solution(text: &str, columns: usize) -> (Option<Status>, Option<Vec<f64>>) {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("");
    let status = match first {
        _ if first.starts_with("Optimal") => Some(Status::Optimal),
        _ if first.starts_with("Infeasible") || first.starts_with("Integer infeasible") => {
            Some(Status::Infeasible)
        }
        _ if first.starts_with("Stopped on time") => Some(Status::Limit(Limit::Time)),
        _ => None,
    };
    // A number, the name, the value, the reduced cost; after a mark where it is infeasible.
    let rest = lines.map(|line| {
        let line = line.trim_start().trim_start_matches("**").trim_start();
        line.split_once(' ').map_or("", |(_, rest)| rest)
    });
    let values = pairs(rest, columns);
    // CBC lists what is not 0: an optimal solution without lines is all 0.
    let zeros = (status == Some(Status::Optimal)).then(|| vec![0.0; columns]);
    let unusable = first.contains("no integer solution");
    (status, values.or(zeros).filter(|_| !unusable))
}

/// `Primal Bound : …`, `Dual Bound : …`, `Solving Nodes : …`, `SCIP Status : …`, and the table
/// with bars.
fn scip_line(line: &str, log: &mut LogState) {
    let Some((key, value)) = line.split_once(':') else {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        // …| dualbound | primalbound | gap | compl.
        if cells.len() > 5 {
            log.bound = number(cells[cells.len() - 4]).or(log.bound);
            log.best = number(cells[cells.len() - 3]).or(log.best);
        }
        return;
    };
    match key.trim() {
        "Dual Bound" => log.bound = number(value).or(log.bound),
        "Primal Bound" => log.best = number(value).or(log.best),
        "Solving Nodes" => log.nodes = count(value).or(log.nodes),
        "SCIP Status" if value.contains("[optimal solution found]") => {
            log.status = Some(Status::Optimal)
        }
        "SCIP Status" if value.contains("[infeasible]") => log.status = Some(Status::Infeasible),
        "SCIP Status" if value.contains("[time limit reached]") => {
            log.status = Some(Status::Limit(Limit::Time))
        }
        _ => {}
    }
}

fn scip_solution(text: &str, columns: usize) -> (Option<Status>, Option<Vec<f64>>) {
    let status = text
        .lines()
        .find_map(|line| line.strip_prefix("solution status:"));
    let status = match status.map(str::trim) {
        Some("optimal solution found") => Some(Status::Optimal),
        Some("infeasible") => Some(Status::Infeasible),
        Some("time limit reached") => Some(Status::Limit(Limit::Time)),
        _ => None,
    };
    let none = text
        .lines()
        .any(|line| line.starts_with("no solution available"));
    let found = text
        .lines()
        .any(|line| line.starts_with("objective value:"));
    // SCIP lists what is not 0.
    let values = pairs(text.lines(), columns).or_else(|| found.then(|| vec![0.0; columns]));
    (status, values.filter(|_| !none))
}

/// `Best objective 1.7e+01, best bound 1.7e+01, gap 0.0000%`, `Explored 12 nodes …`.
fn gurobi_line(line: &str, log: &mut LogState) {
    if line.starts_with("Best objective") {
        log.best = after(line, "Best objective").or(log.best);
        log.bound = after(line, "best bound").or(log.bound);
    } else if line.starts_with("Explored ") {
        log.nodes = after(line, "Explored ")
            .map(|nodes| nodes as u64)
            .or(log.nodes);
    } else if line.starts_with("Optimal solution found") {
        log.status = Some(Status::Optimal);
    } else if line.starts_with("Model is infeasible") {
        log.status = Some(Status::Infeasible);
    } else if line.starts_with("Time limit reached") {
        log.status = Some(Status::Limit(Limit::Time));
    }
}

/// `Current MIP best bound =  1.7e+01 (gap = …)`, `MIP - Integer optimal …`.
fn cplex_line(line: &str, log: &mut LogState) {
    let line = line.trim_start_matches("CPLEX> ");
    if line.starts_with("Current MIP best bound") {
        log.bound = after(line, "=").or(log.bound);
    } else if line.starts_with("MIP - Integer optimal") {
        log.status = Some(Status::Optimal);
        log.best = after(line, "Objective =").or(log.best);
        log.bound = log
            .bound
            .or(log.best.filter(|_| !line.contains("tolerance")));
    } else if line.starts_with("MIP - Integer infeasible") || line.contains("Infeasibility row") {
        log.status = Some(Status::Infeasible);
    } else if line.starts_with("MIP - Time limit exceeded") {
        log.status = Some(Status::Limit(Limit::Time));
    } else if line.contains("Nodes = ") {
        log.nodes = after(line, "Nodes = ")
            .map(|nodes| nodes as u64)
            .or(log.nodes);
    }
}

fn cplex_solution(text: &str, columns: usize) -> (Option<Status>, Option<Vec<f64>>) {
    let attribute = |line: &str, name: &str| -> Option<String> {
        let (_, rest) = line.split_once(&format!(" {name}=\""))?;
        Some(rest.split_once('"')?.0.to_string())
    };
    let mut lines = Vec::new();
    for line in text
        .lines()
        .filter(|line| line.trim_start().starts_with("<variable "))
    {
        if let (Some(name), Some(value)) = (attribute(line, "name"), attribute(line, "value")) {
            lines.push(format!("{name} {value}"));
        }
    }
    (None, pairs(lines.iter().map(String::as_str), columns))
}

#[cfg(test)]
#[path = "solvers_tests.rs"]
mod tests;
