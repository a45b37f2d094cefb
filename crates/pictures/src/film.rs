//! A plan as a film: for each move its views, moment by moment, with a caption.

use std::collections::HashMap;

use ployglot_games::{Game, Piece, View};

/// What happens during one move.
#[derive(Clone, Debug)]
pub struct Take {
    pub caption: String,
    /// The board before the move, each moment of it, and the board after it.
    pub views: Vec<View>,
}

/// The takes of a plan, as far as its moves are legal; `say` makes a caption of a move's number and
/// text.
pub fn takes<'a, G: Game>(
    level: &'a G,
    plan: &'a [G::Move],
    say: impl Fn(usize, &str) -> String + 'a,
) -> impl Iterator<Item = Take> + 'a {
    let mut state = level.start();
    plan.iter().enumerate().map_while(move |(index, &mv)| {
        let next = level.play(&state, mv).ok()?;
        let mut views = vec![level.view(&state)];
        views.extend(level.film(&state, mv));
        // The last moment shows the same board as `view` of the next state, but pieces may have
        // other ids there. The next take starts from that view.
        let caption = say(index + 1, &level.print_move(&state, mv));
        state = next;
        Some(Take { caption, views })
    })
}

/// The longest distance that a piece moves between two views, in cells.
pub fn distance(from: &View, to: &View) -> f32 {
    let was: HashMap<u32, (f32, f32)> =
        from.pieces.iter().map(|p| (p.id, (p.row, p.col))).collect();
    let moved = to.pieces.iter().filter_map(|piece| {
        let (row, col) = was.get(&piece.id)?;
        Some((piece.row - row).abs().max((piece.col - col).abs()))
    });
    moved.fold(0.0, f32::max)
}

/// Views in steps of a cell (at most 60) from one view to the next, without the first: a piece that
/// moves several cells is shown in each of them.
pub fn steps(from: &View, to: &View) -> Vec<View> {
    let was: HashMap<u32, &Piece> = from.pieces.iter().map(|p| (p.id, p)).collect();
    let count = (distance(from, to).ceil() as usize).clamp(1, 60);
    (1..=count)
        .map(|step| {
            let t = step as f32 / count as f32;
            let mut view = to.clone();
            for piece in &mut view.pieces {
                if let Some(before) = was.get(&piece.id) {
                    piece.row = before.row + (piece.row - before.row) * t;
                    piece.col = before.col + (piece.col - before.col) * t;
                }
            }
            view
        })
        .collect()
}
