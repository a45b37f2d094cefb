//! A game that is being played: keys in, state out. It draws nothing, waits for nothing and starts nothing, so a test can play
//! it; what it wants from the outside (a film shown, a hint looked for) it says as a `Wish`.
//!
//! It knows no game. Moves are found by their grips: where all moves are taken hold of at one cell (an avatar), an arrow
//! plays at once; otherwise arrows carry a cursor from grip to grip, and Enter takes hold. Undo goes back along everything
//! that happened, restarts included.

use ployglot_games::{Game, Gesture, Level, Par, Side, View};

use super::hint::Advice;
use ployglot_io::row::amount;

#[derive(Clone)]
pub struct Session<G: Game> {
    pub level: Level<G>,
    pub measure: &'static str,
    /// Everything that happened, and where in it we are.
    timeline: Vec<Position<G>>,
    now: usize,
    pub cursor: (i32, i32),
    pub mode: Mode,
    pub says: Says,
    pub par: Known,
    /// Whether a hint is being looked for.
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
    /// Arrows carry the cursor, or play at once where there is only one grip.
    Free,
    /// Took hold of what is under the cursor; an arrow says which way.
    Held,
    /// A move is being typed.
    Typing(String),
}

/// A sentence for the player, and its mood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    Nothing,
    Word(String),
    Refusal(String),
    Hint(String),
    Cheer(String),
}

/// What is known of the best plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Looking,
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

/// What the player's key asks of the outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    Nothing,
    /// A move was made: these views lead from the old board to the new one.
    Film(Vec<View>),
    Hint,
    Quit,
}

