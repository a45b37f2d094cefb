//! `ploy demo`, or `ploy` alone: a small level of each game solved, shown and proven, in about ten seconds. On a terminal the plans are
//! played before your eyes; into a pipe only what they say is written.

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

/// For each game: as long as its plan is shown, and as long as may be thought.
const SHOW: Duration = Duration::from_millis(1500);
const THINK: Duration = Duration::from_secs(5);
/// The level should have a plan of about this length: long enough to be a puzzle, short enough to watch.
const PAR: std::ops::RangeInclusive<u32> = 4..=14;

pub fn run(_args: Args) -> Result<Exit, Failure> {
    let mut tour = Tour {
        animated: std::io::stdout().is_terminal() && std::env::var("TERM").as_deref() != Ok("dumb"),
        stops: Vec::new(),
        unsolvable: None,
        failure: None,
        interrupt: interrupt::flag(),
    };
    output::line(
        "Ployglot finds plans that are proven shortest, or proves that there are none.\n",
    )?;
    visit_games(&mut tour);
    if let Some(failure) = tour.failure {
        return Err(failure);
    }
    if tour.interrupt.load(Relaxed) {
        return Ok(Exit::Unproven);
    }
    if let Some(line) = &tour.unsolvable {
        output::line(line)?;
    }
    output::text(&next(&tour.stops))?;
    Ok(Exit::Solved)
}

/// What to try now.
fn next(stops: &[String]) -> String {
    let stop = |index: usize| stops.get(index).map_or("LEVEL", String::as_str);
    format!(
        "\nNext:\n  \
         ploy play {}\n  \
         ploy show {} --gif plan.gif\n  \
         ploy solve {} --boards\n  \
         ploy levels\n  \
         ploy help\n",
        stop(0),
        stop(1),
        stop(3)
    )
}

struct Tour {
    animated: bool,
    /// The levels that were shown.
    stops: Vec<String>,
    /// One level without a plan, and its proof.
    unsolvable: Option<String>,
    failure: Option<Failure>,
    interrupt: Arc<AtomicBool>,
}

impl GameVisitor for Tour {
    fn visit<G: Game>(&mut self) {
        if self.failure.is_none()
            && !self.interrupt.load(Relaxed)
            && let Err(failure) = self.stop::<G>()
        {
            self.failure = Some(failure);
        }
    }
}

impl Tour {
    fn stop<G: Game>(&mut self) -> Result<(), Failure> {
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
        let answer = ask(level)?;
        output::line(&format!("{name}  {}", level.title().unwrap_or("")))?;
        output::text(&screen::board(&level.game.view(&level.game.start())))?;
        if let Some(plan) = &answer.plan {
            if self.animated {
                watch(level, plan)?;
            }
            output::line(&format!(
                "plan: {}",
                plan::print(&level.game, plan).join(", ")
            ))?;
        }
        output::line(&format!("{}\n", verdict(&answer)))?;
        self.stops.push(name.clone());

        // One proof that there is no plan.
        let hopeless = levels
            .iter()
            .find(|(_, level)| par(level) == Some(Par::Unsolvable));
        if let (None, Some((name, level))) = (&self.unsolvable, hopeless) {
            let answer = ask(level)?;
            self.unsolvable = Some(format!("{name}: {}", verdict(&answer)));
        }
        Ok(())
    }
}

fn ask<G: Game>(level: &Level<G>) -> Result<Answer<G>, Failure> {
    let budget = Budget::unlimited()
        .with_time(THINK)
        .with_interrupt(interrupt::flag());
    solve(&level.game, &Request::default(), &budget).map_err(|bad| Failure::Defect(bad.0))
}

/// What is proven, and what it took.
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

/// Plays a plan over the board that was just printed.
fn watch<G: Game>(level: &Level<G>, plan: &[G::Move]) -> Result<(), Failure> {
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
        // Up to the board's first line; each of its lines is cleared before it is written anew.
        let cleared = board.replace('\n', "\u{1b}[K\n");
        output::text(&format!("\u{1b}[{lines}A{cleared}"))?;
    }
    Ok(())
}
