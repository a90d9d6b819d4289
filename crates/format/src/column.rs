//! A column of a text format: the path of its value in the record, and the form of the value.
//!
//! In a flow file: `path`, `header = path`, `path as tbcd`, `header = path as hex`. Without `as`, characters are
//! written as they are and everything else as in JSON (X.697) without quotes.

use asn1::{Integer, Plan, jer};
use diagnostics::{Diagnostic, did_you_mean};
use reason::Coded;
use record::{Kind, Memory, Path, PathError, Record, Slot, TextKind, TypeId};
use settings::{Setting, Settings};

use crate::error::WriteError;
use crate::text::shown;

/// The form of a value's octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As they are.
    Text,
    /// Two hexadecimal digits per octet.
    Hex,
    /// Their digits, the lower half first (3GPP TS 29.002, 17.7.8).
    Tbcd,
    /// Their digits, the higher half first.
    Bcd,
    /// A whole number, as in JSON.
    Number,
    /// As in JSON, without quotes.
    Json,
}

const FORMS: [(&str, Form); 4] =
    [("text", Form::Text), ("hex", Form::Hex), ("tbcd", Form::Tbcd), ("bcd", Form::Bcd)];

/// The digits of TBCD by their value; 15 fills the last octet.
const TBCD: &[u8; 15] = b"0123456789*#abc";

/// The two hexadecimal digits of each octet.
const HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let (mut table, mut octet) = ([[0; 2]; 256], 0);
    while octet < 256 {
        table[octet] = [digits[octet >> 4], digits[octet & 15]];
        octet += 1;
    }
    table
};

/// Maximum digits of a 64-bit number.
const DIGITS_MAX: usize = 20;

/// The reason why text is not a value of its column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("column")]
pub enum ColumnError {
    /// Two columns of the same CHOICE have a value.
    #[error("column \"{column}\": another alternative of its CHOICE has a value")]
    Taken {
        /// The second of them.
        column: String,
    },
    /// The text does not have the form of the column's type.
    #[error("column \"{column}\": \"{text}\" is not {expected}")]
    Value {
        /// The column.
        column: String,
        /// The beginning of the text.
        text: String,
        /// The form of its type.
        expected: &'static str,
    },
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its name in the header.
    pub(crate) header: String,
    path: Path,
    form: Form,
}

impl Column {
    /// Returns the columns of a table; by default one for each component, if none is a structure.
    pub(crate) fn all(
        plan: &Plan,
        ty: TypeId,
        settings: &Settings,
    ) -> Result<Vec<Self>, Vec<Diagnostic>> {
        let named: Vec<&Setting> = settings.all("columns").collect();
        if named.is_empty() {
            return Self::usual(plan, ty, settings);
        }
        let columns = named.iter().map(|setting| {
            Self::parse(plan, ty, &setting.value)
                .map_err(|(message, hint)| settings.error(setting, message).hint_maybe(hint))
        });
        let columns = collect(columns)?;
        let twice = (1..columns.len())
            .find(|place| columns[..*place].iter().any(|c| c.header == columns[*place].header));
        match twice {
            Some(place) => {
                let message = format!("two columns are called \"{}\"", columns[place].header);
                Err(vec![settings.error(named[place], message).hint("name = path names a column")])
            }
            None => Ok(columns),
        }
    }

    fn usual(plan: &Plan, ty: TypeId, settings: &Settings) -> Result<Vec<Self>, Vec<Diagnostic>> {
        let schema = plan.schema();
        let fields = schema.kind(ty).fields();
        let mistake = |message: String| {
            let mistake = Diagnostic::error(&settings.source, settings.span, message);
            Err(vec![mistake.hint("name the columns: columns = [\"field.field\", …]")])
        };
        let name = &schema.get(ty).name;
        if fields.is_empty() || matches!(schema.kind(ty), Kind::Choice(_)) {
            return mistake(format!("\"{name}\" has no components to make columns of"));
        }
        let structured: Vec<&str> = fields
            .iter()
            .filter(|field| schema.kind(field.ty).is_constructed())
            .map(|field| field.name.as_str())
            .collect();
        if !structured.is_empty() {
            let structured = structured.join(", ");
            return mistake(format!(
                "a line has no place for what is structured in \"{name}\": {structured}"
            ));
        }
        Ok(fields.iter().filter_map(|field| Self::parse(plan, ty, &field.name).ok()).collect())
    }

