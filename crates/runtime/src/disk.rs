//! How much room there is on a disk, and how much of it stays free.

use std::io;
use std::path::Path;

/// Octets that stay free on a disk, if nothing is said: at most this, and of a small one, that share.
const FREE_MAX: u64 = 1_000_000_000;
const FREE_SHARE: u64 = 50;

/// The disk that a folder lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Octets that may still be written.
    pub free: u64,
    /// All octets of it.
    pub size: u64,
    /// Files that can still be created, if there is a limit.
    pub files_free: Option<u64>,
    /// What tells it from others.
    pub id: u64,
}

/// The disk of a folder, which need not be there yet.
pub fn disk(folder: &Path) -> io::Result<Disk> {
    let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let disk = rustix::fs::statvfs(there)?;
    let id = rustix::fs::stat(there)?.st_dev;
    let octets = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    // File systems that create inodes on demand report 0 for both.
    let files_free = (disk.f_files > 0).then_some(disk.f_favail);
    Ok(Disk { free: octets(disk.f_bavail), size: octets(disk.f_blocks), files_free, id })
}

/// Octets that stay free on a disk, as the flow says or usually.
pub fn least_of(said: Option<u64>, disk: &Disk) -> u64 {
    said.unwrap_or(FREE_MAX.min(disk.size / FREE_SHARE))
}

/// Octets that stay free on the disk of a folder.
pub fn least_free(said: Option<u64>, folder: &Path) -> u64 {
    disk(folder).map_or(said.unwrap_or(0), |disk| least_of(said, &disk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_has_a_disk() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("a/b");
        let (of_missing, of_folder) = (disk(&missing).unwrap(), disk(folder.path()).unwrap());
        assert_eq!((of_missing.id, of_missing.size), (of_folder.id, of_folder.size));
        assert!(of_folder.free <= of_folder.size && of_folder.size > 0);
    }
}
