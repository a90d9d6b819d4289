//! A local folder as a remote place, so that deliveries work the same way for both.

use std::fs;
use std::io::{self, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};

use diagnostics::plain;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::BUFFER_OCTETS;
use crate::remote::{
    Listing, LocalFault, Parcel, Place, PutMethod, RemoteConnection, RemoteError, RemoteFile,
    RemoteKind,
};
use runtime::durable::{create_anew, make_folder, sync_folder, touch_folder};

/// A local folder.
#[derive(Clone, Debug)]
pub struct LocalFolder(PathBuf);

impl LocalFolder {
    /// Returns the folder at a path. Connecting creates it if it is missing.
    pub fn new(folder: PathBuf) -> Self {
        LocalFolder(folder)
    }
}

impl Place for LocalFolder {
    fn address(&self) -> String {
        self.0.display().to_string()
    }

    fn put_method(&self) -> PutMethod {
        PutMethod::Rename
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        make_folder(&self.0).map_err(|error| failed(&self.0, error))?;
        Ok(Box::new(self.clone()))
    }
}

impl LocalFolder {
    fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.0.clone() } else { self.0.join(name) }
    }

    fn sync_around(&self, path: &Path) -> Result<(), RemoteError> {
        let folder = path.parent().unwrap_or(&self.0);
        sync_folder(folder).map_err(|error| failed(folder, error))
    }
}

impl RemoteConnection for LocalFolder {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        let path = self.path(folder);
        let mut listing = Listing::default();
        for entry in fs::read_dir(&path).map_err(|error| failed(&path, error))? {
            let entry = entry.map_err(|error| failed(&path, error))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            match remote_file(name, &entry.path()) {
                // Another process may have taken the file.
                Err(RemoteError::NotThere(_)) => {}
                file => listing.files.push(file?),
            }
        }
        Ok(listing)
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        remote_file(name.to_owned(), &self.path(name))
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        let path = self.path(name);
        let mut file = plain::open(&path).map_err(|error| failed(&path, error))?;
        let (mut buffer, mut octets) = (vec![0; BUFFER_OCTETS], 0);
        loop {
            let read = file.read(&mut buffer).map_err(|error| failed(&path, error))?;
            if read == 0 {
                return Ok(octets);
            }
            to.write_all(&buffer[..read])?;
            octets += read as u64;
        }
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        let path = self.path(name);
        let mut from = parcel.open()?;
        let mut file = create_anew(&path).map_err(|error| failed(&path, error))?;
        let (mut buffer, mut octets) = (vec![0; BUFFER_OCTETS], 0);
        loop {
            let read = from.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            file.write_all(&buffer[..read]).map_err(|error| failed(&path, error))?;
            octets += read as u64;
        }
        file.sync_all().map_err(|error| failed(&path, error))?;
        self.sync_around(&path)?;
        Ok(octets)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError> {
        let (source, target) = (self.path(from), self.path(to));
        let renamed = renameat_with(CWD, &source, CWD, &target, RenameFlags::NOREPLACE);
        match renamed.map_err(io::Error::from) {
            Ok(()) => {}
            // The file may have been renamed before, and the sync of its folder may have failed.
            Err(_) if !source.try_exists().map_err(|error| failed(&source, error))? => {
                let folder = target.parent().unwrap_or(&self.0);
                touch_folder(folder).map_err(|error| failed(folder, error))?;
                self.sync_around(&target)?;
                return Err(RemoteError::NotThere(source.display().to_string()));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(RemoteError::Exists(to.into()));
            }
            // The file system does not support NOREPLACE. Only the gateway uses these names, so a
            // check before the rename is enough.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                if target.try_exists().map_err(|error| failed(&target, error))? {
                    return Err(RemoteError::Exists(to.into()));
                }
                fs::rename(&source, &target).map_err(|error| failed(&source, error))?;
            }
            Err(error) => return Err(failed(&source, error)),
        }
        self.sync_around(&target)
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        let path = self.path(name);
        fs::remove_file(&path).map_err(|error| failed(&path, error))
    }

    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError> {
        let path = self.path(name);
        make_folder(&path).map_err(|error| failed(&path, error))
    }
}

