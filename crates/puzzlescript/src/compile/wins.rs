//! Win conditions.

use super::names::Names;
use crate::fault::{Faults, Place};
use crate::game::{Quantifier, Things, WinCondition};
use crate::read::Source;
use crate::set::Set;

/// The win conditions of a file; those with faults are left out.
pub(super) fn conditions(source: &Source, names: &Names, faults: &mut Faults) -> Vec<WinCondition> {
    let mut conditions = Vec::new();
    for text in &source.wins {
        let place = Place::line(text.line);
        let words: Vec<&str> = text.words.iter().map(String::as_str).collect();
        let [quantifier, what, rest @ ..] = words.as_slice() else {
            let message = "a win condition looks like \"no A\", \"some A on B\" or \"all A on B\"";
            faults.error(place, "win-form", message);
            continue;
        };
        let quantifier = match *quantifier {
            "no" => Quantifier::No,
            "all" => Quantifier::All,
            _ => Quantifier::Some,
        };
        let what = things(what, names, place, faults);
        let on = match rest {
            [_, on] => things(on, names, place, faults),
            _ => Some(Things {
                objects: Set::below(names.numbered.len()),
                all: false,
            }),
        };
        if let (Some(what), Some(on)) = (what, on) {
            conditions.push(WinCondition {
                quantifier,
                what,
                on,
            });
        }
    }
    conditions
}

fn things(name: &str, names: &Names, place: Place, faults: &mut Faults) -> Option<Things> {
    let meaning = names.find(name);
    let objects = meaning.and_then(|meaning| meaning.mask.clone());
    let all = objects.is_none();
    let objects = objects.or_else(|| meaning?.aggregate_mask.clone());
    if objects.is_none() {
        let message = format!("\"{name}\" is no object that a win condition could be about");
        faults.error(place, "win-undefined", message);
    }
    objects.map(|objects| Things { objects, all })
}
