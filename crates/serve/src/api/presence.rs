//! Members of answers that may be `null` are always present. `serde` writes each of them, and the description, which takes
//! every optional value for one that may be absent, says so here. A member that is left out instead is never `null`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use utoipa::openapi::schema::{Schema, SchemaType, Type};
use utoipa::openapi::{OpenApi, RefOr};

/// Requires the members that may be `null`, in all schemas that no request uses.
pub(super) fn say(api: &mut OpenApi) {
    let Some(components) = &mut api.components else { return };
    let requested = requested(&api.paths.paths, &components.schemas);
    let answers = components.schemas.iter_mut().filter(|(name, _)| !requested.contains(*name));
    answers.for_each(|(_, schema)| require(schema));
}

/// Returns the names of the schemas that requests use.
fn requested(
    paths: &utoipa::openapi::path::PathsMap<String, utoipa::openapi::PathItem>,
    schemas: &BTreeMap<String, RefOr<Schema>>,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let paths = serde_json::to_value(paths).unwrap_or_default();
    let operations = paths.as_object().into_iter().flat_map(|paths| paths.values());
    let operations = operations.filter_map(Value::as_object).flat_map(|path| path.values());
    for operation in operations {
        collect(&operation["requestBody"], schemas, &mut names);
        collect(&operation["parameters"], schemas, &mut names);
    }
    names
}

/// Collects the names of the schemas that a part of the description refers to.
fn collect(part: &Value, schemas: &BTreeMap<String, RefOr<Schema>>, names: &mut BTreeSet<String>) {
    match part {
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, schemas, names)),
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            let name = reference.and_then(|reference| reference.rsplit('/').next());
            if let Some((name, schema)) = name.and_then(|name| schemas.get_key_value(name))
                && names.insert(name.clone())
            {
                collect(&serde_json::to_value(schema).unwrap_or_default(), schemas, names);
            }
            members.values().for_each(|part| collect(part, schemas, names));
        }
        _ => {}
    }
}

/// Requires the members of a schema that may be `null`.
fn require(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            for (name, member) in &mut object.properties {
                if may_be_null(member) && !object.required.contains(name) {
                    object.required.push(name.clone());
                }
                require(member);
            }
        }
        Schema::AllOf(all) => all.items.iter_mut().for_each(require),
        Schema::OneOf(one) => one.items.iter_mut().for_each(require),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(require),
        _ => {}
    }
}

fn may_be_null(member: &RefOr<Schema>) -> bool {
    let is_null = |ty: &SchemaType| match ty {
        SchemaType::Type(ty) => *ty == Type::Null,
        SchemaType::Array(types) => types.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    match member {
        RefOr::T(Schema::Object(object)) => is_null(&object.schema_type),
        RefOr::T(Schema::Array(array)) => is_null(&array.schema_type),
        RefOr::T(Schema::OneOf(one)) => one.items.iter().any(may_be_null),
        _ => false,
    }
}
