//! Values of a flow file as JSON, and back.

use serde_json::Value as Json;
use toml_edit::{Array, InlineTable, Item, Value};

/// Returns the value of a key as JSON.
pub(super) fn of_item(item: &Item) -> Json {
    if let Some(value) = item.as_value() {
        return of_value(value);
    }
    match (item.as_table_like(), item.as_array_of_tables()) {
        (Some(table), _) => {
            Json::Object(table.iter().map(|(key, item)| (key.into(), of_item(item))).collect())
        }
        (_, Some(tables)) => {
            let table = |table: &toml_edit::Table| of_item(&Item::Table(table.clone()));
            Json::Array(tables.iter().map(table).collect())
        }
        _ => Json::Null,
    }
}

fn of_value(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.value().clone()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(truth) => Json::Bool(*truth.value()),
        Value::Datetime(at) => Json::String(at.value().to_string()),
        Value::Array(list) => Json::Array(list.iter().map(of_value).collect()),
        Value::InlineTable(table) => {
            Json::Object(table.iter().map(|(key, value)| (key.into(), of_value(value))).collect())
        }
    }
}

/// Returns a value of a flow file; none for `null`, and for numbers that TOML cannot express.
pub(super) fn of_json(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(number)) if !number.is_nan() => Value::from(number),
            _ => return None,
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(list) => {
            let list: Option<Array> = list.iter().map(of_json).collect();
            Value::Array(list?)
        }
        Json::Object(table) => {
            let mut made = InlineTable::new();
            for (key, json) in table {
                made.insert(key, of_json(json)?);
            }
            Value::InlineTable(made)
        }
    })
}
