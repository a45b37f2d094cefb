//! Levels and states as Python objects. A state is stepped by the fast rules of its game, without
//! text: moves are opaque values that print themselves only when asked.

use std::any::Any;
use std::sync::Arc;

use ployglot_games::{AnyLevel, Game, Level, LevelVisitor, plan};
use ployglot_pictures::svg;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A state of any game.
trait AnyState: Send + Sync {
    fn moves(&self) -> Vec<Arc<dyn Any + Send + Sync>>;
    fn move_text(&self, mv: &(dyn Any + Send + Sync)) -> Option<String>;
    /// The state after a move. A move that is not known to be one of this state is looked for among
    /// the legal moves first, because the fast rules assume it.
    fn apply(&self, mv: &(dyn Any + Send + Sync), known: bool) -> Option<Arc<dyn AnyState>>;
    /// The move of this text, which must be legal.
    fn parse(&self, text: &str) -> Result<Arc<dyn Any + Send + Sync>, String>;
    fn key(&self) -> Vec<u8>;
    fn is_goal(&self) -> bool;
    fn board(&self) -> String;
    fn level_text(&self) -> String;
    fn svg(&self, scale: u32) -> Result<String, String>;
    fn cost(&self, mv: &(dyn Any + Send + Sync)) -> Option<u32>;
}

struct StateOf<G: Game> {
    level: Arc<Level<G>>,
    state: G::State,
}

impl<G: Game> AnyState for StateOf<G> {
    fn moves(&self) -> Vec<Arc<dyn Any + Send + Sync>> {
        let mut moves = Vec::new();
        self.level.game.moves(&self.state, &mut moves);
        let erase = |mv: G::Move| -> Arc<dyn Any + Send + Sync> { Arc::new(mv) };
        moves.into_iter().map(erase).collect()
    }

    fn move_text(&self, mv: &(dyn Any + Send + Sync)) -> Option<String> {
        let mv = *mv.downcast_ref::<G::Move>()?;
        Some(self.level.game.print_move(&self.state, mv))
    }

    fn apply(&self, mv: &(dyn Any + Send + Sync), known: bool) -> Option<Arc<dyn AnyState>> {
        let mv = *mv.downcast_ref::<G::Move>()?;
        let listed = || {
            let mut legal = Vec::new();
            self.level.game.moves(&self.state, &mut legal);
            legal.contains(&mv)
        };
        (known || listed()).then(|| -> Arc<dyn AnyState> {
            Arc::new(Self {
                level: self.level.clone(),
                state: self.level.game.apply(&self.state, mv),
            })
        })
    }

    fn parse(&self, text: &str) -> Result<Arc<dyn Any + Send + Sync>, String> {
        let mut legal = Vec::new();
        self.level.game.moves(&self.state, &mut legal);
        let print = |mv: &G::Move| self.level.game.print_move(&self.state, *mv);
        let found = legal.iter().find(|mv| print(mv) == text.trim());
        found
            .map(|&mv| -> Arc<dyn Any + Send + Sync> { Arc::new(mv) })
            .ok_or_else(|| {
                let known: Vec<String> = legal.iter().map(print).collect();
                format!(
                    "'{text}' is not a legal move here; the moves are: {}",
                    known.join(", ")
                )
            })
    }

    fn key(&self) -> Vec<u8> {
        let mut words = vec![0; self.level.game.words()];
        self.level.game.pack(&self.state, &mut words);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn is_goal(&self) -> bool {
        self.level.game.is_goal(&self.state)
    }

    fn board(&self) -> String {
        plan::board(&self.level.game, &self.state)
    }

    fn level_text(&self) -> String {
        self.level.print_at(&self.state)
    }

    fn svg(&self, scale: u32) -> Result<String, String> {
        let view = self.level.game.view(&self.state);
        let title = self.level.title().unwrap_or(G::NAME);
        svg::board(&view, title, scale).map_err(|too| too.0)
    }

    fn cost(&self, mv: &(dyn Any + Send + Sync)) -> Option<u32> {
        let mv = *mv.downcast_ref::<G::Move>()?;
        Some(self.level.game.cost(&self.state, mv))
    }
}

/// A level of any game.
#[pyclass(frozen, module = "ployglot._native", name = "NativeLevel")]
pub struct NativeLevel {
    pub text: String,
    game: &'static str,
    title: Option<String>,
    start: Arc<dyn AnyState>,
}

struct MakeLevel;

impl LevelVisitor for MakeLevel {
    type Out = NativeLevel;

