//! A file that appears whole or not at all: written under a name of its own, then renamed.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use runtime::durable::{create_anew, make_folder, touch_folder};

/// Octets gathered before they are written out.
pub const BUFFER_OCTETS: usize = 256 * 1024;

/// A file being written. The memory is kept from file to file.
#[derive(Debug, Default)]
pub struct Staged {
    /// What is not written yet. What is behind [`keep`](Self::keep)'s last call can be taken back.
    pub buffer: Vec<u8>,
    kept: usize,
    target: PathBuf,
    file: Option<File>,
    is_in_memory: bool,
}

impl Staged {
    /// What never becomes a file: all of it stays in the buffer, for whoever takes it.
    pub fn in_memory() -> Self {
        let mut staged = Staged::default();
        staged.is_in_memory = true;
        staged
    }

    /// Begins the file that will be `target`.
    pub fn begin(&mut self, target: PathBuf) {
        self.discard();
        self.target = target;
    }

    /// What it will be called.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Keeps what is in the buffer; writes it out when it is much.
    pub fn keep(&mut self) -> io::Result<()> {
        self.kept = self.buffer.len();
        if self.kept >= BUFFER_OCTETS && !self.is_in_memory { self.flush() } else { Ok(()) }
    }

    /// Adds octets, and keeps them. Many are written as they are.
    pub fn append(&mut self, octets: &[u8]) -> io::Result<()> {
        if octets.len() < BUFFER_OCTETS / 8 {
            self.buffer.extend_from_slice(octets);
            return self.keep();
        }
        self.flush()?;
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(octets))
    }

    /// Takes back what was not kept.
    pub fn take_back(&mut self) {
        self.buffer.truncate(self.kept);
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
        self.kept = 0;
        Ok(())
    }

    /// Ends the file: what is left is written out, still under the temporary name.
    pub fn end(&mut self) -> io::Result<Written> {
        self.flush()?;
        Ok(Written { target: self.target.clone(), file: self.file.take() })
    }

    /// Removes what an interrupted run left under the temporary name, where nothing was written.
    pub fn forget_interrupted(&self) {
        forget_interrupted(&self.target);
    }

    /// Forgets the file.
    pub fn discard(&mut self) {
        self.buffer.clear();
        self.kept = 0;
        if self.file.take().is_some() {
            // What stays is overwritten when the job is repeated.
            let _ = fs::remove_file(temporary(&self.target));
        }
    }
}

/// A file that is written, under its temporary name. Unless it is [kept](Self::keep), it goes away with this.
#[derive(Debug)]
pub struct Written {
    target: PathBuf,
    file: Option<File>,
}

impl Written {
    /// One that another process has written and [kept](Self::keep).
    pub fn reopen(target: &Path) -> io::Result<Self> {
        Ok(Written { target: target.into(), file: Some(File::open(temporary(target))?) })
    }

    /// What it will be called.
    pub fn target(&self) -> &PathBuf {
        &self.target
    }

    /// Writes all of it to the disk; its folder is [synced](sync_folder) apart, once for many files. A file of
    /// its final name that has other contents is never overwritten; one with the same is taken for this output, made by
    /// somebody whose journal was lost: whoever knows better asks before.
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
            // What stays is overwritten when the job is repeated.
            let _ = fs::remove_file(temporary(&self.target));
        }
    }
}

/// Removes what lies under the temporary name of a file that nobody writes any more.
pub fn forget_interrupted(target: &Path) {
    let _ = fs::remove_file(temporary(target));
}

/// Gives a file that was [kept](Written::keep) its name; one that has it already is left alone, and its folder
/// [touched](touch_folder). The folder is to be [synced](sync_folder) then.
pub fn deliver(target: &Path) -> io::Result<()> {
    let temporary = temporary(target);
    if !temporary.try_exists()? {
        // A folder that is not there is a disk that is not mounted, say: nobody has taken the file from it.
        let folder = target.parent().unwrap_or(Path::new(""));
        return match folder.as_os_str().is_empty() || folder.is_dir() {
            true => touch_folder(folder),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "its folder is not there")),
        };
    }
    may_be_named(target)?;
    fs::rename(temporary, target)
}

/// The name of a file while it is written.
fn temporary(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.part"))
}

fn may_be_named(target: &Path) -> io::Result<()> {
    match target.try_exists()? && !same_octets(&temporary(target), target)? {
        true => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "a file of this name with other contents is there; move it away, or see what wrote it",
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

/// A name from outside as a name within a folder: no part of it leads elsewhere, and it is not hidden.
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
