//! A board as a picture sees it: ground, pieces, and a word beside them. Terminal, SVG, GIF and page all
//! draw from this, and know no game.

use crate::grid::{Grid, Side};

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub cells: Grid<Cell>,
    /// In drawing order. Rows and columns count from 1; a piece may stand on the rim (0, or one past the end)
    /// where `rim` is set.
    pub pieces: Vec<Piece>,
    /// Whether the picture leaves a cell's width around the board.
    pub rim: bool,
    /// What belongs to the state but not on the board: the hand, wildcards left, blocks left.
    pub aside: Vec<Aside>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub ground: Ground,
    pub goal: bool,
    /// Walls on the cell's own sides, `1 << Side as u8` each.
    pub walls: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Not part of the board.
    Void,
    #[default]
    Floor,
    Wall,
    Ice,
    /// Melted, or never there: nothing can stand here.
    Hole,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The same piece keeps its id through a plan's views and films.
    pub id: u32,
    pub row: f32,
    pub col: f32,
    pub shape: Shape,
    /// An index into a palette; 0 is neutral.
    pub colour: u8,
    /// What tells it apart without colour: one or two characters, or none.
    pub label: String,
    /// Drawn so that it stands out: just matched, on the path, moving.
    pub lit: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Block,
    /// A spacecraft.
    Round,
    Avatar,
    /// A pushable block.
    Crate,
    /// The shot in flight.
    Shot,
    /// Openings are `1 << Side as u8` each; a cross has two channels; an arrow shows the only way through.
    Pipe {
        openings: u8,
        cross: bool,
        arrow: Option<Side>,
        fixed: bool,
        end: bool,
    },
    /// A mark on the rim or on a cell where something is barred.
    Barred,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    pub label: String,
    pub value: String,
    /// As the palette of the pieces, where the value is a colour.
    pub colour: Option<u8>,
}

impl View {
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            cells: Grid::new(rows, cols, Cell::default()),
            pieces: Vec::new(),
            rim: false,
            aside: Vec::new(),
        }
    }

    pub fn tell(&mut self, label: &str, value: impl Into<String>) {
        self.aside.push(Aside {
            label: label.to_string(),
            value: value.into(),
            colour: None,
        });
    }
}
