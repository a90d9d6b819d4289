//! The right to run a flow: one process has it, and the system takes it back when that ends, however it ends.

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

/// How long the processes are waited for that a gateway left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(5);
const TRIED_AGAIN: Duration = Duration::from_millis(10);

/// Held as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the file is locked while it is open")] File);

impl Lock {
    /// Takes the lock; or says who has it. Processes of a gateway that was killed end at once, and are waited for.
    pub(crate) fn take(path: &Path) -> io::Result<Result<Self, String>> {
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = Instant::now() + LEFT_BEHIND;
        while let Err(refused) = file.try_lock() {
            if let TryLockError::Error(error) = refused {
                return Err(error);
            }
            let holder = holder(&mut file);
            if is_there(&holder) || Instant::now() >= end {
                return Ok(Err(holder));
            }
            thread::sleep(TRIED_AGAIN);
        }
        // A process of the gateway has it too: as long as one is there, no other gateway begins.
        fcntl_setfd(&file, FdFlags::empty())?;
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{PROCESS}{}", std::process::id())?;
        Ok(Ok(Lock(file)))
    }
}

/// Who has the lock, as its file says.
fn holder(file: &mut File) -> String {
    let mut holder = String::new();
    // Who has just taken it may not have written yet.
    let _ = file.rewind();
    let _ = file.take(HOLDER_OCTETS_MAX).read_to_string(&mut holder);
    let holder = holder.trim();
    if holder.is_empty() { "its process is not known yet".into() } else { holder.into() }
}

/// Whether the one that took it may be there still.
fn is_there(holder: &str) -> bool {
    let runs = |number: &str| std::fs::read_link(format!("/proc/{number}/exe"));
    let is_gone = |number| runs(number).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    runs("self").is_err() || !holder.strip_prefix(PROCESS).is_some_and(is_gone)
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn one_has_it_and_the_other_is_told_who() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap().unwrap();
        let refused = Lock::take(&path).unwrap().unwrap_err();
        assert_eq!(refused, format!("process {}", std::process::id()));
        drop(first);
        assert!(Lock::take(&path).unwrap().is_ok());
    }
}
