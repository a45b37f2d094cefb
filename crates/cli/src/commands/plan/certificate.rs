//! `ploy plan --certificate DIR`.

use ployglot_base::Budget;
use ployglot_certificate::{
    Claim, FORMAT, Files as Writer, MANIFEST, Manifest, PDDL, Part, PlanningTask, trusted_planning,
    write_lower_bound,
};
use ployglot_io::exit::{Exit, UNSUPPORTED};
use ployglot_io::failure::Failure;
use ployglot_io::folder::FolderDraft;
use ployglot_io::planning_files::Files;
use ployglot_io::row::CertificateNote;
use ployglot_pddl::Task;
use ployglot_pddl::certificate::{CannotCertify, ESTIMATES, Names};
use ployglot_solve::Estimate;

use super::Answer;

/// What was planned.
pub struct Planning<'a> {
    pub files: &'a Files,
    /// The texts of the domain and of the problem.
    pub texts: [&'a str; 2],
    pub task: &'a Task,
    /// The estimate that was asked for.
    pub estimate: Option<Estimate>,
}

impl Planning<'_> {
    /// Writes the certificate of an answer. If that fails, the answer stands, and the note says why
    /// there is no certificate; the exit code is that of the failure.
    pub fn write(
        &self,
        folder: &str,
        answer: &Answer,
        plan: Option<&str>,
        budget: &Budget,
    ) -> Result<(CertificateNote, Exit), Failure> {
        let claim = match (answer.status, answer.cost) {
            ("optimal", Some(cost)) => Claim::Cost(cost),
            ("unsolvable", _) => Claim::Unsolvable,
            _ => {
                let why = "a certificate needs a plan that is proven best, or the proof that there is none";
                return Ok((
                    CertificateNote::missing(folder, why.to_string()),
                    answer.exit,
                ));
            }
        };
        let draft = FolderDraft::create(folder)?;
        match self.certify(&Writer::new(&draft), claim, plan, budget) {
            Ok(manifest) => {
                draft.finish()?;
                Ok((CertificateNote::written(folder, &manifest), answer.exit))
            }
            Err(CannotCertify::Write(error)) => Err(Failure::io(folder, error)),
            Err(why @ CannotCertify::Refuted(_)) => Err(Failure::Defect(why.to_string())),
            Err(why) => {
                let exit = match why {
                    CannotCertify::Limit(limit) => Exit::without_certificate(limit),
                    _ => Exit::Error(UNSUPPORTED),
                };
                Ok((CertificateNote::missing(folder, why.to_string()), exit))
            }
        }
    }

    fn certify(
        &self,
        files: &Writer,
        claim: Claim,
        plan: Option<&str>,
        budget: &Budget,
    ) -> Result<Manifest, CannotCertify> {
        let names = Names::new(self.task, &self.files.domain, &self.files.problem);
        let planning = PlanningTask {
            model: "",
            domain: self.texts[0],
            problem: self.texts[1],
            task: self.task,
            names: &names,
        };
        // Of the other estimates there are no certificates yet.
        let estimate = self
            .estimate
            .filter(|estimate| ESTIMATES.contains(estimate));
        let estimate = estimate.unwrap_or(Estimate::Projections);
        let (bound, _) = write_lower_bound(files, &planning, claim, estimate, budget)?;
        let Part::PseudoBoolean { problem, .. } = &bound else {
            unreachable!("a lower bound is such a part");
        };
        let level = problem.clone();
        let mut parts = Vec::new();
        if let Some(plan) = plan {
            parts.push(Part::Plan {
                file: files.write("plan.txt", plan.as_bytes())?,
                check: "validate domain.pddl problem.pddl plan.txt (VAL)".to_string(),
            });
        }
        parts.push(bound);
        let trusted = Part::trusted_files()
            .into_iter()
            .chain(trusted_planning(None));
        let manifest = Manifest {
            format: FORMAT,
            program: concat!("ploy ", env!("CARGO_PKG_VERSION")).to_string(),
            game: PDDL.to_string(),
            variant: String::new(),
            measure: "cost".to_string(),
            claim,
            level,
            trusted: trusted.collect(),
            parts,
        };
        files.write(MANIFEST, manifest.print().as_bytes())?;
        Ok(manifest)
    }
}
