//! The folder that a pushing client cannot leave.
//!
//! A foreign path is first split into plain names; any other name is refused. Each folder of the path is then opened
//! relative to the one before, without following links. So a name stays inside even if a process replaces a folder by a
//! link meanwhile.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, SystemTime};

use reason::Coded;
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use transport::{FOLDER_DEPTH_MAX, name_mistake};

/// The maximum length of a path in octets.
const PATH_MAX: usize = 4096;

/// The maximum number of entries listed of one folder.
const LISTED_MAX: usize = 100_000;

/// Why a request is refused.
#[derive(Debug, thiserror::Error, Coded)]
#[code("push")]
pub(crate) enum Refused {
    /// The path is not valid, or no file of its name is collected.
    #[error("{mistake}", mistake = .0)]
    Path(&'static str),
    /// The operation is not allowed here.
    #[error("{mistake}", mistake = .0)]
    Forbidden(&'static str),
    /// There is no such file or folder.
    #[error("there is no such file or folder")]
    Missing,
    /// A file has the name.
    #[error("{mistake}", mistake = .0)]
    Exists(&'static str),
    /// Another client sends a file of this name.
    #[error("a file of this name is being sent just now; try again later")]
    Busy,
    /// The file is larger than the limit of the in buffer.
    #[error("the file is larger than its buffer (\"limit\")")]
    TooLarge,
    /// There is no space.
    #[error("there is no room for it now: {cause}; try again later", cause = .0)]
    NoRoom(String),
    /// The request exceeds a limit, of open files say.
    #[error("{mistake}", mistake = .0)]
    TooMuch(&'static str),
    /// Some octets of the file are missing.
    #[error("octets of the file did not come, or could not be written")]
    Half,
    /// Another error, of the disk say.
    #[error("it could not be done: {cause}", cause = .0)]
    Io(#[from] io::Error),
}

/// A file of such a name would stay unprocessed.
pub(super) const NOT_COLLECTED: Refused = Refused::Path(
    "no file of this name is collected (\"pattern\"); while it is being sent, its name may end with .tmp, .part or .filepart",
);

impl From<rustix::io::Errno> for Refused {
    fn from(error: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        match error {
            Errno::NOENT | Errno::NOTDIR => Refused::Missing,
            // Opening a folder that is a link gives either, depending on the system.
            Errno::LOOP | Errno::MLINK => Refused::Forbidden("links are not followed"),
            Errno::EXIST => Refused::Exists("something of this name is there"),
            Errno::NOSPC | Errno::DQUOT => Refused::NoRoom("the disk is full".into()),
            error => Refused::Io(error.into()),
        }
    }
}

fn is_plain(name: &str) -> Result<(), Refused> {
    name_mistake(name).map_or(Ok(()), |why| Err(Refused::Path(why)))
}

/// A foreign path as plain names from the root. The root itself has none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Inside(Vec<String>);

impl Inside {
    /// Splits a path. An absolute path begins at the root, and so does a relative one.
    pub(super) fn parse(path: &str) -> Result<Self, Refused> {
        let mut names = Vec::new();
        if path.len() > PATH_MAX {
            return Err(Refused::Path("the path is too long"));
        }
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            if name == ".." {
                if names.pop().is_none() {
                    return Err(Refused::Path("the path leads out of your folder"));
                }
            } else {
                is_plain(name)?;
                names.push(name.to_owned());
            }
        }
        match names.len() <= FOLDER_DEPTH_MAX {
            true => Ok(Inside(names)),
            false => Err(Refused::Path("the path has too many folders")),
        }
    }

    /// Returns its folder and name. The root has no name.
    pub(super) fn split(&self) -> Result<(&[String], &str), Refused> {
        let (name, folders) = self.0.split_last().ok_or(Refused::Path("a file has a name"))?;
        Ok((folders, name))
    }

    /// Returns its last name, which is empty for the root.
    pub(super) fn name(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// Returns the path as the client sees it.
    pub(super) fn shown(&self) -> String {
        format!("/{}", self.0.join("/"))
    }
}

/// The attributes of a file or folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes {
    pub(super) is_folder: bool,
    pub(super) size: u64,
    pub(super) modified: SystemTime,
}

/// The folder that no path leads out of.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    /// Opens the folder, and creates it if it is missing.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        runtime::durable::make_folder(folder)?;
        // This path is the operator's own, so links in it are followed.
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(Root(fs::open(folder, flags, Mode::empty())?))
    }

    /// Opens a folder inside the root.
    pub(super) fn folder(&self, folders: &[String]) -> Result<OwnedFd, Refused> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut at = self.0.try_clone()?;
        for folder in folders {
            at = fs::openat(&at, folder.as_str(), flags, Mode::empty())?;
        }
        Ok(at)
    }

    /// Returns the attributes of a path. Links, and anything else that is neither file nor folder, count as missing.
    pub(super) fn known(&self, path: &Inside) -> Result<Attributes, Refused> {
        if path.0.is_empty() {
            return known(fs::fstat(&self.0)?);
        }
        let (folders, name) = path.split()?;
        stat(&self.folder(folders)?, name)
    }

    /// Returns the files and folders of a folder by name, without hidden ones.
    pub(super) fn list(&self, path: &Inside) -> Result<Vec<(String, Attributes)>, Refused> {
        let folder = self.folder(&path.0)?;
        let mut listed = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if is_plain(name).is_err() {
                continue;
            }
            // The gateway may have taken the file meanwhile.
            if let Ok(known) = stat(&folder, name) {
                listed.push((name.to_owned(), known));
            }
            if listed.len() == LISTED_MAX {
                break;
            }
        }
        listed.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(listed)
    }

