//! A level as a state space, for the searches. A move is a key with the turns that follow it by
//! `again`.
//!
//! Only objects that some rule can change are stored. A state also tells how the game stands: it is
//! won by a turn, not by a board, because a command can win it, and a win between two `again` turns
//! counts. A move that restarts the level, and one whose `again` turns never end, lead to a state
//! without moves: a shortest plan needs neither.
//!
//! A game with random choices has a space too, so that it can be played: the random numbers of a
//! move depend on the number of moves before it. Nothing can be proven about such a game, see
//! [`LevelSpace::refusal`].

use std::fmt;
use std::sync::Arc;

use ployglot_base::{Space, Switches};

use crate::analysis::{changing_objects, commands, random_line, unseen_objects};
use crate::fast::{Bits, Fast, Shape};
use crate::game::{Command, Game, Input, Level};
use crate::packing::Packing;
use crate::play::{Play, Status};
use crate::random::Random;
use crate::set::Set;
use crate::slow::Slow;
use crate::symmetry::symmetries;

/// Why nothing can be proven about a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
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

/// The name of the rule by which layers that nothing looks at are not stored.
pub const UNSEEN: &str = "unseen";

/// The name of the rule by which a state and its mirror image are one.
pub const SYMMETRIC: &str = "symmetric";

/// How a level starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Rules do not run at the start of the level, whatever the game says.
    pub settled: bool,
    /// How the level stands.
    pub status: Status,
    /// The number of moves before; it counts only in games with random choices.
    pub moves: u32,
    /// A rule that sets a checkpoint wins the level.
    pub checkpoint_wins: bool,
}

impl Default for Opening {
    fn default() -> Self {
        Self {
            settled: false,
            status: Status::Playing,
            moves: 0,
            checkpoint_wins: false,
        }
    }
}

/// A level as a state space.
pub struct LevelSpace {
    pub(crate) game: Arc<Game>,
    entry: usize,
    pub(crate) level: Level,
    pub(crate) engine: Fast,
    pub(crate) shape: Shape,
    inputs: Vec<Input>,
    start: PuzzleState,
    packing: Packing,
    /// The board without the objects that are stored.
    rest: Bits,
    is_random: bool,
    pub(crate) checkpoint_wins: bool,
}

/// A state of a level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PuzzleState {
    pub(crate) bits: Bits,
    pub(crate) status: Status,
    /// The number of moves before, in a game with random choices; otherwise 0.
    pub(crate) moves: u32,
}

impl PuzzleState {
    /// How the level stands.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The number of moves before, in a game with random choices; otherwise 0.
    pub fn moves(&self) -> u32 {
        self.moves
    }
}

impl LevelSpace {
    /// The space of a level, given by its index among levels and messages; `None` if there is no
    /// level of this index. The game has no errors.
    pub fn new(
        game: Arc<Game>,
        entry: usize,
        opening: Opening,
        switches: &Switches,
    ) -> Option<Self> {
        let level = game.level(entry)?.clone();
        let engine = Fast::new(&game);
        let shape = engine.shape(&level);
        let bits = engine.bits(&shape, &level);
        let mut stored = match switches.on(STATIC) {
            true => changing_objects(&game),
            false => Set::below(game.objects.len()),
        };
        let mut seen = Set::below(game.objects.len());
        if switches.on(UNSEEN) {
            seen.remove(&unseen_objects(&game));
            stored.remove(&unseen_objects(&game));
        }
        let mut rest = bits.clone();
        let nowhere = vec![0; shape.plane_words()];
        for object in stored.iter() {
            engine.set_plane(&shape, &mut rest, object, &nowhere);
        }
        let inputs = Input::ALL.into_iter();
        let inputs = inputs.filter(|input| *input != Input::Action || !game.settings.no_action);
        let is_random = random_line(&game).is_some();
        let mut packing = Packing::new(&game, &level, &stored, is_random);
        if switches.on(SYMMETRIC) && !is_random && !game.faulty {
            let found = symmetries(&game, &engine, &shape, &bits, &seen, &stored);
            packing.merge(found);
        }
        let mut space = Self {
            entry,
            inputs: inputs.collect(),
            packing,
            rest,
            engine,
            shape,
            start: PuzzleState {
                bits,
                status: opening.status,
                moves: if is_random { opening.moves } else { 0 },
            },
            is_random,
            checkpoint_wins: opening.checkpoint_wins,
            level,
            game,
        };
        if space.game.settings.run_rules_on_level_start && !opening.settled {
            // A session runs the rules at the start of the level.
            let play = Play::new(&space.game, &space.engine, entry, Some(&seed(0)))?;
            let (cells, won) = (play.cells(), play.wins() > 0);
            space.start.bits = space.bits_of(&cells);
            if won {
                space.start.status = Status::Won;
            }
        }
        Some(space)
    }

