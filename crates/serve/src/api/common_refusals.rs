//! The refusals that operations have in common, added to the description in one place. They follow from the checks that
//! a request passes. Each operation describes its other refusals itself.

use std::collections::btree_map::Entry;

use utoipa::PartialSchema as _;
use utoipa::openapi::content::{Content, ContentBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{OpenApi, Ref, RefOr};

use super::answer::Problem;
use super::needed::operations;

/// The name of the schema of a refusal.
const PROBLEM: &str = "Problem";

const JSON: &str = "application/json";

/// The meaning of 503.
const UNAVAILABLE: &str = "`gateway-starting`: the gateway opens its journal; `gateway-busy`: too many requests \
    are worked on, and `Retry-After` has the seconds to wait";

/// Refusals of every operation.
const OF_ALL: &[(&str, &str)] =
    &[("500", "`internal-error`: an internal error, whose cause is in the log of the gateway")];

/// Refusals of operations behind the guard.
const OF_GUARDED: &[(&str, &str)] = &[
    ("401", "`login-missing`: the session or token is missing, not valid or expired"),
    (
        "403",
        "`role-insufficient`: the role is not sufficient; `csrf-token-missing`: the header `X-CSRF-Token` is missing; \
         `site-foreign`: another site sends the request",
    ),
    ("503", UNAVAILABLE),
];

/// Refusals of operations outside the guard.
const OF_DOORS: &[(&str, &str)] = &[("403", "`site-foreign`: another site sends the request")];

/// Refusals of operations with parameters.
const OF_PARAMETERS: &[(&str, &str)] =
    &[("400", "`request-invalid`: the request does not have the described form")];

/// Refusals of operations with a body.
const OF_BODIES: &[(&str, &str)] = &[
    ("400", "`request-invalid`: the request does not have the described form"),
    ("408", "`request-slow`: the body did not arrive in time"),
    (
        "413",
        "`request-too-large`: the body is larger than 4 MiB, or than 16 KiB in a request without a login",
    ),
    ("415", "`request-not-json`: the content type is not `application/json`"),
    ("422", "`request-invalid`: the request does not have the described form"),
];

/// Refusals of requests that are for no operation, with their names in the description.
const OF_NONE: &[(&str, &str)] = &[
    ("PathUnknown", "`path-unknown`: there is nothing of this name in the API"),
    (
        "MethodNotAllowed",
        "`method-not-allowed`: the path does not have this method; the header `Allow` has those that it has",
    ),
];

/// The meaning of a status if an operation does not give one.
const MEANINGS: &[(&str, &str)] = &[
    ("404", "There is nothing of this name or number"),
    ("409", "The state of the gateway or the flow does not allow this; the answer says why"),
    ("410", "This no longer exists"),
    ("422", "A value in the request is wrong; the answer says which"),
    ("503", UNAVAILABLE),
];

/// Adds the refusals to every operation.
pub(super) fn say(api: &mut OpenApi) {
    for (path, item) in &mut api.paths.paths {
        let is_guarded = path.starts_with("/api/");
        for (_, operation) in operations(item) {
            if !is_guarded {
                operation.security = Some(Vec::new());
            }
            refuses(operation, is_guarded);
            name(operation);
        }
    }
    let components = api.components.get_or_insert_default();
    components.schemas.insert(PROBLEM.to_owned(), Problem::schema());
    for (name, meaning) in OF_NONE {
        let response = ResponseBuilder::new().description(*meaning).content(JSON, problem());
        components.responses.insert((*name).to_owned(), response.build().into());
    }
}

fn refuses(operation: &mut Operation, is_guarded: bool) {
    let has_parameters = operation.parameters.as_ref().is_some_and(|all| !all.is_empty());
    let guarded = if is_guarded { OF_GUARDED } else { OF_DOORS };
    let bodies = if operation.request_body.is_some() { OF_BODIES } else { &[] };
    let parameters = if has_parameters { OF_PARAMETERS } else { &[] };
    let responses = &mut operation.responses.responses;
    for (status, meaning) in [bodies, parameters, guarded, OF_ALL].concat() {
        let response = || ResponseBuilder::new().description(meaning).build();
        match responses.entry(status.to_owned()) {
            Entry::Vacant(vacant) => drop(vacant.insert(response().into())),
            // What the guard refuses comes in addition.
            Entry::Occupied(own) if guarded.iter().any(|(of, _)| of == own.key()) => {
                also(own.into_mut(), meaning);
            }
            Entry::Occupied(_) => {}
        }
    }
    for (status, response) in responses {
        if let RefOr::T(response) = response
            && status.as_str() >= "400"
        {
            says_why(status, response);
        }
    }
}

/// Adds a meaning that a status has for other operations to what an operation says of it.
fn also(own: &mut RefOr<Response>, meaning: &str) {
    if let RefOr::T(own) = own
        && !own.description.is_empty()
    {
        own.description = format!("{meaning}; {}", own.description);
    }
}

/// Gives an operation a unique name. Functions of several modules have the same one, so the tag is the prefix.
fn name(operation: &mut Operation) {
    let tag = operation.tags.iter().flatten().next().map_or("", String::as_str);
    let name = operation.operation_id.take().unwrap_or_default();
    operation.operation_id = Some(format!("{tag}_{name}"));
}

fn says_why(status: &str, response: &mut Response) {
    if response.description.is_empty() {
        let meaning = MEANINGS.iter().find(|(known, _)| *known == status);
        response.description = meaning.map_or(String::new(), |(_, meaning)| (*meaning).to_owned());
    }
    response.content.insert(JSON.to_owned(), problem().into());
}

/// Returns the body of a refusal.
fn problem() -> Content {
    ContentBuilder::new().schema(Some(Ref::from_schema_name(PROBLEM))).build()
}
