//! Reads a file, and shows each row on a line.

use measurements::{Context, Found, Parser, Rest, Row, Step, Text, Time, Value, Wanted};

/// The sizes of the parts that a file arrives in, beside all at once.
const PARTS: [usize; 3] = [1, 7, 64];

/// Returns the lines of a file, whatever parts it arrives in.
pub(crate) fn rows(file: &str) -> Vec<String> {
    rows_of(file, &[])
}

/// Returns the lines of a file of which only these counters are read.
pub(crate) fn rows_of(file: &str, wanted: &[&str]) -> Vec<String> {
    let whole = read(file.as_bytes(), file.len(), wanted);
    for part in PARTS {
        assert_eq!(
            sound(&read(file.as_bytes(), part, wanted)),
            sound(&whole),
            "parts of {part} octets"
        );
    }
    whole
}

/// Returns the rows alone: damage is cut into other pieces if it arrives in other parts.
fn sound(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| !line.starts_with('!')).collect()
}

/// Returns the lines of a file that arrives in parts of so many octets.
pub(crate) fn read(file: &[u8], part: usize, wanted: &[&str]) -> Vec<String> {
    lines(file, part, usize::MAX, wanted)
}

/// Returns the lines of a file whose elements have at most so many octets, a part.
pub(crate) fn in_parts(file: &str, part: usize) -> Vec<String> {
    lines(file.as_bytes(), part, part, &[])
}

fn lines(file: &[u8], part: usize, most: usize, wanted: &[&str]) -> Vec<String> {
    let mut parser = Parser::new(Wanted::new(wanted.iter().copied()));
    let (mut lines, mut at, mut size) = (Vec::new(), 0, part.max(1));
    loop {
        let end = (at + size).min(file.len());
        let rest = match end {
            end if end == file.len() => Rest::Nothing,
            end if end - at >= most => Rest::TooMuch,
            _ => Rest::More,
        };
        match parser.next(&file[at..end], at as u64, rest) {
            Step::Found(Found { offset, passed, result }) => {
                at += passed;
                size = part.max(1);
                lines.push(match result {
                    Ok(()) => {
                        assert!(file[offset as usize..].starts_with(b"<"), "{offset}");
                        alone(&parser, wanted);
                        line(&parser)
                    }
                    Err(fault) => format!("! {fault}"),
                });
            }
            Step::More { passed } => {
                assert!(rest != Rest::Nothing && (rest != Rest::TooMuch || passed > 0));
                at += passed;
                size = end - at + part.max(1);
            }
            Step::End => return lines,
        }
    }
}

/// Checks that a row is the same when it is read alone.
fn alone(parser: &Parser, wanted: &[&str]) {
    let octets = parser.octets();
    let mut again = Parser::new(Wanted::new(wanted.iter().copied()));
    let Step::Found(Found { passed, result, .. }) = again.next(octets, 0, Rest::Nothing) else {
        panic!("no row in {}", String::from_utf8_lossy(octets));
    };
    assert_eq!(result, Ok(()), "{}", String::from_utf8_lossy(octets));
    assert_eq!(line(&again), line(parser));
    assert_eq!(again.octets(), octets);
    assert_eq!(again.next(&octets[passed..], passed as u64, Rest::Nothing), Step::End);
}

/// Returns a row as a line: the head, the object, and each counter.
fn line(parser: &Parser) -> String {
    let (octets, row, context) = (parser.octets(), parser.row(), parser.context());
    let object = shown(octets, row.object);
    let suspect = if row.is_suspect { " suspect" } else { "" };
    let counters =
        context.names.iter().zip(&row.values).map(|(name, value)| {
            format!(" {}={}", text(octets, *name), value_of(octets, row, *value))
        });
    assert_eq!(context.names.len(), row.values.len());
    format!("{object}{suspect}:{}", counters.collect::<String>())
}

/// Returns the head of the first row of a file, as a line.
pub(crate) fn head(file: &str) -> String {
    let mut parser = Parser::new(Wanted::default());
    let found = parser.next(file.as_bytes(), 0, Rest::Nothing);
    assert!(matches!(found, Step::Found(Found { result: Ok(()), .. })), "{found:?}");
    let (octets, context) = (parser.octets(), parser.context());
    let Context {
        format,
        vendor,
        sender,
        sender_type,
        prefix,
        element,
        element_label,
        software_version,
        ..
    } = context;
    let texts = [
        vendor,
        sender,
        sender_type,
        prefix,
        element,
        element_label,
        software_version,
        &context.info,
        &context.job,
    ];
    let texts = texts.map(|text| shown(octets, *text)).join("|");
    let seconds = context.seconds.map_or("-".into(), |seconds| seconds.to_string());
    format!("{format:?} {texts} {} {} {seconds}", time(context.begin), time(context.end))
}

/// Returns when the periods of the rows of a file begin.
pub(crate) fn begins(file: &str) -> Vec<String> {
    let mut parser = Parser::new(Wanted::default());
    let (mut begins, mut at) = (Vec::new(), 0);
    while let Step::Found(found) = parser.next(&file.as_bytes()[at..], at as u64, Rest::Nothing) {
        at += found.passed;
        begins.push(time(parser.context().begin));
    }
    begins
}

fn time(time: Option<Time>) -> String {
    let Some(time) = time else { return "-".into() };
    let mut written = Vec::new();
    time.write(&mut written);
    String::from_utf8_lossy(&written).into_owned()
}

fn shown(octets: &[u8], place: Option<Text>) -> String {
    place.map_or("-".into(), |place| text(octets, place))
}

fn text(octets: &[u8], text: Text) -> String {
    let written = String::from_utf8_lossy(text.of(octets));
    if text.is_escaped { measurements::plain(&written) } else { written.into_owned() }
}

fn value_of(octets: &[u8], row: &Row, value: Value) -> String {
    match value {
        Value::Absent => "-".into(),
        Value::Integer(number) => number.to_string(),
        Value::Decimal(place) => text(octets, place),
        Value::Text(place) => format!("{:?}", text(octets, place)),
        Value::List { .. } => {
            let all = row.list(value).iter().map(|value| value_of(octets, row, *value));
            format!("[{}]", all.collect::<Vec<_>>().join(","))
        }
    }
}
