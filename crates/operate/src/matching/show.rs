//! Shows a group.

use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::group::{HeldGroup, read_groups};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// Returns a group with its records.
///
/// The group waits, or was released and is still remembered.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ShowGroup {
    /// The number of the group.
    pub id: i64,
}

/// A group.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchingGroup)]
pub struct ShownGroup {
    /// The group, with its records.
    pub group: HeldGroup,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why a group is not shown.
    pub enum ShowGroupError {
        /// The journal has no such group, or no longer.
        Unknown { /** Its number. */ id: i64 } => Unknown "group-unknown"
            "there is no group {id}, or it is no longer remembered",
        /// The journal fails.
        Journal(JournalError) => [],
        /// The view cannot be recorded.
        SubscriberData(SubscriberDataError) => [NotReady],
    }
}

impl Operation for ShowGroup {
    type Response = ShownGroup;
    type Error = ShowGroupError;

    const NAME: &'static str = "matching show";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<ShownGroup, ShowGroupError> {
        let ShowGroup { id } = self;
        let access = context.subscriber_access();
        let group = read_groups(context, |reader| reader.group_with_records(id))?;
        let mut group = group.ok_or(ShowGroupError::Unknown { id })?;
        context.record_view(&access, Self::NAME, &format!("group {id}"))?;
        if access.is_masked() {
            group.hide();
        }
        Ok(ShownGroup { group, masked: access.is_masked() })
    }
}
