//! The role that each operation needs, as the description says it: as a role of its security requirement (OpenAPI 3.1,
//! 4.8.30). Those of `operate` declare their role; endpoints of the server itself need the role viewer. The handler of a
//! request enforces the role (`guard`); a test on the real binary compares the two.

use people::Role;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{OpenApi, SecurityRequirement};

/// Adds the role to every operation that does not declare it.
pub(super) fn say(api: &mut OpenApi) {
    let either = ["token", "session"].map(|by| SecurityRequirement::new(by, [Role::Viewer.word()]));
    for item in api.paths.paths.values_mut() {
        for (_, operation) in operations(item) {
            operation.security.get_or_insert_with(|| either.to_vec());
        }
    }
}

pub(super) fn operations(
    item: &mut PathItem,
) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let of = [
        ("get", &mut item.get),
        ("post", &mut item.post),
        ("put", &mut item.put),
        ("delete", &mut item.delete),
    ];
    of.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}
