//! Random levels: a frame of walls around the requested size, with cut corners and inner walls;
//! then blocks, two or three of a pattern at a time, each placed on top of a shaft where it matches
//! no other block. If a board has no room for all of them, fewer are tried, so that no pattern is
//! left with a single block.

use super::rules::{Board, Puzznic, Tile};
use super::text;
use crate::*;

impl Generation for Puzznic {
    const KNOBS: &'static [Knob] = &[
        Knob {
            name: "patterns",
            about: "how many patterns, 1 to 26",
            default: 3,
        },
        Knob {
            name: "fill",
            about: "how much of the open space holds blocks, in percent",
            default: 40,
        },
        Knob {
            name: "walls",
            about: "how much of the inside is wall, in percent",
            default: 12,
        },
        Knob {
            name: "corners",
            about: "how many cells are cut off along each side of each corner",
            default: 0,
        },
    ];

    const FRAME: usize = 2;

    fn benchmark_spec() -> Option<Spec> {
        Some(Spec::size(8, 8))
    }

    /// The size is that of the inside, without the frame.
    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        Self::generate_within(spec, random, &Budget::unlimited()).map_err(NotGenerated::reason)
    }

    fn generate_within(
        spec: &Spec,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<Self, NotGenerated> {
        const LARGEST: usize = 200;
        let (rows, cols) = (spec.rows, spec.cols);
        if !(1..=LARGEST).contains(&rows) || !(1..=LARGEST).contains(&cols) {
            return Err(format!(
                "a Puzznic level is 1 to {LARGEST} cells high and wide inside its frame, not {rows}x{cols}"
            )
            .into());
        }
        let knob = |name: &str, most: u32| {
            let value = spec.knob::<Puzznic>(name);
            if value > most {
                return Err(format!("{name} is at most {most}, not {value}"));
            }
            Ok(value as usize)
        };
        let patterns = knob("patterns", 26)?;
        if patterns == 0 {
            return Err("a level has at least 1 pattern".to_string().into());
        }
        let (fill, walls) = (knob("fill", 90)?, knob("walls", 90)?);
        let corners = knob("corners", LARGEST as u32)?;

        for _ in 0..20 {
            let empty = empty_board(rows, cols, walls, corners, random);
            let open = empty
                .cells()
                .iter()
                .filter(|&&tile| tile == Tile::Empty)
                .count();
            let mut blocks = (open * fill / 100).max(2);
            while blocks >= 2 {
                if let Some(board) = place_blocks(&empty, blocks, patterns, random, budget)? {
                    let letters: Vec<char> = text::rows(&board, &ALPHABET)
                        .iter()
                        .flat_map(|row| row.chars())
                        .collect();
                    let cells = letters.chunks(board.cols()).map(<[char]>::to_vec).collect();
                    return Ok(text::level(cells, 1).map_err(|bad| bad.message)?);
                }
                blocks = blocks * 4 / 5;
            }
        }
        Err(format!("there is no room for two blocks on a {rows}x{cols} board").into())
    }
}

const ALPHABET: [char; 26] = [
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S',
    'T', 'U', 'V', 'W', 'X', 'Y', 'Z',
];

/// A board of walls and empty cells.
fn empty_board(
    rows: usize,
    cols: usize,
    walls: usize,
    corners: usize,
    random: &mut Random,
) -> Board {
    let mut board = Grid::new(rows + 2, cols + 2, Tile::Wall);
    for (row, col) in board.places() {
        let down = row.min(rows + 1 - row);
        let across = col.min(cols + 1 - col);
        // Corners are cut along the diagonal.
        let inside = down >= 1 && across >= 1 && down + across > corners + 1;
        if inside && !random.chance(walls, 100) {
            board[(row, col)] = Tile::Empty;
        }
    }
    board
}

/// The board with this many blocks; `None` if there is no room for them.
fn place_blocks(
    empty: &Board,
    blocks: usize,
    patterns: usize,
    random: &mut Random,
    budget: &Budget,
) -> Result<Option<Board>, Limit> {
    let mut board = empty.clone();
    let mut left = blocks;
    let mut to_place: Vec<u8> = Vec::new();
    while left >= 2 {
        let pattern = random.below(patterns) as u8;
        let count = if left == 3 || (left > 4 && random.chance(1, 4)) {
            3
        } else {
            2
        };
        to_place.extend(std::iter::repeat_n(pattern, count));
        left -= count;
    }
    random.shuffle(&mut to_place);
    for pattern in to_place {
        budget.check_quietly()?;
        let mut tops: Vec<(usize, usize)> = board
            .places()
            .filter(|&place| board[place] == Tile::Empty && rests(&board, place))
            .filter(|&place| {
                let beside = Side::ALL.map(|side| board.beside(place, side));
                let mut beside = beside.into_iter().flatten();
                beside.all(|beside| board[beside].pattern() != Some(pattern))
            })
            .collect();
        if tops.is_empty() {
            return Ok(None);
        }
        let place = tops.swap_remove(random.below(tops.len()));
        board[place] = Tile::Block { pattern, id: 0 };
    }
    Ok(Some(board))
}

/// Whether a block in this cell would not fall.
fn rests(board: &Board, place: (usize, usize)) -> bool {
    board
        .beside(place, Side::Down)
        .is_none_or(|below| board[below] != Tile::Empty)
}
