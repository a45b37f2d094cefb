//! Texts on the screen of the reference: 34 characters wide, 13 lines high. A title or a message
//! that does not fit is reported.

use super::settings::value;
use crate::fault::{Faults, Place};
use crate::read::{Source, is_blank};

const WIDTH: usize = 34;

/// The lines of a text: as many words as fit, and words that are too long cut.
pub(super) fn wrap(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut start = 0;
    while start < chars.len() {
        let rest = &chars[start..];
        let most = rest.len().min(WIDTH);
        // The longest start that ends before a blank or at the end of the text.
        let fits = |length: &usize| *length == rest.len() || is_blank(rest[*length]);
        let (length, passed) = match (1..=most).rev().find(fits) {
            Some(length) if length == rest.len() => (length, length),
            // The blank belongs to the line.
            Some(length) => (length + 1, length + 1),
            None => (most, most),
        };
        lines.push(rest[..length].iter().collect());
        start += passed;
    }
    lines
}

/// Characters outside the font of the reference take the place of two.
fn widen(text: &str) -> String {
    let mut wide = String::new();
    for c in text.chars() {
        wide.push(c);
        if !in_font(c) {
            wide.push(' ');
        }
    }
    wide
}

fn in_font(c: char) -> bool {
    let others = "×·•…†‡ƒ‚„¿¡£‰÷±–—‘’“”¦‹«›»˜ẞ€™¢¤¥§¨©®ªº¬¯°Ёё☺";
    matches!(c, ' '..='~' | 'À'..='ž' | 'А'..='я') || others.contains(c)
}

/// Reports a title or an author that does not fit on the first screen.
pub(super) fn check_title(source: &Source, faults: &mut Faults) {
    let is_set = |name| value(source, name).is_some();
    // The screen has five lines for both, and more where it need not explain keys.
    let extra =
        usize::from(is_set("noaction")) + usize::from(is_set("noundo") && is_set("norestart"));
    let lines = 5 + extra.min(1);
    let title = value(source, "title").unwrap_or("PuzzleScript Game");
    let author = value(source, "author").map(|author| format!("by {author}"));
    let title = wrap(&widen(title)).len();
    let author = author.map_or(0, |author| wrap(&widen(&author)).len());
    if title + author <= lines {
        return;
    }
    // The author is cut first, down to one line.
    let cut_author = (title + author - lines).min(author.saturating_sub(1));
    let line = |name| {
        let mut settings = source.prelude.iter().rev();
        let setting = settings.find(|(known, _, _)| known == name);
        setting.map_or(Place::FILE, |&(_, _, line)| Place::line(line))
    };
    if title + author - cut_author > lines {
        let message = "the title is too long for the screen";
        faults.warning(line("title"), "title-too-long", message);
    }
    if cut_author > 0 {
        let message = "the name of the author is too long for the screen";
        faults.warning(line("author"), "author-too-long", message);
    }
}
