//! SAT solvers that are programs of their own: clauses as DIMACS, and the answer of the SAT
//! competitions (`s SATISFIABLE`, `v 1 -2 0`) back. MiniSat and its descendants answer in a file.
//!
//! Each call writes all clauses, with the assumptions as unit clauses.

use ployglot_base::{Budget, Call, Limit, Progress, RunEnd, RunOutput, Tool};

use crate::sat::{Clauses, Cnf, Lit, SatBackend, SatResult, SatSolver};

/// A SAT solver that is a program of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DimacsSolver {
    /// CaDiCaL, another version than the one inside.
    #[default]
    Cadical,
    /// Kissat, another version than the one inside.
    Kissat,
    /// CryptoMiniSat.
    CryptoMinisat,
    /// Glucose.
    Glucose,
    /// MiniSat.
    Minisat,
    /// PicoSAT.
    Picosat,
}

/// The back end for SAT solvers that are programs of their own.
pub type DimacsBackend = SatBackend<DimacsProgram>;

const CLAUSES: &str = "clauses.cnf";
const RESULT: &str = "result.txt";

impl DimacsSolver {
    /// The one list of these solvers, in the order of help texts.
    pub const ALL: &[Self] = &[
        Self::Cadical,
        Self::Kissat,
        Self::CryptoMinisat,
        Self::Glucose,
        Self::Minisat,
        Self::Picosat,
    ];

    /// The name, as in `--solver dimacs:minisat`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cadical => "dimacs:cadical",
            Self::Kissat => "dimacs:kissat",
            Self::CryptoMinisat => "dimacs:cryptominisat",
            Self::Glucose => "dimacs:glucose",
            Self::Minisat => "dimacs:minisat",
            Self::Picosat => "dimacs:picosat",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Cadical => "an installed CaDiCaL, restarted for each horizon",
            Self::Kissat => "an installed Kissat, restarted for each horizon",
            Self::CryptoMinisat => "CryptoMiniSat, restarted for each horizon",
            Self::Glucose => "Glucose, restarted for each horizon",
            Self::Minisat => "MiniSat, restarted for each horizon",
            Self::Picosat => "PicoSAT, restarted for each horizon",
        }
    }

    /// The program behind it.
    pub fn tool(self) -> Tool {
        let tool = |name, programs, install| Tool {
            name,
            programs,
            package: None,
            install,
        };
        match self {
            Self::Cadical => tool("CaDiCaL", &["cadical"], "Debian: apt install cadical"),
            Self::Kissat => tool("Kissat", &["kissat"], "see github.com/arminbiere/kissat"),
            Self::CryptoMinisat => tool(
                "CryptoMiniSat",
                &["cryptominisat5", "cryptominisat"],
                "Debian: apt install cryptominisat",
            ),
            Self::Glucose => tool("Glucose", &["glucose"], "see github.com/audemard/glucose"),
            Self::Minisat => tool("MiniSat", &["minisat"], "Debian: apt install minisat"),
            Self::Picosat => tool("PicoSAT", &["picosat"], "Debian: apt install picosat"),
        }
    }

    fn call(self, clauses: Vec<u8>) -> Call {
        let words: &[&str] = match self {
            Self::Cadical | Self::Kissat => &["-q", CLAUSES],
            Self::CryptoMinisat => &["--verb", "0", CLAUSES],
            Self::Glucose => &["-model", "-verb=0", CLAUSES],
            Self::Minisat => &["-verb=0", CLAUSES, RESULT],
            Self::Picosat => &[CLAUSES],
        };
        Call {
            arguments: words.iter().map(|word| (*word).to_string()).collect(),
            files: vec![(CLAUSES, clauses)],
            results: vec![RESULT],
            ..Call::default()
        }
    }
}

/// The clauses for such a solver, and its last answer.
#[derive(Default)]
pub struct DimacsProgram {
    solver: DimacsSolver,
    cnf: Cnf,
    /// The value of each variable in the last assignment.
    values: Vec<bool>,
    failed: Vec<Lit>,
}

impl DimacsBackend {
    /// A back end for this solver.
    pub fn of(solver: DimacsSolver) -> Self {
        Self::new(DimacsProgram {
            solver,
            ..DimacsProgram::default()
        })
    }
}

