//! The state of a game that is being played, and how keys change it. It does no input, output or
//! solving, so that tests can play it; what the event loop should do (animate a move, find a hint)
//! is returned as a `Request`.
//!
//! It works for every game. Moves are selected by their grips, the cells where a player takes hold
//! of a piece. If all moves have the same grip (an avatar), an arrow key plays at once; otherwise
//! arrow keys move a cursor from grip to grip, and Enter takes hold. Undo also undoes restarts.

use ployglot_games::{Controls, Game, Gesture, Level, Side, View, gestures};

use super::hint::Advice;
use ployglot_io::row::amount;

#[derive(Clone)]
pub struct Session<G: Game> {
    pub level: Level<G>,
    pub measure: &'static str,
    /// Every state so far, for undo and redo.
    timeline: Vec<Position<G>>,
    /// The index of the current state.
    now: usize,
    pub cursor: (i32, i32),
    pub mode: Mode,
    pub message: Message,
    pub par: Par,
    /// Whether a hint was requested and has not arrived yet.
    pub waiting: bool,
}

/// A state, and the plan that led there since the last restart.
#[derive(Clone)]
struct Position<G: Game> {
    state: G::State,
    plan: Vec<G::Move>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Arrows move the cursor, or play at once if there is only one grip.
    Free,
    /// The piece under the cursor is held; an arrow key moves it.
    Held,
    /// A move is being typed.
    Typing(String),
}

/// A message for the player; its kind decides the colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    None,
    Info(String),
    Refusal(String),
    Hint(String),
    Success(String),
}

/// What is known about the cost of the best plan from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Par {
    Searching,
    Unknown,
    Cost(u32),
    Unsolvable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Arrow(Side),
    Enter,
    Escape,
    Backspace,
    Char(char),
}

/// What the event loop should do after a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Nothing,
    /// Animate a move that was made; the views lead from the old board to the new one.
    Animate(Vec<View>),
    Hint,
    Quit,
}

impl<G: Game> Session<G> {
    pub fn new(level: &Level<G>, measure: &'static str) -> Self {
        let state = level.game.start();
        let par = match level.par(measure) {
            Some(ployglot_games::Par::Cost(cost)) => Par::Cost(cost),
            Some(ployglot_games::Par::Unsolvable) => Par::Unsolvable,
            None => Par::Searching,
        };
        let mut session = Self {
            level: level.clone(),
            measure,
            timeline: vec![Position {
                state,
                plan: Vec::new(),
            }],
            now: 0,
            cursor: (1, 1),
            mode: Mode::Free,
            message: Message::None,
            par,
            waiting: false,
        };
        session.settle_cursor();
        session.report_state();
        session
    }

    pub fn state(&self) -> &G::State {
        &self.timeline[self.now].state
    }

    /// The moves since the last restart.
    pub fn plan(&self) -> &[G::Move] {
        &self.timeline[self.now].plan
    }

    pub fn view(&self) -> View {
        self.level.game.view(self.state())
    }

    pub fn at_goal(&self) -> bool {
        self.level.game.shortfall(self.state()).is_none()
    }

    /// The cost of the plan so far; `None` if the measure defines it only at the goal.
    pub fn cost(&self) -> Option<u32> {
        let additive = G::MEASURES
            .iter()
            .any(|measure| measure.name == self.measure && measure.additive);
        (additive || self.at_goal()).then(|| {
            self.level
                .game
                .plan_cost(self.measure, self.plan(), self.state())
        })
    }

    /// Whether arrow keys play at once, so that no cursor is needed.
    pub fn plays_at_once(&self) -> bool {
        Controls::of(&self.grips()) == Controls::Direct
    }

    pub fn press(&mut self, key: Key) -> Request {
        if let Mode::Typing(text) = &self.mode {
            let text = text.clone();
            return self.press_typing(text, key);
        }
        match key {
            Key::Arrow(side) => self.press_arrow(side),
            Key::Enter | Key::Char(' ') => self.take_hold(),
            Key::Escape | Key::Backspace => {
                self.mode = Mode::Free;
                self.message = Message::None;
                Request::Nothing
            }
            Key::Char(c) => self.press_letter(c),
        }
    }

