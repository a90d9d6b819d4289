//! What a server shares between its clients: some reads of the journal, the versions of the flow, and its users.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::people::People;
use ::versions::{NoScripts, ScriptLanguage, VersionError, VersionStore};
use alarm::Alarm;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::privacy::Privacy;
use suspense::{SuspendedAt, suspended_at};

use crate::alarms::raised_alarms;
use crate::people::PeopleUnreadError;
use crate::replay::Replays;

/// The file in the state folder that is locked while the flow is served. Who locks it owns the versions and the users.
pub const SERVE_LOCK: &str = "serve.lock";

/// What many clients request at the same moment. A server reads the journal once for all of them, so an answer may be a
/// few seconds old, and has the databases of versions and users open.
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

    /// Returns who sees subscriber data, by the flow file as it is on the disk now, as [`Privacy::of_flow`] does.
    fn privacy(&self) -> Arc<Privacy>;

    /// Returns the versions of the flow.
    ///
    /// # Errors
    ///
    /// No gateway has run the flow yet, or the database cannot be read.
    fn versions(&self) -> Result<Arc<VersionStore>, VersionError>;

    /// Returns the users and tokens of the gateway.
    ///
    /// # Errors
    ///
    /// No gateway has run the flow yet, or the database cannot be read.
    fn people(&self) -> Result<Arc<People>, PeopleUnreadError>;

    /// Returns the replays of the gateway that serves the flow; `None` for a command.
    fn replays(&self) -> Option<Arc<Replays>> {
        None
    }
}

/// Reads each time, for a single client.
#[derive(Clone, Copy)]
pub struct Unshared<'a> {
    flow: &'a Path,
    scripts: &'static dyn ScriptLanguage,
}

impl<'a> Unshared<'a> {
    /// Returns the reads for a flow file with scripts of a language.
    pub fn new(flow: &'a Path, scripts: &'static dyn ScriptLanguage) -> Self {
        Unshared { flow, scripts }
    }

    /// Returns the reads for a flow file without scripts.
    pub fn without_scripts(flow: &'a Path) -> Self {
        Unshared::new(flow, &NoScripts)
    }

    /// Returns the state folder. A gateway has run the flow.
    fn state(&self) -> Result<PathBuf, JournalError> {
        let journal = flow_journal::existing(self.flow)?;
        Ok(journal.parent().unwrap_or(Path::new("")).to_owned())
    }
}

/// Opens a database as its owner, which creates or migrates it, and closes it again. A server that runs has done so.
fn as_owner<T, E>(state: &Path, open: impl FnOnce() -> Result<T, E>) -> Result<(), E> {
    let Ok(lock) = File::create(state.join(SERVE_LOCK)) else { return Ok(()) };
    match lock.try_lock() {
        Ok(()) => open().map(drop),
        Err(_) => Ok(()),
    }
}

/// Omits the language.
impl std::fmt::Debug for Unshared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unshared").field("flow", &self.flow).finish_non_exhaustive()
    }
}

impl SharedReads for Unshared<'_> {
    fn raised_alarms(&self) -> Result<Arc<[Alarm]>, JournalError> {
        raised_alarms(self.flow).map(Arc::from)
    }

    fn privacy(&self) -> Arc<Privacy> {
        Arc::new(Privacy::of_flow(self.flow))
    }

    fn versions(&self) -> Result<Arc<VersionStore>, VersionError> {
        let Unshared { flow, scripts } = *self;
        let state = self.state()?;
        as_owner(&state, || VersionStore::open(flow, &state, scripts))?;
        Ok(Arc::new(VersionStore::open_as_guest(flow, &state, scripts)?))
    }

    fn people(&self) -> Result<Arc<People>, PeopleUnreadError> {
        let state = self.state()?;
        as_owner(&state, || People::open(&state))?;
        Ok(Arc::new(People::open_as_guest(&state)))
    }

    fn suspended_at(&self) -> Result<Arc<[SuspendedAt]>, JournalError> {
        suspended_at(self.flow).map(Arc::from)
    }
}
