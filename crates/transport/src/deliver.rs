//! Files that appear only when they are complete: each is written under a temporary name, then
//! renamed.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use runtime::durable::{create_anew, make_folder, touch_folder};

/// The size of write buffers, in octets.
pub const BUFFER_OCTETS: usize = 256 * 1024;

/// A file that is being written. Its memory is reused for the next file.
#[derive(Debug, Default)]
pub struct Staged {
    /// The octets that are not written yet. Those after the last [`commit`](Self::commit) can be
    /// rolled back.
    pub buffer: Vec<u8>,
    committed_len: usize,
    target: PathBuf,
    file: Option<File>,
    is_in_memory: bool,
}

impl Staged {
    /// Creates one that never becomes a file: all of it stays in the buffer for the caller.
    pub fn in_memory() -> Self {
        let mut staged = Staged::default();
        staged.is_in_memory = true;
        staged
    }

    /// Begins the file that becomes `target`.
    pub fn begin(&mut self, target: PathBuf) {
        self.discard();
        self.target = target;
    }

    /// Returns the final path.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Commits the octets in the buffer, and writes them if there are many.
    pub fn commit(&mut self) -> io::Result<()> {
        self.committed_len = self.buffer.len();
        if self.committed_len >= BUFFER_OCTETS && !self.is_in_memory {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Adds octets and commits them. Long ones are written without the buffer.
    pub fn append(&mut self, octets: &[u8]) -> io::Result<()> {
        if octets.len() < BUFFER_OCTETS / 8 {
            self.buffer.extend_from_slice(octets);
            return self.commit();
        }
        self.flush()?;
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(octets))
    }

    /// Removes the octets that were not committed.
    pub fn roll_back(&mut self) {
        self.buffer.truncate(self.committed_len);
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let temporary = temporary(&self.target);
                make_folder(temporary.parent().unwrap_or(Path::new("")))?;
                create_anew(&temporary)?
            }
        };
        self.file.insert(file).write_all(&self.buffer)?;
        self.buffer.clear();
        self.committed_len = 0;
        Ok(())
    }

    /// Ends the file: writes the rest, still under the temporary name.
    pub fn end(&mut self) -> io::Result<Written> {
        self.flush()?;
        Ok(Written { target: self.target.clone(), file: self.file.take() })
    }

    /// Removes the file that an interrupted run left under the temporary name. Use it if nothing
    /// was written.
    pub fn forget_interrupted(&self) {
        forget_interrupted(&self.target);
    }

    /// Gives up the file.
    pub fn discard(&mut self) {
        self.buffer.clear();
        self.committed_len = 0;
        if self.file.take().is_some() {
            // A file that stays is overwritten when the job is repeated.
            let _ = fs::remove_file(temporary(&self.target));
        }
    }
}

/// A written file under its temporary name. Dropping this removes the file, unless it is
/// [kept](Self::keep).
#[derive(Debug)]
pub struct Written {
    target: PathBuf,
    file: Option<File>,
}

impl Written {
    /// Opens a file that another process has written and [kept](Self::keep).
    pub fn reopen(target: &Path) -> io::Result<Self> {
        Ok(Written { target: target.into(), file: Some(File::open(temporary(target))?) })
    }

    /// Returns the final path.
    pub fn target(&self) -> &PathBuf {
        &self.target
    }

    /// Syncs the file to the disk. The caller [syncs](sync_folder) the folder, once for many files.
    /// A file with the final name and other contents is never overwritten. One with the same
    /// contents counts as this output, from a run whose journal was lost; a caller that needs to
    /// distinguish them checks before.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_all)?;
        may_be_named(&self.target)
    }

    /// Leaves the file under its temporary name, for [`deliver`].
    pub fn keep(mut self) -> PathBuf {
        self.file = None;
        std::mem::take(&mut self.target)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // A file that stays is overwritten when the job is repeated.
            let _ = fs::remove_file(temporary(&self.target));
        }
    }
}

/// Removes the temporary file of an output that no process writes any more.
pub fn forget_interrupted(target: &Path) {
    let _ = fs::remove_file(temporary(target));
}

/// Renames a [kept](Written::keep) file to its final name. If it has that name already, its folder
/// is [touched](touch_folder). [Sync](sync_folder) the folder afterwards.
pub fn deliver(target: &Path) -> io::Result<()> {
    let temporary = temporary(target);
    if !temporary.try_exists()? {
        // A missing folder may be a disk that is not mounted, so the file was not delivered.
        let folder = target.parent().unwrap_or(Path::new(""));
        return match folder.as_os_str().is_empty() || folder.is_dir() {
            true => touch_folder(folder),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "its folder does not exist")),
        };
    }
    may_be_named(target)?;
    fs::rename(temporary, target)
}

/// Returns the name of a file while it is written.
fn temporary(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.part"))
}

fn may_be_named(target: &Path) -> io::Result<()> {
    match target.try_exists()? && !same_octets(&temporary(target), target)? {
        true => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "a file of this name with other contents exists; move it away, or find out which program wrote it",
        )),
        false => Ok(()),
    }
}

fn same_octets(a: &Path, b: &Path) -> io::Result<bool> {
    if fs::metadata(a)?.len() != fs::metadata(b)?.len() {
        return Ok(false);
    }
    let (mut a, mut b) = (File::open(a)?, File::open(b)?);
    let (mut left, mut right) = (vec![0; BUFFER_OCTETS], vec![0; BUFFER_OCTETS]);
    loop {
        let read = a.read(&mut left)?;
        if read == 0 {
            return Ok(true);
        }
        match b.read_exact(&mut right[..read]) {
            Ok(()) if left[..read] == right[..read] => {}
            _ => return Ok(false),
        }
    }
}

/// Converts a foreign name to a file name. The result contains no slashes and is not hidden.
pub fn file_name(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if matches!(c, '/' | '\\' | '\0') { '~' } else { c }).collect();
    match name.strip_prefix('.') {
        Some(rest) => format!("~{rest}"),
        None => name,
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.discard();
    }
}
