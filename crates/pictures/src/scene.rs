//! What is drawn: a view, or a moment between two views.
//!
//! A piece with the same id in both moves in a straight line; one that is gone shrinks and fades; a
//! new one fades in; a pipe that is the same after a quarter turn rotates. Ground that changes
//! fades from the old to the new. Motion is linear, not eased: a long slide or fall has several
//! views, and a piece that slowed down at each would stutter.

use std::collections::HashMap;

use ployglot_games::{Cell, Grid, Piece, Shape, StatusItem, View};

#[derive(Clone, Debug)]
pub struct Scene {
    pub cells: Grid<Cell>,
    /// The former ground of a cell that is changing, and its opacity.
    pub melting: Vec<((usize, usize), Cell, f32)>,
    pub sprites: Vec<Sprite>,
    /// The labels below the board.
    pub aside: Vec<StatusItem>,
}

/// A piece as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sprite {
    pub piece: Piece,
    pub opacity: f32,
    /// Scale; 1 is full size.
    pub size: f32,
    /// Rotation in degrees clockwise.
    pub turn: f32,
}

impl Scene {
    pub fn still(view: &View) -> Scene {
        Scene {
            cells: view.cells.clone(),
            melting: Vec::new(),
            sprites: view.pieces.iter().map(Sprite::still).collect(),
            aside: view.status.clone(),
        }
    }

    /// The moment at `t`, from 0 (the first view) to 1 (the second).
    pub fn between(from: &View, to: &View, t: f32) -> Scene {
        let was: HashMap<u32, &Piece> = from.pieces.iter().map(|p| (p.id, p)).collect();
        let is: HashMap<u32, &Piece> = to.pieces.iter().map(|p| (p.id, p)).collect();
        let gone = from.pieces.iter().filter(|p| !is.contains_key(&p.id));
        let mut sprites: Vec<Sprite> = gone
            .map(|piece| Sprite {
                opacity: 1.0 - t,
                size: 1.0 - 0.5 * t,
                ..Sprite::still(piece)
            })
            .collect();
        sprites.extend(to.pieces.iter().map(|piece| match was.get(&piece.id) {
            Some(before) => Sprite::moving(before, piece, t),
            None => Sprite {
                opacity: t,
                ..Sprite::still(piece)
            },
        }));
        let changed = from
            .cells
            .places()
            .filter(|&place| to.cells.get(place.0, place.1) != Some(&from.cells[place]) && t < 1.0);
        Scene {
            cells: to.cells.clone(),
            melting: changed
                .map(|place| (place, from.cells[place], 1.0 - t))
                .collect(),
            sprites,
            aside: if t < 0.5 { &from.status } else { &to.status }.clone(),
        }
    }
}

impl Sprite {
    fn still(piece: &Piece) -> Sprite {
        Sprite {
            piece: piece.clone(),
            opacity: 1.0,
            size: 1.0,
            turn: 0.0,
        }
    }

    fn moving(from: &Piece, to: &Piece, t: f32) -> Sprite {
        let turning = t < 1.0 && is_quarter_turn(from.shape, to.shape);
        let look = if turning || t < 0.5 { from } else { to };
        Sprite {
            piece: Piece {
                row: from.row + (to.row - from.row) * t,
                col: from.col + (to.col - from.col) * t,
                ..look.clone()
            },
            opacity: 1.0,
            size: 1.0,
            turn: if turning { 90.0 * t } else { 0.0 },
        }
    }
}

/// Whether one pipe is the other after a quarter turn clockwise.
fn is_quarter_turn(from: Shape, to: Shape) -> bool {
    match (from, to) {
        (
            Shape::Pipe {
                openings, arrow, ..
            },
            Shape::Pipe {
                openings: after,
                arrow: points,
                ..
            },
        ) => {
            let turned = (openings << 1 | openings >> 3) & 0b1111;
            from != to && turned == after && arrow.map(|side| side.clockwise()) == points
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::{Ground, Side};

    fn block(id: u32, row: f32, col: f32) -> Piece {
        Piece {
            id,
            row,
            col,
            shape: Shape::Block,
            colour: 1,
            label: "R".to_string(),
            lit: false,
        }
    }

    #[test]
    fn pieces_move_vanish_and_appear() {
        let (mut from, mut to) = (View::new(2, 3), View::new(2, 3));
        from.pieces = vec![block(1, 1.0, 1.0), block(2, 1.0, 2.0)];
        to.pieces = vec![block(1, 2.0, 1.0), block(3, 1.0, 3.0)];
        let scene = Scene::between(&from, &to, 0.25);
        let [gone, moving, new] = &scene.sprites[..] else {
            panic!("three sprites")
        };
        assert_eq!((gone.piece.id, gone.opacity), (2, 0.75));
        assert_eq!((moving.piece.row, moving.opacity), (1.25, 1.0));
        assert_eq!((new.piece.id, new.opacity), (3, 0.25));
    }

    #[test]
    fn ice_melts_and_a_pipe_turns() {
        let (mut from, mut to) = (View::new(1, 1), View::new(1, 1));
        from.cells[(0, 0)].ground = Ground::Ice;
        to.cells[(0, 0)].ground = Ground::Hole;
        let pipe = |sides: [Side; 2]| Shape::Pipe {
            openings: sides.iter().map(|&side| 1 << side as u8).sum(),
            cross: false,
            arrow: None,
            fixed: false,
            end: false,
        };
        from.pieces = vec![Piece {
            shape: pipe([Side::Left, Side::Up]),
            ..block(1, 1.0, 1.0)
        }];
        to.pieces = vec![Piece {
            shape: pipe([Side::Up, Side::Right]),
            ..block(1, 1.0, 1.0)
        }];
        let scene = Scene::between(&from, &to, 0.5);
        assert_eq!(scene.melting, [((0, 0), from.cells[(0, 0)], 0.5)]);
        assert_eq!(scene.sprites[0].turn, 45.0);
        assert!(Scene::between(&from, &to, 1.0).melting.is_empty());
    }
}