    /// Makes a folder.
    pub(super) fn make_folder(&self, path: &Inside) -> Result<(), Refused> {
        let (folders, name) = path.split()?;
        if path.0.len() > FOLDER_DEPTH_MAX - 1 {
            return Err(Refused::Path("the path has too many folders"));
        }
        let folder = self.folder(folders)?;
        fs::mkdirat(&folder, name, Mode::RWXU | Mode::RGRP | Mode::XGRP)?;
        fs::fsync(&folder)?;
        Ok(())
    }

    /// Removes a file.
    pub(super) fn remove(&self, path: &Inside) -> Result<(), Refused> {
        let (folders, name) = path.split()?;
        let folder = self.folder(folders)?;
        fs::unlinkat(&folder, name, AtFlags::empty())?;
        fs::fsync(&folder)?;
        Ok(())
    }

    /// Renames a file, unless the new name exists.
    pub(super) fn rename(&self, from: &Inside, to: &Inside) -> Result<(), Refused> {
        let ((from_folders, from), (to_folders, to)) = (from.split()?, to.split()?);
        let (source, target) = (self.folder(from_folders)?, self.folder(to_folders)?);
        fs::renameat_with(&source, from, &target, to, RenameFlags::NOREPLACE)?;
        fs::fsync(&target)?;
        fs::fsync(&source)?;
        Ok(())
    }
}

/// Opens a regular file in a folder, without following a link.
pub(super) fn open_file(folder: &OwnedFd, name: &str, flags: OFlags) -> Result<File, Refused> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR | Mode::RGRP)?;
    match FileType::from_raw_mode(fs::fstat(&file)?.st_mode) {
        FileType::RegularFile => Ok(file.into()),
        _ => Err(Refused::Missing),
    }
}

/// Returns the attributes of a name in a folder.
pub(super) fn stat(folder: &OwnedFd, name: &str) -> Result<Attributes, Refused> {
    known(fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

fn known(stat: fs::Stat) -> Result<Attributes, Refused> {
    let is_folder = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => true,
        FileType::RegularFile => false,
        _ => return Err(Refused::Missing),
    };
    let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or(0));
    let modified = SystemTime::UNIX_EPOCH + seconds;
    Ok(Attributes { is_folder, size: u64::try_from(stat.st_size).unwrap_or(0), modified })
}