    fn press_letter(&mut self, letter: char) -> Request {
        self.mode = Mode::Free;
        match letter.to_ascii_lowercase() {
            'u' => self.step_through_history(-1),
            'r' => self.step_through_history(1),
            'x' => self.restart(),
            'h' | '?' => {
                self.waiting = true;
                self.message = Message::Info("Searching for a plan from here \u{2026}".to_string());
                return Request::Hint;
            }
            ':' => {
                self.mode = Mode::Typing(String::new());
                self.message = Message::None;
            }
            'q' => return Request::Quit,
            _ => {
                self.message = Message::Refusal("This key has no function.".to_string());
            }
        }
        Request::Nothing
    }

    fn press_typing(&mut self, mut text: String, key: Key) -> Request {
        match key {
            Key::Escape => self.mode = Mode::Free,
            Key::Backspace => {
                self.mode = match text.pop() {
                    Some(_) => Mode::Typing(text),
                    None => Mode::Free,
                }
            }
            Key::Char(c) if text.chars().count() < LONGEST_TYPED => {
                text.push(c);
                self.mode = Mode::Typing(text);
            }
            Key::Char(_) | Key::Arrow(_) => {}
            Key::Enter => {
                self.mode = Mode::Free;
                return match self.level.game.parse_move(self.state(), text.trim()) {
                    Ok(mv) => self.play(mv),
                    Err(bad) => {
                        self.message = Message::Refusal(sentence(&bad.message));
                        Request::Nothing
                    }
                };
            }
        }
        Request::Nothing
    }

    fn press_arrow(&mut self, side: Side) -> Request {
        if self.mode == Mode::Held || self.plays_at_once() {
            self.mode = Mode::Free;
            let here = |grip: &Gesture| self.plays_at_once() || (grip.row, grip.col) == self.cursor;
            let found = self
                .grips()
                .into_iter()
                .find(|(grip, _)| here(grip) && grip.toward == Some(side));
            return match found {
                Some((_, mv)) => self.play(mv),
                None => {
                    self.message =
                        Message::Refusal(format!("There is no move {} here.", side.name()));
                    Request::Nothing
                }
            };
        }
        self.message = Message::None;
        if let Some(cell) = self.next_grip(side) {
            self.cursor = cell;
        }
        Request::Nothing
    }

    /// Takes hold of the piece under the cursor, or plays its move if it has only one.
    fn take_hold(&mut self) -> Request {
        if self.plays_at_once() {
            self.message = Message::Info("Use the arrow keys to move.".to_string());
            return Request::Nothing;
        }
        let cursor = self.cursor;
        let mut here = self.grips();
        here.retain(|(grip, _)| (grip.row, grip.col) == cursor);
        match here[..] {
            [] => {
                self.message = Message::Refusal("Nothing can be moved here.".to_string());
                Request::Nothing
            }
            [(_, mv)] => self.play(mv),
            _ => {
                let sides: Vec<&str> = here
                    .iter()
                    .filter_map(|(grip, _)| grip.toward.map(Side::name))
                    .collect();
                self.mode = Mode::Held;
                self.message = Message::Info(format!("In which direction: {}?", sides.join(", ")));
                Request::Nothing
            }
        }
    }

    /// Makes a move, or shows why it is illegal.
    fn play(&mut self, mv: G::Move) -> Request {
        let game = &self.level.game;
        let next = match game.play(self.state(), mv) {
            Ok(next) => next,
            Err(refusal) => {
                self.message = Message::Refusal(sentence(&refusal.0));
                return Request::Nothing;
            }
        };
        let before = self.view();
        let mut film = vec![before];
        film.extend(game.film(self.state(), mv));
        let mut plan = self.plan().to_vec();
        plan.push(mv);
        self.timeline.truncate(self.now + 1);
        self.timeline.push(Position { state: next, plan });
        self.now += 1;
        self.follow_piece(&film);
        self.report_state();
        Request::Animate(film)
    }

    /// Undo (negative) or redo.
    fn step_through_history(&mut self, steps: isize) {
        match self.now.checked_add_signed(steps) {
            Some(now) if now < self.timeline.len() => {
                self.now = now;
                self.settle_cursor();
                self.report_state();
            }
            _ => {
                let end = if steps < 0 { "undo" } else { "redo" };
                self.message = Message::Refusal(format!("There is nothing to {end}."));
            }
        }
    }

    /// Goes back to the start; this can be undone, too.
    fn restart(&mut self) {
        if self.plan().is_empty() {
            self.message = Message::Refusal("This is the start already.".to_string());
            return;
        }
        self.timeline.truncate(self.now + 1);
        self.timeline.push(Position {
            state: self.level.game.start(),
            plan: Vec::new(),
        });
        self.now += 1;
        self.settle_cursor();
        self.report_state();
        self.message = Message::Info("Back at the start; u undoes the restart.".to_string());
    }

