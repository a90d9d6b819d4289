//! Rejects a proposal.

use ::versions::VersionError;
use flow::flow_journal;
use journal::audit_trail::Author;
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
        } => Unknown "proposal-unknown" "version {version} is not proposed for activation",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The versions or the journal cannot be written.
        Versions(VersionError) => [NotReady],
    }
}

impl Operation for RejectProposal {
    type Response = RejectedProposal;
    type Error = RejectError;

    const NAME: &'static str = "versions reject";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<RejectedProposal, RejectError> {
        let RejectProposal { version, because } = self;
        let because = reason(&because)?;
        let store = context.shared.versions()?;
        let (flow, who) = (context.flow.to_owned(), context.who.to_owned());
        let because = because.to_owned();
        let rejected = store.reject(version, move |proposed_by| {
            let subject = format!("version {version}, proposed by {proposed_by}");
            let author = Author::new(&who, Self::NAME);
            flow_journal::change(&flow, |db| author.record(db, &subject, &because).map(drop))
        });
        let proposed_by = rejected?.ok_or(RejectError::None { version })?;
        Ok(RejectedProposal { proposed_by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::{break_trail, with_journal};
    use crate::versions::{ActivateVersion, ActivationAnswer, ListVersions, SaveVersion};

    #[test]
    fn no_proposal_is_rejected_without_an_entry() {
        with_journal(|context| {
            let wanted = "[serve]\nsecond-person = true\n";
            std::fs::write(context.flow, wanted).expect("the flow file");
            let request = SaveVersion { text: format!("# A draft.\n{wanted}"), remark: "".into() };
            let version = request.perform(context).expect("a version").version;
            let because = "needed".to_owned();
            let request = ActivateVersion { version, because, ..ActivateVersion::default() };
            let proposed = request.perform(context).expect("a proposal");
            assert_eq!(proposed.answer, ActivationAnswer::Proposed);
            let is_proposed = || {
                let versions = ListVersions::default().perform(context).expect("the versions");
                versions.versions.iter().any(|version| version.proposal.is_some())
            };
            break_trail(context);
            let reject = || RejectProposal { version, because: "no".into() }.perform(context);
            assert!(reject().is_err() && is_proposed());
        });
    }
}
