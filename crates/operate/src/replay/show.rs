//! Shows the last replay.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FILES_MAX, Replay};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// Returns the state of the running replay, or the result of the last one.
///
/// For a role that does not see subscriber data, its values in the examples are masked.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ShowReplay {}

/// The running replay, or the last one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplayState {
    /// The running replay, or the last one. Absent if there was none since the start of the gateway.
    pub replay: Option<Replay>,
    /// The maximum number of files of a replay.
    pub files_max: usize,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

impl ReplayState {
    pub(super) fn of(replay: Option<Replay>) -> Self {
        ReplayState { replay, files_max: FILES_MAX, masked: false }
    }
}

refusals! {
    /// Why the last replay is not shown.
    pub enum ShowReplayError {
        /// The view cannot be recorded.
        SubscriberData(SubscriberDataError) => [NotReady],
    }
}

impl Operation for ShowReplay {
    type Response = ReplayState;
    type Error = ShowReplayError;

    const NAME: &'static str = "replay show";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<ReplayState, ShowReplayError> {
        let access = context.subscriber_access();
        let mut replay = context.shared.replays().and_then(|replays| replays.last());
        if let Some(Replay { began, report: Some(report), .. }) = &mut replay
            && report.has_examples()
        {
            let subject = format!("report of the replay of {began}");
            context.record_view(&access, Self::NAME, &subject)?;
            if let Some(mask) = access.mask() {
                report.hide(mask);
            }
        }
        Ok(ReplayState { masked: access.is_masked(), ..ReplayState::of(replay) })
    }
}
