//! The disk space that the files in a folder take.

use std::fs;
use std::io;
use std::path::Path;

use crate::collect::FOLDER_DEPTH_MAX;

/// Returns the sum of the sizes of the entries in a folder, in octets; 0 if the folder does not
/// exist. Hidden files count, since they are being written. Subfolders count with their own size,
/// without their contents.
pub fn folder_octets(folder: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut octets = 0;
    for entry in entries {
        match entry.and_then(|entry| entry.metadata()) {
            // A receiver may remove a file during the search.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            metadata => octets += metadata?.len(),
        }
    }
    Ok(octets)
}

/// Returns the same as [`folder_octets`], plus the contents of subfolders. Links are not followed.
pub fn folder_octets_recursive(folder: &Path) -> io::Result<u64> {
    let mut octets = folder_octets(folder)?;
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if depth < FOLDER_DEPTH_MAX && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                octets += folder_octets(&entry.path())?;
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
    fn the_sizes_of_entries_are_added_up_and_a_missing_folder_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("a/b");
        assert_eq!(folder_octets(&missing).unwrap(), 0);
        fs::write(folder.path().join("x"), [0; 100]).unwrap();
        fs::write(folder.path().join(".y"), [0; 20]).unwrap();
        assert_eq!(folder_octets(folder.path()).unwrap(), 120);
        fs::create_dir_all(folder.path().join("z/z")).unwrap();
        fs::write(folder.path().join("z/z/x"), [0; 3]).unwrap();
        let folders = |path: &str| fs::metadata(folder.path().join(path)).unwrap().len();
        let expected = 123 + folders("z") + folders("z/z");
        assert_eq!(folder_octets_recursive(folder.path()).unwrap(), expected);
    }
}
