//! The mark beside a database: the time of its last full check, and the state of its file after the
//! last write of this program.
//!
//! A full check of a large database takes minutes at ten gigabytes, too long for a start after an
//! upgrade or a kill. A kill leaves a sound database: the system keeps what a program has written,
//! and the log says what was committed. Only after a crash of the system itself, which a new boot
//! identifier shows, may some of it be missing. A file that no other program has written since the
//! check is taken to be sound. But a disk may change data that no program writes, so the check is
//! trusted for [`TRUSTED`] at most. Any doubt causes a check: a file that was copied, restored or
//! written by another program, a log beside a closed database, a clock that went back, a failed
//! write.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::private::for_owner;
use crate::witness::write_at_begin;

/// How long a full check of a database is trusted.
const TRUSTED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long after the start of a checkpoint the file may have been written. A process that is killed
/// during a checkpoint leaves no mark for the state after it.
const CHECKPOINT_MAX: Duration = Duration::from_secs(10);

/// The octets of the mark, so that each mark overwrites the whole of the one before.
const MARK_OCTETS: usize = 200;

/// The facts about a checked database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastCheck {
    /// The time of the full check.
    pub(crate) checked: SystemTime,
    /// The sum of its tables, which were [right](crate::integrity::check_tables).
    pub(crate) tables: u64,
}

/// The state of the writer, as written in the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No process has the database open, and nothing is left to be written.
    Closed,
    /// A process has it open, and does not write to its file.
    Idle,
    /// A process may write to its file, so the file may have changed after the mark.
    Writing,
}

impl State {
    const ALL: [State; 3] = [State::Closed, State::Idle, State::Writing];

    fn word(self) -> &'static str {
        match self {
            State::Closed => "closed",
            State::Idle => "rests",
            State::Writing => "written",
        }
    }
}

/// The mark of an open database.
#[derive(Debug)]
pub(crate) struct Mark {
    /// `None` if it could not be opened: then the next start checks the database.
    file: Mutex<Option<File>>,
    database: PathBuf,
    last_check: LastCheck,
    boot: String,
}

/// Returns the last check of a database, if it is still valid.
pub(crate) fn last_check(database: &Path) -> Option<LastCheck> {
    let mark = std::fs::read_to_string(path(database)).ok()?;
    let mut parts = mark.trim_end().splitn(5, ' ');
    let checked = Duration::from_secs(parts.next()?.parse().ok()?);
    let tables = parts.next()?.parse().ok()?;
    let (word, boot, then) = (parts.next()?, parts.next()?, parts.next()?);
    let state = State::ALL.into_iter().find(|state| state.word() == word)?;
    let checked = UNIX_EPOCH.checked_add(checked)?;
    // A time in the future shows that the clock went back.
    let is_recent = SystemTime::now().duration_since(checked).ok()? < TRUSTED;
    let is_of_this_boot = this_boot().is_some_and(|this| this == boot);
    let now = Version::of(database)?;
    let is_unchanged = match state {
        State::Closed => !has_log(database) && now.text() == then,
        State::Idle => is_of_this_boot && now.text() == then,
        State::Writing => {
            is_of_this_boot && now.is_same_file(then) && now.is_of_checkpoint(database)
        }
    };
    (is_recent && is_unchanged).then_some(LastCheck { checked, tables })
}

impl Mark {
    /// Marks an opened database. If that fails, the next start checks the database.
    pub(crate) fn open(database: &Path, last_check: LastCheck) -> Self {
        let file = for_owner().create(true).truncate(false).open(path(database));
        // Without a boot identifier, no boot counts as the same one.
        let boot = this_boot().unwrap_or("-".to_owned());
        let mark =
            Mark { file: Mutex::new(file.ok()), database: database.into(), last_check, boot };
        mark.idle();
        mark
    }

    /// Notes that the next step may write to the database.
    pub(crate) fn begin_write(&self) {
        self.write(State::Writing);
    }

    /// Notes that the write is over.
    pub(crate) fn idle(&self) {
        self.write(State::Idle);
    }

    /// Notes that the database was closed. A reader that still has it open keeps its log, and does
    /// not write to its file.
    pub(crate) fn closed(&self) {
        self.write(if has_log(&self.database) { State::Idle } else { State::Closed });
    }

