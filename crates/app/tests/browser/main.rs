//! The studio in a real browser: Chromium, headless, by keyboard and pointer.
//!
//! Without Chromium the tests are skipped, unless `PLOY_BROWSER=required`. One browser and one
//! server serve all tests; each test has a profile of its own, and fails if the page has errors on
//! its console.

mod devtools;
mod page;
mod studio;

mod accessibility;
mod edit;
mod learn;
mod pictures;
mod play;
mod puzzlescript;
mod race;
mod security;
mod speed;
mod watch;
