//! The other workers, as a worker knows them: they may help with a large file.

use std::sync::Arc;

use crate::execute::chunks::SharedFile;
use flow::groups::Groups;

/// The workers that take tasks from one queue.
pub(crate) trait Crew: Send + Sync {
    /// Returns how many workers wait that could help with files of a network element.
    fn waiting(&self, groups: &Groups, element: usize) -> usize;

    /// Offers a file to help with.
    fn offer(&self, file: &Arc<SharedFile>);

    /// Ends the offer of a file.
    fn withdraw(&self, file: &Arc<SharedFile>);

    /// Returns whether any worker waits.
    fn is_any_waiting(&self) -> bool;

    /// Wakes waiting workers: there may be stretches to read.
    fn wake(&self);

    /// Counts how often a task may have come.
    fn news(&self) -> u64;
}

/// A file that others may help with until this is dropped.
pub(crate) struct Offered {
    crew: Arc<dyn Crew>,
    pub(crate) file: Arc<SharedFile>,
}

impl Offered {
    /// Offers a file.
    pub(crate) fn new(crew: Arc<dyn Crew>, file: SharedFile) -> Self {
        let file = Arc::new(file);
        crew.offer(&file);
        Offered { crew, file }
    }

    /// Wakes waiting workers: there may be room for more stretches.
    pub(crate) fn has_room(&self) {
        if self.crew.is_any_waiting() {
            self.crew.wake();
        }
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.crew.withdraw(&self.file);
    }
}

/// A large file to help with, until there is news.
pub(crate) struct Help {
    pub(crate) file: Arc<SharedFile>,
    crew: Arc<dyn Crew>,
    news: u64,
}

impl Help {
    /// Returns a file to help with. `news` is the count of the crew's news at the choice of the file.
    pub(crate) fn new(crew: Arc<dyn Crew>, file: Arc<SharedFile>, news: u64) -> Self {
        Help { file, crew, news }
    }

    /// Returns whether there may be a task to take instead, or the file is done.
    pub(crate) fn is_over(&self) -> bool {
        self.crew.news() != self.news
    }

    /// Wakes the workers that wait: the rest of a stretch is left for them.
    pub(crate) fn has_left(&self) {
        self.crew.wake();
    }
}

/// The turn of a file among those of its network element. If it is dropped before the file is committed, the file was
/// given up.
pub(crate) trait FileTurn: Send {
    /// Ends the turn: the file is committed, and the next has its turn.
    fn settled(self: Box<Self>);
}
