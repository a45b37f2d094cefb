//! The landmarks of states that A* has evaluated, for the states after them.
//!
//! A landmark of a state is one of the state after an operator, too, unless it contains the operator:
//! a plan from there with the operator in front is a plan from the state before. So a state inherits
//! the landmarks of the one before it, and only what is missing is searched for (Pommerening and Helmert 2013).
//! The landmarks of states that may be expanded are kept, up to a size; those of others are computed again.
//! That a state is the one after an operator is known by applying the operator: a search may go further than it, or
//! to a symmetric state.
//!
//! Landmarks that were inherited over many states can be worse than new ones, or better. So for a state with so many
//! moves that this takes less time than the bounds of the states after it, landmarks are also searched for without
//! those that it inherited, and the better ones are kept. Where this seldom helps, it is seldom tried.

use std::sync::Arc;

use ployglot_base::Space;
use rustc_hash::FxHashMap;

use crate::task::{OperatorId, State, Task};

/// Every plan has an operator of one of these actions.
pub(super) struct Landmark {
    /// The cost that it counts.
    pub cost: u32,
    pub actions: Box<[u32]>,
}

/// What is known about states that were evaluated.
#[derive(Default)]
pub(super) struct Memory {
    /// The states whose moves were listed last.
    expanded: Vec<Expanded>,
    /// For each state after one of these moves, the number of the state before, and the operator.
    expected: FxHashMap<State, (u32, OperatorId)>,
    /// Whether bounds have been asked for since.
    is_used: bool,
    /// The landmarks of states that may be expanded, and their bytes.
    landmarks: FxHashMap<State, Landmarks>,
    size: usize,
    /// The work for states alone, and for states that inherit.
    alone: Work,
    inherited: Work,
    /// How often it was cheap to search for landmarks without those that were inherited.
    chances: u64,
    /// How often that was done, and how often it gave better landmarks.
    tries: u64,
    better: u64,
}

/// A state whose moves were listed.
struct Expanded {
    state: State,
    moves: u64,
    /// Its landmarks, if they are known.
    landmarks: Option<Landmarks>,
    /// Whether they are those that the states after it inherit.
    is_settled: bool,
}

/// The work of computing bounds of one kind.
#[derive(Clone, Copy, Default)]
struct Work {
    bounds: u64,
    sum: u64,
}

impl Work {
    fn add(&mut self, work: u64) {
        self.bounds += 1;
        self.sum += work;
    }
}

/// The landmarks of a state. It shares those that it inherits with the state before: with lists of its own, 1,200
/// states of Pipe Mania's model with rotations, on a board of 40 by 40, took as much memory as there is for all.
type Landmarks = Box<[Arc<Landmark>]>;

/// The landmarks of states are forgotten when they take more bytes than this.
const MOST_KNOWN: usize = 32 << 20;
/// The bytes of a state, and of a landmark without its actions.
const STATE: usize = 64;
const LANDMARK: usize = 48;

/// Where fewer than one in so many searches for landmarks alone gave better ones than those inherited, one in so many
/// chances is used.
const SELDOM: u64 = 6;

impl Memory {
    /// The states after these moves of a state may inherit its landmarks.
    pub fn note(&mut self, task: &Task, state: &State, moves: &[OperatorId]) {
        if std::mem::take(&mut self.is_used) {
            self.expanded.clear();
            self.expected.clear();
        }
        let number = self.expanded.len() as u32;
        for &mv in moves {
            self.expected.insert(task.apply(state, mv), (number, mv));
        }
        self.expanded.push(Expanded {
            state: state.clone(),
            moves: moves.len() as u64,
            landmarks: self.landmarks.remove(state),
            is_settled: false,
        });
    }

    /// Whether to search for the landmarks of a state without those that it inherited, too: where that takes less time on
    /// average than the bounds of the states after these moves, and seldom where it seldom helps.
    fn tries_alone(&mut self, moves: u64) -> bool {
        let (alone, inherited) = (self.alone, self.inherited);
        let product = |one: u64, two: u64, three: u64| one as f64 * two as f64 * three as f64;
        if product(moves, inherited.sum, alone.bounds) < product(alone.sum, inherited.bounds, 1) {
            return false;
        }
        self.chances += 1;
        let helps = self.better * SELDOM >= self.tries;
        helps || self.chances.is_multiple_of(SELDOM)
    }

    /// The number of the state before this one, and the operator that leads from there to it; `None` if that is not known.
    pub fn before(&mut self, state: &State) -> Option<(usize, OperatorId)> {
        self.is_used = true;
        let &(number, operator) = self.expected.get(state)?;
        Some((number as usize, operator))
    }

    pub fn state(&self, number: usize) -> &State {
        &self.expanded[number].state
    }

    /// The landmarks that the states after this one inherit.
    pub fn landmarks(&self, number: usize) -> &[Arc<Landmark>] {
        self.expanded[number]
            .landmarks
            .as_deref()
            .unwrap_or_default()
    }

    /// Whether the landmarks of this state should be searched for without those that it inherited.
    pub fn searches_alone(&mut self, number: usize) -> bool {
        let before = &mut self.expanded[number];
        if before.is_settled || before.landmarks.is_none() {
            return !before.is_settled;
        }
        before.is_settled = true;
        let moves = before.moves;
        self.tries_alone(moves)
    }

    /// Keeps landmarks with this sum of costs, which were searched for with so much work, if they are better than those
    /// that the state inherited.
    pub fn settle(&mut self, number: usize, bound: u32, found: &[Arc<Landmark>], work: u64) {
        self.alone.add(work);
        let before = &mut self.expanded[number];
        before.is_settled = true;
        let sum = |known: &Landmarks| known.iter().map(|landmark| landmark.cost).sum();
        let is_better = before.landmarks.as_ref().map(|known| bound > sum(known));
        self.tries += u64::from(is_better.is_some());
        self.better += u64::from(is_better == Some(true));
        if is_better != Some(false) {
            before.landmarks = Some(found.into());
        }
    }

    /// Keeps the landmarks of a state, of which it has inherited so many; the others were found with so much work.
    pub fn insert(
        &mut self,
        state: &State,
        landmarks: &[Arc<Landmark>],
        inherited: usize,
        work: u64,
    ) {
        self.inherited.add(work);
        if self.size > MOST_KNOWN {
            self.landmarks.clear();
            self.size = 0;
        }
        let own = landmarks[inherited..].iter();
        let own = own.map(|landmark| LANDMARK + size_of_val(&*landmark.actions));
        self.size += STATE + size_of_val(landmarks) + own.sum::<usize>();
        self.landmarks.insert(state.clone(), landmarks.into());
    }
}
