//! Constraint solvers that read FlatZinc. Each call writes the whole problem, with the assumptions
//! as constraints, and reads the values of the variables from the output.
//!
//! With an objective the solver prints each better solution, so the best one is known when a limit
//! ends the run. `==========` says that the search was complete: then the last solution is optimal,
//! or without one there is none. Nothing else counts as a proof.

use ployglot_base::{Budget, Call, Limit, RunEnd, Tool};

use crate::backend::{Backend, Size, SolveResult};
use crate::check::check_within;
use crate::flatzinc::{NoFlatzinc, flatzinc_to_solve};
use crate::problem::{Literal, Problem};

/// A constraint solver that is a program of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlatzincSolver {
    /// Gecode.
    Gecode,
    /// Chuffed.
    Chuffed,
    /// CP-SAT of OR-Tools.
    CpSat,
}

const MODEL: &str = "model.fzn";

impl FlatzincSolver {
    /// The one list of these solvers, in the order of help texts.
    pub const ALL: &[Self] = &[Self::Gecode, Self::Chuffed, Self::CpSat];

    /// The name, as in `--solver fzn:gecode`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gecode => "fzn:gecode",
            Self::Chuffed => "fzn:chuffed",
            Self::CpSat => "fzn:cp-sat",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Gecode => "Gecode, by propagation and search",
            Self::Chuffed => "Chuffed, by lazy clause generation",
            Self::CpSat => "CP-SAT of OR-Tools, by lazy clause generation",
        }
    }

    /// The program behind it.
    pub fn tool(self) -> Tool {
        let (name, programs, install): (_, &'static [&'static str], _) = match self {
            Self::Gecode => ("Gecode", &["fzn-gecode"], "Debian: apt install minizinc"),
            Self::Chuffed => ("Chuffed", &["fzn-chuffed"], "see minizinc.org"),
            Self::CpSat => (
                "CP-SAT",
                &["fzn-cp-sat", "fzn-ortools"],
                "see developers.google.com/optimization",
            ),
        };
        Tool {
            name,
            programs,
            package: None,
            install,
        }
    }
}

/// The back end for solvers that read FlatZinc.
pub struct FlatzincBackend {
    solver: FlatzincSolver,
    size: Size,
    bound: Option<i32>,
}

impl FlatzincBackend {
    /// A back end for this solver.
    pub fn new(solver: FlatzincSolver) -> Self {
        Self {
            solver,
            size: Size::default(),
            bound: None,
        }
    }

    fn ask(
        &mut self,
        problem: &Problem,
        assumptions: &[Literal],
        budget: &Budget,
    ) -> Result<SolveResult, Limit> {
        self.bound = None;
        budget.check_quietly()?;
        let text = flatzinc_to_solve(problem, assumptions, budget)?;
        let text = text.map_err(|NoFlatzinc(_)| Limit::Incomplete)?;
        let starting =
            |word: &str| text.lines().filter(|line| line.starts_with(word)).count() as u64;
        self.size = Size {
            variables: starting("var "),
            constraints: starting("constraint "),
        };
        let programs = budget.programs().ok_or(Limit::Incomplete)?;
        let failed = |why: String| {
            programs.note(&why);
            Limit::Incomplete
        };
        // Without an objective, `-a` would ask for all solutions.
        let mut arguments = Vec::new();
        if problem.objective.is_some() {
            arguments.push("-a".to_string());
        }
        arguments.push(MODEL.to_string());
        let call = Call {
            program: programs
                .obtain(&self.solver.tool(), budget)
                .map_err(failed)?,
            arguments,
            files: vec![(MODEL, text.into_bytes())],
            ..Call::default()
        };
        let mut reader = Reader::new(problem.variables.len());
        let ran = programs.run(&call, budget, "cp", &mut |line, _| reader.read(line));
        let ran = ran.map_err(failed)?;
        let failure = || {
            format!(
                "{} gave no answer: {}",
                self.solver.tool().name,
                ran.last_words()
            )
        };
        let end = match ran.end {
            RunEnd::Limit(limit) => Some(limit),
            RunEnd::Exit(0) => None,
            RunEnd::Exit(_) | RunEnd::Signal(_) => Some(Limit::Incomplete),
        };
        match (reader.solution, end) {
            (Some(values), _) => {
                let judged = budget.last_check(|budget| check_within(problem, &values, budget))?;
                let assumed = |l: &Literal| l.holds_for(values[l.variable().index()]);
                if judged.is_err() || !assumptions.iter().all(assumed) {
                    return Err(failed(format!(
                        "{} gave a false solution",
                        self.solver.tool().name
                    )));
                }
                if let Some(objective) = problem
                    .objective
                    .filter(|_| reader.complete && end.is_none())
                {
                    self.bound = Some(values[objective.value.index()]);
                }
                Ok(SolveResult::Satisfiable(values))
            }
            (None, None) if reader.unsatisfiable => Ok(SolveResult::Unsatisfiable),
            (None, Some(limit)) if limit != Limit::Incomplete => Err(limit),
            (None, _) => Err(failed(failure())),
        }
    }
}

impl Backend for FlatzincBackend {
    fn update(&mut self, _: &Problem, _: &Budget) -> Result<(), Limit> {
        // Each call writes the whole problem.
        Ok(())
    }

    fn solve(
        &mut self,
        problem: &Problem,
        assumptions: &[Literal],
        budget: &Budget,
    ) -> SolveResult {
        let asked = self.ask(problem, assumptions, budget);
        asked.unwrap_or_else(SolveResult::GaveUp)
    }

    fn size(&self) -> Size {
        self.size
    }

    fn effort(&self) -> u64 {
        0
    }

    fn bound(&self) -> Option<i32> {
        self.bound
    }
}

/// Reads the output of a solver line by line.
struct Reader {
    /// The values of the solution that is being read.
    values: Vec<Option<i32>>,
    /// The last complete solution.
    solution: Option<Vec<i32>>,
    complete: bool,
    unsatisfiable: bool,
}

impl Reader {
    fn new(variables: usize) -> Self {
        Self {
            values: vec![None; variables],
            solution: None,
            complete: false,
            unsatisfiable: false,
        }
    }

    fn read(&mut self, line: &str) {
        match line.trim() {
            "----------" => {
                let values: Option<Vec<i32>> = self.values.iter().copied().collect();
                self.solution = values.or(self.solution.take());
                self.values.fill(None);
            }
            "==========" => self.complete = true,
            "=====UNSATISFIABLE=====" => self.unsatisfiable = true,
            line => {
                let Some((name, value)) = line.trim_end_matches(';').split_once('=') else {
                    return;
                };
                let number = name.trim().strip_prefix('x').and_then(|n| n.parse().ok());
                let slot = number.and_then(|n: usize| self.values.get_mut(n));
                if let (Some(slot), Ok(value)) = (slot, value.trim().parse()) {
                    *slot = Some(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_complete_solution_counts() {
        let mut reader = Reader::new(2);
        for line in [
            "x0 = 3;",
            "x1 = -1;",
            "----------",
            "x0 = 2;",
            "x1 = 5;",
            "----------",
            "x0 = 1;",
        ] {
            reader.read(line);
        }
        assert_eq!(reader.solution, Some(vec![2, 5]));
        assert!(!reader.complete && !reader.unsatisfiable);
        reader.read("==========");
        assert!(reader.complete);
    }
}
