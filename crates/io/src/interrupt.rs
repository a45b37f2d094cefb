//! Ctrl-C and SIGTERM raise a flag that every budget checks: a search then ends by itself, with its
//! best plan and bound. A second signal ends the program at once. The handler is installed by the
//! first call of `flag`; until then, Ctrl-C ends the program as usual, also while it waits for
//! input.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

/// The exit code that shells report for a program that Ctrl-C ended.
pub const KILLED: i32 = 130;

/// The flag, with its handler installed.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // If no handler can be installed, Ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, SeqCst) {
                std::process::exit(KILLED);
            }
        });
        flag
    })
    .clone()
}
