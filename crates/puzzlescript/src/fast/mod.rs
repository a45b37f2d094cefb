//! The fast engine: rules as masks of bits, boards as planes of bits.
//!
//! A rule is tried only if everything that it needs is somewhere on the board. Its matches are
//! found by shifting and intersecting planes, all cells at once (`matching.rs`). Where they have no
//! effect on each other (`independence.rs`), they are changed at once too; otherwise one after the
//! other (`apply.rs`). A rule that had no effect is not tried again before something has changed.
//! Objects that move in one direction move together (`movement.rs`).
//!
//! The code is compiled for planes of one, two and three words, and for any number: the boards of
//! most levels have at most 192 cells.
//!
//! The slow engine says what must come out of this; `tests/engines.rs` compares them.

mod apply;
mod board;
mod independence;
mod matching;
mod movement;
mod program;
mod turn;

use std::sync::Arc;

use crate::engine::{Engine, Turn};
use crate::game::{Direction, Game, Input, Level, Quantifier};
use crate::random::Random;
use crate::set::Set;
use board::Layout;
pub(crate) use board::{Bits, Shape, for_each_bit};
use program::{FastPhase, Translation, Wanted};

/// The fast engine.
pub struct Fast {
    layout: Layout,
    player: Wanted,
    rules: FastPhase,
    late: FastPhase,
    wins: Vec<FastWin>,
    /// How many rules there are, and cells in the longest row of one.
    rule_count: usize,
    longest: usize,
    has_rigid: bool,
}

struct FastWin {
    quantifier: Quantifier,
    what: Wanted,
    /// `None`: everywhere.
    on: Option<Wanted>,
}

/// A board of the fast engine.
pub struct FastBoard {
    shape: Arc<Shape>,
    bits: Bits,
}

impl Clone for FastBoard {
    fn clone(&self) -> Self {
        Self {
            shape: self.shape.clone(),
            bits: self.bits.clone(),
        }
    }

    /// Keeps the memory of the old board.
    fn clone_from(&mut self, other: &Self) {
        self.shape.clone_from(&other.shape);
        self.bits.clone_from(&other.bits);
    }
}

impl Fast {
    /// The engine of a game.
    pub fn new(game: &Game) -> Self {
        let layout = Layout::new(game);
        let mut translation = Translation {
            game,
            layout: &layout,
            rules: 0,
            // Movements look at the next cell.
            longest: 2,
        };
        let rules = translation.phase(&game.rules);
        let late = translation.phase(&game.late);
        let (rule_count, longest) = (translation.rules, translation.longest);
        let everything = Set::below(game.objects.len());
        let wins = game.wins.iter().map(|condition| FastWin {
            quantifier: condition.quantifier,
            what: Wanted::new(&condition.what),
            // A cell that has one of the things has an object.
            on: (condition.on.all
                || condition.on.objects != everything
                || condition.what.objects.is_empty())
            .then(|| Wanted::new(&condition.on)),
        });
        Self {
            player: Wanted::new(&game.player),
            wins: wins.collect(),
            has_rigid: game.rules.groups.iter().any(|group| group.rigid.is_some()),
            rules,
            late,
            rule_count,
            longest,
            layout,
        }
    }

    /// The shape of the board of a level.
    pub(crate) fn shape(&self, level: &Level) -> Shape {
        Shape::new(&self.layout, level.width, level.height, self.longest)
    }

    /// The board of a level.
    pub(crate) fn bits(&self, shape: &Shape, level: &Level) -> Bits {
        shape.board(level)
    }

    /// Whether the board after a turn does not depend on the order of rules of a group and of the
    /// matches of a rule, if everything that moves moves in one direction.
    pub(crate) fn is_free_of_order(&self, shape: &Shape) -> bool {
        let phases = [&self.rules, &self.late];
        !self.has_rigid
            && phases
                .into_iter()
                .all(|phase| independence::is_free_of_order(phase, &self.layout, shape.cells))
    }

    /// Whether all win conditions hold; never where there are none.
    pub(crate) fn wins(&self, shape: &Shape, bits: &Bits) -> bool {
        !self.wins.is_empty() && self.wins.iter().all(|win| self.holds(win, shape, bits))
    }

    fn holds(&self, win: &FastWin, shape: &Shape, bits: &Bits) -> bool {
        let mut words = (0..shape.words).map(|word| {
            let what = win.what.word(shape, bits, word);
            let on = match &win.on {
                Some(on) => on.word(shape, bits, word),
                None => u64::MAX,
            };
            (what, on)
        });
        match win.quantifier {
            Quantifier::No => words.all(|(what, on)| what & on == 0),
            Quantifier::Some => words.any(|(what, on)| what & on != 0),
            Quantifier::All => words.all(|(what, on)| what & !on == 0),
        }
    }

    /// The cells that have an object, a bit for each.
    pub(crate) fn plane<'b>(&self, shape: &Shape, bits: &'b Bits, object: usize) -> &'b [u64] {
        debug_assert!(object < self.layout.objects);
        bits.plane(shape, object)
    }

    /// Puts an object into these cells, and into no other.
    pub(crate) fn set_plane(&self, shape: &Shape, bits: &mut Bits, object: usize, plane: &[u64]) {
        debug_assert!(object < self.layout.objects);
        bits.set_plane(shape, object, plane);
    }

    /// The objects of each cell.
    pub(crate) fn objects(&self, shape: &Shape, bits: &Bits) -> Vec<Set> {
        let mut cells = vec![Set::new(); shape.cells];
        for object in 0..self.layout.objects {
            for_each_bit(bits.plane(shape, object), |cell| cells[cell].insert(object));
        }
        cells
    }
}

impl Wanted {
    /// The cells of a word of a plane that have what is wanted.
    fn word(&self, shape: &Shape, bits: &Bits, word: usize) -> u64 {
        let planes = self.objects.iter();
        let planes = planes.map(|&object| bits.plane(shape, object)[word]);
        match self.all {
            // Cells beyond the last one have nothing, so they do not have all of nothing either.
            true if self.objects.is_empty() => shape.starts(Direction::Up, 1)[word],
            true => planes.fold(u64::MAX, |all, plane| all & plane),
            false => planes.fold(0, |any, plane| any | plane),
        }
    }
}

impl Engine for Fast {
    type Board = FastBoard;

    fn board(&self, level: &Level) -> FastBoard {
        let shape = self.shape(level);
        FastBoard {
            bits: self.bits(&shape, level),
            shape: Arc::new(shape),
        }
    }

    fn turn(&self, board: &mut FastBoard, input: Option<Input>, random: &mut Random) -> Turn {
        self.play(&board.shape, &mut board.bits, input, random)
    }

    fn has_won(&self, board: &FastBoard) -> bool {
        self.wins(&board.shape, &board.bits)
    }

    fn same_objects(&self, one: &FastBoard, other: &FastBoard) -> bool {
        one.bits.same_objects(&other.bits, &one.shape, &self.layout)
    }

    fn stop(&self, board: &mut FastBoard) {
        board.bits.stop(&board.shape, &self.layout);
    }

    fn cells(&self, board: &FastBoard) -> Vec<Set> {
        self.objects(&board.shape, &board.bits)
    }
}
