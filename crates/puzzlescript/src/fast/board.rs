//! The board of the fast engine: for each object and each movement of a layer, a plane with a bit
//! for each cell, so that a rule finds its matches on the whole board by shifting planes. Before the
//! planes there is a vector that tells which planes have a bit at all: a rule that needs another one
//! is not tried.
//!
//! Cells are numbered by columns. The bits of each cell were kept a second time, cell by cell, in an
//! earlier version; with rules that change all their matches at once that is not worth its upkeep.

use super::program::{Mask, mask};
use crate::game::{Cell, Direction, Game, Level, Motion, Term};
use crate::set::Set;

/// Which plane is whose.
pub(super) struct Layout {
    /// The objects have the first planes.
    pub(super) objects: usize,
    /// For each layer, the first of the five planes of its movement; `None` where nothing ever
    /// gives it one.
    pub(super) motion: Vec<Option<usize>>,
    /// The number of planes.
    pub(super) planes: usize,
    /// The objects of each layer.
    pub(super) layers: Vec<Vec<usize>>,
    /// The same as bits.
    pub(super) layer_masks: Vec<Mask>,
    /// The layer of each object.
    pub(super) layer_of: Vec<usize>,
}

impl Layout {
    pub(super) fn new(game: &Game) -> Self {
        let objects = game.objects.len();
        let layer_of: Vec<usize> = game.objects.iter().map(|object| object.layer).collect();
        let mobile = mobile_layers(game);
        let mut planes = objects;
        let motion = (0..game.layers.len()).map(|layer| {
            mobile.contains(layer).then(|| {
                planes += 5;
                planes - 5
            })
        });
        Self {
            objects,
            motion: motion.collect(),
            planes,
            layers: game
                .layers
                .iter()
                .map(|layer| layer.iter().collect())
                .collect(),
            layer_masks: game.layers.iter().map(mask).collect(),
            layer_of,
        }
    }

    /// The planes of some movements of a layer, one bit of `motion` each.
    pub(super) fn motion_planes(&self, layer: usize, motion: u8) -> impl Iterator<Item = usize> {
        let first = self.motion[layer];
        let bits = (0..5).filter(move |bit| motion >> bit & 1 == 1);
        first
            .into_iter()
            .flat_map(move |first| bits.clone().map(move |bit| first + bit))
    }
}

/// The layers to which a rule or the input can give a movement.
fn mobile_layers(game: &Game) -> Set {
    let players = game.player.objects.iter();
    let mut mobile: Set = players.map(|object| game.objects[object].layer).collect();
    let groups = game.rules.groups.iter().chain(&game.late.groups);
    let rules = groups.flat_map(|group| &group.rules);
    for cell in rules.flat_map(|rule| rule.rows.iter().flatten()) {
        let Cell::Pattern { after, .. } = cell else {
            continue;
        };
        for term in after {
            if let Term::Object { layer, motion, .. } | Term::Property { layer, motion, .. } = term
                && matches!(motion, Motion::Moving(_) | Motion::RandomDirection)
            {
                mobile.insert(*layer);
            }
        }
    }
    mobile
}

/// The size of a board, and what follows from it.
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The number of cells.
    pub(crate) cells: usize,
    /// Words of a plane.
    pub(super) words: usize,
    /// For each direction, the cell next to each cell; `OUTSIDE` at the edge.
    pub(super) next: [Vec<u32>; 4],
    /// For each direction and length, the cells in which a pattern may start, by words.
    starts: [Vec<Vec<u64>>; 4],
    /// Where the first plane is.
    pub(super) planes_at: usize,
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
        let planes_at = layout.planes.div_ceil(64).max(1);
        Self {
            width,
            height,
            cells,
            words,
            next,
            starts,
            planes_at,
            size: planes_at + layout.planes * words,
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

    /// The board of a level.
    pub(super) fn board(&self, level: &Level) -> Bits {
        let mut bits = Bits(vec![0; self.size]);
        for (cell, objects) in level.cells.iter().enumerate() {
            for object in objects.iter() {
                bits.set(self, object, cell);
            }
        }
        bits
    }
}

