//! Access to the journal of a flow by the path of its flow file, whether a gateway runs it or not.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use journal::{self, Folders, Journal, OpenError};
use store::{Connection, QueryError, QueryResult, StoreError};

use crate::file;
use crate::schema::{SCHEMA, VERSIONS};

/// Why a running gateway cannot read or write its journal.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A query failed.
    #[error("the journal: {0}")]
    Query(#[from] QueryError),
    /// The database cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the journal cannot be used, or does not have the requested thing.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The flow file cannot be read; perhaps the path is wrong.
    #[error("cannot read \"{}\"", flow.display())]
    Flow {
        /// The flow file.
        flow: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// Neither the flow nor the journal has such a network element.
    #[error("no network element \"{name}\" in \"{}\"; {known}", flow.display())]
    UnknownElement {
        /// The name in the request.
        name: String,
        /// The flow file.
        flow: PathBuf,
        /// The network elements that exist.
        known: String,
    },
    /// Neither the flow nor the journal has anything of this name.
    #[error("there is no {what} \"{name}\" in \"{}\", nor in its journal", flow.display())]
    UnknownName {
        /// The sort of thing.
        what: &'static str,
        /// Its name.
        name: String,
        /// The flow file.
        flow: PathBuf,
    },
    /// No error has this code, now or in the journal.
    #[error("no error has the code \"{0}\"; docs/reference/errors.md lists the codes")]
    UnknownCode(String),
    /// No network element has sequence numbers or totals.
    #[error(
        "no network element of \"{}\" has a sequence; give one file-sequence, record-sequence or totals, \
         see docs/reference/flow.md",
        .0.display()
    )]
    Uncounted(PathBuf),
    /// No gateway has run the flow yet.
    #[error("no gateway has run \"{}\" yet: there is no \"{}\"", flow.display(), database.display())]
    Missing {
        /// The flow file.
        flow: PathBuf,
        /// Where the journal would be.
        database: PathBuf,
    },
    /// Another gateway runs the flow.
    #[error("another gateway runs this flow: {holder}; stop it first")]
    InUse {
        /// The holder, from its lock.
        holder: String,
    },
    /// The folder of the state cannot be used.
    #[error("could not use the folder \"{}\" for the flow's state: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The database is damaged.
    #[error("{0}; nothing was processed, see docs/how-to/recover-from-a-damaged-journal.md")]
    Damaged(StoreError),
    /// The database refused the operation.
    #[error(transparent)]
    Refused(OpenError),
}

impl From<OpenError> for JournalError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::InUse { holder } => JournalError::InUse { holder },
            OpenError::Folder { folder, error } => JournalError::Folder { folder, error },
            OpenError::Damaged(error) => JournalError::Damaged(error),
            error => JournalError::Refused(error),
        }
    }
}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        OpenError::from(error).into()
    }
}

/// Opens the journal of a flow in its state folder, or makes it. The caller is then the only one who writes it.
pub fn open(flow: &Path, state: &Path, machine: fn() -> SystemTime) -> Result<Journal, OpenError> {
    Journal::open(folders(flow, state), &SCHEMA, machine)
}

/// Returns the folders of a flow's journal and of the files that it names.
pub fn folders<'f>(flow: &'f Path, state: &'f Path) -> Folders<'f> {
    Folders { state, base: flow.parent().unwrap_or(Path::new("")) }
}

/// Runs a query on the journal of a flow, whether a gateway runs it or not.
pub fn read<T>(
    flow: &Path,
    ask: impl FnOnce(&Connection) -> QueryResult<T>,
) -> Result<T, JournalError> {
    Ok(store::read(&existing(flow)?, VERSIONS, ask)?)
}

/// Changes the journal of a flow, whether a gateway runs it or not.
pub fn change<T>(
    flow: &Path,
    change: impl FnOnce(&Connection) -> QueryResult<T>,
) -> Result<T, JournalError> {
    Ok(store::change(&existing(flow)?, VERSIONS, change)?)
}

/// Returns the path of a flow's journal, which must exist.
pub fn existing(flow: &Path) -> Result<PathBuf, JournalError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let database = file::outline(flow).map_err(cause)?.state.join(journal::DATABASE);
    match database.exists() {
        true => Ok(database),
        false => Err(JournalError::Missing { flow: flow.into(), database }),
    }
}
