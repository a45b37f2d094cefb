//! What an experiment ran on, and which program it was: recorded, because figures without it mean little.

use std::hash::Hasher;
use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// The machine as the system describes it.
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

/// The version, and a fingerprint of the program's file: two builds of one version are told apart.
pub fn program() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match fingerprint() {
        Ok(mark) => format!("ploy {version} ({mark:016x})"),
        Err(_) => format!("ploy {version}"),
    }
}

fn fingerprint() -> std::io::Result<u64> {
    let mut file = std::fs::File::open(std::env::current_exe()?)?;
    // The hasher with its default keys gives the same figure in every process.
    let mut hasher = std::hash::DefaultHasher::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hasher.finish()),
            length => hasher.write(&part[..length]),
        }
    }
}

/// A word that names this moment of this process on this machine, and no other; of letters that file and job names may have.
pub fn unique() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("{:x}-{:x}", since.as_nanos(), std::process::id())
}

/// Seconds since 1970.
pub fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as i64)
}
