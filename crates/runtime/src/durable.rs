//! Folders and files whose names a power cut does not take away.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};

/// Makes a folder and those it lies in, where they are missing, so that a power cut does not take them away.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    make_folder_by(|folder| fs::create_dir(folder), folder)
}

/// As [`make_folder`], but only the owner has access to a new folder; its parents get default
/// permissions.
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
        // Whoever tries again makes it anew: a second sync of the same would say that all is well.
        _ => sync_folder(above).inspect_err(|_| {
            let _ = fs::remove_dir(folder);
        }),
    }
}

/// Puts the names in a folder on the disk: without this, a power cut may take a name away from a file that is there.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    open_folder(folder)?.sync_all()
}

/// Makes a file, in the place of one of its name that somebody was interrupted in writing. So its folder is changed, and
/// the next [sync](sync_folder) of that is one of this name, whether or not one failed before.
pub fn create_anew(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        created => created,
    }
}

/// Changes a folder, so that its next [sync](sync_folder) says whether the names that it has are on the disk.
///
/// Who finds a name in a folder does not know whether a sync failed after it was given. A second sync of the same has
/// nothing to write, and says that all is well; one of a folder that was changed since writes, and file systems with a
/// journal write no change before an earlier one.
pub fn touch_folder(folder: &Path) -> io::Result<()> {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    Ok(futimens(open_folder(folder)?, &times)?)
}

fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}
