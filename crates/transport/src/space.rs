//! How much room there is, and how much is taken.

use std::fs;
use std::io;
use std::path::Path;

use crate::collect::FOLDER_DEPTH_MAX;

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

/// Octets of the files in a folder; none where there is no folder. Hidden files count: they are being written.
pub fn taken(folder: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut taken = 0;
    for entry in entries {
        match entry.and_then(|entry| entry.metadata()) {
            // A receiver may take a file away while it is looked at.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            metadata => taken += metadata?.len(),
        }
    }
    Ok(taken)
}

/// As [`taken`], with what is in the folders within. Links are not followed.
pub fn taken_below(folder: &Path) -> io::Result<u64> {
    let mut octets = taken(folder)?;
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if depth < FOLDER_DEPTH_MAX && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                octets += taken(&entry.path())?;
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_has_a_disk_and_nothing_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("a/b");
        let (of_missing, of_folder) = (disk(&missing).unwrap(), disk(folder.path()).unwrap());
        assert_eq!((of_missing.id, of_missing.size), (of_folder.id, of_folder.size));
        assert!(of_folder.free <= of_folder.size && of_folder.size > 0);
        assert_eq!(taken(&missing).unwrap(), 0);
        fs::write(folder.path().join("x"), [0; 100]).unwrap();
        fs::write(folder.path().join(".y"), [0; 20]).unwrap();
        assert_eq!(taken(folder.path()).unwrap(), 120);
        fs::create_dir_all(folder.path().join("z/z")).unwrap();
        fs::write(folder.path().join("z/z/x"), [0; 3]).unwrap();
        let folders = |path: &str| fs::metadata(folder.path().join(path)).unwrap().len();
        let expected = 123 + folders("z") + folders("z/z");
        assert_eq!(taken_below(folder.path()).unwrap(), expected);
    }
}
