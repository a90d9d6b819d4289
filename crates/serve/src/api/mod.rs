//! The API: everything that the interface does, and no more. The code generates its description.

mod answer;
mod balance;
mod common_refusals;
mod concurrency;
mod flow_file;
mod guard;
mod live;
mod needed;
mod operation;
mod operations;
mod presence;
mod ranges;
mod rate_limit;
mod session;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode};
use axum::routing::get;
use axum::{Json, Router, middleware};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder};
use utoipa_axum::router::OpenApiRouter;

pub(crate) use answer::{Body, Failure, blocking};
pub(crate) use concurrency::{ConcurrencyLimits, THREADS_MAX};
pub(crate) use guard::{cookie_of, is_still_in};
pub(crate) use rate_limit::RateLimits;
pub(crate) use session::login_routes;

use crate::served::Served;
use rate_limit::RequestKinds;

/// The maximum size of a request in octets: it has room for a flow file or a record.
const BODY_OCTETS_MAX: usize = 4 << 20;

/// Returns the routes of the API with its description.
fn described() -> (Router<Arc<Served>>, OpenApi) {
    let info = InfoBuilder::new()
        .title("Tollgate")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "The API of a gateway: everything that its web interface does. A client sends a token (`Authorization: \
             Bearer …`) or the cookie of a session; with a cookie, each change also needs the header `X-CSRF-Token`. \
             Times are in UTC (`2026-11-21T14:05:00Z`). A refusal has the body `{\"error\": …}`; after too many \
             requests its status is 429, with `Retry-After`.",
        ));
    let token = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
        format!("{}_GATEWAY", guard::COOKIE),
        "The last part of the name differs between gateways on one machine; the answer to `/login` sets the cookie. \
         Over TLS the name begins with `__Host-`."
            .to_owned(),
    )));
    let components = ComponentsBuilder::new()
        .security_scheme("token", token)
        .security_scheme("session", cookie)
        .build();
    let api = OpenApiBuilder::new().info(info.build()).components(Some(components)).build();
    let parts = [
        session::routes(),
        flow_file::routes(),
        live::routes(),
        balance::routes(),
        operations::routes(),
    ];
    let all = parts.into_iter().fold(OpenApiRouter::with_openapi(api), OpenApiRouter::merge);
    let (router, mut api) = all.split_for_parts();
    let either = ["token", "session"]
        .map(|name| utoipa::openapi::SecurityRequirement::new(name, Vec::<String>::new()));
    api.security = Some(either.to_vec());
    // A wildcard matches several path segments, which the description cannot express.
    let paths = std::mem::take(&mut api.paths.paths);
    api.paths.paths =
        paths.into_iter().map(|(path, item)| (path.replace("{*", "{"), item)).collect();
    ranges::say(&mut api);
    needed::say(&mut api);
    rate_limit::say(&mut api);
    api.merge(session::described_doors().split_for_parts().1);
    common_refusals::say(&mut api);
    presence::say(&mut api);
    (router, api)
}

