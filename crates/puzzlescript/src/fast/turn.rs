//! One turn: the movement of the input, the rules, the movements, the late rules.

use std::cell::RefCell;

use super::board::{Bits, OUTSIDE, Shape};
use super::matching::Found;
use super::{Fast, wanted_word};
use crate::engine::Turn;
use crate::game::{ACTION, Input};
use crate::random::Random;

/// Memory that a turn needs.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) players: Vec<usize>,
    /// Cells that may start a match.
    pub(super) candidates: Vec<u64>,
    /// Cells that a rule changes.
    pub(super) changing: Vec<u64>,
    /// The matches of the rows of a rule, one after the other, and where each row ends.
    pub(super) found: Vec<Found>,
    pub(super) ends: Vec<usize>,
    /// Counts changes of the board, also over turns.
    pub(super) changes: u64,
    /// For each rule, the count at which it last had no effect.
    pub(super) idle: Vec<u64>,
    /// Cells with movements.
    pub(super) moving: Vec<usize>,
    /// For each cell and layer, the movement that a rigid rule has set and its group, from 1.
    pub(super) rigid_motions: Vec<u8>,
    pub(super) rigid_groups: Vec<u8>,
    pub(super) banned: Vec<Option<usize>>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// One turn on a board.
pub(super) struct Run<'r> {
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
        SCRATCH.with_borrow_mut(|scratch| {
            let mut run = Run {
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

impl Run<'_> {
    fn play(&mut self, input: Option<Input>) {
        let engine = self.engine;
        self.scratch.players.clear();
        if self.scratch.idle.len() < engine.rule_count {
            self.scratch.idle.resize(engine.rule_count, 0);
        }
        self.scratch.changes += 1;
        if let Some(input) = input {
            self.start_movement(input.bit());
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
        let stays = |&cell: &usize| {
            let mut objects = engine.player.objects.iter();
            objects.any(|&object| {
                self.bits.cell(self.shape, cell, object / 64) >> (object % 64) & 1 == 1
            })
        };
        let players = &self.scratch.players;
        self.turn.stuck = !players.is_empty() && players.iter().all(stays);
    }

    fn play_with_rigid_rules(&mut self) {
        let engine = self.engine;
        let start = self.bits.clone();
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
                return;
            }
            self.bits.0.copy_from_slice(&start.0);
            self.turn.commands.clear();
        }
    }

    fn start_movement(&mut self, bit: u8) {
        let engine = self.engine;
        for word in 0..self.shape.words {
            let mut cells = wanted_word(&engine.player, self.shape, self.bits, word);
            while cells != 0 {
                let cell = word * 64 + cells.trailing_zeros() as usize;
                cells &= cells - 1;
                self.scratch.players.push(cell);
                for &object in &engine.player.objects {
                    if self.bits.cell(self.shape, cell, object / 64) >> (object % 64) & 1 == 1 {
                        let layer = engine.layer_of[object];
                        let (word, bits) = engine.layout.motion_bits(layer, bit);
                        self.bits.change(self.shape, cell, word, 0, bits);
                    }
                }
            }
        }
    }

    /// Moves the objects that have movements, until none can move.
    fn move_objects(&mut self) {
        let layout = &self.engine.layout;
        let mut moving = std::mem::take(&mut self.scratch.moving);
        moving.clear();
        for index in 0..self.shape.words {
            let mut cells = 0;
            for word in 0..layout.words {
                let mut motions = self.bits.present(self.shape, word) & !layout.object_bits[word];
                while motions != 0 {
                    let bit = word * 64 + motions.trailing_zeros() as usize;
                    motions &= motions - 1;
                    cells |= self.bits.plane(self.shape, bit)[index];
                }
            }
            while cells != 0 {
                moving.push(index * 64 + cells.trailing_zeros() as usize);
                cells &= cells - 1;
            }
        }
        let mut moved = !moving.is_empty();
        while moved {
            moved = false;
            for &cell in &moving {
                for layer in 0..layout.layers.len() {
                    let motion = self.bits.motion(self.shape, layout, cell, layer);
                    if motion != 0 && self.move_layer(cell, layer, motion) {
                        moved = true;
                    }
                }
            }
        }
        self.scratch.moving = moving;
    }

    fn move_layer(&mut self, cell: usize, layer: usize, motion: u8) -> bool {
        let layout = &self.engine.layout;
        let target = match motion {
            1 | 2 | 4 | 8 => self.shape.next[motion.trailing_zeros() as usize][cell],
            _ => cell as u32,
        };
        if target == OUTSIDE {
            return false;
        }
        let target = target as usize;
        let objects = &layout.layers[layer];
        let taken =
            |&(word, bits): &(usize, u64)| self.bits.cell(self.shape, target, word) & bits != 0;
        if motion != ACTION {
            if objects.iter().any(taken) {
                return false;
            }
            for &(word, bits) in objects {
                let there = self.bits.cell(self.shape, cell, word) & bits;
                if there != 0 {
                    self.bits.move_bits(self.shape, cell, target, word, there);
                }
            }
        }
        let (word, bits) = layout.motion_bits(layer, motion);
        self.bits.change(self.shape, cell, word, bits, 0);
        true
    }

    /// Bans the rigid groups whose movements were not possible. Returns whether there is a new one.
    fn ban_failed_groups(&mut self) -> bool {
        let layout = &self.engine.layout;
        let layers = layout.layers.len();
        let mut failed = false;
        for &cell in &self.scratch.moving {
            let stuck = (0..layers).find(|&layer| {
                let motion = self.bits.motion(self.shape, layout, cell, layer);
                motion & self.scratch.rigid_motions[cell * layers + layer] != 0
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