fn remote_file(name: String, path: &Path) -> Result<RemoteFile, RemoteError> {
    let metadata = fs::symlink_metadata(path).map_err(|error| failed(path, error))?;
    let kind = match metadata.file_type() {
        kind if kind.is_file() => RemoteKind::File,
        kind if kind.is_dir() => RemoteKind::Folder,
        _ => RemoteKind::Other,
    };
    Ok(RemoteFile { name, kind, octets: Some(metadata.len()), modified: metadata.modified().ok() })
}

fn failed(path: &Path, error: io::Error) -> RemoteError {
    let shown = path.display().to_string();
    match error.kind() {
        ErrorKind::NotFound => RemoteError::NotThere(shown),
        ErrorKind::InvalidFilename => {
            RemoteError::refused(LocalFault::LocalName { path: shown, cause: error.to_string() })
        }
        _ => RemoteError::passing_by(LocalFault::Local { path: shown }, error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    struct Text(&'static str);

    impl Parcel for Text {
        fn open(&self) -> io::Result<Box<dyn io::Read + '_>> {
            Ok(Box::new(self.0.as_bytes()))
        }

        fn octets(&self) -> io::Result<Option<u64>> {
            Ok(Some(self.0.len() as u64))
        }
    }

    #[test]
    fn a_local_folder_works_like_a_remote_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = LocalFolder::new(folder.path().join("a/b"));
        let mut remote = place.connect().unwrap();
        assert_eq!(remote.put(".x.part", &Text("money")).unwrap(), 5);
        remote.rename(".x.part", "x").unwrap();
        assert_eq!(remote.stat("x").unwrap().octets, Some(5));
        remote.put(".x.part", &Text("other")).unwrap();
        let exists = remote.rename(".x.part", "x").unwrap_err();
        assert!(matches!(exists, RemoteError::Exists(_)), "{exists}");
        let mut octets = Vec::new();
        remote.fetch("x", &mut octets).unwrap();
        assert_eq!(octets, b"money");
        remote.make_folder("c").unwrap();
        let mut names: Vec<_> =
            remote.list("").unwrap().files.into_iter().map(|file| (file.name, file.kind)).collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        let all =
            [(".x.part", RemoteKind::File), ("c", RemoteKind::Folder), ("x", RemoteKind::File)];
        assert_eq!(names, all.map(|(name, kind)| (name.to_owned(), kind)));
        remote.remove(".x.part").unwrap();
        for missing in
            [remote.remove(".x.part"), remote.stat("y").map(drop), remote.rename("y", "z")]
        {
            assert!(matches!(missing, Err(RemoteError::NotThere(_))));
        }
    }

    /// An earlier rename may have left its folder without a sync.
    #[test]
    fn a_repeated_rename_changes_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (place, target) = (LocalFolder::new(folder.path().into()), folder.path().join("x"));
        let mut remote = place.connect().unwrap();
        remote.put(".x.part", &Text("money")).unwrap();
        remote.rename(".x.part", "x").unwrap();
        let mut changes = |again: &mut dyn FnMut(&mut dyn RemoteConnection) -> bool| {
            let before = SystemTime::UNIX_EPOCH;
            File::open(folder.path()).unwrap().set_modified(before).unwrap();
            assert!(again(&mut *remote));
            assert_ne!(fs::metadata(folder.path()).unwrap().modified().unwrap(), before);
        };
        changes(&mut |_| crate::deliver(&target).is_ok());
        changes(&mut |remote| {
            matches!(remote.rename(".x.part", "x"), Err(RemoteError::NotThere(_)))
        });
    }
}
