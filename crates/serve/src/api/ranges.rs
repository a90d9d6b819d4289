//! Numbers without sign, described by their ranges: `int32` and `int64`, their formats otherwise, end at 2^31 and 2^63.

use utoipa::openapi::schema::{ArrayItems, KnownFormat, Object, Schema, SchemaFormat};
use utoipa::openapi::{OpenApi, RefOr};

/// Describes the numbers in all schemas by their ranges.
pub(super) fn say(api: &mut OpenApi) {
    if let Some(components) = &mut api.components {
        components.schemas.values_mut().for_each(say_in);
    }
}

/// Describes the numbers in a schema by their ranges.
pub(super) fn say_in(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            say_of(object);
            object.properties.values_mut().for_each(say_in);
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                say_in(items);
            }
        }
        Schema::AllOf(all) => all.items.iter_mut().for_each(say_in),
        Schema::OneOf(one) => one.items.iter_mut().for_each(say_in),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(say_in),
        _ => {}
    }
}

fn say_of(number: &mut Object) {
    if number.minimum.is_none() || number.maximum.is_some() {
        return;
    }
    let maximum = match &number.format {
        Some(SchemaFormat::KnownFormat(KnownFormat::Int32)) => u32::MAX as usize,
        Some(SchemaFormat::KnownFormat(KnownFormat::Int64)) => u64::MAX as usize,
        _ => return,
    };
    number.format = None;
    number.maximum = Some(maximum.into());
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use utoipa::{PartialSchema as _, ToSchema};

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "its schema is all that counts")]
    struct Numbers {
        large: Option<u64>,
        small: Vec<u32>,
        signed: i64,
    }

    #[test]
    fn numbers_without_sign_have_ranges_wherever_they_are() {
        let mut schema = Numbers::schema();
        super::say_in(&mut schema);
        let members = serde_json::to_value(&schema).unwrap()["properties"].take();
        let range = |of: &Value| (of["minimum"].clone(), of["maximum"].clone());
        assert_eq!(range(&members["large"]), (json!(0), json!(u64::MAX)));
        assert_eq!(range(&members["small"]["items"]), (json!(0), json!(u32::MAX)));
        assert_eq!(members["signed"], json!({"type": "integer", "format": "int64"}));
    }
}