    /// Why nothing can be proven about the level; `None` if plans can be proven.
    pub fn refusal(&self) -> Option<Refusal> {
        let game = &self.game;
        if let Some(line) = random_line(game) {
            return Some(Refusal::Random(line));
        }
        if game.settings.real_time {
            return Some(Refusal::RealTime);
        }
        let restarts = commands(game, &Command::Restart) && commands(game, &Command::Checkpoint);
        let depends = restarts && game.settings.run_rules_on_level_start;
        depends.then_some(Refusal::Checkpoints)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The game, to make another space of it.
    pub fn shared_game(&self) -> Arc<Game> {
        self.game.clone()
    }

    /// The level as it was given, before rules ran at its start.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// The state at the start.
    pub(crate) fn start_state(&self) -> &PuzzleState {
        &self.start
    }

    /// Whether the win conditions hold at the start: then any turn may win.
    pub(crate) fn wins_at_start(&self) -> bool {
        self.engine.wins(&self.shape, &self.start.bits)
    }

    /// The keys that the game has.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The objects of each cell, column by column.
    pub fn cells(&self, state: &PuzzleState) -> Vec<Set> {
        self.engine.objects(&self.shape, &state.bits)
    }

    /// The state with these objects in each cell, column by column, of a game without random
    /// choices; `None` if there are not as many cells as the level has, or an object is not one of the
    /// game, or two of one layer share a cell.
    pub fn state_of(&self, cells: &[Set], status: Status) -> Option<PuzzleState> {
        let fits = |cell: &Set| {
            let known = cell.iter().all(|object| object < self.game.objects.len());
            let alone = |layer: &Set| layer.iter().filter(|&it| cell.contains(it)).count() <= 1;
            known && self.game.layers.iter().all(alone)
        };
        let size = self.level.cells.len();
        (cells.len() == size && cells.iter().all(fits)).then(|| PuzzleState {
            bits: self.bits_of(cells),
            status,
            moves: 0,
        })
    }

    /// Presses a key by the slow engine: the state after it.
    pub fn play_slowly(&self, state: &PuzzleState, input: Input) -> PuzzleState {
        let (status, boards) = self.session(Slow::new(&self.game), state, input);
        self.after(state, status, boards.last())
    }

    /// The boards after the turn of a key and after each turn that follows it by `again`, by the
    /// slow engine.
    pub fn turns(&self, state: &PuzzleState, input: Input) -> Vec<Vec<Set>> {
        let (status, mut boards) = self.session(Slow::new(&self.game), state, input);
        if status == Status::Stuck {
            // The state after it keeps the board before the key.
            boards.push(self.cells(state));
        }
        boards
    }

    /// Presses a key in a session: how the level stands, and the boards after each turn.
    fn session<E: crate::Engine>(
        &self,
        engine: E,
        state: &PuzzleState,
        input: Input,
    ) -> (Status, Vec<Vec<Set>>) {
        let board = Level {
            cells: self.cells(state),
            ..self.level.clone()
        };
        let seed = seed(state.moves.saturating_add(1));
        let play = Play::resume(&self.game, engine, self.entry, board, Some(&seed));
        let mut boards = Vec::new();
        let status = match (state.status, play) {
            (Status::Playing, Some(mut play)) => {
                play.press_until_end(input, self.checkpoint_wins, |cells| boards.push(cells))
            }
            (status, _) => status,
        };
        (status, boards)
    }

    /// The state after a move that ends with this board. Where the level is stuck, the board is the
    /// one before the move.
    fn after(&self, state: &PuzzleState, status: Status, board: Option<&Vec<Set>>) -> PuzzleState {
        let bits = match board {
            Some(cells) if status != Status::Stuck => self.bits_of(cells),
            _ => state.bits.clone(),
        };
        let moves = match self.is_random {
            true => state.moves.saturating_add(1),
            false => 0,
        };
        PuzzleState {
            bits,
            status,
            moves,
        }
    }

    fn bits_of(&self, cells: &[Set]) -> Bits {
        let level = Level {
            cells: cells.to_vec(),
            ..self.level.clone()
        };
        self.engine.bits(&self.shape, &level)
    }

    /// Plays the turns that follow by `again`.
    fn settle(&self, state: &mut PuzzleState) {
        // Brent's algorithm finds turns that repeat: a board is compared with one of the past,
        // which is replaced after 1, 2, 4, … turns.
        let (mut past, mut turns, mut until) = (None, 0u64, 1);
        let mut before = state.bits.clone();
        let mut again = true;
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
            before.clone_from(&state.bits);
            again = self.turn(state, &before, None);
        }
    }

