//! The decoded records of a file: the meaning of each value, and its octets.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use inspection::{
    Lies, RecordInFile, Records, RecordsAt, RecordsFrom, RecordsOf, RecordsQuery, RecordsSearch,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;
use versions::hexadecimal;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(records))
}

/// The number of records in an answer: the default, and the maximum.
const RECORDS: usize = 20;
const RECORDS_MAX: usize = 200;

/// The file, the place in it, and the search.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct InFile {
    /// The number of a job: its input file, or with `post_processing_system` its output file.
    job: Option<i64>,
    /// With `job`: the system that the output file was made for.
    post_processing_system: Option<String>,
    /// The number of a delivery: the file that is or was delivered.
    delivery: Option<i64>,
    /// The network element of the input file `file`.
    network_element: Option<String>,
    /// With `network_element`: the name of the input file. It is the last one of this name, or one that waits.
    file: Option<String>,
    /// The number of the first record of the answer, from 1. Default 1.
    record: Option<u64>,
    /// The place to go on at: `at` of `next` of the answer before.
    at: Option<String>,
    /// The maximum number of records. Default 20, at most 200.
    limit: Option<u32>,
    /// Only records that have a part with this name or path: `servedIMSI`, `location.cell`. Case does not matter.
    field: Option<String>,
    /// Only records in which the value of that part contains this text. Without `field`: of any part.
    value: Option<String>,
}

impl InFile {
    fn query(self) -> Result<RecordsQuery, Failure> {
        let of = match (
            self.job,
            self.post_processing_system,
            self.delivery,
            self.network_element,
            self.file,
        ) {
            (Some(job), None, None, None, None) => RecordsOf::Collected(job),
            (Some(job), Some(post_processing_system), None, None, None) => {
                RecordsOf::Made { job, post_processing_system }
            }
            (None, None, Some(id), None, None) => RecordsOf::Delivered(id),
            (None, None, None, Some(network_element), Some(file)) => {
                RecordsOf::Named { network_element, file }
            }
            _ => {
                return Err(Failure::wrong(
                    "say which file: job, job and post_processing_system, delivery, or network_element and file",
                ));
            }
        };
        let at = self.at.filter(|at| !at.is_empty()).map(|at| place(&at)).transpose()?;
        let (field, value) = (self.field.unwrap_or_default(), self.value.unwrap_or_default());
        let is_search = !field.is_empty() || !value.is_empty();
        Ok(RecordsQuery {
            of,
            from: RecordsFrom { record: self.record.unwrap_or(1), at },
            limit: self.limit.map_or(RECORDS, |limit| limit as usize).clamp(1, RECORDS_MAX),
            search: is_search.then_some(RecordsSearch { field, value }),
        })
    }
}

/// Reads a place in a file that an earlier answer gave.
fn place(text: &str) -> Result<RecordsAt, Failure> {
    let found = text.split_once('-').and_then(|(record, offset)| {
        Some(RecordsAt { record: record.parse().ok()?, offset: offset.parse().ok()? })
    });
    found.ok_or_else(|| Failure::wrong(format!("\"{text}\" is no place that an answer gave")))
}

/// Some records of a file.
#[derive(Serialize, ToSchema)]
struct FileRecords {
    /// The network element or post-processing system that the file belongs to.
    node: String,
    /// The file's name.
    file: String,
    lies: FileLies,
    /// The number of the file's job. Absent if the file is not processed yet.
    job: Option<i64>,
    /// The size of the file on the disk in octets, before decompression.
    octets: u64,
    /// The number of records that were read for this answer.
    read: u64,
    records: Vec<FileRecord>,
    /// The place to go on at. Absent at the end of the file.
    next: Option<GoOn>,
}

/// Where a file is: `collected` is the folder of the network element.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum FileLies {
    Collected,
    Archive,
    Output,
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

/// The place to go on at: the parameters `record` and `at` of the next request.
#[derive(Serialize, ToSchema)]
struct GoOn {
    /// The number of the next record.
    record: u64,
    /// Absent if the file has to be read from its beginning.
    at: Option<String>,
}

/// A record of a file, or octets that cannot be decoded as one.
#[derive(Serialize, ToSchema)]
struct FileRecord {
    /// The record's number in the file, from 1.
    record: u64,
    /// The offset of the record's first octet in the uncompressed file.
    offset: u64,
    /// The size of the record in octets.
    length: u64,
    /// The octets in hexadecimal; only the first 16 KiB of a larger record.
    octets: String,
    /// Why the octets are no record. Absent for a record.
    problem: Option<String>,
    /// The place at which decoding failed. Absent if the record is intact.
    damage: Option<RecordDamage>,
    /// Whether parts are left out. A record shows 2000 at most.
    is_cut: bool,
    /// The values of the record; of a damaged one, those before the damage.
    parts: Vec<RecordPart>,
}

#[derive(Serialize, ToSchema)]
struct RecordDamage {
    /// The offset in the record.
    offset: usize,
    /// The error.
    reason: String,
}

/// A value of a record. Offsets are counted from the record's first octet.
#[derive(Serialize, ToSchema)]
struct RecordPart {
    /// The name of the field. `[0]` is the first element of a list; `?` is a field that the module does not know.
    name: String,
    /// The type; empty if it is unknown.
    #[serde(rename = "type")]
    ty: String,
    /// The tag, in encodings that have tags.
    tag: Option<String>,
    /// The offset of the part.
    offset: usize,
    /// The size of the part in octets, with tag and length.
    length: usize,
    /// The offset of the value itself, without tag and length.
    content_offset: usize,
    /// The size of the value itself in octets.
    content_length: usize,
    /// The value as text. Absent if the part has parts.
    value: Option<String>,
    /// Whether the value is cut off. 256 octets are shown.
    is_cut: bool,
    /// Why the value does not fit its type. Absent if it does.
    fault: Option<String>,
    /// The parts within this one.
    #[schema(no_recursion)]
    parts: Vec<RecordPart>,
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

impl From<RecordInFile> for FileRecord {
    fn from(found: RecordInFile) -> Self {
        let RecordInFile { record, offset, length, octets, problem, anatomy } = found;
        let damage = anatomy.damage.map(|(offset, reason)| RecordDamage { offset, reason });
        FileRecord {
            record,
            offset,
            length,
            octets: hexadecimal(&octets),
            problem,
            damage,
            is_cut: anatomy.is_cut,
            parts: anatomy.parts.into_iter().map(RecordPart::from).collect(),
        }
    }
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
            records: found.records.into_iter().map(FileRecord::from).collect(),
            next: found.next.map(|next| GoOn { record: next.record, at: next.at.map(at) }),
        }
    }
}

/// Decodes records of an input or output file.
///
/// Name the file by `job` (an input file), by `job` and `post_processing_system` (an output file), by `delivery`, or by
/// `network_element` and `file`. Each record has its values and their octets. One answer reads 256 MiB at most; `next`
/// says where to go on.
#[utoipa::path(get, path = "/api/records", tag = "files", params(InFile),
    responses((status = 200, body = FileRecords), (status = 404),
        (status = 409, description = "The flow cannot decode the file, or the disk cannot read it"),
        (status = 410, description = "The file no longer exists"), (status = 422)))]
async fn records(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(in_file): Query<InFile>,
) -> Answered<FileRecords> {
    let query = in_file.query()?;
    let found = blocking(move || Ok(inspection::records(&served.flow, served.parts, &query)?));
    Ok(Json(FileRecords::from(found.await?)))
}
