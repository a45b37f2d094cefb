//! `ploy compare`: one level by many routes. Their proofs must agree. A disagreement, or a route that
//! is broken, is a defect of the program: the exit code is 32, and a file reproduces it.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use ployglot_base::{Budget, Limit, Switches};
use ployglot_certificate::{Memory, Verdict as Checked, verify};
use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::{Answer, NotCertified, Status, certify, disagreement, find_routes, measure};
use serde_json::json;

use crate::defect::{Defect, quote};
use crate::progress::Lines;
use ployglot_io::exit::{Exit, UNSUPPORTED};
use ployglot_io::failure::Failure;
use ployglot_io::row::{Row, VERSION, amount};
use ployglot_io::{interrupt, limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Files, '-' for standard input, or built-in levels such as plotting/04-staircase
    #[arg(required = true, value_name = "LEVEL")]
    levels: Vec<String>,
    /// The routes, by name or prefix, such as best,search:astar,pddl,eprime:action+dead-end
    /// [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ROUTE")]
    routes: Vec<String>,
    /// The measure of a plan's cost, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// Give up on a route after this time: 60s, 1.5m
    #[arg(long, value_parser = limits::time, default_value = "10s")]
    time: Duration,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Also write a certificate of each proven answer, check it as `ploy verify` does, and count the
    /// certified answers
    #[arg(long)]
    certify: bool,
    /// The folder for a file that reproduces a defect of the program, if one is found
    #[arg(long, value_name = "DIR", default_value = ".")]
    defects: String,
    /// Print one line of JSON for each route, and one for the verdict
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut exit = Exit::Solved;
    let names = args.levels.iter().cloned().flat_map(load::expand);
    for (index, name) in names.enumerate() {
        if index > 0 && !args.json {
            output::line("")?;
        }
        let level = load::level(&name)?;
        let compare = Compare {
            name: &name,
            args: &args,
        };
        exit = worse(exit, level.visit(compare)?);
    }
    Ok(exit)
}

/// The exit of two levels together: a defect first, then what is known least.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Solved => 0,
        Exit::Error(_) => 1,
        Exit::Defect => 3,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

struct Compare<'a> {
    name: &'a str,
    args: &'a Args,
}

impl LevelVisitor for Compare<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let Compare { name, args } = self;
        let usage = |why: String| Failure::Usage(format!("{name}: {why}"));
        let measure = measure::<G>(args.measure.as_deref()).map_err(|bad| usage(bad.0))?;
        let chosen = find_routes(&level.game, &args.routes, measure).map_err(|bad| usage(bad.0))?;
        let stop = interrupt::flag();
        let lines = Lines::new();
        let mut answers: Vec<Answer<G>> = Vec::new();
        let mut table = table();
        let mut not_started = 0;
        let mut certified = 0;
        for route in chosen {
            if stop.load(SeqCst) {
                not_started += 1;
                table.add_row([&route.name, "not started"]);
                if args.json {
                    let row = Row::not_started(name).by(G::NAME, &route.name, measure);
                    output::line(&row.json())?;
                }
                continue;
            }
            let line = lines.add(&format!("{name} by {}", route.name));
            let mut budget =
                limits::budget(Some(args.time), args.memory).with_interrupt(stop.clone());
            if let Some(line) = line.clone() {
                budget = budget.with_watch(move |progress| line.show(progress));
            }
            let solved = route.solve(&level.game, measure, &Switches::all_on(), &budget);
            if let Some(line) = line {
                line.finish();
            }
            let row = match solved {
                Err(unfit) => {
                    let why = unfit.to_string();
                    let row = Row::unfit(name, &why).by(G::NAME, &route.name, measure);
                    table.add_row([route.name, row.status.to_string(), why]);
                    row
                }
                Ok(answer) => {
                    let row = Row::of(name, level, &answer, false);
                    if args.certify {
                        certified += u32::from(is_certified(name, level, &answer, &budget)?);
                    }
                    table.add_row(cells(&answer));
                    answers.push(answer);
                    row
                }
            };
            if args.json {
                output::line(&row.json())?;
            }
        }
        let mut verdict = Verdict::of(&answers, not_started);
        if args.certify {
            verdict.text += &format!("; {} certified", amount(certified, "answers"));
        }
        if args.json {
            let mut row = json!({ "version": VERSION, "level": name, "verdict": verdict.text, "agree": verdict.agree });
            if args.certify {
                row["certified"] = certified.into();
            }
            output::line(&row.to_string())?;
        } else {
            output::line(&format!("{name}, {measure}\n{}", table.trim_fmt()))?;
            output::line(&verdict.text)?;
        }
        if verdict.exit == Exit::Defect {
            report(&answers, &verdict, level, measure, args);
        }
        Ok(verdict.exit)
    }
}

