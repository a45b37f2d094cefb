//! The section of objects: a name and its other names, a line of colours, and five rows of pixels.

use super::words::is_keyword;
use super::{LegendKind, LegendText, ObjectText, Reader};
use crate::fault::Place;

/// What the next line of an object holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Name,
    /// On a line with names.
    MoreNames,
    Colours,
    Sprite,
}

/// How far the current object was read.
#[derive(Default)]
pub(super) struct Progress {
    part: Part,
    name: String,
    sprite: Vec<String>,
}

impl Progress {
    /// The next line starts an object.
    pub(super) fn restart(&mut self) {
        self.part = Part::Name;
    }
}

/// The names of colours.
pub(crate) const COLOURS: [&str; 25] = [
    "black",
    "white",
    "gray",
    "darkgray",
    "lightgray",
    "grey",
    "darkgrey",
    "lightgrey",
    "red",
    "darkred",
    "lightred",
    "brown",
    "darkbrown",
    "lightbrown",
    "orange",
    "yellow",
    "green",
    "darkgreen",
    "lightgreen",
    "blue",
    "lightblue",
    "darkblue",
    "purple",
    "pink",
    "transparent",
];

/// A sprite has this many rows and columns.
pub(crate) const SPRITE_SIZE: usize = 5;

impl Reader<'_> {
    pub(super) fn objects(&mut self, starts: bool) {
        if starts && self.object.part == Part::Colours {
            self.object.part = Part::Sprite;
        }
        if starts && self.object.part == Part::MoreNames {
            self.object.part = Part::Colours;
        }
        match self.object.part {
            Part::Name | Part::MoreNames => {
                self.object.sprite.clear();
                self.object_name(starts);
            }
            Part::Colours => self.colour(),
            Part::Sprite => self.pixel(starts),
        }
    }

    fn object_name(&mut self, starts: bool) {
        let place = self.here();
        let name = match starts {
            true => self.line.word(),
            false => self.line.chunk(),
        };
        let Some(name) = name else {
            self.line.skip_to_comment();
            let message = "unknown text among the objects: a sprite has 5 rows of 5 pixels, and \
                           the name of an object is a word (other symbols belong into the legend)";
            self.warning(place, "object-text", message);
            return;
        };
        let upper = name.to_uppercase();
        if self.source.objects.iter().any(|known| known.name == name) {
            let message = format!("the object {upper} is defined twice");
            self.error(place, "object-twice", message);
            return;
        }
        let synonym = |entry: &LegendText| entry.kind == LegendKind::Synonym && entry.name == name;
        if self.source.legend.iter().any(synonym) {
            let message = format!("the name {upper} is already in use");
            self.error(place, "alias-in-use", message);
        }
        if is_keyword(&name) {
            let message = format!("{upper} is a keyword, it should not name an object");
            self.warning(place, "keyword-as-name", message);
        }
        self.source.defined.insert(name.clone(), self.number);
        if starts {
            self.object.name.clone_from(&name);
            self.source.objects.push(ObjectText {
                name,
                line: self.number,
                colours: Vec::new(),
                sprite: Vec::new(),
            });
        } else {
            self.source.legend.push(LegendText {
                name,
                line: self.number,
                kind: LegendKind::Synonym,
                names: vec![self.object.name.clone()],
            });
        }
        self.object.part = Part::MoreNames;
    }

    fn object(&mut self) -> &mut ObjectText {
        let name = &self.object.name;
        let mut objects = self.source.objects.iter_mut();
        let object = objects.find(|object| object.name == *name);
        object.expect("colours and pixels follow the name of an object")
    }

    fn colour(&mut self) {
        let place = self.here();
        let hex = |count: usize| {
            let rest = self.line.rest();
            rest.first() == Some(&'#')
                && rest.len() > count
                && rest[1..=count].iter().all(char::is_ascii_hexdigit)
        };
        let colour = match (hex(6), hex(3)) {
            (true, _) => Some(6),
            (_, true) => Some(3),
            _ => None,
        };
        let colour = match colour {
            Some(digits) => {
                let text = self.line.rest()[..=digits].iter().collect();
                self.line.at += digits + 1;
                self.line.skip_blanks();
                Some(text)
            }
            // A longer word may start with the name of a colour; its end is the next token.
            None => self.line.one_of(&COLOURS, |_| false).map(str::to_string),
        };
        let Some(colour) = colour else {
            let found = self
                .line
                .word()
                .unwrap_or_else(|| self.line.skip_to_comment());
            let object = self.object.name.to_uppercase();
            let message = format!("expected a colour of the object {object}, found \"{found}\"");
            self.error(place, "not-a-colour", message);
            return;
        };
        self.object().colours.push(colour);
    }

    fn pixel(&mut self, starts: bool) {
        let place = self.here();
        let pixel = self.line.peek();
        let Some(pixel) = pixel.filter(|c| *c == '.' || c.is_ascii_digit()) else {
            if self.object.sprite.is_empty() {
                return self.object_name(starts);
            }
            let object = self.object.name.to_uppercase();
            let message = format!("unknown text in the sprite of the object {object}");
            self.error(place, "sprite-text", message);
            self.line.skip_to_comment();
            return;
        };
        self.line.advance();
        if starts {
            self.object.sprite.push(String::new());
        } else if self.object.sprite.is_empty() {
            // Pixels behind something else on their line.
            return self.row_too_long(place);
        }
        let row = self.object.sprite.last_mut().expect("a row was added");
        row.push(pixel);
        let length = row.len();
        let sprite = self.object.sprite.clone();
        let rows = sprite.len();
        let object = self.object();
        // The reference stores the sprite once and extends it: an object that has one keeps it.
        if length <= SPRITE_SIZE || !object.sprite.is_empty() {
            object.sprite = sprite;
        }
        let colours = object.colours.len();
        if length > SPRITE_SIZE {
            return self.row_too_long(place);
        }
        if rows == SPRITE_SIZE && length == SPRITE_SIZE {
            self.object.part = Part::Name;
        }
        let number = pixel.to_digit(10).map(|digit| digit as usize);
        if let Some(number) = number.filter(|number| *number >= colours) {
            let object = self.object.name.to_uppercase();
            let message =
                format!("colour {number} of the object {object}, which has only {colours} colours");
            self.error(place, "colour-number", message);
        }
    }

    fn row_too_long(&mut self, place: Place) {
        let message = "a sprite has 5 rows of 5 pixels";
        self.warning(place, "sprite-row-too-long", message);
        self.line.skip_to_comment();
    }
}