/// Returns all routes under `/api`, behind the guard.
pub(crate) fn routes(served: &Arc<Served>) -> Router<Arc<Served>> {
    let (router, mut api) = described();
    let kinds = Arc::new(RequestKinds::of(&mut api));
    let api = Arc::new(api);
    let description = move || {
        let api = Arc::clone(&api);
        async move { Json(api.as_ref().clone()) }
    };
    let unknown =
        || async { Failure::unknown("path-unknown", "there is nothing of this name in the API") };
    let not_allowed = |method: Method| async move {
        let error =
            format!("{method} is no method of this path; the header Allow has those that are");
        Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", error)
    };
    router
        .route("/api/openapi.json", get(description))
        .route("/api", axum::routing::any(unknown))
        .route("/api/", axum::routing::any(unknown))
        .route("/api/{*rest}", axum::routing::any(unknown))
        .method_not_allowed_fallback(not_allowed)
        .layer(DefaultBodyLimit::max(BODY_OCTETS_MAX))
        .layer(middleware::from_fn_with_state((Arc::clone(served), kinds), guard::admit))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::{Path, PathBuf};

    use serde_json::{Value, json};

    /// Returns the sources below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
        paths.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
    }

    /// Returns the name that a text begins with.
    fn leading_name(text: &str) -> &str {
        let is_of_it = |letter: char| letter.is_alphanumeric() || letter == '_';
        text.split(|letter| !is_of_it(letter)).next().unwrap_or_default()
    }

    /// Returns the schema names of the types that a source describes, by a derive or by an impl.
    fn described_in(source: &str) -> Vec<String> {
        let product = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let derived = product.split("#[derive(").skip(1).filter_map(|rest| {
            let (derives, rest) = rest.split_once(")]").expect("the end of a derive");
            let is_described = derives.split([',', ' ', '\n']).any(|name| name == "ToSchema");
            is_described.then(|| {
                let words = [" struct ", " enum ", "\nstruct ", "\nenum "];
                let at = |word: &&str| rest.find(*word).map(|at| (at, at + word.len()));
                let (attributes_end, name) = words.iter().filter_map(at).min().expect("a type");
                let alias = rest[..attributes_end].split_once("#[schema(as = ");
                leading_name(alias.map_or(&rest[name..], |(_, alias)| alias)).to_owned()
            })
        });
        let by_hand = product.split("impl ToSchema for ").skip(1).map(|rest| {
            let body = rest.split("\n}").next().unwrap_or_default();
            let is_named = body.lines().next().is_some_and(|line| !line.ends_with("{}"));
            let own = body.split_once("fn name()").filter(|_| is_named);
            let own = own.map(|(_, name)| name.split('"').nth(1).expect("a name in quotes"));
            leading_name(own.unwrap_or(rest)).to_owned()
        });
        derived.chain(by_hand).collect()
    }

    #[test]
    fn names_of_schemas_are_found_in_sources() {
        let source = "#[derive(Clone, ToSchema)]\n#[schema(as = Plain)]\npub enum One {\n\
             #[derive(Clone)]\nstruct Other;\n\
             #[derive(\n    ToSchema,\n    Debug\n)]\nstruct Third<'a> {\n\
             impl ToSchema for Fourth {}\n\
             impl ToSchema for Fifth {\n    fn name() -> Text {\n        \"Last\".into()\n    }\n}\n\
             #[cfg(test)]\nmod tests {\n#[derive(ToSchema)]\nstruct Tested;\n";
        assert_eq!(described_in(source), ["Plain", "Third", "Fourth", "Last"]);
    }

    /// The description identifies types by name alone: of two types with one name it would show one for both.
    #[test]
    fn no_two_types_of_the_description_are_called_alike() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut names = BTreeMap::new();
        let crates = std::fs::read_dir(crates).expect("the crates");
        let folders = crates.map(|entry| entry.expect("a crate").path().join("src"));
        for path in folders.flat_map(|folder| sources(&folder)) {
            let text = std::fs::read_to_string(&path).expect("a file");
            for name in described_in(&text) {
                if let Some(other) = names.insert(name.clone(), path.clone()) {
                    panic!("\"{name}\": {} and {}", other.display(), path.display());
                }
            }
        }
        let (_, api) = super::described();
        let schemas = api.components.expect("components").schemas;
        let missed: Vec<&String> =
            schemas.keys().filter(|name| !names.contains_key(*name)).collect();
        assert!(missed.is_empty(), "the sources describe types that are not found: {missed:?}");
    }

    /// Finds objects whose description has no properties and does not say why.
    fn undescribed(place: String, part: &Value, found: &mut Vec<String>) {
        let says = |name: &str| part.get(name).is_some_and(|text| *text != json!(""));
        let is_object = part["type"] == "object" || part["type"][0] == "object";
        let is_described =
            ["properties", "additionalProperties", "description"].into_iter().any(says);
        if is_object && !is_described {
            found.push(place.clone());
        }
        let parts: Vec<(String, &Value)> = match part {
            Value::Object(all) => all.iter().map(|(name, part)| (name.clone(), part)).collect(),
            Value::Array(all) => {
                all.iter().enumerate().map(|(at, part)| (at.to_string(), part)).collect()
            }
            _ => Vec::new(),
        };
        for (name, part) in parts {
            undescribed(format!("{place}/{name}"), part, found);
        }
    }

    #[test]
    fn the_description_says_what_is_in_each_answer_and_with_what_else_it_may_be_refused() {
        let (_, api) = super::described();
        let api = serde_json::to_value(&api).expect("a description");
        let (mut found, mut names) = (Vec::new(), BTreeSet::new());
        undescribed(String::new(), &api, &mut found);
        for (path, methods) in api["paths"].as_object().expect("paths") {
            for (method, operation) in methods.as_object().expect("methods") {
                let name = operation["operationId"].as_str().expect("a name").to_owned();
                assert!(names.insert(name), "{method} {path} is called as another is");
                let responses = operation["responses"].as_object().expect("responses");
                let is_guarded = path.starts_with("/api/");
                let needed =
                    if is_guarded { &["401", "403", "500", "503"][..] } else { &["403", "500"] };
                let missing = needed.iter().filter(|status| !responses.contains_key(**status));
                found.extend(missing.map(|status| format!("{method} {path}: no {status}")));
                let of = |status: &str| &responses[status]["content"]["application/json"]["schema"];
                let problem = json!({"$ref": "#/components/schemas/Problem"});
                let bare = responses
                    .keys()
                    .filter(|status| status.as_str() >= "400" && *of(status) != problem);
                found.extend(bare.map(|status| format!("{method} {path}: {status}")));
                assert_eq!(operation["security"] == json!([]), !is_guarded, "{method} {path}");
            }
        }
        assert!(found.is_empty(), "{found:#?}");
        assert_eq!(api["components"]["schemas"]["Problem"]["required"], json!(["error", "code"]));
    }

    /// The description is in a file, so that a review of a change sees it. To write it: `WRITE=1 cargo test -p
    /// tollgate-serve`; then `npm run api-types` writes the types that the interface has of it. The library writes the
    /// extensions of an operation in any order, so the text itself is not compared.
    #[test]
    fn the_description_is_what_was_agreed() {
        let (_, api) = super::described();
        let found = api.to_pretty_json().expect("a description") + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let is_agreed =
            || std::fs::read_to_string(path).is_ok_and(|agreed| value(&agreed) == value(&found));
        if std::env::var_os("WRITE").is_some() && !is_agreed() {
            std::fs::write(path, &found).expect("it can be written");
        }
        assert!(
            is_agreed(),
            "crates/serve/openapi.json is not what the code says: WRITE=1 writes it"
        );
    }
}
