//! A session: a player with a game. It plays turns with what their commands ask for, turns that
//! follow by `again`, undo, restart, and the next level after a win.
//!
//! It does what the reference does when it replays a recording: messages do not wait for a key. A
//! message between two levels leaves the board of the last level, on which nothing can be won.

use crate::engine::{Engine, Turn};
use crate::game::{Command, Entry, Game, Input};
use crate::random::Random;
use crate::set::Set;

/// A session with a game.
pub struct Play<'g, E: Engine> {
    game: &'g Game,
    engine: E,
    /// The index of the level or message.
    entry: usize,
    /// The index of the level whose board is there.
    level: usize,
    board: E::Board,
    /// Boards to which undo returns, the last one first.
    history: Vec<E::Board>,
    /// The board to which a restart returns.
    checkpoint: E::Board,
    random: Random,
    seed: String,
    /// A turn without input follows.
    again: bool,
    /// A message or the title is shown, so nothing can be won.
    shows_text: bool,
    /// All levels are won.
    finished: bool,
    restarting: bool,
    wins: usize,
}

/// The seed of a session that was given none.
const DEFAULT_SEED: &str = "ployglot";

impl<'g, E: Engine> Play<'g, E> {
    /// Starts a level, given by its index among levels and messages; `None` if there is no level
    /// of this index.
    pub fn new(game: &'g Game, engine: E, entry: usize, seed: Option<&str>) -> Option<Self> {
        let board = engine.board(game.level(entry)?);
        let seed = seed.filter(|seed| !seed.is_empty()).unwrap_or(DEFAULT_SEED);
        let mut play = Self {
            game,
            entry,
            level: entry,
            checkpoint: board.clone(),
            board,
            engine,
            history: Vec::new(),
            random: Random::new(seed),
            seed: seed.to_string(),
            again: false,
            shows_text: false,
            finished: false,
            restarting: false,
            wins: 0,
        };
        play.start_level();
        play.settle();
        Some(play)
    }

    /// Presses a key; `None`: time passes. Turns that follow by `again` are played too.
    pub fn press(&mut self, input: Option<Input>) {
        self.process(input, false, false);
        self.settle();
    }

    /// Takes back the last turn that changed something.
    pub fn undo(&mut self) {
        if !self.game.settings.no_undo {
            self.go_back();
        }
        self.settle();
    }

    /// Starts the level again.
    pub fn restart(&mut self) {
        if !self.game.settings.no_restart {
            self.do_restart(false);
        }
        self.settle();
    }

    /// The objects of each cell, column by column.
    pub fn cells(&self) -> Vec<Set> {
        self.engine.cells(&self.board)
    }

    /// The index of the level, or of the message after it, that is played.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// The number of columns of the board.
    pub fn width(&self) -> usize {
        self.game.level(self.level).map_or(0, |level| level.width)
    }

    /// The number of rows of the board.
    pub fn height(&self) -> usize {
        self.game.level(self.level).map_or(0, |level| level.height)
    }

    /// How many levels were won.
    pub fn wins(&self) -> usize {
        self.wins
    }

    /// Plays the turns that follow by `again`.
    fn settle(&mut self) {
        while self.again {
            self.again = false;
            self.process(None, false, false);
        }
    }

    /// Makes a board the current one.
    fn restore(&mut self, board: E::Board) {
        self.board = board;
        self.engine.stop(&mut self.board);
        self.again = false;
    }

    fn go_back(&mut self) {
        while let Some(last) = self.history.last()
            && self.engine.same_objects(last, &self.board)
        {
            self.history.pop();
        }
        if let Some(board) = self.history.pop() {
            self.restore(board);
        }
    }

    /// Returns to the checkpoint. `commanded`: by a rule, not by the player.
    fn do_restart(&mut self, commanded: bool) {
        if self.restarting {
            return;
        }
        if self.again {
            self.go_back();
        }
        self.restarting = true;
        if !commanded {
            self.history.push(self.board.clone());
        }
        self.restore(self.checkpoint.clone());
        if self.game.settings.run_rules_on_level_start {
            self.process(None, true, false);
        }
        self.restarting = false;
    }

    /// Plays one turn. `ignore_win`: nothing is won. `probe`: find out whether the turn would change
    /// anything. Returns whether it changed something, or would.
    fn process(&mut self, input: Option<Input>, ignore_win: bool, probe: bool) -> bool {
        self.again = false;
        let before = self.board.clone();
        let mut turn = self.engine.turn(&mut self.board, input, &mut self.random);
        if turn.stuck && self.game.settings.require_player_movement {
            self.restore(before);
            self.shows_text = false;
            return false;
        }
        if turn.has(&Command::Cancel) {
            self.restore(before);
            return turn.commands.len() > 1;
        }
        if turn.has(&Command::Restart) {
            self.history.push(before.clone());
            if !probe && !self.restarting {
                self.do_restart(true);
                turn.commands.clear();
            }
        }
        let changed = !self.engine.same_objects(&before, &self.board);
        if probe && changed {
            self.restore(before);
            return true;
        }
        if probe && (turn.has(&Command::Win) || turn.has(&Command::Restart)) {
            return true;
        }
        if changed && input.is_some() {
            self.history.push(before);
        }
        if !self.shows_text && !ignore_win && self.has_won(&turn) {
            self.next_level(&mut turn);
        }
        if turn.has(&Command::Checkpoint) {
            self.checkpoint = self.board.clone();
        }
        if turn.has(&Command::Again) && changed {
            self.again = self.process(None, true, true);
        }
        changed
    }

    fn has_won(&self, turn: &Turn) -> bool {
        turn.has(&Command::Win) || self.engine.has_won(&self.board)
    }

    /// Goes to the next level or message, or to the title after the last one.
    fn next_level(&mut self, turn: &mut Turn) {
        self.wins += 1;
        self.again = false;
        if self.finished {
            self.entry = 0;
        } else if self.entry + 1 < self.game.entries.len() {
            self.entry += 1;
        } else {
            self.entry = 0;
            self.finished = true;
            self.shows_text = true;
            return;
        }
        self.finished = false;
        self.random = Random::new(&format!("{}/{}", self.seed, self.entry));
        match &self.game.entries[self.entry] {
            Entry::Message(_) => self.shows_text = true,
            Entry::Level(level) => {
                self.level = self.entry;
                self.board = self.engine.board(level);
                self.checkpoint = self.board.clone();
                turn.commands.clear();
                self.start_level();
            }
        }
    }

    /// What happens when the board of a level is there.
    fn start_level(&mut self) {
        self.shows_text = false;
        self.history.clear();
        if self.game.settings.run_rules_on_level_start {
            self.process(None, true, false);
        }
    }
}
