//! What `ploy solve` says of one level: a line of JSON for programs, or text for people.
//!
//! The text is itself a plan: everything but the moves stands in comments, so `ploy solve LEVEL > PLAN` makes a file that
//! `ploy check LEVEL PLAN` takes.

use ployglot_base::Limit;
use ployglot_games::{Game, Level, Par};
use ployglot_solve::{Answer, Status};
use serde::Serialize;

use crate::failure::{Exit, Failure};
use crate::plan;

/// Grows when a key changes its meaning or goes; new keys may come at any time.
pub const VERSION: u32 = 1;

/// Every key is always there, and null where it has no meaning. `docs/formats.md` describes them.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub version: u32,
    /// As it was given on the command line.
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
    pub peak_mb: f64,
    pub expanded: u64,
    pub generated: u64,
    pub stored: u64,
    pub checked: bool,
    /// False for what `--anytime` tells before the level is done.
    #[serde(rename = "final")]
    pub last: bool,
    pub message: Option<String>,
    /// The board before each move, and after the last.
    #[serde(skip)]
    pub boards: Option<Vec<String>>,
    /// What a designer wants to know about the par in the level's text.
    #[serde(skip)]
    pub note: Option<String>,
    #[serde(skip)]
    pub exit: Exit,
}

impl Row {
    pub fn of<G: Game>(name: &str, level: &Level<G>, answer: &Answer<G>, boards: bool) -> Row {
        let par = level.par(answer.measure);
        let defect = match &answer.status {
            Status::Defect(why) => Some(format!(
                "the referee rejects the plan of {}: {why}",
                answer.route
            )),
            _ => None,
        };
        let sound = |cost: Option<u32>| cost.filter(|_| defect.is_none());
        let moves = answer.plan.as_deref();
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
            peak_mb: mega(answer.peak_memory),
            expanded: answer.effort.expanded,
            generated: answer.effort.generated,
            stored: answer.effort.stored,
            checked: answer.checked,
            boards: moves
                .filter(|_| boards)
                .map(|moves| plan::boards(&level.game, moves)),
            note: par.and_then(|par| note(par, answer)),
            exit: exit(&answer.status),
            message: defect,
            ..Row::empty(name)
        }
    }

    pub fn failed(name: &str, failure: &Failure) -> Row {
        Row {
            message: Some(failure.line()),
            exit: Exit::Error(failure.exit_code()),
            ..Row::empty(name)
        }
    }

    /// What is known of a level before anything is found.
    pub fn begun(name: &str) -> Row {
        Row {
            status: "limit",
            at_least: Some(0),
            last: false,
            ..Row::empty(name)
        }
    }

    /// A level that was not begun before the user ended it all.
    pub fn not_begun(name: &str) -> Row {
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
            status: "error",
            cost: None,
            at_least: None,
            par: None,
            plan: None,
            limit: None,
            seconds: 0.0,
            peak_mb: 0.0,
            expanded: 0,
            generated: 0,
            stored: 0,
            checked: false,
            last: true,
            message: None,
            boards: None,
            note: None,
            exit: Exit::Defect,
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("a row holds nothing that JSON cannot")
    }

    /// The plan, then the summary.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, mv) in self.plan.iter().flatten().enumerate() {
            if let Some(boards) = &self.boards {
                text += &comment(&boards[index]);
            }
            text += &format!("{mv}\n");
        }
        if let Some(last) = self.boards.as_ref().and_then(|boards| boards.last()) {
            text += &comment(last);
        }
        if !text.is_empty() {
            text += "\n";
        }
        text + &comment(&self.summary())
    }

    /// What `--anytime` tells on the way: a comment with the time, the bound and the plan.
    pub fn news(&self) -> String {
        let plan = match (&self.plan, self.cost) {
            (Some(moves), Some(cost)) => format!(", a plan of {cost}: {}", moves.join(", ")),
            _ => String::new(),
        };
        let at_least = self.at_least.unwrap_or(0);
        format!(
            "; {:.2} s, {}: at least {at_least}{plan}",
            self.seconds, self.level
        )
    }

    /// One line: `plotting/first: optimal, 3 shots`.
    pub fn brief(&self) -> String {
        let mut line = format!("{}: {}", self.level, self.status);
        if let (Some(cost), Some(measure)) = (self.cost, self.measure) {
            line += &format!(", {}", amount(cost, measure));
        }
        if let (Some(limit), Some(at_least)) = (&self.limit, self.at_least) {
            line += &format!(", at least {at_least} ({limit})");
        }
        if let Some(message) = &self.message {
            line += &format!(": {message}");
        }
        line
    }

    fn summary(&self) -> String {
        let mut lines = vec![("level", self.level.clone()), ("status", self.verdict())];
        if let (Some(cost), Some(measure)) = (self.cost, self.measure) {
            lines.push(("cost", amount(cost, measure)));
        }
        if let Some(at_least) = self.at_least {
            lines.push(("at least", amount(at_least, self.measure.unwrap_or(""))));
        }
        if let Some(game) = self.game {
            let variant = self
                .variant
                .as_deref()
                .filter(|variant| !variant.is_empty());
            lines.push((
                "game",
                variant.map_or(game.to_string(), |variant| format!("{game}, {variant}")),
            ));
        }
        if let Some(route) = &self.route {
            lines.push(("route", route.clone()));
            lines.push(("time", format!("{:.3} s", self.seconds)));
            lines.push(("memory", format!("{:.0} MB", self.peak_mb)));
            lines.push((
                "states",
                format!(
                    "{} expanded, {} generated, {} stored",
                    self.expanded, self.generated, self.stored
                ),
            ));
        }
        if self.checked {
            lines.push((
                "referee",
                "replayed the plan move by move, and agrees".to_string(),
            ));
        }
        if let Some(message) = &self.message {
            lines.push(("message", message.clone()));
        }
        if let Some(note) = &self.note {
            lines.push(("par", note.clone()));
        }
        lines
            .iter()
            .map(|(key, value)| format!("{key:<9} {value}\n"))
            .collect()
    }

    fn verdict(&self) -> String {
        let ended = match self.limit.as_deref() {
            Some("interrupt") => "interrupted".to_string(),
            Some("incomplete") => "the route proves nothing".to_string(),
            Some(limit) => format!("out of {limit}"),
            None => String::new(),
        };
        match self.status {
            "optimal" => "optimal: no plan costs less".to_string(),
            "feasible" => format!("feasible: a plan, but no proof that it is best ({ended})"),
            "unsolvable" => "unsolvable: proven that there is no plan".to_string(),
            "limit" => format!("limit: no plan found ({ended})"),
            other => other.to_string(),
        }
    }
}

