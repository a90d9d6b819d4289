//! What stands in the way where the database refuses, as far as that is seen from outside: "disk I/O error" and
//! "readonly database" do not say what to do.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

/// Room that a database cannot do without: the memory that its users share.
const ROOM_OCTETS: u64 = 64 << 10;

/// What keeps a database from being used, if that is seen.
pub(super) fn hindrance(database: &Path) -> Option<String> {
    let folder = database.parent()?;
    if transport::disk(folder).is_ok_and(|disk| disk.free < ROOM_OCTETS) {
        return Some(format!("no room on the disk of \"{}\"", folder.display()));
    }
    let opened = File::options().write(true).open(database);
    let is_barred = opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    is_barred.then(|| format!("only {} may write to \"{}\"", owner(database), database.display()))
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
