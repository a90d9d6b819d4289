//! Traces records of a file, or records that an expression finds.

use std::io;

use archive::ArchiveQuery;
use flow::flow_journal::JournalError;
use inspection::masking::{Mask, masked_key};
use inspection::{
    Place, RecordsAt, RecordsFrom, TraceError, TraceQuery, Traced, WhereError, WhereFound,
    WhereFrom, WhereQuery,
};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::moment::Moment;
use crate::operation::Operation;
use crate::page::PlaceError;
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// The number of records that one search finds: the default, and the maximum.
const FOUND: usize = 20;
const FOUND_MAX: usize = 100;

/// The maximum of octets that one search reads.
const READ_OCTETS_MAX: u64 = 256 << 20;

/// Traces records: where they came from, which nodes they passed, and where they went.
///
/// Name one record by `file` or `output` together with `record` or `offset`. Or search input files
/// with `where`; the search reads about 256 MiB for one answer, and the answer says where to go on.
/// A search needs the role that sees subscriber data.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct TraceRecords {
    /// The name of an input file. With `where`: a pattern with `*` and `?`.
    pub file: Option<String>,
    /// The network element of the input file, if several have files of that name.
    pub network_element: Option<String>,
    /// The name or path of an output file, in place of `file`.
    pub output: Option<String>,
    /// The number of the record in the file, from 1.
    pub record: Option<u64>,
    /// The offset of one of the record's octets in the file, in place of `record`.
    pub offset: Option<u64>,
    /// Several records of the file, in place of `record` and `offset`. The API traces one.
    #[serde(skip)]
    pub places: Vec<Place>,
    /// In place of `record`: traces all records for which this expression over `record` is TRUE.
    #[serde(rename = "where")]
    pub expression: Option<String>,
    /// With `where`: only files that were done at this time or later.
    pub from: Option<Moment>,
    /// With `where`: only files that were done before this time.
    pub to: Option<Moment>,
    /// With `where`: the maximum number of records in the answer. Default 20, at most 100.
    pub limit: Option<u32>,
    /// With `where`: the place to go on at, from `next` of the answer before.
    pub after: Option<String>,
}

/// The traces of records.
#[derive(Debug, Serialize, ToSchema)]
pub struct Traces {
    /// The traces. There are several if several files have the name.
    pub traced: Vec<Traced>,
    /// The extent of the search. Present only with `where`.
    pub looked: Option<SearchExtent>,
    /// `true` if subscriber data in reasons and keys is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

/// The extent of a search with `where`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchExtent {
    /// The number of files that were read, the last one perhaps only in part.
    pub files: usize,
    /// The number of records that were read.
    pub records: u64,
    /// The number of records that were found.
    #[serde(skip)]
    pub found: usize,
    /// The place to go on at, as `after` of the next request. Absent if the search is complete.
    pub next: Option<String>,
    /// The files that could not be searched, and why; 20 at most.
    pub problems: Vec<String>,
    /// The number of further such files.
    pub problems_more: usize,
}

/// The bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchBounds {
    /// The number of records at which it ends.
    pub found_max: usize,
    /// About how many octets it reads.
    pub octets_max: u64,
}

