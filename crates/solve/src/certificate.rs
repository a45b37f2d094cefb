//! Writes the certificate of an answer: the files that prove it, for
//! [`verify`](ployglot_certificate::verify()).
//!
//! Which proof is written depends on the route: see [`Route::evidence`]. Every route has an arm
//! there, so that a new kind of proof is one arm more.

mod clauses;

use std::fmt;
use std::io;

use ployglot_base::{Budget, Limit};
use ployglot_certificate::{
    CannotList, Claim, FORMAT, Files, MANIFEST, Manifest, NewFolder, Part, PlanningTask, list,
    write_lower_bound,
};
use ployglot_games::{Game, Level, PlanningModel, plan};
use ployglot_pddl::certificate::{CannotCertify, Names};
use ployglot_pddl::estimates::Estimate;

use crate::CannotSolve;
use crate::answer::{Answer, Status};
use crate::lookup::find_route;
use crate::pddl::NamedTask;
use crate::route::Evidence;

/// Why there is no certificate.
#[derive(Debug)]
pub enum NotCertified {
    /// The answer is not proven, or its proof cannot be written in this way, for this reason.
    Unsupported(String),
    /// A limit was hit, in the middle of this.
    Limit(Limit, String),
    /// The answer is wrong: the slow rules contradict it.
    Defect(String),
    /// A file cannot be written.
    Io(io::Error),
}

impl fmt::Display for NotCertified {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotCertified::Unsupported(why) | NotCertified::Defect(why) => f.write_str(why),
            NotCertified::Limit(limit, what) => write!(f, "ended by {limit} {what}"),
            NotCertified::Io(error) => write!(f, "{error}"),
        }
    }
}

impl From<io::Error> for NotCertified {
    fn from(error: io::Error) -> Self {
        NotCertified::Io(error)
    }
}

/// Writes the certificate of an answer into a folder. Returns the manifest, which is written last.
/// `program` is the name and version of the program that writes it.
#[inline(never)]
pub fn certify<G: Game>(
    level: &Level<G>,
    answer: &Answer<G>,
    program: &str,
    folder: &dyn NewFolder,
    budget: &Budget,
) -> Result<Manifest, NotCertified> {
    let claim = match (&answer.status, answer.cost) {
        (Status::Optimal, Some(cost)) => Claim::Cost(cost),
        (Status::Unsolvable, _) => Claim::Unsolvable,
        _ => {
            let why =
                "a certificate needs a plan that is proven best, or the proof that there is none";
            return Err(NotCertified::Unsupported(why.to_string()));
        }
    };
    let files = Files::new(folder);
    let measure = answer.measure;
    let level_file = files.write("level.txt", level.print().as_bytes())?;
    let mut parts = Vec::new();
    if let (Claim::Cost(_), Some(moves)) = (claim, &answer.plan) {
        let lines = plan::print(&level.game, moves);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        parts.push(Part::Plan {
            file: files.write("plan.txt", text.as_bytes())?,
            check: format!("ploy check level.txt plan.txt --measure {measure}"),
        });
    }
    let route = find_route::<G>(&answer.route, measure)
        .map_err(|bad| NotCertified::Unsupported(bad.to_string()))?;
    if claim != Claim::Cost(0) {
        parts.push(match route.evidence() {
            Evidence::Nodes => layers(&level.game, measure, claim, &files, budget)?,
            Evidence::Planning(model) => lower_bound(&level.game, model, claim, &files, budget)?,
            Evidence::Clauses => {
                clauses::refute(&level.game, measure, claim, &route.name, &files, budget)?
            }
        });
    }
    let mut trusted = Part::trusted_level::<G>();
    let of_part = |part: &Part| part.trusted(&level.game, measure, claim);
    for sentence in parts.iter().flat_map(of_part) {
        if !trusted.contains(&sentence) {
            trusted.push(sentence);
        }
    }
    let manifest = Manifest {
        format: FORMAT,
        program: program.to_string(),
        game: G::NAME.to_string(),
        variant: answer.variant.clone(),
        measure: measure.to_string(),
        claim,
        level: level_file,
        trusted,
        parts,
    };
    files.write(MANIFEST, manifest.print().as_bytes())?;
    Ok(manifest)
}

/// The proof through a planning model.
fn lower_bound<G: Game>(
    level: &G,
    model: &PlanningModel<G>,
    claim: Claim,
    files: &Files,
    budget: &Budget,
) -> Result<Part, NotCertified> {
    let problem = (model.problem)(level).map_err(NotCertified::Unsupported)?;
    let named = match NamedTask::new(model.domain, &problem, budget) {
        Ok(Ok(named)) => named,
        Ok(Err(limit)) => return Err(NotCertified::Limit(limit, "while grounding".to_string())),
        Err(CannotSolve::Unfit(why) | CannotSolve::Missing(why)) => {
            return Err(NotCertified::Unsupported(why));
        }
        Err(CannotSolve::Defect(why)) => return Err(NotCertified::Defect(why)),
    };
    let names = Names::new(&named.task, &named.domain, &named.problem);
    let planning = PlanningTask {
        model: model.name,
        domain: model.domain,
        problem: &problem,
        task: &named.task,
        names: &names,
    };
    let written = write_lower_bound(files, &planning, claim, Estimate::Projections, budget);
    written.map(|(part, _)| part).map_err(NotCertified::from)
}

impl From<CannotCertify> for NotCertified {
    fn from(why: CannotCertify) -> Self {
        match why {
            CannotCertify::Feature(_) => NotCertified::Unsupported(why.to_string()),
            CannotCertify::Refuted(_) => NotCertified::Defect(why.to_string()),
            CannotCertify::Limit(limit) => {
                let what = "while the proof was made; the task may be too large for one";
                NotCertified::Limit(limit, what.to_string())
            }
            CannotCertify::Write(error) => NotCertified::Io(error),
        }
    }
}

/// The list of all nodes that are cheaper than the claim.
fn layers<G: Game>(
    level: &G,
    measure: &str,
    claim: Claim,
    files: &Files,
    budget: &Budget,
) -> Result<Part, NotCertified> {
    let mut out = files.create("nodes.gz")?;
    let listed = list(level, measure, claim, &mut out, budget).map_err(|why| match why {
        CannotList::Measure => NotCertified::Unsupported(format!(
            "no certificate lists the plans of {} by '{measure}'",
            G::NAME
        )),
        CannotList::Cheaper(cost) => NotCertified::Defect(format!(
            "the slow rules find a plan of cost {cost}, which contradicts the answer"
        )),
        CannotList::Limit(limit, nodes) => {
            let what = format!(
                "after {nodes} nodes were listed; with more time and memory the list may be completed"
            );
            NotCertified::Limit(limit, what)
        }
        CannotList::Io(error) => NotCertified::Io(error),
    })?;
    Ok(Part::Layers {
        file: out.finish()?,
        nodes: listed.nodes,
        exclusions: listed.exclusions,
        check: "gzip -t nodes.gz; docs/certificates.md has the format".to_string(),
    })
}
