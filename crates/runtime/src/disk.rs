//! The free space of disks, and how much of it should stay free.

use std::io;
use std::path::Path;

/// The default reserve of a disk, in octets: 1 GB, on a disk below 50 GB one part in 50.
const RESERVE_MAX: u64 = 1_000_000_000;
const RESERVE_PART: u64 = 50;

/// The file system that a folder is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Octets that this user can still write.
    pub free: u64,
    /// Its size in octets.
    pub size: u64,
    /// Files that can still be created, if there is a limit.
    pub files_free: Option<u64>,
    /// Identifies the file system on this machine.
    pub id: u64,
}

impl Disk {
    /// Reads the disk of a folder. A folder that is not there yet is on the disk of the nearest one above it that is.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
        let disk = rustix::fs::statvfs(there)?;
        let id = rustix::fs::stat(there)?.st_dev;
        let octets = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        // File systems that create inodes on demand report 0 for both.
        let files_free = (disk.f_files > 0).then_some(disk.f_favail);
        Ok(Disk { free: octets(disk.f_bavail), size: octets(disk.f_blocks), files_free, id })
    }

    /// Returns the octets that should stay free: those configured, or else 1 GB, on a small disk 2 % of it.
    pub fn reserve(&self, configured: Option<u64>) -> u64 {
        configured.unwrap_or(RESERVE_MAX.min(self.size / RESERVE_PART))
    }
}

/// Returns the octets that should stay free on the disk of a folder, as [`Disk::reserve`] does. If the disk cannot be read,
/// those are the configured ones, or none.
pub fn reserve_of(folder: &Path, configured: Option<u64>) -> u64 {
    Disk::of(folder).map_or(configured.unwrap_or(0), |disk| disk.reserve(configured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_has_a_disk() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("a/b");
        let (of_missing, of_folder) =
            (Disk::of(&missing).unwrap(), Disk::of(folder.path()).unwrap());
        assert_eq!((of_missing.id, of_missing.size), (of_folder.id, of_folder.size));
        assert!(of_folder.free <= of_folder.size && of_folder.size > 0);
    }

    #[test]
    fn a_small_disk_keeps_a_share_free_and_a_large_one_a_gigabyte() {
        let disk = |size| Disk { free: 0, size, files_free: None, id: 0 };
        assert_eq!(disk(10_000_000_000).reserve(None), 200_000_000);
        assert_eq!(disk(2_000_000_000_000).reserve(None), 1_000_000_000);
        assert_eq!(disk(10_000_000_000).reserve(Some(7)), 7);
    }
}