/// Calls `show` for each file and folder below a folder, with the folder that contains it. This includes hidden files,
/// which are being written.
pub(super) fn each_file(
    folder: &OwnedFd,
    depth: usize,
    show: &mut dyn FnMut(&OwnedFd, &CStr, Attributes),
) -> Result<(), Refused> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(known) {
            Ok(Ok(known)) if !known.is_folder => show(folder, name, known),
            Ok(Ok(known)) => {
                show(folder, name, known);
                let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                if let (true, Ok(below)) =
                    (depth < FOLDER_DEPTH_MAX, fs::openat(folder, name, flags, Mode::empty()))
                {
                    each_file(&below, depth + 1, show)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use transport::NAME_OCTETS_MAX;

    use super::*;

    #[test]
    fn a_path_is_plain_names_or_refused() {
        for (path, leads) in [
            ("a.ber", "/a.ber"),
            ("/a.ber", "/a.ber"),
            ("//x/./a.ber", "/x/a.ber"),
            ("x/../a.ber", "/a.ber"),
            (".", "/"),
            ("/", "/"),
            ("..", "the path leads out of your folder"),
            ("/../../etc/passwd", "the path leads out of your folder"),
            ("x/../../a", "the path leads out of your folder"),
            (".ssh/authorized_keys", "names that begin with a dot are hidden and ignored"),
            ("a\nb", "the name contains a control character"),
            ("a\0b", "the name contains a control character"),
            ("..\\..\\a", "names that begin with a dot are hidden and ignored"),
            ("a\\b", "the name contains a slash"),
            ("a.poison", "names with \".duplicate\", \".poison\" or \".to-archive\" are reserved"),
            (
                "a.to-archive",
                "names with \".duplicate\", \".poison\" or \".to-archive\" are reserved",
            ),
        ] {
            let found = match Inside::parse(path) {
                Ok(inside) => inside.shown(),
                Err(refused) => refused.to_string(),
            };
            assert_eq!(found, leads, "{path:?}");
        }
        assert!(Inside::parse(&"a".repeat(NAME_OCTETS_MAX)).is_ok());
        assert!(Inside::parse(&"a".repeat(NAME_OCTETS_MAX + 1)).is_err());
        assert!(Inside::parse(&"a/".repeat(FOLDER_DEPTH_MAX + 1)).is_err());
        assert!(Inside::parse(&"a/".repeat(PATH_MAX)).is_err());
    }

    /// Names that would lead outside if they were followed, and some that would not.
    const NAMES: [&str; 12] =
        ["", ".", "..", "...", "link", "outside", "in", "a", "a\0", "~", "\\", "..\u{ff0f}"];

    proptest! {
        #[test]
        fn no_path_leads_out_of_the_root(
            names in prop::collection::vec(prop::sample::select(&NAMES[..]), 0..6),
            other in "\\PC{0,40}",
            is_absolute: bool,
        ) {
            let base = tempfile::tempdir().unwrap();
            let (outside, inside) = (base.path().join("outside"), base.path().join("root"));
            std::fs::create_dir(&outside).unwrap();
            std::fs::write(outside.join("a"), "secret").unwrap();
            std::fs::create_dir_all(inside.join("in")).unwrap();
            for link in ["link", "in/link"] {
                std::os::unix::fs::symlink(&outside, inside.join(link)).unwrap();
            }
            let root = Root::open(&inside).unwrap();
            let start = if is_absolute { "/" } else { "" };
            for path in [format!("{start}{}", names.join("/")), other] {
                let Ok(path) = Inside::parse(&path) else { continue };
                let through_link = path.shown().contains("link");
                prop_assert!(!through_link || root.known(&path).is_err());
                let _ = root.make_folder(&path);
                let _ = root.remove(&path);
                let _ = root.rename(&path, &Inside::parse("moved").unwrap());
                if let Ok((folders, name)) = path.split()
                    && let Ok(folder) = root.folder(folders)
                {
                    let _ = open_file(&folder, name, OFlags::CREATE | OFlags::WRONLY | OFlags::TRUNC);
                }
            }
            let there: Vec<_> = std::fs::read_dir(base.path()).unwrap().collect();
            prop_assert_eq!(there.len(), 2);
            prop_assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
            prop_assert_eq!(std::fs::read(outside.join("a")).unwrap(), b"secret");
        }
    }
}
