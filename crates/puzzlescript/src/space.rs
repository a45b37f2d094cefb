//! A level as a state space, for the searches. A move is a key with the turns that follow it by
//! `again`.
//!
//! Only objects that some rule can change are stored. A state also tells how the game stands: it is
//! won by a turn, not by a board, because a command can win it, and a win between two `again` turns
//! counts. A move that restarts the level, and one whose `again` turns never end, lead nowhere: a
//! shortest plan needs neither.

use std::fmt;

use ployglot_base::{Space, Switches};

use crate::analysis::changing_objects;
use crate::fast::{Bits, Fast, Shape};
use crate::game::{Command, Game, Group, Input, Level, Motion, Term};
use crate::random::Random;
use crate::set::Set;

/// Why a level cannot be solved by search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no level of this index among levels and messages.
    NoLevel(usize),
    /// The file has errors, so the game may not work as written.
    Faulty,
    /// A rule on this line chooses at random, so no plan is certain.
    Random(usize),
    /// Turns happen by the clock.
    RealTime,
    /// The rules restart the level at checkpoints and run at its start: what a restart leads to
    /// depends on the way there.
    Checkpoints,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::NoLevel(entry) => write!(f, "there is no level {entry}"),
            Refusal::Faulty => write!(f, "the file has errors"),
            Refusal::Random(line) => write!(
                f,
                "the rule on line {line} chooses at random: no plan can be proven"
            ),
            Refusal::RealTime => write!(
                f,
                "the game runs in real time (realtime_interval): no plan can be proven"
            ),
            Refusal::Checkpoints => write!(
                f,
                "the rules use restart, checkpoint and run_rules_on_level_start together, which is \
                 not supported"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// The name of the rule by which objects that never change are not stored.
pub const STATIC: &str = "static";

/// A level as a state space.
pub struct LevelSpace<'g> {
    pub(crate) game: &'g Game,
    pub(crate) level: &'g Level,
    pub(crate) engine: Fast<'g>,
    pub(crate) shape: Shape,
    inputs: Vec<Input>,
    start: PuzzleState,
    /// The objects that are stored.
    pub(crate) stored: Vec<usize>,
    /// The board without them.
    rest: Bits,
    words: usize,
}

/// How a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    Playing,
    Won,
    /// The game restarts, or its turns never end.
    Stuck,
}

/// A state of a level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PuzzleState {
    pub(crate) bits: Bits,
    pub(crate) status: Status,
}

impl<'g> LevelSpace<'g> {
    /// The space of a level, given by its index among levels and messages.
    pub fn new(game: &'g Game, entry: usize, switches: &Switches) -> Result<Self, Refusal> {
        let level = game.level(entry).ok_or(Refusal::NoLevel(entry))?;
        if game.faulty {
            return Err(Refusal::Faulty);
        }
        if let Some(line) = random_line(game) {
            return Err(Refusal::Random(line));
        }
        if game.settings.real_time {
            return Err(Refusal::RealTime);
        }
        let restarts = commands(game, &Command::Restart) && commands(game, &Command::Checkpoint);
        if restarts && game.settings.run_rules_on_level_start {
            return Err(Refusal::Checkpoints);
        }
        let engine = Fast::new(game);
        let shape = engine.shape(level);
        let bits = engine.bits(&shape, level);
        let stored = match switches.on(STATIC) {
            true => changing_objects(game),
            false => Set::below(game.objects.len()),
        };
        let stored: Vec<usize> = stored.iter().collect();
        let mut rest = bits.clone();
        for cell in 0..shape.cells {
            for &object in &stored {
                engine.remove(&shape, &mut rest, cell, object);
            }
        }
        let inputs = Input::ALL.into_iter();
        let inputs = inputs.filter(|input| *input != Input::Action || !game.settings.no_action);
        let status = Status::Playing;
        let mut space = Self {
            game,
            level,
            inputs: inputs.collect(),
            words: stored.len() * shape.plane_words() + 1,
            stored,
            rest,
            engine,
            shape,
            start: PuzzleState { bits, status },
        };
        if game.settings.run_rules_on_level_start {
            let mut start = space.start.clone();
            space.advance(&mut start, None, true);
            space.start = start;
        }
        Ok(space)
    }

