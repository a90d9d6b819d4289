//! Why a matching node refuses a record, or a file.

use node::StateError;
use reason::Coded;

/// Why a matching node refuses a record, or a file.
#[derive(Debug, thiserror::Error, Coded)]
#[code("matching")]
pub(crate) enum GroupRefusal {
    /// The time of the record is beyond the times of the gateway.
    #[error("it was made at no time that a clock can show")]
    NoTime,
    /// The group has the maximum number of records.
    #[error("its group has {records} records already: \"group-max\"")]
    Full { records: usize },
    /// The group would take more memory than a group may.
    #[error("its group would have more than 16 MB")]
    TooLarge,
    /// The group has the same record already, and the node sets such records aside.
    #[error("its group has a record already that is the same: one is to be discarded")]
    Repeated,
    /// The record cannot be encoded.
    #[error("it cannot be kept: {0}")]
    NotStored(#[coded] StateError),
    /// A record that waits can no longer be decoded: its type was changed, or its octets are damaged.
    #[error("a record of its group cannot be read again: {0}")]
    Unreadable(#[coded] StateError),
    /// The node has the maximum number of groups, and none of them ends while files wait.
    #[error(
        "{max} groups are open at most: allow more \"groups-max\", or give \"wait\" an \"arrival\": while files wait, none \
         of them is over by its records' time"
    )]
    NoRoom { max: u64 },
    /// The node has the maximum number of groups. The file waits until some have ended.
    #[error(
        "{max} groups are open at most: allow more \"groups-max\"; it waits until some are over by \"arrival\""
    )]
    NoRoomYet { max: u64 },
}

/// Why a record is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("matching-late")]
pub(crate) enum Tardy {
    /// Its group was released before it came.
    #[error("it came late: its group was released")]
    Released,
    /// The time of its group was over before it came.
    #[error("it came late: its group's time is over")]
    Over,
}
