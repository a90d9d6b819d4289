//! An upload: a file that is hidden until it is complete and on the disk. Then it gets its name, for good.
//!
//! ```text
//! begin: .NAME.part ─▶ write … write ─▶ finish: no hole, synced ─▶ NAME, unless another has it ─▶ folder synced
//! ```
//!
//! An interrupted upload stays hidden for a while, and its sender may resume it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use runtime::disk::Disk;
use rustix::fs::{self, AtFlags, FlockOperation, OFlags, RenameFlags};
use transport::Account;

use super::root::{Attributes, Inside, Refused, Root, each_file, open_file, stat};

/// The maximum number of files and folders in an in buffer: a disk may run out of inodes before it runs out of space.
const FILES_MAX: u64 = 100_000;

/// The octets written, and the time, between two checks of the free space.
const LOOK_OCTETS: u64 = 8_000_000;
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The maximum octets that came before the octets in front of them. They wait in memory, so the file on the disk never
/// has a hole, even if the upload breaks off. Clients that do this send some dozen requests of 32 KiB ahead.
const AHEAD_OCTETS_MAX: usize = 16 << 20;

/// How long an interrupted upload may be resumed.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The start of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// It starts with an empty file.
    Anew,
    /// It resumes an interrupted upload, if there is one.
    Resumed,
}

/// The result of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finished {
    /// The file is new.
    New,
    /// The file was there already, with the same contents.
    Same,
}

/// A running upload.
#[derive(Debug)]
pub(super) struct Upload {
    account: Arc<Account>,
    root: Arc<Root>,
    folder: OwnedFd,
    name: String,
    file: File,
    /// The octets from the start without a hole.
    whole: u64,
    /// The octets after a hole, by their offset.
    ahead: BTreeMap<u64, Vec<u8>>,
    ahead_octets: usize,
    /// Whether a write failed.
    is_broken: bool,
    /// Whether it resumes an upload, and no octets have come yet.
    is_resumed: bool,
    /// The octets and the time since the last check of the free space.
    looked: (u64, Instant),
}

impl Upload {
    /// Begins an upload. Until it ends, no other upload can have the same name.
    pub(super) fn begin(
        account: &Arc<Account>,
        root: &Arc<Root>,
        path: &Inside,
        begin: Begin,
    ) -> Result<Self, Refused> {
        let (folders, name) = path.split()?;
        let folder = root.folder(folders)?;
        if stat(&folder, name).is_ok_and(|known| known.is_folder) {
            return Err(Refused::Exists("a folder has this name"));
        }
        has_room(account, root)?;
        let file = locked(&folder, &hidden(name))?;
        if begin == Begin::Anew {
            file.set_len(0)?;
        }
        let whole = file.metadata()?.len();
        Ok(Upload {
            account: Arc::clone(account),
            root: Arc::clone(root),
            folder,
            name: name.to_owned(),
            file,
            whole,
            ahead: BTreeMap::new(),
            ahead_octets: 0,
            is_broken: false,
            is_resumed: begin == Begin::Resumed,
            looked: (0, Instant::now()),
        })
    }

    /// Writes octets of the file.
    pub(super) fn write(&mut self, offset: u64, octets: &[u8]) -> Result<(), Refused> {
        let taken = self.take(offset, octets);
        self.is_broken |= taken.is_err();
        taken
    }

    fn take(&mut self, offset: u64, octets: &[u8]) -> Result<(), Refused> {
        // An empty write does not count as resuming.
        if octets.is_empty() {
            return Ok(());
        }
        let length = octets.len() as u64;
        let end = offset.checked_add(length).filter(|end| *end <= self.account.limit);
        if end.is_none() {
            return Err(Refused::TooLarge);
        }
        if std::mem::take(&mut self.is_resumed) && offset == 0 {
            self.file.set_len(0)?;
            self.whole = 0;
        }
        self.looked.0 += length;
        if self.looked.0 >= LOOK_OCTETS || self.looked.1.elapsed() >= LOOK_EVERY {
            has_room(&self.account, &self.root)?;
            self.looked = (0, Instant::now());
        }
        if offset > self.whole {
            return self.keep_ahead(offset, octets);
        }
        self.put(offset, octets)?;
        while let Some(next) = self.ahead.first_entry().filter(|next| *next.key() <= self.whole) {
            let (offset, octets) = next.remove_entry();
            self.ahead_octets -= octets.len();
            self.put(offset, &octets)?;
        }
        Ok(())
    }

    fn put(&mut self, offset: u64, octets: &[u8]) -> Result<(), Refused> {
        self.file.write_all_at(octets, offset).map_err(full)?;
        self.whole = self.whole.max(offset + octets.len() as u64);
        Ok(())
    }

