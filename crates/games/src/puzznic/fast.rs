//! The fast rules, and the packing of states.
//!
//! The cells that are not wall are numbered column by column from the top, so that a *shaft* (a
//! part of a column between two walls) is a range of numbers. In a settled state the blocks of a
//! shaft fill its lower end. Hence
//! - a state packs into the height of each shaft and the list of the blocks' patterns; empty cells
//!   take no space. The hardest levels of the papers take two words;
//! - after a move only blocks that fell, and their neighbours, can match, so settling checks only
//!   these.

use super::rules::{Board, Move, Puzznic, Tile};
use crate::*;

/// The content of each cell that is not wall: 0 for empty, or a pattern plus 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(pub(super) Box<[u8]>);

/// The cells that are not wall, and their neighbours.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The number of each cell of the grid; `NONE` for wall.
    numbers: Grid<u16>,
    pub(super) places: Vec<(u16, u16)>,
    /// The left and right neighbours of each cell; `NONE` for wall.
    pub(super) left: Vec<u16>,
    pub(super) right: Vec<u16>,
    /// The shafts, and the shaft of each cell.
    pub(super) shafts: Vec<Shaft>,
    pub(super) shaft_of: Vec<u16>,
    /// Number of bits of a block's pattern in a packed state.
    pattern_bits: u32,
    /// Number of words of a packed state.
    words: usize,
}

/// The cells from `top` to `end`, without `end`, from top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shaft {
    pub(super) top: u16,
    pub(super) end: u16,
    /// Number of bits of the shaft's height in a packed state.
    height_bits: u32,
}

pub(super) const NONE: u16 = u16::MAX;

/// The most cells that can be numbered.
pub(super) const MOST_CELLS: usize = NONE as usize;

impl Field {
    /// The board has at most `MOST_CELLS` cells that are not wall.
    pub(super) fn new(board: &Board, patterns: usize) -> Field {
        let mut numbers = Grid::new(board.rows(), board.cols(), NONE);
        let mut places = Vec::new();
        let mut shafts: Vec<Shaft> = Vec::new();
        let mut shaft_of = Vec::new();
        let blocks = board
            .cells()
            .iter()
            .filter(|tile| tile.pattern().is_some())
            .count();
        for col in 0..board.cols() {
            let mut above = Tile::Wall;
            for row in 0..board.rows() {
                let tile = board[(row, col)];
                if tile != Tile::Wall {
                    let number = places.len() as u16;
                    if above == Tile::Wall {
                        shafts.push(Shaft {
                            top: number,
                            end: number,
                            height_bits: 0,
                        });
                    }
                    numbers[(row, col)] = number;
                    places.push((row as u16, col as u16));
                    shaft_of.push((shafts.len() - 1) as u16);
                    shafts.last_mut().expect("just pushed").end += 1;
                }
                above = tile;
            }
        }
        for shaft in &mut shafts {
            let highest = usize::from(shaft.end - shaft.top).min(blocks);
            shaft.height_bits = bits_for(highest + 1);
        }
        let beside = |side| -> Vec<u16> {
            let number = |&(row, col): &(u16, u16)| {
                let there = numbers.beside((usize::from(row), usize::from(col)), side);
                there.map_or(NONE, |there| numbers[there])
            };
            places.iter().map(number).collect()
        };
        let (left, right) = (beside(Side::Left), beside(Side::Right));
        let pattern_bits = bits_for(patterns.max(1));
        let bits = shafts.iter().map(|shaft| shaft.height_bits).sum::<u32>()
            + pattern_bits * blocks as u32;
        Field {
            numbers,
            places,
            left,
            right,
            shafts,
            shaft_of,
            pattern_bits,
            words: (bits as usize).div_ceil(64).max(1),
        }
    }

    pub(super) fn number(&self, row: u16, col: u16) -> Option<u16> {
        let number = self.numbers.get(usize::from(row), usize::from(col));
        number.copied().filter(|&number| number != NONE)
    }

    pub(super) fn pattern_at(&self, state: &State, place: (usize, usize)) -> Option<u8> {
        let number = self.numbers[place];
        (number != NONE)
            .then(|| state.0[usize::from(number)])
            .filter(|&block| block > 0)
            .map(|block| block - 1)
    }

    /// The cells of a board, which need not have settled.
    pub(super) fn state_of(&self, board: &Board) -> State {
        let block = |&(row, col): &(u16, u16)| {
            let pattern = board[(usize::from(row), usize::from(col))].pattern();
            pattern.map_or(0, |pattern| pattern + 1)
        };
        State(self.places.iter().map(block).collect())
    }

    /// Settles a state in which every shaft may have holes.
    pub(super) fn settle_all(&self, state: &mut State) {
        let all: Vec<(u16, u16)> = (0..self.shafts.len() as u16)
            .map(|shaft| (shaft, self.shafts[usize::from(shaft)].end.saturating_sub(1)))
            .collect();
        self.settle(&mut state.0, all);
    }

