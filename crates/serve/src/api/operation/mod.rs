//! Operations as endpoints: a request is read ([`request`]), performed for its caller, and answered. The description
//! follows from the types ([`describe`], [`shape`]).

mod describe;
mod request;
mod shape;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::routing::{MethodFilter, on};
use operate::context::Context;
use operate::operation::Operation;
use operate::refusal::{Refusal, RefusalKind};
use runtime::shutdown::Shutdown;
use utoipa::openapi::HttpMethod;
use utoipa_axum::router::OpenApiRouter;

use super::answer::{Answered, Failure, blocking};
use super::concurrency::AnswerUnneeded;
use super::guard::Caller;
use crate::served::Served;
use shape::Shape;

/// How long a request waits for the gateway to do what it requests.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Returns the endpoint of an operation that reads. Its request is in the path and the query.
pub(super) fn get<O: Operation>(path: &str) -> OpenApiRouter<Arc<Served>> {
    endpoint::<O>(HttpMethod::Get, MethodFilter::GET, path)
}

/// Returns the endpoint of an operation whose request is in the path and a body.
pub(super) fn post<O: Operation>(path: &str) -> OpenApiRouter<Arc<Served>> {
    endpoint::<O>(HttpMethod::Post, MethodFilter::POST, path)
}

/// Returns the endpoint of an operation that changes the thing in its path. The rest of its request
/// is in a body.
pub(super) fn put<O: Operation>(path: &str) -> OpenApiRouter<Arc<Served>> {
    endpoint::<O>(HttpMethod::Put, MethodFilter::PUT, path)
}

fn endpoint<O: Operation>(
    method: HttpMethod,
    filter: MethodFilter,
    path: &str,
) -> OpenApiRouter<Arc<Served>> {
    let shape = Shape::of::<O>();
    let (schemas, paths) = describe::described::<O>(method, path, shape.clone());
    let shape = Arc::new(shape);
    let perform = move |State(served), request: Request| {
        let shape = Arc::clone(&shape);
        async move { perform::<O>(served, request, &shape).await }
    };
    OpenApiRouter::new().routes((schemas, paths, on(filter, perform)))
}

async fn perform<O: Operation>(
    served: Arc<Served>,
    request: Request,
    shape: &Shape,
) -> Answered<O::Response> {
    let (mut parts, body) = request.into_parts();
    let Caller { who, .. } = Caller::of(&parts, O::ROLE)?;
    let operation = request::read::<O>(&mut parts, body, shape).await?;
    let is_change = O::ROLE > people::Role::Viewer;
    let stop = match is_change {
        true => stop_of_waiting(&served),
        false => AnswerUnneeded::of(&parts)?.0,
    };
    let response = blocking(move || {
        let Served { flow, parts, .. } = &*served;
        let context = Context { flow, parts: *parts, who: &who, stop, shared: &*served };
        let response = operation.perform(&context).map_err(|error| Failure::from_refusal(&error));
        if is_change {
            served.forget_standing();
        }
        response
    });
    Ok(Json(response.await?))
}

/// Returns a token that is set when the gateway stops, or when the request has waited long enough for it.
fn stop_of_waiting(served: &Served) -> Shutdown {
    let enough = served.stop.child();
    let set = enough.clone();
    tokio::spawn(async move {
        tokio::time::sleep(WAIT_MAX).await;
        set.set();
    });
    enough
}

impl Failure {
    /// Returns the answer to a refused operation.
    pub(in crate::api) fn from_refusal(error: &impl Refusal) -> Self {
        let failure = match error.kind() {
            RefusalKind::Wrong => Failure::wrong(error),
            RefusalKind::Unknown => Failure::unknown(error),
            RefusalKind::Gone => Failure::gone(error),
            RefusalKind::Conflict => Failure::conflict(error),
            RefusalKind::NotReady => Failure::busy(error, 1),
            RefusalKind::Internal => Failure::internal(error),
        };
        failure.with_code(error.code())
    }
}

/// Returns the status of a kind of refusals.
fn status(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Wrong => "422",
        RefusalKind::Unknown => "404",
        RefusalKind::Gone => "410",
        RefusalKind::Conflict => "409",
        RefusalKind::NotReady => "503",
        RefusalKind::Internal => "500",
    }
}
