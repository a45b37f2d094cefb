//! Instructions, counted by valgrind.
//!
//! Each loop runs twice in a process of its own, for some operations and for twice as many; the difference is what an
//! operation takes, without what it took to set up.

use std::process::Command;

/// What is measured: does so many operations.
pub struct Loop {
    pub name: &'static str,
    pub run: fn(u64),
    pub operations: u64,
}

/// Counts all loops; or, called by itself under valgrind, runs the one that is named.
pub fn main(loops: &[Loop]) {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, name, operations, ..] = arguments.as_slice() {
        let named = loops.iter().find(|known| known.name == name);
        let operations = operations.parse().expect("a number of operations");
        return (named.expect("a loop of the list").run)(operations);
    }
    let own = std::env::current_exe().expect("it is running");
    for known in loops {
        let count = |operations: u64| {
            let out = Command::new("valgrind")
                .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
                .args([own.as_os_str(), known.name.as_ref()])
                .arg(operations.to_string())
                .output();
            let out = out.expect("valgrind is installed");
            let text = String::from_utf8_lossy(&out.stderr).into_owned();
            let number = text.split("Collected :").nth(1);
            let number = number.and_then(|rest| rest.split_whitespace().next());
            number.and_then(|number| number.parse::<u64>().ok())
        };
        let twice = (count(known.operations), count(2 * known.operations));
        let (Some(once), Some(twice)) = twice else {
            panic!("valgrind counts nothing for '{}'", known.name);
        };
        let each = twice.saturating_sub(once) / known.operations;
        println!("{each:>8} instructions  {}", known.name);
    }
}
