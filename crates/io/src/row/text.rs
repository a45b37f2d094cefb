//! A row as text for people. The text is itself a plan: everything but the moves is a comment, so
//! the output of `ploy solve LEVEL > PLAN` is a file that `ploy check LEVEL PLAN` reads.

use ployglot_base::text::printable;
use ployglot_games::Language;

use super::{Row, amount};

impl Row {
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

    /// An intermediate row of `--anytime` as a comment: the time, the bound and the plan.
    pub fn progress(&self, plan_is_new: bool) -> String {
        let plan = match (&self.plan, self.cost) {
            (Some(moves), Some(cost)) if plan_is_new => {
                format!(", a plan of {cost}: {}", moves.join(", "))
            }
            (_, Some(cost)) => format!(", best {cost}"),
            _ => String::new(),
        };
        let at_least = self.at_least.unwrap_or(0);
        let level = printable(&self.level);
        format!(
            "; {:.2} s, {level}: at least {at_least}{plan}",
            self.seconds
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
        if let Some(certificate) = self.certificate.as_ref().filter(|it| it.is_missing()) {
            line += &format!("; {}", certificate.sentence());
        }
        if let Some(message) = &self.message {
            line += &format!(": {message}");
        }
        printable(&line).into_owned()
    }

    fn summary(&self) -> String {
        let mut lines = vec![
            ("level", self.level.clone()),
            ("status", self.status_sentence()),
        ];
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
            lines.push(self.counts(route));
        }
        let proves_first =
            |route: &String| route.starts_with("search:") && route != "search:anytime";
        if self.status == "limit" && self.route.as_ref().is_some_and(proves_first) {
            let advice = "--anytime finds some plan first, and improves it".to_string();
            lines.push(("advice", advice));
        }
        if self.checked {
            lines.push((
                "referee",
                "replayed the plan move by move, and agrees".to_string(),
            ));
        }
        if let Some(certificate) = &self.certificate {
            lines.push(("proof", certificate.sentence()));
        }
        if let Some(message) = &self.message {
            lines.push(("message", message.clone()));
        }
        if let Some(note) = &self.note {
            lines.push(("par", note.clone()));
        }
        lines
            .iter()
            .map(|(key, value)| format!("{key:<9} {}\n", printable(value)))
            .collect()
    }

    /// The counters of a search, or the size and effort of a constraint solver. (Kissat reports no
    /// learned clauses, so its effort is 0.)
    fn counts(&self, route: &str) -> (&'static str, String) {
        let (expanded, generated, stored) = (self.expanded, self.generated, self.stored);
        let language = route.split(':').next();
        let of_model = |each: &Language| Some(each.prefix()) == language;
        if !Language::ALL.iter().any(of_model) {
            let counts = format!("{expanded} expanded, {generated} generated, {stored} stored");
            return ("states", counts);
        }
        let size = format!("{generated} variables, {stored} constraints");
        match expanded {
            0 => ("solver", size),
            _ => ("solver", format!("{size}, effort {expanded}")),
        }
    }

    fn status_sentence(&self) -> String {
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

fn comment(text: &str) -> String {
    text.lines()
        .map(|line| format!("; {line}").trim_end().to_string() + "\n")
        .collect()
}
