//! Operations as endpoints: a request is read ([`request`]), performed for its caller, and answered. The description
//! follows from the types ([`describe`], [`shape`]).

mod describe;
mod request;
mod shape;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{MethodFilter, on};
use diagnostics::with_causes;
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
    const { assert!(O::ACTIONS.is_empty(), "a GET changes nothing") };
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

/// Returns the endpoint of an operation that removes something. Its request is in the path.
pub(super) fn delete<O: Operation>(path: &str) -> OpenApiRouter<Arc<Served>> {
    endpoint::<O>(HttpMethod::Delete, MethodFilter::DELETE, path)
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
        async move {
            let response = perform::<O>(served, request, &shape).await;
            match O::HAS_RESPONSE {
                true => response.into_response(),
                false => response.map(|_| StatusCode::NO_CONTENT).into_response(),
            }
        }
    };
    OpenApiRouter::new().routes((schemas, paths, on(filter, perform)))
}

async fn perform<O: Operation>(
    served: Arc<Served>,
    request: Request,
    shape: &Shape,
) -> Answered<O::Response> {
    let (mut parts, body) = request.into_parts();
    let Caller { who, role, .. } = Caller::of(&parts, O::ROLE)?;
    let operation = request::read::<O>(&mut parts, body, shape).await?;
    let is_change = !O::ACTIONS.is_empty();
    let stop = match is_change {
        true => stop_of_waiting(&served),
        false => AnswerUnneeded::of(&parts)?.0,
    };
    let response = blocking(move || {
        let response = operation
            .perform(&served.context(&who, role, stop))
            .map_err(|error| Failure::from_refusal(&error));
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
    /// Returns the answer to a refused operation, with its causes.
    pub(crate) fn from_refusal(error: &impl Refusal) -> Self {
        let text = with_causes(error);
        let code = error.code();
        match error.kind() {
            RefusalKind::Wrong => Failure::wrong(code, text),
            RefusalKind::NotLoggedIn => Failure::new(StatusCode::UNAUTHORIZED, code, text),
            RefusalKind::Forbidden => Failure::forbidden(code, text),
            RefusalKind::Unknown => Failure::unknown(code, text),
            RefusalKind::Gone => Failure::new(StatusCode::GONE, code, text),
            RefusalKind::Conflict => Failure::conflict(code, text),
            RefusalKind::TooMany => Failure::later(code, text, 1),
            RefusalKind::NotReady => Failure::busy(code, text, 1),
            RefusalKind::Internal => Failure::internal(error).with_code(code),
        }
    }
}

/// Returns the status of a kind of refusals.
fn status(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Wrong => "422",
        RefusalKind::NotLoggedIn => "401",
        RefusalKind::Forbidden => "403",
        RefusalKind::Unknown => "404",
        RefusalKind::Gone => "410",
        RefusalKind::Conflict => "409",
        RefusalKind::TooMany => "429",
        RefusalKind::NotReady => "503",
        RefusalKind::Internal => "500",
    }
}
