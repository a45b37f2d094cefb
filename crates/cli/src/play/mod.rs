//! The game in the terminal: the event loop of keys, clock and screen. The state of the game is in
//! `session`, drawing in `draw`, hints in `hint`.
//!
//! The screen is drawn on standard error, so that the plan can go to standard output: `ploy play
//! LEVEL > PLAN`.

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

pub use draw::Capabilities;
use ployglot_io::row::amount;
use ployglot_io::{interrupt, limits};
use ployglot_pictures::film;
use session::{Key, Par, Request, Session};

/// Options of a game.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub terminal: Capabilities,
    /// The time for a hint, and for the par where the level's text does not have it.
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
    exit_after_interrupt(interrupt.clone());
    let memory = limits::default_memory().map(|bytes| bytes / 2);
    let ask = |state: &G::State| hint::start(level, state, measure, options.time, memory);
    let mut par_job = match session.par {
        Par::Searching => Some(ask(&level.game.start())?),
        _ => None,
    };
    let mut hint_job = None;
    let clock = Budget::unlimited();
    let mut animation = Animation::default();
    let mut screen = Screen::open()?;
    while !interrupt.load(Relaxed) {
        let shown = animation.view().unwrap_or_else(|| session.view());
        let moving = animation.view().is_some();
        screen
            .terminal
            .draw(|frame| draw::draw(frame, &session, &shown, moving, options.terminal))?;
        let timeout = match animation.wait(clock.elapsed()) {
            Some(wait) => wait,
            None if par_job.is_some() || hint_job.is_some() => Duration::from_millis(50),
            None => Duration::from_millis(250),
        };
        if event::poll(timeout)?
            && let Event::Key(event) = event::read()?
            && event.kind != KeyEventKind::Release
        {
            let Some(key) = key(event) else {
                break;
            };
            // A key ends the animation.
            animation = Animation::default();
            if let Some(key) = key {
                match session.press(key) {
                    Request::Nothing => {}
                    Request::Animate(views) if options.animated => {
                        animation = Animation::new(&views, clock.elapsed())
                    }
                    Request::Animate(_) => {}
                    Request::Hint => hint_job = Some(ask(session.state())?),
                    Request::Quit => break,
                }
            }
        }
        if let Some(advice) = hint_job.as_ref().and_then(hint::Job::answer) {
            let job = hint_job.take().expect("it was answered");
            session.show_advice(&job.state, advice);
        }
        if let Some(advice) = par_job.as_ref().and_then(hint::Job::answer) {
            par_job = None;
            let game = &level.game;
            let cost_at_start = game.plan_cost(measure, &[], &game.start());
            session.set_par(advice.par(Some(cost_at_start)));
        }
        animation.advance(clock.elapsed());
    }
    drop(screen);
    Ok(plan_text(&session))
}

/// Ends the program a second after an interrupt if it still runs. When the terminal is closed while
/// crossterm waits for a key, crossterm never returns and keeps a core busy; the signal that comes
/// with the closing raises the interrupt flag.
fn exit_after_interrupt(interrupt: Arc<AtomicBool>) {
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

/// The plan played so far; a comment at its end states whether the goal is reached.
fn plan_text<G: Game>(session: &Session<G>) -> String {
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
        Some(shortfall) => format!("; the goal is not reached: {shortfall}\n"),
    };
    text.push_str(&end);
    text
}

/// Translates a key; `None` for the keys that quit, `Some(None)` for keys without a meaning.
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

/// The animation of a move.
#[derive(Default)]
struct Animation {
    views: Vec<View>,
    at: usize,
    frame: Duration,
    /// When the next frame is due, by the clock of the event loop.
    due: Duration,
}

/// The longest duration of an animation.
const LONGEST_ANIMATION: Duration = Duration::from_millis(1200);
const LONGEST_FRAME: Duration = Duration::from_millis(70);

impl Animation {
    fn new(moments: &[View], now: Duration) -> Animation {
        let mut views: Vec<View> = moments
            .windows(2)
            .flat_map(|pair| film::steps(&pair[0], &pair[1]))
            .collect();
        // The last view is that of the new state, which is drawn after the animation.
        views.pop();
        let frame = LONGEST_FRAME.min(LONGEST_ANIMATION / views.len().max(1) as u32);
        Animation {
            views,
            at: 0,
            frame,
            due: now + frame,
        }
    }

    fn view(&self) -> Option<View> {
        self.views.get(self.at).cloned()
    }

    /// The time until the next frame; `None` if there is no animation.
    fn wait(&self, now: Duration) -> Option<Duration> {
        self.views.get(self.at)?;
        Some(self.due.saturating_sub(now))
    }

    /// Goes to the next frame if it is due.
    fn advance(&mut self, now: Duration) {
        if now >= self.due {
            self.at += 1;
            self.due = now + self.frame;
        }
    }
}

/// The terminal in raw mode on its alternate screen. It is restored on drop and after a panic.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
}

impl Screen {
    fn open() -> std::io::Result<Screen> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
        enable_raw_mode()?;
        if let Err(error) = execute!(stderr(), EnterAlternateScreen, Hide) {
            restore();
            return Err(error);
        }
        match Terminal::new(CrosstermBackend::new(stderr())) {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    // An error here cannot be reported any more.
    let _ = disable_raw_mode();
    let _ = execute!(stderr(), LeaveAlternateScreen, Show);
}

#[cfg(test)]
mod tests;
