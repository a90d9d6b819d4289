//! Rate limits for requests that change something, and for those that read many files, check a text or compute for
//! long. A user with ten windows stays below them, a program in a loop does not. Other requests are cheap.
//!
//! Each user has limits of his own, by the name in the audit trail, however many sessions he has.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::Method;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, ResponseBuilder};

use super::answer::Failure;
use super::needed::operations;

/// The extension of a long operation in the description. Operations declare that they are long
/// ([`IS_LONG`](operate::operation::Operation::IS_LONG)).
pub(super) const LONG: &str = "x-long-running";

/// The maximum number of names remembered, which is more than there are users and programs.
const NAMES_MAX: usize = 10_000;

/// The kind of a limited request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RequestKind {
    /// It changes something.
    Change,
    /// It takes long.
    Long,
}

/// The kinds of the requests to all paths.
#[derive(Debug)]
pub(super) struct RequestKinds(HashMap<(Method, String), RequestKind>);

impl RequestKinds {
    /// Returns the kinds of the described operations.
    pub(super) fn of(api: &mut OpenApi) -> Self {
        let mut kinds = HashMap::new();
        for (path, item) in &mut api.paths.paths {
            for (method, operation) in operations(item) {
                let method = upper(method);
                let kind = RequestKind::of(&method, operation);
                kinds.extend(kind.map(|kind| ((method, path.clone()), kind)));
            }
        }
        RequestKinds(kinds)
    }

    /// Returns the kind of a request, by its path in the description; `None` if it is not limited.
    pub(super) fn kind(&self, method: &Method, path: &str) -> Option<RequestKind> {
        self.0.get(&(method.clone(), path.to_owned())).copied()
    }
}

/// Returns a method of the description as one of HTTP.
fn upper(method: &str) -> Method {
    Method::from_bytes(method.to_uppercase().as_bytes()).unwrap_or_default()
}

impl RequestKind {
    /// Returns the kind of the requests for an operation; `None` if they are not limited.
    fn of(method: &Method, operation: &Operation) -> Option<Self> {
        let is_long = operation.extensions.as_ref().is_some_and(|all| all.contains_key(LONG));
        match is_long {
            true => Some(RequestKind::Long),
            false if *method == Method::GET => None,
            false => Some(RequestKind::Change),
        }
    }

    /// Returns how many requests may come at once, and the time after which one more may come.
    const fn bounds(self) -> (u32, Duration) {
        match self {
            RequestKind::Change => (600, Duration::from_millis(50)),
            RequestKind::Long => (300, Duration::from_millis(100)),
        }
    }
}

/// By user and kind: the time at which the full number of requests may come at once again.
#[derive(Debug, Default)]
pub(crate) struct RateLimits(Mutex<HashMap<(String, RequestKind), Instant>>);

impl RateLimits {
    /// Counts a request.
    ///
    /// # Errors
    ///
    /// Too many requests have come.
    pub(super) fn pass(&self, who: &str, sort: RequestKind, now: Instant) -> Result<(), Failure> {
        let mut waited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waited.len() >= NAMES_MAX {
            waited.retain(|_, until| *until > now);
        }
        let (at_once, each) = sort.bounds();
        let until = waited.entry((who.to_owned(), sort)).or_insert(now);
        let next = (*until).max(now) + each;
        let late = (next - now).saturating_sub(each * at_once);
        if late.is_zero() {
            *until = next;
            return Ok(());
        }
        let seconds = late.as_secs() + 1;
        let error = format!("{who} asks for too much at once; ask again in {seconds} seconds");
        Err(Failure::later("requests-too-many", error, seconds))
    }
}

/// Adds the refusal to every limited operation of the description.
pub(super) fn say(api: &mut OpenApi) {
    for item in api.paths.paths.values_mut() {
        for (method, operation) in operations(item) {
            if let Some(sort) = RequestKind::of(&upper(method), operation) {
                refused(operation, sort);
            }
        }
    }
}

fn refused(operation: &mut Operation, sort: RequestKind) {
    let (at_once, each) = sort.bounds();
    let a_second = Duration::from_secs(1).as_millis() / each.as_millis();
    let description = format!(
        "`requests-too-many`: a user may send {at_once} of this kind at once, and then {a_second} per second; \
         `Retry-After` has the seconds to wait"
    );
    let response = ResponseBuilder::new().description(description).build();
    operation.responses.responses.insert("429".into(), response.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_long_requests_are_limited() {
        let (_, mut api) = super::super::described();
        let kinds = RequestKinds::of(&mut api);
        for (method, path, kind) in [
            (Method::GET, "/api/trace", Some(RequestKind::Long)),
            (Method::POST, "/api/analysis/{file}", Some(RequestKind::Long)),
            (Method::PUT, "/api/password", Some(RequestKind::Long)),
            (Method::POST, "/api/alarms/acknowledge", Some(RequestKind::Change)),
            (Method::GET, "/api/alarms", None),
            (Method::GET, "/api/unknown", None),
        ] {
            assert_eq!(kinds.kind(&method, path), kind, "{method} {path}");
        }
    }

    #[test]
    fn who_asks_for_too_much_waits_and_others_do_not() {
        let (limits, begin) = (RateLimits::default(), Instant::now());
        let asks =
            |who, sort, ms| limits.pass(who, sort, begin + Duration::from_millis(ms)).is_ok();
        let (at_once, each) = RequestKind::Long.bounds();
        assert!((0..at_once).all(|_| asks("anna", RequestKind::Long, 0)));
        assert!(!asks("anna", RequestKind::Long, 0) && !asks("anna", RequestKind::Long, 99));
        assert!(asks("bo", RequestKind::Long, 0) && asks("anna", RequestKind::Change, 0));
        assert!(asks("anna", RequestKind::Long, 100) && !asks("anna", RequestKind::Long, 100));
        // Waiting longer than needed brings no more than the full number.
        let later = 2 * (each * at_once).as_millis() as u64;
        assert!((0..at_once).all(|_| asks("anna", RequestKind::Long, later)));
        assert!(!asks("anna", RequestKind::Long, later));
    }

    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let (limits, begin) = (RateLimits::default(), Instant::now());
        for number in 0..3 * NAMES_MAX as u64 {
            let now = begin + Duration::from_millis(number);
            limits.pass(&format!("n{number}"), RequestKind::Change, now).expect("the first");
        }
        assert!(limits.0.lock().expect("no thread panicked").len() <= NAMES_MAX);
    }
}
