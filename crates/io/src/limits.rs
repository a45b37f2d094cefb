//! Parsers for limits and sizes on the command line and in suites: `60s`, `1.5m`, `512M`, `8G`,
//! `6x8`.

use std::time::Duration;

use ployglot_base::Budget;
use ployglot_base::budget::available_memory;

/// `500ms`, `60s`, `1.5m`, `2h`; a bare number is seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let asked = number.parse::<f64>().unwrap_or(f64::NAN) * seconds;
    Duration::try_from_secs_f64(asked)
        .map_err(|_| "a time is a number with 'ms', 's', 'm' or 'h': 60s, 1.5m".to_string())
}

/// `512M`, `8G`, `1.5GiB`: powers of 1024, in bytes.
pub fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let scale = match unit
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => 0,
    };
    let bytes = number.parse::<f64>().unwrap_or(f64::NAN) * 2f64.powi(scale);
    if scale == 0 || !(1.0..=2f64.powi(60)).contains(&bytes) {
        return Err("a size is a number with 'K', 'M', 'G' or 'T': 512M, 8G".to_string());
    }
    Ok(bytes as u64)
}

/// `6x8`: rows and columns.
pub fn size(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once(['x', 'X', '×']);
    let numbers = parts.and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
    numbers
        .filter(|&(rows, cols): &(usize, usize)| {
            (1..=1000).contains(&rows) && (1..=1000).contains(&cols)
        })
        .ok_or_else(|| "a size is rows and columns, each from 1 to 1000: 6x8".to_string())
}

/// The memory limit where the user gives none: three quarters of the free memory, so that the
/// machine stays usable and a search ends with its bound instead of being killed. `None` where the
/// system does not report free memory.
pub fn default_memory() -> Option<u64> {
    available_memory().map(|bytes| bytes / 4 * 3)
}

/// A budget with this limit of time (none by default) and of memory (`default_memory` by default),
/// and with the permission to run other programs.
pub fn budget(time: Option<Duration>, memory: Option<u64>) -> Budget {
    let mut budget = Budget::unlimited().with_programs(ployglot_programs::local());
    if let Some(time) = time {
        budget = budget.with_time(time);
    }
    if let Some(memory) = memory.or_else(default_memory) {
        budget = budget.with_memory(memory);
    }
    budget
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, millis) in [
            ("60s", 60_000),
            ("0.5", 500),
            ("250ms", 250),
            ("2 h", 7_200_000),
            ("1.5m", 90_000),
        ] {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "s",
            "-1s",
            "1e5s",
            "5 weeks",
            "1.2.3s",
            "99999999999999999999999h",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("512M", 512 << 20),
            ("8G", 8 << 30),
            ("1.5GiB", 3 << 29),
            ("1kb", 1024),
        ] {
            assert_eq!(memory(text), Ok(bytes), "{text}");
        }
        for text in ["", "8", "G", "-1G", "0G", "8X", "99999999999T"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }
}
