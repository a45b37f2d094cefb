//! Files appear complete or not at all: a file is written beside its target, under another name,
//! and renamed when it is complete. Until then the target keeps its old content, also on a full
//! disk, an error, a panic or Ctrl-C, and then nothing stays behind. (Only a process that is killed
//! by SIGKILL leaves its draft, `.ploy-….part`.)
//!
//! What is not a plain file (a device, a pipe, `/dev/stdout`) is written directly.

use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::interrupt;

/// A file that is being written. It takes the place of its target in `finish`; if it is dropped
/// before, the target stays as it is.
pub struct Draft {
    /// The target as the user named it, for messages.
    name: String,
    place: Place,
}

enum Place {
    /// A temporary file, which is renamed to `target`.
    Beside {
        file: File,
        draft: PathBuf,
        target: PathBuf,
        /// Whether there was a file, whose content must not be lost.
        replaces: bool,
    },
    /// A device or a pipe.
    Direct(File),
    Stdout,
    Stderr,
}

impl Draft {
    /// Starts a file at this path. The target must be writable if it exists.
    pub fn create(path: &str) -> Result<Draft, Failure> {
        match Place::of(Path::new(path)) {
            Ok(place) => Ok(Draft {
                name: path.to_string(),
                place,
            }),
            Err(error) => Err(Failure::io(path, without_folder(error))),
        }
    }

    /// A buffered writer to the file. It must be flushed before `finish`.
    pub fn writer(&self) -> Result<Box<dyn Write + Send>, Failure> {
        let copy = |file: &File| file.try_clone().map_err(|error| self.failure(error));
        Ok(match &self.place {
            Place::Beside { file, .. } | Place::Direct(file) => {
                Box::new(BufWriter::with_capacity(1 << 16, copy(file)?))
            }
            Place::Stdout => Box::new(io::stdout()),
            Place::Stderr => Box::new(io::stderr()),
        })
    }

    /// Puts the file in the place of its target.
    pub fn finish(self) -> Result<(), Failure> {
        let Place::Beside {
            file,
            draft,
            target,
            replaces,
        } = &self.place
        else {
            return Ok(());
        };
        // After a power failure, a renamed file without its data would be worse than the old one.
        let synced = if *replaces { file.sync_data() } else { Ok(()) };
        synced
            .and_then(|()| std::fs::rename(draft, target))
            .map_err(|error| self.failure(error))
        // `drop` now finds no draft.
    }

    /// The error with the name of this file.
    pub fn failure(&self, error: io::Error) -> Failure {
        Failure::io(&self.name, error)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Place::Beside { draft, .. } = &self.place {
            remove(draft);
        }
    }
}

/// A new file is not found only where its folder does not exist.
pub fn without_folder(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::NotFound => io::Error::other("there is no such folder to write into"),
        _ => error,
    }
}

