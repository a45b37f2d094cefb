//! The prelude: settings, one a line, before the first section.

use super::Reader;
use super::line::{is_wordy, trim};

/// Settings that have a value.
const WITH_VALUE: [&str; 12] = [
    "title",
    "author",
    "homepage",
    "background_color",
    "text_color",
    "key_repeat_interval",
    "realtime_interval",
    "again_interval",
    "flickscreen",
    "zoomscreen",
    "color_palette",
    "youtube",
];

/// Settings that are on where they occur.
const WITHOUT_VALUE: [&str; 10] = [
    "run_rules_on_level_start",
    "norepeat_action",
    "require_player_movement",
    "debug",
    "verbose_logging",
    "throttle_movement",
    "noundo",
    "noaction",
    "norestart",
    "scanline",
];

/// `Reader::step`: the value is the next token; the setting has no value.
const VALUE: i32 = 1;
const NO_VALUE: i32 = -1;

impl Reader<'_> {
    pub(super) fn prelude(&mut self, starts: bool) {
        if starts {
            self.step = 0;
        }
        if self.step != 0 {
            self.line.skip_to_comment();
            self.step += 1;
            if self.step > VALUE + 1 {
                let message = "a value cannot hold a comment: what follows it is ignored";
                self.warning(self.here(), "comment-in-value", message);
            }
            return;
        }
        let place = self.here();
        let Some(name) = self.line.word() else {
            let message = format!("unknown text \"{}\" in the prelude", self.line.whole());
            self.error(place, "prelude-text", message);
            self.line.advance();
            return;
        };
        if !starts {
            return;
        }
        debug_assert!(name.chars().all(is_wordy));
        let before_comment = |text: &str| {
            let value = text.split('(').next().unwrap_or("").to_string();
            (!value.is_empty()).then(|| trim(&value).to_string())
        };
        if WITH_VALUE.contains(&name.as_str()) {
            let original = ["title", "author", "homepage"].contains(&name.as_str());
            let rest = match original {
                true => self.line.rest_original(),
                false => self.line.rest().iter().collect(),
            };
            if name == "youtube" {
                let message = "youtube is no longer supported";
                self.warning(place, "youtube", message);
            }
            match before_comment(&rest) {
                None => {
                    let message = format!("the setting {name} needs a value");
                    self.error(place, "setting-needs-value", message);
                }
                Some(value) => {
                    if let Some(earlier) = self.setting_line(&name) {
                        let message = format!("{name} is already set on line {earlier}");
                        self.warning(place, "setting-twice", message);
                    }
                    self.source.prelude.push((name, value, self.number));
                }
            }
            self.step = VALUE;
        } else if WITHOUT_VALUE.contains(&name.as_str()) {
            let rest: String = self.line.rest().iter().collect();
            if let Some(extra) = before_comment(&rest) {
                let message = format!("the setting {name} has no value, found \"{extra}\"");
                self.warning(place, "setting-has-no-value", message);
            }
            let value = "true".to_string();
            self.source.prelude.push((name, value, self.number));
            self.step = NO_VALUE;
        } else {
            let message = format!("unknown setting \"{name}\" in the prelude");
            self.error(place, "prelude-word", message);
        }
    }

    /// The line of the last setting of this name that has a value.
    fn setting_line(&self, name: &str) -> Option<usize> {
        let settings = self.source.prelude.iter().rev();
        let mut same = settings.filter(|(known, _, _)| known == name);
        same.next().map(|&(_, _, line)| line)
    }
}
