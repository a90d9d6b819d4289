//! Users and tokens, for administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Role;
use super::answer::{Answered, At, Body, Failure, blocking};
use super::guard::Administrator;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(list, invite))
        .routes(routes!(set_role, remove))
        .routes(routes!(link))
        .routes(routes!(tokens, make_token))
        .routes(routes!(remove_token))
}

#[derive(Serialize, ToSchema)]
struct People {
    /// The users, by name.
    people: Vec<Person>,
}

#[derive(Serialize, ToSchema)]
struct Person {
    name: String,
    role: Role,
    /// When the user was added.
    since: String,
    /// The last login. Absent if there was none.
    last_login: Option<String>,
    /// Whether the user has not set a password yet.
    invited: bool,
    /// The number of open sessions; 10 at most. One more ends the session that was idle for the longest time.
    sessions: u64,
}

/// Lists the users.
#[utoipa::path(get, path = "/api/people", tag = "people", responses((status = 200, body = People)))]
async fn list(State(served): State<Arc<Served>>, _: Administrator) -> Answered<People> {
    let lists = blocking(move || Ok((served.people.list()?, served.people.sessions()?)));
    let (people, sessions) = lists.await?;
    let people = people.into_iter().map(|listed| Person {
        sessions: sessions.get(&listed.name).copied().unwrap_or_default(),
        name: listed.name,
        role: listed.role.into(),
        since: shown(listed.since_ms),
        last_login: listed.last_login_ms.map(shown),
        invited: listed.is_invited,
    });
    Ok(Json(People { people: people.collect() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    /// Up to 64 letters, digits, `.`, `-`, `_` and `@`.
    name: String,
    role: Role,
}

/// A link to set a password. It is valid once, for 24 hours.
#[derive(Serialize, ToSchema)]
struct Link {
    /// The path of the page: `/welcome#…`. Browsers do not send the part after `#`; the page sends it with `POST
    /// /welcome`.
    link: String,
}

impl Link {
    fn of(secret: &str) -> Self {
        Link { link: format!("/welcome#{secret}") }
    }
}

/// Adds a user.
///
/// Give the user the link in the answer, to set a password.
#[utoipa::path(post, path = "/api/people", tag = "people", request_body = Named,
    responses((status = 200, body = Link), (status = 409, description = "The name is taken")))]
async fn invite(
    State(served): State<Arc<Served>>,
    Administrator(who): Administrator,
    Body(Named { name, role }): Body<Named>,
) -> Answered<Link> {
    let link = blocking(move || {
        let link = served.people.invite(&name, role.into())?;
        served.note(&who, "people invite", &name, &format!("as {}", people::Role::from(role)))?;
        Ok(link)
    });
    Ok(Json(Link::of(&link.await?)))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRole {
    role: Role,
}

/// Changes the role of a user.
///
/// The last administrator with a password keeps the role.
#[utoipa::path(put, path = "/api/people/{name}", tag = "people", request_body = NewRole,
    params(("name" = String, Path)), responses((status = 204), (status = 404),
        (status = 409, description = "This is the last administrator")))]