    fn keep_ahead(&mut self, offset: u64, octets: &[u8]) -> Result<(), Refused> {
        let before = self.ahead.insert(offset, octets.to_vec());
        self.ahead_octets += octets.len();
        self.ahead_octets -= before.map_or(0, |before| before.len());
        match self.ahead_octets <= AHEAD_OCTETS_MAX {
            true => Ok(()),
            false => Err(Refused::TooMuch("too much came before what is in front of it")),
        }
    }

    /// Returns the attributes of the file so far.
    pub(super) fn known(&self) -> Result<Attributes, Refused> {
        Ok(Attributes {
            is_folder: false,
            size: self.whole,
            modified: self.file.metadata()?.modified()?,
        })
    }

    /// Ends the upload: all of it came. When this returns, the file has its name and survives a power cut. An
    /// interrupted upload to which no octets were added may be incomplete, so it stays hidden.
    pub(super) fn finish(self) -> Result<(Finished, u64), Refused> {
        let is_untouched = self.is_resumed && self.whole > 0;
        if self.is_broken || is_untouched || !self.ahead.is_empty() {
            return Err(Refused::Half);
        }
        self.file.sync_all().map_err(full)?;
        let hidden = hidden(&self.name);
        let none = RenameFlags::NOREPLACE;
        let named = fs::renameat_with(&self.folder, &hidden, &self.folder, &self.name, none);
        let finished = match named {
            Ok(()) => Finished::New,
            Err(rustix::io::Errno::EXIST) => {
                let is_same = self.is_there();
                fs::unlinkat(&self.folder, &hidden, AtFlags::empty())?;
                match is_same? {
                    true => Finished::Same,
                    false => {
                        let why = "a file of this name with other contents exists, and is not overwritten";
                        return Err(Refused::Exists(why));
                    }
                }
            }
            Err(error) => return Err(error.into()),
        };
        fs::fsync(&self.folder)?;
        Ok((finished, self.whole))
    }

    /// Gives the upload up and removes it.
    pub(super) fn forget(mut self) {
        self.is_broken = true;
    }

    /// Returns whether the file that has the name has the same contents.
    fn is_there(&self) -> Result<bool, Refused> {
        let there = match open_file(&self.folder, &self.name, OFlags::RDONLY) {
            // The gateway has taken the file, so a new one may come.
            Err(Refused::Missing) => return Ok(false),
            there => there?,
        };
        let mut own = self.file.try_clone()?;
        own.rewind()?;
        Ok(same_octets(own, there)?)
    }
}

impl Drop for Upload {
    /// Removes the hidden file after a failed write: it is not resumed, and takes no space.
    fn drop(&mut self) {
        if self.is_broken {
            // If it cannot be removed, `forget_old` removes it later.
            let _ = fs::unlinkat(&self.folder, hidden(&self.name), AtFlags::empty());
        }
    }
}

/// Returns the name of a file until it is complete.
fn hidden(name: &str) -> String {
    format!(".{name}.part")
}

/// Returns the attributes of an interrupted upload that may be resumed.
pub(super) fn broken_off(root: &Root, path: &Inside) -> Result<Attributes, Refused> {
    let (folders, name) = path.split()?;
    stat(&root.folder(folders)?, &hidden(name))
}

/// Opens a hidden file and locks it for this upload.
fn locked(folder: &OwnedFd, name: &str) -> Result<File, Refused> {
    loop {
        let file = open_file(folder, name, OFlags::CREATE | OFlags::RDWR)?;
        match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(Refused::Busy);
            }
            locked => locked?,
        }
        // The previous holder of the lock may have renamed the file.
        let now = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
        if now.is_ok_and(|now| now.st_ino == file.metadata().map_or(0, |of| of.ino())) {
            return Ok(file);
        }
    }
}

/// Checks that there is space for more.
fn has_room(account: &Account, root: &Root) -> Result<(), Refused> {
    let (mut octets, mut files) = (0, 0);
    each_file(&root.folder(&[])?, 0, &mut |_, _, known| {
        octets += if known.is_folder { 0 } else { known.size };
        files += 1;
    })?;
    let disk = Disk::of(&account.root)?;
    let why = match () {
        () if octets >= account.limit => "the buffer has reached its limit",
        () if files >= FILES_MAX => "there are too many files",
        () if disk.free < account.disk_free => "the disk is nearly full",
        () => return Ok(()),
    };
    Err(Refused::NoRoom(why.into()))
}

/// Removes uploads that were interrupted long ago.
pub(super) fn forget_old(root: &Root) -> Result<(), Refused> {
    each_file(&root.folder(&[])?, 0, &mut |folder, name, known| {
        let name = name.to_string_lossy();
        let is_old = known.modified.elapsed().is_ok_and(|age| age > KEPT);
        if is_old && !known.is_folder && name.starts_with('.') && name.ends_with(".part") {
            // A file that is being written is not old.
            if let Ok(_locked) = locked(folder, &name) {
                let _ = fs::unlinkat(folder, &*name, AtFlags::empty());
            }
        }
    })
}

