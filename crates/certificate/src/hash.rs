//! SHA-256 of files, while they are written and read.

use std::io::{self, Read, Write};

use ployglot_base::{Budget, Limit, Progress};
use sha2::{Digest, Sha256};

use crate::manifest::File;

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new_with_prefix(bytes))
}

fn hexadecimal(hash: Sha256) -> String {
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A writer that hashes what passes through it.
pub struct Hashing<W> {
    name: String,
    out: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    pub(crate) fn new(name: &str, out: W) -> Self {
        Self {
            name: name.to_string(),
            out,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<File> {
        self.out.flush()?;
        Ok(File {
            name: self.name,
            bytes: self.bytes,
            sha256: hexadecimal(self.hash),
        })
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The number of bytes of a file and their hash; the inner error is the limit that ended the work.
pub(crate) fn of_reader(
    mut file: impl Read,
    budget: &Budget,
) -> io::Result<Result<(u64, String), Limit>> {
    let mut hash = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let progress = || Progress {
            phase: "hash",
            ..Progress::default()
        };
        if let Err(limit) = budget.check(progress) {
            return Ok(Err(limit));
        }
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Ok((bytes, hexadecimal(hash)))),
            Ok(read) => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
