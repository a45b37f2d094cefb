//! The files of a certificate, wherever they are: in a folder, or in memory for tests.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::hash::Hashing;
use crate::manifest::File;

/// A folder that is read.
pub trait Folder {
    /// Opens a file by its name, which has no path.
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>>;
}

/// A folder that is being written.
pub trait NewFolder {
    /// Creates a file by its name, which has no path.
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>>;
}

/// Writes files into a folder, and keeps the hash of each.
pub struct Files<'a> {
    folder: &'a dyn NewFolder,
}

impl<'a> Files<'a> {
    /// For this folder.
    pub fn new(folder: &'a dyn NewFolder) -> Self {
        Self { folder }
    }

    /// Starts a file. [`Hashing::finish`] ends it.
    pub fn create(&self, name: &str) -> io::Result<Hashing<Box<dyn Write + Send>>> {
        Ok(Hashing::new(name, self.folder.create(name)?))
    }

    /// Writes a file that is at hand.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<File> {
        let mut file = self.create(name)?;
        file.write_all(bytes)?;
        file.finish()
    }
}

/// A folder in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Memory {
    /// The names of the files.
    pub fn names(&self) -> Vec<String> {
        self.files().keys().cloned().collect()
    }

    /// The bytes of a file; `None` if there is none of this name.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.files().get(name).cloned()
    }

    /// Puts a file in the place of another.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        self.files().insert(name.to_string(), bytes);
    }

    fn files(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Folder for Memory {
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        let bytes = self.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes)))
    }
}

impl NewFolder for Memory {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        self.put(name, Vec::new());
        Ok(Box::new(MemoryFile {
            folder: self.clone(),
            name: name.to_string(),
        }))
    }
}

struct MemoryFile {
    folder: Memory,
    name: String,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.folder.files();
        files
            .entry(self.name.clone())
            .or_default()
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
