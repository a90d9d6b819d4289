//! The input files.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{AgainQuery, Came, WhichCame};
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
struct Which {
    /// Where they were collected.
    network_element: Option<String>,
    /// What is in their names.
    name: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Files {
    files: Vec<InputFile>,
    more: bool,
}

/// A file that is done, and what became of its records.
#[derive(Serialize, ToSchema)]
struct InputFile {
    /// The number of its job.
    job: i64,
    network_element: String,
    file: String,
    done: String,
    octets: i64,
    records: i64,
    delivered: i64,
    filtered: i64,
    held: i64,
    suspended: i64,
    duplicate: i64,
    /// The job of the file that it was found to be again.
    duplicate_of: Option<i64>,
    /// Whether somebody has said that it may come again.
    may_come_again: bool,
}

impl From<Came> for InputFile {
    fn from(came: Came) -> Self {
        // ORDER COUNTS
        let [records, delivered, filtered, held, suspended, duplicate] = came.counts;
        let Came { job, network_element, file, done, octets, duplicate_of, may_come_again, .. } =
            came;
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

/// Files that are done, the last first.
#[utoipa::path(get, path = "/api/files", tag = "files", params(Which, Page),
    responses((status = 200, body = Files)))]
async fn files(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(Which { network_element, name }): Query<Which>,
    Query(page): Query<Page>,
) -> Answered<Files> {
    let files = blocking(move || {
        let which = WhichCame { network_element, name };
        let (files, more) = flow::came(&served.flow, &which, page.recent())?;
        Ok(Files { files: files.into_iter().map(InputFile::from).collect(), more })
    });
    Ok(Json(files.await?))
}

/// Which files may come again, and why: those for which everything holds that is said.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Again {
    /// Those that have the names of these jobs, and those that these were found to be again.
    jobs: Option<Vec<i64>>,
    network_element: Option<String>,
    /// Those of this name.
    file: Option<String>,
    /// All files that were ever processed, where nothing else is said.
    #[serde(default)]
    all: bool,
    /// Also where counters of subscribers are kept, which count what comes again once more.
    #[serde(default)]
    even_counters: bool,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct MayComeAgain {
    files: usize,
}

/// Lets files come again that were processed: they are no duplicates then. What was done of them stays.
#[utoipa::path(post, path = "/api/files/again", tag = "files", request_body = Again,
    responses((status = 200, body = MayComeAgain),
        (status = 409, description = "Counters of subscribers would count them once more"),
        (status = 422, description = "There is no reason, or no file is meant")))]
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
    let files = blocking(move || Ok(flow::again(&served.flow, &query, &who, &because)?));
    Ok(Json(MayComeAgain { files: files.await? }))
}
