//! Random levels: B pieces at random places; every other cell is drawn from a mix of pieces.

use super::piece::{Kind, Tile};
use super::rules::{PipeMania, Place};
use crate::*;

const fn knob(name: &'static str, about: &'static str, default: u32) -> Knob {
    Knob {
        name,
        about,
        default,
    }
}

impl Generation for PipeMania {
    const KNOBS: &'static [Knob] = &[
        knob("ends", "how many B pieces", 2),
        knob("straights", "the share of R in the mix of pieces", 40),
        knob("corners", "the share of L", 60),
        knob("crosses", "the share of X", 0),
        knob("one-ways", "the share of O", 0),
        knob("empty", "the share of cells without a piece", 0),
        knob(
            "fixed",
            "how many of 100 pieces that could be turned are marked '!'",
            0,
        ),
        knob("named", "1: the path leads from one named B to another", 0),
        knob("through", "how many pieces the path must pass", 0),
        knob("join", "1: the path must pass every B", 0),
    ];

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        let (rows, cols) = (spec.rows, spec.cols);
        let longest = document::LONGEST_SIDE;
        if !(1..=longest).contains(&rows) || !(1..=longest).contains(&cols) {
            return Err(format!(
                "a board has 1 to {longest} rows and columns, not {rows}x{cols}"
            ));
        }
        let knob = |name: &str| spec.knob::<PipeMania>(name) as usize;
        let mix = [
            (Kind::Straight, knob("straights")),
            (Kind::Corner, knob("corners")),
            (Kind::Cross, knob("crosses")),
            (Kind::OneWay, knob("one-ways")),
            (Kind::Empty, knob("empty")),
        ];
        let shares: usize = mix.iter().map(|(_, share)| share).sum();
        if shares == 0 {
            return Err("the mix of pieces is empty".to_string());
        }
        let mut board = Grid::new(rows, cols, Tile::EMPTY);
        for place in board.places() {
            let mut drawn = random.below(shares);
            let kind = mix.iter().find(|(_, share)| {
                let here = drawn < *share;
                drawn = drawn.wrapping_sub(*share);
                here
            });
            let &(kind, _) = kind.expect("the shares add up");
            if kind != Kind::Empty {
                board[place] = turned(kind, random);
                board[place].fixed =
                    board[place].turnable() && random.chance(knob("fixed").min(100), 100);
            }
        }
        let mut places: Vec<Place> = Vec::new();
        if knob("ends") > rows * cols {
            return Err(format!(
                "{} B pieces do not fit on {rows}x{cols}",
                knob("ends")
            ));
        }
        while places.len() < knob("ends") {
            let place = (random.below(rows), random.below(cols));
            if board[place].kind != Kind::End {
                board[place] = turned(Kind::End, random);
                places.push(place);
            }
        }
        let mut level = PipeMania::new(board);
        if knob("named") > 0 {
            let [from, to, ..] = places[..] else {
                return Err("two B pieces are needed to name the ends".to_string());
            };
            (level.from, level.to) = (Some(from), Some(to));
        }
        let is_piece = |place: &Place| level.board[*place].kind != Kind::Empty;
        let mut pieces: Vec<Place> = level.board.places().filter(is_piece).collect();
        random.shuffle(&mut pieces);
        pieces.truncate(knob("through"));
        level.through = pieces;
        level.join = knob("join") > 0;
        Ok(level)
    }
}

/// A piece in a random rotation.
fn turned(kind: Kind, random: &mut Random) -> Tile {
    Tile {
        kind,
        rotation: random.below(4) as u8,
        fixed: false,
    }
}
