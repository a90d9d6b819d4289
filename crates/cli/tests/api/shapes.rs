//! Tests the description of the types of a record in suspense: a form that is filled in by it makes values that the
//! gateway accepts.

use serde_json::{Value, json};

use crate::api::served::{Served, example};

/// Checks a value against a type, and everything inside the value.
fn look(types: &Value, place: &Value, value: &Value, at: &str) {
    let shape = &types[place.as_u64().unwrap_or_else(|| panic!("no type of {at}")) as usize];
    let field = |name: &str| {
        let fields = shape["fields"].as_array().into_iter().flatten();
        fields.clone().find(|field| field["name"] == name).unwrap_or_else(|| panic!("{at}.{name}"))
    };
    let is_right = match shape["kind"].as_str().unwrap() {
        "boolean" => value.is_boolean(),
        "integer" | "real" => value.is_number(),
        "enumerated" => shape["words"].as_array().unwrap().contains(value),
        "null" => value.is_null(),
        "octets" | "digits" | "packed-digits" | "text" => value.is_string(),
        "structure" | "choice" => {
            for (name, value) in value.as_object().unwrap() {
                look(types, &field(name)["type"], value, &format!("{at}.{name}"));
            }
            true
        }
        "list" => {
            let values = value.as_array().unwrap();
            values.iter().for_each(|value| look(types, &shape["of"], value, &format!("{at}[]")));
            true
        }
        other => panic!("{at} is {other}"),
    };
    assert!(is_right, "{at}: {value} is none of {shape}");
}

#[test]
fn the_types_of_a_record_in_suspense_are_told_and_what_they_allow_is_taken() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let path = format!("/api/suspense/{id}");
    assert_eq!(served.got(&anna, &path)["types"], Value::Null, "it cannot be read");
    let file = "/api/records?network_element=msc-boston&file=boston-00002.ber";
    let sound = served.got(&anna, file)["records"][0]["octets"].clone();
    let put = |said: Value| served.done(&anna, "PUT", &path, Some(said));
    put(json!({"octets": sound, "because": "as the switch has it"}));

    let shown = served.got(&anna, &path);
    let (types, record) = (&shown["types"], &shown["json"]);
    look(types, &json!(0), record, "record");
    assert_eq!(types[0]["name"], "MSC.CallDataRecord");
    let type_of = |name: &str| {
        let fields = types[0]["fields"].as_array().unwrap();
        let field = fields.iter().find(|field| field["name"] == name).expect("a field");
        (&types[field["type"].as_u64().unwrap() as usize], field["optional"] == true)
    };
    let (imsi, is_optional) = type_of("servedIMSI");
    assert_eq!((&imsi["kind"], is_optional), (&json!("packed-digits"), false), "{imsi}");
    let (radio, is_optional) = type_of("radioTechnology");
    assert_eq!((&radio["kind"], is_optional), (&json!("enumerated"), true), "{radio}");

    let mut corrected = record.clone();
    corrected["servedIMSI"] = json!("42001732547698f0");
    corrected["radioTechnology"] = radio["words"][1].clone();
    put(json!({"json": corrected, "because": "by the types"}));
    let now = served.got(&anna, &path);
    assert_eq!(now["json"], corrected);
    look(types, &json!(0), &now["json"], "record");
}
