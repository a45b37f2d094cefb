//! Ctrl-C, as a flag that every budget looks at: a search then ends by itself, with the best plan and bound it has. A second
//! Ctrl-C ends the program at once. Until the first call the system's own way holds, so waiting for input can be interrupted.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

/// The exit code that shells give to a program that Ctrl-C ended.
pub const KILLED: i32 = 130;

/// The flag; from now on, Ctrl-C raises it.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // Where no handler can be set, Ctrl-C ends the program as it always does.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, SeqCst) {
                std::process::exit(KILLED);
            }
        });
        flag
    })
    .clone()
}
