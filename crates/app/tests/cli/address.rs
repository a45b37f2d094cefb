//! Where a server that was just started listens.

use std::io::{BufRead, BufReader};
use std::process::Child;

/// The first line that it prints, without the slash at the end: `http://127.0.0.1:PORT`.
pub fn address(server: &mut Child) -> String {
    let out = server.stdout.take().expect("its output");
    let mut line = String::new();
    BufReader::new(out)
        .read_line(&mut line)
        .expect("an address");
    line.trim().trim_end_matches('/').to_string()
}
