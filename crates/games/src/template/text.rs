//! Levels and moves as text. The board is one row: `.` empty, `T` token, `X` goal, `*` token on the
//! goal.

use super::rules::{Move, State, Template};
use crate::*;

impl Text for Template {
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;

    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&[])?;
        let rows = document.cells('.')?;
        let first_line = document.board_line();
        if rows.len() > 1 {
            return Err(BadText::new(first_line + 1, 1, "the board has one row"));
        }
        let (mut start, mut goal) = (None, None);
        for (index, &cell) in rows[0].iter().enumerate() {
            let bad = |message: String| BadText::new(first_line, index + 1, message);
            if !matches!(cell, '.' | 'T' | 'X' | '*') {
                return Err(bad(format!(
                    "a cell is '.', 'T', 'X' or '*', found '{cell}'"
                )));
            }
            if matches!(cell, 'T' | '*') && start.replace(index as u16).is_some() {
                return Err(bad("there is only one token".to_string()));
            }
            if matches!(cell, 'X' | '*') && goal.replace(index as u16).is_some() {
                return Err(bad("there is only one goal".to_string()));
            }
        }
        let start = start.ok_or_else(|| BadText::new(first_line, 1, "the token 'T' is missing"))?;
        Ok(Template {
            cells: rows[0].len() as u16,
            start,
            goal,
        })
    }

    fn write(&self, state: &State) -> LevelText {
        let cell = |index| match (index == state.0, self.goal == Some(index)) {
            (true, true) => '*',
            (true, false) => 'T',
            (false, true) => 'X',
            (false, false) => '.',
        };
        LevelText {
            options: Vec::new(),
            rows: vec![(0..self.cells).map(cell).collect()],
        }
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        mv.0.name().to_string()
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        let side = Side::parse(text.trim()).filter(|side| matches!(side, Side::Left | Side::Right));
        side.map(Move).ok_or_else(|| {
            BadText::new(1, 1, format!("a move is 'left' or 'right', found '{text}'"))
        })
    }
}
