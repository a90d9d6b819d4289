//! Shows a case unmasked to a user who has a reason.

use flow::flow_journal::JournalError;
use people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::cases::{WholeFraudCase, whole};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Shows a case unmasked to a user who does not see subscriber data, if `unmask` of `[privacy]` in the flow file lets the role.
///
/// The entry of the audit trail, with the reason, is made before the response is sent. Each request makes one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UnmaskFraudCase {
    /// Its number.
    pub id: i64,
    /// Why, for the audit trail. It must not be empty.
    pub because: String,
}

refusals! {
    /// Why a case is not unmasked.
    pub enum UnmaskFraudCaseError {
        /// The flow file does not let the role.
        NotAllowed => Forbidden "unmask-not-allowed"
            "your role does not see a case unmasked: unmask in [privacy] of the flow file says which role may",
        /// There is no such case.
        Unknown {
            /// Its number.
            id: i64,
        } => Unknown "unmask-case-unknown" "there is no case {id}",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The journal fails.
        Journal(JournalError) => [],
        /// The view cannot be recorded.
        SubscriberData(SubscriberDataError) => [NotReady],
    }
}

impl Operation for UnmaskFraudCase {
    type Response = WholeFraudCase;
    type Error = UnmaskFraudCaseError;

    const NAME: &'static str = "fraud unmask";
    const ROLE: Role = Role::Viewer;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<WholeFraudCase, UnmaskFraudCaseError> {
        let UnmaskFraudCase { id, because } = self;
        let because = reason(&because)?;
        let access = context.subscriber_access();
        if access.is_masked() && !access.may_unmask() {
            return Err(UnmaskFraudCaseError::NotAllowed);
        }
        let whole = whole(context, id)?.ok_or(UnmaskFraudCaseError::Unknown { id })?;
        context.record_unmasking(Self::NAME, &format!("case {id}"), because)?;
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::with_journal;
    use crate::privacy::Rights;
    use crate::refusal::Refusal as _;

    fn code(context: &Context<'_>, because: &str) -> &'static str {
        let unmask = UnmaskFraudCase { id: 1, because: because.into() };
        unmask.perform(context).expect_err("a refusal").code()
    }

    #[test]
    fn the_flow_file_says_which_role_may_and_a_reason_is_needed() {
        with_journal(|context| {
            let of = |role| Context { rights: Rights::Role(role), ..context.clone() };
            let codes =
                |because| [Role::Viewer, Role::Operator].map(|role| code(&of(role), because));
            for (text, expected) in [
                ("", ["unmask-not-allowed", "unmask-case-unknown"]),
                (
                    "[privacy]\nrole = \"administrator\"\nunmask = \"operator\"\n",
                    ["unmask-not-allowed", "unmask-case-unknown"],
                ),
                ("[privacy]\nrole = \"administrator\"\n", ["unmask-not-allowed"; 2]),
                ("[privacy]\nunmask = \"viewer\"\n", ["unmask-case-unknown"; 2]),
                ("[privacy]\nunmask = \"viewer\"\nrole = 1\n", ["unmask-not-allowed"; 2]),
            ] {
                std::fs::write(context.flow, text).expect("the flow file");
                assert_eq!(codes("a court asks"), expected, "{text}");
            }
            std::fs::write(context.flow, "[privacy]\nunmask = \"viewer\"\n").expect("a file");
            assert_eq!(codes(" "), ["reason-missing"; 2]);
        });
    }
}
