//! Rejects a proposal.

use ::versions::VersionError;
use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Rejects the proposal to activate a version.
///
/// Its author may do so, too. The version stays, and can be proposed again.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RejectProposal {
    /// The number of the version.
    pub version: i64,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// A proposal that was rejected.
#[derive(Debug, Serialize, ToSchema)]
pub struct RejectedProposal {
    /// The user or token who made it.
    pub proposed_by: String,
}

refusals! {
    /// Why no proposal is rejected.
    pub enum RejectError {
        /// There is none.
        None {
            /// The number of the version.
            version: i64
        } => Unknown "proposal-unknown" "nobody proposes to activate version {version}",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The versions cannot be read or written.
        Versions(VersionError) => [],
        /// The entry of the audit trail cannot be written.
        Journal(JournalError) => [NotReady],
    }
}

impl Operation for RejectProposal {
    type Response = RejectedProposal;
    type Error = RejectError;

    const NAME: &'static str = "versions reject";
    const ROLE: Role = Role::Operator;
    const IS_CHANGE: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<RejectedProposal, RejectError> {
        let RejectProposal { version, because } = self;
        let because = reason(&because)?;
        let store = context.shared.versions()?;
        let proposed_by = store.reject(version)?.ok_or(RejectError::None { version })?;
        let subject = format!("version {version}, proposed by {proposed_by}");
        context.change(Self::NAME, |db, author| author.record(db, &subject, because).map(drop))?;
        Ok(RejectedProposal { proposed_by })
    }
}
