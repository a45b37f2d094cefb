//! The fast rules. A *ray* is the cells that a craft may cross to one side before a wall or the
//! edge. On boards of at most 128 cells a ray is a bit set in one word, and the nearest craft on it
//! is the lowest or highest bit that the ray shares with the occupied cells. Larger boards compare
//! craft pair by pair, which needs no bit sets and is fast enough with few craft.
//!
//! A packed state is the red cell and then the helpers' cells in ascending order, each in as few
//! bits as the board allows, and as many in a word as fit. The helpers are interchangeable, so
//! their names are not kept.

use super::rules::{LunarLockout, MAX_CRAFT, Move, State};
use crate::*;

/// A set of cells.
pub(super) type Bits = u128;

/// The stop of a craft that would leave the board.
pub(super) const OFF_BOARD: u16 = u16::MAX;

/// Lookup tables for slides, by side and cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// The rays; empty if the board is too large for bit sets.
    pub(super) rays: [Vec<Bits>; 4],
    /// The lengths of the rays.
    reach: [Vec<u16>; 4],
    /// Where a craft rests if no other is on its ray; `OFF_BOARD` if it would leave the board.
    pub(super) ends: [Vec<u16>; 4],
}

impl Tables {
    pub(super) fn new(walls: &Grid<u8>, edge_stops: bool) -> Self {
        let mut tables = Tables::default();
        let cells = walls.rows() * walls.cols();
        for side in Side::ALL {
            let index = side as usize;
            tables.reach[index] = vec![0; cells];
            tables.ends[index] = vec![OFF_BOARD; cells];
            if cells <= Bits::BITS as usize {
                tables.rays[index] = vec![0; cells];
            }
            // From the far side back, so that the next cell on the ray is always done already.
            let forward = matches!(side, Side::Up | Side::Left);
            for step in 0..cells {
                let cell = if forward { step } else { cells - 1 - step };
                let place = (cell / walls.cols(), cell % walls.cols());
                let barred = walls[place] & (1 << side as u8) != 0;
                match walls.beside(place, side).filter(|_| !barred) {
                    Some((row, col)) => {
                        let next = row * walls.cols() + col;
                        tables.reach[index][cell] = tables.reach[index][next] + 1;
                        tables.ends[index][cell] = tables.ends[index][next];
                        if let Some(&ray) = tables.rays[index].get(next) {
                            tables.rays[index][cell] = ray | 1 << next;
                        }
                    }
                    None if barred || edge_stops => tables.ends[index][cell] = cell as u16,
                    None => {}
                }
            }
        }
        tables
    }

    fn has_bits(&self) -> bool {
        !self.rays[0].is_empty()
    }

    /// Where a craft comes to rest; `cell` itself or `OFF_BOARD` if it cannot move that way.
    fn stop(&self, cols: usize, occupied: Bits, cell: u16, side: Side) -> u16 {
        let (index, from) = (side as usize, usize::from(cell));
        let blockers = occupied & self.rays[index][from];
        if blockers == 0 {
            return self.ends[index][from];
        }
        match side {
            Side::Up => 127 - blockers.leading_zeros() as u16 + cols as u16,
            Side::Left => 127 - blockers.leading_zeros() as u16 + 1,
            Side::Right => blockers.trailing_zeros() as u16 - 1,
            Side::Down => blockers.trailing_zeros() as u16 - cols as u16,
        }
    }

    /// The same as `stop` without bit sets: finds the nearest craft on the ray.
    fn stop_among(&self, cols: usize, craft: &[u16], cell: u16, side: Side) -> u16 {
        let (index, from) = (side as usize, usize::from(cell));
        let mut nearest = usize::from(self.reach[index][from]) + 1;
        let mut blocked = false;
        for &other in craft {
            let other = usize::from(other);
            let (same_row, same_col) = (from / cols == other / cols, from % cols == other % cols);
            let distance = match side {
                Side::Up if same_col && other < from => (from - other) / cols,
                Side::Down if same_col && other > from => (other - from) / cols,
                Side::Left if same_row && other < from => from - other,
                Side::Right if same_row && other > from => other - from,
                _ => continue,
            };
            if distance < nearest {
                (nearest, blocked) = (distance, true);
            }
        }
        if !blocked {
            return self.ends[index][from];
        }
        let steps = nearest as isize - 1;
        let (down, right) = side.step();
        (from as isize + steps * (down * cols as isize + right)) as u16
    }
}

/// The cells of some craft as bits.
pub(super) fn bits(craft: &[u16]) -> Bits {
    craft.iter().fold(0, |bits, &cell| bits | 1 << cell)
}

/// The number of states of the board with this many craft, where helpers are interchangeable;
/// `None` if it does not fit in 64 bits.
pub(super) fn states(level: &LunarLockout) -> Option<u64> {
    let cells = (level.rows * level.cols) as u64;
    let mut states = cells;
    for helper in 1..level.names.len() as u64 {
        // Every prefix of this product is a binomial coefficient times the cells, so the division
        // is exact.
        states = states.checked_mul(cells - helper)? / helper;
    }
    Some(states)
}

