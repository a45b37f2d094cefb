//! A rectangle of cells, and the four sides.
//!
//! Rows and columns count from 0 in code, and from 1 in level texts and messages.

use std::ops::{Index, IndexMut};

/// A rectangle of cells, stored row by row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid<T> {
    rows: usize,
    cols: usize,
    cells: Vec<T>,
}

impl<T: Clone> Grid<T> {
    /// A grid of this size with equal cells.
    pub fn new(rows: usize, cols: usize, cell: T) -> Self {
        Self {
            rows,
            cols,
            cells: vec![cell; rows * cols],
        }
    }
}

impl<T> Grid<T> {
    /// A grid of these rows, which must be equally long.
    pub fn from_rows(rows: Vec<Vec<T>>) -> Self {
        let (height, width) = (rows.len(), rows.first().map_or(0, Vec::len));
        assert!(
            rows.iter().all(|row| row.len() == width),
            "a grid is a rectangle"
        );
        Self {
            rows: height,
            cols: width,
            cells: rows.into_iter().flatten().collect(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The cell at this place; `None` outside the grid.
    pub fn get(&self, row: usize, col: usize) -> Option<&T> {
        (row < self.rows && col < self.cols).then(|| &self.cells[row * self.cols + col])
    }

    /// The cells of one row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.cells[row * self.cols..(row + 1) * self.cols]
    }

    /// All cells, row by row from the top left.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    /// The row and column of every cell, row by row.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let cols = self.cols;
        (0..self.rows).flat_map(move |row| (0..cols).map(move |col| (row, col)))
    }

    /// The neighbouring place on that side; `None` outside the grid.
    pub fn beside(&self, (row, col): (usize, usize), side: Side) -> Option<(usize, usize)> {
        let (down, right) = side.step();
        let row = row.checked_add_signed(down)?;
        let col = col.checked_add_signed(right)?;
        (row < self.rows && col < self.cols).then_some((row, col))
    }
}

impl<T> Index<(usize, usize)> for Grid<T> {
    type Output = T;
    fn index(&self, (row, col): (usize, usize)) -> &T {
        assert!(col < self.cols, "column {col} of {}", self.cols);
        &self.cells[row * self.cols + col]
    }
}

impl<T> IndexMut<(usize, usize)> for Grid<T> {
    fn index_mut(&mut self, (row, col): (usize, usize)) -> &mut T {
        assert!(col < self.cols, "column {col} of {}", self.cols);
        &mut self.cells[row * self.cols + col]
    }
}

/// One of the four sides of a cell; also a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The top side.
    Up,
    /// The right side.
    Right,
    /// The bottom side.
    Down,
    /// The left side.
    Left,
}

impl Side {
    /// All sides, clockwise from the top.
    pub const ALL: [Side; 4] = [Side::Up, Side::Right, Side::Down, Side::Left];

    /// The step to the neighbour on this side: rows down, columns right.
    pub fn step(self) -> (isize, isize) {
        match self {
            Side::Up => (-1, 0),
            Side::Right => (0, 1),
            Side::Down => (1, 0),
            Side::Left => (0, -1),
        }
    }

    /// The side across the cell.
    pub fn opposite(self) -> Side {
        Side::ALL[(self as usize + 2) % 4]
    }

    /// The next side, clockwise.
    pub fn clockwise(self) -> Side {
        Side::ALL[(self as usize + 1) % 4]
    }

    /// The name in lower case: `up`, `right`, `down`, `left`.
    pub fn name(self) -> &'static str {
        ["up", "right", "down", "left"][self as usize]
    }

    /// Reads a name, or its first letter, in any case.
    pub fn parse(text: &str) -> Option<Side> {
        let text = text.to_ascii_lowercase();
        Side::ALL
            .into_iter()
            .find(|side| side.name() == text || side.name()[..1] == text)
    }
}
