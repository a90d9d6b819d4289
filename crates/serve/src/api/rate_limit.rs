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

/// Long requests: they read files or all of the journal, run scripts, or wait for the gateway.
const LONG: &[(&str, &str)] = &[
    ("get", "/api/audit"),
    ("get", "/api/counters/in-doubt"),
    ("get", "/api/matching"),
    ("get", "/api/records"),
    ("get", "/api/sequences"),
    ("get", "/api/suspense/alike"),
    ("get", "/api/trace"),
    ("post", "/api/counters/change"),
    ("post", "/api/files/again"),
    ("post", "/api/analysis/{file}"),
    ("post", "/api/flow/consequences"),
    ("post", "/api/flow/edit"),
    ("post", "/api/flow/look"),
    ("post", "/api/scripts/{file}"),
    ("post", "/api/tariff-versions/check"),
    ("post", "/api/tariffs"),
    ("post", "/api/tariffs/{file}"),
    ("post", "/api/flow/versions/{version}/activate"),
    ("post", "/api/matching/end"),
    ("post", "/api/replay"),
    ("post", "/api/samples/{file}"),
    ("post", "/api/suspense/discard"),
    ("post", "/api/suspense/reopen"),
    ("post", "/api/suspense/retry"),
    ("post", "/api/suspense/retry/take-back"),
    ("post", "/api/tariff-versions"),
    ("post", "/api/tariff-versions/{version}/withdraw"),
    ("post", "/api/tests/{file}"),
    ("put", "/api/password"),
    ("put", "/api/scripts/{file}"),
    ("put", "/api/tariffs/{file}"),
];

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

impl RequestKind {
    /// Returns the kind of a request, by its path in the description; `None` if it is not limited.
    pub(super) fn of(method: &Method, path: &str) -> Option<Self> {
        let is_it = |(known, at): &&(&str, &str)| {
            method.as_str().eq_ignore_ascii_case(known) && *at == path
        };
        match LONG.iter().find(is_it) {
            Some(_) => Some(RequestKind::Long),
            None if matches!(*method, Method::GET | Method::HEAD) => None,
            None => Some(RequestKind::Change),
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
        Err(Failure::later(error, seconds))
    }
}

/// Adds the refusal to every limited operation of the description.
pub(super) fn say(api: &mut OpenApi) {
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap_or_default();
            if let Some(sort) = RequestKind::of(&method, path) {
                refused(operation, sort);
            }
        }
    }
}

fn refused(operation: &mut Operation, sort: RequestKind) {
    let (at_once, each) = sort.bounds();
    let a_second = Duration::from_secs(1).as_millis() / each.as_millis();
    let description = format!(
        "Too many requests: a user may send {at_once} of this kind at once, and then {a_second} per second; \
         `Retry-After` has the seconds to wait"
    );
    let response = ResponseBuilder::new().description(description).build();
    operation.responses.responses.insert("429".into(), response.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_of_an_operation_that_there_is() {
        let (_, mut api) = super::super::described();
        for (method, path) in LONG {
            let item = api.paths.paths.get_mut(*path).unwrap_or_else(|| panic!("no {path}"));
            assert!(operations(item).any(|(known, _)| known == *method), "{method} {path}");
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
