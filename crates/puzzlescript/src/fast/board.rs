//! The board of the fast engine. Each cell has a vector of bits: its objects, and five bits for the
//! movement of each layer. The same bits are kept a second time as planes, one plane for each
//! object and each movement with a bit for each cell, so that a rule finds its matches on the whole
//! board by shifting planes. A last vector tells which bits are set in any cell at all: a rule that
//! needs another one is not tried.

use crate::game::{ALL_MOTIONS, Direction, Game, Level};
use crate::set::Set;

/// Where the bits of objects and movements are.
pub(super) struct Layout {
    pub(super) objects: usize,
    /// For each layer, the first bit of its movement. The five bits are in one word.
    pub(super) motion: Vec<usize>,
    /// All bits.
    pub(super) bits: usize,
    /// Words of a cell.
    pub(super) words: usize,
    /// For each word, its bits of objects.
    pub(super) object_bits: Vec<u64>,
    /// For each layer, the bits of its objects by words.
    pub(super) layers: Vec<Vec<(usize, u64)>>,
}

impl Layout {
    pub(super) fn new(game: &Game) -> Self {
        let objects = game.objects.len();
        let mut bits = objects;
        let mut motion = Vec::new();
        for _ in &game.layers {
            if bits % 64 > 64 - 5 {
                bits = bits.next_multiple_of(64);
            }
            motion.push(bits);
            bits += 5;
        }
        let words = bits.div_ceil(64).max(1);
        let mut object_bits = vec![0; words];
        (0..objects).for_each(|object| object_bits[object / 64] |= 1 << (object % 64));
        Self {
            objects,
            motion,
            bits,
            words,
            object_bits,
            layers: game.layers.iter().map(by_words).collect(),
        }
    }

    /// The bits of a movement of a layer: its word, and the bits in it.
    pub(super) fn motion_bits(&self, layer: usize, motion: u8) -> (usize, u64) {
        let bit = self.motion[layer];
        (bit / 64, u64::from(motion) << (bit % 64))
    }
}

/// The numbers of a set as bits of words, without empty words.
pub(super) fn by_words(set: &Set) -> Vec<(usize, u64)> {
    let mut words: Vec<(usize, u64)> = Vec::new();
    for number in set.iter() {
        match words.last_mut() {
            Some((word, bits)) if *word == number / 64 => *bits |= 1 << (number % 64),
            _ => words.push((number / 64, 1 << (number % 64))),
        }
    }
    words
}

/// The size of a board, and what follows from it.
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The number of cells.
    pub(crate) cells: usize,
    /// Words of a plane.
    pub(super) words: usize,
    /// Words of a cell.
    pub(super) stride: usize,
    /// For each direction, the cell next to each cell; `OUTSIDE` at the edge.
    pub(super) next: [Vec<u32>; 4],
    /// For each direction and length, the cells in which a pattern may start, by words.
    starts: [Vec<Vec<u64>>; 4],
    planes_at: usize,
    present_at: usize,
    size: usize,
}

/// No cell.
pub(super) const OUTSIDE: u32 = u32::MAX;

impl Shape {
    /// `longest`: the largest number of cells of a pattern.
    pub(super) fn new(layout: &Layout, width: usize, height: usize, longest: usize) -> Self {
        let cells = width * height;
        let words = cells.div_ceil(64).max(1);
        let next = Direction::ALL.map(|direction| {
            let (dx, dy) = direction.step();
            let next = |cell: usize| {
                let (x, y) = ((cell / height) as isize + dx, (cell % height) as isize + dy);
                let inside = 0 <= x && x < width as isize && 0 <= y && y < height as isize;
                if inside {
                    (x as usize * height + y as usize) as u32
                } else {
                    OUTSIDE
                }
            };
            (0..cells).map(next).collect::<Vec<u32>>()
        });
        let starts = [0, 1, 2, 3].map(|direction: usize| {
            let mut starts = vec![vec![0; words], vec![0; words]];
            (0..cells).for_each(|cell| starts[1][cell / 64] |= 1 << (cell % 64));
            for length in 2..=longest {
                let mut start = vec![0; words];
                for cell in 0..cells {
                    let next = next[direction][cell] as usize;
                    let shorter: &Vec<u64> = &starts[length - 1];
                    if next < cells && shorter[next / 64] >> (next % 64) & 1 == 1 {
                        start[cell / 64] |= 1 << (cell % 64);
                    }
                }
                starts.push(start);
            }
            starts
        });
        let planes_at = cells * layout.words;
        let present_at = planes_at + layout.bits * words;
        Self {
            width,
            height,
            cells,
            words,
            stride: layout.words,
            next,
            starts,
            planes_at,
            present_at,
            size: present_at + layout.words,
        }
    }

