//! Shows the decoded records of a file: the meaning of each value, and its octets.

use flow::flow_journal::JournalError;
use inspection::{
    Lies, RecordInFile, Records, RecordsAt, RecordsError, RecordsFrom, RecordsOf, RecordsQuery,
    RecordsSearch,
};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::octets::Octets;
use crate::operation::Operation;
use crate::page::PlaceError;
use crate::privacy::{SubscriberAccess, SubscriberDataError, is_whole};
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// The number of records of a response: the default, and the maximum.
const RECORDS: usize = 20;
const RECORDS_MAX: usize = 200;

/// Decodes records of an input or output file.
///
/// Name the file by `job` (an input file), by `job` and `post_processing_system` (an output file), by `delivery`, or by
/// `network_element` and `file`. Each record has its values and their octets. One answer reads 256 MiB at most; `next`
/// says where to go on. For a role that does not see subscriber data, its values are masked and octets are left out.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ShowFileRecords {
    /// The number of a job: its input file, or with `post_processing_system` its output file.
    pub job: Option<i64>,
    /// With `job`: the system that the output file was made for.
    pub post_processing_system: Option<String>,
    /// The number of a delivery: the file that is or was delivered.
    pub delivery: Option<i64>,
    /// The network element of the input file `file`.
    pub network_element: Option<String>,
    /// With `network_element`: the name of the input file. It is the last one of this name, or one that waits.
    pub file: Option<String>,
    /// The number of the first record of the answer, from 1. Default 1.
    pub record: Option<u64>,
    /// The place to go on at: `at` of `next` of the answer before.
    pub at: Option<String>,
    /// The maximum number of records. Default 20, at most 200.
    pub limit: Option<u32>,
    /// Only records that have a part with this name or path: `servedIMSI`, `location.cell`. Case does not matter.
    pub field: Option<String>,
    /// Only records in which the value of that part contains this text. Without `field`: of any part. A search for
    /// subscriber data needs the role that sees it.
    pub value: Option<String>,
}

/// Some records of a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileRecords {
    /// The network element or post-processing system that the file belongs to.
    pub node: String,
    /// The file's name.
    pub file: String,
    /// Where the file is.
    pub lies: FileLies,
    /// The number of the file's job. Absent if the file is not processed yet.
    pub job: Option<i64>,
    /// The size of the file on the disk in octets, before decompression.
    pub octets: u64,
    /// The number of records that were read for this answer.
    pub read: u64,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
    /// The records.
    pub records: Vec<FileRecord>,
    /// The place to go on at. Absent at the end of the file.
    pub next: Option<GoOn>,
}

/// Where a file is: `collected` is the folder of the network element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileLies {
    /// In the folder of the network element.
    Collected,
    /// In the archive.
    Archive,
    /// In the folder of a receiver, or where it waits for its delivery.
    Output,
}

/// The place to go on at: the parameters `record` and `at` of the next request.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GoOn {
    /// The number of the next record.
    pub record: u64,
    /// Absent if the file has to be read from its beginning.
    pub at: Option<String>,
}

/// A record of a file, or octets that cannot be decoded as one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileRecord {
    /// The record's number in the file, from 1.
    pub record: u64,
    /// The offset of the record's first octet in the uncompressed file.
    pub offset: u64,
    /// The size of the record in octets.
    pub length: u64,
    /// The octets in hexadecimal; only the first 16 KiB of a larger record. Empty if subscriber data is masked.
    #[schema(value_type = String)]
    pub octets: Octets,
    /// Why the octets are no record. Absent for a record.
    pub problem: Option<String>,
    /// The place at which decoding failed. Absent if the record is intact.
    pub damage: Option<RecordDamage>,
    /// Whether parts are left out. A record shows 2000 at most.
    pub is_cut: bool,
    /// The values of the record; of a damaged one, those before the damage.
    pub parts: Vec<RecordPart>,
}

