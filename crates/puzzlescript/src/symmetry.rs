//! Symmetric states: where a level looks the same in a mirror, or turned, and its rules do not tell
//! the difference, a state and its mirror image have the same cost, and one of them is enough.
//!
//! The language is not symmetric by itself: rules, matches and movements come in an order. So a
//! symmetry counts only where no order matters:
//! - Every rule changes its matches at once (`fast/independence.rs`), and no rule of a group ends or
//!   undoes what another one of it does, so that a group ends in one board whatever comes first.
//! - A rule gives a movement only in a direction in which something moves already. Then all that
//!   moves in a turn moves in the direction of the input, and no two objects want the same cell.
//! - The rules of each group are the same rules after the symmetry, and so is what never changes on
//!   the board.
//!
//! Nothing is claimed about games with ellipses, rigid movements, random choices, or objects that
//! vanish while they move. The state that is stored is the one with the least words.

use std::collections::BTreeSet;

use crate::analysis::effects;
use crate::fast::{Bits, Fast, Shape};
use crate::game::{ACTION, Cell, Direction, Game, Group, Motion, Rule, Term};
use crate::set::Set;

/// A symmetry of a level: where each cell goes.
pub(crate) struct Symmetry {
    pub(crate) cell: Vec<u32>,
}

/// The symmetries of a level, without the one that changes nothing. `seen`: the objects that have an
/// effect; `stored`: those of them that can change.
pub(crate) fn symmetries(
    game: &Game,
    engine: &Fast,
    shape: &Shape,
    start: &Bits,
    seen: &Set,
    stored: &Set,
) -> Vec<Symmetry> {
    let mut fixed = seen.clone();
    fixed.remove(stored);
    let cells = engine.objects(shape, start);
    let keeps_board = |turn: &Turning| {
        turn.fits(shape)
            && (0..shape.cells).all(|cell| {
                let image = &cells[turn.cell(shape, cell)];
                fixed
                    .iter()
                    .all(|it| cells[cell].contains(it) == image.contains(it))
            })
    };
    let mut turnings = Turning::all();
    turnings.retain(keeps_board);
    if turnings.is_empty() || !moves_one_way(game) || !engine.is_free_of_order(shape) {
        return Vec::new();
    }
    turnings.retain(|turn| {
        let mut groups = game.rules.groups.iter().chain(&game.late.groups);
        groups.all(|group| turn.keeps_rules(group))
    });
    let symmetry = |turn: &Turning| Symmetry {
        cell: (0..shape.cells)
            .map(|cell| turn.cell(shape, cell) as u32)
            .collect(),
    };
    turnings.iter().map(symmetry).collect()
}

/// Whether all movements of a turn have the direction of the input, and every movement is that of an
/// object.
fn moves_one_way(game: &Game) -> bool {
    let mut rules = game.rules.groups.iter().flat_map(|group| &group.rules);
    effects(game).loose_layers.is_empty()
        && rules.all(|rule| {
            let (wanted, given) = movements(rule);
            given & !wanted == 0
        })
}

/// The movements that a rule wants, and those that it gives.
fn movements(rule: &Rule) -> (u8, u8) {
    let of = |terms: &[Term]| {
        terms.iter().fold(0, |all, term| match term {
            Term::Object { motion, .. } | Term::Property { motion, .. } => match motion {
                Motion::Moving(bits) => all | bits,
                Motion::RandomDirection => all | !ACTION,
                Motion::Any | Motion::Stationary => all,
            },
            Term::No(_) | Term::Random(_) => all,
        })
    };
    let cells = rule.rows.iter().flatten();
    cells.fold((0, 0), |(wanted, given), cell| match cell {
        Cell::Ellipsis => (wanted, given),
        Cell::Pattern { before, after } => (wanted | of(before), given | of(after)),
    })
}

/// A mirror image or a turn of the board: columns and rows are exchanged or not, then their order is
/// reversed or not.
#[derive(Clone, Copy)]
struct Turning {
    exchanges: bool,
    reverses_columns: bool,
    reverses_rows: bool,
}

impl Turning {
    /// All but the one that changes nothing.
    fn all() -> Vec<Self> {
        let all = (1..8).map(|bits| Self {
            exchanges: bits & 1 != 0,
            reverses_columns: bits & 2 != 0,
            reverses_rows: bits & 4 != 0,
        });
        all.collect()
    }

    fn fits(self, shape: &Shape) -> bool {
        !self.exchanges || shape.width == shape.height
    }

    /// Where a cell goes.
    fn cell(self, shape: &Shape, cell: usize) -> usize {
        let (mut x, mut y) = (cell / shape.height, cell % shape.height);
        if self.exchanges {
            (x, y) = (y, x);
        }
        if self.reverses_columns {
            x = shape.width - 1 - x;
        }
        if self.reverses_rows {
            y = shape.height - 1 - y;
        }
        x * shape.height + y
    }

    fn direction(self, direction: Direction) -> Direction {
        let (mut dx, mut dy) = direction.step();
        if self.exchanges {
            (dx, dy) = (dy, dx);
        }
        if self.reverses_columns {
            dx = -dx;
        }
        if self.reverses_rows {
            dy = -dy;
        }
        let mut all = Direction::ALL.into_iter();
        all.find(|one| one.step() == (dx, dy))
            .expect("a direction stays one")
    }

    fn motion(self, motion: Motion) -> Motion {
        let Motion::Moving(bits) = motion else {
            return motion;
        };
        let of_direction = |direction: Direction| match bits & direction.bit() {
            0 => 0,
            _ => self.direction(direction).bit(),
        };
        let directions = Direction::ALL.map(of_direction).into_iter();
        Motion::Moving(directions.fold(bits & ACTION, |all, bit| all | bit))
    }

    /// Whether the rules of a group are the same afterwards.
    fn keeps_rules(self, group: &Group) -> bool {
        let nothing = Turning {
            exchanges: false,
            reverses_columns: false,
            reverses_rows: false,
        };
        let texts = |turn: Turning| -> BTreeSet<String> {
            group.rules.iter().map(|rule| turn.text(rule)).collect()
        };
        texts(self) == texts(nothing)
    }

    /// The rule as it is afterwards, as a text that is the same for equal rules.
    fn text(self, rule: &Rule) -> String {
        let mut rule = rule.clone();
        rule.line = 0;
        // The direction of patterns of one cell has no effect.
        rule.direction = match rule.rows.iter().all(|row| row.len() == 1) {
            true => Direction::Up,
            false => self.direction(rule.direction),
        };
        for cell in rule.rows.iter_mut().flatten() {
            let Cell::Pattern { before, after } = cell else {
                continue;
            };
            for term in before.iter_mut().chain(after) {
                if let Term::Object { motion, .. } | Term::Property { motion, .. } = term {
                    *motion = self.motion(*motion);
                }
            }
        }
        format!("{rule:?}")
    }
}
