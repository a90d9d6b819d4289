//! Login and logout.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use diagnostics::visible;
use people::{Begun, PeopleError, Role, Session, Unrecorded};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, blocking};
use super::guard::{Caller, OF_HOST, cookie, is_no_other_page};
use crate::address::counted;
use crate::pages::page;
use crate::served::Served;

/// The maximum size of a login request in octets. Its sender is not authenticated yet.
const BODY_OCTETS_MAX: usize = 16 << 10;

/// The maximum number of characters of a name in the log.
const NAME_MAX: usize = 64;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(session)).routes(routes!(password))
}

/// Returns the routes that need no login.
pub(crate) fn login_routes() -> axum::Router<Arc<Served>> {
    let (routes, _) = described_doors().split_for_parts();
    let routes = routes.layer(DefaultBodyLimit::max(BODY_OCTETS_MAX));
    routes.route("/login", get(page)).route("/welcome", get(page))
}

/// Returns these routes with their description.
pub(super) fn described_doors() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(login))
        .routes(routes!(logout))
        .routes(routes!(welcome))
        .routes(routes!(look_at_link))
}

/// The session of a user, or the token of a program.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionBody {
    /// The name of the user or token, as in the audit trail.
    name: String,
    role: Role,
    /// The value for the header `X-CSRF-Token`, which each change needs. Empty for a token, which needs none.
    csrf: String,
    /// The latest end of the session. It ends earlier after two hours without a request. Absent for a token.
    until: Option<String>,
    /// The name of the flow.
    flow: String,
}

impl SessionBody {
    fn of(session: &Session, served: &Served) -> Self {
        SessionBody {
            name: session.name.clone(),
            role: session.role,
            csrf: session.csrf.clone(),
            until: Some(shown(session.until_ms)),
            flow: served.name(),
        }
    }
}

/// Returns the name and role of the caller.
#[utoipa::path(get, path = "/api/session", tag = "session",
    responses((status = 200, body = SessionBody)))]
async fn session(State(served): State<Arc<Served>>, caller: Caller) -> Json<SessionBody> {
    Json(match &caller.session {
        Some((_, session)) => SessionBody::of(session, &served),
        None => SessionBody {
            name: caller.who,
            role: caller.role,
            csrf: String::new(),
            until: None,
            flow: served.name(),
        },
    })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Passwords {
    /// The current password.
    old: String,
    /// The new password: 12 characters at least, 1024 octets at most, and hard to guess.
    new: String,
}

/// Changes the caller's password.
///
/// The caller's other sessions end. This needs a session: a token has no password.
#[utoipa::path(put, path = "/api/password", tag = "session", request_body = Passwords,
    extensions(("x-long-running" = json!(true))),
    responses((status = 204), (status = 401, description = "`login-refused`: the name or the password is wrong"),
        (status = 409, description = "`password-of-token`: a token has no password"),
        (status = 422, description = "`password-short`: the password is too short; `password-long`: the password is too long; `password-weak`: the password is easy to guess")))]
