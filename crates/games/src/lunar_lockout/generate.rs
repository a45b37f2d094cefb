//! Random levels: craft at random places, the goal in the middle as on the cards of the original
//! game. They need not have a plan; about half of the small ones do.

use super::rules::{LunarLockout, MAX_CELLS, MAX_CRAFT};
use super::text::{RED, build_wall, level};
use crate::*;

impl Generation for LunarLockout {
    const KNOBS: &'static [Knob] = &[
        Knob {
            name: "craft",
            about: "how many spacecraft, red included; 0: a quarter of the cells, from 2 to 10",
            default: 0,
        },
        Knob {
            name: "goal",
            about: "0: the goal is the middle cell; 1: it is anywhere",
            default: 0,
        },
        Knob {
            name: "walls",
            about: "how many walls",
            default: 0,
        },
        Knob {
            name: "edge",
            about: "0: a craft would leave the board at its edge; 1: the edge stops it",
            default: 0,
        },
    ];
    const HARDEST: Option<FindHardest<Self>> = Some(super::table::hardest);

    fn benchmark_spec() -> Option<Spec> {
        Some(Spec::size(7, 7).with("craft", 7))
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        let (rows, cols) = (spec.rows, spec.cols);
        let cells = rows * cols;
        if cells < 2 || rows.max(cols) > document::LONGEST_SIDE || cells > MAX_CELLS {
            return Err(format!(
                "a board has 2 to {MAX_CELLS} cells and sides of at most {}, not {rows}x{cols}",
                document::LONGEST_SIDE
            ));
        }
        let craft = match spec.knob::<LunarLockout>("craft") as usize {
            0 => (cells / 4).clamp(2, 10),
            asked => asked,
        };
        let most = MAX_CRAFT.min(cells);
        if craft > most {
            return Err(format!(
                "{rows}x{cols} has room for {most} craft, not {craft}"
            ));
        }
        let place = |cell: usize| (cell / cols, cell % cols);
        let goal = match spec.knob::<LunarLockout>("goal") {
            0 => rows / 2 * cols + cols / 2,
            _ => random.below(cells),
        };
        let mut places: Vec<usize> = (0..cells).collect();
        random.shuffle(&mut places);
        if places[0] == goal {
            places.swap(0, 1); // Red must not start on the goal.
        }
        let names = [RED].into_iter().chain(HELPERS.chars());
        let craft: Vec<_> = names
            .zip(places.into_iter().map(place))
            .take(craft)
            .collect();
        let mut walls = Grid::new(rows, cols, 0);
        for _ in 0..spec.knob::<LunarLockout>("walls").min(4 * cells as u32) {
            let cell = place(random.below(cells));
            build_wall(&mut walls, cell, *random.choose(&Side::ALL));
        }
        let edge_stops = spec.knob::<LunarLockout>("edge") > 0;
        Ok(level((rows, cols), place(goal), &craft, edge_stops, walls))
    }
}

/// The names of helpers, in this order; `r` comes late, because it looks like red's `R`.
const HELPERS: &str = "abcdefghijklmnopqstuvwxyzrABCDEFGHIJKLMNOPQSTUVWYZ0123456789";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_are_obeyed_and_impossible_specs_are_errors() {
        let spec = Spec::size(7, 9)
            .with("craft", 61)
            .with("walls", 5)
            .with("edge", 1);
        let level = LunarLockout::generate(&spec, &mut Random::new(1)).unwrap();
        assert_eq!(level.names.len(), 61);
        assert_eq!(level.place(level.goal), (3, 4));
        assert_eq!(level.variant(), "edge stop, walls");
        for spec in [
            Spec::size(0, 5),
            Spec::size(1, 1),
            Spec::size(2, 2).with("craft", 5),
            Spec::size(9, 9).with("craft", 62),
            Spec::size(1, 3000),
            Spec::size(2000, 2000),
        ] {
            assert!(LunarLockout::generate(&spec, &mut Random::new(1)).is_err());
        }
    }
}
