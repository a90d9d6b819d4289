//! Files in hand that have something in common, for nodes that remember.
//!
//! What a file in hand brought is not sure: the file may yet be given up, and then it did not come. Who meets it waits
//! until the file is settled. A file waits for one that was begun before it alone; so that no two wait for each other,
//! it gives up where it meets a later one. Begun again, it first waits for that one, and holds nothing meanwhile: so
//! that two do not make each other give up for ever.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::JobNumber;

/// The number of a file, in the order in which files were begun.
pub type FileNumber = u32;

/// A file that was begun later has what this one needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contested(pub FileNumber);

/// The files in hand of all nodes of a template.
#[derive(Debug, Default)]
pub struct InHand {
    files: Mutex<Files>,
    settled: Condvar,
}

#[derive(Debug, Default)]
struct Files {
    last: FileNumber,
    /// With the numbers of their jobs.
    in_hand: HashMap<FileNumber, JobNumber>,
}

impl InHand {
    /// A file begins. If it was given up since another went first, that is waited for; and as long as others are in hand,
    /// so is room for it.
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

    /// The number of a file that was settled in an earlier run.
    pub fn settled_before(&self) -> FileNumber {
        self.files().number()
    }

    /// Waits until a file is settled that was begun before.
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

    /// A file is settled, or given up. What it gave up it has taken back before.
    pub fn settle(&self, file: FileNumber) {
        self.files().in_hand.remove(&file);
        self.settled.notify_all();
    }

    /// The file that was begun first of those in hand; if there is none, the one that will be begun next.
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

    use super::{Contested, InHand};

    #[test]
    fn who_was_begun_later_waits_and_who_was_begun_before_gives_up() {
        let files = InHand::default();
        let (first, second) = (files.begin(1, None, || true), files.begin(2, None, || true));
        assert_eq!(files.wait_for(second, 1), Err(Contested(second)));
        thread::scope(|scope| {
            let waits = scope.spawn(|| files.wait_for(first, 2));
            files.settle(first);
            assert_eq!(waits.join().unwrap(), Ok(()));
        });
    }

    #[test]
    fn who_has_no_room_waits_for_others_and_alone_goes_on() {
        let files = InHand::default();
        let first = files.begin(1, None, || false);
        thread::scope(|scope| {
            let second = scope.spawn(|| files.begin(2, None, || false));
            files.settle(first);
            assert!(second.join().unwrap() > first);
        });
    }

    #[test]
    fn who_gave_up_begins_again_behind_whom_it_met() {
        let files = InHand::default();
        let later = files.begin(2, None, || true);
        thread::scope(|scope| {
            let again = scope.spawn(|| files.begin(3, Some(later), || true));
            assert_eq!(files.first(), later);
            files.settle(later);
            assert!(again.join().unwrap() > later);
        });
    }
}
