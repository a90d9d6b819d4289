//! Versions of the flow: listed, shown, saved, compared and activated.

mod activate;
mod consequences;
mod list;
mod reject;
mod reload;
mod replace;
mod save;
mod show;

pub use activate::{ActivateError, ActivateVersion, Activated, ActivationAnswer};
pub use consequences::{
    Consequences, ConsequencesError, RemovedNode, RemovedReceiver, ShowConsequences,
};
pub use list::{Activation, ListVersions, Proposal, Version, Versions};
pub use reject::{RejectError, RejectProposal, RejectedProposal};
pub use reload::{ReloadFlow, ReloadFlowError, ReloadedFlow};
pub use replace::activate_file;
pub use save::{SaveVersion, SavedVersion};
pub use show::{ShowVersion, VersionContent, VersionFile};

use ::versions::{LeftOut, VersionError};
use flow::flow_journal::JournalError;
use gateway::ReloadError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::refusal::{PossibleRefusal, Refusal, RefusalKind, possible_of};
use crate::refusals;

/// A file that the flow names and that a version does not contain. Activating the version leaves it as it is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeftOutFile {
    /// The file, as the flow names it.
    pub name: String,
    /// The reason: it is too large, outside the folder of the flow file, a secret, or not of the kind that the flow
    /// names it as.
    pub why: String,
}

impl From<LeftOut> for LeftOutFile {
    fn from(LeftOut { name, why }: LeftOut) -> Self {
        LeftOutFile { name, why }
    }
}

refusals! {
    /// Why versions are not read or saved.
    pub enum VersionsError {
        /// The files of the flow or the versions cannot be read, or the databases cannot be written.
        Versions(VersionError) => [],
    }
}

refusals! {
    /// Why a version is not read.
    pub enum NamedVersionError {
        /// There is no such version, or it cannot be read.
        Versions(VersionError) => [Unknown],
    }
}

impl Refusal for VersionError {
    fn kind(&self) -> RefusalKind {
        match self {
            VersionError::Unknown(_) => RefusalKind::Unknown,
            VersionError::Overtaken | VersionError::Read { .. } | VersionError::Write(_) => {
                RefusalKind::Conflict
            }
            VersionError::Outside(_) | VersionError::Unseen { .. } => RefusalKind::Wrong,
            VersionError::Reload(_) => RefusalKind::NotReady,
            VersionError::Store(_) => RefusalKind::Internal,
            VersionError::Journal(error) => error.kind(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            VersionError::Unknown(_) => "version-unknown",
            VersionError::Overtaken => "flow-files-changed",
            VersionError::Outside(_) => "flow-file-outside",
            VersionError::Unseen { .. } => "flow-file-withheld",
            VersionError::Write(_) => "flow-file-unwritable",
            VersionError::Read { .. } => "flow-file-unreadable",
            VersionError::Reload(_) => "gateway-does-not-answer",
            VersionError::Store(_) => "versions-database-failed",
            VersionError::Journal(error) => error.code(),
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of = |kind, code, text| PossibleRefusal { kind, text: Some((code, text)) };
        let own = vec![
            of(RefusalKind::Unknown, "version-unknown", "there is no version {version}"),
            of(
                RefusalKind::Conflict,
                "flow-files-changed",
                "the files of the flow were changed by another user meanwhile: load them, and look again",
            ),
            of(RefusalKind::Conflict, "flow-file-unreadable", "could not read \"{path}\""),
            of(RefusalKind::Conflict, "flow-file-unwritable", "could not write \"{path}\""),
            of(
                RefusalKind::Wrong,
                "flow-file-outside",
                "\"{name}\" is no file of the flow that may be changed here",
            ),
            of(RefusalKind::Wrong, "flow-file-withheld", "\"{name}\" is not read here: {why}"),
        ];
        let of_journal = possible_of::<JournalError>(&[RefusalKind::NotReady]);
        [own, ReloadError::possible(), of_journal].concat()
    }
}
