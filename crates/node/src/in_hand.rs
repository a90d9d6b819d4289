//! The order of files in hand that change the same state.
//!
//! The changes of a file in hand are not final: the file may still be given up, and then it changed
//! nothing. A file that meets such a change waits until the other file is settled. It waits only
//! for files that were begun earlier, so that no two files wait for each other. If it meets a file
//! that was begun later, it gives up. When it begins again, it first waits for that file and holds
//! nothing meanwhile, so that two files do not make each other give up for ever.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::JobNumber;

/// The number of a file, in the order in which files were begun.
pub type FileNumber = u32;

/// A file that was begun later has the required key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contested(pub FileNumber);

/// The files in hand of all nodes of a template.
#[derive(Debug, Default)]
pub struct FilesInHand {
    files: Mutex<Files>,
    settled: Condvar,
}

#[derive(Debug, Default)]
struct Files {
    last: FileNumber,
    /// The job of each file.
    in_hand: HashMap<FileNumber, JobNumber>,
}

impl FilesInHand {
    /// Begins a file. Waits until the file that goes first is settled, if there is one, and, while
    /// other files are in hand, until there is room.
    pub fn begin(
        &self,
        job: JobNumber,
        after: Option<FileNumber>,
        has_room: impl Fn() -> bool,
    ) -> FileNumber {
        let mut files = self.files();
        while after.is_some_and(|other| files.in_hand.contains_key(&other))
            || (!files.in_hand.is_empty() && !has_room())
        {
            files = self.settled.wait(files).unwrap_or_else(PoisonError::into_inner);
        }
        let number = files.number();
        files.in_hand.insert(number, job);
        number
    }

    /// Returns a number for a file that was settled in an earlier run.
    pub fn settled_before(&self) -> FileNumber {
        self.files().number()
    }

    /// Waits until a file is settled.
    ///
    /// # Errors
    ///
    /// Fails if that file was begun later than the job.
    pub fn wait_for(&self, other: FileNumber, job: JobNumber) -> Result<(), Contested> {
        let mut files = self.files();
        while let Some(holder) = files.in_hand.get(&other) {
            if *holder > job {
                return Err(Contested(other));
            }
            files = self.settled.wait(files).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// Ends a file that is settled or given up. A file that is given up has undone its changes
    /// before.
    pub fn settle(&self, file: FileNumber) {
        self.files().in_hand.remove(&file);
        self.settled.notify_all();
    }

    /// Returns the file in hand that was begun first. If there is none, returns the number of the
    /// next file.
    pub fn first(&self) -> FileNumber {
        let files = self.files();
        files.in_hand.keys().min().copied().unwrap_or(files.last + 1)
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files {
    fn number(&mut self) -> FileNumber {
        self.last += 1;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{Contested, FilesInHand};

    #[test]
    fn a_file_waits_for_an_earlier_file_and_gives_up_for_a_later_one() {
        let files = FilesInHand::default();
        let (first, second) = (files.begin(1, None, || true), files.begin(2, None, || true));
        assert_eq!(files.wait_for(second, 1), Err(Contested(second)));
        thread::scope(|scope| {
            let waits = scope.spawn(|| files.wait_for(first, 2));
            files.settle(first);
            assert_eq!(waits.join().unwrap(), Ok(()));
        });
    }

    #[test]
    fn without_room_a_file_waits_unless_it_is_the_only_one() {
        let files = FilesInHand::default();
        let first = files.begin(1, None, || false);
        thread::scope(|scope| {
            let second = scope.spawn(|| files.begin(2, None, || false));
            files.settle(first);
            assert!(second.join().unwrap() > first);
        });
    }

    #[test]
    fn a_file_that_gave_up_begins_again_after_the_other_file() {
        let files = FilesInHand::default();
        let later = files.begin(2, None, || true);
        thread::scope(|scope| {
            let again = scope.spawn(|| files.begin(3, Some(later), || true));
            assert_eq!(files.first(), later);
            files.settle(later);
            assert!(again.join().unwrap() > later);
        });
    }
}