/// Whether an answer has a certificate that is accepted. One that is refuted is a defect of the
/// program.
fn is_certified<G: Game>(
    name: &str,
    level: &Level<G>,
    answer: &Answer<G>,
    budget: &Budget,
) -> Result<bool, Failure> {
    let folder = Memory::default();
    let defect = |why: &str| Failure::Defect(format!("{name} by {}: {why}", answer.route));
    match certify(level, answer, "ploy", &folder, budget) {
        Ok(_) => {}
        Err(NotCertified::Defect(why)) => return Err(defect(&why)),
        Err(_) => return Ok(false),
    }
    let report = verify(&folder, budget, &mut |_| {});
    match report.map(|report| report.verdict) {
        Ok(Checked::Verified) => Ok(true),
        Ok(Checked::NotCheckable(_) | Checked::Limit(_)) => Ok(false),
        Ok(Checked::Refuted(why)) => Err(defect(&format!("its certificate is refuted: {why}"))),
        Err(_) => Err(defect("its certificate cannot be read")),
    }
}

/// What the answers say together.
struct Verdict {
    text: String,
    /// Whether they agree; `None` if there is nothing to compare.
    agree: Option<bool>,
    exit: Exit,
}

impl Verdict {
    /// `not_started`: the number of routes that an interrupt came before.
    fn of<G: Game>(answers: &[Answer<G>], not_started: usize) -> Self {
        if let Some(text) = disagreement(answers) {
            return Self {
                text,
                agree: Some(false),
                exit: Exit::Defect,
            };
        }
        let count = |is: &dyn Fn(&Status) -> bool| {
            let matching = answers.iter().filter(|answer| is(&answer.status));
            matching.count()
        };
        let all = answers.len() + not_started;
        let proven = count(&|status| matches!(status, Status::Optimal | Status::Unsolvable));
        let interrupted = count(&|status| {
            use Limit::Interrupt;
            matches!(
                status,
                Status::Feasible(Interrupt) | Status::Limit(Interrupt)
            )
        });
        let interrupted = interrupted + not_started;
        let (text, agree, exit) = match (all, interrupted, proven) {
            (0, ..) => (
                "no route can take this level".to_string(),
                None,
                Exit::Error(UNSUPPORTED),
            ),
            (_, 1.., _) => (
                format!(
                    "interrupted: {proven} of {all} routes have a proof, and none contradicts another so far"
                ),
                None,
                Exit::Unproven,
            ),
            (.., 0) => (
                format!("none of {all} routes has a proof, and none contradicts another"),
                None,
                Exit::Unproven,
            ),
            _ => (
                format!("{proven} of {all} routes have a proof, and all agree"),
                Some(true),
                Exit::Solved,
            ),
        };
        Self { text, agree, exit }
    }
}

