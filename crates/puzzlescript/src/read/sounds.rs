//! The section of sounds: `EVENT seed`, `object VERB seed`, `object VERB directions seed`.
//!
//! This program plays no sounds. The lines are read because their faults are reported, and because
//! a rule may only name a sound effect that is declared.

use super::line::{is_ascii_wordy, is_wordy};
use super::words::{DIRECTIONS, EFFECTS, EVENTS, VERBS};
use super::{Reader, SoundText};

/// What a word of a line of sounds is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoundWord {
    Event,
    Name,
    Verb,
    Direction,
    Seed,
}

/// The words of the current line.
#[derive(Default)]
pub(super) struct Progress {
    words: Vec<(String, SoundWord)>,
    /// A word was wrong: the line is not stored.
    failed: bool,
}

impl Reader<'_> {
    pub(super) fn sounds(&mut self) {
        if self.sound.failed {
            self.skip_sound_word();
        } else {
            let place = self.here();
            let known = self.sound.words.len();
            match self.sound_word() {
                Ok(word) => self.sound.words.push(word),
                Err((code, message)) => {
                    self.sound.failed = true;
                    // Nothing but a name or an event can start a line: only that is a warning.
                    match known == 0 && code == "sound-start" {
                        true => self.warning(place, code, message),
                        false => self.error(place, code, message),
                    }
                }
            }
        }
        if self.line.at_end() {
            self.finish_sound();
        }
    }

    /// Stores the line, unless a word was wrong.
    pub(super) fn finish_sound(&mut self) {
        let Progress { words, failed } = std::mem::take(&mut self.sound);
        if !words.is_empty() && !failed {
            self.source.sounds.push(SoundText {
                line: self.number,
                words,
            });
        }
    }

    /// Passes a word after a wrong one.
    fn skip_sound_word(&mut self) {
        let known = self.sound_event().is_some()
            || self.line.one_of(&VERBS, is_ascii_wordy).is_some()
            || self.line.one_of(&DIRECTIONS, is_wordy).is_some();
        if !known {
            self.seed();
            if self.line.word().is_none() {
                self.skip_chunk();
            }
        }
    }

    /// Passes anything up to a blank or a comment, and returns it.
    fn skip_chunk(&mut self) -> String {
        let chunk = self.line.chunk();
        chunk.unwrap_or_else(|| self.line.skip_to_comment())
    }

    /// A number that is not the start of a longer word.
    fn seed(&mut self) -> Option<String> {
        let rest = self.line.rest();
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let ends = !rest.get(digits).is_some_and(|&c| is_ascii_wordy(c));
        let seed = rest[..digits].iter().collect();
        if digits == 0 || !ends {
            return None;
        }
        self.line.at += digits;
        Some(seed)
    }

    /// The next word, or the fault: its code and its message.
    fn sound_word(&mut self) -> Result<(String, SoundWord), (&'static str, String)> {
        let Some(&(_, first)) = self.sound.words.first() else {
            return self.sound_start();
        };
        let seed = |word: String| (word, SoundWord::Seed);
        if first == SoundWord::Event {
            if self.sound.words.len() == 1 {
                return self.seed().map(seed).ok_or_else(|| {
                    self.skip_chunk();
                    ("sound-seed", "expected the number of a sound".to_string())
                });
            }
            return Err(self.too_much_sound());
        }
        if self.sound.words.len() == 1 {
            let verb = self.line.one_of(&VERBS, is_ascii_wordy);
            return verb
                .map(|verb| (verb.to_string(), SoundWord::Verb))
                .ok_or_else(|| {
                    self.skip_chunk();
                    let message = format!("expected one of {}", VERBS.join(", "));
                    ("sound-verb", message)
                });
        }
        let (last, kind) = self.sound.words.last().expect("there are words").clone();
        if kind == SoundWord::Seed {
            return Err(self.too_much_sound());
        }
        let verb = &self.sound.words[1].0;
        let directional = verb == "move" || verb == "cantmove";
        if directional && let Some(direction) = self.line.one_of(&DIRECTIONS, is_wordy) {
            return Ok((direction.to_string(), SoundWord::Direction));
        }
        self.seed().map(seed).ok_or_else(|| {
            let found = self.skip_chunk().to_uppercase();
            let last = last.to_uppercase();
            let or = if directional { "a direction or " } else { "" };
            let message = format!("expected {or}the number of a sound after {last}, found {found}");
            ("sound-direction-or-seed", message)
        })
    }

    fn sound_event(&mut self) -> Option<&'static str> {
        let event = self.line.one_of(&EVENTS, is_ascii_wordy);
        event.or_else(|| self.line.one_of(&EFFECTS, is_ascii_wordy))
    }

    fn sound_start(&mut self) -> Result<(String, SoundWord), (&'static str, String)> {
        if let Some(event) = self.sound_event() {
            return Ok((event.to_string(), SoundWord::Event));
        }
        match self.line.word() {
            None => {
                self.skip_chunk();
                let message = "expected an event, such as SFX3 or ENDLEVEL, or a name".to_string();
                Err(("sound-start", message))
            }
            Some(word) if self.source.declared(&word).is_none() => {
                Err(("sound-unknown-name", format!("\"{word}\" is not defined")))
            }
            Some(word) => Ok((word, SoundWord::Name)),
        }
    }

    fn too_much_sound(&mut self) -> (&'static str, String) {
        let found = self.skip_chunk().to_uppercase();
        let last = self.sound.words.last().map_or("", |(word, _)| word);
        let message = format!("the line ends after the sound {last}, found {found}");
        ("sound-ended", message)
    }
}
