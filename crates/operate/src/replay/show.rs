//! Shows the last replay.

use std::convert::Infallible;

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FILES_MAX, Replay};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};

/// Returns the state of the running replay, or the result of the last one.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ShowReplay {}

/// The running replay, or the last one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplayState {
    /// The running replay, or the last one. Absent if there was none since the start of the gateway.
    pub replay: Option<Replay>,
    /// The maximum number of files of a replay.
    pub files_max: usize,
}

impl ReplayState {
    pub(super) fn of(replay: Option<Replay>) -> Self {
        ReplayState { replay, files_max: FILES_MAX }
    }
}

/// It cannot happen.
impl Refusal for Infallible {
    fn kind(&self) -> RefusalKind {
        match *self {}
    }

    fn code(&self) -> &'static str {
        match *self {}
    }

    fn possible() -> Vec<PossibleRefusal> {
        Vec::new()
    }
}

impl Operation for ShowReplay {
    type Response = ReplayState;
    type Error = Infallible;

    const NAME: &'static str = "replay show";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<ReplayState, Infallible> {
        Ok(ReplayState::of(context.shared.replays().and_then(|replays| replays.last())))
    }
}
