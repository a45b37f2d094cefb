//! A rectangle of cells, and the four sides.
//!
//! Inside the program rows and columns count from 0; text and refusals count from 1.

use std::ops::{Index, IndexMut};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid<T> {
    rows: usize,
    cols: usize,
    cells: Vec<T>,
}

impl<T: Clone> Grid<T> {
    pub fn new(rows: usize, cols: usize, cell: T) -> Self {
        Self {
            rows,
            cols,
            cells: vec![cell; rows * cols],
        }
    }
}

impl<T> Grid<T> {
    /// All rows must be equally long.
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

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    pub fn get(&self, row: usize, col: usize) -> Option<&T> {
        (row < self.rows && col < self.cols).then(|| &self.cells[row * self.cols + col])
    }

    pub fn row(&self, row: usize) -> &[T] {
        &self.cells[row * self.cols..(row + 1) * self.cols]
    }

    /// Row by row, from the top left.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    /// Every place, row by row.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let cols = self.cols;
        (0..self.rows).flat_map(move |row| (0..cols).map(move |col| (row, col)))
    }

    /// The neighbour on that side, if it is on the grid.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Up,
    Right,
    Down,
    Left,
}

impl Side {
    /// Clockwise from the top.
    pub const ALL: [Side; 4] = [Side::Up, Side::Right, Side::Down, Side::Left];

    /// Rows down and columns right.
    pub fn step(self) -> (isize, isize) {
        match self {
            Side::Up => (-1, 0),
            Side::Right => (0, 1),
            Side::Down => (1, 0),
            Side::Left => (0, -1),
        }
    }

    pub fn opposite(self) -> Side {
        Side::ALL[(self as usize + 2) % 4]
    }

    pub fn clockwise(self) -> Side {
        Side::ALL[(self as usize + 1) % 4]
    }

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
