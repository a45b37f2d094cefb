//! States as machine words: the planes of the objects that are stored, one after the other, each
//! only from the first cell in which the object can be to the last one. A cell with a fixed object
//! of its layer, such as a wall, never has it. Then two bits tell how the level stands, and in games
//! with random choices, 32 bits count the moves. Of symmetric states the least one is packed.

use crate::fast::for_each_bit;
use crate::game::{Game, Level};
use crate::play::Status;
use crate::set::Set;
use crate::symmetry::Symmetry;

pub(crate) struct Packing {
    /// For each stored object, its number, its first cell, and the number of cells from there on.
    objects: Vec<(usize, usize, usize)>,
    /// Words of a plane.
    plane_words: usize,
    counts_moves: bool,
    words: usize,
    symmetries: Vec<Symmetry>,
}

impl Packing {
    /// `stored`: the objects that can change, and any others.
    pub(crate) fn new(game: &Game, level: &Level, stored: &Set, counts_moves: bool) -> Self {
        // A cell has at most one object of each layer, if it has so at the start.
        let single = |cell: &Set| {
            let mut layers = game.layers.iter();
            layers.all(|layer| layer.iter().filter(|&it| cell.contains(it)).count() <= 1)
        };
        let lawful = level.cells.iter().all(single);
        let range = |object: usize| {
            let mut fixed = game.layers[game.objects[object].layer].clone();
            fixed.remove(stored);
            let free = |cell: &Set| !lawful || !fixed.meets(cell);
            let first = level.cells.iter().position(free).unwrap_or(0);
            let last = level.cells.iter().rposition(free);
            (object, first, last.map_or(0, |last| last + 1 - first))
        };
        let objects: Vec<(usize, usize, usize)> = stored.iter().map(range).collect();
        let bits: usize = objects.iter().map(|(_, _, cells)| cells).sum();
        let bits = bits + 2 + if counts_moves { 32 } else { 0 };
        Self {
            objects,
            plane_words: level.cells.len().div_ceil(64).max(1),
            counts_moves,
            words: bits.div_ceil(64),
            symmetries: Vec::new(),
        }
    }

    /// Packs a state like its images by these symmetries.
    pub(crate) fn merge(&mut self, symmetries: Vec<Symmetry>) {
        self.symmetries = symmetries;
    }

    pub(crate) fn words(&self) -> usize {
        self.words
    }

    pub(crate) fn pack<'p>(
        &self,
        plane: impl Fn(usize) -> &'p [u64],
        status: Status,
        moves: u32,
        words: &mut [u64],
    ) {
        self.pack_planes(&plane, status, moves, words);
        let (mut planes, mut other) = (Vec::new(), Vec::new());
        for symmetry in &self.symmetries {
            let size = self.plane_words;
            planes.clear();
            planes.resize(self.objects.len() * size, 0);
            let images = planes.chunks_exact_mut(size);
            for (image, &(object, ..)) in images.zip(&self.objects) {
                for_each_bit(plane(object), |cell| {
                    let cell = symmetry.cell[cell] as usize;
                    image[cell / 64] |= 1 << (cell % 64);
                });
            }
            other.clear();
            other.resize(self.words, 0);
            let mut images = planes.chunks_exact(size);
            let next = |_| images.next().expect("there is a plane for each object");
            self.pack_planes(next, status, moves, &mut other);
            if *other < *words {
                words.copy_from_slice(&other);
            }
        }
    }

    /// `plane` is called for the objects in their order.
    fn pack_planes<'p>(
        &self,
        mut plane: impl FnMut(usize) -> &'p [u64],
        status: Status,
        moves: u32,
        words: &mut [u64],
    ) {
        words.fill(0);
        let mut at = 0;
        for &(object, first, cells) in &self.objects {
            let plane = plane(object);
            let mut done = 0;
            while done < cells {
                let count = (cells - done).min(64);
                put(words, at, get(plane, first + done, count));
                at += count;
                done += count;
            }
        }
        put(words, at, status as u64);
        if self.counts_moves {
            put(words, at + 2, u64::from(moves));
        }
    }

    /// Calls a function with each stored object and its plane. Returns how the level stands, and the
    /// number of moves.
    pub(crate) fn unpack(
        &self,
        words: &[u64],
        mut set_plane: impl FnMut(usize, &[u64]),
    ) -> (Status, u32) {
        /// Planes of larger boards are made in a vector.
        const SMALL: usize = 4;
        let (mut small, mut large) = ([0; SMALL], Vec::new());
        let plane = match self.plane_words {
            0..=SMALL => &mut small[..self.plane_words],
            _ => {
                large.resize(self.plane_words, 0);
                &mut large[..]
            }
        };
        let mut at = 0;
        for &(object, first, cells) in &self.objects {
            plane.fill(0);
            let mut done = 0;
            while done < cells {
                let count = (cells - done).min(64);
                put(plane, first + done, get(words, at, count));
                at += count;
                done += count;
            }
            set_plane(object, plane);
        }
        let status = match get(words, at, 2) {
            0 => Status::Playing,
            1 => Status::Won,
            _ => Status::Stuck,
        };
        let moves = match self.counts_moves {
            true => get(words, at + 2, 32) as u32,
            false => 0,
        };
        (status, moves)
    }
}

/// Some bits, at most 64, from this one on.
#[inline(always)]
fn get(words: &[u64], at: usize, count: usize) -> u64 {
    let (word, bit) = (at / 64, at % 64);
    let mut bits = words[word] >> bit;
    if bit + count > 64 {
        bits |= words[word + 1] << (64 - bit);
    }
    bits & u64::MAX >> (64 - count)
}

/// Sets bits, which are clear, from this one on.
#[inline(always)]
fn put(words: &mut [u64], at: usize, bits: u64) {
    let (word, bit) = (at / 64, at % 64);
    words[word] |= bits << bit;
    if bit > 0 && bits >> (64 - bit) != 0 {
        words[word + 1] |= bits >> (64 - bit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_as_they_were_put() {
        for at in 0..130 {
            for count in 1..=64 {
                let bits = 0x9e37_79b9_7f4a_7c15 & u64::MAX >> (64 - count);
                let mut words = [0; 4];
                put(&mut words, at, bits);
                assert_eq!(get(&words, at, count), bits, "{count} bits at {at}");
            }
        }
    }
}
