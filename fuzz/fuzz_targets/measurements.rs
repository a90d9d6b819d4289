//! Octets of a file of measurements, in parts of any size: places lie within the octets, each row is read again from its own
//! octets, and the parser comes to an end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use measurements::{Found, Parser, Rest, Row, Step, Text, Value, Wanted};

fuzz_target!(|octets: &[u8]| {
    let Some((size, file)) = octets.split_first() else { return };
    let part = usize::from(*size).max(1);
    let (mut parser, mut at, mut length, mut steps) = (Parser::new(Wanted::default()), 0, part, 0);
    loop {
        steps += 1;
        assert!(steps <= 64 * file.len() + 64, "it comes to an end");
        let end = (at + length).min(file.len());
        let rest = match (end == file.len(), length > 4096) {
            (true, _) => Rest::Nothing,
            (false, true) => Rest::TooMuch,
            (false, false) => Rest::More,
        };
        match parser.next(&file[at..end], at as u64, rest) {
            Step::End => return,
            Step::More { passed } => {
                at += passed;
                length = (end - at) + part;
            }
            Step::Found(Found { offset, passed, result }) => {
                assert!(offset <= file.len() as u64);
                (at, length) = (at + passed, part);
                if result.is_ok() {
                    check(&parser);
                }
            }
        }
    }
});

fn check(parser: &Parser) {
    let (octets, row) = (parser.octets(), parser.row());
    assert_eq!(row.values.len(), parser.context().names.len());
    let text = |text: Text| {
        assert!(text.start <= text.end && text.end as usize <= octets.len());
        let _ = std::str::from_utf8(text.of(octets)).map(measurements::plain);
    };
    parser.context().names.iter().copied().chain(row.object).for_each(text);
    for value in row.values.iter().chain(&row.elements) {
        match *value {
            Value::Decimal(place) | Value::Text(place) => text(place),
            value => assert!(row.list(value).iter().all(|element| !matches!(element, Value::List { .. }))),
        }
    }
    parser.places().into_iter().for_each(|(_, place)| assert!(place.end <= octets.len()));
    let mut again = Parser::new(Wanted::default());
    let found = again.next(octets, 0, Rest::Nothing);
    assert!(matches!(found, Step::Found(Found { result: Ok(()), .. })), "{found:?}");
    assert_eq!(values(again.row()), values(row));
}

fn values(row: &Row) -> (&[Value], &[Value], bool) {
    (&row.values, &row.elements, row.is_suspect)
}
