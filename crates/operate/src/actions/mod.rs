//! Actions that rules and people request: what waits, what was done, and the switch that stops all.

mod change;
mod list;
mod stop;

pub use change::{
    ApproveActions, ChangeActionsError, ChangedActions, RefuseActions, RequestAction,
    RequestActionError, UndoActions,
};
pub(crate) use list::mask as mask_action;
pub use list::{ActionList, ListActions, ListActionsError};
pub use stop::{ResumeActions, StopActions, StopActionsError, StoppedActions};
