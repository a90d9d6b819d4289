//! What comes of an expression over a record, wherever it is written, and what is said of one that is wrong.

use std::sync::Arc;

use diagnostics::{Source, Span};
use node::{Language, Value};
use processing::{Dup, Execution};
use record::{Arena, Field, Kind, Memory, Record, Schema, SlotIndex, TextKind, Type, TypeId};
use settings::{Setting, Settings};

/// `Test.Call`: `number` INTEGER, `name` IA5String, `extra` INTEGER OPTIONAL, `parts` SEQUENCE OF INTEGER.
fn schema() -> (Schema, TypeId) {
    let mut schema = Schema::new();
    let mut add = |name: &str, kind| schema.add(Type { name: name.into(), kind });
    let integer = add("Test.Number", Kind::Integer { names: Vec::new() });
    let text = add("Test.Name", Kind::Text(TextKind::Ia5));
    let list = add("Test.Parts", Kind::SequenceOf(integer));
    let field = |name: &str, ty, optional| Field { name: name.into(), ty, optional, default: None };
    let fields = vec![
        field("number", integer, false),
        field("name", text, false),
        field("extra", integer, true),
        field("parts", list, false),
    ];
    let call = add("Test.Call", Kind::Sequence(fields));
    (schema, call)
}

fn call(memory: &mut Memory<'_>, ty: TypeId) -> Record {
    let record = memory.create(ty);
    let frame = memory.make_structure(record.root, 4);
    memory.set_number(frame, 41);
    memory.set_octets(SlotIndex(frame.0 + 1), b"Ada");
    record
}

/// Of the call 41 "Ada", the flow file's line must give this value, or be found to have this mistake.
fn check(line: &str, expected: &str) {
    for execution in [Execution::MachineCode, Execution::Interpreter] {
        assert_eq!(value(line, execution), expected, "{line}, {execution:?}");
    }
}

fn value(line: &str, execution: Execution) -> String {
    let folder = tempfile::tempdir().unwrap();
    let script = "INTEGER twice(call CONST Test.Call) { return call.number * 2; }\n\
                  INTEGER none() { return 0; }";
    std::fs::write(folder.path().join("keys.dup"), script).unwrap();
    let source = Source::new("flow.toml", line);
    let setting = |(start, end): (usize, usize)| {
        let (key, _) = line[..start].rsplit_once(" =").unwrap();
        let key = key.rsplit(' ').next().unwrap().to_owned();
        let value = line[start..end].replace("\\u002B", "+");
        Setting { key, value, span: Span::new(start, end) }
    };
    let quotes: Vec<usize> = line.match_indices('\'').map(|(at, _)| at).collect();
    let values = quotes.chunks(2).map(|pair| setting((pair[0] + 1, pair[1]))).collect();
    let settings = Settings {
        name: "boston".into(),
        span: Span::default(),
        source: Arc::clone(&source),
        folder: folder.path().into(),
        values,
    };
    let (mut schema, ty) = schema();
    let key = settings.get("key").unwrap();
    let expression = match Dup(execution).expression(&settings, key, ty, &mut schema) {
        Ok(expression) => expression,
        Err(mistakes) => {
            let said: Vec<_> = mistakes
                .iter()
                .map(|found| format!("{}: {}", found.place().column, found.message))
                .collect();
            return said.join("; ");
        }
    };
    let (mut arena, mut evaluator) = (Arena::new(), expression.evaluator());
    let mut memory = Memory::new(&[], &mut arena);
    let record = call(&mut memory, ty);
    match evaluator.evaluate(&mut memory, record) {
        Ok(Value::Integer(value)) => value.to_string(),
        Ok(Value::Octets(octets)) => format!("\"{}\"", octets.escape_ascii()),
        Err(refusal) => refusal.reason.to_string(),
    }
}

#[test]
fn an_expression_gives_a_number_or_octets() {
    check("key = 'record.number'", "41");
    check("key = 'record.number + 1'", "42");
    check("key = 'record.number > 40'", "1");
    check("key = 'concat(record.name, toString(record.number))'", "\"Ada41\"");
}

#[test]
fn where_a_script_is_named_its_function_is_called() {
    check("script = 'keys.dup', key = 'twice'", "82");
}

#[test]
fn what_is_absent_is_refused_with_its_place_in_the_flow_file() {
    check("key = 'record.extra'", "flow.toml:1:8: \"record.extra\" is absent");
}

#[test]
fn mistakes_are_at_their_place_in_the_flow_file() {
    check("key = 'record.nunber'", "15: Test.Call has no field \"nunber\"");
    check("key = 'call.number'", "8: no variable \"call\"");
    check("key = 'record.number; 1'", "21: expected the end of the expression, found \";\"");
    check("key = 'record.parts'", "8: neither a number nor a string comes of this");
    check("key = 'record'", "8: neither a number nor a string comes of this");
    check(
        "key = 'record.number \\u002B 1'",
        "8: an expression stands as it is, without escapes and variables",
    );
    check("script = 'keys.dup', key = 'twize'", "29: the script has no function \"twize\"");
    check(
        "script = 'keys.dup', key = 'none'",
        "9: this function is to take one record, and only read it",
    );
}
