//! Folders and files whose names survive a power cut.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};

/// Creates a folder and its missing parents durably, so that they survive a power cut.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    make_folder_by(|folder| fs::create_dir(folder), folder)
}

/// Like [`make_folder`], but only the owner has access to a new folder; its parents get default permissions.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    make_folder(folder.parent().unwrap_or(Path::new("")))?;
    make_folder_by(|folder| DirBuilder::new().mode(0o700).create(folder), folder)
}

fn make_folder_by(create: impl Fn(&Path) -> io::Result<()>, folder: &Path) -> io::Result<()> {
    if folder.is_dir() || folder.as_os_str().is_empty() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(Path::new(""));
    make_folder(above)?;
    match create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        // Remove the folder, so that a retry creates it again: a second sync of the same change would report success.
        _ => sync_folder(above).inspect_err(|_| {
            let _ = fs::remove_dir(folder);
        }),
    }
}

/// Syncs the names in a folder to the disk. Without this, a power cut may remove the name of an existing file.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    open_folder(folder)?.sync_all()
}

/// Creates a file, and removes one with its name that an interrupted process left. This changes the folder, so the next
/// [sync](sync_folder) of it covers this name, whether or not an earlier sync failed.
pub fn create_anew(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        created => created,
    }
}

/// Changes a folder, so that its next [sync](sync_folder) tells whether its names are on the disk.
///
/// A process that finds a name in a folder does not know whether a sync failed after the name was created. A second
/// sync of the same change has nothing to write, and reports success. After another change, a sync does write, and file
/// systems with a journal write no change before an earlier one.
pub fn touch_folder(folder: &Path) -> io::Result<()> {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    Ok(futimens(open_folder(folder)?, &times)?)
}

fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}
