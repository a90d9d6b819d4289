//! The input files.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use operate::{AgainQuery, ReceivedFile, ReceivedFileFilter};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Page;
use super::answer::{Answered, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(files)).routes(routes!(again))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FilesQuery {
    /// Only files of this network element.
    network_element: Option<String>,
    /// Only files whose names contain this text.
    name: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Files {
    /// The files, the newest first.
    files: Vec<InputFile>,
    /// Whether there are more files.
    more: bool,
}

/// An input file that is done, with the outcomes of its records: `records` = `delivered` + `filtered` + `held` +
/// `suspended` + `duplicate`.
#[derive(Serialize, ToSchema)]
struct InputFile {
    /// The number of the file's job.
    job: i64,
    network_element: String,
    /// The file's name.
    file: String,
    /// When the file was done.
    done: String,
    /// The size of the file in octets.
    octets: i64,
    /// All records of the file.
    records: i64,
    /// Records that were delivered to a system.
    delivered: i64,
    /// Records that no node or system took.
    filtered: i64,
    /// Records that had to wait in a matching node.
    held: i64,
    /// Records that went to suspense.
    suspended: i64,
    /// Records that had come before.
    duplicate: i64,
    /// The job of the earlier file, if this file is a duplicate.
    duplicate_of: Option<i64>,
    /// Whether the file may be processed again: the same file is then no duplicate of this one.
    may_come_again: bool,
}

impl From<ReceivedFile> for InputFile {
    fn from(received: ReceivedFile) -> Self {
        // ORDER COUNTS
        let [records, delivered, filtered, held, suspended, duplicate] = received.counts;
        let ReceivedFile {
            job,
            network_element,
            file,
            done,
            octets,
            duplicate_of,
            may_come_again,
            ..
        } = received;
        InputFile {
            job,
            network_element,
            file,
            done,
            octets,
            records,
            delivered,
            filtered,
            held,
            suspended,
            duplicate,
            duplicate_of,
            may_come_again,
        }
    }
}

/// Lists the input files that are done, the newest first.
#[utoipa::path(get, path = "/api/files", tag = "files", params(FilesQuery, Page),
    responses((status = 200, body = Files)))]
async fn files(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(FilesQuery { network_element, name }): Query<FilesQuery>,
    Query(page): Query<Page>,
) -> Answered<Files> {
    let files = blocking(move || {
        let filter = ReceivedFileFilter { network_element, name };
        let (files, more) = operate::received_files(&served.flow, &filter, page.recent())?;
        Ok(Files { files: files.into_iter().map(InputFile::from).collect(), more })
    });
    Ok(Json(files.await?))
}

/// Chooses the files that may be processed again. A file has to meet all given conditions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Again {
    /// The files of these jobs: those of the same name and network element, and those that these are duplicates of.
    jobs: Option<Vec<i64>>,
    /// Files of this network element.
    network_element: Option<String>,
    /// Files of this name.
    file: Option<String>,
    /// `true` for all files that were ever processed. Required if there is no other condition.
    #[serde(default)]
    all: bool,
    /// Whether to allow it although the flow keeps counters of subscribers. They count the records a second time.
    #[serde(default)]
    even_counters: bool,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

#[derive(Serialize, ToSchema)]
struct MayComeAgain {
    /// The number of files that may be processed again from now on.
    files: usize,
}

/// Allows processed files to be processed again.
///
/// If such a file arrives again, it is no duplicate. The earlier outputs stay.
#[utoipa::path(post, path = "/api/files/again", tag = "files", request_body = Again,
    responses((status = 200, body = MayComeAgain),
        (status = 409, description = "The flow keeps counters, which would count the records a second time"),
        (status = 422, description = "The reason is empty, or there is no condition")))]
async fn again(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(again): Body<Again>,
) -> Answered<MayComeAgain> {
    let Again { jobs, network_element, file, all, even_counters, because } = again;
    if !all && jobs.is_none() && network_element.is_none() && file.is_none() {
        return Err(Failure::wrong(
            "say which files are meant: jobs, network_element, file, or all",
        ));
    }
    let because = reason(&because)?;
    let query = AgainQuery { network_element, file, jobs, even_counters };
    let files = blocking(move || Ok(operate::again(&served.flow, &query, &who, &because)?));
    Ok(Json(MayComeAgain { files: files.await? }))
}