async fn set_role(
    State(served): State<Arc<Served>>,
    Administrator(who): Administrator,
    At(name): At<String>,
    Body(NewRole { role }): Body<NewRole>,
) -> Result<StatusCode, Failure> {
    blocking(move || {
        served.people.set_role(&name, role.into())?;
        served.note(&who, "people role", &name, &format!("as {}", people::Role::from(role)))
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a user.
///
/// The user's sessions end at once. The last administrator with a password cannot be removed.
#[utoipa::path(delete, path = "/api/people/{name}", tag = "people",
    params(("name" = String, Path)), responses((status = 204), (status = 404),
        (status = 409, description = "This is the last administrator")))]
async fn remove(
    State(served): State<Arc<Served>>,
    Administrator(who): Administrator,
    At(name): At<String>,
) -> Result<StatusCode, Failure> {
    blocking(move || {
        served.people.remove(&name)?;
        served.note(&who, "people remove", &name, "")
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a link for a user to set a new password.
///
/// The old password stays valid until then. Earlier links of the user become void.
#[utoipa::path(post, path = "/api/people/{name}/link", tag = "people",
    params(("name" = String, Path)), responses((status = 200, body = Link), (status = 404)))]
async fn link(
    State(served): State<Arc<Served>>,
    Administrator(who): Administrator,
    At(name): At<String>,
) -> Answered<Link> {
    let link = blocking(move || {
        let link = served.people.link_for(&name)?;
        served.note(&who, "people link", &name, "")?;
        Ok(link)
    });
    Ok(Json(Link::of(&link.await?)))
}

#[derive(Serialize, ToSchema)]
struct Tokens {
    /// The tokens, by number.
    tokens: Vec<Token>,
}

#[derive(Serialize, ToSchema)]
struct Token {
    /// The token's number.
    id: i64,
    name: String,
    role: Role,
    /// When the token was made.
    since: String,
    /// The last use, to the minute. Absent if there was none.
    last_used: Option<String>,
    /// When the token expires.
    until: String,
    /// Whether the token has expired. It stays in the list until it is removed, or a new token gets its name.
    expired: bool,
}

/// Lists the tokens.
///
/// The list does not contain the secrets.
#[utoipa::path(get, path = "/api/tokens", tag = "people", responses((status = 200, body = Tokens)))]
async fn tokens(State(served): State<Arc<Served>>, _: Administrator) -> Answered<Tokens> {
    let (tokens, now) = (blocking(move || Ok(served.people.tokens()?)).await?, now_ms());
    let tokens = tokens.into_iter().map(|token| Token {
        id: token.id,
        name: token.name,
        role: token.role.into(),
        since: shown(token.since_ms),
        last_used: token.used_ms.map(shown),
        until: shown(token.until_ms),
        expired: token.until_ms <= now,
    });
    Ok(Json(Tokens { tokens: tokens.collect() }))
}

/// A new token.
#[derive(Serialize, ToSchema)]
struct MadeToken {
    /// The token's number.
    id: i64,
    /// The secret that the program sends. Only this answer contains it.
    token: String,
    /// When the token expires.
    until: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// Up to 64 letters, digits, `.`, `-`, `_` and `@`.
    name: String,
    role: Role,
    /// The days for which the token is valid. Default 90, at most 366.
    days: Option<u32>,
}

/// Returns a token's name for the audit trail, with its number, since another token may get the name later.
fn token_named(id: i64, name: &str) -> String {
    format!("{name}, token {id}")
}

/// Makes a token for a program.
///
/// The token expires. Make another one before that, under another name.
#[utoipa::path(post, path = "/api/tokens", tag = "people", request_body = NewToken,
    responses((status = 200, body = MadeToken),
        (status = 409, description = "A valid token has this name"), (status = 422)))]
async fn make_token(
    State(served): State<Arc<Served>>,
    Administrator(who): Administrator,
    Body(NewToken { name, role, days }): Body<NewToken>,
) -> Answered<MadeToken> {
    let made = blocking(move || {
        let days = days.unwrap_or(people::TOKEN_DAYS);
        let made = served.people.make_token(&name, role.into(), days)?;
        let (subject, until) = (token_named(made.id, &name), shown(made.until_ms));
        let reason = format!("as {}, until {until}", people::Role::from(role));
        served.note(&who, "token make", &subject, &reason)?;
        Ok(MadeToken { id: made.id, token: made.secret, until })
    });
    Ok(Json(made.await?))
}

/// Removes a token.
///
/// The token is void at once.
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "people", params(("id" = i64, Path)),
    responses((status = 204), (status = 404)))]
async fn remove_token(
    State(served): State<Arc<Served>>,
    Administrator(who): Administrator,
    At(id): At<i64>,
) -> Result<StatusCode, Failure> {
    blocking(move || {
        let name = served.people.remove_token(id)?;
        served.note(&who, "token remove", &token_named(id, &name), "")
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
