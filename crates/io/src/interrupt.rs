//! Ctrl-C and SIGTERM raise a flag that every budget checks: a search then ends by itself, with its
//! best plan and bound. A second signal ends the program at once, and so does the first one if no
//! part of the program asked for the flag; unfinished files are removed before. The handler is
//! installed when the flag or the first file is asked for; until then, Ctrl-C ends the program as
//! usual, also while it waits for input.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use crate::draft;

/// The exit code that shells report for a program that Ctrl-C ended.
pub const KILLED: i32 = 130;

/// Whether `flag` was called, so that some budget ends the work after a signal.
static CHECKED: AtomicBool = AtomicBool::new(false);

/// The flag, with its handler installed.
pub fn flag() -> Arc<AtomicBool> {
    CHECKED.store(true, SeqCst);
    installed().clone()
}

/// Installs the handler for a program that writes files, without asking for the flag.
pub(crate) fn remove_drafts_on_signals() {
    installed();
}

fn installed() -> &'static Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // If no handler can be installed, Ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, SeqCst) || !CHECKED.load(SeqCst) {
                draft::remove_and_exit(KILLED);
            }
        });
        flag
    })
}