    fn visit<G: Game>(self, level: &Level<G>) -> NativeLevel {
        let level = Arc::new(level.clone());
        NativeLevel {
            text: level.print(),
            game: G::NAME,
            title: level.title().map(str::to_string),
            start: Arc::new(StateOf {
                state: level.game.start(),
                level,
            }),
        }
    }
}

/// The level of a text.
pub fn read(text: &str) -> PyResult<AnyLevel> {
    AnyLevel::read(text).map_err(|bad| PyValueError::new_err(bad.to_string()))
}

#[pymethods]
impl NativeLevel {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        Ok(read(text)?.visit(MakeLevel))
    }

    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    #[getter]
    fn game(&self) -> &str {
        self.game
    }

    #[getter]
    fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    fn start(&self) -> State {
        State(self.start.clone())
    }
}

/// A state of a level: what moves change. States with equal keys are the same for a search.
#[pyclass(frozen, module = "ployglot")]
pub struct State(Arc<dyn AnyState>);

/// A legal move of a state. `str(move)` is its text.
#[pyclass(frozen, module = "ployglot")]
pub struct Move {
    state: Arc<dyn AnyState>,
    mv: Arc<dyn Any + Send + Sync>,
}

#[pymethods]
impl Move {
    fn __str__(&self) -> String {
        self.state.move_text(&*self.mv).unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!("Move({:?})", self.__str__())
    }

    fn __eq__(&self, other: &Bound<PyAny>) -> bool {
        other.downcast::<Move>().is_ok_and(|other| {
            let other = other.get();
            self.__str__() == other.__str__() && self.state.key() == other.state.key()
        })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.__str__().hash(&mut hasher);
        hasher.finish()
    }

    /// The cost of the move.
    #[getter]
    fn cost(&self) -> u32 {
        self.state.cost(&*self.mv).unwrap_or(1)
    }
}

/// A move as Python gives it, a `Move` or its text, and whether it is known to be one of the state.
fn chosen(state: &State, mv: &Bound<PyAny>) -> PyResult<(Arc<dyn Any + Send + Sync>, bool)> {
    if let Ok(mv) = mv.downcast::<Move>() {
        let mv = mv.get();
        return Ok((mv.mv.clone(), Arc::ptr_eq(&mv.state, &state.0)));
    }
    let text: String = mv.extract()?;
    let parsed = state.0.parse(&text).map_err(PyValueError::new_err)?;
    Ok((parsed, true))
}

#[pymethods]
impl State {
    /// The legal moves, always in the same order.
    fn moves(&self) -> Vec<Move> {
        let make = |mv| Move {
            state: self.0.clone(),
            mv,
        };
        self.0.moves().into_iter().map(make).collect()
    }

    /// The state after a move of this state, or after the move of this text.
    fn apply(&self, mv: &Bound<PyAny>) -> PyResult<State> {
        let (chosen, known) = chosen(self, mv)?;
        let after = self.0.apply(&*chosen, known).map(State);
        after.ok_or_else(|| PyValueError::new_err("the move is not legal in this state"))
    }

    /// Every legal move with the state after it.
    fn successors(&self) -> Vec<(Move, State)> {
        let moves = self.moves().into_iter();
        moves
            .filter_map(|mv| {
                let after = self.0.apply(&*mv.mv, true)?;
                Some((mv, State(after)))
            })
            .collect()
    }

    /// The packed state: equal for states that no search needs to distinguish.
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key())
    }

    /// Whether a plan may end here.
    fn is_goal(&self) -> bool {
        self.0.is_goal()
    }

    /// The board as text.
    fn board(&self) -> String {
        self.0.board()
    }

    /// The text of the level that starts in this state.
    fn level_text(&self) -> String {
        self.0.level_text()
    }

    /// The board as a picture.
    #[pyo3(signature = (scale = svg::SCALE))]
    fn svg(&self, scale: u32) -> PyResult<String> {
        self.0.svg(scale).map_err(PyValueError::new_err)
    }

    fn _repr_svg_(&self) -> Option<String> {
        self.0.svg(svg::SCALE).ok()
    }

    fn __str__(&self) -> String {
        self.0.board()
    }

    fn __eq__(&self, other: &Bound<PyAny>) -> bool {
        other
            .downcast::<State>()
            .is_ok_and(|other| self.0.key() == other.get().0.key())
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.0.key().hash(&mut hasher);
        hasher.finish()
    }
}
