//! Records in suspense: listed, shown, edited, discarded, and given back to be processed again.

mod content;
mod discard;
mod edit;
mod filter;
mod hidden;
mod list;
mod nodes;
pub mod retry;
mod show;
mod stored;

pub use content::{RecordField, RecordType, RecordTypeKind};
pub use discard::{
    DiscardRecords, DiscardRecordsError, DiscardedRecords, ReopenRecords, ReopenedRecords,
};
pub use edit::{EditRecord, EditRecordError, EditedRecord};
pub(crate) use filter::known_code;
pub use filter::{ChoiceError, ChosenRecords, RecordFilter, StateFilter};
pub use list::{CountRecords, ListRecords, ListRecordsError, RecordGroups, Records};
pub use nodes::{CountRecordsByNode, RecordsByNode};
pub use retry::{RetriedRecords, RetryRecords, RetryRecordsError, TakeBackRetries, TakenBack};
pub use show::{RecordAction, RecordDetail, ShowRecord, ShowRecordError};
pub use stored::{NotShown, RecordUnknown};
