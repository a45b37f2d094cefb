//! A session: a player with a game. It plays turns with what their commands ask for, turns that
//! follow by `again`, undo, restart, and the next level after a win.
//!
//! It does what the reference does when it replays a recording: messages do not wait for a key. A
//! message between two levels leaves the board of the last level, on which nothing can be won.

use std::collections::HashSet;

use crate::analysis::random_line;
use crate::engine::{Engine, Turn};
use crate::game::{Command, Entry, Game, Input, Level};
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
    restarts: usize,
    checkpoints: usize,
    /// The turn that follows by `again`, as it was tried, with the board after it. It is known where
    /// no random number was drawn.
    tried: Option<(E::Board, Turn)>,
    /// A board whose memory can be used again.
    spare: Option<E::Board>,
}

/// How a level stands after a key and the turns that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is not decided yet.
    Playing,
    /// It is won.
    Won,
    /// The rules started it again, or the turns never end.
    Stuck,
}

/// Turns by `again` after which a game with random choices counts as stuck. Other games repeat a
/// board where they never end.
const MOST_AGAINS: usize = 1000;
/// Turns by `again` before the boards are compared.
const SOON: usize = 100;

/// The seed of a session that was given none.
const DEFAULT_SEED: &str = "ployglot";

impl<'g, E: Engine> Play<'g, E> {
    /// Starts a level, given by its index among levels and messages; `None` if there is no level
    /// of this index.
    pub fn new(game: &'g Game, engine: E, entry: usize, seed: Option<&str>) -> Option<Self> {
        let level = game.level(entry)?.clone();
        Self::begin(game, engine, entry, level, seed, false)
    }

    /// Continues a level on a board of the same size: the rules do not run at its start.
    pub(crate) fn resume(
        game: &'g Game,
        engine: E,
        entry: usize,
        board: Level,
        seed: Option<&str>,
    ) -> Option<Self> {
        Self::begin(game, engine, entry, board, seed, true)
    }

    fn begin(
        game: &'g Game,
        engine: E,
        entry: usize,
        level: Level,
        seed: Option<&str>,
        resumes: bool,
    ) -> Option<Self> {
        let board = engine.board(&level);
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
            restarts: 0,
            checkpoints: 0,
            tried: None,
            spare: None,
        };
        if !resumes {
            play.start_level();
            play.settle();
        }
        Some(play)
    }

    /// Presses a key; `None`: time passes. Turns that follow by `again` are played too.
    pub fn press(&mut self, input: Option<Input>) {
        self.process(input, false, false);
        self.settle();
    }

    /// Presses a key, and plays the turns that follow by `again` until the level is won or starts
    /// again. `show` is called with the board after each turn.
    pub(crate) fn press_until_end(
        &mut self,
        input: Input,
        checkpoint_wins: bool,
        mut show: impl FnMut(Vec<Set>),
    ) -> Status {
        let (wins, restarts, checkpoints) = (self.wins, self.restarts, self.checkpoints);
        self.process(Some(input), false, false);
        let mut seen = HashSet::new();
        for turns in 0.. {
            show(self.cells());
            if self.restarts > restarts {
                return Status::Stuck;
            }
            if self.wins > wins || checkpoint_wins && self.checkpoints > checkpoints {
                return Status::Won;
            }
            if !self.again {
                return Status::Playing;
            }
            if self.is_endless(turns, &mut seen) {
                break;
            }
            self.again = false;
            self.process(None, false, false);
        }
        Status::Stuck
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
        let mut seen = HashSet::new();
        for turns in 0.. {
            if !self.again || self.is_endless(turns, &mut seen) {
                break;
            }
            self.again = false;
            self.process(None, false, false);
        }
        self.again = false;
        self.tried = None;
    }

    /// Whether the turns by `again` never end, as far as is known after so many of them.
    fn is_endless(&self, turns: usize, seen: &mut HashSet<Vec<Set>>) -> bool {
        // Most end soon, so the first boards are not remembered.
        turns > SOON
            && match random_line(self.game).is_some() {
                true => turns >= MOST_AGAINS,
                false => !seen.insert(self.cells()),
            }
    }

    /// A copy of the current board.
    fn copy(&mut self) -> E::Board {
        match self.spare.take() {
            Some(mut board) => {
                board.clone_from(&self.board);
                board
            }
            None => self.board.clone(),
        }
    }

    /// Makes a board the current one.
    fn restore(&mut self, board: E::Board) {
        self.spare = Some(std::mem::replace(&mut self.board, board));
        self.engine.stop(&mut self.board);
        self.again = false;
    }

    fn go_back(&mut self) {
        self.tried = None;
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
        self.tried = None;
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
        let before = self.copy();
        let mut turn = match self.tried.take().filter(|_| input.is_none() && !probe) {
            Some((board, turn)) => {
                self.board = board;
                turn
            }
            None => {
                let drawn = self.random.drawn();
                let turn = self.engine.turn(&mut self.board, input, &mut self.random);
                if probe && drawn == self.random.drawn() {
                    self.tried = Some((self.board.clone(), turn.clone()));
                }
                turn
            }
        };
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
                self.restarts += 1;
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
        match changed && input.is_some() {
            true => self.history.push(before),
            false => self.spare = Some(before),
        }
        if !self.shows_text && !ignore_win && self.has_won(&turn) {
            self.next_level(&mut turn);
        }
        if turn.has(&Command::Checkpoint) {
            self.checkpoints += usize::from(!probe);
            self.checkpoint = self.board.clone();
        }
        if turn.has(&Command::Again) && changed {
            self.again = self.process(None, true, true);
            if !self.again {
                self.tried = None;
            }
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
        self.tried = None;
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
