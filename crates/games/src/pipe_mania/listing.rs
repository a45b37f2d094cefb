//! What a certificate lists: paths, not rotations.
//!
//! A plan costs at least as much as the path of its last state: the path's pieces, and by
//! `pieces+rotations` also the quarter turns that its pieces need. So it is enough to list the
//! paths from each B that are cheaper than the claim. The README has the proof. Bytes: for each place
//! of a path its cell and the side to which the path leaves it, `4 * cell + side`, four bytes each,
//! the high one first.

use super::piece::{Kind, lies_along};
use super::rules::{PipeMania, Place, starts};
use crate::*;

/// A path that begins in a B: each place, with the side to which the path leaves it.
pub type Path = Vec<(Place, Side)>;

impl Listing for PipeMania {
    type Node = Path;

    const EXCLUSIONS: &'static [Exclusion<Self>] = &[Exclusion {
        name: "distance",
        about: "the rest of a path is at least as long as the way to the nearest last B, row by row and column by column",
        reason: Reason::Bound(|level, _| {
            Box::new(|path: &Path| {
                let &((row, col), _) = path.last()?;
                let ends = level.ends().into_iter();
                let lasts = ends.filter(|&end| level.to.is_none_or(|to| to == end));
                let far = lasts.map(|(r, c)| row.abs_diff(r) + col.abs_diff(c));
                far.min().map(|far| far as u32)
            })
        }),
    }];

    fn lists(measure: &str) -> bool {
        matches!(measure, "pieces" | "pieces+rotations")
    }

    fn roots(&self, _measure: &str) -> Vec<(Path, u32)> {
        let starts = starts(self).into_iter();
        starts.map(|start| (vec![start], 0)).collect()
    }

    fn successors(&self, measure: &str, path: &Path) -> Vec<(Path, u32)> {
        let Some(&(here, out)) = path.last() else {
            return Vec::new();
        };
        let Some(next) = self.board.beside(here, out) else {
            return Vec::new();
        };
        let entered = out.opposite();
        let tile = self.board[next];
        // A path passes a piece once, and each of the two channels of a cross once.
        let passed = |&(place, left): &(Place, Side)| {
            let same_channel = tile.kind != Kind::Cross || left == out || left == entered;
            place == next && same_channel
        };
        if path.iter().any(passed) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for onward in Side::ALL {
            if let Some(turns) = tile.turns_to_lead(entered, onward) {
                let turned = u32::from(measure != "pieces") * u32::from(turns);
                let mut longer = path.clone();
                longer.push((next, onward));
                found.push((longer, 1 + turned));
            }
        }
        found
    }

    fn is_end(&self, path: &Path) -> bool {
        let Some(&(last, _)) = path.last() else {
            return false;
        };
        let passes = |place: &Place| path.iter().any(|(passed, _)| passed == place);
        path.len() > 1
            && self.board[last].kind == Kind::End
            && self.to.is_none_or(|to| to == last)
            && self.required().iter().all(passes)
    }

    fn encode(&self, path: &Path, bytes: &mut Vec<u8>) {
        for &((row, col), side) in path {
            let cell = (row * self.board.cols() + col) as u32;
            bytes.extend((cell * 4 + side as u32).to_be_bytes());
        }
    }

    fn decode(&self, bytes: &[u8]) -> Option<Path> {
        let (numbers, []) = bytes.as_chunks() else {
            return None;
        };
        let place = |number: &[u8; 4]| {
            let number = u32::from_be_bytes(*number) as usize;
            let cell = number / 4;
            let place = (cell / self.board.cols(), cell % self.board.cols());
            (cell < self.board.cells().len()).then(|| (place, Side::ALL[number % 4]))
        };
        let path: Path = numbers.iter().map(place).collect::<Option<_>>()?;
        let &(first, side) = path.first()?;
        let begins = lies_along(self.board[first].rotation, side);
        (begins && self.board[first].kind == Kind::End).then_some(path)
    }

    fn describe(&self, path: &Path) -> String {
        let place = |&((row, col), _): &(Place, Side)| format!("{} {}", row + 1, col + 1);
        let places: Vec<String> = path.iter().map(place).collect();
        format!("the path {}", places.join(", "))
    }
}