    /// The step of an index in a direction.
    pub(super) fn delta(&self, direction: Direction) -> isize {
        let (dx, dy) = direction.step();
        dx * self.height as isize + dy
    }

    /// The cells in which a pattern of this length may start.
    pub(super) fn starts(&self, direction: Direction, length: usize) -> &[u64] {
        &self.starts[direction as usize][length]
    }

    /// The words of a plane.
    pub(crate) fn plane_words(&self) -> usize {
        self.words
    }

    /// How many cells there are from a cell to the edge, with both.
    pub(super) fn room(&self, direction: Direction, cell: usize) -> usize {
        let (x, y) = (cell / self.height, cell % self.height);
        match direction {
            Direction::Up => y + 1,
            Direction::Down => self.height - y,
            Direction::Left => x + 1,
            Direction::Right => self.width - x,
        }
    }

    /// An empty board.
    pub(super) fn empty(&self) -> Bits {
        Bits(vec![0; self.size])
    }

    /// The board of a level.
    pub(super) fn board(&self, level: &Level) -> Bits {
        let mut bits = self.empty();
        for (cell, objects) in level.cells.iter().enumerate() {
            for (word, objects) in by_words(objects) {
                bits.change(self, cell, word, 0, objects);
            }
        }
        bits
    }
}

