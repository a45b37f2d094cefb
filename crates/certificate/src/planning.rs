//! Proofs through planning: every plan of a planning task costs at least as much as is claimed, by
//! pseudo-Boolean constraints and a proof for VeriPB (`pddl::certificate`).
//!
//! The check makes the constraints anew from the PDDL texts and compares them with the file, so that
//! VeriPB's word on the file is a word on the task. It needs VeriPB, which is a program of its own.

use ployglot_base::text::utf8;
use ployglot_base::{Budget, Limit};
use ployglot_pddl::certificate::{self as bound, CannotCertify, Names, Ruling, Size};
use ployglot_pddl::estimates::Estimate;
use ployglot_pddl::lifted::{Domain, Formula, Problem};
use ployglot_pddl::{
    CannotGround, CannotRead, Task, ground_within, parse_domain_within, parse_plan,
    parse_problem_within, validate_within,
};

use crate::folder::Files;
use crate::manifest::{Claim, Part};
use crate::verify::Trouble;

/// The name that stands for the game in the manifest of a planning problem.
pub const PDDL: &str = "pddl";

/// How others check the proof.
const CHECK: &str = "veripb lower-bound.opb lower-bound.pbp";

/// A planning task with the texts that it was grounded from.
pub struct PlanningTask<'a> {
    /// The name of a game's model; empty for files of the user.
    pub model: &'a str,
    /// The domain file.
    pub domain: &'a str,
    /// The problem file.
    pub problem: &'a str,
    /// The task.
    pub task: &'a Task,
    /// The names of its facts and operators.
    pub names: &'a Names,
}

impl From<Claim> for bound::Claim {
    fn from(claim: Claim) -> Self {
        match claim {
            Claim::Cost(cost) => bound::Claim::AtLeast(cost),
            Claim::Unsolvable => bound::Claim::Unsolvable,
        }
    }
}

/// Writes the proof that no plan of the task is cheaper than is claimed.
pub fn write_lower_bound(
    files: &Files,
    planning: &PlanningTask,
    claim: Claim,
    estimate: Estimate,
    budget: &Budget,
) -> Result<(Part, Size), CannotCertify> {
    let mut opb = files.create("lower-bound.opb")?;
    let mut proof = files.create("lower-bound.pbp")?;
    let size = bound::certify(
        planning.task,
        planning.names,
        claim.into(),
        estimate,
        budget,
        &mut opb,
        &mut proof,
    )?;
    let part = Part::PseudoBoolean {
        model: planning.model.to_string(),
        domain: files.write("domain.pddl", planning.domain.as_bytes())?,
        problem: files.write("problem.pddl", planning.problem.as_bytes())?,
        opb: opb.finish()?,
        proof: proof.finish()?,
        check: CHECK.to_string(),
    };
    Ok((part, size))
}

/// What must be trusted for such a proof; `model` is the name of a game and of its model.
pub fn trusted(model: Option<(&str, &str)>) -> Vec<String> {
    let model = model.map(|(game, model)| {
        format!("The plans of the PDDL model '{model}' of {game} are those of its rules, at the same cost.")
    });
    let others = [
        "The PDDL texts are grounded as PDDL defines them, and part 1 of lower-bound.opb has the steps of \
         the grounded task; tests compare both with a validator of plans.",
        "VeriPB accepts no wrong proof.",
    ];
    model
        .into_iter()
        .chain(others.map(str::to_string))
        .collect()
}

/// The task of two texts, with their names.
pub(crate) struct ReadTask {
    domain: Domain,
    problem: Problem,
    task: Task,
}

