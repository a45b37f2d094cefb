//! Plan text: one move a line, comments with `;`, blank lines passed over. A game may have a shorthand for many moves on a
//! line (`LLurRD`).
//!
//! A move is read in the state it is made in, so a plan is read and replayed at once. Reading goes on after an illegal move
//! only as far as the moves can be read in the last legal state; the referee, not the reader, judges.

use ployglot_games::{BadText, Game};

/// The moves of a plan text.
pub fn parse<G: Game>(level: &G, text: &str) -> Result<Vec<G::Move>, BadText> {
    let mut state = level.start();
    let mut plan = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = raw.split(';').next().unwrap_or("");
        if line.trim().is_empty() {
            continue;
        }
        for (column, text) in G::split_moves(line) {
            let mv = level.parse_move(&state, text).map_err(|bad| BadText {
                line: index + 1,
                column: column + bad.column - 1,
                ..bad
            })?;
            plan.push(mv);
            if let Ok(next) = level.play(&state, mv) {
                state = next;
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
