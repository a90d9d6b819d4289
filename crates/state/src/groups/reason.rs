//! Why the records of a group are set aside together.

use reason::Coded;

/// Why the records of a group are set aside together.
#[derive(Debug, thiserror::Error, Coded)]
#[code("group")]
pub(crate) enum GroupReason {
    /// The time of the group was over before all records had come, and the node sets such groups aside.
    #[error("its group was not complete when its time was over")]
    Over,
    /// A user set the group aside.
    #[error("{who} set its group aside: {because}")]
    Requested { who: String, because: String },
}