impl ReadTask {
    pub(crate) fn new(
        domain: (&str, &[u8]),
        problem: (&str, &[u8]),
        budget: &Budget,
    ) -> Result<Self, Trouble> {
        let bad = |name: &str, why: CannotRead| match why {
            CannotRead::Text(bad) => Trouble::Refuted(format!("{name}: {bad}")),
            CannotRead::Limit(limit) => Trouble::Limit(limit),
        };
        let text = |(name, bytes): (&str, &'_ [u8])| {
            let text = utf8(bytes, "a PDDL text").map(str::to_string);
            text.map_err(|bad| Trouble::Refuted(format!("{name}: {bad}")))
        };
        let read = parse_domain_within(&text(domain)?, budget);
        let read_domain = read.map_err(|why| bad(domain.0, why))?.value;
        let read = parse_problem_within(&text(problem)?, &read_domain, budget);
        let read_problem = read.map_err(|why| bad(problem.0, why))?.value;
        let grounded = ground_within(&read_domain, &read_problem, budget);
        let task = grounded.map_err(|why| match why {
            CannotGround::Unsupported(why) | CannotGround::TooLarge(why) => {
                Trouble::NotCheckable(why)
            }
            CannotGround::Limit(limit) => Trouble::Limit(limit),
        })?;
        Ok(Self {
            domain: read_domain,
            problem: read_problem,
            task,
        })
    }

    /// Compares the constraints with those of the task.
    pub(crate) fn check_constraints(
        &self,
        claim: Claim,
        (name, bytes): (&str, &[u8]),
        budget: &Budget,
    ) -> Result<String, Trouble> {
        let refuted = |why: String| Trouble::Refuted(format!("{name}: {why}"));
        let text = utf8(bytes, "an OPB file").map_err(|bad| refuted(bad.to_string()))?;
        let names = Names::new(&self.task, &self.domain, &self.problem);
        let compared = bound::check_opb(&self.task, &names, claim.into(), text, budget);
        match compared {
            Ok(Ok(())) => Ok(format!(
                "parts 1 and 3 of {name} are made anew from the PDDL texts, and part 2 has definitions only"
            )),
            Ok(Err(mismatch)) => Err(refuted(mismatch.to_string())),
            Err(CannotCertify::Limit(limit)) => Err(Trouble::Limit(limit)),
            Err(why) => Err(Trouble::NotCheckable(why.to_string())),
        }
    }

    /// Replays a plan by the validator.
    pub(crate) fn check_plan(
        &self,
        cost: u32,
        (name, bytes): (&str, &[u8]),
        budget: &Budget,
    ) -> Result<String, Trouble> {
        let refuted = |why: String| Trouble::Refuted(format!("{name}: {why}"));
        let text = utf8(bytes, "a plan").map_err(|bad| refuted(bad.to_string()))?;
        let steps = parse_plan(text, &self.domain, &self.problem);
        let steps = steps.map_err(|bad| refuted(bad.to_string()))?;
        let judge = |problem: &Problem, steps: &[ployglot_pddl::Step]| {
            validate_within(&self.domain, problem, steps, budget)
        };
        let limit = |limit: Limit| Trouble::Limit(limit);
        // The metric may have a value before the first step.
        let mut anywhere = self.problem.clone();
        anywhere.goal = Formula::And(Vec::new());
        let first = judge(&anywhere, &[]).map_err(limit)?;
        let last = judge(&self.problem, &steps).map_err(limit)?;
        use ployglot_pddl::Ruling::{Fails, Misses, Valid};
        match (first, last) {
            (Valid { cost: before }, Valid { cost: after })
                if after - before == f64::from(cost) =>
            {
                Ok(format!("{} steps, valid, cost {cost}", steps.len()))
            }
            (_, Valid { cost: after }) => Err(refuted(format!(
                "the plan costs {after}, and the claim is {cost}"
            ))),
            (_, Fails { at, step, why }) => Err(refuted(format!(
                "step {at}, {step}, is not applicable: {why}"
            ))),
            (_, Misses { why }) => Err(refuted(format!("the plan misses the goal: {why}"))),
        }
    }
}

/// Gives the proof to VeriPB.
pub(crate) fn check_proof(
    opb: &[u8],
    (name, proof): (&str, &[u8]),
    budget: &Budget,
) -> Result<String, Trouble> {
    match bound::run_veripb(bound::Files::Texts(opb, proof), budget) {
        Ruling::Accepted => Ok("VeriPB accepts the proof that no plan is cheaper".to_string()),
        Ruling::Rejected(why) => Err(Trouble::Refuted(format!(
            "{name}: VeriPB rejects it: {why}"
        ))),
        Ruling::Limit(limit) => Err(Trouble::Limit(limit)),
        Ruling::Missing(why) => Err(Trouble::NotCheckable(why)),
    }
}