    /// Shows a message if the state is a goal or has no legal move.
    fn report_state(&mut self) {
        self.waiting = false;
        self.message = Message::None;
        if self.at_goal() {
            let cost = self.cost().expect("known at the goal");
            self.message = Message::Success(self.success_text(cost));
        } else if ployglot_games::legal_moves(&self.level.game, self.state()).is_empty() {
            self.message = Message::Refusal(
                "No move is possible, and the goal is not reached. u takes the last move back."
                    .to_string(),
            );
        }
    }

    fn success_text(&self, cost: u32) -> String {
        let text = format!("Goal! {}", amount(cost, self.measure));
        match self.par {
            Par::Cost(par) if cost <= par => {
                format!("{text}, and par is {par}: this is optimal.")
            }
            Par::Cost(par) => format!(
                "{text}; par is {par}. Try to save {} (u: undo, x: restart).",
                cost - par
            ),
            _ => format!("{text}."),
        }
    }

    /// Shows the solver's answer for a state, unless the player has left that state.
    pub fn show_advice(&mut self, state: &G::State, advice: Advice) {
        if state != self.state() || !self.waiting {
            return;
        }
        self.waiting = false;
        self.message = match advice {
            Advice::Best { mv, cost } => {
                if let Ok(mv) = self.level.game.parse_move(self.state(), &mv) {
                    let grip = self.level.game.gesture(self.state(), mv);
                    self.cursor = (grip.row, grip.col);
                }
                Message::Hint(format!(
                    "Hint: {mv}. The goal is {} from here.",
                    amount(cost, self.measure)
                ))
            }
            Advice::Unproven { mv, cost } => Message::Hint(format!(
                "Hint: {mv}. A plan from here costs {}; it is not proven optimal.",
                amount(cost, self.measure)
            )),
            Advice::AtGoal => Message::Hint("The goal is reached.".to_string()),
            Advice::Lost => {
                Message::Refusal("There is no plan from here. u takes a move back.".to_string())
            }
            Advice::Unknown(why) => Message::Info(format!("No hint: {why}.")),
        };
    }

    /// Sets the par that a solver found.
    pub fn set_par(&mut self, par: Par) {
        self.par = par;
        if self.at_goal() && matches!(self.message, Message::Success(_)) {
            self.report_state();
        }
    }

    /// Every move that can be written in this state, with its grip. Illegal moves are included, so
    /// that the player sees why they are refused.
    fn grips(&self) -> Vec<(Gesture, G::Move)> {
        gestures(&self.level.game, self.state())
    }

    /// The nearest grip in a direction; sideways distance counts three times.
    fn next_grip(&self, side: Side) -> Option<(i32, i32)> {
        let (down, right) = side.step();
        let (down, right) = (down as i32, right as i32);
        let grips = self.grips();
        let cells = grips.iter().map(|(grip, _)| (grip.row, grip.col));
        let ahead = cells.filter_map(|(row, col)| {
            let (rows, cols) = (row - self.cursor.0, col - self.cursor.1);
            let along = rows * down + cols * right;
            let aside = (rows * right).abs() + (cols * down).abs();
            (along > 0).then_some((along + 3 * aside, (row, col)))
        });
        ahead.min().map(|(_, cell)| cell)
    }

    /// Moves the cursor with the piece that moved.
    fn follow_piece(&mut self, film: &[View]) {
        let (Some(first), Some(last)) = (film.first(), film.last()) else {
            return;
        };
        let at = |row: f32, col: f32| (row.round() as i32, col.round() as i32);
        let held = first
            .pieces
            .iter()
            .rev()
            .find(|piece| at(piece.row, piece.col) == self.cursor);
        let now = held.and_then(|held| last.pieces.iter().find(|piece| piece.id == held.id));
        if let Some(piece) = now {
            self.cursor = at(piece.row, piece.col);
        }
        self.settle_cursor();
    }

    /// Moves the cursor to the nearest grip.
    fn settle_cursor(&mut self) {
        let (row, col) = self.cursor;
        let grips = self.grips();
        let nearest = grips
            .iter()
            .map(|(grip, _)| (grip.row, grip.col))
            .min_by_key(|&(r, c)| ((r - row).abs() + (c - col).abs(), r, c));
        if let Some(cell) = nearest {
            self.cursor = cell;
        }
    }
}

/// The longest text of a move.
const LONGEST_TYPED: usize = 60;

/// A refusal as a sentence: with a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
