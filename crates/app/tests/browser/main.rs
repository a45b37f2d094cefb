//! The studio in a real browser: Chromium, headless, by keyboard and pointer.
//!
//! Where there is no Chromium the tests say so and pass, unless `PLOY_BROWSER=required`. One browser and one server serve all
//! tests; each test has a profile of its own, and fails when the page complains on its console.

mod devtools;
mod page;
mod studio;

mod edit;
mod everyone;
mod learn;
mod pictures;
mod play;
mod race;
mod safe;
mod speed;
mod watch;
