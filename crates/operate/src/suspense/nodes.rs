//! Counts records in suspense by node.

use ::suspense::SuspendedAt;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::ReadError;

/// Counts the open records by network element and node.
///
/// The counts may be a few seconds old.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct CountRecordsByNode {}

/// The open records, counted by node.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SuspenseNodes)]
pub struct RecordsByNode {
    /// The places; none without open records.
    pub nodes: Vec<SuspendedAt>,
}

impl Operation for CountRecordsByNode {
    type Response = RecordsByNode;
    type Error = ReadError;

    const NAME: &'static str = "suspense nodes";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<RecordsByNode, ReadError> {
        Ok(RecordsByNode { nodes: context.shared.suspended_at()?.to_vec() })
    }
}
