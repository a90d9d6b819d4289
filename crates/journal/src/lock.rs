//! The right to run a flow: one process has it, and the system takes it back when that ends, however it ends. Who has it
//! leaves behind whether he ended in order.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};

/// Longest text of a lock that is shown.
const HOLDER_OCTETS_MAX: u64 = 200;

/// What stands before the number of the process that has it.
const PROCESS: &str = "process ";

/// What stands before how many did not end in order before that one, one after the other.
const BEFORE: &str = "out of order before it: ";

/// What stands there when it has ended in order.
const IN_ORDER: &str = "ended in order";

/// How many that did not, one after the other, are no accident.
const BROUGHT_DOWN: u32 = 2;

/// How long the processes are waited for that a gateway left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(5);
const TRIED_AGAIN: Duration = Duration::from_millis(10);

/// Why a lock is not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Its file cannot be opened, read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// Another process has it, which the file names.
    #[error("{holder} has it")]
    Held { holder: String },
}

/// Held as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Locked while it is open.
    file: File,
    /// Whether the last two that had it did not end in order.
    pub(crate) were_brought_down: bool,
}

impl Lock {
    /// Takes the lock. Processes of a gateway that was killed end at once, and are waited for.
    pub(crate) fn take(path: &Path) -> Result<Self, LockError> {
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = Instant::now() + LEFT_BEHIND;
        while let Err(refused) = file.try_lock() {
            if let TryLockError::Error(error) = refused {
                return Err(error.into());
            }
            let holder = holder(&mut file);
            if is_there(&holder) || Instant::now() >= end {
                return Err(LockError::Held { holder });
            }
            thread::sleep(TRIED_AGAIN);
        }
        // A process of the gateway has it too: as long as one is there, no other gateway begins.
        fcntl_setfd(&file, FdFlags::empty()).map_err(io::Error::from)?;
        let ended = out_of_order(&text(&mut file));
        let were_brought_down = ended >= BROUGHT_DOWN;
        // What is done about it has its own two attempts.
        let before = if were_brought_down { 0 } else { ended };
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{PROCESS}{}\n{BEFORE}{before}", std::process::id())?;
        Ok(Lock { file, were_brought_down })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !thread::panicking() {
            // Where that cannot be written, it counts as one that did not.
            let _ = writeln!(self.file, "{IN_ORDER}");
        }
    }
}

/// What is in its file.
fn text(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.rewind();
    let _ = file.take(HOLDER_OCTETS_MAX).read_to_string(&mut text);
    text
}

/// Who has the lock, as its file says.
fn holder(file: &mut File) -> String {
    // Who has just taken it may not have written yet.
    let text = text(file);
    let holder = text.lines().next().unwrap_or("its process is not known yet");
    holder.into()
}

/// How many did not end in order up to the one that left this, one after the other.
fn out_of_order(left: &str) -> u32 {
    if !left.starts_with(PROCESS) || left.lines().any(|line| line == IN_ORDER) {
        return 0;
    }
    let before = left.lines().find_map(|line| line.strip_prefix(BEFORE)?.parse().ok());
    before.unwrap_or(0_u32).saturating_add(1)
}

/// Whether the one that took it may be there still.
fn is_there(holder: &str) -> bool {
    let runs = |number: &str| std::fs::read_link(format!("/proc/{number}/exe"));
    let is_gone = |number| runs(number).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    runs("self").is_err() || !holder.strip_prefix(PROCESS).is_some_and(is_gone)
}

#[cfg(test)]
mod tests {
    use super::{Lock, LockError};

    #[test]
    fn one_has_it_and_the_other_is_told_who() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap();
        let LockError::Held { holder } = Lock::take(&path).unwrap_err() else { panic!("held") };
        assert_eq!(holder, format!("process {}", std::process::id()));
        drop(first);
        assert!(Lock::take(&path).is_ok());
    }

    #[test]
    fn two_that_do_not_end_in_order_one_after_the_other_are_noticed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let run = |is_in_order: bool| {
            let lock = Lock::take(&path).unwrap();
            let (were_brought_down, held) =
                (lock.were_brought_down, std::fs::read_to_string(&path).unwrap());
            drop(lock);
            if !is_in_order {
                std::fs::write(&path, held).unwrap();
            }
            were_brought_down
        };
        let ends = [false, true, false, false, false, true, true];
        let noticed = ends.map(run);
        assert_eq!(noticed, [false, false, false, false, true, false, false]);
    }
}
