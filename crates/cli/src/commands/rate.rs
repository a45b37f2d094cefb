//! `ploy rate`: par, best plans, dead ends and difficulty of a level, and whether the designer's
//! plan is best.

use std::time::Duration;

use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::{
    GreedyPlay, PlanComparison, Rating, RatingLimits, StateCount, compare_plans, rate,
};
use serde_json::{Value, json};

use ployglot_games::plan;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::{VERSION, amount, rating_json};
use ployglot_io::{interrupt, limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as puzznic/03-three-at-once
    level: String,
    /// The designer's plan, to compare with the best one: whether there is a cheaper plan, and
    /// where they differ
    #[arg(long, value_name = "PLAN")]
    intended: Option<String>,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Explore at most this many states
    #[arg(long, default_value_t = RatingLimits::default().states, value_name = "N")]
    states: usize,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let level = load::level(&args.level)?;
    level.visit(Rate { args: &args })
}

struct Rate<'a> {
    args: &'a Args,
}

impl LevelVisitor for Rate<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let args = self.args;
        let intended = args.intended.as_deref().map(|file| {
            let text = load::text(file)?;
            plan::parse(&level.game, &text)
                .map_err(|bad| load::bad_text(file, text.as_bytes(), bad))
        });
        let intended = intended.transpose()?;
        let budget = limits::budget(args.time, args.memory).with_interrupt(interrupt::flag());
        let rating_limits = RatingLimits {
            states: args.states,
            ..RatingLimits::default()
        };
        let bad =
            |bad: ployglot_solve::BadRequest| Failure::Usage(format!("{}: {}", args.level, bad.0));
        let rating = rate(&level.game, rating_limits, &budget).map_err(bad)?;
        let comparison = intended
            .as_deref()
            .map(|plan| compare_plans(&level.game, plan, &budget));
        let comparison = comparison.transpose().map_err(bad)?;
        let exit = match (&comparison, Exit::from(&rating.answer.status), rating.limit) {
            (Some(PlanComparison::Defect(_)), ..) => Exit::Defect,
            // The answer is complete, but some figures are missing.
            (_, Exit::Solved, Some(limit)) => Exit::with_plan(limit),
            (_, Exit::Unsolvable, Some(limit)) => Exit::without_plan(limit),
            (_, exit, _) => exit,
        };
        if args.json {
            let mut row = rating_json(&rating);
            row["version"] = VERSION.into();
            row["level"] = args.level.clone().into();
            row["game"] = G::NAME.into();
            if let (Some(comparison), Some(plan)) = (&comparison, &intended) {
                row["intended"] = comparison_json(&level.game, comparison, plan);
            }
            output::line(&row.to_string())?;
            return Ok(exit);
        }
        output::text(&rating_text(&rating))?;
        if let (Some(comparison), Some(plan)) = (&comparison, &intended) {
            output::text(&comparison_text(&level.game, comparison, plan))?;
        }
        Ok(exit)
    }
}

