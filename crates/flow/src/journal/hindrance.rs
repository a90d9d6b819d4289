//! What stands in the way where the database refuses, as far as that is seen from outside: "disk I/O error" and
//! "readonly database" do not say what to do.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

/// Room that a database cannot do without: the memory that its users share, and a few pages of its log.
const ROOM_OCTETS: u64 = 256 << 10;

/// What keeps a database from being used, if that is seen.
pub(super) fn hindrance(database: &Path) -> Option<String> {
    let folder = database.parent()?;
    if let Some(no_room) = no_room(folder) {
        return Some(no_room);
    }
    let opened = File::options().write(true).open(database);
    let is_barred = opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    is_barred.then(|| format!("only {} may write to \"{}\"", owner(database), database.display()))
}

/// What is said where a database in a folder cannot be written for want of room.
pub(crate) fn no_room(folder: &Path) -> Option<String> {
    let is_full = transport::disk(folder).is_ok_and(|disk| disk.free < ROOM_OCTETS);
    is_full.then(|| format!("no room on the disk of \"{}\"", folder.display()))
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
