//! The answer for one level as `ploy solve` prints it: a line of JSON for programs, or text for
//! people (`row/text.rs`).

mod rating;
mod text;

pub use ployglot_base::text::amount;
use ployglot_certificate::{Manifest, Part, sha256};
pub use rating::rating_json;

use ployglot_base::{Limit, Phase};
use ployglot_games::{Game, Level, Par};
use ployglot_solve::{Answer, Status};
use serde::Serialize;

use crate::exit::{Exit, UNSUPPORTED};
use crate::failure::Failure;
use ployglot_games::plan;

/// Version of the JSON format. It grows when a key changes its meaning or is removed; keys may be
/// added at any time.
pub const VERSION: u32 = 1;

/// The status of a level that could not be solved: a text with an error, a bad request.
pub const ERROR: &str = "error";
/// The status where the route is broken; that of `Status::Defect`.
pub const DEFECT: &str = "defect";

/// One line of JSON. Every key is always present, and null where it has no meaning.
/// `docs/formats.md` describes them.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub version: u32,
    /// The level as it was named on the command line.
    pub level: String,
    pub game: Option<&'static str>,
    pub route: Option<String>,
    pub measure: Option<&'static str>,
    pub variant: Option<String>,
    pub status: &'static str,
    pub cost: Option<u32>,
    pub at_least: Option<u32>,
    pub par: Option<serde_json::Value>,
    pub plan: Option<Vec<String>>,
    pub limit: Option<String>,
    pub seconds: f64,
    /// Seconds of the phases of a route through a model.
    pub reading: Option<f64>,
    pub unrolling: Option<f64>,
    pub encoding: Option<f64>,
    pub solving: Option<f64>,
    pub peak_mb: f64,
    pub expanded: u64,
    pub generated: u64,
    pub stored: u64,
    pub checked: bool,
    /// The certificate that was written: its folder, the SHA-256 of its manifest, or why there is
    /// none.
    pub certificate: Option<CertificateNote>,
    /// False for the intermediate rows of `--anytime`.
    #[serde(rename = "final")]
    pub last: bool,
    pub message: Option<String>,
    /// The board before each move, and after the last.
    #[serde(skip)]
    pub boards: Option<Vec<String>>,
    /// For designers: how the answer contradicts the par in the level's text.
    #[serde(skip)]
    pub note: Option<String>,
    #[serde(skip)]
    pub exit: Exit,
}

/// What became of the certificate of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct CertificateNote {
    /// The folder.
    pub folder: String,
    /// The SHA-256 of its manifest; `None` if it was not written.
    pub sha256: Option<String>,
    /// The size of its files together, in bytes.
    pub bytes: u64,
    /// Why it was not written.
    pub why: Option<String>,
}

impl CertificateNote {
    /// The note in a line of text.
    pub fn sentence(&self) -> String {
        let folder = &self.folder;
        match (&self.sha256, &self.why) {
            (Some(sha256), _) => format!("{folder}, {} bytes, SHA-256 {sha256}", self.bytes),
            (None, why) => {
                let why = why.as_deref().unwrap_or_default();
                format!("{folder} is not written: {why}")
            }
        }
    }

    /// Whether there is no certificate.
    pub fn is_missing(&self) -> bool {
        self.sha256.is_none()
    }

    /// The note of a certificate that was written.
    pub fn written(folder: &str, manifest: &Manifest) -> Self {
        let text = manifest.print();
        let files = manifest.parts.iter().flat_map(Part::files);
        let bytes = files.chain([&manifest.level]).map(|file| file.bytes);
        Self {
            folder: folder.to_string(),
            bytes: bytes.sum::<u64>() + text.len() as u64,
            sha256: Some(sha256(text.as_bytes())),
            why: None,
        }
    }

    /// The note of a certificate that was not written.
    pub fn missing(folder: &str, why: String) -> Self {
        Self {
            folder: folder.to_string(),
            sha256: None,
            bytes: 0,
            why: Some(why),
        }
    }
}

impl Row {
    /// The row of an answer; `boards` adds the board before each move.
    pub fn of<G: Game>(name: &str, level: &Level<G>, answer: &Answer<G>, boards: bool) -> Row {
        let par = level.par(answer.measure);
        let defect = match &answer.status {
            Status::Defect(why) => Some(format!("a defect of the route {}: {why}", answer.route)),
            _ => None,
        };
        let sound = |cost: Option<u32>| cost.filter(|_| defect.is_none());
        let moves = answer.plan.as_deref().filter(|_| defect.is_none());
        let phases = Some(answer.phases).filter(|phases| !phases.is_empty());
        let phase = |phase| phases.map(|phases| phases.seconds(phase));
        Row {
            game: Some(G::NAME),
            route: Some(answer.route.clone()),
            measure: Some(answer.measure),
            variant: Some(answer.variant.clone()),
            status: answer.status.word(),
            cost: sound(answer.cost),
            at_least: sound(answer.at_least),
            par: par.map(|par| match par {
                Par::Cost(cost) => cost.into(),
                Par::Unsolvable => "unsolvable".into(),
            }),
            plan: moves.map(|moves| plan::print(&level.game, moves)),
            limit: match answer.status {
                Status::Feasible(limit) | Status::Limit(limit) => Some(limit.to_string()),
                _ => None,
            },
            seconds: answer.seconds,
            reading: phase(Phase::Reading),
            unrolling: phase(Phase::Unrolling),
            encoding: phase(Phase::Encoding),
            solving: phase(Phase::Solving),
            peak_mb: megabytes(answer.peak_memory),
            expanded: answer.effort.expanded,
            generated: answer.effort.generated,
            stored: answer.effort.stored,
            checked: answer.checked,
            boards: moves
                .filter(|_| boards)
                .map(|moves| plan::boards(&level.game, moves)),
            note: par.and_then(|par| note(par, answer)),
            exit: Exit::from(&answer.status),
            message: defect,
            ..Row::empty(name)
        }
    }

