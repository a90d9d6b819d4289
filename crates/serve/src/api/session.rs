//! Login and logout.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use diagnostics::visible;
use people::{Begun, PeopleError, Session};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Role;
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

/// Somebody who is in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionBody {
    name: String,
    role: Role,
    /// Comes in the header `X-CSRF-Token` with each change; empty for who shows a token.
    csrf: String,
    /// When the session is over at the latest.
    until: Option<String>,
    /// The name of the flow that is served.
    flow: String,
}

impl SessionBody {
    fn of(session: &Session, served: &Served) -> Self {
        SessionBody {
            name: session.name.clone(),
            role: session.role.into(),
            csrf: session.csrf.clone(),
            until: Some(shown(session.until_ms)),
            flow: served.name(),
        }
    }
}

/// Who asks.
#[utoipa::path(get, path = "/api/session", tag = "session",
    responses((status = 200, body = SessionBody)))]
async fn session(State(served): State<Arc<Served>>, caller: Caller) -> Json<SessionBody> {
    Json(match &caller.session {
        Some((_, session)) => SessionBody::of(session, &served),
        None => SessionBody {
            name: caller.who,
            role: caller.role.into(),
            csrf: String::new(),
            until: None,
            flow: served.name(),
        },
    })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Passwords {
    old: String,
    new: String,
}

/// Sets the password of who asks; his other sessions are over.
#[utoipa::path(put, path = "/api/password", tag = "session", request_body = Passwords,
    responses((status = 204), (status = 401, description = "The old password is not right"),
        (status = 422, description = "The new one cannot be one")))]
async fn password(
    State(served): State<Arc<Served>>,
    caller: Caller,
    Body(Passwords { old, new }): Body<Passwords>,
) -> Result<StatusCode, Failure> {
    let Some((secret, session)) = caller.session else {
        return Err(Failure::conflict("a token has no password"));
    };
    let _one_at_a_time = served.hashing.acquire().await;
    let served = Arc::clone(&served);
    blocking(move || {
        served.people.set_password(&session.name, &old, &new, &secret)?;
        served.note(&session.name, "people password", &session.name, "")
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

/// Comes in. The answer sets the cookie of a session.
#[utoipa::path(post, path = "/login", tag = "session", request_body = Login,
    responses((status = 200, body = SessionBody),
        (status = 401, description = "The name or the password is not right"),
        (status = 429, description = "Tried too often; `Retry-After` says in how many seconds it may be tried again")))]
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
    let (asked, address) = (name.clone(), counted(from.ip()));
    let begun = tokio::task::spawn_blocking(move || people.login(&asked, &password, address)).await;
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
    /// What stands behind the `#` of the link.
    link: String,
    /// How the first administrator is called; who is invited has a name.
    #[serde(default)]
    name: String,
    password: String,
}

/// Comes in by a link that holds once, and chooses a password. The answer sets the cookie of a session.
#[utoipa::path(post, path = "/welcome", tag = "session", request_body = Welcome,
    responses((status = 200, body = SessionBody),
        (status = 401, description = "The link was used, or is too old"),
        (status = 409, description = "Somebody has the name"),
        (status = 422, description = "The name or the password cannot be one"),
        (status = 429, description = "Tried too often; `Retry-After` says in how many seconds it may be tried again")))]
async fn welcome(
    State(served): State<Arc<Served>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Body(Welcome { link, name, password }): Body<Welcome>,
) -> Result<Response, Failure> {
    is_no_other_page(&headers)?;
    served.login_attempts.pass(from.ip())?;
    let _one_at_a_time = served.hashing.acquire().await;
    let asked = Arc::clone(&served);
    let begun = blocking(move || {
        let begun = asked.people.welcome(&link, &name, &password)?;
        let name = &begun.session.name;
        asked.note_once_begun(name, "people welcome", name);
        Ok(begun)
    });
    Ok(come_in(&served, &headers, &begun.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LinkLooked {
    /// What stands behind the `#` of the link.
    link: String,
}

/// Who a link is for.
#[derive(Serialize, ToSchema)]
struct Invited {
    /// None where it is the first administrator's, who has no name yet.
    name: Option<String>,
}

/// Whom a link is for, where it still holds, for who is about to choose a password by it. It is an attempt like others.
#[utoipa::path(post, path = "/welcome/look", tag = "session", request_body = LinkLooked,
    responses((status = 200, body = Invited), (status = 401, description = "The link was used, or is too old"),
        (status = 429, description = "Tried too often; `Retry-After` says in how many seconds it may be tried again")))]
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

/// Goes out: the session of the cookie is over.
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
