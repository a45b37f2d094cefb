//! The rules again, for searches: a board is a few bit sets, and a shot is a few dozen machine instructions whatever
//! the size of the board.
//!
//! A board is the set of its blocks and, for each binary digit of a colour's number, the set of the blocks whose colour
//! has that digit (*planes*). Then the blocks of one colour are an intersection, the first block in the way of a shot is
//! a lowest or highest bit, and a row's worth of columns falls by one in a single shift.
//!
//! Packed for a search's memory, the set of blocks is left out: in the first plane each column ends in a one above its
//! topmost block. The hand goes into spare bits. So a 7×7 board takes one word with two colours, two with three
//! or four, and three with up to eight.

use super::bits::{Bits, Layout};
use super::rules::{Cells, Colour, Hand, Move, Plotting, State};
use crate::*;

/// Boards of up to 64 places and 8 colours, and the others, which are rare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Board {
    Narrow(Planes<u64, 3>),
    Wide(Box<Planes<u128, 5>>),
}

#[derive(Clone, Debug)]
pub(super) enum Layouts {
    Narrow(Layout<u64>, Packing),
    Wide(Layout<u128>, Packing),
}

/// Bits outside of `blocks` are 0 in every plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Planes<B, const P: usize> {
    pub blocks: B,
    pub digits: [B; P],
}

/// What a shot would do.
pub(super) struct Hit<B> {
    pub colour: Colour,
    /// What it consumes along the row at this height, and in falling.
    pub along: B,
    pub level: u32,
    pub falling: B,
    /// The block that stops it; empty if it reaches the floor.
    pub stopped: B,
}

/// What a hand sees of a board.
pub(super) struct Sight<B> {
    /// The blocks of its colour.
    pub same: B,
    /// The others that a row shot would hit first.
    pub stops: B,
    /// The blocks of its colour before those.
    pub before: B,
    /// Whether the last column has a block of its colour on top.
    pub over_wall: bool,
}

/// How states of a level lie in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    /// Planes in use; at least 1.
    planes: usize,
    /// Where the hand is: a word, and a shift in it. The wildcards left follow.
    hand_word: usize,
    hand_shift: u32,
    hand_bits: u32,
    /// What stands for a wildcard: one more than the last colour.
    wildcard: u64,
}

