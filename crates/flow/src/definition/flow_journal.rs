//! The journal of a flow, by the path of its flow file, whether a gateway runs it or not.

use std::io;
use std::path::{Path, PathBuf};

use journal::{self, OpenError};
use store::{Answer, Connection, StoreError};

use crate::definition::file;
use crate::definition::schema::MIGRATIONS;

/// Why there is no journal, or nothing in it that could be asked for.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The flow file cannot be read: perhaps another was meant.
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
        /// What was asked for.
        name: String,
        /// The flow file.
        flow: PathBuf,
        /// Which there are.
        known: String,
    },
    /// Neither the flow nor the journal has something of such a name.
    #[error("there is no {what} \"{name}\" in \"{}\", nor in its journal", flow.display())]
    UnknownName {
        /// What was asked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// The flow file.
        flow: PathBuf,
    },
    /// What comes again would be counted twice.
    #[error(
        "\"{0}\" keeps counters of subscribers, which would count what comes again once more: if that is right, \
         say --even-counters"
    )]
    CountsAgain(String),
    /// Nothing is numbered or totalled.
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
        /// Which, as its lock says.
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
    /// The database is not as it was written.
    #[error("{0}; nothing was processed, see docs/how-to/recover-from-a-damaged-journal.md")]
    Damaged(StoreError),
    /// The database refuses.
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

/// Asks the journal of a flow, whether a gateway runs it or not.
pub(crate) fn read<T>(
    flow: &Path,
    ask: impl FnOnce(&Connection) -> Answer<T>,
) -> Result<T, JournalError> {
    Ok(store::read(&existing(flow)?, MIGRATIONS, ask)?)
}

/// Changes the journal of a flow, whether a gateway runs it or not.
pub(crate) fn change<T>(
    flow: &Path,
    change: impl FnOnce(&Connection) -> Answer<T>,
) -> Result<T, JournalError> {
    Ok(store::change(&existing(flow)?, MIGRATIONS, change)?)
}

/// The database of a flow's journal.
pub(crate) fn existing(flow: &Path) -> Result<PathBuf, JournalError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let database = file::outline(flow).map_err(cause)?.state.join(journal::DATABASE);
    match database.exists() {
        true => Ok(database),
        false => Err(JournalError::Missing { flow: flow.into(), database }),
    }
}