impl Clauses for DimacsProgram {
    fn fresh(&mut self) -> Lit {
        self.cnf.fresh()
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.cnf.clause(literals);
    }
}

impl SatSolver for DimacsProgram {
    fn renewed(&self) -> Self {
        Self {
            solver: self.solver,
            ..Self::default()
        }
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget, progress: Progress) -> SatResult {
        if let Err(limit) = budget.check(|| progress.clone()) {
            return SatResult::GaveUp(limit);
        }
        let Some(programs) = budget.programs() else {
            return SatResult::GaveUp(Limit::Incomplete);
        };
        let ran = self.text(assumptions, budget).map(|text| {
            let mut call = self.solver.call(text);
            call.program = programs.obtain(&self.solver.tool(), budget)?;
            programs.run(&call, budget, progress.phase, &mut |_, shown| {
                shown.stored = progress.stored;
            })
        });
        let ran = match ran {
            Ok(Ok(ran)) => ran,
            Ok(Err(why)) => {
                programs.note(&why);
                return SatResult::GaveUp(Limit::Incomplete);
            }
            Err(limit) => return SatResult::GaveUp(limit),
        };
        let answer = answer(&ran, self.cnf.variables());
        match answer {
            Some(Answer::Satisfiable(values)) => {
                self.values = values;
                SatResult::Satisfiable
            }
            Some(Answer::Unsatisfiable) => {
                self.failed = assumptions.to_vec();
                SatResult::Unsatisfiable
            }
            None => {
                if let RunEnd::Limit(limit) = ran.end {
                    return SatResult::GaveUp(limit);
                }
                let name = self.solver.tool().name;
                programs.note(&format!("{name} gave no answer: {}", ran.last_words()));
                SatResult::GaveUp(Limit::Incomplete)
            }
        }
    }

    fn value(&self, literal: Lit) -> bool {
        self.values[literal.variable()] != literal.is_negative()
    }

    fn failed_assumptions(&self) -> &[Lit] {
        &self.failed
    }

    fn effort(&self) -> u64 {
        0
    }
}

impl DimacsProgram {
    /// The clauses, and the assumptions as unit clauses.
    fn text(&self, assumptions: &[Lit], budget: &Budget) -> Result<Vec<u8>, Limit> {
        budget.stoppable("sat", |poll| {
            let units = assumptions.iter().map(std::slice::from_ref);
            let count = self.cnf.clauses().count() + assumptions.len();
            let mut text = format!("p cnf {} {count}\n", self.cnf.variables()).into_bytes();
            for clause in self.cnf.clauses().chain(units) {
                poll.steps(1 + clause.len() / 8);
                for literal in clause {
                    text.extend_from_slice(literal.dimacs().to_string().as_bytes());
                    text.push(b' ');
                }
                text.extend_from_slice(b"0\n");
            }
            text
        })
    }
}

enum Answer {
    Satisfiable(Vec<bool>),
    Unsatisfiable,
}

/// The answer in the output (`s` and `v` lines), or in the file (`SAT` and a line of literals). A
/// satisfying assignment is complete: its last literal is 0.
fn answer(ran: &RunOutput, variables: usize) -> Option<Answer> {
    let file = ran.results[0].as_deref().unwrap_or("");
    let words: Vec<&str> = match file.trim_start().get(..3) {
        Some("SAT") => file.split_whitespace().skip(1).collect(),
        Some("UNS") if matches!(ran.end, RunEnd::Exit(20)) => return Some(Answer::Unsatisfiable),
        _ => {
            let status = ran
                .output
                .lines()
                .find_map(|line| line.strip_prefix("s "))?;
            match status.trim() {
                "SATISFIABLE" => {}
                "UNSATISFIABLE" => return Some(Answer::Unsatisfiable),
                _ => return None,
            }
            let lines = ran
                .output
                .lines()
                .filter_map(|line| line.strip_prefix("v "));
            lines.flat_map(str::split_whitespace).collect()
        }
    };
    if words.last() != Some(&"0") {
        return None;
    }
    let mut values = vec![false; variables];
    for word in words {
        let literal: i64 = word.parse().ok()?;
        let index = usize::try_from(literal.unsigned_abs()).ok()?;
        if let Some(value) = index.checked_sub(1).and_then(|index| values.get_mut(index)) {
            *value = literal > 0;
        }
    }
    Some(Answer::Satisfiable(values))
}
