//! The rules on bitboards, for searches: a shot takes a few dozen machine instructions on a board
//! of any size.
//!
//! A board is the set of its blocks and one *plane* for each binary digit of a colour's number: the
//! set of the blocks whose colour has that digit. The blocks of one colour are then an
//! intersection, the first block in the way of a shot is the lowest or highest bit of a set, and
//! all columns above a row fall by one in a single shift.
//!
//! A packed state leaves out the set of blocks: in the first plane, a 1 above the topmost block
//! marks the height of each column. The hand goes into unused bits. So a 7×7 board takes one word
//! with two colours, two with three or four, and three with up to eight.
//!
//! `rules.rs` reads and writes the planes by code of its own: the two share the types of a level
//! and a state, and nothing that computes.

use super::bits::{Bits, Layout};
use super::rules::{Colour, Hand, Move, Plotting, State};
use crate::*;

/// `Narrow` for boards of up to 64 places and 8 colours, `Wide` for the others, which are rare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Board {
    Narrow(Planes<u64, 3>),
    Wide(Box<Planes<u128, 5>>),
}

/// The layout and packing that belong to the two kinds of `Board`.
#[derive(Clone, Debug)]
pub(super) enum Layouts {
    Narrow(Layout<u64>, Packing),
    Wide(Layout<u128>, Packing),
}

/// The blocks, and their colours in binary. Bits outside of `blocks` are 0 in every plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Planes<B, const P: usize> {
    pub blocks: B,
    pub digits: [B; P],
}

/// The effect of a shot.
pub(super) struct Hit<B> {
    pub colour: Colour,
    /// The blocks that it consumes along its row.
    pub along: B,
    /// The height of the row; 0 for a column shot.
    pub height: u32,
    /// The blocks that it consumes on its way down.
    pub falling: B,
    /// The block that stops it; empty if it reaches the floor.
    pub stopped: B,
}

/// The blocks that matter to shots of one colour.
pub(super) struct Targets<B> {
    /// All blocks of the colour.
    pub same: B,
    /// In each row, the first block of another colour.
    pub stops: B,
    /// The blocks of the colour that have no block of another colour to their left in their row.
    pub before: B,
    /// Whether the topmost block of the last column has the colour.
    pub on_last_column: bool,
}

/// The positions of a state's parts in its packed words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    /// Number of planes in use; at least 1.
    planes: usize,
    /// Word and shift of the hand. The number of wildcards left follows it.
    hand_word: usize,
    hand_shift: u32,
    hand_bits: u32,
    /// The code of a wildcard hand: one more than the last colour.
    wildcard: u64,
}

impl<B: Bits, const P: usize> Planes<B, P> {
    /// The blocks of this colour.
    #[inline(always)]
    pub(super) fn of_colour(&self, colour: Colour) -> B {
        let mut same = self.blocks;
        for (index, &digit) in self.digits.iter().enumerate() {
            same &= if colour >> index & 1 == 1 {
                digit
            } else {
                !digit
            };
        }
        same
    }

    /// The colour of the block at this place.
    #[inline(always)]
    pub(super) fn colour_at(&self, place: B) -> Colour {
        let mut colour = 0;
        for (index, &digit) in self.digits.iter().enumerate() {
            colour |= Colour::from(!(digit & place).is_empty()) << index;
        }
        colour
    }

    #[inline]
    fn set_colour(&mut self, place: B, colour: Colour) {
        for (index, digit) in self.digits.iter_mut().enumerate() {
            *digit &= !place;
            if colour >> index & 1 == 1 {
                *digit |= place;
            }
        }
    }

    #[inline]
    fn map_planes(&mut self, change: impl Fn(B) -> B) {
        self.blocks = change(self.blocks);
        for digit in &mut self.digits {
            *digit = change(*digit);
        }
    }

