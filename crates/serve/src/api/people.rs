//! Users and tokens, for administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Role;
use super::answer::{Answered, At, Body, Failure, blocking};
use super::guard::Administrator;
use crate::served::Served;
use crate::versions::now_ms;

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
    people: Vec<Person>,
}

#[derive(Serialize, ToSchema)]
struct Person {
    name: String,
    role: Role,
    since: String,
    last_login: Option<String>,
    /// Whether there is no password yet.
    invited: bool,
    /// How many sessions are open. There are 10 at most; one more ends the one that was not used for the longest time.
    sessions: u64,
}

/// All people.
#[utoipa::path(get, path = "/api/people", tag = "people", responses((status = 200, body = People)))]
async fn list(State(served): State<Arc<Served>>, _: Administrator) -> Answered<People> {
    let asked = blocking(move || Ok((served.people.list()?, served.people.sessions()?)));
    let (people, sessions) = asked.await?;
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
    name: String,
    role: Role,
}

/// A one-time link.
#[derive(Serialize, ToSchema)]
struct Link {
    /// The page: `/welcome#…`. What stands behind the `#` never comes to the server but in a `POST /welcome`.
    link: String,
}

impl Link {
    fn of(secret: &str) -> Self {
        Link { link: format!("/welcome#{secret}") }
    }
}

/// Invites somebody, who sets a password by the link.
#[utoipa::path(post, path = "/api/people", tag = "people", request_body = Named,
    responses((status = 200, body = Link), (status = 409, description = "Somebody has the name")))]
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

/// Gives somebody another role.
#[utoipa::path(put, path = "/api/people/{name}", tag = "people", request_body = NewRole,
    params(("name" = String, Path)), responses((status = 204), (status = 404), (status = 409)))]
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

/// Removes somebody, who is out at once.
#[utoipa::path(delete, path = "/api/people/{name}", tag = "people",
    params(("name" = String, Path)), responses((status = 204), (status = 404), (status = 409)))]
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

/// A new link for somebody to set a password anew.
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
    tokens: Vec<Token>,
}

#[derive(Serialize, ToSchema)]
struct Token {
    id: i64,
    name: String,
    role: Role,
    since: String,
    last_used: Option<String>,
    /// When it holds no more.
    until: String,
    /// Whether that is past. It stays in the list until it is removed, or another of its name is made.
    expired: bool,
}

/// All tokens.
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

/// A token, shown this once.
#[derive(Serialize, ToSchema)]
struct MadeToken {
    id: i64,
    token: String,
    /// When it holds no more.
    until: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    name: String,
    role: Role,
    /// How many days it holds, 90 where nothing is said, and no more than 366.
    days: Option<u32>,
}

/// Returns a token's name for the audit trail, with its number, since another token may get the name later.
fn token_named(id: i64, name: &str) -> String {
    format!("{name}, token {id}")
}

/// Makes a token for a program. It has an end; before that another is made, of another name.
#[utoipa::path(post, path = "/api/tokens", tag = "people", request_body = NewToken,
    responses((status = 200, body = MadeToken),
        (status = 409, description = "There is a token of that name"), (status = 422)))]
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

/// Removes a token, which holds no more.
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
