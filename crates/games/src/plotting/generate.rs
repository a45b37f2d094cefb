//! Random levels as in the paper: every cell gets a colour with uniform probability.

use super::rules::{Colour, Parts, Plotting};
use super::text::{LETTERS, too_large};
use crate::*;

impl Generation for Plotting {
    const KNOBS: &'static [Knob] = &[
        Knob {
            name: "colours",
            about: "how many colours there are",
            default: 3,
        },
        Knob {
            name: "goal",
            about: "how many blocks may remain",
            default: 2,
        },
        Knob {
            name: "hand",
            about: "0: the hand starts as a wildcard; 1: with a random colour",
            default: 0,
        },
        Knob {
            name: "blocked",
            about: "how many rows and columns are blocked",
            default: 0,
        },
        Knob {
            name: "wildcards",
            about: "how often the hand may turn into a wildcard by itself",
            default: 0,
        },
    ];

    fn benchmark_spec() -> Option<Spec> {
        Some(Spec::size(6, 6).with("colours", 4).with("goal", 5))
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        let (rows, cols) = (spec.rows, spec.cols);
        if !Plotting::fits(rows, cols) {
            return Err(too_large(rows, cols));
        }
        let knob = |name: &str, low: usize, high: usize| {
            let value = spec.knob::<Plotting>(name) as usize;
            let fits = (low..=high).contains(&value);
            let wrong = || format!("{name} is a number from {low} to {high}, not {value}");
            fits.then_some(value).ok_or_else(wrong)
        };
        let colours = knob("colours", 1, LETTERS.len())?;
        let goal = knob("goal", 0, rows * cols)?;
        let hand = knob("hand", 0, 1)?;
        let blocked = knob("blocked", 0, rows + cols)?;
        let wildcards = knob("wildcards", 0, 99)? as u8;

        let mut cells = Grid::new(rows, cols, None);
        for (row, col) in cells.places() {
            cells[(row, col)] = Some(random.below(colours) as Colour);
        }
        let hand = (hand == 1).then(|| random.below(colours) as Colour);
        let mut lines: Vec<usize> = (0..rows + cols).collect();
        random.shuffle(&mut lines);
        lines.truncate(blocked);
        let is_blocked = |line: usize| lines.contains(&line);

        // Colours that do not occur are not colours of the level.
        let occurs = |colour: Colour| hand == Some(colour) || cells.cells().contains(&Some(colour));
        let kept: Vec<Colour> = (0..colours as Colour)
            .filter(|&colour| occurs(colour))
            .collect();
        let number = |colour: Colour| {
            let index = kept.iter().position(|&other| other == colour);
            index.expect("colours that occur are kept") as Colour
        };
        let letter = |&colour: &Colour| {
            let letter = LETTERS.chars().nth(usize::from(colour));
            letter.expect("there is a letter for each colour")
        };
        let rows_of = |row| cells.row(row).iter().map(|cell| cell.map(number)).collect();
        Ok(Plotting::new(Parts {
            letters: kept.iter().map(letter).collect(),
            cells: Grid::from_rows((0..rows).map(rows_of).collect()),
            goal,
            hand: hand.map(number),
            blocked_rows: (0..rows).map(is_blocked).collect(),
            blocked_cols: (rows..rows + cols).map(is_blocked).collect(),
            wildcards,
        }))
    }
}