fn full(error: io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Refused::NoRoom("the disk is full".into())
        }
        _ => Refused::Io(error),
    }
}

fn same_octets(mut a: File, mut b: File) -> io::Result<bool> {
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = a.read(&mut left)?;
        if read == 0 {
            return Ok(true);
        }
        if b.read_exact(&mut right[..read]).is_err() || left[..read] != right[..read] {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn begin(root: &Path, name: &str, how: Begin) -> Result<Upload, Refused> {
        let folder = Arc::new(Root::open(root)?);
        let account = Arc::new(super::super::account_for_tests(root));
        Upload::begin(&account, &folder, &Inside::parse(name)?, how)
    }

    fn names(root: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(root).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_hidden_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let mut upload = begin(folder.path(), "a.ber", Begin::Anew).unwrap();
        upload.write(0, b"half").unwrap();
        assert_eq!(names(folder.path()), [".a.ber.part"]);
        assert_eq!(upload.finish().unwrap(), (Finished::New, 4));
        assert_eq!(names(folder.path()), ["a.ber"]);
    }

    #[test]
    fn a_file_with_a_hole_is_refused_and_one_whose_pieces_come_in_any_order_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut upload = begin(folder.path(), "a", Begin::Anew).unwrap();
        upload.write(2, b"cd").unwrap();
        upload.write(6, b"gh").unwrap();
        upload.write(0, b"ab").unwrap();
        let mut other = begin(folder.path(), "b", Begin::Anew).unwrap();
        other.write(1, b"x").unwrap();
        assert!(matches!(other.finish(), Err(Refused::Half)));
        assert_eq!(std::fs::read(folder.path().join(".b.part")).unwrap(), b"");
        upload.write(4, b"ef").unwrap();
        upload.finish().unwrap();
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"abcdefgh");
    }

    #[test]
    fn what_was_broken_off_is_gone_on_with_or_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        for (how, offset, rest, whole) in [
            (Begin::Resumed, 3, "rest", "abcrest"),
            (Begin::Resumed, 0, "x", "x"),
            (Begin::Anew, 0, "y", "y"),
        ] {
            let mut upload = begin(folder.path(), "a", Begin::Anew).unwrap();
            upload.write(0, b"abc").unwrap();
            drop(upload);
            let mut upload = begin(folder.path(), "a", how).unwrap();
            upload.write(offset, rest.as_bytes()).unwrap();
            upload.finish().unwrap();
            assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), whole.as_bytes());
            std::fs::remove_file(folder.path().join("a")).unwrap();
        }
    }

    #[test]
    fn what_was_broken_off_is_not_whole_since_somebody_closes_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut upload = begin(folder.path(), "a", Begin::Anew).unwrap();
        upload.write(0, b"abc").unwrap();
        drop(upload);
        let mut upload = begin(folder.path(), "a", Begin::Resumed).unwrap();
        upload.write(3, b"").unwrap();
        assert!(matches!(upload.finish(), Err(Refused::Half)));
        assert_eq!(std::fs::read(folder.path().join(".a.part")).unwrap(), b"abc");
        begin(folder.path(), "empty", Begin::Resumed).unwrap().finish().unwrap();
        assert_eq!(names(folder.path()), [".a.part", "empty"]);
    }

    #[test]
    fn a_file_that_is_there_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        for (contents, is_taken) in
            [("one", Some(Finished::New)), ("one", Some(Finished::Same)), ("two", None)]
        {
            let mut upload = begin(folder.path(), "a", Begin::Anew).unwrap();
            upload.write(0, contents.as_bytes()).unwrap();
            let finished = upload.finish().map(|(finished, _)| finished).ok();
            assert_eq!(finished, is_taken, "{contents}");
            assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"one");
        }
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn two_do_not_send_one_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = begin(folder.path(), "a", Begin::Anew).unwrap();
        assert!(begin(folder.path(), "a", Begin::Anew).is_err());
        assert!(begin(folder.path(), "b", Begin::Anew).is_ok());
        drop(first);
        assert!(begin(folder.path(), "a", Begin::Anew).is_ok());
    }

    #[test]
    fn a_buffer_has_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let mut upload = begin(folder.path(), "a", Begin::Anew).unwrap();
        assert!(matches!(upload.write(999, b"ab"), Err(Refused::TooLarge)));
        assert!(matches!(upload.write(u64::MAX, b"ab"), Err(Refused::TooLarge)));
        upload.write(0, b"a").unwrap();
        assert!(matches!(upload.finish(), Err(Refused::Half)), "not all of it was written");
        assert!(names(folder.path()).is_empty(), "what is not gone on with takes no room");
        let mut upload = begin(folder.path(), "a", Begin::Anew).unwrap();
        upload.write(0, &[0; 1000]).unwrap();
        upload.finish().unwrap();
        assert!(matches!(begin(folder.path(), "b", Begin::Anew), Err(Refused::NoRoom(_))));
    }
}