/// Writes a file by a function that receives a buffered writer.
pub fn write<T>(
    path: &str,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> Result<T, Failure> {
    let draft = Draft::create(path)?;
    let mut out = draft.writer()?;
    let filled = fill(&mut out).and_then(|filled| out.flush().map(|()| filled));
    let filled = filled.map_err(|error| draft.failure(error))?;
    draft.finish()?;
    Ok(filled)
}

/// Removes all drafts and ends the program. A thread that starts another draft waits until the
/// program has ended.
pub fn remove_and_exit(code: i32) -> ! {
    let drafts = drafts();
    for draft in drafts.iter() {
        remove_from_disk(draft);
    }
    std::process::exit(code)
}

/// Removes a draft, if it was not renamed.
pub(crate) fn remove(draft: &Path) {
    let mut drafts = drafts();
    remove_from_disk(draft);
    drafts.remove(draft);
}

fn remove_from_disk(draft: &Path) {
    let _ = match draft.is_dir() {
        true => std::fs::remove_dir_all(draft),
        false => std::fs::remove_file(draft),
    };
}

/// Creates a folder beside the target, under a name that nothing else has.
pub(crate) fn create_folder_beside(target: &Path) -> io::Result<PathBuf> {
    interrupt::remove_drafts_on_signals();
    let (draft, ()) = create_new(target, |draft| std::fs::create_dir(draft))?;
    Ok(draft)
}

/// The drafts that exist now.
fn drafts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static DRAFTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        let target = match follow_links(path)? {
            Named::Stdout => return Ok(Place::Stdout),
            Named::Stderr => return Ok(Place::Stderr),
            Named::Descriptor(path) => {
                return OpenOptions::new()
                    .append(true)
                    .open(path)
                    .map(Place::Direct);
            }
            Named::File(target) => target,
        };
        // Opening tells whether the target may be written; it changes nothing.
        let old = match OpenOptions::new().write(true).open(&target) {
            Ok(file) => {
                let old = file.metadata()?;
                if !old.is_file() {
                    return Ok(Place::Direct(file));
                }
                Some(old)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        interrupt::remove_drafts_on_signals();
        let (draft, file) = create_beside(&target)?;
        let place = Place::Beside {
            file,
            draft,
            target,
            replaces: old.is_some(),
        };
        if let (Place::Beside { file, .. }, Some(old)) = (&place, old) {
            keep_permissions(file, &old)?;
        }
        Ok(place)
    }
}

/// What a path names, after its symbolic links.
enum Named {
    Stdout,
    Stderr,
    /// Another open descriptor of this process: `/dev/fd/3`.
    Descriptor(PathBuf),
    /// A plain file, a device, or nothing yet.
    File(PathBuf),
}

/// Follows symbolic links, also one to a file that does not exist yet. The links in `/proc` to open
/// descriptors are not followed: standard output may be redirected to a file, whose descriptor must
/// stay valid.
fn follow_links(path: &Path) -> io::Result<Named> {
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        for folder in ["/dev/fd", "/proc/self/fd"] {
            if let Ok(number) = path.strip_prefix(folder) {
                return Ok(match number.to_str() {
                    Some("1") => Named::Stdout,
                    Some("2") => Named::Stderr,
                    _ => Named::Descriptor(path),
                });
            }
        }
        match std::fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => return Ok(Named::File(path)),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Creates a file in the folder of the target, under a name that no other file has.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let folder = target.as_os_str().as_encoded_bytes().ends_with(b"/");
    if target.file_name().is_none() || folder {
        return Err(ErrorKind::IsADirectory.into());
    }
    create_new(target, |draft| {
        OpenOptions::new().write(true).create_new(true).open(draft)
    })
}

/// Creates something beside the target, under a name that nothing else has.
fn create_new<T>(
    target: &Path,
    create: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Relaxed);
        let name = format!(".ploy-{}-{number}.part", std::process::id());
        let draft = target.with_file_name(name);
        // The lock is held from here, so that a signal finds each draft in the list.
        let mut drafts = drafts();
        match create(&draft) {
            Ok(created) => {
                drafts.insert(draft.clone());
                return Ok((draft, created));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Gives the draft the owner and the permissions of the old file. Only the superuser may change an
/// owner; otherwise the file belongs to the user who writes it.
fn keep_permissions(draft: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(draft, Some(old.uid()), Some(old.gid()));
    }
    draft.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    /// A new folder, and its path as text.
    fn folder() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = folder.path().to_str().expect("UTF-8").to_string();
        (folder, name)
    }

    fn names(folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let name = |entry: io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    fn put(path: &str, text: &str) {
        write(path, |out| out.write_all(text.as_bytes())).expect("it is written");
    }

    fn read(path: &str) -> String {
        std::fs::read_to_string(path).expect("it is there")
    }

    #[test]
    fn a_file_is_replaced_when_it_is_complete() {
        let (_keep, folder) = folder();
        let path = format!("{folder}/plan");
        put(&path, "old");
        let draft = Draft::create(&path).expect("a draft");
        let mut out = draft.writer().expect("a writer");
        out.write_all(b"new").expect("it is written");
        out.flush().expect("it is written");
        assert_eq!(read(&path), "old");
        draft.finish().expect("it is renamed");
        assert_eq!(read(&path), "new");
        assert_eq!(names(&folder), ["plan"]);
    }

    #[test]
    fn an_error_and_a_panic_leave_the_old_file_and_nothing_else() {
        let (_keep, folder) = folder();
        let path = format!("{folder}/plan");
        put(&path, "old");
        let failed = write(&path, |out| -> io::Result<()> {
            out.write_all(b"half")?;
            Err(ErrorKind::StorageFull.into())
        });
        let failure = failed.expect_err("the disk is full");
        assert_eq!(failure.exit_code(), crate::exit::BAD_FILE);
        assert_eq!(failure.line(), format!("{path}: the disk is full"));
        let panicked =
            std::panic::catch_unwind(|| write(&path, |_| -> io::Result<()> { panic!("a defect") }));
        assert!(panicked.is_err());
        assert_eq!(read(&path), "old");
        assert_eq!(names(&folder), ["plan"]);
    }

    #[test]
    fn permissions_and_links_are_kept() {
        let (_keep, folder) = folder();
        let (path, link) = (format!("{folder}/plan"), format!("{folder}/link"));
        put(&path, "old");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).expect("permissions");
        symlink("plan", &link).expect("a link");
        put(&link, "new");
        assert_eq!(read(&path), "new");
        assert_eq!(
            std::fs::metadata(&path).expect("it is there").mode() & 0o777,
            0o640
        );
        assert!(
            std::fs::symlink_metadata(&link)
                .expect("it is there")
                .is_symlink()
        );
        // A link to a file that does not exist yet.
        let dangling = format!("{folder}/dangling");
        symlink("later", &dangling).expect("a link");
        put(&dangling, "x");
        assert_eq!(read(&format!("{folder}/later")), "x");
        assert_eq!(names(&folder), ["dangling", "later", "link", "plan"]);
        // A link to itself.
        let circle = format!("{folder}/circle");
        symlink("circle", &circle).expect("a link");
        assert!(Draft::create(&circle).is_err());
    }

    #[test]
    fn devices_and_pipes_are_written_directly() {
        let (_keep, folder) = folder();
        put("/dev/null", "text");
        assert!(Path::new("/dev/null").exists());
        let full = write("/dev/full", |out| out.write_all(b"text"));
        let failure = full.expect_err("this device is always full");
        assert_eq!(failure.line(), "/dev/full: the disk is full");
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let number = std::os::fd::AsRawFd::as_raw_fd(&writer);
        put(&format!("/dev/fd/{number}"), "through a pipe");
        drop(writer);
        let mut text = String::new();
        io::Read::read_to_string(&mut reader, &mut text).expect("a pipe");
        assert_eq!(text, "through a pipe");
        // A folder, a missing folder and no name are errors.
        for path in [folder.as_str(), "/", "", ".."] {
            assert!(Draft::create(path).is_err(), "{path:?}");
        }
        assert!(Draft::create(&format!("{folder}/missing/plan")).is_err());
        assert!(Draft::create(&format!("{folder}/missing/")).is_err());
        assert!(names(&folder).is_empty());
    }
}
