//! The role that each operation needs, as the description says it: as a role of its security requirement (OpenAPI 3.1,
//! 4.8.30). The handler of a request enforces the role (`guard`); a test on the real binary compares the two.

use people::Role;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{OpenApi, SecurityRequirement};

/// The operations that need more than the role viewer. Those of `operate` declare their role.
const NEEDED: &[(&str, &str, Role)] = &[
    ("post", "/api/flow/edit", Role::Operator),
    ("post", "/api/scripts", Role::Operator),
    ("put", "/api/scripts/{file}", Role::Operator),
    ("post", "/api/tests/{file}", Role::Operator),
    ("post", "/api/samples/{file}", Role::Operator),
    ("put", "/api/tariffs/{file}", Role::Operator),
    ("post", "/api/replay", Role::Operator),
    ("delete", "/api/replay", Role::Operator),
];

/// Adds the role to every operation that does not declare it.
pub(super) fn say(api: &mut OpenApi) {
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            if operation.security.is_some() {
                continue;
            }
            let found = NEEDED.iter().find(|(known, at, _)| *known == method && at == path);
            let role = found.map_or("viewer", |(_, _, role)| role.word());
            let either = ["token", "session"].map(|by| SecurityRequirement::new(by, [role]));
            operation.security = Some(either.to_vec());
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

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_is_of_an_operation_that_there_is() {
        let (_, mut api) = super::super::described();
        for (method, path, _) in super::NEEDED {
            let item = api.paths.paths.get_mut(*path).unwrap_or_else(|| panic!("no {path}"));
            assert!(super::operations(item).any(|(known, _)| known == *method), "{method} {path}");
        }
    }
}
