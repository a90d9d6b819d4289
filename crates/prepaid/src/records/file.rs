//! A file of records: it is written under a hidden name, and gets its own name when the journal has it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use runtime::durable::{create_anew, make_folder, sync_folder, touch_folder};

/// A file of records, named after the first and the last of its ended sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFile {
    /// Its folder.
    pub folder: PathBuf,
    /// The number of the first ended session.
    pub first: u64,
    /// The number of the last one.
    pub last: u64,
}

impl RecordFile {
    /// Returns the path that it has when it is complete.
    pub fn path(&self) -> PathBuf {
        self.folder.join(format!("charging-{}-{}.json", self.first, self.last))
    }

    /// Returns the path while it is written. A retry, which may have more sessions, has the same one.
    fn hidden(&self) -> PathBuf {
        self.folder.join(format!(".charging-{}.json.part", self.first))
    }

    /// Writes the file under its hidden name, durably. If that fails, what was written is removed.
    pub(super) fn write(&self, octets: &[u8]) -> io::Result<()> {
        make_folder(&self.folder)?;
        let hidden = self.hidden();
        let write = || {
            let mut file = create_anew(&hidden)?;
            file.write_all(octets)?;
            file.sync_all()?;
            self.check_free()?;
            sync_folder(&self.folder)
        };
        write().inspect_err(|_| {
            // It may be what fills the disk.
            let _ = fs::remove_file(&hidden);
        })
    }

    /// Gives the file its name, durably. If it has it already, a collector may have taken the file.
    pub(super) fn give_name(&self) -> io::Result<()> {
        let hidden = self.hidden();
        match hidden.try_exists()? {
            true => {
                self.check_free()?;
                fs::rename(hidden, self.path())?;
            }
            // A folder that is missing may be a disk that is not mounted: this is an error then.
            false => touch_folder(&self.folder)?,
        }
        sync_folder(&self.folder)
    }

    /// Checks that no other file has the name. One with the same octets is this one, from a journal that was lost.
    fn check_free(&self) -> io::Result<()> {
        let path = self.path();
        match path.try_exists()? && !same_octets(&self.hidden(), &path)? {
            true => Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "a file of this name with other contents exists; move it away",
            )),
            false => Ok(()),
        }
    }
}

fn same_octets(one: &Path, other: &Path) -> io::Result<bool> {
    let is_as_long = fs::metadata(one)?.len() == fs::metadata(other)?.len();
    Ok(is_as_long && fs::read(one)? == fs::read(other)?)
}
