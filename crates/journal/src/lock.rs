//! The right to run a flow: a file lock of one process, which the system releases when the process
//! ends in any way. The file also counts crashes.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The maximum number of octets that are read from a lock file.
const HOLDER_OCTETS_MAX: u64 = 200;

/// The text before the number of the process that has the lock.
const PROCESS: &str = "process ";

/// The text before the number of crashes in a row before that process.
const BEFORE: &str = "out of order before it: ";

/// The text that a process adds when it ends normally.
const IN_ORDER: &str = "ended in order";

/// The number of crashes in a row that have a common cause.
const REPEATED_CRASHES: u32 = 2;

/// How long to wait for the worker processes of a killed gateway, and how often to check.
const CHILDREN_WAIT: Duration = Duration::from_secs(5);
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Why a lock cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Its file cannot be opened, read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// Another process has it.
    #[error("{holder} has it")]
    InUse { holder: String },
}

/// A lock, which is released when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    /// The file, which is locked while it is open.
    file: File,
    /// Whether the last two processes that had it crashed.
    pub(crate) crashed_repeatedly: bool,
}

impl Lock {
    /// Returns the lock for a process that this one starts: it is held as long as one of them has it.
    pub(crate) fn shared(&self) -> io::Result<OwnedFd> {
        self.file.try_clone().map(OwnedFd::from)
    }

    /// Takes the lock. Waits for the worker processes of a killed gateway, which end soon.
    pub(crate) fn take(path: &Path) -> Result<Self, LockError> {
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = Instant::now() + CHILDREN_WAIT;
        while let Err(refused) = file.try_lock() {
            if let TryLockError::Error(error) = refused {
                return Err(error.into());
            }
            let holder = holder(&mut file);
            if may_run(&holder) || Instant::now() >= end {
                return Err(LockError::InUse { holder });
            }
            thread::sleep(RETRY_INTERVAL);
        }
        let crashes = crashes(&text(&mut file));
        let crashed_repeatedly = crashes >= REPEATED_CRASHES;
        // The gateway now runs in another mode, for which the count begins again.
        let before = if crashed_repeatedly { 0 } else { crashes };
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{PROCESS}{}\n{BEFORE}{before}", std::process::id())?;
        Ok(Lock { file, crashed_repeatedly })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !thread::panicking() {
            // If this cannot be written, it counts as a crash.
            let _ = writeln!(self.file, "{IN_ORDER}");
        }
    }
}

/// Returns the text of the lock file.
fn text(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.rewind();
    let _ = file.take(HOLDER_OCTETS_MAX).read_to_string(&mut text);
    text
}

/// Returns the process that has the lock, according to the file.
fn holder(file: &mut File) -> String {
    // A process that has just taken the lock may not have written its number yet.
    let text = text(file);
    let holder = text.lines().next().unwrap_or("its process is not known yet");
    holder.into()
}

/// Returns the number of crashes in a row, including that of the process that left this text.
fn crashes(text: &str) -> u32 {
    if !text.starts_with(PROCESS) || text.lines().any(|line| line == IN_ORDER) {
        return 0;
    }
    let before = text.lines().find_map(|line| line.strip_prefix(BEFORE)?.parse().ok());
    before.unwrap_or(0_u32).saturating_add(1)
}

/// Returns whether the process that has the lock may still run.
fn may_run(holder: &str) -> bool {
    let runs = |number: &str| std::fs::read_link(format!("/proc/{number}/exe"));
    let is_gone = |number| runs(number).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    runs("self").is_err() || !holder.strip_prefix(PROCESS).is_some_and(is_gone)
}

#[cfg(test)]
mod tests {
    use super::{Lock, LockError};

    #[test]
    fn the_second_process_gets_the_number_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap();
        let LockError::InUse { holder } = Lock::take(&path).unwrap_err() else { panic!("in use") };
        assert_eq!(holder, format!("process {}", std::process::id()));
        drop(first);
        assert!(Lock::take(&path).is_ok());
    }

    #[test]
    fn two_crashes_in_a_row_are_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let run = |ends_normally: bool| {
            let lock = Lock::take(&path).unwrap();
            let (crashed_repeatedly, text) =
                (lock.crashed_repeatedly, std::fs::read_to_string(&path).unwrap());
            drop(lock);
            if !ends_normally {
                std::fs::write(&path, text).unwrap();
            }
            crashed_repeatedly
        };
        let ends = [false, true, false, false, false, true, true];
        let reported = ends.map(run);
        assert_eq!(reported, [false, false, false, false, true, false, false]);
    }
}
