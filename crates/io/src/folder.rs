//! Folders of certificates. A folder appears complete or not at all: it is written beside its target,
//! under another name, and renamed when it is complete.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use ployglot_certificate::{Folder, MANIFEST, Manifest, NewFolder};

use crate::draft;
use crate::failure::Failure;

/// A folder that is read.
pub struct OldFolder(PathBuf);

impl OldFolder {
    /// The folder of this path.
    pub fn new(path: &str) -> Self {
        Self(path.into())
    }
}

impl Folder for OldFolder {
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        let file = File::open(self.0.join(name))?;
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }
}

/// A folder that is being written. It takes the place of its target in `finish`; if it is dropped
/// before, nothing stays.
pub struct FolderDraft {
    /// The target as the user named it, for messages.
    name: String,
    draft: PathBuf,
    target: PathBuf,
}

impl FolderDraft {
    /// Starts a folder. The target may exist if it is empty or an older certificate.
    pub fn create(path: &str) -> Result<Self, Failure> {
        let target = PathBuf::from(path.trim_end_matches('/'));
        let create = || {
            if target.file_name().is_none() {
                return Err(ErrorKind::InvalidInput.into());
            }
            if target.exists() && !may_replace(&target)? {
                let why = "it exists already, and is no certificate; name a new folder";
                return Err(io::Error::new(ErrorKind::AlreadyExists, why));
            }
            draft::create_folder_beside(&target)
        };
        match create() {
            Ok(draft) => Ok(Self {
                name: path.to_string(),
                draft,
                target,
            }),
            Err(error) => Err(Failure::io(path, draft::without_folder(error))),
        }
    }

    /// Puts the folder in the place of its target.
    pub fn finish(self) -> Result<(), Failure> {
        let replace = || {
            if self.target.exists() {
                // It was empty or an older certificate; a folder cannot be renamed over another.
                std::fs::remove_dir_all(&self.target)?;
            }
            std::fs::rename(&self.draft, &self.target)
        };
        replace().map_err(|error| Failure::io(&self.name, error))
        // `drop` now finds no draft.
    }
}

impl NewFolder for FolderDraft {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        let file = File::create(self.draft.join(name))?;
        Ok(Box::new(BufWriter::with_capacity(1 << 16, file)))
    }
}

impl Drop for FolderDraft {
    fn drop(&mut self) {
        draft::remove(&self.draft);
    }
}

/// Whether a folder is empty, or has nothing but the files of a certificate.
fn may_replace(folder: &Path) -> io::Result<bool> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    let text = std::fs::read_to_string(folder.join(MANIFEST)).unwrap_or_default();
    let known = match Manifest::parse(&text) {
        Ok(manifest) => {
            let parts = manifest.parts.iter().flat_map(|part| part.files());
            let files = parts.chain([&manifest.level]).map(|file| file.name.clone());
            files.chain([MANIFEST.to_string()]).collect()
        }
        Err(_) => Vec::new(),
    };
    Ok(names.iter().all(|name| known.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_complete_or_absent_and_no_other_folder_is_replaced() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("proof");
        let name = path.to_str().expect("UTF-8");
        let draft = FolderDraft::create(name).expect("a draft");
        draft
            .create("a.txt")
            .and_then(|mut file| file.write_all(b"text"))
            .expect("a file");
        drop(draft);
        assert!(names(place.path()).is_empty(), "nothing stays");
        let draft = FolderDraft::create(name).expect("a draft");
        draft.create("a.txt").expect("a file");
        draft.finish().expect("it is renamed");
        assert_eq!(names(place.path()), ["proof"]);
        assert_eq!(names(&path), ["a.txt"]);
        // A folder with other files is kept.
        assert!(FolderDraft::create(name).is_err());
        assert_eq!(names(&path), ["a.txt"]);
        std::fs::remove_file(path.join("a.txt")).expect("it is there");
        let draft = FolderDraft::create(name).expect("an empty folder is replaced");
        draft.create("b.txt").expect("a file");
        draft.finish().expect("it is renamed");
        assert_eq!(names(&path), ["b.txt"]);
        assert!(FolderDraft::create("/").is_err());
        assert!(FolderDraft::create("/dev/null").is_err());
    }
}
