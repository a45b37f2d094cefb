//! The machine and the program of an experiment, recorded with its results: figures from different
//! machines or builds are not comparable.

use std::hash::Hasher;
use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// The machine as the operating system describes it.
pub fn machine() -> Value {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| Some(line.split_once(':')?.1.trim().to_string()))
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    json!({
        "host": read("/proc/sys/kernel/hostname").trim(),
        "system": format!("{} {}", std::env::consts::OS, read("/proc/sys/kernel/osrelease").trim()),
        "processor": field(&read("/proc/cpuinfo"), "model name"),
        "cores": cores,
        "memory": field(&read("/proc/meminfo"), "MemTotal"),
    })
}

/// The version and a hash of the program's file, which distinguishes builds of one version.
pub fn program() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match hash_of_program() {
        Ok(hash) => format!("ploy {version} ({hash:016x})"),
        Err(_) => format!("ploy {version}"),
    }
}

fn hash_of_program() -> std::io::Result<u64> {
    let mut file = std::fs::File::open(std::env::current_exe()?)?;
    // With its default keys the hasher gives the same hash in every process.
    let mut hasher = std::hash::DefaultHasher::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hasher.finish()),
            length => hasher.write(&part[..length]),
        }
    }
}

/// A name made of the time and the process number, unique on this machine, of characters that are
/// allowed in file and job names.
pub fn unique_name() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("{:x}-{:x}", since.as_nanos(), std::process::id())
}

/// Seconds since 1970.
pub fn unix_time() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as i64)
}
