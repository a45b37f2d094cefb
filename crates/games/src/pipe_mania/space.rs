//! The fast rules: a level as a search space whose states are the rotations of its pieces.
//!
//! `is_goal` shares no code with `rules.rs`. It decomposes the board into pipes: a channel has at
//! most one successor and at most one predecessor, so following the pipes visits every channel once
//! in each direction. A path is a stretch of one pipe between two B pieces. Only its existence
//! matters, so the longest stretch is enough: from the first B to the last; or, if the pipe is a
//! ring, all of it except the gap before some B.

use super::piece::{Kind, leads};
use super::rules::{Move, PipeMania, Place, State};
use crate::*;

impl Space for PipeMania {
    type State = State;
    type Move = Move;

    fn start(&self) -> State {
        let mut state = State {
            rotations: vec![0; self.words()].into_boxed_slice(),
        };
        for (number, &cell) in self.turnable.iter().enumerate() {
            state.set(number, self.board.cells()[cell as usize].rotation);
        }
        state
    }

    fn is_goal(&self, state: &State) -> bool {
        Pipes::new(self, state).any_path()
    }

    fn moves(&self, _state: &State, moves: &mut Vec<Move>) {
        let cols = self.board.cols() as u32;
        moves.extend(self.turnable.iter().map(|cell| Move {
            row: (cell / cols) as u16,
            col: (cell % cols) as u16,
        }));
    }

    fn apply(&self, state: &State, mv: Move) -> State {
        let cell = usize::from(mv.row) * self.board.cols() + usize::from(mv.col);
        let number = self.numbers[cell] as usize;
        let mut next = state.clone();
        next.set(number, state.get(number) + 1);
        next
    }

    fn words(&self) -> usize {
        self.turnable.len().div_ceil(32).max(1)
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        words.copy_from_slice(&state.rotations);
    }

    fn unpack(&self, words: &[u64]) -> State {
        State {
            rotations: words.into(),
        }
    }
}

/// The pipes of a state. A channel in one direction is `cell * 4 + side entered`.
struct Pipes<'a> {
    level: &'a PipeMania,
    state: &'a State,
    required: Vec<Place>,
    visited: Vec<bool>,
}

impl<'a> Pipes<'a> {
    fn new(level: &'a PipeMania, state: &'a State) -> Self {
        Self {
            level,
            state,
            required: level.required(),
            visited: vec![false; level.board.cells().len() * 4],
        }
    }

    fn any_path(&mut self) -> bool {
        for place in self.level.ends() {
            for entered in Side::ALL {
                let visited = self.visited[self.channel((place, entered))];
                if !visited && self.out((place, entered)).is_some() {
                    let (pipe, ring) = self.pipe((place, entered));
                    if self.has_path(&pipe, ring) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn channel(&self, (place, entered): (Place, Side)) -> usize {
        (place.0 * self.level.board.cols() + place.1) * 4 + entered as usize
    }

    fn out(&self, (place, entered): (Place, Side)) -> Option<Side> {
        let rotation = self.level.rotation(self.state, place);
        leads(self.level.board[place].kind, rotation, entered)
    }

    /// The channel that this one leads into.
    fn after(&self, here: (Place, Side)) -> Option<(Place, Side)> {
        let out = self.out(here)?;
        let next = (self.level.board.beside(here.0, out)?, out.opposite());
        self.out(next).map(|_| next)
    }

    /// The channel that leads into this one.
    fn before(&self, (place, entered): (Place, Side)) -> Option<(Place, Side)> {
        let from = self.level.board.beside(place, entered)?;
        let into = |&side: &Side| self.out((from, side)) == Some(entered.opposite());
        Side::ALL.into_iter().find(into).map(|side| (from, side))
    }

    /// The whole pipe through a channel, from its first piece, and whether it is a ring.
    fn pipe(&mut self, channel: (Place, Side)) -> (Vec<Place>, bool) {
        let mut head = channel;
        while let Some(before) = self.before(head) {
            head = before;
            if head == channel {
                break;
            }
        }
        let mut pipe = Vec::new();
        let mut here = head;
        loop {
            let channel = self.channel(here);
            self.visited[channel] = true;
            pipe.push(here.0);
            match self.after(here) {
                Some(next) if next == head => return (pipe, true),
                Some(next) => here = next,
                None => return (pipe, false),
            }
        }
    }

    fn has_path(&self, pipe: &[Place], ring: bool) -> bool {
        if pipe.len() < self.required.len() {
            return false;
        }
        let is_end = |place: Place, named: Option<Place>| match named {
            Some(named) => named == place,
            None => self.level.board[place].kind == Kind::End,
        };
        let begins = |&index: &usize| is_end(pipe[index], self.level.from);
        let ends = |&index: &usize| is_end(pipe[index], self.level.to);
        let number = |place: &Place| self.required.binary_search(place).ok();
        let mut count = vec![0usize; self.required.len()];
        let add = |count: &mut Vec<usize>, index: usize| {
            number(&pipe[index])
                .into_iter()
                .for_each(|it| count[it] += 1);
        };
        if !ring {
            let first = (0..pipe.len()).find(begins);
            let last = (0..pipe.len()).rev().find(ends);
            let (Some(first), Some(last)) = (first, last) else {
                return false;
            };
            (first..=last).for_each(|index| add(&mut count, index));
            return first < last && count.iter().all(|&count| count > 0);
        }
        (0..pipe.len()).for_each(|index| add(&mut count, index));
        if count.contains(&0) {
            return false;
        }
        (0..pipe.len()).filter(begins).any(|first| {
            // The stretch omits the pieces between its last B and its first.
            let back = |step: &usize| (first + pipe.len() - step) % pipe.len();
            let stop = |step: &usize| begins(&back(step)) || ends(&back(step));
            let gap = (1..pipe.len()).find(stop).unwrap_or(pipe.len());
            let lost = (1..gap).filter_map(|step| number(&pipe[back(&step)]));
            let lost: Vec<usize> = lost.collect();
            let kept = |&it: &usize| count[it] > lost.iter().filter(|&&other| other == it).count();
            gap < pipe.len() && ends(&back(&gap)) && lost.iter().all(kept)
        })
    }
}