    /// Parses a column's text.
    pub(crate) fn parse(
        plan: &Plan,
        ty: TypeId,
        text: &str,
    ) -> Result<Self, (String, Option<String>)> {
        let (header, rest) = match text.split_once('=') {
            Some((header, rest)) => (Some(header.trim().to_owned()), rest.trim()),
            None => (None, text.trim()),
        };
        let (path_text, form) = match rest.split_once(" as ") {
            Some((path, form)) => (path.trim(), Some(form.trim())),
            None => (rest, None),
        };
        let schema = plan.schema();
        let path = Path::resolve(schema, ty, path_text).map_err(|error| {
            let hint = match &error {
                PathError::NoField { name, known, .. } => {
                    did_you_mean(name, known.iter().map(String::as_str))
                }
                _ => None,
            };
            (error.to_string(), hint)
        })?;
        let kind = schema.kind(path.ty());
        if kind.is_constructed() {
            return Err((format!("\"{path_text}\" is a structure, a column is one value"), None));
        }
        let form = match form {
            None if is_text(kind) => Form::Text,
            None if *kind == Kind::OctetString => Form::Hex,
            None if matches!(kind, Kind::Integer { .. }) => Form::Number,
            None => Form::Json,
            Some(name) => {
                let found = FORMS.iter().find(|(known, _)| *known == name);
                let Some((_, form)) = found else {
                    let known = FORMS.map(|(name, _)| name);
                    let hint =
                        did_you_mean(name, known).unwrap_or(format!("known: {}", known.join(", ")));
                    return Err((format!("values are not written as \"{name}\""), Some(hint)));
                };
                if !matches!(kind, Kind::OctetString | Kind::Text(_) | Kind::Time(_)) {
                    return Err((
                        format!("\"{path_text}\" is no string, \"as\" has no meaning"),
                        None,
                    ));
                }
                if matches!(form, Form::Tbcd | Form::Bcd) && !matches!(kind, Kind::OctetString) {
                    return Err((
                        format!(
                            "\"{path_text}\" is no OCTET STRING, there are no digits in its octets"
                        ),
                        None,
                    ));
                }
                *form
            }
        };
        Ok(Column { header: header.unwrap_or_else(|| path_text.to_owned()), path, form })
    }

    /// Returns the type of its values.
    pub(crate) fn ty(&self) -> TypeId {
        self.path.ty()
    }

    /// Returns whether its values are plain text, even if they look like another type.
    pub(crate) fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// Returns the types of the values on the path to this one.
    pub(crate) fn entered(&self) -> impl Iterator<Item = TypeId> + '_ {
        self.path.entered().iter().copied()
    }

    /// Returns whether no value of it contains such a character, a quote or a line end.
    pub(crate) fn is_never_quoted(&self, separator: u8) -> bool {
        let written = b"0123456789abcdef*#-\"\r\n";
        !matches!(self.form, Form::Text | Form::Json) && !written.contains(&separator)
    }

    /// Appends the value; nothing if it is absent.
    pub(crate) fn read(
        &self,
        plan: &Plan,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let Some(at) = self.path.find(memory, record) else { return Ok(()) };
        if self.form == Form::Number
            && let Ok(number) = memory.number(at)
        {
            decimal(number, out);
            return Ok(());
        }
        if matches!(self.form, Form::Json | Form::Number) {
            let start = out.len();
            let value = Record { ty: self.path.ty(), root: at };
            jer::write(plan, memory, value, jer::Options::default(), out)?;
            if let [b'"', .., b'"'] = out[start..] {
                out.pop();
                out.remove(start);
            }
            return Ok(());
        }
        let octets = memory.octets(at)?;
        let halves = |high_first: bool| {
            octets.iter().flat_map(move |octet| match high_first {
                true => [octet >> 4, octet & 15],
                false => [octet & 15, octet >> 4],
            })
        };
        match self.form {
            Form::Text | Form::Json | Form::Number => out.extend_from_slice(octets),
            Form::Hex => {
                let start = out.len();
                out.resize(start + 2 * octets.len(), 0);
                for (digits, octet) in out[start..].as_chunks_mut().0.iter_mut().zip(octets) {
                    *digits = HEX[usize::from(*octet)];
                }
            }
            Form::Tbcd => out.extend(halves(false).map_while(|half| TBCD.get(usize::from(half)))),
            Form::Bcd => {
                out.extend(halves(true).take_while(|half| *half < 10).map(|half| b'0' + half));
            }
        }
        Ok(())
    }

    /// Puts a value that was read as text into a record. Empty text means an absent value.
    pub(crate) fn put(
        &self,
        plan: &Plan,
        memory: &mut Memory<'_>,
        record: Record,
        text: &[u8],
    ) -> Result<(), Box<ColumnError>> {
        if text.is_empty() {
            return Ok(());
        }
        if self.path.is_taken(memory, record) {
            return Err(Box::new(ColumnError::Taken { column: self.header.clone() }));
        }
        let wrong = |expected: &'static str| {
            let (column, text) = (self.header.clone(), shown(text));
            Err(Box::new(ColumnError::Value { column, text, expected }))
        };
        if matches!(self.form, Form::Json | Form::Number) {
            return match value(plan, memory, self.path.ty(), text) {
                Ok(slot) => {
                    let at = self.path.make(memory, record);
                    *memory.arena.slot_mut(at) = slot;
                    Ok(())
                }
                Err(what) => wrong(what),
            };
        }
        let mut octets = Vec::new();
        match self.form {
            Form::Text | Form::Json | Form::Number => octets.extend_from_slice(text),
            Form::Hex => {
                let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
                for pair in text.chunks(2) {
                    match (value(pair[0]), pair.get(1).and_then(|digit| value(*digit))) {
                        (Some(high), Some(low)) => octets.push(high << 4 | low),
                        _ => return wrong("an even number of hexadecimal digits"),
                    }
                }
            }
            Form::Tbcd | Form::Bcd => {
                let known = if self.form == Form::Tbcd { TBCD.as_slice() } else { &TBCD[..10] };
                let value =
                    |digit: u8| known.iter().position(|known| *known == digit).map(|v| v as u8);
                for pair in text.chunks(2) {
                    let (first, second) =
                        (value(pair[0]), pair.get(1).map_or(Some(15), |d| value(*d)));
                    match (first, second) {
                        (Some(first), Some(second)) if self.form == Form::Tbcd => {
                            octets.push(second << 4 | first);
                        }
                        (Some(first), Some(second)) => octets.push(first << 4 | second),
                        _ => return wrong("made of digits"),
                    }
                }
            }
        }
        let at = self.path.make(memory, record);
        memory.set_octets(at, &octets);
        Ok(())
    }
}

