//! Lists the versions of the flow.

use ::versions::{StoredActivation, StoredProposal, StoredVersion, contents};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::VersionsError;
use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;

/// Lists the versions of the flow, the newest first.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListVersions {
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of versions.
#[derive(Debug, Serialize, ToSchema)]
pub struct Versions {
    /// The versions, the newest first.
    pub versions: Vec<Version>,
    /// Whether there are more versions.
    pub more: bool,
}

/// A version of the flow file and the files that it names.
#[derive(Debug, Serialize, ToSchema)]
pub struct Version {
    /// The number of the version.
    pub version: i64,
    /// When it was saved.
    pub at: String,
    /// The user or token who saved it.
    pub who: String,
    /// The remark; may be empty.
    pub remark: String,
    /// Whether the files on the disk are those of this version.
    pub active: bool,
    /// The activations, the oldest first.
    pub activated: Vec<Activation>,
    /// The proposal to activate the version. Absent if there is none, or if the files on the disk have changed since.
    pub proposal: Option<Proposal>,
}

/// A proposal to activate a version. Another user activates it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Proposal {
    /// When the version was proposed.
    pub at: String,
    /// The user or token.
    pub who: String,
    /// The reason.
    pub because: String,
}

/// An activation of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct Activation {
    /// When the version was activated.
    pub at: String,
    /// The user or token.
    pub who: String,
    /// The reason. Empty if the version was activated before reasons were required.
    pub because: String,
}

impl From<StoredActivation> for Activation {
    fn from(StoredActivation { at, who, because }: StoredActivation) -> Self {
        Activation { at, who, because }
    }
}

impl From<StoredProposal> for Proposal {
    fn from(StoredProposal { at, who, because, .. }: StoredProposal) -> Self {
        Proposal { at, who, because }
    }
}

impl Version {
    /// Returns a stored version. `now` has the contents of the files on the disk.
    pub(super) fn of(stored: StoredVersion, now: &str) -> Self {
        let proposal = stored.proposal.filter(|proposal| proposal.contents == now);
        Version {
            version: stored.id,
            at: stored.at,
            who: stored.who,
            remark: stored.remark,
            active: stored.contents == now,
            activated: stored.activated.into_iter().map(Activation::from).collect(),
            proposal: proposal.map(Proposal::from),
        }
    }
}

impl Operation for ListVersions {
    type Response = Versions;
    type Error = VersionsError;

    const NAME: &'static str = "versions list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Versions, VersionsError> {
        let store = context.shared.versions()?;
        let now = contents(&store.on_disk()?.files);
        let (versions, more) = store.list(self.page.rows())?;
        let versions = versions.into_iter().map(|stored| Version::of(stored, &now)).collect();
        Ok(Versions { versions, more })
    }
}
