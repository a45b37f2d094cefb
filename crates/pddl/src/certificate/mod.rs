//! Certificates for the costs of plans: that every plan costs at least C, or that there is none, as
//! pseudo-Boolean constraints and a proof that VeriPB checks.
//!
//! The framework is that of Dold, Helmert, Nordström, Röger and Schindler ("Pseudo-Boolean Proof
//! Logging for Optimal Classical Planning", ICAPS 2025). A certificate is a condition on a state
//! and the cost so far, the invariant, for which three things are proven: it holds at the start
//! with cost 0; if it holds before a step, it holds after it; and in a goal state where it holds the
//! cost so far is at least C. So by induction every plan costs at least C.
//!
//! The OPB file has three parts: the task (`encode`, over `gates`), which must be trusted or
//! compared with the task; the invariant (`invariant`), which is made of definitions only, so that
//! it excludes nothing; and the statement that one of the three things is wrong, which the proof
//! (`proof`) refutes. `check` compares an OPB file with a task.
//!
//! The invariant comes from a search (`search`), with one of three estimates: none, hmax (`max`),
//! or projections (`projections`).

mod check;
mod encode;
mod gates;
mod invariant;
mod max;
mod opb;
mod projections;
mod proof;
mod search;
mod tree;
mod veripb;

use std::fmt;
use std::io::Write;

use ployglot_base::{Budget, Limit, Poll};

pub use check::{Mismatch, check_opb};
pub use veripb::{Files, Ruling, VERIPB, run_veripb};

use crate::estimates::Estimate;
use crate::lifted::{Domain, Problem};
use crate::plan::print_step;
use crate::task::Task;
use encode::Encoding;
use invariant::{Invariant, Tables};
use max::MaxTables;
use opb::Section;
use projections::Patterns;
use search::Verdict;

/// What is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Every plan costs at least this.
    AtLeast(u32),
    /// There is no plan.
    Unsolvable,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Claim::AtLeast(cost) => write!(f, "every plan costs at least {cost}"),
            Claim::Unsolvable => f.write_str("there is no plan"),
        }
    }
}

/// Why there is no certificate.
#[derive(Debug)]
pub enum CannotCertify {
    /// The task has something that the encoding lacks: "the task cannot be certified: …".
    Feature(&'static str),
    /// The claim is wrong: there is a plan of this cost.
    Refuted(u64),
    /// A limit came first: the task is too large.
    Limit(Limit),
    /// The files could not be written.
    Write(std::io::Error),
}

impl From<Limit> for CannotCertify {
    fn from(limit: Limit) -> Self {
        CannotCertify::Limit(limit)
    }
}

impl From<std::io::Error> for CannotCertify {
    fn from(error: std::io::Error) -> Self {
        CannotCertify::Write(error)
    }
}

impl fmt::Display for CannotCertify {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CannotCertify::Feature(what) => write!(f, "the task cannot be certified: {what}"),
            CannotCertify::Refuted(cost) => {
                write!(f, "the claim is wrong: there is a plan of cost {cost}")
            }
            CannotCertify::Limit(limit) => write!(
                f,
                "the task is too large for a certificate within the limits ({limit})"
            ),
            CannotCertify::Write(error) => write!(f, "the certificate was not written: {error}"),
        }
    }
}

impl std::error::Error for CannotCertify {}

/// The names of facts and operators, for the comments of an OPB file.
pub struct Names {
    facts: Vec<String>,
    operators: Vec<String>,
}

impl Names {
    /// The names in the texts that the task was grounded from.
    pub fn new(task: &Task, domain: &Domain, problem: &Problem) -> Self {
        let fact = |fact: &crate::lifted::Fact| {
            let predicate = &domain.predicates[usize::from(fact.predicate.0)].name;
            let arguments = fact.arguments.iter();
            let names = arguments.map(|id| format!(" {}", problem.objects[id.0 as usize].name));
            format!("({predicate}{})", names.collect::<String>())
        };
        let operators = task.operators.iter();
        Self {
            facts: task.facts.iter().map(fact).collect(),
            operators: operators
                .map(|each| print_step(&each.step, domain, problem))
                .collect(),
        }
    }
}