fn rating_text<G: Game>(rating: &Rating<G>) -> String {
    let unknown = || "not known".to_string();
    let mut lines: Vec<(&str, String)> = Vec::new();
    let par = match rating.answer.cost {
        Some(cost) => format!(
            "{} ({})",
            amount(cost, rating.answer.measure),
            rating.answer.status.word()
        ),
        None => rating.answer.status.word().to_string(),
    };
    lines.push(("par", par));
    if rating.answer.cost.is_some() {
        let plans = match (rating.best_plans, rating.distinct_plans) {
            (Some(u128::MAX), _) => "too many to count".to_string(),
            (Some(count), Some(distinct)) if distinct as u128 != count => {
                format!("{count}, of which {distinct} differ in more than the order of the moves")
            }
            (Some(count), _) => count.to_string(),
            (None, Some(distinct)) => {
                format!("{distinct}, apart from the order of the moves and from needless moves")
            }
            (None, None) => unknown(),
        };
        lines.push(("best plans", plans));
        let first = rating.first_moves;
        let part = |count: Option<usize>| count.map_or_else(unknown, |count| count.to_string());
        lines.push((
            "first moves",
            format!(
                "{}; keep par: {}; lead to a dead end: {}",
                first.all,
                part(first.keep_par),
                part(first.lose)
            ),
        ));
        let dead = rating.dead_ends.map_or_else(unknown, |share| {
            let at_least = if share.exact { "" } else { "at least " };
            format!(
                "{at_least}{:.1} % of {} states within par",
                share.percent(),
                share.of
            )
        });
        lines.push(("dead ends", dead));
        let forced = rating
            .forced
            .map_or_else(unknown, |forced| format!("{forced} moves in a row"));
        lines.push(("forced", forced));
    }
    lines.push((
        "states",
        match rating.reachable {
            StateCount::Exactly(count) => count.to_string(),
            StateCount::AtLeast(count) => format!("at least {count}"),
        },
    ));
    lines.push((
        "greedy",
        match rating.greedy {
            Some(GreedyPlay::Solved(made)) => format!("solves it in {}", amount(made, "moves")),
            Some(GreedyPlay::Stuck(made)) => format!("is stuck after {}", amount(made, "moves")),
            Some(GreedyPlay::Unfinished(made)) => {
                format!("has not solved it after {}", amount(made, "moves"))
            }
            None => unknown(),
        },
    ));
    if let Some(limit) = rating.limit {
        let text = format!("{limit}; some figures are missing");
        lines.push(("limit", text));
    }
    lines.push(("difficulty", rating.assessment.difficulty.to_string()));
    let mut text: String = lines
        .iter()
        .map(|(name, value)| format!("{name:<12} {value}\n"))
        .collect();
    for reason in &rating.assessment.reasons {
        text.push_str(&format!("             - {reason}\n"));
    }
    text
}

/// The moves of the better plan as text, from the state where the plans differ.
fn better_moves<G: Game>(level: &G, state: &G::State, better: &[G::Move]) -> Vec<String> {
    plan::print(&ployglot_solve::start_at(level, state), better)
}

fn comparison_text<G: Game>(
    level: &G,
    comparison: &PlanComparison<G>,
    intended: &[G::Move],
) -> String {
    match comparison {
        PlanComparison::Rejected(why) => format!("\nthe intended plan is rejected: {why}\n"),
        PlanComparison::Defect(why) => format!("\na defect of the program: {why}\n"),
        PlanComparison::Best { cost } => {
            format!("\nthe intended plan is best: no plan costs less than {cost}\n")
        }
        PlanComparison::Unknown { cost, at_least } => {
            format!(
                "\nthe intended plan costs {cost}; it is not known whether a plan is cheaper; every plan costs at least {at_least}\n"
            )
        }
        PlanComparison::Shortcut {
            cost,
            best,
            common,
            state,
            better,
        } => {
            let board = plan::board(level, state);
            let intended_move = intended
                .get(*common)
                .map(|&mv| level.print_move(state, mv))
                .unwrap_or_default();
            let better = better_moves(level, state, better);
            format!(
                "\nthe intended plan costs {cost}, but {best} is enough; they differ after {common} moves, here:\n\n{board}\n\
                 intended: {intended_move}\nbetter:   {}\n",
                better.join(", ")
            )
        }
    }
}

fn comparison_json<G: Game>(
    level: &G,
    comparison: &PlanComparison<G>,
    intended: &[G::Move],
) -> Value {
    match comparison {
        PlanComparison::Rejected(why) => json!({ "verdict": "rejected", "message": why }),
        PlanComparison::Defect(why) => json!({ "verdict": "defect", "message": why }),
        PlanComparison::Best { cost } => json!({ "verdict": "best", "cost": cost }),
        PlanComparison::Unknown { cost, at_least } => {
            json!({ "verdict": "open", "cost": cost, "at_least": at_least })
        }
        PlanComparison::Shortcut {
            cost,
            best,
            common,
            state,
            better,
        } => json!({
            "verdict": "shortcut", "cost": cost, "best": best, "common": common,
            "board": plan::board(level, state),
            "intended": intended.get(*common).map(|&mv| level.print_move(state, mv)),
            "better": better_moves(level, state, better),
        }),
    }
}
