//! The description of an operation.

use std::collections::BTreeMap;

use operate::operation::Operation;
use operate::refusal::{PossibleRefusal, Refusal as _, RefusalKind};
use utoipa::openapi::extensions::{Extensions, ExtensionsBuilder};
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, Paths, PathsBuilder, Ref, RefOr, Required, ResponseBuilder,
    SecurityRequirement,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use super::shape::{Field, Schemas, Shape};
use super::status;
use crate::api::rate_limit;

const JSON: &str = "application/json";

/// The extension with the actions of changes.
const ACTIONS: &str = "x-audit-actions";

/// Returns the schemas and the path of an operation.
pub(super) fn described<O: Operation>(
    method: HttpMethod,
    path: &str,
    shape: Shape,
) -> (Schemas, Paths) {
    let Shape { description, fields, mut schemas } = shape;
    let is_in_path = |field: &Field| {
        ["", "*"].iter().any(|all| path.contains(&format!("{{{all}{}}}", field.name)))
    };
    let (in_path, others): (Vec<Field>, Vec<Field>) = fields.into_iter().partition(is_in_path);
    let is_get = method == HttpMethod::Get;
    let (in_query, in_body) = if is_get { (others, Vec::new()) } else { (Vec::new(), others) };
    let in_path = in_path.into_iter().map(|field| parameter(field, ParameterIn::Path));
    let in_query = in_query.into_iter().map(|field| parameter(field, ParameterIn::Query));
    let parameters: Vec<Parameter> = in_path.chain(in_query).collect();
    if !is_get {
        schemas.iter_mut().for_each(|(_, schema)| close(schema));
    }
    let body = (!in_body.is_empty()).then(|| {
        schemas.push((O::name().into_owned(), body(in_body)));
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(O::name()))).build();
        RequestBodyBuilder::new().content(JSON, content).required(Some(Required::True)).build()
    });
    if O::HAS_RESPONSE {
        schemas.push((O::Response::name().into_owned(), O::Response::schema()));
        O::Response::schemas(&mut schemas);
    }
    let (summary, description) = split(description.unwrap_or_default());
    let tag = O::NAME.split(' ').next().unwrap_or_default();
    let either = ["token", "session"].map(|by| SecurityRequirement::new(by, [O::ROLE.word()]));
    let mut operation = OperationBuilder::new()
        .tag(tag)
        .summary(Some(summary))
        .description(description)
        // Its prefix, the tag, is added with those of all others.
        .operation_id(Some(verb(O::NAME)))
        .parameters((!parameters.is_empty()).then_some(parameters))
        .request_body(body)
        .securities(Some(either))
        .extensions(Some(extensions::<O>()));
    operation = match O::HAS_RESPONSE {
        true => {
            let schema = Ref::from_schema_name(O::Response::name());
            let content = ContentBuilder::new().schema(Some(schema)).build();
            operation.response("200", ResponseBuilder::new().content(JSON, content))
        }
        false => operation.response("204", ResponseBuilder::new()),
    };
    for (status, description) in refusals(&O::Error::possible()) {
        operation = operation.response(status, ResponseBuilder::new().description(description));
    }
    let paths = PathsBuilder::new().path(path, PathItem::new(method, operation)).build();
    (schemas, paths)
}

/// Returns what the description says beyond the standard: that the operation takes long, and the actions of its changes
/// in the audit trail.
fn extensions<O: Operation>() -> Extensions {
    let mut extensions = ExtensionsBuilder::new();
    if O::IS_LONG {
        extensions = extensions.add(rate_limit::LONG, true);
    }
    if !O::ACTIONS.is_empty() {
        extensions = extensions.add(ACTIONS, O::ACTIONS);
    }
    extensions.build()
}

/// Returns the words behind the first as one name: `retry_take_back` of `suspense retry
/// --take-back`.
fn verb(name: &str) -> String {
    let words = name.split([' ', '-']).filter(|word| !word.is_empty());
    words.skip(1).collect::<Vec<_>>().join("_")
}

fn parameter(field: Field, place: ParameterIn) -> Parameter {
    let is_required = field.is_required || place == ParameterIn::Path;
    ParameterBuilder::new()
        .name(field.name)
        .parameter_in(place)
        .description(field.description)
        .required(if is_required { Required::True } else { Required::False })
        .schema(Some(field.schema))
        .build()
}

/// Returns the schema of a body with these fields and no others.
fn body(fields: Vec<Field>) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new()
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
    for Field { name, in_body, is_required, .. } in fields {
        if is_required {
            object = object.required(name.clone());
        }
        object = object.property(name, in_body);
    }
    RefOr::T(Schema::Object(object.build()))
}

/// Says that an object of a request has no other fields.
fn close(schema: &mut RefOr<Schema>) {
    if let RefOr::T(Schema::Object(object)) = schema
        && !object.properties.is_empty()
    {
        object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    }
}

/// Splits documentation into its first paragraph and the rest.
fn split(text: String) -> (String, Option<String>) {
    match text.split_once("\n\n") {
        Some((summary, rest)) => (summary.to_owned(), Some(rest.to_owned())),
        None => (text, None),
    }
}

/// Returns the description of each status: the codes and texts of its refusals. It is empty where
/// only errors of other types have the status. Faults of the gateway are alike for all operations,
/// and their texts are in its log only.
fn refusals(possible: &[PossibleRefusal]) -> BTreeMap<&'static str, String> {
    let mut by_status = BTreeMap::<&str, String>::new();
    // Several of the errors that an operation wraps may wrap the same one.
    let is_first = |(at, refusal): &(usize, &PossibleRefusal)| !possible[..*at].contains(refusal);
    let refusals = possible.iter().enumerate().filter(is_first).map(|(_, refusal)| refusal);
    let refusals = refusals.filter(|refusal| refusal.kind != RefusalKind::Internal);
    for PossibleRefusal { kind, text } in refusals {
        let description = by_status.entry(status(*kind)).or_default();
        if let Some((code, text)) = text {
            let separator = if description.is_empty() { "" } else { "; " };
            description.push_str(&format!("{separator}`{code}`: {text}"));
        }
    }
    by_status
}
