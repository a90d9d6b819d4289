//! What stands in the way where the database refuses, as far as that is seen from outside: "disk I/O error" and
//! "readonly database" do not say what to do.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use runtime::disk::Disk;

/// Room that a database cannot do without: the memory that its users share, and a few pages of its log.
const ROOM_OCTETS: u64 = 256 << 10;

/// Files that it cannot do without: itself, its log, the memory that its users share, its lock and its marks.
const ROOM_FILES: u64 = 8;

/// What keeps a database from being used, if that is seen.
pub(crate) fn hindrance(database: &Path) -> Option<String> {
    let folder = database.parent()?;
    if let Some(no_room) = no_room(folder) {
        return Some(no_room);
    }
    let opened = File::options().write(true).open(database);
    let is_barred = opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    is_barred.then(|| format!("only {} may write to \"{}\"", owner(database), database.display()))
}

/// What is said where a database in a folder cannot be written for want of room, as far as the disk says it.
pub fn no_room(folder: &Path) -> Option<String> {
    let disk = Disk::of(folder).ok()?;
    let of_what = match (disk.free < ROOM_OCTETS, disk.files_free) {
        (true, _) => "no room",
        (_, Some(files)) if files < ROOM_FILES => "no room for another file",
        _ => return None,
    };
    Some(format!("{of_what} on the disk of \"{}\"", folder.display()))
}

/// The same, found by writing: what a user or a folder may have is less than what is free, where there are quotas.
pub fn no_room_to_write(folder: &Path) -> Option<String> {
    no_room(folder).or_else(|| {
        let there = folder.ancestors().find(|folder| folder.is_dir())?;
        let probe = there.join(format!(".room-{}", std::process::id()));
        let written = fs::write(&probe, vec![1; ROOM_OCTETS as usize]);
        let _ = fs::remove_file(&probe);
        // What else may be wrong is told by who opens the database.
        let is_full = |error: std::io::Error| {
            matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
        };
        written.is_err_and(is_full).then(|| {
            format!("no room for this user, by the quota of the disk of \"{}\"", folder.display())
        })
    })
}

/// The name of a file's owner.
#[cfg(unix)]
fn owner(file: &Path) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(metadata) = fs::metadata(file) else { return "its owner".into() };
    let number = metadata.uid().to_string();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, user) = (fields.next()?, fields.next()?, fields.next()?);
        (user == number).then(|| name.to_owned())
    });
    name.unwrap_or(format!("user {number}"))
}

#[cfg(not(unix))]
fn owner(_: &Path) -> String {
    "its owner".into()
}
