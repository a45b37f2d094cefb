//! Integer programming: a MIP solver solves the constraints as linear rows over columns, relaxed to
//! fractions, and branches and cuts until the columns are integral.
//!
//! `program.rs` holds the columns and rows; `constraints.rs` and `arithmetic.rs` write them;
//! `mps.rs` writes them as text, and `run.rs` gives the text to the program of a solver
//! (`solvers.rs`). Solvers keep nothing between calls, so each call passes the whole program, with
//! the assumptions as extra rows. The problem's objective is the solver's objective too, and the
//! bound that it proves is available as [`Backend::bound`].
//!
//! **Floating point and soundness.** MIP solvers compute with rounded numbers and tolerances. All
//! our data are integers, and a row that an integer point violates is violated by at least 1, a
//! million times the tolerance, as long as factors stay below a million and sums below a billion:
//! rows beyond that are refused with [`Limit::Incomplete`] and never passed on. Tolerances err
//! towards accepting: a false solution is the common failure, and it is always caught, because every
//! solution is rounded and checked here; a rejected one makes the solver start again with tighter
//! tolerances and without presolve, and then give up. Only the solver's word for "infeasible" counts
//! as a proof; every other end without a solution is a limit. What remains is trust in the solver's
//! own pruning, as with every floating-point solver: for a proof that can be checked, use SAT.
//!
//! Indicator constraints and special ordered sets are not used: a condition is a row with the
//! smallest factor that makes it void, because all columns are bounded and tightly, and solvers
//! turn indicators into such rows where they can.

mod arithmetic;
mod conditional;
mod constraints;
mod mps;
mod program;
mod run;
mod solvers;

use std::collections::BTreeMap;

use ployglot_base::{Budget, Limit, Progress};

use self::program::{Form, Program, Row};
use self::run::{Status, Tolerance, run};
pub use self::solvers::MipSolver;
use crate::backend::{Backend, Size, SolveResult};
use crate::check::check_within;
use crate::domain::Domain;
use crate::problem::{Goal, Literal, Objective, Problem, VarId};

/// How many constraints are posted between two checks of the budget.
const CHECK_EVERY: usize = 256;

/// A number is too large for floating point to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TooLarge;

/// The back end for MIP solvers.
#[derive(Default)]
pub struct MipBackend {
    solver: MipSolver,
    program: Program,
    /// How many constraints of the problem were read.
    constraints: usize,
    nodes: u64,
    bound: Option<i32>,
    /// A limit ended the posting within a constraint.
    broken: bool,
}

impl MipBackend {
    /// A back end for this solver.
    pub fn new(solver: MipSolver) -> Self {
        Self {
            solver,
            ..Self::default()
        }
    }

    /// The program of a problem as MPS text, which minimises: an objective to maximise is negated.
    /// `None` if the problem has no solution before any solver is called.
    pub fn mps(problem: &Problem, budget: &Budget) -> Result<Option<String>, Limit> {
        let mut backend = Self::default();
        backend.update(problem, budget)?;
        if backend.program.infeasible {
            return Ok(None);
        }
        let objective = backend.objective(problem);
        let text = budget.stoppable("writing", |poll| {
            mps::mps(&backend.program, &[], objective.as_ref(), poll)
        })?;
        Ok(Some(text))
    }

    /// The objective as a form, with the sign 1 to minimise and -1 to maximise.
    fn objective(&self, problem: &Problem) -> Option<(Form, i64)> {
        problem.objective.map(|Objective { goal, value }| {
            let form = self.program.form(value.index()).clone();
            match goal {
                Goal::Minimise => (form, 1),
                Goal::Maximise => (form, -1),
            }
        })
    }

