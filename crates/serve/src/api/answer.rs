//! Errors and the extractors of requests. All errors have one form: `{"error": …}`.

use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use diagnostics::with_causes;
use flow::JournalError;
use people::PeopleError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

/// The timeout for a body. Bodies are small, and the client holds a permit while it sends.
const BODY_WITHIN: Duration = Duration::from_secs(60);

/// The code of a request that does not have the described form.
pub(super) const INVALID: &str = "request-invalid";

/// The error of a request.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    body: Problem,
    retry_after: Option<u64>,
}

/// The body of every refusal.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What went wrong, and what to do about it.
    error: String,
    /// The kind of error, for programs.
    code: &'static str,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, code: &'static str, error: impl ToString) -> Self {
        Failure { status, body: Problem { error: error.to_string(), code }, retry_after: None }
    }

    pub(crate) fn with_code(mut self, code: &'static str) -> Self {
        self.body.code = code;
        self
    }

    pub(crate) fn wrong(code: &'static str, error: impl ToString) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, error)
    }

    pub(crate) fn unknown(code: &'static str, error: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, error)
    }

    pub(crate) fn conflict(code: &'static str, error: impl ToString) -> Self {
        Self::new(StatusCode::CONFLICT, code, error)
    }

    pub(crate) fn forbidden(code: &'static str, error: impl ToString) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, error)
    }

    /// Returns the error for a request that cannot be read.
    pub(super) fn unread(status: StatusCode, error: String) -> Self {
        let code = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "request-too-large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "request-not-json",
            _ => INVALID,
        };
        Self::new(status, code, error)
    }

    pub(crate) fn no_login() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "login-missing", "log in first")
    }

    /// Returns the error for too many requests: the client may try again after `seconds`.
    pub(crate) fn later(code: &'static str, error: impl ToString, seconds: u64) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, error).after(seconds.max(1))
    }

    /// Returns the error for a reached limit: the client may try again after `seconds`.
    pub(crate) fn busy(code: &'static str, error: impl ToString, seconds: u64) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, error).after(seconds)
    }

    fn after(self, seconds: u64) -> Self {
        Failure { retry_after: Some(seconds), ..self }
    }

    /// Returns the error for a gateway that has just started, and whose journal is not open yet.
    pub(crate) fn begins() -> Self {
        Self::busy("gateway-starting", "the gateway opens its journal; ask again in a moment", 1)
    }

    /// Returns an internal error, and logs it with its causes.
    pub(crate) fn internal(error: &dyn std::error::Error) -> Self {
        let text = with_causes(error);
        tracing::error!("a request could not be answered: {text}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal-error", text)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Failure::from_refusal(&error)
    }
}

impl From<PeopleError> for Failure {
    fn from(error: PeopleError) -> Self {
        let failure = Failure::from_refusal(&error);
        match error {
            PeopleError::Later(wait) => failure.after(wait.as_secs() + 1),
            _ => failure,
        }
    }
}

impl From<store::StoreError> for Failure {
    fn from(error: store::StoreError) -> Self {
        Failure::internal(&error)
    }
}

/// An answer in JSON, or an error.
pub(crate) type Answered<T> = Result<Json<T>, Failure>;

/// Runs work that waits for disks or computes for long, on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Failure::internal(&error)),
    }
}

/// A body in JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let read = Json::<T>::from_request(request, state);
        match tokio::time::timeout(BODY_WITHIN, read).await {
            Ok(Ok(Json(body))) => Ok(Body(body)),
            Ok(Err(rejection)) => Err(Failure::unread(rejection.status(), rejection.body_text())),
            Err(_) => {
                let error = "the request came too slowly";
                Err(Failure::new(StatusCode::REQUEST_TIMEOUT, "request-slow", error))
            }
        }
    }
}

/// The query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(query)) => Ok(Query(query)),
            Err(rejection) => Err(Failure::unread(rejection.status(), rejection.body_text())),
        }
    }
}
