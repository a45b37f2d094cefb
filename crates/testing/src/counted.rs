//! Instruction counts by valgrind, for benchmarks.
//!
//! Each loop runs twice in a process of its own, once for some operations and once for twice as
//! many. The difference is the cost of the operations without that of the setup.

use std::process::Command;

/// A loop to be measured.
pub struct Loop {
    /// The name that is printed.
    pub name: &'static str,
    /// Does this many operations.
    pub run: fn(u64),
    /// The number of operations to be measured.
    pub operations: u64,
}

/// The main function of a benchmark: counts the instructions of all loops and prints them. Started
/// by itself under valgrind, with a name and a number of operations as arguments, it runs that
/// loop.
pub fn main(loops: &[Loop]) {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, name, operations, ..] = arguments.as_slice() {
        let named = loops.iter().find(|known| known.name == name);
        let operations = operations.parse().expect("a number of operations");
        return (named.expect("a loop of the list").run)(operations);
    }
    for measured in loops {
        let once = count(measured.name, measured.operations);
        let twice = count(measured.name, 2 * measured.operations);
        let each = twice.saturating_sub(once) / measured.operations;
        println!("{each:>8} instructions  {}", measured.name);
    }
}

/// The instructions of a process that runs this loop for this many operations.
fn count(name: &str, operations: u64) -> u64 {
    let program = std::env::current_exe().expect("the path of the running program");
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([program.as_os_str(), name.as_ref()])
        .arg(operations.to_string())
        .output();
    let out = out.expect("valgrind is installed");
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    let number = text.split("Collected :").nth(1);
    let number = number.and_then(|rest| rest.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("valgrind printed no count for '{name}'"))
}
