//! Replays that users start in the interface: a change of the flow is tried on earlier files before it runs.

mod cancel;
mod replays;
mod report;
mod show;
mod start;

pub use cancel::{CancelReplay, CancelReplayError};
pub use replays::{Replay, ReplayProgress, ReplayRunning, ReplayScope, Replays};
pub use report::{ReplayFileDiffering, ReplayReport, ReportBuilder};
pub use show::{ReplayState, ShowReplay, ShowReplayError};
pub use start::{ReplayDraft, StartReplay, StartReplayError};

/// The maximum number of files of a replay.
const FILES_MAX: usize = 1_000;
