//! Fuzzing of readers: mutated texts, and the check that an error points into its text.

use std::ops::Range;

use ployglot_base::{BadText, Random};

/// Checks that the place of an error is in the text, or directly behind a line of it.
#[track_caller]
pub fn points_into(text: &str, bad: &BadText) {
    assert!(
        bad.line >= 1 && bad.column >= 1 && bad.width >= 1,
        "{bad:?}"
    );
    assert!(!bad.message.is_empty(), "{bad:?}");
    let lines: Vec<&str> = text.split('\n').collect();
    assert!(bad.line <= lines.len(), "{bad:?} in {text:?}");
    let length = lines[bad.line - 1].chars().count();
    assert!(bad.column <= length + 1, "{bad:?} in {text:?}");
}

/// A text that differs from this one in one to three places. `pieces`: what may be inserted, fragments
/// that are likely to cause errors.
pub fn mutate(text: &str, pieces: &[&str], random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(characters.len() + 1);
        let end = (at + random.below(20)).min(characters.len());
        match random.below(6) {
            0 => drop(characters.drain(at..end)),
            1 => drop(characters.splice(at..at, random.choose(pieces).chars())),
            2 => {
                let copied = characters[at..end].to_vec();
                let to = random.below(characters.len() + 1);
                characters.splice(to..to, copied);
            }
            3 => characters.truncate(characters.len() - random.below(characters.len() / 8 + 1)),
            // Replace one word by another.
            _ => {
                let words = words(&characters);
                if !words.is_empty() {
                    let word = characters[random.choose(&words).clone()].to_vec();
                    characters.splice(random.choose(&words).clone(), word);
                }
            }
        }
    }
    characters.into_iter().collect()
}

/// Where the words of a text are.
fn words(characters: &[char]) -> Vec<Range<usize>> {
    let runs = characters.chunk_by(|a, b| a.is_alphanumeric() == b.is_alphanumeric());
    let mut at = 0;
    let places = runs.map(|run| {
        at += run.len();
        (at - run.len()..at, run[0].is_alphanumeric())
    });
    places
        .filter(|(_, is_word)| *is_word)
        .map(|place| place.0)
        .collect()
}