refusals! {
    /// Why records are not traced.
    pub enum TraceRecordsError {
        /// The request names no record, or several.
        NoRecord => Wrong "record-not-chosen" "say which record: record or offset",
        /// The request names no file, or several.
        NoFile => Wrong "file-not-chosen" "say which file: file or output",
        /// The request has an expression and names a record or an output.
        WhereAndPlace => Wrong "where-and-place"
            "with where, neither output nor record nor offset is said",
        /// The period ends before it begins.
        Period => Wrong "period-reversed" "\"to\" has to be later than \"from\"",
        /// The place is not one that a response gave.
        Place(PlaceError) => [Wrong],
        /// The record has no trace.
        Trace(TraceError) => [Unknown],
        /// The search is not possible.
        Search(WhereError) => [Wrong, Unknown, Conflict],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for TraceRecords {
    type Response = Traces;
    type Error = TraceRecordsError;

    const NAME: &'static str = "trace records";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Traces, TraceRecordsError> {
        let found_max = self.limit.map_or(FOUND, |limit| limit as usize).clamp(1, FOUND_MAX);
        let bounds = SearchBounds { found_max, octets_max: READ_OCTETS_MAX };
        let access = context.subscriber_access();
        if self.expression.is_some() {
            access.allow("a search with `where`")?;
        }
        let subject = self.subject();
        let mut traced = Vec::new();
        let looked = self.each(context, bounds, &mut |found| {
            traced.push(found.clone());
            Ok(())
        })?;
        context.record_view(&access, Self::NAME, &subject)?;
        if let Some(mask) = access.mask() {
            traced.iter_mut().for_each(|traced| hide(mask, traced));
        }
        Ok(Traces { traced, looked, masked: access.is_masked() })
    }
}

impl TraceRecords {
    /// Traces records like [`perform`](Operation::perform), and gives each trace as soon as it is
    /// found. A search ends at these bounds, and not at those of the API: a command holds no traces in
    /// memory, and its user may wait for as many as he likes.
    ///
    /// # Errors
    ///
    /// The request is refused, the journal fails, or `give` does.
    pub fn each(
        self,
        context: &Context<'_>,
        bounds: SearchBounds,
        give: &mut dyn FnMut(&Traced) -> io::Result<()>,
    ) -> Result<Option<SearchExtent>, TraceRecordsError> {
        if self.expression.is_some() {
            return self.search(context, bounds, give).map(Some);
        }
        let traced = inspection::trace(context.flow, &self.query()?)?;
        traced.iter().try_for_each(give).map_err(WhereError::Shown)?;
        Ok(None)
    }

    /// Returns what is viewed, for the audit trail.
    fn subject(&self) -> String {
        let file = self.file.as_ref().or(self.output.as_ref());
        let file = file.map_or(String::new(), |file| format!("\"{file}\", "));
        match (&self.expression, self.record, self.offset) {
            (Some(expression), ..) => format!("{file}records where {expression}"),
            (_, Some(record), _) => format!("{file}record {record}"),
            (_, _, Some(offset)) => format!("{file}record at octet {offset}"),
            _ => format!("{file}several records"),
        }
    }

    /// Returns the query for the records of a file.
    fn query(self) -> Result<TraceQuery, TraceRecordsError> {
        let TraceRecords { file, network_element, output, record, offset, places, .. } = self;
        let places = match (record, offset, places) {
            (Some(record), None, none) if none.is_empty() => vec![Place::Record(record)],
            (None, Some(offset), none) if none.is_empty() => vec![Place::Offset(offset)],
            (None, None, places) if !places.is_empty() => places,
            _ => return Err(TraceRecordsError::NoRecord),
        };
        match (file, output) {
            (Some(file), None) => Ok(TraceQuery::Source { file, network_element, places }),
            (None, Some(file)) => Ok(TraceQuery::Output { file, places }),
            _ => Err(TraceRecordsError::NoFile),
        }
    }

    fn search(
        self,
        context: &Context<'_>,
        bounds: SearchBounds,
        give: &mut dyn FnMut(&Traced) -> io::Result<()>,
    ) -> Result<SearchExtent, TraceRecordsError> {
        let query = self.where_query(context, bounds)?;
        let found = inspection::trace_where(context.flow, context.parts, &query, give)?;
        let WhereFound { files, records, found, next, problems, problems_more } = found;
        let next = next.map(place_text);
        Ok(SearchExtent { files, records, found, next, problems, problems_more })
    }

    fn where_query(
        self,
        context: &Context<'_>,
        bounds: SearchBounds,
    ) -> Result<WhereQuery, TraceRecordsError> {
        let TraceRecords { file, network_element, expression, from, to, after, .. } = self;
        if self.output.is_some()
            || self.record.is_some()
            || self.offset.is_some()
            || !self.places.is_empty()
        {
            return Err(TraceRecordsError::WhereAndPlace);
        }
        let from_ms = from.map_or(i64::MIN, |from| from.ms);
        let to_ms = to.map_or(i64::MAX, |to| to.ms);
        if from_ms >= to_ms {
            return Err(TraceRecordsError::Period);
        }
        let after = after.filter(|after| !after.is_empty());
        Ok(WhereQuery {
            expression: expression.unwrap_or_default(),
            files: ArchiveQuery { network_element, files: file, from_ms, to_ms },
            most: bounds.found_max,
            octets_most: bounds.octets_max,
            from: after.map(|after| place(&after)).transpose()?,
            stop: context.stop.flag(),
        })
    }
}

/// Masks the reasons and keys in a trace.
fn hide(mask: &Mask, traced: &mut Traced) {
    for suspended in &mut traced.suspense {
        suspended.reason = mask.reason(&suspended.reason);
    }
    for part in &mut traced.group {
        part.key = masked_key(&part.key);
    }
    traced.later.iter_mut().for_each(|later| hide(mask, later));
}

/// Returns the place to go on at, as a response writes it.
fn place_text(WhereFrom { job, at }: WhereFrom) -> String {
    let RecordsFrom { record, at } = at;
    let offset = at.map_or(String::new(), |at| format!("-{}", at.offset));
    format!("{job}-{record}{offset}")
}

/// Parses a place that [`place_text`] wrote.
fn place(text: &str) -> Result<WhereFrom, PlaceError> {
    let mut numbers = text.splitn(3, '-');
    let mut number = || numbers.next().map(str::parse::<u64>);
    let (job, record, offset) = (number(), number(), number());
    let unknown = || PlaceError::Unknown { text: text.to_owned() };
    let (Some(Ok(job)), Some(Ok(record))) = (job, record) else { return Err(unknown()) };
    let offset = offset.transpose().map_err(|_| unknown())?;
    let at = offset.map(|offset| RecordsAt { record, offset });
    let job = i64::try_from(job).map_err(|_| unknown())?;
    Ok(WhereFrom { job, at: RecordsFrom { record, at } })
}

impl Refusal for TraceError {
    fn kind(&self) -> RefusalKind {
        match self {
            TraceError::Journal(error) => error.kind(),
            _ => RefusalKind::Unknown,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            TraceError::Journal(error) => error.code(),
            TraceError::NoSource(_) => "file-unknown",
            TraceError::NoOutput(_) => "output-unknown",
            TraceError::NoTrace(_) => "trace-missing",
            TraceError::NoRecord { .. } => "record-unknown",
            TraceError::Read(_) => "trace-unreadable",
            TraceError::Damaged => "trace-damaged",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let own = [
            ("file-unknown", "no file of this name was collected"),
            ("output-unknown", "no file of this name was made"),
            ("trace-missing", "the records of the file have no trace"),
            ("record-unknown", "the file has no such record"),
            ("trace-unreadable", "the trace cannot be read"),
            ("trace-damaged", "the trace is damaged"),
        ];
        let own = own.map(|text| PossibleRefusal { kind: RefusalKind::Unknown, text: Some(text) });
        [own.to_vec(), JournalError::possible()].concat()
    }
}

impl Refusal for WhereError {
    fn kind(&self) -> RefusalKind {
        match self {
            WhereError::Journal(error) => error.kind(),
            WhereError::UnknownElement(_) => RefusalKind::Unknown,
            WhereError::Expression(_) => RefusalKind::Wrong,
            WhereError::Flow(_) => RefusalKind::Conflict,
            WhereError::Shown(_) => RefusalKind::Internal,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            WhereError::Journal(error) => error.code(),
            WhereError::UnknownElement(_) => "network-element-unknown",
            WhereError::Expression(_) => "expression-has-mistakes",
            WhereError::Flow(_) => "flow-has-mistakes",
            WhereError::Shown(_) => "output-failed",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let own = [
            (RefusalKind::Wrong, "expression-has-mistakes", "the expression has mistakes"),
            (RefusalKind::Conflict, "flow-has-mistakes", "the flow has mistakes"),
        ];
        let own = own.map(|(kind, code, text)| PossibleRefusal { kind, text: Some((code, text)) });
        [own.to_vec(), JournalError::possible()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_parsed_as_a_response_writes_it() {
        for text in ["17-3", "17-3-4711"] {
            assert_eq!(place(text).map(place_text).ok().as_deref(), Some(text));
        }
        for text in ["", "17", "17-", "a-1", "-1-3", "17-3-x", "99999999999999999999-1"] {
            assert!(place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_request_names_one_record_of_one_file() {
        let named =
            TraceRecords { file: Some("a".into()), record: Some(1), ..TraceRecords::default() };
        let refused = |request: TraceRecords| request.query().map_err(|error| error.code()).err();
        assert_eq!(refused(named.clone()), None);
        let both = TraceRecords { output: Some("b".into()), ..named.clone() };
        assert_eq!(refused(both), Some("file-not-chosen"));
        let twice = TraceRecords { offset: Some(0), ..named.clone() };
        assert_eq!(refused(twice), Some("record-not-chosen"));
        let several = TraceRecords { places: vec![Place::Record(2)], ..named };
        assert_eq!(refused(several), Some("record-not-chosen"));
    }
}
