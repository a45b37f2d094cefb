//! The settings of the prelude.

use crate::fault::{Faults, Place};
use crate::game::Settings;
use crate::read::{COLOURS, Source, trim};

/// The value of a setting; the last one counts.
pub(super) fn value<'s>(source: &'s Source, name: &str) -> Option<&'s str> {
    setting(source, name).map(|(value, _)| value)
}

fn setting<'s>(source: &'s Source, name: &str) -> Option<(&'s str, usize)> {
    let mut settings = source.prelude.iter().rev();
    let setting = settings.find(|(known, _, _)| known == name);
    setting.map(|(_, value, line)| (value.as_str(), *line))
}

/// The settings that change what a turn does. Those about the screen are only checked.
pub(super) fn read(source: &Source, faults: &mut Faults) -> Settings {
    for name in ["flickscreen", "zoomscreen"] {
        if let Some((value, line)) = setting(source, name) {
            check_size(value, Place::line(line), faults);
        }
    }
    let is_set = |name| value(source, name).is_some();
    Settings {
        run_rules_on_level_start: is_set("run_rules_on_level_start"),
        require_player_movement: is_set("require_player_movement"),
        no_action: is_set("noaction"),
        no_undo: is_set("noundo"),
        no_restart: is_set("norestart"),
        real_time: is_set("realtime_interval"),
    }
}

/// Checks a size such as `7x5`.
fn check_size(value: &str, place: Place, faults: &mut Faults) {
    let parts: Vec<&str> = value.split('x').collect();
    let [width, height] = parts.as_slice() else {
        faults.warning(place, "size-form", "a size has the form 7x5");
        return;
    };
    let numbers = [width, height].map(|part| whole_number(part, place, faults));
    match numbers {
        [Some(width), Some(height)] if width <= 0 || height <= 0 => {
            let message = format!("the size \"{value}\" is not above 0");
            faults.warning(place, "size-not-positive", message);
        }
        [Some(_), Some(_)] => {}
        _ => {
            let message = format!("the size \"{value}\" does not have the form 7x5");
            faults.warning(place, "size-unclear", message);
        }
    }
}

fn whole_number(text: &str, place: Place, faults: &mut Faults) -> Option<i64> {
    let number: Option<f64> = trim(text).parse().ok();
    let number = number.filter(|number| number.is_finite() && number.fract() == 0.0);
    let Some(number) = number else {
        let message = format!("\"{text}\" is no whole number");
        faults.warning(place, "size-not-whole", message);
        return None;
    };
    if number <= 0.0 {
        let message = format!("\"{text}\" is not above 0");
        faults.warning(place, "side-not-positive", message);
    }
    Some(number as i64)
}

/// Checks the colours of text and background.
pub(super) fn check_colours(source: &Source, faults: &mut Faults) {
    for name in ["text_color", "background_color"] {
        if let Some((value, line)) = setting(source, name) {
            let digits = value.strip_prefix('#').unwrap_or("");
            let hex = matches!(digits.len(), 3 | 6)
                && digits.chars().all(|digit| digit.is_ascii_hexdigit());
            if !hex && !COLOURS.contains(&value) {
                let message = format!("{name} is a colour such as pink or #1412fa, found {value}");
                faults.error(Place::line(line), "setting-colour", message);
            }
        }
    }
}