async fn password(
    State(served): State<Arc<Served>>,
    caller: Caller,
    Body(Passwords { old, new }): Body<Passwords>,
) -> Result<StatusCode, Failure> {
    let Some((secret, session)) = caller.session else {
        return Err(Failure::conflict("password-of-token", "a token has no password"));
    };
    let _one_at_a_time = served.hashing.acquire().await;
    let served = Arc::clone(&served);
    blocking(move || {
        let trail = Arc::clone(&served);
        let record =
            move |name: &str| trail.note(name, "people password", name, "").map_err(|_| Unrecorded);
        Ok(served.people.set_password(&session.name, &old, &new, &secret, record)?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Login {
    name: String,
    password: String,
}

/// Logs a user in.
///
/// The answer sets the cookie of a session. The session ends after 12 hours, or after two hours without a request.
#[utoipa::path(post, path = "/login", tag = "session", request_body = Login,
    responses((status = 200, body = SessionBody),
        (status = 401, description = "`login-refused`: the name or the password is wrong"),
        (status = 429, description = "`login-later`: too many attempts with this name; `login-attempts-too-many`: too many attempts from this address; `Retry-After` has the seconds to wait")))]
async fn login(
    State(served): State<Arc<Served>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Body(Login { name, password }): Body<Login>,
) -> Result<Response, Failure> {
    is_no_other_page(&headers)?;
    served.login_attempts.pass(from.ip())?;
    let _one_at_a_time = served.hashing.acquire().await;
    let people = Arc::clone(&served.people);
    let (login_name, address) = (name.clone(), counted(from.ip()));
    let begun =
        tokio::task::spawn_blocking(move || people.login(&login_name, &password, address)).await;
    match begun.unwrap_or(Err(PeopleError::Refused)) {
        Ok(begun) => Ok(come_in(&served, &headers, &begun)),
        Err(error) => {
            tracing::warn!("a login as \"{}\" from {} is refused: {error}", cut(&name), from.ip());
            Err(error.into())
        }
    }
}

/// Shortens a name from a login for the log.
fn cut(name: &str) -> String {
    let short: String = name.chars().take(NAME_MAX).collect();
    visible(&short).into_owned()
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Welcome {
    /// The part of the link after `#`.
    link: String,
    /// The name of the first administrator. Ignored for other links, which are for a certain user.
    #[serde(default)]
    name: String,
    /// The new password: 12 characters at least, 1024 octets at most, and hard to guess.
    password: String,
}

/// Sets a password with a one-time link, and logs the user in.
///
/// The answer sets the cookie of a session. The user's other sessions end.
#[utoipa::path(post, path = "/welcome", tag = "session", request_body = Welcome,
    responses((status = 200, body = SessionBody),
        (status = 401, description = "`link-void`: the link was used, or has expired"),
        (status = 409, description = "`name-taken`: there is a \"{name}\" already"),
        (status = 422, description = "`name-wrong`: \"{name}\" cannot be a name; `password-short`: the password is too short; `password-long`: the password is too long; `password-weak`: the password is easy to guess"),
        (status = 429, description = "`login-later`: too many attempts with this name; `login-attempts-too-many`: too many attempts from this address; `Retry-After` has the seconds to wait")))]
async fn welcome(
    State(served): State<Arc<Served>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Body(Welcome { link, name, password }): Body<Welcome>,
) -> Result<Response, Failure> {
    is_no_other_page(&headers)?;
    served.login_attempts.pass(from.ip())?;
    let _one_at_a_time = served.hashing.acquire().await;
    let own = Arc::clone(&served);
    let begun = blocking(move || {
        let trail = Arc::clone(&own);
        let record = move |name: &str| trail.note_once_begun(name, "people welcome", name);
        Ok(own.people.welcome(&link, &name, &password, record)?)
    });
    Ok(come_in(&served, &headers, &begun.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LinkLooked {
    /// The part of the link after `#`.
    link: String,
}

/// The user of a one-time link.
#[derive(Serialize, ToSchema)]
struct Invited {
    /// Absent for the link of the first administrator, who has no name yet.
    name: Option<String>,
}

/// Returns the user of a one-time link, if the link is still valid.
///
/// The request counts as an attempt to log in.
#[utoipa::path(post, path = "/welcome/look", tag = "session", request_body = LinkLooked,
    responses((status = 200, body = Invited), (status = 401, description = "`link-void`: the link was used, or has expired"),
        (status = 429, description = "`login-later`: too many attempts with this name; `login-attempts-too-many`: too many attempts from this address; `Retry-After` has the seconds to wait")))]
async fn look_at_link(
    State(served): State<Arc<Served>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Body(LinkLooked { link }): Body<LinkLooked>,
) -> Answered<Invited> {
    is_no_other_page(&headers)?;
    served.login_attempts.pass(from.ip())?;
    let name = blocking(move || Ok(served.people.look_at_link(&link)?)).await?;
    Ok(Json(Invited { name }))
}

fn come_in(served: &Served, headers: &HeaderMap, begun: &Begun) -> Response {
    let mut response = Json(SessionBody::of(&begun.session, served)).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&set_cookie(served, headers, &begun.secret)) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Returns the value of `Set-Cookie`. An origin with `https` shows that a proxy in front of the server speaks TLS.
fn set_cookie(served: &Served, headers: &HeaderMap, value: &str) -> String {
    let origin = headers.get(header::ORIGIN).map_or(&[][..], HeaderValue::as_bytes);
    let (before, behind) = match served.is_secure || origin.starts_with(b"https://") {
        true => (OF_HOST, "; Secure"),
        false => ("", ""),
    };
    format!("{before}{}={value}; Path=/; HttpOnly; SameSite=Strict{behind}", served.cookie)
}

/// Logs a user out.
///
/// The session of the cookie ends.
#[utoipa::path(post, path = "/logout", tag = "session", responses((status = 204)))]
async fn logout(
    State(served): State<Arc<Served>>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    is_no_other_page(&headers)?;
    let gone = format!("{}; Max-Age=0", set_cookie(&served, &headers, ""));
    if let Some(secret) = cookie(&served, &headers) {
        blocking(move || Ok(served.people.logout(&secret)?)).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response())
}
