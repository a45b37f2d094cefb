//! The game in the terminal: the loop between keys, clock and screen. The game itself is in `session`, its look in `draw`, and
//! the hints in `hint`.
//!
//! The screen is drawn on standard error, so that standard output is free for the plan: `ploy play LEVEL > PLAN`.

mod draw;
mod hint;
mod session;

use std::io::{Stderr, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ployglot_base::Budget;
use ployglot_games::{Game, Level, Side, View};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

pub use draw::Ability;
use ployglot_io::row::amount;
use ployglot_io::{interrupt, limits};
use ployglot_pictures::film;
use session::{Key, Known, Session, Wish};

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub able: Ability,
    /// For a hint, and for par where the level does not say it.
    pub time: Duration,
    /// Whether moves are animated.
    pub animated: bool,
}

/// Plays until the player quits, and returns the plan as text.
pub fn play<G: Game>(
    level: &Level<G>,
    measure: &'static str,
    options: Options,
) -> std::io::Result<String> {
    let mut session = Session::new(level, measure);
    let interrupt = interrupt::flag();
    leave_with_the_terminal(interrupt.clone());
    let memory = limits::default_memory().map(|bytes| bytes / 2);
    let ask = |state: &G::State| hint::ask(level, state, measure, options.time, memory);
    let mut par = match session.par {
        Known::Looking => Some(ask(&level.game.start())?),
        _ => None,
    };
    let mut question = None;
    let clock = Budget::unlimited();
    let mut reel = Reel::default();
    let mut screen = Screen::open()?;
    while !interrupt.load(Relaxed) {
        let shown = reel.view().unwrap_or_else(|| session.view());
        let moving = reel.view().is_some();
        screen
            .terminal
            .draw(|frame| draw::draw(frame, &session, &shown, moving, options.able))?;
        let patience = match reel.wait(clock.elapsed()) {
            Some(wait) => wait,
            None if par.is_some() || question.is_some() => Duration::from_millis(50),
            None => Duration::from_millis(250),
        };
        if event::poll(patience)?
            && let Event::Key(event) = event::read()?
            && event.kind != KeyEventKind::Release
        {
            let Some(key) = key(event) else {
                break;
            };
            // A key does not wait for a film to end.
            reel = Reel::default();
            if let Some(key) = key {
                match session.press(key) {
                    Wish::Nothing => {}
                    Wish::Film(views) if options.animated => {
                        reel = Reel::of(&views, clock.elapsed())
                    }
                    Wish::Film(_) => {}
                    Wish::Hint => question = Some(ask(session.state())?),
                    Wish::Quit => break,
                }
            }
        }
        if let Some(advice) = question.as_ref().and_then(hint::Question::answer) {
            let asked = question.take().expect("it was answered");
            session.advise(&asked.about, advice);
        }
        if let Some(advice) = par.as_ref().and_then(hint::Question::answer) {
            par = None;
            let game = &level.game;
            let at_start = game.plan_cost(measure, &[], &game.start());
            session.learn_par(advice.par(Some(at_start)));
        }
        reel.turn(clock.elapsed());
    }
    drop(screen);
    Ok(protocol(&session))
}

/// Where the terminal goes away while crossterm waits for a key, it waits forever, and at full speed. The signal that comes with it
/// raises the flag; whoever has not left a second later is taken along.
fn leave_with_the_terminal(interrupt: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            if interrupt.load(Relaxed) {
                std::thread::sleep(Duration::from_secs(1));
                std::process::exit(interrupt::KILLED);
            }
        }
    });
}

/// The plan played so far, with how it ended as a comment.
fn protocol<G: Game>(session: &Session<G>) -> String {
    let game = &session.level.game;
    let mut text: String = ployglot_games::plan::print(game, session.plan())
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let end = match game.shortfall(session.state()) {
        None => {
            let cost = game.plan_cost(session.measure, session.plan(), session.state());
            format!("; the goal is reached: {}\n", amount(cost, session.measure))
        }
        Some(shortfall) => format!("; the goal is missed: {shortfall}\n"),
    };
    text.push_str(&end);
    text
}

/// A key as the game knows it; `None` to leave, `Some(None)` for keys that mean nothing.
fn key(event: KeyEvent) -> Option<Option<Key>> {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return match event.code {
            KeyCode::Char('c' | 'd' | 'C' | 'D') => None,
            _ => Some(None),
        };
    }
    Some(match event.code {
        KeyCode::Up => Some(Key::Arrow(Side::Up)),
        KeyCode::Right => Some(Key::Arrow(Side::Right)),
        KeyCode::Down => Some(Key::Arrow(Side::Down)),
        KeyCode::Left => Some(Key::Arrow(Side::Left)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Escape),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Char(c) => Some(Key::Char(c)),
        _ => None,
    })
}

/// A film that is being shown.
#[derive(Default)]
struct Reel {
    views: Vec<View>,
    at: usize,
    frame: Duration,
    /// When the next frame comes, by the clock of the game.
    due: Duration,
}

/// No film takes longer.
const LONGEST_FILM: Duration = Duration::from_millis(1200);
const LONGEST_FRAME: Duration = Duration::from_millis(70);

impl Reel {
    fn of(moments: &[View], now: Duration) -> Reel {
        let mut views: Vec<View> = moments
            .windows(2)
            .flat_map(|pair| film::steps(&pair[0], &pair[1]))
            .collect();
        // The last view is the state itself, which is shown when the film is over.
        views.pop();
        let frame = LONGEST_FRAME.min(LONGEST_FILM / views.len().max(1) as u32);
        Reel {
            views,
            at: 0,
            frame,
            due: now + frame,
        }
    }

    fn view(&self) -> Option<View> {
        self.views.get(self.at).cloned()
    }

    fn wait(&self, now: Duration) -> Option<Duration> {
        self.views.get(self.at)?;
        Some(self.due.saturating_sub(now))
    }

    /// The next frame, if it is time.
    fn turn(&mut self, now: Duration) {
        if now >= self.due {
            self.at += 1;
            self.due = now + self.frame;
        }
    }
}

/// The terminal while it is ours. However we leave, it is given back as it was.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
}

impl Screen {
    fn open() -> std::io::Result<Screen> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
        enable_raw_mode()?;
        if let Err(error) = execute!(stderr(), EnterAlternateScreen, Hide) {
            give_back();
            return Err(error);
        }
        match Terminal::new(CrosstermBackend::new(stderr())) {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    // There is nobody left to tell if this fails.
    let _ = disable_raw_mode();
    let _ = execute!(stderr(), LeaveAlternateScreen, Show);
}

#[cfg(test)]
mod tests;
