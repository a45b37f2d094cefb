//! Integer programming: HiGHS, which solves the rules as linear rows over columns, relaxed to fractions, and branches and
//! cuts until they are whole.
//!
//! `program.rs` keeps the columns and rows, `rules.rs` and `arithmetic.rs` write them. HiGHS carries nothing over from one
//! question to the next, so each question hands it the whole program, with the assumptions as bounds. Where the problem has
//! an objective it is HiGHS's objective too, and the bound that it proves is told ([`Backend::bound`]).
//!
//! **What floating point may do to the truth.** HiGHS computes with rounded numbers and tolerances. All our data are whole
//! numbers, and a row that an integer point breaks is broken by 1 at least, a million times the tolerance, as long as
//! factors stay below a million and sums below a billion: rows beyond that are refused with [`Limit::Incomplete`], never
//! handed over. Tolerances err towards accepting: a false solution is the common failure, and it cannot pass, because every
//! solution is rounded and put before the judge here, and a rejected one makes HiGHS start again with tighter tolerances
//! and without presolve, and then give up. `Infeasible` alone counts as a proof; every other way to end without a solution
//! is a limit. What remains is trust in HiGHS's own pruning, as with every floating-point solver: who wants a proof that
//! can be checked takes SAT.

mod arithmetic;
mod program;
mod rules;
mod run;

use std::collections::BTreeMap;

use ployglot_base::{Budget, Limit, Progress};

use self::program::{Form, Program, Row};
use self::run::{Care, End, run};
use crate::backend::{Backend, Size, Verdict};
use crate::check::check;
use crate::domain::Domain;
use crate::problem::{Goal, Literal, Objective, Problem, VarId};

const RULES: usize = 256;

/// What floating point should not be trusted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TooLarge;

#[derive(Default)]
pub struct MipBackend {
    program: Program,
    rules: usize,
    nodes: u64,
    bound: Option<i32>,
}

impl MipBackend {
    /// The assumptions as rows that hold for one question; `None` where they contradict the domains.
    fn assumed(&mut self, assumptions: &[Literal]) -> Result<Option<Vec<Row>>, TooLarge> {
        let mut sets: BTreeMap<VarId, Domain> = BTreeMap::new();
        for &literal in assumptions {
            let x = literal.variable();
            let domain = self.program.domain(x.index());
            let set = sets.entry(x).or_insert_with(|| domain.clone());
            *set = set.intersect(&rules::values(literal));
        }
        let mut rows = Vec::new();
        for (x, set) in sets {
            if set.is_empty() {
                return Ok(None);
            }
            let (low, high) = (i64::from(set.min()), i64::from(set.max()));
            rows.push(passing(self.program.form(x.index()), Some(low), Some(high)));
            let between = Domain::range(set.min(), set.max());
            if self.program.domain(x.index()).intersect(&between) != set {
                rows.push(passing(
                    &self.program.member(x.index(), &set)?,
                    Some(1),
                    None,
                ));
            }
        }
        Ok(Some(rows))
    }

    /// The problem's values, if the columns' values are a solution under the assumptions.
    fn judged(
        &self,
        problem: &Problem,
        assumptions: &[Literal],
        columns: &[f64],
    ) -> Option<Vec<i32>> {
        let value = |x: usize| {
            let form = self.program.form(x);
            let whole = |column: u32| columns[column as usize].round() as i64;
            let terms = form.terms.iter().map(|&(x, weight)| weight * whole(x));
            i32::try_from(form.constant + terms.sum::<i64>()).ok()
        };
        let values: Option<Vec<i32>> = (0..self.program.variables()).map(value).collect();
        let holds = |l: &Literal, values: &[i32]| l.holds_for(values[l.variable().index()]);
        values.filter(|values| {
            check(problem, values).is_ok() && assumptions.iter().all(|l| holds(l, values))
        })
    }

    fn ask(
        &mut self,
        problem: &Problem,
        assumptions: &[Literal],
        rows: &[Row],
        budget: &Budget,
    ) -> Verdict {
        let objective = problem.objective.map(|Objective { goal, value }| {
            let form = self.program.form(value.index()).clone();
            match goal {
                Goal::Minimise => (form, 1),
                Goal::Maximise => (form, -1),
            }
        });
        for care in [Care::Usual, Care::Great] {
            let ran = run(&self.program, rows, objective.as_ref(), care, budget);
            self.nodes += ran.nodes;
            let columns = ran.columns.as_ref();
            let solution = columns.map(|columns| self.judged(problem, assumptions, columns));
            match (ran.end, solution) {
                (_, Some(Some(values))) => {
                    self.bound = problem
                        .objective
                        .and_then(|objective| rounded(ran.bound?, objective, &values));
                    return Verdict::Satisfiable(values);
                }
                (End::Infeasible, None) => return Verdict::Unsatisfiable,
                (End::Limit(limit), _) if limit != Limit::Incomplete => {
                    return Verdict::GaveUp(limit);
                }
                // Not a solution after all, or HiGHS in trouble: with more care, if there is more.
                _ => {}
            }
        }
        Verdict::GaveUp(Limit::Incomplete)
    }
}

/// What is proven of the objective as a whole number, on the side where it stays true, and no better than what was found.
fn rounded(bound: f64, objective: Objective, values: &[i32]) -> Option<i32> {
    let found = f64::from(values[objective.value.index()]);
    let bound = match objective.goal {
        Goal::Minimise => (bound - 1e-4).ceil().min(found),
        Goal::Maximise => (bound + 1e-4).floor().max(found),
    };
    let fits = bound >= f64::from(i32::MIN) && bound <= f64::from(i32::MAX);
    fits.then_some(bound as i32)
}

/// A row as it stands: no bound of a column may follow from what holds for one question only.
fn passing(form: &Form, low: Option<i64>, high: Option<i64>) -> Row {
    let shift = |bound: i64| bound - form.constant;
    Row {
        terms: form.terms.clone(),
        low: low.map(shift),
        high: high.map(shift),
    }
}

impl Backend for MipBackend {
    fn take_in(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
        let refused = |_: TooLarge| Limit::Incomplete;
        for variable in &problem.variables[self.program.variables()..] {
            if self.program.hopeless || variable.domain.is_empty() {
                self.program.hopeless = true;
                return Ok(());
            }
            self.program
                .add_variable(&variable.domain)
                .map_err(refused)?;
        }
        while self.rules < problem.rules.len() && !self.program.hopeless {
            if self.rules.is_multiple_of(RULES) {
                let progress = || Progress {
                    phase: "posting",
                    expanded: self.rules as u64,
                    ..Progress::default()
                };
                budget.check(progress)?;
            }
            rules::post(&mut self.program, &problem.rules[self.rules]).map_err(refused)?;
            self.rules += 1;
        }
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, assumptions: &[Literal], budget: &Budget) -> Verdict {
        self.bound = None;
        if let Err(limit) = self.take_in(problem, budget) {
            return Verdict::GaveUp(limit);
        }
        if self.program.hopeless {
            return Verdict::Unsatisfiable;
        }
        let assumed = match self.assumed(assumptions) {
            Ok(Some(rows)) => rows,
            Ok(None) => return Verdict::Unsatisfiable,
            Err(TooLarge) => return Verdict::GaveUp(Limit::Incomplete),
        };
        if let Err(limit) = budget.check(Progress::default) {
            return Verdict::GaveUp(limit);
        }
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
