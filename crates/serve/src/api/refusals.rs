//! With what else operations answer than what they do, as the description says it: by what a request passes on its way to
//! them, in one place for all. What one of them refuses beside that, it says itself.

use utoipa::PartialSchema as _;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{OpenApi, Ref, RefOr};

use super::answer::Problem;
use super::needed::operations;

/// The name of what is answered then.
const PROBLEM: &str = "Problem";

/// Of whatever is asked for.
const OF_ALL: &[(&str, &str)] = &[("500", "Something went wrong in the gateway; its log has why")];

/// Of what is not for everybody.
const OF_GUARDED: &[(&str, &str)] = &[
    ("401", "Nobody is in, or the token is not known"),
    (
        "403",
        "The role is not enough; or it is a change by a session without `X-CSRF-Token`, or another site asks",
    ),
    ("503", "The gateway opens its journal; `Retry-After` says when to ask again"),
];

/// Of the doors.
const OF_DOORS: &[(&str, &str)] = &[("403", "Another site asks")];

/// Of what has parameters.
const OF_PARAMETERS: &[(&str, &str)] = &[("400", "A parameter cannot be read")];

/// Of what has a body.
const OF_BODIES: &[(&str, &str)] = &[
    ("400", "The request cannot be read"),
    ("408", "The request came too slowly"),
    ("413", "The request is larger than 4 MB"),
    ("415", "The request is not said to be `application/json`"),
    ("422", "The request is not what is asked for; the answer says why"),
];

/// What statuses mean where an operation says no more.
const MEANINGS: &[(&str, &str)] = &[
    ("404", "There is nothing of this name or number"),
    ("409", "As things are it cannot be done; the answer says why"),
    ("410", "It is not there any more"),
    ("422", "Something in the request is wrong; the answer says what"),
];

/// Says it of each.
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
}

fn refuses(operation: &mut Operation, is_guarded: bool) {
    let has_parameters = operation.parameters.as_ref().is_some_and(|all| !all.is_empty());
    let guarded = if is_guarded { OF_GUARDED } else { OF_DOORS };
    let bodies = if operation.request_body.is_some() { OF_BODIES } else { &[] };
    let parameters = if has_parameters { OF_PARAMETERS } else { &[] };
    let responses = &mut operation.responses.responses;
    for (status, meaning) in [bodies, parameters, guarded, OF_ALL].concat() {
        let response = || ResponseBuilder::new().description(meaning).build();
        responses.entry(status.to_owned()).or_insert_with(|| response().into());
    }
    for (status, response) in responses {
        if let RefOr::T(response) = response
            && status.as_str() >= "400"
        {
            says_why(status, response);
        }
    }
}

/// A name that no other operation has: functions of several modules have the same.
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
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(PROBLEM))).build();
    response.content.insert("application/json".to_owned(), content.into());
}