/// Appends the digits of a number.
fn decimal(number: i64, out: &mut Vec<u8>) {
    if let 0..10 = number {
        return out.push(b'0' + number as u8); // Most are names of a few things.
    }
    if number < 0 {
        out.push(b'-');
    }
    let (mut left, mut digits) = (number.unsigned_abs(), [b'0'; DIGITS_MAX]);
    let mut first = DIGITS_MAX;
    while left > 0 {
        first -= 1;
        digits[first] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    out.extend_from_slice(&digits[first..]);
}

/// Returns the slot of a value that is no string: a number, a name, or a value that JSON writes in quotes.
pub(crate) fn value(
    plan: &Plan,
    memory: &mut Memory<'_>,
    ty: TypeId,
    text: &[u8],
) -> Result<Slot, &'static str> {
    let written = std::str::from_utf8(text).map_err(|_| "text")?;
    let number = match plan.schema().kind(ty) {
        Kind::Boolean => match written {
            "true" | "TRUE" | "1" => 1,
            "false" | "FALSE" | "0" => 0,
            _ => return Err("true or false"),
        },
        Kind::Integer { names } => {
            let named = names.iter().find(|(name, _)| name == written).map(|(_, value)| *value);
            match named.map(Integer::Number).or_else(|| Integer::parse(written)) {
                Some(number) => return Ok(number.slot(memory.arena)),
                None => return Err(Integer::EXPECTED),
            }
        }
        Kind::Enumerated { items, .. } => {
            let named = items.iter().find(|item| item.name == written).map(|item| item.value);
            named.or_else(|| written.parse().ok()).ok_or("one of its names")?
        }
        _ => {
            let quoted = format!("\"{}\"", written.replace('\\', "\\\\").replace('"', "\\\""));
            let read = jer::read(plan, memory, ty, quoted.as_bytes())
                .or_else(|_| jer::read(plan, memory, ty, text))
                .map_err(|_| "a value of its type")?;
            return Ok(*memory.slot(read.root));
        }
    };
    Ok(Slot::number(number))
}

/// Returns all of them, or all mistakes.
pub(crate) fn collect<T>(
    items: impl Iterator<Item = Result<T, Diagnostic>>,
) -> Result<Vec<T>, Vec<Diagnostic>> {
    let (mut made, mut mistakes) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Ok(item) => made.push(item),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if mistakes.is_empty() { Ok(made) } else { Err(mistakes) }
}

fn is_text(kind: &Kind) -> bool {
    use TextKind::{Ia5, Numeric, Printable, Utf8, Visible};
    matches!(kind, Kind::Text(Utf8 | Ia5 | Numeric | Printable | Visible) | Kind::Time(_))
}