    /// The effect of a shot with this hand; `None` if it is not legal. Does not check whether the
    /// row or column is blocked.
    #[inline]
    pub(super) fn hit(&self, layout: &Layout<B>, hand: Hand, mv: Move) -> Option<Hit<B>> {
        let (line, fall, height) = match mv {
            Move::Row(row) => {
                let height = layout.rows - 1 - u32::from(row);
                (
                    layout.row_at[height as usize],
                    layout.last_column_below(height),
                    height,
                )
            }
            Move::Col(col) => (B::EMPTY, layout.columns[usize::from(col)], 0),
        };
        let (line, fall) = (line & self.blocks, fall & self.blocks);
        let first = if !line.is_empty() {
            line.lowest()
        } else if !fall.is_empty() {
            fall.highest()
        } else {
            return None;
        };
        let colour = hand.unwrap_or_else(|| self.colour_at(first));
        let same = self.of_colour(colour);
        if (first & same).is_empty() {
            return None;
        }
        let stop = (line & !same).lowest();
        if !stop.is_empty() {
            return Some(Hit {
                colour,
                along: line & stop.below(),
                height,
                falling: B::EMPTY,
                stopped: stop,
            });
        }
        let stop = fall & !same;
        let stopped = if stop.is_empty() {
            stop
        } else {
            stop.highest()
        };
        // Without a stop, all of `fall` is consumed.
        let spared = if stop.is_empty() {
            stop
        } else {
            stopped | stopped.below()
        };
        Some(Hit {
            colour,
            along: line,
            height,
            falling: fall & !spared,
            stopped,
        })
    }

    #[inline(always)]
    pub(super) fn targets(&self, layout: &Layout<B>, hand: Colour) -> Targets<B> {
        let same = self.of_colour(hand);
        let others = self.blocks & !same;
        let behind = layout.right_of(others);
        let tops = self.blocks & !(self.blocks >> 1);
        Targets {
            same,
            stops: others & !behind,
            before: same & !behind,
            on_last_column: !(tops & same & layout.last_column()).is_empty(),
        }
    }

    /// Calls `found` with every legal shot of this colour among the open rows and columns.
    #[inline]
    fn for_each_legal(
        &self,
        layout: &Layout<B>,
        hand: Colour,
        open: &[Move],
        mut found: impl FnMut(Move),
    ) {
        let targets = self.targets(layout, hand);
        let tops = self.blocks & !(self.blocks >> 1) & targets.same;
        for &mv in open {
            let legal = match mv {
                Move::Row(row) => {
                    let line = layout.row_at[layout.rows as usize - 1 - usize::from(row)];
                    !(targets.before & line).is_empty()
                        || targets.on_last_column && (self.blocks & line).is_empty()
                }
                Move::Col(col) => !(tops & layout.columns[usize::from(col)]).is_empty(),
            };
            if legal {
                found(mv);
            }
        }
    }

    /// The board after the shot, and the new colour in the hand.
    #[inline]
    pub(super) fn after(&self, layout: &Layout<B>, hit: &Hit<B>) -> (Self, Colour) {
        let mut next = *self;
        let mut hand = hit.colour;
        if !hit.stopped.is_empty() {
            hand = self.colour_at(hit.stopped);
            next.set_colour(hit.stopped, hit.colour);
        }
        let mut along = hit.along;
        if !hit.falling.is_empty() {
            // The blocks consumed in the last column are contiguous: the row's cell there, if it
            // held a block, and those below it.
            let corner = along & layout.last_column();
            let gone = hit.falling | corner;
            along &= !corner;
            let bottom = gone.lowest();
            let depth = gone.count();
            let column = layout.upward(bottom, bottom.index() % layout.stride);
            let above = column & !gone;
            next.map_planes(|plane| (plane & !column) | ((plane & above) >> depth));
        }
        if !along.is_empty() {
            let columns = layout.upward(along, hit.height);
            let above = columns & !along;
            next.map_planes(|plane| (plane & !columns) | ((plane & above) >> 1));
        }
        (next, hand)
    }

