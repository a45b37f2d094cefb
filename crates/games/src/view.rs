//! A board as pictures need it: ground, pieces, and status text beside the board. Terminal, SVG,
//! GIF and web page draw a `View` and contain no code for single games.

use crate::grid::{Grid, Side};

/// A board at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The ground.
    pub cells: Grid<Cell>,
    /// The pieces, in drawing order.
    pub pieces: Vec<Piece>,
    /// Whether the picture leaves the width of a cell around the board. Pieces on this rim have row
    /// or column 0, or one past the end.
    pub rim: bool,
    /// What belongs to the state but not to the board: the hand, wildcards left, blocks left.
    pub status: Vec<StatusItem>,
}

/// A cell of the board without its pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What the cell is made of.
    pub ground: Ground,
    /// Whether it is a goal.
    pub goal: bool,
    /// Walls on its own sides, `1 << Side as u8` each.
    pub walls: u8,
}

/// What a cell is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Not part of the board.
    Void,
    /// Plain ground.
    #[default]
    Floor,
    /// A solid block.
    Wall,
    /// Ground that melts.
    Ice,
    /// Melted or never there: nothing can be on it.
    Hole,
}

/// Something on the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The identity of the piece throughout the views and films of a plan.
    pub id: u32,
    /// The row, counted from 1. It is fractional while the piece moves.
    pub row: f32,
    /// The column, counted likewise.
    pub col: f32,
    /// How it is drawn.
    pub shape: Shape,
    /// An index into the palette; 0 is neutral.
    pub colour: u8,
    /// What distinguishes it without colour: at most two characters.
    pub label: String,
    /// Whether it is highlighted: just matched, on the path, moving.
    pub lit: bool,
}

/// The shape of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A square block.
    Block,
    /// A spacecraft.
    Round,
    /// The piece that the player steers.
    Avatar,
    /// A pushable block.
    Crate,
    /// The shot in flight.
    Shot,
    /// A piece of pipe.
    Pipe {
        /// The open sides, `1 << Side as u8` each.
        openings: u8,
        /// Whether it has two separate channels.
        cross: bool,
        /// The only direction of flow, where there is one.
        arrow: Option<Side>,
        /// Whether it cannot be turned.
        fixed: bool,
        /// Whether a path starts or ends here.
        end: bool,
    },
    /// A mark on the rim or on a cell where something is forbidden.
    Barred,
    /// A picture of its own.
    Sprite(Sprite),
}

/// A picture of five by five pixels, which fills a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sprite {
    /// The pixels, row by row: red, green and blue; `None` where the cell below is seen.
    pixels: [[Option<[u8; 3]>; Sprite::SIZE]; Sprite::SIZE],
}

impl Sprite {
    /// The number of rows and columns.
    pub const SIZE: usize = 5;

    /// The sprite with these pixels, by row and column.
    pub fn new(pixel: impl Fn(usize, usize) -> Option<[u8; 3]>) -> Self {
        let mut pixels = [[None; Self::SIZE]; Self::SIZE];
        for (row, pixels) in pixels.iter_mut().enumerate() {
            for (col, place) in pixels.iter_mut().enumerate() {
                *place = pixel(row, col);
            }
        }
        Self { pixels }
    }

    /// The colour of a pixel; `None` where it is transparent.
    pub fn pixel(&self, row: usize, col: usize) -> Option<[u8; 3]> {
        *self.pixels.get(row)?.get(col)?
    }

    /// The colours of its pixels, the most frequent first, with their numbers.
    pub fn colours(&self) -> Vec<([u8; 3], usize)> {
        let mut colours: Vec<([u8; 3], usize)> = Vec::new();
        for &pixel in self.pixels.iter().flatten().flatten() {
            match colours.iter_mut().find(|(known, _)| *known == pixel) {
                Some((_, count)) => *count += 1,
                None => colours.push((pixel, 1)),
            }
        }
        // Stable: of equally frequent colours, the one further up comes first.
        colours.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        colours
    }
}

/// A labelled value beside the board.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusItem {
    /// What the value is.
    pub label: String,
    /// The value.
    pub value: String,
    /// The palette index, where the value is a colour.
    pub colour: Option<u8>,
}

impl View {
    /// An empty board of plain floor.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            cells: Grid::new(rows, cols, Cell::default()),
            pieces: Vec::new(),
            rim: false,
            status: Vec::new(),
        }
    }

    /// Adds a status item without a colour.
    pub fn add_status(&mut self, label: &str, value: impl Into<String>) {
        self.status.push(StatusItem {
            label: label.to_string(),
            value: value.into(),
            colour: None,
        });
    }
}
