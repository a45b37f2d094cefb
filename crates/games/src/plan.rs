//! Plan text: one move per line, with comments after `;` and blank lines. A game may have a
//! shorthand for several moves on a line (`LLurRD`).
//!
//! The text of a move depends on the state in which it is made, so a plan is replayed while it is
//! read. Reading ends with the first illegal move: there is no state in which to read the next one,
//! and the referee stops there too.

use crate::{BadText, Game, Refusal, Space};

/// A move and its place in the plan text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<M> {
    /// The move.
    pub mv: M,
    /// The line, counted from 1.
    pub line: usize,
    /// The column of its first character, counted from 1.
    pub column: usize,
    /// The number of its characters.
    pub width: usize,
}

/// The moves of a plan text.
pub fn parse<G: Game>(level: &G, text: &str) -> Result<Vec<G::Move>, BadText> {
    let placed = parse_placed(level, text)?;
    Ok(placed.into_iter().map(|placed| placed.mv).collect())
}

/// The moves of a plan text, up to the first illegal one, with their places.
pub fn parse_placed<G: Game>(level: &G, text: &str) -> Result<Vec<Placed<G::Move>>, BadText> {
    replay(level, text)
        .map(|step| step.map(|(placed, _)| placed))
        .collect()
}

/// A move of a plan text with its place, and the state after it, or why it is refused.
pub type Step<G> = (
    Placed<<G as Space>::Move>,
    Result<<G as Space>::State, Refusal>,
);

/// Reads a plan text and replays it, move by move. Ends after the first error or illegal move.
pub fn replay<'a, G: Game>(
    level: &'a G,
    text: &'a str,
) -> impl Iterator<Item = Result<Step<G>, BadText>> + 'a {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().filter_map(|(index, raw)| {
        let line = raw.split(';').next().unwrap_or("");
        (!line.trim().is_empty()).then_some((index, line))
    });
    let mut moves = lines.flat_map(|(index, line)| {
        let moves = G::split_moves(line).into_iter();
        moves.map(move |(column, text)| (index, column, text))
    });
    let mut state = Some(level.start());
    std::iter::from_fn(move || {
        let before = state.take()?;
        let (index, column, text) = moves.next()?;
        let step = read_step(level, &before, (index + 1, column), text);
        if let Ok((_, Ok(next))) = &step {
            state = Some(next.clone());
        }
        Some(step)
    })
}

/// Reads the move at this line and column, and plays it.
fn read_step<G: Game>(
    level: &G,
    state: &G::State,
    (line, column): (usize, usize),
    text: &str,
) -> Result<Step<G>, BadText> {
    // Blanks around a move are not part of it, and are not marked in errors.
    let indent = text.chars().take_while(|c| c.is_whitespace()).count();
    let (column, text) = (column + indent, text.trim());
    let width = text.chars().count();
    let mv = level.parse_move(state, text).map_err(|bad| BadText {
        line,
        column: column + bad.column.saturating_sub(1),
        width: if bad.column <= 1 {
            bad.width.max(width)
        } else {
            bad.width
        },
        ..bad
    })?;
    let placed = Placed {
        mv,
        line,
        column,
        width,
    };
    Ok((placed, level.play(state, mv)))
}

/// The moves as text, each printed in the state in which it is made.
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

/// The rows of the board as in a level text, then the status items of its view.
pub fn board<G: Game>(level: &G, state: &G::State) -> String {
    let mut lines = level.write(state).rows;
    let status = level.view(state).status.into_iter();
    lines.extend(status.map(|item| format!("{}: {}", item.label, item.value)));
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
    fn comments_and_blanks_are_skipped() {
        let plan = parse(&level(), "\u{feff}; a plan\n\n  right ; one\r\nRIGHT\n");
        assert_eq!(plan, Ok(vec![Move(Side::Right); 2]));
    }

    #[test]
    fn an_unreadable_move_is_marked_at_its_place() {
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
    fn boards_are_listed_before_each_move_and_after_the_last() {
        let boards = boards(&level(), &[Move(Side::Right), Move(Side::Right)]);
        assert_eq!(boards, [".T.X\n", "..TX\n", "...*\n"]);
    }
}