/// What a certificate took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// States that the invariant lists.
    pub expanded: usize,
    /// States that the estimate proved to be of no use.
    pub dropped: usize,
    /// Constraints of the OPB file.
    pub constraints: u64,
}

/// The estimates that can be certified.
pub const ESTIMATES: [Estimate; 3] = [Estimate::Blind, Estimate::Max, Estimate::Projections];

/// Writes a certificate: the OPB file and the proof. `estimate` is one of [`ESTIMATES`]; another
/// one counts as `Projections`.
pub fn certify(
    task: &Task,
    names: &Names,
    claim: Claim,
    estimate: Estimate,
    budget: &Budget,
    opb: &mut dyn Write,
    proof: &mut dyn Write,
) -> Result<Size, CannotCertify> {
    let poll = Poll::new(budget, "certify");
    let encoding = Encoding::new(task, claim, names, &poll)?;
    let mut tables = match estimate {
        Estimate::Blind => Tables::Blind,
        Estimate::Max => Tables::Max(MaxTables::default()),
        _ => Tables::Projections(Patterns::new(&encoding, &poll)?),
    };
    let judge = |state: &crate::task::State, cost: u64| match &mut tables {
        Tables::Blind => Ok(Verdict::Open),
        Tables::Max(max) => max.judge(&encoding, state, cost, &poll),
        Tables::Projections(patterns) => Ok(match cost + patterns.bound(state) < encoding.bound {
            true => Verdict::Open,
            false => Verdict::Dropped(0),
        }),
    };
    let explored = search::explore(&encoding, judge, &poll)?;
    let invariant = Invariant::new(&encoding, &explored, &tables, &poll)?;
    let mut last = Section::after(invariant.after.last);
    encoding.claim(&mut last);
    let variables = encoding.variables() + invariant.variables();
    opb.write_all(head(claim, variables, last.last).as_bytes())?;
    for section in [
        &encoding.section,
        &invariant.before,
        &invariant.after,
        &last,
    ] {
        opb.write_all(section.text.as_bytes())?;
    }
    let lines = proof::Lines::new(proof, last.last);
    proof::prove(&encoding, &invariant, &explored, &tables, lines, &poll)?;
    let expanded = explored.expanded().count();
    Ok(Size {
        expanded,
        dropped: explored.states.len() - expanded,
        constraints: last.last,
    })
}

/// The first and the third part of the OPB file for a claim: what must be trusted, or compared with
/// the task.
pub fn encode_task(
    task: &Task,
    names: &Names,
    claim: Claim,
    budget: &Budget,
) -> Result<[String; 2], CannotCertify> {
    let poll = Poll::new(budget, "encode");
    let encoding = Encoding::new(task, claim, names, &poll)?;
    let mut last = Section::default();
    encoding.claim(&mut last);
    Ok([encoding.section.text, last.text])
}

/// The first lines of an OPB file.
fn head(claim: Claim, variables: usize, constraints: u64) -> String {
    format!(
        "* #variable= {variables} #constraint= {constraints}
* The claim: {claim}.
*
* These constraints describe one step of a planning task, and a condition on the state and the cost
* so far, the invariant. They have no solution if and only if the invariant holds at the start, is
* kept by every step, and fails in every goal state that is cheaper than is claimed. Then the claim
* follows by induction. A proof for VeriPB shows that they have no solution.
*
* x: facts   c: the cost so far in binary, c0 is the lowest bit   o: the operator that is applied
* n: formulas   k: costs that depend on the state   inv: the invariant
* A variable with the mark ^ has its value after the step.
*
* Part 1 is the task, part 2 has definitions only, part 3 says that the invariant fails.
*
"
    )
}
