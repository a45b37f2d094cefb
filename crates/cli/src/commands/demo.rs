//! `ploy demo`, or `ploy` alone: solves and shows a small level of each game, in about ten seconds.
//! On a terminal the plans are animated; into a pipe they are only printed.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use ployglot_base::Budget;
use ployglot_games::{Game, GameVisitor, Level, Par, View, visit_games};
use ployglot_solve::{Answer, Request, Status, solve};

use crate::screen;
use ployglot_games::plan;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::amount;
use ployglot_io::{interrupt, load, output};
use ployglot_pictures::film;

#[derive(clap::Args, Default)]
pub struct Args {}

/// How long the plan of a game is animated.
const SHOW: Duration = Duration::from_millis(1500);
/// How long a level may be solved.
const SOLVE: Duration = Duration::from_secs(5);
/// The level should have a plan of about this length: long enough to be a puzzle, short enough to
/// watch.
const PAR: std::ops::RangeInclusive<u32> = 4..=14;

pub fn run(_args: Args) -> Result<Exit, Failure> {
    let mut demo = Demo {
        animated: std::io::stdout().is_terminal() && std::env::var("TERM").as_deref() != Ok("dumb"),
        shown: Vec::new(),
        unsolvable: None,
        failure: None,
        interrupt: interrupt::flag(),
    };
    output::line("Ployglot finds plans that are proven optimal, or proves that there are none.\n")?;
    visit_games(&mut demo);
    if let Some(failure) = demo.failure {
        return Err(failure);
    }
    if demo.interrupt.load(Relaxed) {
        return Ok(Exit::Unproven);
    }
    if let Some(line) = &demo.unsolvable {
        output::line(line)?;
    }
    output::text(&suggestions(&demo.shown))?;
    Ok(Exit::Solved)
}

/// Commands to try next, with the names of levels that were shown.
fn suggestions(shown: &[String]) -> String {
    let name = |index: usize| shown.get(index).map_or("LEVEL", String::as_str);
    format!(
        "\nNext:\n  \
         ploy play {}\n  \
         ploy show {} --gif plan.gif\n  \
         ploy solve {} --boards\n  \
         ploy levels\n  \
         ploy help\n",
        name(0),
        name(1),
        name(3)
    )
}

struct Demo {
    animated: bool,
    /// The levels that were shown.
    shown: Vec<String>,
    /// The line for one unsolvable level.
    unsolvable: Option<String>,
    failure: Option<Failure>,
    interrupt: Arc<AtomicBool>,
}

impl GameVisitor for Demo {
    fn visit<G: Game>(&mut self) {
        if self.failure.is_none()
            && !self.interrupt.load(Relaxed)
            && let Err(failure) = self.show::<G>()
        {
            self.failure = Some(failure);
        }
    }
}

impl Demo {
    fn show<G: Game>(&mut self) -> Result<(), Failure> {
        let measure = G::MEASURES[0].name;
        let levels: Vec<(String, Level<G>)> = G::LEVELS
            .iter()
            .map(|builtin| {
                (
                    format!("{}/{}", G::NAME, builtin.name),
                    load::builtin_level(builtin),
                )
            })
            .collect();
        let par = |level: &Level<G>| level.par(measure);
        let fits =
            |level: &Level<G>| matches!(par(level), Some(Par::Cost(cost)) if PAR.contains(&cost));
        let first = levels.iter().find(|(_, level)| fits(level));
        let Some((name, level)) = first.or(levels.first()) else {
            return Ok(());
        };
        let answer = solve_level(level)?;
        output::line(&format!("{name}  {}", level.title().unwrap_or("")))?;
        output::board(&screen::board(&level.game.view(&level.game.start())))?;
        if let Some(plan) = &answer.plan {
            if self.animated {
                animate(level, plan)?;
            }
            output::line(&format!(
                "plan: {}",
                plan::print(&level.game, plan).join(", ")
            ))?;
        }
        output::line(&format!("{}\n", verdict(&answer)))?;
        self.shown.push(name.clone());

        // One unsolvable level, of the first game that has one.
        let without_plan = levels
            .iter()
            .find(|(_, level)| par(level) == Some(Par::Unsolvable));
        if let (None, Some((name, level))) = (&self.unsolvable, without_plan) {
            let answer = solve_level(level)?;
            self.unsolvable = Some(format!("{name}: {}", verdict(&answer)));
        }
        Ok(())
    }
}

fn solve_level<G: Game>(level: &Level<G>) -> Result<Answer<G>, Failure> {
    let budget = Budget::unlimited()
        .with_time(SOLVE)
        .with_interrupt(interrupt::flag());
    solve(&level.game, &Request::default(), &budget)
        .map_err(|refused| Failure::Defect(refused.to_string()))
}

/// What is proven, with time, states and route.
fn verdict<G: Game>(answer: &Answer<G>) -> String {
    let took = format!(
        "{:.3} s, {} states, {}",
        answer.seconds, answer.effort.expanded, answer.route
    );
    match (&answer.status, answer.cost) {
        (Status::Optimal, Some(cost)) => format!(
            "{}: proven optimal, and replayed by the referee ({took})",
            amount(cost, answer.measure)
        ),
        (Status::Unsolvable, _) => format!("proven unsolvable ({took})"),
        (status, Some(cost)) => format!(
            "{}: {} ({took})",
            amount(cost, answer.measure),
            status.word()
        ),
        (status, None) => format!("{} ({took})", status.word()),
    }
}

/// Animates a plan over the board that was just printed.
fn animate<G: Game>(level: &Level<G>, plan: &[G::Move]) -> Result<(), Failure> {
    let mut views: Vec<View> = Vec::new();
    for take in film::takes(&level.game, plan, |_, _| String::new()) {
        for pair in take.views.windows(2) {
            views.extend(film::steps(&pair[0], &pair[1]));
        }
    }
    let frame = (SHOW / views.len().max(1) as u32)
        .clamp(Duration::from_millis(12), Duration::from_millis(120));
    let every = views
        .len()
        .div_ceil((SHOW.as_millis() / frame.as_millis()).max(1) as usize)
        .max(1);
    let last = views.len().saturating_sub(1);
    let room = screen::size().map_or(24, |(_, height)| height);
    for (index, view) in views.iter().enumerate() {
        if index % every != 0 && index != last {
            continue;
        }
        if interrupt::flag().load(Relaxed) {
            return Ok(());
        }
        let board = screen::board(view);
        let lines = board.lines().count();
        if lines + 1 > room {
            return Ok(());
        }
        std::thread::sleep(frame);
        // Moves the cursor to the board's first line; each line is cleared before it is written
        // again.
        let cleared = board.replace('\n', "\u{1b}[K\n");
        output::board(&format!("\u{1b}[{lines}A{cleared}"))?;
    }
    Ok(())
}