    /// The number of blocks, and the number of pairs of neighbours with the same colour,
    /// horizontal or vertical.
    pub(super) fn same_colour_pairs(&self, layout: &Layout<B>) -> (u32, u32) {
        let same = |shift: u32| {
            let mut same = self.blocks & (self.blocks >> shift);
            for &digit in &self.digits {
                let moved = digit >> shift;
                same &= (digit & moved) | !(digit | moved);
            }
            same.count()
        };
        (self.blocks.count(), same(1) + same(layout.stride))
    }

    #[inline]
    fn write(&self, layout: &Layout<B>, packing: Packing, words: &mut [u64]) {
        for (index, digit) in self.digits[..packing.planes].iter().enumerate() {
            digit.write(&mut words[index * B::WORDS..]);
        }
        let marked = self.digits[0] | layout.tops(self.blocks);
        marked.write(words);
    }

    #[inline]
    fn read(layout: &Layout<B>, packing: Packing, words: &[u64]) -> Self {
        let mut planes = Self {
            blocks: B::EMPTY,
            digits: [B::EMPTY; P],
        };
        for index in 0..packing.planes {
            planes.digits[index] = B::read(&words[index * B::WORDS..]);
        }
        planes.blocks = layout.under_highest(planes.digits[0]);
        for digit in &mut planes.digits {
            *digit &= planes.blocks;
        }
        planes
    }
}

impl Layouts {
    /// Layout for boards of this size, with this many colours and at most this many wildcards.
    pub(super) fn new(rows: usize, cols: usize, colours: usize, wildcards: u8) -> Self {
        if colours <= 8 && Layout::<u64>::fits(rows, cols) {
            let layout = Layout::<u64>::new(rows, cols);
            let packing = Packing::new(&layout, colours, wildcards);
            Self::Narrow(layout, packing)
        } else {
            let layout = Layout::<u128>::new(rows, cols);
            let packing = Packing::new(&layout, colours, wildcards);
            Self::Wide(layout, packing)
        }
    }
}

pub(super) const SAME_LEVEL: &str = "the state belongs to this level";

impl Packing {
    fn new<B: Bits>(layout: &Layout<B>, colours: usize, wildcards: u8) -> Self {
        let planes = digits_of(colours.max(2) as u64 - 1) as usize;
        // A board without blocks and a wildcard hand: no colours, but the hand takes a bit.
        let hand_bits = digits_of(colours.max(1) as u64);
        let spare = B::WIDTH - layout.stride * layout.cols;
        // Hand and wildcards go above the last plane if there is room, else into an extra word.
        let extra = hand_bits + digits_of(u64::from(wildcards));
        let (hand_word, hand_shift) = if extra <= spare.min(64) {
            (planes * B::WORDS - 1, 64 - extra)
        } else {
            (planes * B::WORDS, 0)
        };
        Self {
            planes,
            hand_word,
            hand_shift,
            hand_bits,
            wildcard: colours as u64,
        }
    }
}

/// The number of binary digits of a number; 0 has none.
fn digits_of(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

impl Plotting {
    fn packing(&self) -> Packing {
        match self.layouts {
            Layouts::Narrow(_, packing) | Layouts::Wide(_, packing) => packing,
        }
    }

    #[inline]
    pub(super) fn is_open(&self, mv: Move) -> bool {
        match mv {
            Move::Row(row) => !self.blocked_rows[usize::from(row)],
            Move::Col(col) => !self.blocked_cols[usize::from(col)],
        }
    }

    #[inline]
    pub(super) fn blocks(&self, state: &State) -> usize {
        let count = match &state.board {
            Board::Narrow(planes) => planes.blocks.count(),
            Board::Wide(planes) => planes.blocks.count(),
        };
        count as usize
    }

    /// Calls `found` with every legal shot.
    #[inline]
    fn for_each_legal(&self, board: &Board, hand: Hand, mut found: impl FnMut(Move)) {
        match (&self.layouts, board, hand) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes), Some(hand)) => {
                planes.for_each_legal(layout, hand, &self.open, found);
            }
            (Layouts::Wide(layout, _), Board::Wide(planes), Some(hand)) => {
                planes.for_each_legal(layout, hand, &self.open, found);
            }
            // Wildcards are rare, so each shot is tried in turn.
            (Layouts::Narrow(layout, _), Board::Narrow(planes), None) => {
                let legal = |mv: &&Move| planes.hit(layout, None, **mv).is_some();
                self.open.iter().filter(legal).for_each(|&mv| found(mv));
            }
            (Layouts::Wide(layout, _), Board::Wide(planes), None) => {
                let legal = |mv: &&Move| planes.hit(layout, None, **mv).is_some();
                self.open.iter().filter(legal).for_each(|&mv| found(mv));
            }
            _ => unreachable!("{SAME_LEVEL}"),
        }
    }
}

