//! One turn: the movement of the input, the rules, the movements, the late rules.

use std::cell::RefCell;

use super::Fast;
use super::apply::Choice;
use super::board::{Bits, Shape};
use super::matching::Found;
use crate::engine::Turn;
use crate::game::Input;
use crate::random::Random;

/// Memory that a turn needs.
#[derive(Default)]
pub(super) struct Scratch {
    /// The cells of the players at the start of the turn.
    pub(super) players: Vec<u64>,
    /// For each row of a rule, the cells in which it starts.
    pub(super) starts: Vec<u64>,
    /// For each row of a rule, the cells from which it changes something.
    pub(super) effect: Vec<u64>,
    /// For each part of a row after an ellipsis, the cells in which it starts.
    pub(super) later: Vec<u64>,
    /// The matches of the rows of a rule, one after the other, and where each row ends.
    pub(super) found: Vec<Found>,
    pub(super) ends: Vec<usize>,
    pub(super) choice: Choice,
    /// Counts changes of the board, also over turns.
    pub(super) changes: u64,
    /// For each rule, the count at which it last had no effect.
    pub(super) idle: Vec<u64>,
    /// Cells that move.
    pub(super) moving: Vec<u64>,
    /// For each cell and layer, the movement that a rigid rule has set and its group, from 1.
    pub(super) rigid_motions: Vec<u8>,
    pub(super) rigid_groups: Vec<u8>,
    pub(super) banned: Vec<Option<usize>>,
    /// The board at the start of a turn with rigid rules.
    before: Vec<u64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// One turn on a board whose planes have `W` words; 0: any number.
pub(super) struct Run<'r, const W: usize> {
    pub(super) engine: &'r Fast,
    pub(super) shape: &'r Shape,
    pub(super) bits: &'r mut Bits,
    pub(super) scratch: &'r mut Scratch,
    pub(super) random: &'r mut Random,
    pub(super) turn: Turn,
}

/// Turns start again at most so often because of rigid rules.
const MOST_RESTARTS: usize = 50;

impl Fast {
    /// Plays the rules of one turn.
    pub(crate) fn play(
        &self,
        shape: &Shape,
        bits: &mut Bits,
        input: Option<Input>,
        random: &mut Random,
    ) -> Turn {
        match shape.words {
            1 => self.play_with::<1>(shape, bits, input, random),
            2 => self.play_with::<2>(shape, bits, input, random),
            3 => self.play_with::<3>(shape, bits, input, random),
            _ => self.play_with::<0>(shape, bits, input, random),
        }
    }

    fn play_with<const W: usize>(
        &self,
        shape: &Shape,
        bits: &mut Bits,
        input: Option<Input>,
        random: &mut Random,
    ) -> Turn {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut run = Run::<W> {
                engine: self,
                shape,
                bits,
                scratch,
                random,
                turn: Turn::default(),
            };
            run.play(input);
            run.turn
        })
    }
}

impl<const W: usize> Run<'_, W> {
    /// Words of a plane.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        if W == 0 { self.shape.words } else { W }
    }

    /// A plane.
    #[inline(always)]
    pub(super) fn plane(&self, plane: usize) -> &[u64] {
        let words = self.words();
        let start = self.shape.planes_at + plane * words;
        &self.bits.0[start..start + words]
    }

    #[inline(always)]
    pub(super) fn plane_mut(&mut self, plane: usize) -> &mut [u64] {
        let words = self.words();
        let start = self.shape.planes_at + plane * words;
        &mut self.bits.0[start..start + words]
    }

    fn play(&mut self, input: Option<Input>) {
        let engine = self.engine;
        self.scratch.players.clear();
        if self.scratch.idle.len() < engine.rule_count {
            self.scratch.idle.resize(engine.rule_count, 0);
        }
        self.scratch.changes += 1;
        if let Some(input) = input {
            self.start_movement(input);
        }
        if !engine.has_rigid {
            self.apply_phase(&engine.rules);
            self.move_objects();
            self.bits.stop(self.shape, &engine.layout);
            self.scratch.changes += 1;
            self.apply_phase(&engine.late);
        } else {
            self.play_with_rigid_rules();
        }
        self.turn.stuck = self.is_stuck();
    }

    fn play_with_rigid_rules(&mut self) {
        let engine = self.engine;
        let mut before = std::mem::take(&mut self.scratch.before);
        before.clone_from(&self.bits.0);
        let size = self.shape.cells * engine.layout.layers.len();
        self.scratch.banned.clear();
        for _ in 0..MOST_RESTARTS {
            self.turn.commands.clear();
            self.scratch.rigid_motions.clear();
            self.scratch.rigid_motions.resize(size, 0);
            self.scratch.rigid_groups.clear();
            self.scratch.rigid_groups.resize(size, 0);
            self.apply_phase(&engine.rules);
            self.move_objects();
            let failed = self.ban_failed_groups();
            self.scratch.changes += 1;
            if !failed {
                self.bits.stop(self.shape, &engine.layout);
                self.scratch.banned.clear();
                self.apply_phase(&engine.late);
                break;
            }
            self.bits.0.copy_from_slice(&before);
            self.turn.commands.clear();
        }
        self.scratch.before = before;
    }

    /// Gives the players the movement of the input.
    fn start_movement(&mut self, input: Input) {
        let engine = self.engine;
        let (words, bit) = (self.words(), input.bit().trailing_zeros() as usize);
        for word in 0..words {
            let cells = engine.player.word(self.shape, self.bits, word);
            self.scratch.players.push(cells);
            if cells == 0 {
                continue;
            }
            for &object in &engine.player.objects {
                let moving = cells & self.plane(object)[word];
                let layer = engine.layout.layer_of[object];
                if let Some(first) = engine.layout.motion[layer].filter(|_| moving != 0) {
                    let plane = first + bit;
                    self.plane_mut(plane)[word] |= moving;
                    self.bits.0[plane / 64] |= 1 << (plane % 64);
                }
            }
        }
    }

    /// Whether there was a player, and each of their cells has one still.
    fn is_stuck(&self) -> bool {
        let players = &self.scratch.players;
        let objects = &self.engine.player.objects;
        let left = |index: usize| {
            let planes = objects.iter().map(|&object| self.plane(object)[index]);
            players[index] & !planes.fold(0, |any, plane| any | plane)
        };
        players.iter().any(|&cells| cells != 0) && (0..players.len()).all(|index| left(index) == 0)
    }

    /// Bans the rigid groups whose movements were not possible. Returns whether there is a new one.
    fn ban_failed_groups(&mut self) -> bool {
        let layout = &self.engine.layout;
        let layers = layout.layers.len();
        let mut failed = false;
        for cell in 0..self.shape.cells {
            let stuck = (0..layers).find(|&layer| {
                let rigid = self.scratch.rigid_motions[cell * layers + layer];
                rigid != 0 && self.bits.motion(self.shape, layout, cell, layer) & rigid != 0
            });
            if let Some(layer) = stuck {
                let group = self.scratch.rigid_groups[cell * layers + layer];
                let group = usize::from(group).checked_sub(1);
                if !self.scratch.banned.contains(&group) {
                    self.scratch.banned.push(group);
                    failed = true;
                }
            }
        }
        failed
    }
}