impl<G: Game> Session<G> {
    pub fn new(level: &Level<G>, measure: &'static str) -> Self {
        let state = level.game.start();
        let par = match level.par(measure) {
            Some(Par::Cost(cost)) => Known::Cost(cost),
            Some(Par::Unsolvable) => Known::Unsolvable,
            None => Known::Looking,
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
            says: Says::Nothing,
            par,
            waiting: false,
        };
        session.settle_cursor();
        session.look_around();
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

    /// What the plan costs so far; `None` where that is not known before the goal.
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

    /// Whether arrows play at once, so that there is no cursor.
    pub fn plays_at_once(&self) -> bool {
        let grips = self.grips();
        let Some(((first, _), rest)) = grips.split_first() else {
            return false;
        };
        let cell = (first.row, first.col);
        first.toward.is_some()
            && rest
                .iter()
                .all(|(grip, _)| (grip.row, grip.col) == cell && grip.toward.is_some())
    }

    pub fn press(&mut self, key: Key) -> Wish {
        if let Mode::Typing(text) = &self.mode {
            let text = text.clone();
            return self.press_typing(text, key);
        }
        match key {
            Key::Arrow(side) => self.press_arrow(side),
            Key::Enter | Key::Char(' ') => self.take_hold(),
            Key::Escape | Key::Backspace => {
                self.mode = Mode::Free;
                self.says = Says::Nothing;
                Wish::Nothing
            }
            Key::Char(c) => self.press_letter(c),
        }
    }

    fn press_letter(&mut self, letter: char) -> Wish {
        self.mode = Mode::Free;
        match letter.to_ascii_lowercase() {
            'u' => self.travel(-1),
            'r' => self.travel(1),
            'x' => self.restart(),
            'h' | '?' => {
                self.waiting = true;
                self.says = Says::Word("Looking for a plan from here \u{2026}".to_string());
                return Wish::Hint;
            }
            ':' => {
                self.mode = Mode::Typing(String::new());
                self.says = Says::Nothing;
            }
            'q' => return Wish::Quit,
            _ => {
                self.says = Says::Refusal("That key does nothing here.".to_string());
            }
        }
        Wish::Nothing
    }

    fn press_typing(&mut self, mut text: String, key: Key) -> Wish {
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
                        self.says = Says::Refusal(sentence(&bad.message));
                        Wish::Nothing
                    }
                };
            }
        }
        Wish::Nothing
    }

    fn press_arrow(&mut self, side: Side) -> Wish {
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
                    self.says = Says::Refusal(format!("There is no move {} here.", side.name()));
                    Wish::Nothing
                }
            };
        }
        self.says = Says::Nothing;
        if let Some(cell) = self.next_grip(side) {
            self.cursor = cell;
        }
        Wish::Nothing
    }

    /// Takes hold of what is under the cursor, and plays where only one move is possible.
    fn take_hold(&mut self) -> Wish {
        if self.plays_at_once() {
            self.says = Says::Word("The arrow keys play.".to_string());
            return Wish::Nothing;
        }
        let cursor = self.cursor;
        let mut here = self.grips();
        here.retain(|(grip, _)| (grip.row, grip.col) == cursor);
        match here[..] {
            [] => {
                self.says = Says::Refusal("There is nothing to move here.".to_string());
                Wish::Nothing
            }
            [(_, mv)] => self.play(mv),
            _ => {
                let sides: Vec<&str> = here
                    .iter()
                    .filter_map(|(grip, _)| grip.toward.map(Side::name))
                    .collect();
                self.mode = Mode::Held;
                self.says = Says::Word(format!("Which way: {}?", sides.join(", ")));
                Wish::Nothing
            }
        }
    }

    /// Makes a move, or says why not.
    fn play(&mut self, mv: G::Move) -> Wish {
        let game = &self.level.game;
        let next = match game.play(self.state(), mv) {
            Ok(next) => next,
            Err(refusal) => {
                self.says = Says::Refusal(sentence(&refusal.0));
                return Wish::Nothing;
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
        self.follow(&film);
        self.look_around();
        Wish::Film(film)
    }

    /// Back or forth in what happened.
    fn travel(&mut self, steps: isize) {
        match self.now.checked_add_signed(steps) {
            Some(now) if now < self.timeline.len() => {
                self.now = now;
                self.settle_cursor();
                self.look_around();
            }
            _ => {
                let end = if steps < 0 { "undo" } else { "redo" };
                self.says = Says::Refusal(format!("There is nothing to {end}."));
            }
        }
    }

    /// Back to the start, as one more thing that happened.
    fn restart(&mut self) {
        if self.plan().is_empty() {
            self.says = Says::Refusal("This is the start.".to_string());
            return;
        }
        self.timeline.truncate(self.now + 1);
        self.timeline.push(Position {
            state: self.level.game.start(),
            plan: Vec::new(),
        });
        self.now += 1;
        self.settle_cursor();
        self.look_around();
        self.says = Says::Word("Back at the start; u undoes that.".to_string());
    }

    /// Says what the new state means: the goal, or a dead end that can be seen.
    fn look_around(&mut self) {
        self.waiting = false;
        self.says = Says::Nothing;
        if self.at_goal() {
            let cost = self.cost().expect("known at the goal");
            self.says = Says::Cheer(self.cheer(cost));
        } else if ployglot_games::legal_moves(&self.level.game, self.state()).is_empty() {
            self.says = Says::Refusal(
                "No move is left, and the goal is missed. u takes the last one back.".to_string(),
            );
        }
    }

    fn cheer(&self, cost: u32) -> String {
        let cheer = format!("Goal! {}", amount(cost, self.measure));
        match self.par {
            Known::Cost(par) if cost <= par => {
                format!("{cheer}, and par is {par}: nobody can do better.")
            }
            Known::Cost(par) => format!(
                "{cheer}; par is {par}. u or x, and try to save {}.",
                cost - par
            ),
            _ => format!("{cheer}."),
        }
    }

    /// What the solver found, for the state that it was asked about.
    pub fn advise(&mut self, about: &G::State, advice: Advice) {
        if about != self.state() || !self.waiting {
            return;
        }
        self.waiting = false;
        self.says = match advice {
            Advice::Next { mv, cost } => {
                if let Ok(mv) = self.level.game.parse_move(self.state(), &mv) {
                    let grip = self.level.game.gesture(self.state(), mv);
                    self.cursor = (grip.row, grip.col);
                }
                Says::Hint(format!(
                    "Hint: {mv}. The goal is {} from here.",
                    amount(cost, self.measure)
                ))
            }
            Advice::Perhaps { mv, cost } => Says::Hint(format!(
                "Hint: {mv}. It leads to the goal in {}, perhaps not the shortest way.",
                amount(cost, self.measure)
            )),
            Advice::Arrived => Says::Hint("The goal is reached here.".to_string()),
            Advice::Lost => {
                Says::Refusal("Lost from here: no plan is left. u takes a move back.".to_string())
            }
            Advice::NotKnown { seconds } => Says::Word(format!("Not known within {seconds} s.")),
        };
    }

    /// The best cost from the start, where the level's text did not say it.
    pub fn learn_par(&mut self, par: Known) {
        self.par = par;
        if self.at_goal() && matches!(self.says, Says::Cheer(_)) {
            self.look_around();
        }
    }

    /// Every move that can be written here, legal or not, with its grip: a refused move tells why.
    fn grips(&self) -> Vec<(Gesture, G::Move)> {
        let game = &self.level.game;
        let moves = game.writable_moves(self.state());
        moves
            .into_iter()
            .map(|mv| (game.gesture(self.state(), mv), mv))
            .collect()
    }

    /// The nearest grip on that side; those straight ahead are nearer than those aside.
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

    /// The cursor goes with the piece that moved.
    fn follow(&mut self, film: &[View]) {
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

    /// Where there is nothing to take hold of, the cursor goes to the nearest grip.
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

/// No move is longer.
const LONGEST_TYPED: usize = 60;

/// A refusal, which is a sentence without its full stop, as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
