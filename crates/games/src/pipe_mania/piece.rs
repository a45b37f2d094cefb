//! The pieces: for each kind and rotation, the side through which a path leaves.
//!
//! A piece is two characters, a kind and a rotation. The rules, the searches and the pictures all
//! use `leads`: given the side through which a path enters, through which side does it leave?

use crate::Side;

/// The kind of piece in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `##`: no piece.
    Empty,
    /// `B`: a path begins or ends here, or passes straight through. It cannot be turned.
    End,
    /// `R`.
    Straight,
    /// `L`.
    Corner,
    /// `X`: two straight channels that do not meet. It cannot be turned.
    Cross,
    /// `O`: a straight piece with one direction.
    OneWay,
}

/// A piece as it is on the board at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    pub kind: Kind,
    /// 0 to 3, for the 1 to 4 of the text.
    pub rotation: u8,
    /// Written with `!`: it cannot be turned, though its kind could be.
    pub fixed: bool,
}

impl Tile {
    pub const EMPTY: Tile = Tile {
        kind: Kind::Empty,
        rotation: 0,
        fixed: false,
    };

    pub fn turnable(self) -> bool {
        !self.fixed && matches!(self.kind, Kind::Straight | Kind::Corner | Kind::OneWay)
    }

    /// The number of quarter turns after which this piece leads from `entered` to `out`; `None` if
    /// it never does.
    pub fn turns_to_lead(self, entered: Side, out: Side) -> Option<u8> {
        let most = if self.turnable() { 4 } else { 1 };
        (0..most).find(|turns| leads(self.kind, (self.rotation + turns) % 4, entered) == Some(out))
    }
}

impl Kind {
    /// The letters of the level text, in the order of the README.
    pub const LETTERS: [(char, Kind); 5] = [
        ('B', Kind::End),
        ('R', Kind::Straight),
        ('L', Kind::Corner),
        ('X', Kind::Cross),
        ('O', Kind::OneWay),
    ];

    pub fn letter(self) -> char {
        let found = Kind::LETTERS.iter().find(|(_, kind)| *kind == self);
        found.map_or('#', |&(letter, _)| letter)
    }
}

/// The side through which a path leaves if it entered through `entered`; `None` if it cannot enter
/// there.
pub fn leads(kind: Kind, rotation: u8, entered: Side) -> Option<Side> {
    let through = entered.opposite();
    match kind {
        Kind::Empty => None,
        Kind::Cross => Some(through),
        Kind::End | Kind::Straight => lies_along(rotation, entered).then_some(through),
        Kind::OneWay => (heading(rotation) == through).then_some(through),
        Kind::Corner => {
            let (one, other) = corner(rotation);
            if entered == one {
                Some(other)
            } else if entered == other {
                Some(one)
            } else {
                None
            }
        }
    }
}

/// Whether a straight piece opens to this side: rotations 1 and 3 are horizontal, 2 and 4 vertical.
pub fn lies_along(rotation: u8, side: Side) -> bool {
    let horizontal = matches!(side, Side::Left | Side::Right);
    horizontal == rotation.is_multiple_of(2)
}

/// The two sides that a corner joins: 1 left and up, 2 up and right, 3 right and down, 4 down and
/// left.
pub fn corner(rotation: u8) -> (Side, Side) {
    let clockwise = Side::ALL[usize::from(rotation % 4)];
    (Side::ALL[usize::from((rotation + 3) % 4)], clockwise)
}

/// Where a one-way piece leads: 1 right, 2 down, 3 left, 4 up.
pub fn heading(rotation: u8) -> Side {
    Side::ALL[usize::from((rotation + 1) % 4)]
}

/// All openings, as bits `1 << side`.
pub fn openings(kind: Kind, rotation: u8) -> u8 {
    let open = |side: Side| match kind {
        Kind::OneWay => lies_along(rotation, side),
        _ => leads(kind, rotation, side).is_some(),
    };
    let sides = Side::ALL.into_iter().filter(|&side| open(side));
    sides.fold(0, |mask, side| mask | 1 << side as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_joins_the_sides_that_the_rules_give_for_each_rotation() {
        let sides = |rotation: u8| {
            let (one, other) = corner(rotation - 1);
            (one.name(), other.name())
        };
        assert_eq!(sides(1), ("left", "up"));
        assert_eq!(sides(2), ("up", "right"));
        assert_eq!(sides(3), ("right", "down"));
        assert_eq!(sides(4), ("down", "left"));
    }

    #[test]
    fn a_straight_needs_at_most_one_turn_and_a_corner_at_most_three() {
        let tile = |kind, rotation| Tile {
            kind,
            rotation,
            fixed: false,
        };
        for rotation in 0..4 {
            let straight = tile(Kind::Straight, rotation);
            assert!(straight.turns_to_lead(Side::Left, Side::Right) <= Some(1));
            assert_eq!(straight.turns_to_lead(Side::Left, Side::Up), None);
        }
        let corner = tile(Kind::Corner, 0);
        assert_eq!(corner.turns_to_lead(Side::Up, Side::Left), Some(0));
        assert_eq!(corner.turns_to_lead(Side::Down, Side::Left), Some(3));
        let one_way = tile(Kind::OneWay, 0);
        assert_eq!(one_way.turns_to_lead(Side::Right, Side::Left), Some(2));
        let fixed = Tile {
            fixed: true,
            ..corner
        };
        assert_eq!(fixed.turns_to_lead(Side::Down, Side::Left), None);
    }
}