/// Writes a file for each broken route, or else one for the disagreement.
fn report<G: Game>(
    answers: &[Answer<G>],
    verdict: &Verdict,
    level: &Level<G>,
    measure: &str,
    args: &Args,
) {
    let text = level.print();
    let limits = format!("--measure {measure} --time {}s", args.time.as_secs_f64());
    let mut broken = false;
    for answer in answers {
        if let Status::Defect(why) = &answer.status {
            broken = true;
            let route = &answer.route;
            let defect = Defect {
                game: G::NAME,
                route,
                why,
                level: &text,
            };
            defect.report(&args.defects, |file| {
                format!("ploy solve {} --route {route} {limits}", quote(file))
            });
        }
    }
    if !broken {
        let defect = Defect {
            game: G::NAME,
            route: "compare",
            why: &verdict.text,
            level: &text,
        };
        let routes: Vec<&str> = answers.iter().map(|answer| answer.route.as_str()).collect();
        defect.report(&args.defects, |file| {
            let routes = routes.join(",");
            format!("ploy compare {} --routes {routes} {limits}", quote(file))
        });
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "ROUTE", "STATUS", "COST", "AT LEAST", "SECONDS", "STATES", "MB",
    ]);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

fn cells<G: Game>(answer: &Answer<G>) -> [String; 7] {
    let status = match &answer.status {
        Status::Limit(limit) => format!("limit ({limit})"),
        Status::Feasible(limit) => format!("feasible ({limit})"),
        status => status.word().to_string(),
    };
    let number = |number: Option<u32>| number.map_or("-".to_string(), |number| number.to_string());
    [
        answer.route.clone(),
        status,
        number(answer.cost),
        number(answer.at_least),
        format!("{:.2}", answer.seconds),
        answer.effort.expanded.to_string(),
        (answer.peak_memory >> 20).to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::{Effort, PhaseTimes};
    use ployglot_games::Plotting;

    fn answer(status: Status, cost: Option<u32>, at_least: Option<u32>) -> Answer<Plotting> {
        Answer {
            route: "r".to_string(),
            measure: "shots",
            variant: String::new(),
            checked: cost.is_some(),
            plan: cost.map(|_| Vec::new()),
            effort: Effort::default(),
            seconds: 0.0,
            phases: PhaseTimes::default(),
            peak_memory: 0,
            status,
            cost,
            at_least,
        }
    }

    #[test]
    fn the_verdict_says_no_more_than_is_known() {
        let optimal = |cost| answer(Status::Optimal, Some(cost), Some(cost));
        let limit = |why, bound| answer(Status::Limit(why), None, Some(bound));
        let defect = || answer(Status::Defect("broken".to_string()), None, None);
        let (time, interrupt) = (Limit::Time, Limit::Interrupt);
        for (answers, agree, code, says) in [
            (vec![], None, 34, "no route can take"),
            (vec![optimal(5), optimal(5)], Some(true), 0, "all agree"),
            (vec![optimal(5), limit(time, 3)], Some(true), 0, "1 of 2"),
            (
                vec![optimal(5), limit(interrupt, 3)],
                None,
                12,
                "interrupted",
            ),
            (vec![limit(time, 2), limit(time, 3)], None, 12, "none of 2"),
            (vec![optimal(5), optimal(4)], Some(false), 32, "at least 5"),
            (vec![limit(interrupt, 9), optimal(4)], Some(false), 32, "9"),
            (vec![optimal(5), defect()], Some(false), 32, "broken"),
        ] {
            let verdict = Verdict::of(&answers, 0);
            assert_eq!((verdict.agree, verdict.exit.code()), (agree, code));
            assert!(verdict.text.contains(says), "{}", verdict.text);
        }
        let verdict = Verdict::of(&[optimal(5)], 3);
        assert_eq!((verdict.agree, verdict.exit.code()), (None, 12));
        assert!(verdict.text.contains("1 of 4"), "{}", verdict.text);
    }

    #[test]
    fn a_defect_of_one_level_decides_the_exit() {
        let exits = [
            Exit::Solved,
            Exit::Error(UNSUPPORTED),
            Exit::Unproven,
            Exit::Defect,
        ];
        for (at, &one) in exits.iter().enumerate() {
            for &other in &exits[at..] {
                assert_eq!((worse(one, other), worse(other, one)), (other, other));
            }
        }
    }
}
