//! Movements happen: an object moves where the next cell has no object of its layer, until none can.
//!
//! The language goes through the cells again and again. Where all movements of a layer have one
//! direction, the order has no effect, and all objects that can move do so at once. Otherwise two
//! objects may want the same cell, and the one that comes first gets it.

use super::board::{OUTSIDE, for_each_bit, shifted};
use super::turn::Run;
use crate::game::{ACTION, Direction};

impl<const W: usize> Run<'_, W> {
    /// Moves the objects that have movements, until none can move.
    pub(super) fn move_objects(&mut self) {
        let layout = &self.engine.layout;
        for (layer, first) in layout.motion.iter().enumerate() {
            let Some(first) = *first else { continue };
            let motions = (0..5).fold(0, |motions, bit| {
                let plane = first + bit;
                motions | ((self.bits.0[plane / 64] >> (plane % 64)) as u8 & 1) << bit
            });
            match motions {
                0 => {}
                // What acts does not move.
                ACTION => {
                    self.plane_mut(first + 4).fill(0);
                    self.bits.0[(first + 4) / 64] &= !(1 << ((first + 4) % 64));
                }
                1 | 2 | 4 | 8 => {
                    let direction = Direction::ALL[motions.trailing_zeros() as usize];
                    if !self.move_together(layer, direction, first) {
                        self.move_in_turn(layer, first);
                    }
                }
                _ => self.move_in_turn(layer, first),
            }
        }
    }

    /// Whether so few cells have a movement that moving them one by one is less work.
    fn is_sparse(&self, motion: usize) -> bool {
        let words = self.words();
        let cells = || self.plane(motion).iter().map(|word| word.count_ones());
        words > 3 && cells().sum::<u32>() as usize * 4 < words
    }

    /// Moves the objects of a layer, all of whose movements have one direction. `false`: a cell
    /// without an object has a movement, or few cells have one, and nothing was moved.
    fn move_together(&mut self, layer: usize, direction: Direction, first: usize) -> bool {
        let motion = first + direction as usize;
        if self.is_sparse(motion) {
            return false;
        }
        let words = self.words();
        if W > 0 {
            let mut buffers = [[0; W]; 3];
            let [occupied, moving, cells] = &mut buffers;
            return self.move_planes(layer, direction, motion, [occupied, moving, cells]);
        }
        let mut buffers = std::mem::take(&mut self.scratch.moving);
        buffers.clear();
        buffers.resize(3 * words, 0);
        let (occupied, rest) = buffers.split_at_mut(words);
        let (moving, cells) = rest.split_at_mut(words);
        let moved = self.move_planes(layer, direction, motion, [occupied, moving, cells]);
        self.scratch.moving = buffers;
        moved
    }

    /// The same, with memory for three planes.
    #[inline(always)]
    fn move_planes(
        &mut self,
        layer: usize,
        direction: Direction,
        motion: usize,
        [occupied, moving, cells]: [&mut [u64]; 3],
    ) -> bool {
        let layout = &self.engine.layout;
        let delta = self.shape.delta(direction);
        let inside = self.shape.starts(direction, 2);
        for (index, occupied) in occupied.iter_mut().enumerate() {
            *occupied = self.union(&layout.layer_masks[layer], index, 0);
        }
        let mut pairs = occupied.iter().zip(self.plane(motion));
        if pairs.any(|(occupied, motion)| motion & !occupied != 0) {
            return false;
        }
        loop {
            // The cells with a movement whose next cell is free.
            let mut any = 0;
            for (index, moving) in moving.iter_mut().enumerate() {
                let free = !shifted(occupied, index, delta);
                *moving = self.plane(motion)[index] & inside[index] & free;
                any |= *moving;
            }
            if any == 0 {
                break;
            }
            for (index, occupied) in occupied.iter_mut().enumerate() {
                *occupied = *occupied & !moving[index] | shifted(moving, index, -delta);
                self.plane_mut(motion)[index] &= !moving[index];
            }
            for &object in &layout.layers[layer] {
                if self.bits.0[object / 64] >> (object % 64) & 1 == 0 {
                    continue;
                }
                let plane = self.plane(object).iter().zip(&*moving);
                let plane = plane.map(|(plane, moving)| plane & moving);
                let mut any = 0;
                cells.iter_mut().zip(plane).for_each(|(cells, plane)| {
                    *cells = plane;
                    any |= plane;
                });
                if any == 0 {
                    continue;
                }
                for (index, word) in self.plane_mut(object).iter_mut().enumerate() {
                    *word = *word & !cells[index] | shifted(cells, index, -delta);
                }
            }
        }
        self.bits.note_empty(self.shape, motion);
        true
    }

    /// Moves the objects of a layer one after the other.
    fn move_in_turn(&mut self, layer: usize, first: usize) {
        let words = self.words();
        let mut moving = std::mem::take(&mut self.scratch.moving);
        moving.clear();
        moving.resize(words, 0);
        for plane in first..first + 5 {
            let union = moving.iter_mut().zip(self.plane(plane));
            union.for_each(|(moving, plane)| *moving |= plane);
        }
        let mut moved = true;
        while moved {
            moved = false;
            for_each_bit(&moving, |cell| moved |= self.move_cell(cell, layer, first));
        }
        self.scratch.moving = moving;
    }

    fn move_cell(&mut self, cell: usize, layer: usize, first: usize) -> bool {
        let engine = self.engine;
        let layout = &engine.layout;
        let motion = self.bits.motion(self.shape, layout, cell, layer);
        let target = match motion {
            0 => return false,
            1 | 2 | 4 | 8 => self.shape.next[motion.trailing_zeros() as usize][cell],
            _ => cell as u32,
        };
        if target == OUTSIDE {
            return false;
        }
        let target = target as usize;
        if motion != ACTION {
            let objects = &layout.layer_masks[layer];
            if self.union(objects, target / 64, 0) >> (target % 64) & 1 == 1 {
                return false;
            }
            for &(word, bits) in objects {
                let mut bits = bits & self.bits.0[word];
                while bits != 0 {
                    let object = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if self.bits.clear(self.shape, object, cell) {
                        self.bits.set(self.shape, object, target);
                    }
                }
            }
        }
        for bit in (0..5).filter(|bit| motion >> bit & 1 == 1) {
            self.bits.clear(self.shape, first + bit, cell);
        }
        true
    }
}
