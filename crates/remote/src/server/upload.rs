//! A file that is being pushed: hidden until it is whole and on the disk, then there under its name, for good.
//!
//! ```text
//! begin: .NAME.part ─▶ write … write ─▶ finish: no hole, synced ─▶ NAME, unless another has it ─▶ folder synced
//! ```
//!
//! What is broken off stays hidden for a while: who sends it may go on where he was.

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

use super::root::{Inside, Known, Refused, Root, each_file, open_file, stat};

/// Files and folders that may lie in an in buffer: a disk runs out of names before it runs out of octets.
const FILES_MAX: u64 = 100_000;

/// Octets that are written, and time that passes, before it is looked again how much room there is.
const LOOK_OCTETS: u64 = 8_000_000;
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Octets of a file that came before what is in front of them: they wait in memory, so that what is on the disk has no
/// hole in it, whenever it is broken off. Clients that send them at all send some dozen requests of 32 KiB ahead.
const AHEAD_OCTETS_MAX: usize = 16 << 20;

/// How long what was broken off may be gone on with.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// How an upload begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// With nothing.
    Anew,
    /// Behind what was sent before it was broken off, if something was.
    Resumed,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finished {
    /// It is there.
    New,
    /// It was there already, with the same contents.
    Same,
}

/// A file that is being pushed.
#[derive(Debug)]
pub(super) struct Upload {
    account: Arc<Account>,
    root: Arc<Root>,
    folder: OwnedFd,
    name: String,
    file: File,
    /// Octets from the beginning on without a hole.
    whole: u64,
    /// What is behind a hole, by where it begins.
    ahead: BTreeMap<u64, Vec<u8>>,
    ahead_octets: usize,
    /// Whether something of it could not be written.
    is_broken: bool,
    /// Whether it goes on with what was there, and nothing came yet.
    is_resumed: bool,
    /// Octets and time since it was looked how much room there is.
    looked: (u64, Instant),
}

impl Upload {
    /// Begins one. Nobody else sends a file of this name meanwhile.
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

    /// Takes octets of it.
    pub(super) fn write(&mut self, offset: u64, octets: &[u8]) -> Result<(), Refused> {
        let taken = self.take(offset, octets);
        self.is_broken |= taken.is_err();
        taken
    }

    fn take(&mut self, offset: u64, octets: &[u8]) -> Result<(), Refused> {
        // Nothing is no part of a file: who sends that has not gone on with it.
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

    /// What is known of it so far.
    pub(super) fn known(&self) -> Result<Known, Refused> {
        Ok(Known {
            is_folder: false,
            size: self.whole,
            modified: self.file.metadata()?.modified()?,
        })
    }

    /// All of it came: it is there when this returns, and stays there when the power goes. What was broken off, and nobody
    /// has gone on with, may be half a file, and stays hidden.
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
                        let why = "a file of this name with other contents is there, and is not overwritten";
                        return Err(Refused::Exists(why));
                    }
                }
            }
            Err(error) => return Err(error.into()),
        };
        fs::fsync(&self.folder)?;
        Ok((finished, self.whole))
    }

    /// Gives it up: nothing of it is left.
    pub(super) fn forget(mut self) {
        self.is_broken = true;
    }

    /// Whether the file that has its name has its contents.
    fn is_there(&self) -> Result<bool, Refused> {
        let there = match open_file(&self.folder, &self.name, OFlags::RDONLY) {
            // The gateway is through with it: another may come.
            Err(Refused::Missing) => return Ok(false),
            there => there?,
        };
        let mut own = self.file.try_clone()?;
        own.rewind()?;
        Ok(same_octets(own, there)?)
    }
}

impl Drop for Upload {
    /// What could not be written is begun anew; nobody goes on with it, and it takes no room.
    fn drop(&mut self) {
        if self.is_broken {
            // What stays is removed when it is old.
            let _ = fs::unlinkat(&self.folder, hidden(&self.name), AtFlags::empty());
        }
    }
}

/// What a file is called until it is whole.
fn hidden(name: &str) -> String {
    format!(".{name}.part")
}

/// What is known of what was broken off, and may be gone on with.
pub(super) fn broken_off(root: &Root, path: &Inside) -> Result<Known, Refused> {
    let (folders, name) = path.split()?;
    stat(&root.folder(folders)?, &hidden(name))
}

/// Opens a hidden file that nobody else writes.
fn locked(folder: &OwnedFd, name: &str) -> Result<File, Refused> {
    loop {
        let file = open_file(folder, name, OFlags::CREATE | OFlags::RDWR)?;
        match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(Refused::Busy);
            }
            locked => locked?,
        }
        // Whoever had it until now may have given it its name.
        let now = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
        if now.is_ok_and(|now| now.st_ino == file.metadata().map_or(0, |of| of.ino())) {
            return Ok(file);
        }
    }
}

/// Whether more may be written.
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

/// Removes what was broken off long ago.
pub(super) fn forget_old(root: &Root) -> Result<(), Refused> {
    each_file(&root.folder(&[])?, 0, &mut |folder, name, known| {
        let name = name.to_string_lossy();
        let is_old = known.modified.elapsed().is_ok_and(|age| age > KEPT);
        if is_old && !known.is_folder && name.starts_with('.') && name.ends_with(".part") {
            // Where somebody writes to it, it is not old.
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