    /// Removes the mark after a failed write: the state of the disk is unknown.
    pub(crate) fn remove(&self) {
        if self.file().take().is_some() {
            let _ = std::fs::remove_file(path(&self.database));
        }
    }

    fn write(&self, state: State) {
        let file = self.file();
        let Some(file) = file.as_ref() else { return };
        let checked =
            self.last_check.checked.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let version = Version::of(&self.database).map_or("-".to_owned(), |version| version.text());
        let (tables, state, boot) = (self.last_check.tables, state.word(), &self.boot);
        let mark = format!("{checked} {tables} {state} {boot} {version}");
        let _ = write_at_begin(file, format!("{mark:<MARK_OCTETS$}\n").as_bytes());
    }

    fn file(&self) -> MutexGuard<'_, Option<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the path of the mark.
fn path(database: &Path) -> PathBuf {
    beside(database, "-looked")
}

/// Returns the path of a side file.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Returns whether part of a database is in its log.
pub(crate) fn has_log(database: &Path) -> bool {
    std::fs::metadata(beside(database, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Returns a text that changes when the file is written or replaced; `None` if part of the database
/// is in its log.
pub(crate) fn version(database: &Path) -> Option<String> {
    Version::of(database).filter(|_| !has_log(database)).map(|version| version.text())
}

/// Returns the identifier of this boot of the system; `None` if the system has none.
fn this_boot() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(boot.trim().to_owned()).filter(|boot| !boot.is_empty())
}

/// Identifies a file and its state.
struct Version {
    device: u64,
    inode: u64,
    octets: u64,
    /// The `ctime`: the time of the last change of any kind, since 1970. No program can set it.
    changed: Duration,
}

impl Version {
    #[cfg(unix)]
    fn of(file: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = std::fs::metadata(file).ok()?;
        let changed = Duration::new(file.ctime().try_into().ok()?, file.ctime_nsec() as u32);
        Some(Version { device: file.dev(), inode: file.ino(), octets: file.len(), changed })
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Option<Self> {
        None
    }

    fn text(&self) -> String {
        let Version { device, inode, octets, changed } = self;
        format!("{device} {inode} {octets} {}.{:09}", changed.as_secs(), changed.subsec_nanos())
    }

    /// Returns whether it is the same file, whatever was written to it.
    fn is_same_file(&self, then: &str) -> bool {
        then.starts_with(&format!("{} {} ", self.device, self.inode))
    }

    /// Returns whether the last write was that of the checkpoint that follows the mark.
    fn is_of_checkpoint(&self, database: &Path) -> bool {
        let began = std::fs::metadata(path(database)).and_then(|mark| mark.modified()).ok();
        let began = began.and_then(|began| began.duration_since(UNIX_EPOCH).ok());
        began.is_some_and(|began| self.changed <= began + CHECKPOINT_MAX)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::{Store, StoreError};

    const TABLE: &str = "CREATE TABLE name (name TEXT UNIQUE) STRICT";

    /// Makes a database that is large enough for the mark to matter.
    fn large(folder: &Path) -> PathBuf {
        let path = folder.join("store.db");
        let store = Store::open(&path, &[TABLE]).unwrap();
        let insert = "INSERT INTO name VALUES ('Ericsson'), (printf('%.*c', 70000000, 'a'))";
        store.commit(|db| db.execute(insert, [])).unwrap();
        path
    }

    /// Makes such a database as a killed process leaves it: the last commit is in the log.
    fn killed(folder: &Path) -> PathBuf {
        let path = large(folder);
        let store = Store::open(&path, &[TABLE]).unwrap();
        store.commit(|db| db.execute("INSERT INTO name VALUES ('Nokia')", [])).unwrap();
        // The log is not checkpointed, and no mark is written.
        std::mem::forget(store);
        assert!(has_log(&path));
        path
    }

    /// Overwrites the start of a page, which holds the type of the page or the number of the next
    /// one.
    fn damage(path: &Path, page: u64) {
        use std::os::unix::fs::FileExt as _;
        let file = File::options().write(true).open(path).unwrap();
        file.write_all_at(&[0xff; 8], page * 4096).unwrap();
    }

    /// A page that the log does not replace.
    const OVERFLOW: u64 = 1_000;

    fn is_refused(path: &Path) -> bool {
        matches!(Store::open(path, &[TABLE]), Err(StoreError::Damaged { .. }))
    }

    /// Marks a file as it is now, as if the disk had changed it without any program.
    fn mark(path: &Path, checked: SystemTime, state: State) {
        Mark::open(path, LastCheck { checked, tables: 0 }).write(state);
    }

    /// Replaces a part of the mark.
    fn edit_mark(database: &Path, old: &str, new: &str) {
        let text = std::fs::read_to_string(super::path(database)).unwrap();
        assert!(text.contains(old), "{text}");
        std::fs::write(super::path(database), text.replace(old, new)).unwrap();
    }

    #[test]
    fn a_database_that_was_closed_before_its_reader_is_not_checked_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = large(folder.path());
        let store = Store::open(&path, &[TABLE]).unwrap();
        let reader = store.reader().unwrap();
        let count = "SELECT count(*) FROM name";
        assert_eq!(reader.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
        store.commit(|db| db.execute("INSERT INTO name VALUES ('Nokia')", [])).unwrap();
        drop(store);
        assert!(has_log(&path), "the reader keeps it");
        assert!(last_check(&path).is_some());
        drop(reader);
        assert!(last_check(&path).is_some());
    }

    #[test]
    fn a_database_that_was_not_written_after_its_close_is_not_checked_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = large(folder.path());
        drop(Store::open(&path, &[TABLE]).unwrap());
        let marked = std::fs::read_to_string(super::path(&path)).unwrap();
        damage(&path, 1);
        mark(&path, SystemTime::now(), State::Closed);
        assert!(!is_refused(&path), "it is trusted");
        assert!(!is_refused(&path), "also the second time");
        edit_mark(&path, &this_boot().unwrap(), "another");
        assert!(!is_refused(&path), "also after a reboot");
        mark(&path, SystemTime::now() - TRUSTED, State::Closed);
        assert!(is_refused(&path), "not for ever");
        mark(&path, SystemTime::now() + TRUSTED, State::Closed);
        assert!(is_refused(&path), "not with a clock that went back");
        std::fs::write(super::path(&path), marked).unwrap();
        assert!(is_refused(&path), "not after another write");
    }

    #[test]
    fn a_database_is_not_checked_after_a_kill_without_a_reboot() {
        for state in [State::Idle, State::Writing] {
            let folder = tempfile::tempdir().unwrap();
            let path = killed(folder.path());
            damage(&path, OVERFLOW);
            mark(&path, SystemTime::now(), state);
            let store = Store::open(&path, &[TABLE]).unwrap();
            std::mem::forget(store);
            mark(&path, SystemTime::now(), state);
            edit_mark(&path, &this_boot().unwrap(), "another");
            assert!(is_refused(&path), "a power cut");
            mark(&path, SystemTime::now() - TRUSTED, state);
            assert!(is_refused(&path), "not for ever");
        }
    }

    #[test]
    fn a_database_that_was_written_by_others_after_a_kill_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = killed(folder.path());
        damage(&path, OVERFLOW);
        assert!(is_refused(&path));
        // A process that was killed in a checkpoint wrote to the file then, and not later.
        mark(&path, SystemTime::now(), State::Writing);
        let earlier = SystemTime::now() - CHECKPOINT_MAX - Duration::from_secs(5);
        File::options()
            .write(true)
            .open(super::path(&path))
            .unwrap()
            .set_modified(earlier)
            .unwrap();
        assert!(is_refused(&path));
        let aside = path.with_extension("aside");
        std::fs::copy(&path, &aside).unwrap();
        mark(&path, SystemTime::now(), State::Writing);
        std::fs::rename(aside, &path).unwrap();
        assert!(is_refused(&path), "another file is in its place");
    }

    #[test]
    fn a_closed_database_with_a_log_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = killed(folder.path());
        damage(&path, OVERFLOW);
        mark(&path, SystemTime::now(), State::Closed);
        assert!(is_refused(&path));
    }

    #[test]
    fn a_small_database_is_always_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        drop(Store::open(&path, &[TABLE]).unwrap());
        damage(&path, 1);
        mark(&path, SystemTime::now(), State::Closed);
        assert!(is_refused(&path));
    }

    #[test]
    fn changed_tables_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        drop(Store::open(&path, &[TABLE]).unwrap());
        let last_check = last_check(&path).unwrap();
        let change = "PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'TEXT', 'BLOB') WHERE type = 'table'";
        rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
        // The disk changes the file without any program.
        Mark::open(&path, last_check).closed();
        assert!(is_refused(&path));
    }
}
