//! Records in suspense: listed, corrected, discarded, and given back to be processed again.

pub mod correct;
mod discard;
mod filter;
mod list;
pub mod retry;

pub use discard::{
    DiscardRecords, DiscardRecordsError, DiscardedRecords, ReopenRecords, ReopenRecordsError,
    ReopenedRecords,
};
pub use filter::{RecordFilter, StateFilter};
pub use list::{CountRecords, Groups, ListRecords, ListRecordsError, Records};
pub use retry::{RetriedRecords, RetryRecords, RetryRecordsError, TakeBackRetries, TakenBack};
