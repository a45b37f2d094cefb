//! Standard output and files. Lines are flushed as they come, files appear complete or not at all,
//! and a closed pipe (`ploy levels | head -1`) ends the program without a message.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes text to standard output and flushes it.
pub fn text(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::io("standard output", error))
}

/// Writes a line to standard output and flushes it.
pub fn line(line: &str) -> Result<(), Failure> {
    text(&format!("{line}\n"))
}

/// Writes a file: first a temporary one in the same folder, which is renamed when it is complete.
/// What is not a plain file (`/dev/stdout`, a pipe) is written directly.
pub fn file(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let target = Path::new(path);
    let direct = std::fs::metadata(target).is_ok_and(|there| !there.is_file());
    let written = if direct {
        std::fs::OpenOptions::new()
            .write(true)
            .open(target)
            .and_then(|mut file| file.write_all(bytes))
    } else {
        replace(target, bytes)
    };
    written.map_err(|error| Failure::io(path, error))
}

fn replace(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A symbolic link is kept: its target is replaced.
    let target = std::fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
    let draft = temporary_name(&target);
    let written = std::fs::write(&draft, bytes)
        .and_then(|()| match std::fs::metadata(&target) {
            Ok(there) => std::fs::set_permissions(&draft, there.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| std::fs::rename(&draft, &target));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// A name in the same folder that no other process uses.
fn temporary_name(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    target.with_file_name(name)
}

/// Ends the program quietly where a library's `println!` panics because the pipe is closed. (Rust
/// ignores SIGPIPE, so that writes fail instead.)
pub fn quiet_broken_pipes() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let printing = info
            .payload_as_str()
            .is_some_and(|text| text.starts_with("failed printing to std"));
        if printing {
            std::process::exit(0);
        }
        before(info);
    }));
}