/// Calls a function with the number of each bit that is set.
#[inline(always)]
pub(crate) fn for_each_bit(words: &[u64], mut function: impl FnMut(usize)) {
    for (index, &word) in words.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            function(index * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

/// A word of a plane that is moved so that the bit of a cell comes from the cell `shift` further on.
#[inline(always)]
pub(super) fn shifted(plane: &[u64], index: usize, shift: isize) -> u64 {
    if plane.len() == 1 {
        return match shift {
            0..64 => plane[0] >> shift,
            -63..0 => plane[0] << -shift,
            _ => 0,
        };
    }
    let (words, bits) = (shift >> 6, shift & 63);
    let word = |at: isize| plane.get(at as usize).copied().unwrap_or(0);
    let at = index as isize + words;
    // The bits of a word come from two neighbouring words of the plane.
    match bits {
        0 => word(at),
        _ => word(at) >> bits | word(at + 1) << (64 - bits),
    }
}

/// Which planes have a bit at all, and the planes, in one piece of memory.
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
    /// A plane.
    #[inline(always)]
    pub(super) fn plane(&self, shape: &Shape, plane: usize) -> &[u64] {
        let start = shape.planes_at + plane * shape.words;
        &self.0[start..start + shape.words]
    }

    /// Whether a plane has a cell.
    #[inline(always)]
    pub(super) fn has(&self, shape: &Shape, plane: usize, cell: usize) -> bool {
        self.0[shape.planes_at + plane * shape.words + cell / 64] >> (cell % 64) & 1 == 1
    }

    /// Adds a cell to a plane. Returns whether it was not there.
    pub(super) fn set(&mut self, shape: &Shape, plane: usize, cell: usize) -> bool {
        let word = &mut self.0[shape.planes_at + plane * shape.words + cell / 64];
        let new = *word >> (cell % 64) & 1 == 0;
        *word |= 1 << (cell % 64);
        self.0[plane / 64] |= 1 << (plane % 64);
        new
    }

    /// Removes a cell from a plane. Returns whether it was there.
    pub(super) fn clear(&mut self, shape: &Shape, plane: usize, cell: usize) -> bool {
        let word = &mut self.0[shape.planes_at + plane * shape.words + cell / 64];
        let old = *word >> (cell % 64) & 1 == 1;
        *word &= !(1 << (cell % 64));
        if old && *word == 0 {
            self.note_empty(shape, plane);
        }
        old
    }

    /// Notes that a plane is empty, if it is.
    pub(super) fn note_empty(&mut self, shape: &Shape, plane: usize) {
        if self.plane(shape, plane).iter().all(|&word| word == 0) {
            self.0[plane / 64] &= !(1 << (plane % 64));
        }
    }

    /// Replaces a plane.
    pub(super) fn set_plane(&mut self, shape: &Shape, plane: usize, words: &[u64]) {
        let start = shape.planes_at + plane * shape.words;
        self.0[start..start + shape.words].copy_from_slice(words);
        let any = words.iter().any(|&word| word != 0);
        let present = &mut self.0[plane / 64];
        *present = *present & !(1 << (plane % 64)) | u64::from(any) << (plane % 64);
    }

    /// The movement of a layer in a cell.
    pub(super) fn motion(&self, shape: &Shape, layout: &Layout, cell: usize, layer: usize) -> u8 {
        let Some(first) = layout.motion[layer] else {
            return 0;
        };
        (0..5).fold(0, |motion, bit| {
            motion | u8::from(self.has(shape, first + bit, cell)) << bit
        })
    }

    /// Ends all movements of all cells.
    pub(super) fn stop(&mut self, shape: &Shape, layout: &Layout) {
        for plane in layout.objects..layout.planes {
            if self.0[plane / 64] >> (plane % 64) & 1 == 1 {
                let start = shape.planes_at + plane * shape.words;
                self.0[start..start + shape.words].fill(0);
                self.0[plane / 64] &= !(1 << (plane % 64));
            }
        }
    }

    /// Whether both have the same objects.
    pub(super) fn same_objects(&self, other: &Bits, shape: &Shape, layout: &Layout) -> bool {
        let planes = shape.planes_at..shape.planes_at + layout.objects * shape.words;
        self.0[planes.clone()] == other.0[planes]
    }
}
