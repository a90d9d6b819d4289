//! Finds why a database cannot be used: messages such as "disk I/O error" and "readonly database"
//! do not tell what to do.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use runtime::disk::Disk;

/// The disk space that a database needs, in octets: its shared memory, and a few pages of its log.
const ROOM_OCTETS: u64 = 256 << 10;

/// The number of files that a database needs: itself, its log, its shared memory, its lock and its
/// marks.
const ROOM_FILES: u64 = 8;

/// Returns why a database cannot be used, if the cause can be found.
pub(crate) fn obstacle(database: &Path) -> Option<String> {
    let folder = database.parent()?;
    if let Some(no_room) = no_room(folder) {
        return Some(no_room);
    }
    is_denied(database)
        .then(|| format!("only {} may write to \"{}\"", owner(database), database.display()))
}

/// Returns whether this user may not write a file.
///
/// The file is not opened: when any handle of a database is closed, the process loses its locks on it
/// (<https://sqlite.org/howtocorrupt.html>, 2.2), and others take the database for closed.
#[cfg(unix)]
fn is_denied(file: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    let access = accessat(CWD, file, Access::WRITE_OK, AtFlags::EACCESS);
    matches!(access, Err(Errno::ACCESS | Errno::PERM))
}

#[cfg(not(unix))]
fn is_denied(_: &Path) -> bool {
    false
}

/// Returns a message for a disk that had no room for the database in a folder, though it may have room again.
pub(crate) fn full(folder: &Path) -> String {
    no_room(folder).unwrap_or_else(|| format!("no room on the disk of \"{}\"", folder.display()))
}

/// Returns a message if the disk has no room for the database in a folder.
pub fn no_room(folder: &Path) -> Option<String> {
    let disk = Disk::of(folder).ok()?;
    let lack = match (disk.free < ROOM_OCTETS, disk.files_free) {
        (true, _) => "no room",
        (_, Some(files)) if files < ROOM_FILES => "no room for another file",
        _ => return None,
    };
    Some(format!("{lack} on the disk of \"{}\"", folder.display()))
}

/// As [`no_room`], but also writes a file to detect a quota, which may leave less than the free
/// space.
pub fn no_room_to_write(folder: &Path) -> Option<String> {
    no_room(folder).or_else(|| {
        let there = folder.ancestors().find(|folder| folder.is_dir())?;
        let probe = there.join(format!(".room-{}", std::process::id()));
        let written = fs::write(&probe, vec![1; ROOM_OCTETS as usize]);
        let _ = fs::remove_file(&probe);
        // The caller that opens the database reports any other error.
        let is_full = |error: std::io::Error| {
            matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
        };
        written.is_err_and(is_full).then(|| {
            format!("no room within the quota of this user on the disk of \"{}\"", folder.display())
        })
    })
}

/// Returns the name of a file's owner.
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use store::{Store, StoreError};

    use super::*;
    use crate::OpenError;

    #[test]
    fn what_is_looked_for_while_the_database_is_open_leaves_its_locks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = Store::open(&path, &["CREATE TABLE name (name TEXT)"]).unwrap();
        store.commit(|db| db.execute("INSERT INTO name VALUES ('a')", [])).unwrap();
        let inode = format!(":{} ", path.metadata().unwrap().ino());
        let is_locked = || fs::read_to_string("/proc/locks").unwrap().contains(&inode);
        assert!(is_locked());
        assert_eq!(obstacle(&path), None);
        assert!(
            is_locked(),
            "another process would take the database for closed, and remove its log"
        );
        drop(store);
        assert!(!is_locked());
    }

    #[test]
    fn a_disk_that_was_full_is_named_though_it_has_room_again() {
        let path = "/var/tollgate/flow.state/journal.db".to_owned();
        let error = OpenError::from(StoreError::Full { path });
        let OpenError::Blocked { obstacle, .. } = &error else { panic!("{error:?}") };
        assert_eq!(obstacle, "no room on the disk of \"/var/tollgate/flow.state\"");
    }
}
