//! Plan text: one move a line, comments with `;`, blank lines passed over. A game may have a shorthand for many moves on a
//! line (`LLurRD`).
//!
//! A move is read in the state it is made in, so a plan is read and replayed at once. Reading ends with the first illegal
//! move: what comes after it has no state to be read in, and the referee will not ask for it.

use crate::{BadText, Game};

/// A move, and where in the text it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<M> {
    pub mv: M,
    pub line: usize,
    pub column: usize,
    pub width: usize,
}

/// The moves of a plan text.
pub fn parse<G: Game>(level: &G, text: &str) -> Result<Vec<G::Move>, BadText> {
    let placed = parse_placed(level, text)?;
    Ok(placed.into_iter().map(|placed| placed.mv).collect())
}

/// The moves of a plan text, up to the first illegal one, with their places.
pub fn parse_placed<G: Game>(level: &G, text: &str) -> Result<Vec<Placed<G::Move>>, BadText> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut state = level.start();
    let mut plan = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = raw.split(';').next().unwrap_or("");
        if line.trim().is_empty() {
            continue;
        }
        for (column, text) in G::split_moves(line) {
            // Blanks around a move are nobody's business, and are not marked.
            let indent = text.chars().take_while(|c| c.is_whitespace()).count();
            let (column, text) = (column + indent, text.trim());
            let width = text.chars().count();
            let mv = level.parse_move(&state, text).map_err(|bad| BadText {
                line: index + 1,
                column: column + bad.column.saturating_sub(1),
                width: if bad.column <= 1 {
                    bad.width.max(width)
                } else {
                    bad.width
                },
                ..bad
            })?;
            plan.push(Placed {
                mv,
                line: index + 1,
                column,
                width,
            });
            match level.play(&state, mv) {
                Ok(next) => state = next,
                Err(_) => return Ok(plan),
            }
        }
    }
    Ok(plan)
}

/// The moves as text, each printed in the state it is made in.
pub fn print<G: Game>(level: &G, plan: &[G::Move]) -> Vec<String> {
    let mut state = level.start();
    let mut lines = Vec::new();
    for &mv in plan {
        lines.push(level.print_move(&state, mv));
        if let Ok(next) = level.play(&state, mv) {
            state = next;
        }
    }
    lines
}

/// The board before each move, and after the last.
pub fn boards<G: Game>(level: &G, plan: &[G::Move]) -> Vec<String> {
    let mut state = level.start();
    let mut boards = vec![board(level, &state)];
    for &mv in plan {
        if let Ok(next) = level.play(&state, mv) {
            state = next;
        }
        boards.push(board(level, &state));
    }
    boards
}

/// The rows of the board as in a level text, then what belongs to the state but is not on the board.
pub fn board<G: Game>(level: &G, state: &G::State) -> String {
    let mut lines = level.write(state).rows;
    let aside = level.view(state).aside;
    lines.extend(
        aside
            .iter()
            .map(|aside| format!("{}: {}", aside.label, aside.value)),
    );
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Move, Template};
    use crate::{Document, Side, Text};

    fn level() -> Template {
        let document = Document::parse("game: template\n.T.X\n").expect("a level");
        Template::parse(&document).expect("a template level")
    }

    #[test]
    fn comments_and_blanks_are_passed_over() {
        let plan = parse(&level(), "\u{feff}; a plan\n\n  right ; one\r\nRIGHT\n");
        assert_eq!(plan, Ok(vec![Move(Side::Right); 2]));
    }

    #[test]
    fn an_unreadable_move_is_marked_where_it_stands() {
        let bad = parse(&level(), "right\n\n  fly ; away\n").unwrap_err();
        assert_eq!((bad.line, bad.column), (3, 3), "{bad}");
    }

    #[test]
    fn reading_ends_with_the_first_illegal_move() {
        let plan =
            parse_placed(&level(), "left\n left\nfly\n").expect("readable as far as it matters");
        let places: Vec<_> = plan
            .iter()
            .map(|placed| (placed.line, placed.column, placed.width))
            .collect();
        assert_eq!(places, [(1, 1, 4), (2, 2, 4)]);
    }

    #[test]
    fn boards_stand_before_each_move_and_after_the_last() {
        let boards = boards(&level(), &[Move(Side::Right), Move(Side::Right)]);
        assert_eq!(boards, [".T.X\n", "..TX\n", "...*\n"]);
    }
}
