//! Records in suspense: listed, corrected, discarded, and given back to be processed again.

pub mod correct;
mod discard;
mod filter;
mod list;
pub mod retry;

pub use discard::{
    DiscardRecords, DiscardRecordsError, DiscardedRecords, ReopenRecords, ReopenedRecords,
};
pub use filter::{ChoiceError, ChosenRecords, RecordFilter, StateFilter};
pub use list::{CountRecords, ListRecords, RecordGroups, Records};
pub use retry::{RetriedRecords, RetryRecords, RetryRecordsError, TakeBackRetries, TakenBack};