/// The place at which decoding a record failed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RecordDamage {
    /// The offset in the record.
    pub offset: usize,
    /// The error.
    pub reason: String,
}

/// A value of a record. Offsets are counted from the record's first octet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RecordPart {
    /// The name of the field. `[0]` is the first element of a list; `?` is a field that the module does not know.
    pub name: String,
    /// The type; empty if it is unknown.
    #[serde(rename = "type")]
    pub ty: String,
    /// The tag, in encodings that have tags.
    pub tag: Option<String>,
    /// The offset of the part.
    pub offset: usize,
    /// The size of the part in octets, with tag and length.
    pub length: usize,
    /// The offset of the value itself, without tag and length.
    pub content_offset: usize,
    /// The size of the value itself in octets.
    pub content_length: usize,
    /// The value as text. Absent if the part has parts.
    pub value: Option<String>,
    /// Whether the value is cut off. 256 octets are shown.
    pub is_cut: bool,
    /// Why the value does not fit its type. Absent if it does.
    pub fault: Option<String>,
    /// The parts within this one.
    #[schema(no_recursion)]
    pub parts: Vec<RecordPart>,
}

refusals! {
    /// Why the records of a file are not shown.
    pub enum ShowFileRecordsError {
        /// The request names no file, or several.
        NoFile => Wrong "file-not-chosen"
            "say which file: job, job and post_processing_system, delivery, or network_element and file",
        /// The place is not one that a response gave.
        Place(PlaceError) => [Wrong],
        /// The file is unknown, gone or cannot be read.
        Records(RecordsError) => [Unknown, Conflict, Gone],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Refusal for RecordsError {
    fn kind(&self) -> RefusalKind {
        match self {
            RecordsError::Journal(error) => error.kind(),
            RecordsError::Unknown(_) => RefusalKind::Unknown,
            RecordsError::Gone(_) => RefusalKind::Gone,
            RecordsError::Flow(_) | RecordsError::Read { .. } => RefusalKind::Conflict,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            RecordsError::Journal(error) => error.code(),
            RecordsError::Unknown(_) => "file-unknown",
            RecordsError::Gone(_) => "file-gone",
            RecordsError::Flow(_) => "file-not-decodable",
            RecordsError::Read { .. } => "file-unreadable",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let own = [
            (RefusalKind::Unknown, "file-unknown", "there is no such file"),
            (RefusalKind::Gone, "file-gone", "the file no longer exists"),
            (RefusalKind::Conflict, "file-not-decodable", "the flow cannot decode the file"),
            (RefusalKind::Conflict, "file-unreadable", "the disk cannot read the file"),
        ];
        let own = own.map(|(kind, code, text)| PossibleRefusal { kind, text: Some((code, text)) });
        [own.to_vec(), JournalError::possible()].concat()
    }
}

impl Operation for ShowFileRecords {
    type Response = FileRecords;
    type Error = ShowFileRecordsError;

    const NAME: &'static str = "files records";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<FileRecords, ShowFileRecordsError> {
        let access = context.subscriber_access();
        let query = self.query(&access)?;
        let found = inspection::records(context.flow, context.parts, &query)?;
        if let Some(subject) = viewed(&found, query.search.as_ref()) {
            context.record_view(&access, Self::NAME, &subject)?;
        }
        Ok(FileRecords { masked: access.is_masked(), ..found.into() })
    }
}

/// Returns what was viewed, for the audit trail. `None` if nothing was found where nothing was searched for.
fn viewed(found: &Records, search: Option<&RecordsSearch>) -> Option<String> {
    let file = format!("\"{}\" of \"{}\"", found.file, found.node);
    match (search, &*found.records) {
        (Some(RecordsSearch { field, value }), _) if !value.is_empty() => {
            let field = if field.is_empty() { "any field" } else { field };
            Some(format!("{file}, records whose {field} contains \"{value}\""))
        }
        (_, []) => None,
        (_, [only]) => Some(format!("{file}, record {}", only.record)),
        (_, [first, .., last]) => {
            Some(format!("{file}, records {} to {}", first.record, last.record))
        }
    }
}

impl ShowFileRecords {
    fn query(self, access: &SubscriberAccess) -> Result<RecordsQuery, ShowFileRecordsError> {
        let ShowFileRecords {
            job,
            post_processing_system,
            delivery,
            network_element,
            file,
            record,
            at,
            limit,
            field,
            value,
        } = self;
        let of = match (job, post_processing_system, delivery, network_element, file) {
            (Some(job), None, None, None, None) => RecordsOf::Collected(job),
            (Some(job), Some(post_processing_system), None, None, None) => {
                RecordsOf::Made { job, post_processing_system }
            }
            (None, None, Some(id), None, None) => RecordsOf::Delivered(id),
            (None, None, None, Some(network_element), Some(file)) => {
                RecordsOf::Named { network_element, file }
            }
            _ => return Err(ShowFileRecordsError::NoFile),
        };
        let at = at.filter(|at| !at.is_empty()).map(|at| place(&at)).transpose()?;
        let (field, value) = (field.unwrap_or_default(), value.unwrap_or_default());
        let is_search = !field.is_empty() || !value.is_empty();
        if let Some(mask) = access.mask()
            && !value.is_empty()
            && (field.is_empty() || mask.hides(&field))
        {
            access.allow("a search for a value")?;
        }
        Ok(RecordsQuery {
            of,
            from: RecordsFrom { record: record.unwrap_or(1), at },
            limit: limit.map_or(RECORDS, |limit| limit as usize).clamp(1, RECORDS_MAX),
            search: is_search.then_some(RecordsSearch { field, value }),
            mask: access.mask().cloned(),
        })
    }
}

/// Parses a place in a file that a response gave.
fn place(text: &str) -> Result<RecordsAt, PlaceError> {
    let found = text.split_once('-').and_then(|(record, offset)| {
        Some(RecordsAt { record: record.parse().ok()?, offset: offset.parse().ok()? })
    });
    found.ok_or_else(|| PlaceError::Unknown { text: text.to_owned() })
}

impl From<Records> for FileRecords {
    fn from(found: Records) -> Self {
        let at = |at: RecordsAt| format!("{}-{}", at.record, at.offset);
        FileRecords {
            node: found.node,
            file: found.file,
            lies: found.lies.into(),
            job: found.job,
            octets: found.octets,
            read: found.read,
            masked: false,
            records: found.records.into_iter().map(FileRecord::from).collect(),
            next: found.next.map(|next| GoOn { record: next.record, at: next.at.map(at) }),
        }
    }
}

impl From<Lies> for FileLies {
    fn from(lies: Lies) -> Self {
        match lies {
            Lies::Collected => FileLies::Collected,
            Lies::Archive => FileLies::Archive,
            Lies::Output => FileLies::Output,
        }
    }
}

impl From<RecordInFile> for FileRecord {
    fn from(found: RecordInFile) -> Self {
        let RecordInFile { record, offset, length, octets, problem, anatomy } = found;
        let damage = anatomy.damage.map(|(offset, reason)| RecordDamage { offset, reason });
        FileRecord {
            record,
            offset,
            length,
            octets: Octets(octets),
            problem,
            damage,
            is_cut: anatomy.is_cut,
            parts: anatomy.parts.into_iter().map(RecordPart::from).collect(),
        }
    }
}

impl From<record::Part> for RecordPart {
    fn from(part: record::Part) -> Self {
        RecordPart {
            name: part.name,
            ty: part.ty,
            tag: part.mark,
            offset: part.place.start,
            length: part.place.len(),
            content_offset: part.content.start,
            content_length: part.content.len(),
            value: part.value,
            is_cut: part.is_cut,
            fault: part.fault,
            parts: part.parts.into_iter().map(RecordPart::from).collect(),
        }
    }
}
