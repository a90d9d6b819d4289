//! Reads the request of an operation from the path, the query and the body.

use std::collections::BTreeMap;

use axum::body::Body as HttpBody;
use axum::extract::{FromRequest as _, FromRequestParts as _, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use operate::operation::Operation;
use serde_json::value::{RawValue, to_raw_value};
use utoipa::openapi::schema::Type;

use super::shape::{Field, Shape};
use crate::api::answer::{Body, Failure, INVALID, Query};

/// The fields with the reason of a change.
const REASONS: [&str; 2] = ["because", "remark"];

/// The fields of a request. Values of a body stay as they are written, so no number loses a digit.
type Values = BTreeMap<String, Box<RawValue>>;

/// Reads a request. The fields of a `GET` are in its query, those of others in their body; some may be in the path.
pub(super) async fn read<O: Operation>(
    parts: &mut Parts,
    body: HttpBody,
    shape: &Shape,
) -> Result<O, Failure> {
    let in_path = in_path(parts, shape).await?;
    let has_body = parts.method != Method::GET && shape.fields.len() > in_path.len();
    let mut values = match has_body {
        true => in_body(parts.clone(), body, shape).await?,
        false => in_query(parts, shape, &in_path).await?,
    };
    values.extend(in_path);
    add_reason(&mut values, shape)?;
    let text = serde_json::to_string(&values).map_err(|error| Failure::internal(&error))?;
    serde_json::from_str(&text).map_err(|error| {
        let status =
            if has_body { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        Failure::new(
            status,
            INVALID,
            format!("the request is not valid: {}", without_place(&error)),
        )
    })
}

async fn in_path(parts: &mut Parts, shape: &Shape) -> Result<Values, Failure> {
    let found = RawPathParams::from_request_parts(parts, &()).await;
    let found = found.map_err(|error| Failure::unread(error.status(), error.body_text()))?;
    found.iter().map(|(name, text)| typed(shape, name, text)).collect()
}

async fn in_query(parts: &mut Parts, shape: &Shape, in_path: &Values) -> Result<Values, Failure> {
    let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, &()).await?;
    parameters(&pairs, shape, in_path)
}

/// Returns the values of parameters. One that is unknown, or there twice, is refused: a mistyped condition would otherwise
/// be no condition.
fn parameters(
    pairs: &[(String, String)],
    shape: &Shape,
    in_path: &Values,
) -> Result<Values, Failure> {
    let refused = |error| Failure::new(StatusCode::BAD_REQUEST, INVALID, error);
    let fields = shape.fields.iter().map(|field| &field.name);
    let known: Vec<&String> = fields.filter(|name| !in_path.contains_key(*name)).collect();
    let mut values = Values::new();
    for (name, text) in pairs {
        if !known.contains(&name) {
            let known = match known.as_slice() {
                [] => "there are none".to_owned(),
                known => format!("there are {}", quoted(known)),
            };
            return Err(refused(format!("there is no parameter `{name}`; {known}")));
        }
        let (name, value) = typed(shape, name, text)?;
        if values.contains_key(&name) {
            return Err(refused(format!("the parameter `{name}` is there twice")));
        }
        values.insert(name, value);
    }
    Ok(values)
}

/// Returns names in backquotes.
fn quoted(names: &[&String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

async fn in_body(parts: Parts, body: HttpBody, shape: &Shape) -> Result<Values, Failure> {
    let Body(values) = Body::<Values>::from_request(Request::from_parts(parts, body), &()).await?;
    only_known(&values, &shape.fields)?;
    Ok(values)
}

/// Adds the reason of a change if the request has none: the operation refuses an empty one, with a code of its own.
fn add_reason(values: &mut Values, shape: &Shape) -> Result<(), Failure> {
    let is_reason = |field: &&Field| REASONS.contains(&field.name.as_str()) && field.is_required;
    for field in shape.fields.iter().filter(is_reason) {
        if !values.contains_key(&field.name) {
            let empty = to_raw_value("").map_err(|error| Failure::internal(&error))?;
            values.insert(field.name.clone(), empty);
        }
    }
    Ok(())
}

/// Refuses fields that are unknown: a mistyped condition would otherwise be no condition.
fn only_known(values: &Values, fields: &[Field]) -> Result<(), Failure> {
    for (name, value) in values {
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            let known: Vec<&String> = fields.iter().map(|field| &field.name).collect();
            return Err(Failure::wrong(
                INVALID,
                format!(
                    "the request is not valid: there is no field `{name}`; there are {}",
                    quoted(&known)
                ),
            ));
        };
        if !field.fields.is_empty()
            && let Ok(values) = serde_json::from_str::<Values>(value.get())
        {
            only_known(&values, &field.fields)?;
        }
    }
    Ok(())
}

/// Converts the text of a parameter to the JSON of its type.
fn typed(shape: &Shape, name: &str, text: &str) -> Result<(String, Box<RawValue>), Failure> {
    let ty =
        shape.fields.iter().find(|field| field.name == name).and_then(|field| field.ty.as_ref());
    let not_a = |what: &str| {
        Failure::new(
            StatusCode::BAD_REQUEST,
            INVALID,
            format!("`{name}` is not {what}: \"{text}\""),
        )
    };
    let value = match ty {
        Some(Type::Integer) => match text.parse::<i128>() {
            Ok(number) => RawValue::from_string(number.to_string()),
            Err(_) => return Err(not_a("a whole number")),
        },
        Some(Type::Boolean) => match text {
            "true" | "false" => RawValue::from_string(text.to_owned()),
            _ => return Err(not_a("`true` or `false`")),
        },
        _ => to_raw_value(text),
    };
    let value = value.map_err(|error| Failure::internal(&error))?;
    Ok((name.to_owned(), value))
}

/// Returns the text of an error without its place, which is not in the text that the client sent.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use operate::deliveries::ListDeliveries;
    use operate::suspense::RetryRecords;

    use super::*;

    /// Returns whether a body of [`RetryRecords`] has known fields only.
    fn is_known(body: &str) -> bool {
        let values = serde_json::from_str(body).expect("an object");
        only_known(&values, &Shape::of::<RetryRecords>().fields).is_ok()
    }

    #[test]
    fn a_body_has_the_fields_of_its_request_and_no_others_at_any_depth() {
        assert!(is_known(r#"{"ids": [1], "filter": {"node": "a"}, "duplicates": true}"#));
        assert!(is_known(r#"{"filter": null}"#));
        assert!(!is_known(r#"{"id": 1}"#));
        assert!(!is_known(r#"{"filter": {"nodes": "a"}}"#));
    }

    #[test]
    fn a_query_has_the_parameters_of_its_request_once_each() {
        let shape = Shape::of::<ListDeliveries>();
        let read = |pairs: &[(&str, &str)], in_path: &[&str]| {
            let pairs: Vec<_> =
                pairs.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
            let null = || RawValue::from_string("null".into()).expect("JSON");
            let in_path = in_path.iter().map(|name| ((*name).into(), null())).collect();
            parameters(&pairs, &shape, &in_path).is_ok()
        };
        assert!(read(&[("after", "7"), ("all", "true")], &[]));
        assert!(!read(&[("afte", "7")], &[]));
        assert!(!read(&[("after", "7"), ("after", "8")], &[]));
        assert!(!read(&[("after", "7")], &["after"]), "it is in the path");
    }

    #[test]
    fn a_parameter_is_of_its_type() {
        let shape = Shape::of::<ListDeliveries>();
        let json = |name, text| typed(&shape, name, text).map(|(_, value)| value.get().to_owned());
        assert_eq!(json("after", "+7").ok().as_deref(), Some("7"));
        assert_eq!(json("all", "true").ok().as_deref(), Some("true"));
        assert_eq!(json("state", "given-up").ok().as_deref(), Some("\"given-up\""));
        assert_eq!(json("post_processing_system", "7").ok().as_deref(), Some("\"7\""));
        for (name, text) in [("after", "7a"), ("after", ""), ("all", "yes"), ("limit", "1e3")] {
            assert!(json(name, text).is_err(), "{name}={text}");
        }
    }
}
