//! Checks the section of sounds.

use super::names::Names;
use crate::fault::{Faults, Place};
use crate::read::{SoundWord, Source};

/// Reports the faults of sounds that only names and whole lines show.
pub(super) fn check(source: &Source, names: &Names, faults: &mut Faults) {
    let mut events: Vec<&str> = Vec::new();
    for sound in &source.sounds {
        let place = Place::line(sound.line);
        let [(first, kind), .., (last, last_kind)] = sound.words.as_slice() else {
            let message = "a sound is declared by more than one word";
            faults.warning(place, "sound-incomplete", message);
            continue;
        };
        if *last_kind != SoundWord::Seed {
            let message = format!("expected the number of a sound, found \"{last}\"");
            faults.error(place, "sound-without-seed", message);
        }
        if *kind == SoundWord::Event {
            if events.contains(&first.as_str()) {
                let message = format!("the event {} has two sounds", first.to_uppercase());
                faults.warning(place, "sound-event-twice", message);
            }
            events.push(first);
            continue;
        }
        let meaning = names.find(first);
        if meaning.is_some_and(|meaning| meaning.aggregate.is_some()) {
            let message = format!("the aggregate {} cannot have sounds", first.to_uppercase());
            faults.error(place, "sound-of-aggregate", message);
        } else if meaning.is_none_or(|meaning| meaning.mask.is_none()) {
            let message = format!("there is no object {}", first.to_uppercase());
            faults.error(place, "sound-of-nothing", message);
        }
    }
}