    /// Settles a board in which only the given shafts may have holes or new neighbours, and only at
    /// the given cell or above it.
    fn settle(&self, cells: &mut [u8], mut disturbed: Vec<(u16, u16)>) {
        let mut fallen: Vec<u16> = Vec::new();
        let mut matching: Vec<u16> = Vec::new();
        while !disturbed.is_empty() {
            fallen.clear();
            for (shaft, lowest) in disturbed.drain(..) {
                let top = self.shafts[usize::from(shaft)].top;
                let mut free = usize::from(lowest);
                for cell in (usize::from(top)..=usize::from(lowest)).rev() {
                    if cells[cell] != 0 {
                        cells.swap(cell, free);
                        fallen.push(free as u16);
                        free = free.saturating_sub(1);
                    }
                }
            }
            // Blocks with an equal neighbour vanish; one of each such pair must have fallen.
            matching.clear();
            for &cell in &fallen {
                for beside in self.beside(cell) {
                    if beside != NONE && cells[usize::from(beside)] == cells[usize::from(cell)] {
                        matching.push(beside);
                        matching.push(cell);
                    }
                }
            }
            // The blocks of a shaft fall from its lowest hole up.
            matching.sort_unstable();
            for &cell in &matching {
                cells[usize::from(cell)] = 0;
                let shaft = self.shaft_of[usize::from(cell)];
                match disturbed.last_mut() {
                    Some((last, lowest)) if *last == shaft => *lowest = cell,
                    _ => disturbed.push((shaft, cell)),
                }
            }
        }
    }

    /// The four neighbours (left, right, above, below); `NONE` for wall.
    pub(super) fn beside(&self, cell: u16) -> [u16; 4] {
        let index = usize::from(cell);
        let shaft = self.shafts[usize::from(self.shaft_of[index])];
        [
            self.left[index],
            self.right[index],
            if cell > shaft.top { cell - 1 } else { NONE },
            if cell + 1 < shaft.end { cell + 1 } else { NONE },
        ]
    }
}

impl Space for Puzznic {
    type State = State;
    type Move = Move;

    fn start(&self) -> State {
        self.start.clone()
    }

    fn is_goal(&self, state: &State) -> bool {
        state.0.iter().all(|&cell| cell == 0)
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        let field = &self.field;
        for (cell, &block) in state.0.iter().enumerate() {
            if block == 0 {
                continue;
            }
            let (row, col) = field.places[cell];
            for (beside, side) in [
                (field.left[cell], Side::Left),
                (field.right[cell], Side::Right),
            ] {
                if beside != NONE && state.0[usize::from(beside)] == 0 {
                    moves.push(Move { row, col, side });
                }
            }
        }
    }

    fn apply(&self, state: &State, mv: Move) -> State {
        let field = &self.field;
        let from = field.number(mv.row, mv.col).expect("the move was listed");
        let to = match mv.side {
            Side::Left => field.left[usize::from(from)],
            _ => field.right[usize::from(from)],
        };
        let mut cells = state.0.clone();
        cells.swap(usize::from(from), usize::from(to));
        let shaft = field.shaft_of[usize::from(to)];
        let end = usize::from(field.shafts[usize::from(shaft)].end);
        let below = &cells[usize::from(to) + 1..end];
        let floor = usize::from(to) + below.iter().take_while(|&&cell| cell == 0).count();
        let disturbed = vec![
            (field.shaft_of[usize::from(from)], from),
            (shaft, floor as u16),
        ];
        field.settle(&mut cells, disturbed);
        State(cells)
    }

    fn words(&self) -> usize {
        self.field.words
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        words.fill(0);
        let mut to = BitWriter { words, at: 0 };
        let field = &self.field;
        for shaft in &field.shafts {
            let cells = &state.0[usize::from(shaft.top)..usize::from(shaft.end)];
            let height = cells.iter().rev().take_while(|&&cell| cell != 0).count();
            to.put(height as u64, shaft.height_bits);
            for &block in &cells[cells.len() - height..] {
                to.put(u64::from(block - 1), field.pattern_bits);
            }
        }
    }

    fn unpack(&self, words: &[u64]) -> State {
        let mut at = 0;
        let mut take = |bits: u32| {
            let value = read_bits(words, at, bits);
            at += bits as usize;
            value
        };
        let field = &self.field;
        let mut cells = vec![0; field.places.len()].into_boxed_slice();
        for shaft in &field.shafts {
            let height = take(shaft.height_bits) as usize;
            let end = usize::from(shaft.end);
            for cell in &mut cells[end - height..end] {
                *cell = take(field.pattern_bits) as u8 + 1;
            }
        }
        State(cells)
    }
}

/// The number of bits needed for this many different values.
fn bits_for(values: usize) -> u32 {
    usize::BITS - (values - 1).leading_zeros()
}

struct BitWriter<'a> {
    words: &'a mut [u64],
    at: usize,
}

impl BitWriter<'_> {
    fn put(&mut self, value: u64, bits: u32) {
        let (word, shift) = (self.at / 64, self.at % 64);
        if bits > 0 {
            self.words[word] |= value << shift;
            if shift + bits as usize > 64 {
                self.words[word + 1] |= value >> (64 - shift);
            }
        }
        self.at += bits as usize;
    }
}

fn read_bits(words: &[u64], at: usize, bits: u32) -> u64 {
    if bits == 0 {
        return 0;
    }
    let (word, shift) = (at / 64, at % 64);
    let mut value = words[word] >> shift;
    if shift + bits as usize > 64 {
        value |= words[word + 1] << (64 - shift);
    }
    value & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_cross_words() {
        let mut words = [0; 2];
        let mut to = BitWriter {
            words: &mut words,
            at: 60,
        };
        to.put(0b1011_0101, 8);
        assert_eq!(read_bits(&words, 60, 8), 0b1011_0101);
        assert_eq!(
            (bits_for(1), bits_for(2), bits_for(5), bits_for(8)),
            (0, 1, 3, 3)
        );
    }

    #[test]
    fn empty_cells_take_no_space_in_packed_states() {
        let rows = format!("#####\n{}#A.A#\n#####\n", "#...#\n".repeat(96));
        let document = Document::parse(&format!("game: puzznic\n\n{rows}")).unwrap();
        let level = Puzznic::parse(&document).unwrap();
        assert_eq!(level.words(), 1);
    }
}