impl Space for Plotting {
    type State = State;
    type Move = Move;

    fn start(&self) -> State {
        self.start.clone()
    }

    #[inline]
    fn is_goal(&self, state: &State) -> bool {
        self.blocks(state) <= self.goal
    }

    #[inline]
    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        self.for_each_legal(&state.board, state.hand, |mv| moves.push(mv));
    }

    #[inline]
    fn apply(&self, state: &State, mv: Move) -> State {
        const LISTED: &str = "the move was listed";
        let (board, hand) = match (&self.layouts, &state.board) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes)) => {
                let hit = planes.hit(layout, state.hand, mv).expect(LISTED);
                let (planes, hand) = planes.after(layout, &hit);
                (Board::Narrow(planes), hand)
            }
            (Layouts::Wide(layout, _), Board::Wide(planes)) => {
                let hit = planes.hit(layout, state.hand, mv).expect(LISTED);
                let (planes, hand) = planes.after(layout, &hit);
                (Board::Wide(Box::new(planes)), hand)
            }
            _ => unreachable!("{SAME_LEVEL}"),
        };
        let mut next = State {
            board,
            hand: Some(hand),
            wildcards: state.wildcards,
        };
        if next.wildcards > 0 && !self.is_goal(&next) {
            let mut stuck = true;
            self.for_each_legal(&next.board, next.hand, |_| stuck = false);
            if stuck {
                next.hand = None;
                next.wildcards -= 1;
            }
        }
        next
    }

    fn words(&self) -> usize {
        let packing = self.packing();
        let board = match self.layouts {
            Layouts::Narrow(..) => packing.planes,
            Layouts::Wide(..) => 2 * packing.planes,
        };
        board.max(packing.hand_word + 1)
    }

    #[inline]
    fn pack(&self, state: &State, words: &mut [u64]) {
        let packing = match (&self.layouts, &state.board) {
            (Layouts::Narrow(layout, packing), Board::Narrow(planes)) => {
                words[packing.hand_word] = 0;
                planes.write(layout, *packing, words);
                packing
            }
            (Layouts::Wide(layout, packing), Board::Wide(planes)) => {
                words[packing.hand_word] = 0;
                planes.write(layout, *packing, words);
                packing
            }
            _ => unreachable!("{SAME_LEVEL}"),
        };
        let hand = state.hand.map_or(packing.wildcard, u64::from);
        let extra = hand | u64::from(state.wildcards) << packing.hand_bits;
        words[packing.hand_word] |= extra << packing.hand_shift;
    }

    #[inline]
    fn unpack(&self, words: &[u64]) -> State {
        let read = |packing: &Packing| {
            let extra = words[packing.hand_word] >> packing.hand_shift;
            let hand = extra & ((1 << packing.hand_bits) - 1);
            let hand = (hand != packing.wildcard).then_some(hand as Colour);
            (hand, (extra >> packing.hand_bits) as u8)
        };
        match &self.layouts {
            Layouts::Narrow(layout, packing) => {
                let (hand, wildcards) = read(packing);
                let board = Board::Narrow(Planes::read(layout, *packing, words));
                State {
                    board,
                    hand,
                    wildcards,
                }
            }
            Layouts::Wide(layout, packing) => {
                let (hand, wildcards) = read(packing);
                let board = Board::Wide(Box::new(Planes::read(layout, *packing, words)));
                State {
                    board,
                    hand,
                    wildcards,
                }
            }
        }
    }
}
