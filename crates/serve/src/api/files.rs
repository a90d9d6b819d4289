//! The files that came.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{Came, WhichCame};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Page;
use super::answer::{Answered, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(files))
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
}

impl From<Came> for InputFile {
    fn from(came: Came) -> Self {
        // ORDER COUNTS
        let [records, delivered, filtered, held, suspended, duplicate] = came.counts;
        let Came { job, network_element, file, done, octets, duplicate_of, .. } = came;
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