/// The lowest cell, and the others.
fn split(bits: Bits) -> (u16, Bits) {
    (bits.trailing_zeros() as u16, bits & (bits - 1))
}

impl LunarLockout {
    fn stop(&self, state: &State, mv: Move) -> u16 {
        let craft = self.craft(state);
        if self.tables.has_bits() {
            let occupied = bits(craft);
            self.tables.stop(self.cols, occupied, mv.cell, mv.side)
        } else {
            self.tables.stop_among(self.cols, craft, mv.cell, mv.side)
        }
    }

    /// Where red would come to rest; its own cell or `OFF_BOARD` if it cannot move that way.
    pub(super) fn red_stop(&self, state: &State, side: Side) -> u16 {
        let cell = state.cells[0];
        self.stop(state, Move { cell, side })
    }

    fn bits_per_cell(&self) -> usize {
        let last = self.rows * self.cols - 1;
        (usize::BITS - last.leading_zeros()).max(1) as usize
    }
}

impl Space for LunarLockout {
    type State = State;
    type Move = Move;

    fn start(&self) -> State {
        State::new(&self.start)
    }

    fn is_goal(&self, state: &State) -> bool {
        state.cells[0] == self.goal
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        let craft = self.craft(state);
        let mut consider = |cell: u16, stop: u16, side: Side| {
            if stop != cell && stop != OFF_BOARD {
                moves.push(Move { cell, side });
            }
        };
        if self.tables.has_bits() {
            let occupied = bits(craft);
            let mut rest = occupied;
            while rest != 0 {
                let (cell, others) = split(rest);
                rest = others;
                for side in Side::ALL {
                    consider(
                        cell,
                        self.tables.stop(self.cols, occupied, cell, side),
                        side,
                    );
                }
            }
        } else {
            let mut sorted = state.cells;
            let sorted = &mut sorted[..craft.len()];
            sorted.sort_unstable();
            for &cell in &*sorted {
                for side in Side::ALL {
                    consider(
                        cell,
                        self.tables.stop_among(self.cols, craft, cell, side),
                        side,
                    );
                }
            }
        }
    }

    fn apply(&self, state: &State, mv: Move) -> State {
        let mover = self.craft_at(state, mv.cell);
        let mut after = *state;
        after.cells[mover.expect("a listed move has its craft")] = self.stop(state, mv);
        after
    }

    fn words(&self) -> usize {
        self.names.len().div_ceil(64 / self.bits_per_cell())
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        let width = self.bits_per_cell();
        let mut cells = state.cells;
        let cells = &mut cells[..self.names.len()];
        cells[1..].sort_unstable();
        for (word, part) in words.iter_mut().zip(cells.chunks(64 / width)) {
            *word = part
                .iter()
                .rev()
                .fold(0, |word, &cell| word << width | u64::from(cell));
        }
    }

    fn unpack(&self, words: &[u64]) -> State {
        let width = self.bits_per_cell();
        let per_word = 64 / width;
        let mut cells = [OFF_BOARD; MAX_CRAFT];
        for (index, cell) in cells[..self.names.len()].iter_mut().enumerate() {
            let shifted = words[index / per_word] >> (index % per_word * width);
            *cell = (shifted & ((1 << width) - 1)) as u16;
        }
        State { cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses boards that are too large for bit sets, and one that is just small enough, with walls.
    #[test]
    fn slides_with_and_without_bit_sets_agree_with_the_slow_rules() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let (rows, cols) = *random.choose(&[(8, 16), (11, 12), (1, 200), (13, 10), (60, 70)]);
            let spec = Spec::size(rows, cols)
                .with("craft", 2 + random.below(60) as u32)
                .with("walls", random.below(30) as u32)
                .with("edge", random.below(2) as u32);
            let level = LunarLockout::generate(&spec, &mut random).unwrap();
            let mut state = level.start();
            for _ in 0..20 {
                let legal = legal_moves(&level, &state);
                let mut fast = Vec::new();
                level.moves(&state, &mut fast);
                assert_eq!(fast, legal);
                let Some(&mv) = legal.get(random.below(legal.len().max(1))) else {
                    break;
                };
                assert_eq!(Ok(level.apply(&state, mv)), level.play(&state, mv));
                state = level.apply(&state, mv);
                let mut words = vec![0; level.words()];
                level.pack(&state, &mut words);
                let mut again = words.clone();
                level.pack(&level.unpack(&words), &mut again);
                assert_eq!(words, again);
            }
        }
    }

    #[test]
    fn states_with_swapped_helpers_pack_equally() {
        let read = |text: &str| {
            let document = Document::parse(text).unwrap();
            LunarLockout::parse(&document).unwrap()
        };
        let pack = |level: &LunarLockout| {
            let mut words = vec![0; level.words()];
            level.pack(&level.start(), &mut words);
            words
        };
        let one = read("game: lunar-lockout\nRa.b\n..X.\n");
        assert_eq!(pack(&one), pack(&read("game: lunar-lockout\nRb.a\n..X.\n")));
        assert_ne!(pack(&one), pack(&read("game: lunar-lockout\naR.b\n..X.\n")));
    }
}
