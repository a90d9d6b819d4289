//! Lists records in suspense, and counts them.

use ::suspense::{Alike, Counted, Suspended};
use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::filter::{RecordFilter, known};
use super::hidden::{hide, hide_alike};
use crate::context::Context;
use crate::operation::Operation;
use crate::page::{PageQuery, rows_limit};
use crate::privacy::{Rights, SubscriberDataError, is_whole};
use crate::refusals;

/// Lists the records in suspense, the newest first.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListRecords {
    /// The records.
    #[serde(flatten)]
    pub filter: RecordFilter,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of records in suspense.
#[derive(Debug, Serialize, ToSchema)]
pub struct Records {
    /// The records, the newest first.
    pub records: Vec<Suspended>,
    /// Whether there are more records.
    pub more: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why records are not listed.
    pub enum ListRecordsError {
        /// A name in the request is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
        /// The role does not see subscriber data, or the search cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for ListRecords {
    type Response = Records;
    type Error = ListRecordsError;

    const NAME: &'static str = "suspense list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Records, ListRecordsError> {
        let ListRecords { filter, page } = self;
        let access = context.subscriber_access();
        let viewed = filter.viewed();
        let filter = filter.records(&access)?;
        known(context, &filter)?;
        let (mut records, more) = context.read(|db| ::suspense::page(db, &filter, page.rows()))?;
        if let Some(viewed) = viewed {
            context.record_view(&access, Self::NAME, &viewed)?;
        }
        if let Some(mask) = access.mask() {
            records.iter_mut().for_each(|record| hide(mask, record));
        }
        if context.rights != Rights::Machine {
            // A view of a record makes an entry of the trail, and a list makes none.
            records.iter_mut().for_each(|record| record.octets.clear());
        }
        Ok(Records { records, more, masked: access.is_masked() })
    }
}

/// Counts the records in suspense by network element, node and error.
///
/// The groups with the most records come first.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct CountRecords {
    /// The records.
    #[serde(flatten)]
    pub filter: RecordFilter,
    /// The numbers of the records.
    #[serde(skip)]
    pub ids: Option<Vec<i64>>,
    /// The maximum number of groups. Default 50, at most 1000.
    pub limit: Option<u32>,
}

/// The records in suspense, counted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Groups)]
pub struct RecordGroups {
    /// The groups, those with the most records first.
    pub groups: Vec<Alike>,
    /// Whether there are more groups.
    pub more: bool,
    /// The number of records in all groups.
    pub records: u64,
    /// The greatest number of a record in all groups, for `up_to`; 0 if there is no record.
    pub last: i64,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

impl Operation for CountRecords {
    type Response = RecordGroups;
    type Error = ListRecordsError;

    const NAME: &'static str = "suspense alike";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<RecordGroups, ListRecordsError> {
        let CountRecords { filter, ids, limit } = self;
        let access = context.subscriber_access();
        let viewed = filter.viewed();
        let filter = ::suspense::Filter { ids, ..filter.records(&access)? };
        known(context, &filter)?;
        let groups_max = rows_limit(limit) as usize;
        let counted = context.read(|db| ::suspense::counted(db, &filter, groups_max))?;
        if let Some(viewed) = viewed {
            context.record_view(&access, Self::NAME, &viewed)?;
        }
        let Counted { mut groups, more, records, last } = counted;
        if let Some(mask) = access.mask() {
            groups.iter_mut().for_each(|alike| hide_alike(mask, alike));
        }
        Ok(RecordGroups { groups, more, records, last, masked: access.is_masked() })
    }
}
