//! Authentication and authorisation: each request under `/api` passes here first.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use people::{Role, Session, Token};
use subtle::ConstantTimeEq as _;

use super::answer::{Failure, blocking};
use super::concurrency::{AnswerUnneeded, WORKED_ON_MAX};
use super::rate_limit::RequestKinds;
use crate::connection_slots::Holder;
use crate::served::Served;
use versions::digest;

/// The prefix of the name of the session cookie.
pub(crate) const COOKIE: &str = "tollgate_session";

/// Returns the name of the session cookie, which depends on the state folder. Browsers share cookies among all ports of
/// a host, so two gateways on one host need two names.
pub(crate) fn cookie_of(state: &Path) -> String {
    let digest = digest(state.as_os_str().as_encoded_bytes());
    format!("{COOKIE}_{}", &digest[..8])
}

/// The header in which a client with a session cookie proves that no other site sends the request.
const CSRF: &str = "x-csrf-token";

/// The authenticated caller of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The name in the audit trail.
    pub(crate) who: String,
    pub(crate) role: Role,
    /// For a browser: the secret of the session, and the session.
    pub(crate) session: Option<(String, Session)>,
}

/// A caller that may read.
pub(crate) struct Viewer;

impl Caller {
    /// Returns the caller of an admitted request, if its role is at least `least`.
    pub(super) fn of(parts: &Parts, least: Role) -> Result<Caller, Failure> {
        let caller = parts.extensions.get::<Caller>().cloned().ok_or_else(Failure::no_login)?;
        match caller.role >= least {
            true => Ok(caller),
            false => {
                let Caller { who, role, .. } = caller;
                let error = format!("this needs the role {least}, and {who} has the role {role}");
                Err(Failure::forbidden("role-insufficient", error))
            }
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Caller::of(parts, Role::Viewer)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Viewer {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Caller::of(parts, Role::Viewer).map(|_| Viewer)
    }
}

/// Admits authenticated requests.
pub(crate) async fn admit(
    State((served, kinds)): State<(Arc<Served>, Arc<RequestKinds>)>,
    request: Request,
    next: Next,
) -> Response {
    admitted(&served, &kinds, request, next).await.unwrap_or_else(Failure::into_response)
}

async fn admitted(
    served: &Served,
    kinds: &RequestKinds,
    mut request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let (headers, method) = (request.headers().clone(), request.method().clone());
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // The API description writes a wildcard as a simple parameter.
    let sort = path.and_then(|path| kinds.kind(&method, &path.replace("{*", "{")));
    let caller = known(served, &headers, &method).await?;
    if let Some(holder) = request.extensions().get::<Holder>() {
        holder.is_known();
    }
    if !served.has_begun() {
        return Err(Failure::begins());
    }
    if let Some(sort) = sort {
        served.rate_limits.pass(&caller.who, sort, Instant::now())?;
    }
    let permit = served.concurrency.take(&caller.who, sort).await?;
    request.extensions_mut().insert(caller);
    let unneeded = served.stop.child();
    request.extensions_mut().insert(AnswerUnneeded(unneeded.clone()));
    let _unneeded = unneeded.set_on_drop();
    // A client that disconnects does not free its permit: its request runs until it is stopped.
    let mut answered = tokio::spawn(async move {
        let _held = permit;
        next.run(request).await
    });
    let answered = match tokio::time::timeout(WORKED_ON_MAX, &mut answered).await {
        Ok(answered) => answered,
        Err(_) => {
            unneeded.set();
            answered.await
        }
    };
    answered.map_err(|error| Failure::internal(&error))
}

/// Returns whether the login of a request is still valid. This check does not count as use of the session, so it does
/// not prolong it.
pub(crate) async fn is_still_in(served: &Served, headers: &HeaderMap) -> bool {
    let (people, bearer) = (Arc::clone(&served.people), bearer(headers));
    let secret = cookie(served, headers);
    let holds = blocking(move || match (bearer, secret) {
        (Some(token), _) => Ok(people.token_holds(&token)?),
        (None, Some(secret)) => Ok(people.session_holds(&secret)?),
        (None, None) => Ok(false),
    });
    holds.await.unwrap_or(false)
}

async fn known(served: &Served, headers: &HeaderMap, method: &Method) -> Result<Caller, Failure> {
    let (people, bearer) = (Arc::clone(&served.people), bearer(headers));
    if let Some(secret) = bearer {
        let token = blocking(move || Ok(people.token(&secret)?)).await?;
        let Token { name, role, .. } = token.ok_or_else(Failure::no_login)?;
        return Ok(Caller { who: people::token_author(&name), role, session: None });
    }
    let secret = cookie(served, headers).ok_or_else(Failure::no_login)?;
    let session_secret = secret.clone();
    let session = blocking(move || Ok(people.session(&session_secret)?)).await?;
    let session = session.ok_or_else(Failure::no_login)?;
    is_no_other_page(headers)?;
    let is_change = !matches!(*method, Method::GET | Method::HEAD);
    if is_change && !shows(headers, &session.csrf) {
        return Err(Failure::forbidden(
            "csrf-token-missing",
            "a change needs the header X-CSRF-Token with what the session says; load the page again",
        ));
    }
    let (who, role) = (session.name.clone(), session.role);
    Ok(Caller { who, role, session: Some((secret, session)) })
}

/// Refuses a request that a page of another site sends with the user's cookies (CSRF).
pub(crate) fn is_no_other_page(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let refused = || Failure::forbidden("site-foreign", "another site asks for this, and may not");
    if text("sec-fetch-site").is_some_and(|site| site == "cross-site" || site == "same-site") {
        return Err(refused());
    }
    let Some(origin) = text("origin") else { return Ok(()) };
    let host = text("host").unwrap_or_default();
    let of_origin = origin.split_once("://").map_or("", |(_, host)| host);
    if of_origin.eq_ignore_ascii_case(host) { Ok(()) } else { Err(refused()) }
}

fn shows(headers: &HeaderMap, csrf: &str) -> bool {
    let shown = headers.get(CSRF).map_or(&[][..], |value| value.as_bytes());
    shown.ct_eq(csrf.as_bytes()).into()
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    Some(value.strip_prefix("Bearer ")?.trim().to_owned())
}

/// The prefix of the cookie's name over TLS. With it, browsers accept the cookie from this host only, and over TLS only
/// (RFC 6265bis, 4.1.3.2).
pub(super) const OF_HOST: &str = "__Host-";

/// Returns the value of the session cookie. If the server speaks TLS, only the cookie with the `__Host-` prefix counts;
/// behind a TLS proxy that one takes precedence.
pub(crate) fn cookie(served: &Served, headers: &HeaderMap) -> Option<String> {
    let of_host = named(headers, &format!("{OF_HOST}{}", served.cookie));
    of_host.or_else(|| (!served.is_secure).then(|| named(headers, &served.cookie)).flatten())
}

fn named(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';'));
    cookies.find_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == wanted).then(|| value.to_owned())
    })
}