    /// Plays a turn and those that follow it by `again`.
    fn advance(&self, state: &mut PuzzleState, input: Option<Input>, ignore_win: bool) {
        let mut again = self.turn(state, input, ignore_win);
        // Brent's algorithm finds turns that repeat: a board is compared with one of the past,
        // which is replaced after 1, 2, 4, … turns.
        let (mut past, mut turns, mut until) = (None, 0u64, 1);
        while again && state.status == Status::Playing {
            if past.as_ref() == Some(&state.bits) {
                state.status = Status::Stuck;
                return;
            }
            if turns == until {
                past = Some(state.bits.clone());
                until *= 2;
            }
            turns += 1;
            again = self.turn(state, None, false);
        }
    }

    /// Plays one turn. Returns whether another one follows.
    fn turn(&self, state: &mut PuzzleState, input: Option<Input>, ignore_win: bool) -> bool {
        // No rule of this game chooses at random, so the generator is never asked.
        thread_local! {
            static UNUSED: std::cell::RefCell<Random> = std::cell::RefCell::new(Random::new(""));
        }
        let before = state.bits.clone();
        let turn = UNUSED.with_borrow_mut(|random| {
            self.engine
                .play(&self.shape, &mut state.bits, input, random)
        });
        let stuck = turn.stuck && self.game.settings.require_player_movement;
        if stuck || turn.has(&Command::Cancel) {
            state.bits = before;
            return false;
        }
        if turn.has(&Command::Restart) {
            state.status = Status::Stuck;
            return false;
        }
        let changed = state.bits != before;
        let won = turn.has(&Command::Win) || self.engine.wins(&self.shape, &state.bits);
        // A turn by `again` that would change nothing is not played; only a command can win it.
        let happens = changed || input.is_some() || turn.has(&Command::Win);
        if won && happens && !ignore_win {
            state.status = Status::Won;
        }
        changed && turn.has(&Command::Again)
    }
}

/// The line of a rule that chooses at random, if there is one.
fn random_line(game: &Game) -> Option<usize> {
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let at_random = |term: &Term| match term {
        Term::Random(_) => true,
        Term::Object { motion, .. } | Term::Property { motion, .. } => {
            *motion == Motion::RandomDirection
        }
        Term::No(_) => false,
    };
    let line = |group: &Group| {
        let random = group.rules.iter().find(|rule| {
            let mut cells = rule.rows.iter().flatten();
            group.random
                || cells.any(|cell| match cell {
                    crate::game::Cell::Ellipsis => false,
                    crate::game::Cell::Pattern { after, .. } => after.iter().any(at_random),
                })
        });
        random.map(|rule| rule.line)
    };
    groups.into_iter().find_map(line)
}

/// Whether a rule gives this command.
pub(crate) fn commands(game: &Game, command: &Command) -> bool {
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let mut rules = groups.flat_map(|group| &group.rules);
    rules.any(|rule| rule.commands.contains(command))
}

impl Space for LevelSpace<'_> {
    type State = PuzzleState;
    type Move = Input;

    fn start(&self) -> PuzzleState {
        self.start.clone()
    }

    fn is_goal(&self, state: &PuzzleState) -> bool {
        state.status == Status::Won
    }

    fn moves(&self, state: &PuzzleState, moves: &mut Vec<Input>) {
        if state.status == Status::Playing {
            moves.extend(&self.inputs);
        }
    }

    fn apply(&self, state: &PuzzleState, mv: Input) -> PuzzleState {
        let mut next = state.clone();
        self.advance(&mut next, Some(mv), false);
        next
    }

    fn words(&self) -> usize {
        self.words
    }

    fn pack(&self, state: &PuzzleState, words: &mut [u64]) {
        let size = self.shape.plane_words();
        for (&object, plane) in self.stored.iter().zip(words.chunks_exact_mut(size)) {
            plane.copy_from_slice(self.engine.plane(&self.shape, &state.bits, object));
        }
        words[self.words - 1] = state.status as u64;
    }

    fn unpack(&self, words: &[u64]) -> PuzzleState {
        let mut bits = self.rest.clone();
        let size = self.shape.plane_words();
        for (&object, plane) in self.stored.iter().zip(words.chunks_exact(size)) {
            self.engine.add_plane(&self.shape, &mut bits, object, plane);
        }
        let status = match words[self.words - 1] {
            0 => Status::Playing,
            1 => Status::Won,
            _ => Status::Stuck,
        };
        PuzzleState { bits, status }
    }
}