fn exit(status: &Status) -> Exit {
    match status {
        Status::Optimal | Status::Feasible(Limit::Incomplete) => Exit::Solved,
        Status::Feasible(Limit::Time) => Exit::PlanOutOfTime,
        Status::Feasible(Limit::Memory) => Exit::PlanOutOfMemory,
        Status::Unsolvable => Exit::Unsolvable,
        Status::Limit(Limit::Time) => Exit::OutOfTime,
        Status::Limit(Limit::Memory) => Exit::OutOfMemory,
        Status::Feasible(Limit::Interrupt)
        | Status::Limit(Limit::Interrupt | Limit::Incomplete) => Exit::Unproven,
        Status::Defect(_) => Exit::Defect,
    }
}

/// Where the level's text claims something about its optimum that the answer contradicts.
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

/// `1 shot`, `2 shots`.
pub fn amount(cost: u32, measure: &str) -> String {
    let one = measure
        .strip_suffix('s')
        .filter(|one| cost == 1 && !one.contains('+'));
    format!("{cost} {}", one.unwrap_or(measure))
        .trim_end()
        .to_string()
}

fn comment(text: &str) -> String {
    text.lines()
        .map(|line| format!("; {line}").trim_end().to_string() + "\n")
        .collect()
}

/// To a tenth.
fn mega(bytes: u64) -> f64 {
    (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0
}