    /// Plays one turn on a board that is like `before`. Returns whether another one follows.
    fn turn(&self, state: &mut PuzzleState, before: &Bits, input: Option<Input>) -> bool {
        // No rule of this game chooses at random, so the generator is never asked.
        thread_local! {
            static UNUSED: std::cell::RefCell<Random> = std::cell::RefCell::new(Random::new(""));
        }
        let turn = UNUSED.with_borrow_mut(|random| {
            self.engine
                .play(&self.shape, &mut state.bits, input, random)
        });
        let stuck = turn.stuck && self.game.settings.require_player_movement;
        if stuck || turn.has(&Command::Cancel) {
            state.bits.clone_from(before);
            return false;
        }
        if turn.has(&Command::Restart) {
            state.status = Status::Stuck;
            return false;
        }
        let wins = turn.has(&Command::Win);
        let again = turn.has(&Command::Again);
        let changed = (again || input.is_none()) && state.bits != *before;
        // A turn by `again` that would change nothing is not played; only a command can win it.
        let happens = changed || input.is_some() || wins;
        let checkpoint = self.checkpoint_wins && turn.has(&Command::Checkpoint);
        let won = wins || checkpoint || self.engine.wins(&self.shape, &state.bits);
        if happens && won {
            state.status = Status::Won;
        }
        changed && again
    }
}

/// The seed of the random numbers of a move, from 1; 0 for the start of the level.
fn seed(number: u32) -> String {
    format!("ployglot {number}")
}

impl Space for LevelSpace {
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
        if self.is_random {
            let (status, boards) = self.session(&self.engine, state, mv);
            return self.after(state, status, boards.last());
        }
        let mut next = state.clone();
        if self.turn(&mut next, &state.bits, Some(mv)) {
            self.settle(&mut next);
        }
        if next.status == Status::Stuck {
            next.bits = state.bits.clone();
        }
        next
    }

    fn words(&self) -> usize {
        self.packing.words()
    }

    fn pack(&self, state: &PuzzleState, words: &mut [u64]) {
        let planes = |object| self.engine.plane(&self.shape, &state.bits, object);
        self.packing.pack(planes, state.status, state.moves, words);
    }

    fn unpack(&self, words: &[u64]) -> PuzzleState {
        let mut bits = self.rest.clone();
        let (status, moves) = self.packing.unpack(words, |object, plane| {
            self.engine.set_plane(&self.shape, &mut bits, object, plane);
        });
        PuzzleState {
            bits,
            status,
            moves,
        }
    }
}
