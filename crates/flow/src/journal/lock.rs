//! The right to run a flow: one process has it, and the system takes it back when that ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use rustix::io::{FdFlags, fcntl_setfd};

/// Longest text of a lock that is shown.
const HOLDER_OCTETS_MAX: u64 = 200;

/// Held as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the file is locked while it is open")] File);

impl Lock {
    /// Takes the lock; or says who has it.
    pub(crate) fn take(path: &Path) -> io::Result<Result<Self, String>> {
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who has just taken it may not have written yet.
                let _ = file.take(HOLDER_OCTETS_MAX).read_to_string(&mut holder);
                let holder = holder.trim();
                let unknown = "its process is not known yet";
                return Ok(Err(if holder.is_empty() { unknown.into() } else { holder.into() }));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // A process of the gateway has it too: as long as one is there, no other gateway begins.
        fcntl_setfd(&file, FdFlags::empty())?;
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "process {}", std::process::id())?;
        Ok(Ok(Lock(file)))
    }
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
