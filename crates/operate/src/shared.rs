//! Reads of the journal that a server shares between its clients.

use std::path::Path;
use std::sync::Arc;

use alarm::Alarm;
use flow::flow_journal::JournalError;
use suspense::{SuspendedAt, suspended_at};

use crate::alarms::raised_alarms;

/// Reads of the journal that many clients request at the same moment. A server reads once for all of them, so an answer may be
/// a few seconds old.
pub trait SharedReads: Sync {
    /// Returns the raised alarms, as [`raised_alarms`] does.
    ///
    /// # Errors
    ///
    /// There is no journal, or it cannot be read.
    fn raised_alarms(&self) -> Result<Arc<[Alarm]>, JournalError>;

    /// Notes that the files of the flow have changed. A server then tells the clients that watch it.
    fn flow_changed(&self) {}

    /// Returns the number of open records in suspense by the node that refused them, as
    /// [`suspended_at`](suspense::suspended_at) does.
    ///
    /// # Errors
    ///
    /// There is no journal, or it cannot be read.
    fn suspended_at(&self) -> Result<Arc<[SuspendedAt]>, JournalError>;
}

/// Reads the journal of a flow each time, for a single client. It has the path of the flow file.
#[derive(Clone, Copy, Debug)]
pub struct Unshared<'a>(pub &'a Path);

impl SharedReads for Unshared<'_> {
    fn raised_alarms(&self) -> Result<Arc<[Alarm]>, JournalError> {
        raised_alarms(self.0).map(Arc::from)
    }

    fn suspended_at(&self) -> Result<Arc<[SuspendedAt]>, JournalError> {
        suspended_at(self.0).map(Arc::from)
    }
}
