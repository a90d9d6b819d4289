//! Memory that requests share, so that working on one allocates nothing.

use std::cell::RefCell;

use crate::answer::LegAnswer;
use crate::leg::Memory;

/// The maximum number of lists of answers that are stored for other tasks: as many as a large batch has.
const SPARE_MAX: usize = 4_096;

/// Memory for the work on requests. A front has one for each of its threads, and lends it to all tasks.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(crate) scratch: RefCell<Scratch>,
    /// Lists of answers of tasks that are gone, empty.
    spare: RefCell<Vec<Vec<LegAnswer>>>,
}

/// Memory for the work on one request.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) rating: Memory,
    /// What is stored with the session before and after a leg.
    pub(crate) memo: Vec<u8>,
    pub(crate) next_memo: Vec<u8>,
    /// The counters in their stored form.
    pub(crate) octets: Vec<u8>,
    /// What is stored with the entries.
    pub(crate) remark: Vec<u8>,
}

impl Workspace {
    /// Returns an empty list of answers.
    pub(crate) fn answers(&self) -> Vec<LegAnswer> {
        self.spare.borrow_mut().pop().unwrap_or_default()
    }

    /// Keeps a list of answers for another task.
    pub(crate) fn keep(&self, mut answers: Vec<LegAnswer>) {
        let mut spare = self.spare.borrow_mut();
        if answers.capacity() > 0 && spare.len() < SPARE_MAX {
            answers.clear();
            spare.push(answers);
        }
    }
}