/// Calls a function with the number of each bit that is set.
pub(super) fn for_each_bit(words: &[u64], mut function: impl FnMut(usize)) {
    for (index, &word) in words.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            function(index * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

/// Cells, planes, and which bits are set at all, in one piece of memory.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Bits(pub(super) Vec<u64>);

impl Clone for Bits {
    fn clone(&self) -> Self {
        Bits(self.0.clone())
    }

    /// Keeps the memory of the old board.
    fn clone_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

impl Bits {
    /// A word of a cell.
    pub(super) fn cell(&self, shape: &Shape, cell: usize, word: usize) -> u64 {
        self.0[cell * shape.stride + word]
    }

    /// The plane of a bit.
    pub(super) fn plane(&self, shape: &Shape, bit: usize) -> &[u64] {
        let start = shape.planes_at + bit * shape.words;
        &self.0[start..start + shape.words]
    }

    /// A word of the bits that are set in any cell.
    pub(super) fn present(&self, shape: &Shape, word: usize) -> u64 {
        self.0[shape.present_at + word]
    }

    /// Clears and sets bits of a word of a cell. Returns whether something changed.
    pub(super) fn change(
        &mut self,
        shape: &Shape,
        cell: usize,
        word: usize,
        clear: u64,
        set: u64,
    ) -> bool {
        let old = self.cell(shape, cell, word);
        let new = old & !clear | set;
        if old == new {
            return false;
        }
        self.0[cell * shape.stride + word] = new;
        let mut differing = old ^ new;
        while differing != 0 {
            let bit = differing.trailing_zeros() as usize;
            differing &= differing - 1;
            self.flip(shape, cell, word * 64 + bit);
        }
        true
    }

    /// Flips a bit of a cell in its plane.
    fn flip(&mut self, shape: &Shape, cell: usize, bit: usize) {
        let start = shape.planes_at + bit * shape.words;
        let plane = &mut self.0[start..start + shape.words];
        plane[cell / 64] ^= 1 << (cell % 64);
        let set = plane[cell / 64] >> (cell % 64) & 1 == 1;
        let any = set || plane.iter().any(|&word| word != 0);
        let present = &mut self.0[shape.present_at + bit / 64];
        *present = *present & !(1 << (bit % 64)) | u64::from(any) << (bit % 64);
    }

    /// Clears and sets bits of a word in all of these cells, of which something changes in each.
    pub(super) fn change_cells(
        &mut self,
        shape: &Shape,
        cells: &[u64],
        word: usize,
        clear: u64,
        set: u64,
    ) {
        for_each_bit(cells, |cell| {
            let bits = &mut self.0[cell * shape.stride + word];
            *bits = *bits & !clear | set;
        });
        let mut changing = self.present(shape, word) & clear & !set | set;
        while changing != 0 {
            let bit = changing.trailing_zeros() as usize;
            changing &= changing - 1;
            let start = shape.planes_at + (word * 64 + bit) * shape.words;
            let plane = &mut self.0[start..start + shape.words];
            let sets = set >> bit & 1 == 1;
            let mut any = 0;
            for (plane, cells) in plane.iter_mut().zip(cells) {
                *plane = if sets {
                    *plane | cells
                } else {
                    *plane & !cells
                };
                any |= *plane;
            }
            let present = &mut self.0[shape.present_at + word];
            *present = *present & !(1 << bit) | u64::from(any != 0) << bit;
        }
    }

    /// Sets a bit, which is set in no cell, in these cells.
    pub(super) fn add_plane(&mut self, shape: &Shape, bit: usize, plane: &[u64]) {
        let mut any = false;
        for (index, &word) in plane.iter().enumerate() {
            self.0[shape.planes_at + bit * shape.words + index] = word;
            let mut cells = word;
            while cells != 0 {
                let cell = index * 64 + cells.trailing_zeros() as usize;
                cells &= cells - 1;
                self.0[cell * shape.stride + bit / 64] |= 1 << (bit % 64);
                any = true;
            }
        }
        self.0[shape.present_at + bit / 64] |= u64::from(any) << (bit % 64);
    }

    /// Moves bits of a word from one cell to another, in which they are not set.
    pub(super) fn move_bits(
        &mut self,
        shape: &Shape,
        from: usize,
        to: usize,
        word: usize,
        bits: u64,
    ) {
        self.0[from * shape.stride + word] &= !bits;
        self.0[to * shape.stride + word] |= bits;
        let mut bits = bits;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let start = shape.planes_at + (word * 64 + bit) * shape.words;
            self.0[start + from / 64] &= !(1 << (from % 64));
            self.0[start + to / 64] |= 1 << (to % 64);
        }
    }

    /// The movement of a layer in a cell.
    pub(super) fn motion(&self, shape: &Shape, layout: &Layout, cell: usize, layer: usize) -> u8 {
        let bit = layout.motion[layer];
        (self.cell(shape, cell, bit / 64) >> (bit % 64)) as u8 & ALL_MOTIONS
    }

    /// Ends all movements of all cells.
    pub(super) fn stop(&mut self, shape: &Shape, layout: &Layout) {
        for word in 0..layout.words {
            let mut motions = self.present(shape, word) & !layout.object_bits[word];
            self.0[shape.present_at + word] &= layout.object_bits[word];
            while motions != 0 {
                let bit = motions.trailing_zeros() as usize;
                motions &= motions - 1;
                let start = shape.planes_at + (word * 64 + bit) * shape.words;
                for index in 0..shape.words {
                    let mut cells = std::mem::take(&mut self.0[start + index]);
                    while cells != 0 {
                        let cell = index * 64 + cells.trailing_zeros() as usize;
                        cells &= cells - 1;
                        self.0[cell * shape.stride + word] &= layout.object_bits[word];
                    }
                }
            }
        }
    }

    /// Whether both have the same objects.
    pub(super) fn same_objects(&self, other: &Bits, shape: &Shape, layout: &Layout) -> bool {
        let planes = shape.planes_at..shape.planes_at + layout.objects * shape.words;
        self.0[planes.clone()] == other.0[planes]
    }
}
