//! Standard output, standard error and files. Lines are flushed as they come, files appear complete
//! or not at all, and a closed pipe (`ploy levels | head -1`) ends the program without a message.
//!
//! Much of what is printed is foreign: names of files and solvers, titles, plans. No escape sequence
//! in it reaches a terminal. In a pipe or a file, the text is exact.

use std::io::{IsTerminal, Write};

use ployglot_base::text::printable_lines;

use crate::draft;
use crate::failure::Failure;

/// Writes text to standard output and flushes it. On a terminal it has no colours: control
/// characters are replaced.
pub fn text(text: &str) -> Result<(), Failure> {
    let out = std::io::stdout();
    let safe = match out.is_terminal() {
        true => printable_lines(text),
        false => text.into(),
    };
    write(&mut out.lock(), &safe)
}

/// Writes a picture of a board, which may have colours. They are left out where they are not
/// wanted.
pub fn board(text: &str) -> Result<(), Failure> {
    write(&mut anstream::stdout().lock(), text)
}

fn write(out: &mut dyn Write, text: &str) -> Result<(), Failure> {
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::io("standard output", error))
}

/// Writes a line to standard error: a note for people beside the answer.
pub fn note(text: &str) {
    anstream::eprintln!("{}", printable_lines(text));
}

/// Writes a line to standard output and flushes it.
pub fn line(line: &str) -> Result<(), Failure> {
    text(&format!("{line}\n"))
}

/// Writes a file, beside its target first: see `draft`.
pub fn file(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    draft::write(path, |out| out.write_all(bytes))
}

/// Refuses an output file that is an input: that is probably a mistake, and the input would be lost.
/// Each output has the name of its option. To be called before the work begins. Names that are no
/// files ('-', built-in levels) are never the same.
pub fn refuse_inputs(
    outputs: &[(&str, Option<&String>)],
    inputs: &[Option<&String>],
) -> Result<(), Failure> {
    let named = outputs
        .iter()
        .filter_map(|&(option, file)| Some((option, std::fs::canonicalize(file?).ok()?)));
    for (option, output) in named {
        let same = |input: &&&String| std::fs::canonicalize(input).is_ok_and(|path| path == output);
        if let Some(input) = inputs.iter().flatten().find(same) {
            let message = format!("{option} would overwrite the input {input}");
            return Err(Failure::CommandLine(message));
        }
    }
    Ok(())
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
            draft::remove_and_exit(0);
        }
        before(info);
    }));
}
