//! Actions: what is done about what rules find, such as barring a number.
//!
//! ```text
//! alert or person ─▶ outbox in the journal ─▶ approvals, limit ─▶ sender ─▶ command, webhook, list, line or record
//! ```
//!
//! An action is requested in the transaction that it is about, so it is there exactly once. It is sent at least once: if it is not known
//! whether the other side has it, it is sent again with the same identifier, by which the other side can drop it.
#![forbid(unsafe_code)]

mod kinds;
mod message;
mod outbox;
mod sender;
mod settings;
mod stop;

pub use message::Message;
pub use outbox::{
    ActionState, ListedActions, Requested, RequestedAction, approve, approve_rule, erase_of_key,
    knows, list, open_of_key, prune, refuse, refuse_of_key, refuse_of_versions, request, undo,
};
pub use sender::{ALARMS, Source, run};
pub use settings::{ActionSettings, Approval, read};
pub use stop::{Stop, resume, stop, stopped};

/// The name of this part in the log.
const LOG: &str = "flow::actions";