    /// The row of a level that ended in an error.
    pub fn failed(name: &str, failure: &Failure) -> Row {
        Row {
            status: match failure {
                Failure::Defect(_) => DEFECT,
                _ => ERROR,
            },
            message: Some(failure.line()),
            exit: Exit::Error(failure.exit_code()),
            ..Row::empty(name)
        }
    }

    /// The row of a route that cannot take the level, for this reason.
    pub fn unfit(name: &str, why: &str) -> Row {
        Row {
            status: "unfit",
            message: Some(why.to_string()),
            exit: Exit::Error(UNSUPPORTED),
            ..Row::empty(name)
        }
    }

    /// The same row with the route that it is about.
    pub fn by(self, game: &'static str, route: &str, measure: &'static str) -> Row {
        Row {
            game: Some(game),
            route: Some(route.to_string()),
            measure: Some(measure),
            ..self
        }
    }

    /// The row of a level that was started, before anything is found.
    pub fn started(name: &str, game: &'static str) -> Row {
        Row {
            game: Some(game),
            status: "limit",
            at_least: Some(0),
            last: false,
            ..Row::empty(name)
        }
    }

    /// The row of a level that was not started before the user interrupted the command.
    pub fn not_started(name: &str) -> Row {
        Row {
            status: "limit",
            limit: Some(Limit::Interrupt.to_string()),
            at_least: Some(0),
            exit: Exit::Unproven,
            ..Row::empty(name)
        }
    }

    fn empty(name: &str) -> Row {
        Row {
            version: VERSION,
            level: name.to_string(),
            game: None,
            route: None,
            measure: None,
            variant: None,
            status: ERROR,
            cost: None,
            at_least: None,
            par: None,
            plan: None,
            limit: None,
            seconds: 0.0,
            reading: None,
            unrolling: None,
            encoding: None,
            solving: None,
            peak_mb: 0.0,
            expanded: 0,
            generated: 0,
            stored: 0,
            checked: false,
            certificate: None,
            last: true,
            message: None,
            boards: None,
            note: None,
            exit: Exit::Defect,
        }
    }

    /// The row as one line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("a row holds nothing that JSON cannot")
    }
}

/// How the answer contradicts the par in the level's text; `None` if it does not.
fn note<G: Game>(par: Par, answer: &Answer<G>) -> Option<String> {
    match (&answer.status, par, answer.cost, answer.at_least) {
        (Status::Defect(_), ..) => None,
        (Status::Optimal, Par::Cost(par), Some(cost), _) if par != cost => Some(format!(
            "the level's text says {par}, but the optimum is {cost}"
        )),
        (Status::Unsolvable, Par::Cost(par), ..) => {
            Some(format!("the level's text says {par}, but there is no plan"))
        }
        (_, Par::Unsolvable, Some(cost), _) => Some(format!(
            "the level's text says unsolvable, but this plan costs {cost}"
        )),
        (Status::Feasible(_), Par::Cost(par), Some(cost), _) if cost < par => Some(format!(
            "the level's text says {par}, but this plan costs {cost}"
        )),
        (_, Par::Cost(par), _, Some(at_least)) if at_least > par => Some(format!(
            "the level's text says {par}, but every plan costs at least {at_least}"
        )),
        _ => None,
    }
}

/// Bytes in megabytes, rounded to a tenth.
fn megabytes(bytes: u64) -> f64 {
    (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Effort;
    use ployglot_games::Document;
    use ployglot_games::template::Template;

    fn row(par: &str, status: Status, cost: Option<u32>, at_least: Option<u32>) -> Row {
        let document =
            Document::parse(&format!("game: template\npar: {par}\nTX\n")).expect("a level");
        let level: Level<Template> = Level::parse(&document).expect("a template level");
        let answer = Answer {
            route: "search:astar".to_string(),
            measure: "steps",
            variant: String::new(),
            checked: cost.is_some(),
            plan: cost.map(|_| Vec::new()),
            cost,
            at_least,
            status,
            effort: Effort::default(),
            seconds: 0.0,
            phases: Default::default(),
            peak_memory: 3 << 19,
        };
        Row::of("a.level", &level, &answer, false)
    }

    #[test]
    fn a_par_that_is_wrong_is_noted() {
        let note =
            |par, status, cost, at_least| row(par, status, cost, at_least).note.unwrap_or_default();
        assert_eq!(note("4", Status::Optimal, Some(4), Some(4)), "");
        assert!(note("5", Status::Optimal, Some(4), Some(4)).contains("the optimum is 4"));
        assert!(note("5", Status::Unsolvable, None, None).contains("there is no plan"));
        assert!(
            note("unsolvable", Status::Optimal, Some(4), Some(4)).contains("this plan costs 4")
        );
        assert_eq!(
            note("5", Status::Feasible(Limit::Time), Some(6), Some(4)),
            ""
        );
        assert!(
            note("5", Status::Feasible(Limit::Time), Some(4), Some(3))
                .contains("this plan costs 4")
        );
        assert!(note("5", Status::Limit(Limit::Time), None, Some(6)).contains("at least 6"));
    }

    #[test]
    fn a_defect_claims_nothing() {
        let row = row(
            "4",
            Status::Defect("move 1 is illegal".to_string()),
            Some(3),
            Some(3),
        );
        assert_eq!(
            (row.status, row.cost, row.at_least, row.plan),
            (DEFECT, None, None, None)
        );
        assert!(
            row.message
                .is_some_and(|message| message.contains("move 1 is illegal"))
        );
    }
}
