//! Levels and messages.

use super::names::Names;
use super::screen;
use crate::fault::{Faults, Place};
use crate::game::{Entry, Level};
use crate::read::{LevelText, Source};
use crate::set::Set;

/// A message is shown on a screen of so many lines.
const MESSAGE_LINES: usize = 12;

/// The entries of the section of levels.
pub(super) fn entries(source: &Source, names: &Names, faults: &mut Faults) -> Vec<Entry> {
    let entry = |text: &LevelText| match text {
        LevelText::Message { line, text } => {
            if screen::wrap(text).len() > MESSAGE_LINES {
                let message = "the message is too long for the screen";
                faults.warning(Place::line(*line), "message-too-long", message);
            }
            Entry::Message(text.clone())
        }
        LevelText::Map { line, rows } => Entry::Level(level(*line, rows, names, faults)),
    };
    source.levels.iter().map(entry).collect()
}

fn level(line: usize, rows: &[Vec<char>], names: &Names, faults: &mut Faults) -> Level {
    let (width, height) = (rows[0].len(), rows.len());
    let mut level = Level {
        line,
        width,
        height,
        cells: vec![Set::new(); width * height],
    };
    for column in 0..width {
        for (index, row) in rows.iter().enumerate() {
            // A short row is continued by its last symbol.
            let symbol = row.get(column).or(row.last()).copied().unwrap_or(' ');
            let name = symbol.to_string();
            let Some(cell) = names.glyphs.get(&name) else {
                let place = Place::line(line + index);
                let property = names
                    .find(&name)
                    .is_some_and(|name| name.property.is_some());
                if property {
                    let message = format!(
                        "the symbol \"{symbol}\" is a property (OR): a map does not choose among \
                         its objects"
                    );
                    faults.error(place, "property-in-map", message);
                } else {
                    let message = format!("the symbol \"{symbol}\" of the map is not defined");
                    faults.error(place, "undefined-in-map", message);
                }
                return level;
            };
            level.cells[column * height + index] = cell.clone();
        }
    }
    fill_background(&mut level, names, faults);
    level
}

/// Puts the background of the first cell that has one into all cells without any.
fn fill_background(level: &mut Level, names: &Names, faults: &mut Faults) {
    let background = names.background();
    if background.layer.is_none() {
        faults.error(
            Place::FILE,
            "no-background-layer",
            "the background is in no layer",
        );
    }
    let fill = background.of_cells(&level.cells);
    for cell in &mut level.cells {
        if background.fills(cell) {
            cell.add(&fill);
        }
    }
}