impl<B: Bits, const P: usize> Planes<B, P> {
    /// The blocks of this colour.
    #[inline(always)]
    pub(super) fn of(&self, colour: Colour) -> B {
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
    pub(super) fn at(&self, place: B) -> Colour {
        let mut colour = 0;
        for (index, &digit) in self.digits.iter().enumerate() {
            colour |= Colour::from(!(digit & place).is_empty()) << index;
        }
        colour
    }

    #[inline]
    fn paint(&mut self, place: B, colour: Colour) {
        for (index, digit) in self.digits.iter_mut().enumerate() {
            *digit &= !place;
            if colour >> index & 1 == 1 {
                *digit |= place;
            }
        }
    }

    #[inline]
    fn each(&mut self, change: impl Fn(B) -> B) {
        self.blocks = change(self.blocks);
        for digit in &mut self.digits {
            *digit = change(*digit);
        }
    }

    /// What a shot of this hand does; `None` if it is no move. Does not ask whether the line is blocked.
    #[inline]
    pub(super) fn hit(&self, layout: &Layout<B>, hand: Hand, mv: Move) -> Option<Hit<B>> {
        let (line, fall, level) = match mv {
            Move::Row(row) => {
                let level = layout.rows - 1 - u32::from(row);
                (layout.levels[level as usize], layout.under(level), level)
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
        let colour = hand.unwrap_or_else(|| self.at(first));
        let same = self.of(colour);
        if (first & same).is_empty() {
            return None;
        }
        let stop = (line & !same).lowest();
        if !stop.is_empty() {
            return Some(Hit {
                colour,
                along: line & stop.below(),
                level,
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
        // Nothing lies below an empty set: all of `fall` is then consumed.
        let spared = if stop.is_empty() {
            stop
        } else {
            stopped | stopped.below()
        };
        Some(Hit {
            colour,
            along: line,
            level,
            falling: fall & !spared,
            stopped,
        })
    }

    #[inline(always)]
    pub(super) fn sight(&self, layout: &Layout<B>, hand: Colour) -> Sight<B> {
        let same = self.of(hand);
        let others = self.blocks & !same;
        let behind = layout.right_of(others);
        let tops = self.blocks & !(self.blocks >> 1);
        Sight {
            same,
            stops: others & !behind,
            before: same & !behind,
            over_wall: !(tops & same & layout.last_column()).is_empty(),
        }
    }

    /// Calls back with every legal shot of this colour along open lines.
    #[inline]
    fn each_legal(
        &self,
        layout: &Layout<B>,
        hand: Colour,
        open: &[Move],
        mut found: impl FnMut(Move),
    ) {
        let sight = self.sight(layout, hand);
        let tops = self.blocks & !(self.blocks >> 1) & sight.same;
        for &mv in open {
            let legal = match mv {
                Move::Row(row) => {
                    let line = layout.levels[layout.rows as usize - 1 - usize::from(row)];
                    !(sight.before & line).is_empty()
                        || sight.over_wall && (self.blocks & line).is_empty()
                }
                Move::Col(col) => !(tops & layout.columns[usize::from(col)]).is_empty(),
            };
            if legal {
                found(mv);
            }
        }
    }

    /// The board after the hit, and the colour in the hand.
    #[inline]
    pub(super) fn after(&self, layout: &Layout<B>, hit: &Hit<B>) -> (Self, Colour) {
        let mut next = *self;
        let mut hand = hit.colour;
        if !hit.stopped.is_empty() {
            hand = self.at(hit.stopped);
            next.paint(hit.stopped, hit.colour);
        }
        let mut along = hit.along;
        if !hit.falling.is_empty() {
            // What goes in the last column is one piece: the row's cell there, if any, and those below it.
            let corner = along & layout.last_column();
            let gone = hit.falling | corner;
            along &= !corner;
            let bottom = gone.lowest();
            let depth = gone.count();
            let column = layout.upward(bottom, bottom.index() % layout.stride);
            let above = column & !gone;
            next.each(|plane| (plane & !column) | ((plane & above) >> depth));
        }
        if !along.is_empty() {
            let columns = layout.upward(along, hit.level);
            let above = columns & !along;
            next.each(|plane| (plane & !columns) | ((plane & above) >> 1));
        }
        (next, hand)
    }

    /// How many blocks there are, and how many pairs of neighbours of one colour, side by side or one above the other.
    pub(super) fn pairs(&self, layout: &Layout<B>) -> (u32, u32) {
        let alike = |shift: u32| {
            let mut alike = self.blocks & (self.blocks >> shift);
            for &digit in &self.digits {
                let moved = digit >> shift;
                alike &= (digit & moved) | !(digit | moved);
            }
            alike.count()
        };
        (self.blocks.count(), alike(1) + alike(layout.stride))
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

    fn from_cells(layout: &Layout<B>, cells: &Cells) -> Self {
        let mut planes = Self {
            blocks: B::EMPTY,
            digits: [B::EMPTY; P],
        };
        for (row, col) in cells.places() {
            if let Some(colour) = cells[(row, col)] {
                let place = layout.place(layout.rows - 1 - row as u32, col as u32);
                planes.blocks |= place;
                planes.paint(place, colour);
            }
        }
        planes
    }

    fn to_cells(self, layout: &Layout<B>) -> Cells {
        let mut cells = Grid::new(layout.rows as usize, layout.cols as usize, None);
        for (row, col) in cells.places() {
            let place = layout.place(layout.rows - 1 - row as u32, col as u32);
            if !(self.blocks & place).is_empty() {
                cells[(row, col)] = Some(self.at(place));
            }
        }
        cells
    }
}

impl Layouts {
    /// For boards of this size, with this many colours and at most this many wildcards.
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

    pub(super) fn pack(&self, cells: &Cells) -> Board {
        match self {
            Self::Narrow(layout, _) => Board::Narrow(Planes::from_cells(layout, cells)),
            Self::Wide(layout, _) => Board::Wide(Box::new(Planes::from_cells(layout, cells))),
        }
    }

    pub(super) fn unpack(&self, board: &Board) -> Cells {
        match (self, board) {
            (Self::Narrow(layout, _), Board::Narrow(planes)) => planes.to_cells(layout),
            (Self::Wide(layout, _), Board::Wide(planes)) => planes.to_cells(layout),
            _ => unreachable!("{MIXED}"),
        }
    }
}

pub(super) const MIXED: &str = "a state is used with its own level";

impl Packing {
    fn new<B: Bits>(layout: &Layout<B>, colours: usize, wildcards: u8) -> Self {
        let planes = digits_of(colours.max(2) as u64 - 1) as usize;
        let hand_bits = digits_of(colours as u64);
        let spare = B::WIDTH - layout.stride * layout.cols;
        // Hand and wildcards go above the last plane if there is room, else into a word of their own.
        let aside = hand_bits + digits_of(u64::from(wildcards));
        let (hand_word, hand_shift) = if aside <= spare.min(64) {
            (planes * B::WORDS - 1, 64 - aside)
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

/// How many binary digits a number has; 0 has none.
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

    /// Calls back with every legal shot.
    #[inline]
    fn each_legal(&self, board: &Board, hand: Hand, mut found: impl FnMut(Move)) {
        match (&self.layouts, board, hand) {
            (Layouts::Narrow(layout, _), Board::Narrow(planes), Some(hand)) => {
                planes.each_legal(layout, hand, &self.open, found);
            }
            (Layouts::Wide(layout, _), Board::Wide(planes), Some(hand)) => {
                planes.each_legal(layout, hand, &self.open, found);
            }
            // A wildcard is rare: it is asked shot by shot.
            (Layouts::Narrow(layout, _), Board::Narrow(planes), None) => {
                let legal = |mv: &&Move| planes.hit(layout, None, **mv).is_some();
                self.open.iter().filter(legal).for_each(|&mv| found(mv));
            }
            (Layouts::Wide(layout, _), Board::Wide(planes), None) => {
                let legal = |mv: &&Move| planes.hit(layout, None, **mv).is_some();
                self.open.iter().filter(legal).for_each(|&mv| found(mv));
            }
            _ => unreachable!("{MIXED}"),
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
        self.each_legal(&state.board, state.hand, |mv| moves.push(mv));
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
            _ => unreachable!("{MIXED}"),
        };
        let mut next = State {
            board,
            hand: Some(hand),
            wildcards: state.wildcards,
        };
        if next.wildcards > 0 && !self.is_goal(&next) {
            let mut stuck = true;
            self.each_legal(&next.board, next.hand, |_| stuck = false);
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
            _ => unreachable!("{MIXED}"),
        };
        let hand = state.hand.map_or(packing.wildcard, u64::from);
        let aside = hand | u64::from(state.wildcards) << packing.hand_bits;
        words[packing.hand_word] |= aside << packing.hand_shift;
    }

    #[inline]
    fn unpack(&self, words: &[u64]) -> State {
        let read = |packing: &Packing| {
            let aside = words[packing.hand_word] >> packing.hand_shift;
            let hand = aside & ((1 << packing.hand_bits) - 1);
            let hand = (hand != packing.wildcard).then_some(hand as Colour);
            (hand, (aside >> packing.hand_bits) as u8)
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