    /// Calls `work`, which may be ended by a limit; then the program is made anew.
    fn stoppable<T>(
        &mut self,
        budget: &Budget,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Limit> {
        let done = budget.stoppable("posting", |poll| {
            self.program.poll = poll.clone();
            work(self)
        });
        self.broken |= done.is_err();
        done
    }

    /// Posts the variables and constraints that are new.
    fn post_new(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        let refused = |_: TooLarge| Limit::Incomplete;
        for variable in &problem.variables[self.program.variables()..] {
            if self.program.infeasible || variable.domain.is_empty() {
                self.program.infeasible = true;
                return Ok(());
            }
            self.program
                .add_variable(&variable.domain)
                .map_err(refused)?;
        }
        while self.constraints < problem.constraints.len() && !self.program.infeasible {
            if self.constraints.is_multiple_of(CHECK_EVERY) {
                let progress = || Progress {
                    phase: "posting",
                    expanded: self.constraints as u64,
                    ..Progress::default()
                };
                budget.check(progress)?;
            }
            self.program.poll.postpone();
            constraints::post(&mut self.program, &problem.constraints[self.constraints])
                .map_err(refused)?;
            self.constraints += 1;
        }
        Ok(())
    }

    /// The assumptions as rows for one call; `None` where they contradict the domains.
    fn assumed(&mut self, assumptions: &[Literal]) -> Result<Option<Vec<Row>>, TooLarge> {
        let mut sets: BTreeMap<VarId, Domain> = BTreeMap::new();
        for &literal in assumptions {
            let x = literal.variable();
            let domain = self.program.domain(x.index());
            let set = sets.entry(x).or_insert_with(|| domain.clone());
            *set = set.intersect(&literal.values());
        }
        let mut rows = Vec::new();
        for (x, set) in sets {
            if set.is_empty() {
                return Ok(None);
            }
            let (low, high) = (i64::from(set.min()), i64::from(set.max()));
            rows.push(temporary_row(
                self.program.form(x.index()),
                Some(low),
                Some(high),
            ));
            let between = Domain::range(set.min(), set.max());
            if self.program.domain(x.index()).intersect(&between) != set {
                rows.push(temporary_row(
                    &self.program.member(x.index(), &set)?,
                    Some(1),
                    None,
                ));
            }
        }
        Ok(Some(rows))
    }

    /// The values of the problem's variables, if the columns are a solution under the assumptions.
    fn judged(
        &self,
        problem: &Problem,
        assumptions: &[Literal],
        columns: &[f64],
        budget: &Budget,
    ) -> Result<Option<Vec<i32>>, Limit> {
        let value = |x: usize| {
            let form = self.program.form(x);
            let rounded = |column: u32| columns[column as usize].round() as i64;
            let add = |sum: i64, &(x, weight): &(u32, i64)| {
                sum.checked_add(weight.checked_mul(rounded(x))?)
            };
            let sum = form.terms.iter().try_fold(form.constant, add);
            sum.and_then(|sum| i32::try_from(sum).ok())
        };
        let values: Option<Vec<i32>> = (0..self.program.variables()).map(value).collect();
        let Some(values) = values else {
            return Ok(None);
        };
        let holds = |l: &Literal| l.holds_for(values[l.variable().index()]);
        let check = |budget: &Budget| check_within(problem, &values, budget);
        let solves = budget.last_check(check)?.is_ok();
        let solves = solves && assumptions.iter().all(holds);
        Ok(solves.then_some(values))
    }

    fn ask(
        &mut self,
        problem: &Problem,
        assumptions: &[Literal],
        rows: &[Row],
        budget: &Budget,
    ) -> SolveResult {
        let objective = self.objective(problem);
        for tolerance in [Tolerance::Default, Tolerance::Tight] {
            let found = run(
                self.solver,
                &self.program,
                rows,
                objective.as_ref(),
                tolerance,
                budget,
            );
            self.nodes += found.nodes;
            let columns = found.columns.as_ref();
            let judged = columns.map(|columns| self.judged(problem, assumptions, columns, budget));
            let solution = match judged.transpose() {
                Ok(solution) => solution,
                Err(limit) => return SolveResult::GaveUp(limit),
            };
            match (found.end, solution) {
                (_, Some(Some(values))) => {
                    self.bound = problem.objective.and_then(|objective| {
                        let value = values[objective.value.index()];
                        match found.end {
                            Status::Optimal => Some(value),
                            _ => rounded_bound(found.bound?, objective, Some(value)),
                        }
                    });
                    return SolveResult::Satisfiable(values);
                }
                (Status::Infeasible, None) => return SolveResult::Unsatisfiable,
                (Status::Limit(limit), _) if limit != Limit::Incomplete => {
                    let bound = |objective| rounded_bound(found.bound?, objective, None);
                    self.bound = problem.objective.and_then(bound);
                    return SolveResult::GaveUp(limit);
                }
                // Not a solution after all, or numerical trouble: retry with tighter tolerances.
                _ => {}
            }
        }
        SolveResult::GaveUp(Limit::Incomplete)
    }
}

/// The proven bound of the objective, rounded to the sound side and no worse than the solution.
/// Solvers print bounds with nine digits or more, hence the second part of the slack.
fn rounded_bound(bound: f64, objective: Objective, value: Option<i32>) -> Option<i32> {
    let slack = 1e-4 + bound.abs() * 1e-7;
    let found = value.map(f64::from);
    let bound = match objective.goal {
        Goal::Minimise => (bound - slack).ceil().min(found.unwrap_or(f64::MAX)),
        Goal::Maximise => (bound + slack).floor().max(found.unwrap_or(f64::MIN)),
    };
    let fits = bound >= f64::from(i32::MIN) && bound <= f64::from(i32::MAX);
    fits.then_some(bound as i32)
}

/// A row for one call. It must not be simplified into column bounds, which are permanent.
fn temporary_row(form: &Form, low: Option<i64>, high: Option<i64>) -> Row {
    let shift = |bound: i64| bound - form.constant;
    Row {
        terms: form.terms.clone(),
        low: low.map(shift),
        high: high.map(shift),
    }
}

impl Backend for MipBackend {
    fn update(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        if self.broken {
            *self = Self {
                solver: self.solver,
                nodes: self.nodes,
                ..Self::default()
            };
        }
        self.stoppable(budget, |backend| backend.post_new(problem, budget))?
    }

    fn solve(
        &mut self,
        problem: &Problem,
        assumptions: &[Literal],
        budget: &Budget,
    ) -> SolveResult {
        self.bound = None;
        if let Err(limit) = self.update(problem, budget) {
            return SolveResult::GaveUp(limit);
        }
        if self.program.infeasible {
            return SolveResult::Unsatisfiable;
        }
        let assumed = match self.stoppable(budget, |backend| backend.assumed(assumptions)) {
            Ok(Ok(Some(rows))) => rows,
            Ok(Ok(None)) => return SolveResult::Unsatisfiable,
            Ok(Err(TooLarge)) => return SolveResult::GaveUp(Limit::Incomplete),
            Err(limit) => return SolveResult::GaveUp(limit),
        };
        self.ask(problem, assumptions, &assumed, budget)
    }

    fn size(&self) -> Size {
        Size {
            variables: self.program.columns.len() as u64,
            constraints: self.program.rows.len() as u64,
        }
    }

    fn effort(&self) -> u64 {
        self.nodes
    }

    fn bound(&self) -> Option<i32> {
        self.bound
    }
}
