//! Reads records from JSON text (JER, X.697).

use std::collections::BTreeMap;

use reason::Coded;
use record::{Field, Kind, Memory, Record, SlotIndex, TextKind, TypeId, integer_octets};

use super::json::Json;
use super::{Options, is_tbcd, key_of};
use crate::ber::Encoder;
use crate::{Integer, Plan};

/// Maximum characters of a value in a message.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// JSON that is not a record of the type.
#[derive(Debug, thiserror::Error, Coded)]
#[code("json")]
pub enum ReadError {
    /// The text is not JSON.
    #[error("this is not JSON")]
    Json(#[from] serde_json::Error),
    /// A value does not have the form of its type.
    #[error("\"{path}\"{of}: expected {expected}, found {found}", of = of(path, ty))]
    Value {
        /// The names on the path to the value; the name of its type for the whole record.
        path: String,
        /// The value's type.
        ty: String,
        /// The form that X.697 requires.
        expected: &'static str,
        /// The text that was found.
        found: String,
    },
    /// A structure has no such component, or a choice no such alternative.
    #[error("\"{ty}\" has no field {name:?}")]
    NoField {
        /// The structure's type.
        ty: String,
        /// The name.
        name: String,
    },
    /// A number was read as floating point and may have lost digits.
    #[error("a number may have lost digits")]
    Inexact,
}

/// Returns the type of a value in parentheses, unless the path is already its name.
fn of(path: &str, ty: &str) -> String {
    if path == ty { String::new() } else { format!(" ({ty})") }
}

impl ReadError {
    /// Adds the name of the enclosing value to the path.
    #[cold]
    pub(super) fn within(mut self, name: &str) -> Self {
        if let ReadError::Value { path, .. } = &mut self {
            *path = match path.as_str() {
                "" => name.to_owned(),
                path if path.starts_with('[') => format!("{name}{path}"),
                path => format!("{name}.{path}"),
            };
        }
        self
    }
}

/// Reads one JSON value as a record. Nesting is bounded by the JSON reader (128).
pub fn read(
    plan: &Plan,
    memory: &mut Memory<'_>,
    ty: TypeId,
    text: &[u8],
) -> Result<Record, ReadError> {
    read_as(plan, memory, ty, Options::default(), text)
}

/// Like [`read`], for text that was written with these options.
pub fn read_as(
    plan: &Plan,
    memory: &mut Memory<'_>,
    ty: TypeId,
    options: Options,
    text: &[u8],
) -> Result<Record, ReadError> {
    read_by(&mut Reader { plan, options, memory, unknown: None }, ty, text)
}

/// Like [`read_as`], for text written with a later module version. Unknown names in extensible types are skipped, like
/// unknown elements in BER. `unknown` receives the type and name of each, possibly twice.
pub fn read_extensible(
    plan: &Plan,
    memory: &mut Memory<'_>,
    ty: TypeId,
    options: Options,
    text: &[u8],
    unknown: &mut dyn FnMut(TypeId, &str),
) -> Result<Record, ReadError> {
    read_by(&mut Reader { plan, options, memory, unknown: Some(unknown) }, ty, text)
}

fn read_by(reader: &mut Reader<'_, '_, '_>, ty: TypeId, text: &[u8]) -> Result<Record, ReadError> {
    let json = Json::read(text).map_err(ReadError::Json);
    match json.and_then(|json| reader.whole(ty, &json)) {
        Err(error @ (ReadError::Inexact | ReadError::Json(_))) => {
            read_exactly(reader, ty, text, error)
        }
        read => read,
    }
}

/// Reads again with all digits of numbers, which is rarely needed.
#[cold]
fn read_exactly(
    reader: &mut Reader<'_, '_, '_>,
    ty: TypeId,
    text: &[u8],
    first: ReadError,
) -> Result<Record, ReadError> {
    match (Json::read_exactly(text), first) {
        (Ok(json), _) => reader.whole(ty, &json),
        // The first error has offsets in the original text.
        (Err(_), first @ ReadError::Json(_)) => Err(first),
        (Err(error), _) => Err(error.into()),
    }
}

pub(super) struct Reader<'r, 'm, 'u> {
    pub(super) plan: &'r Plan,
    pub(super) options: Options,
    pub(super) memory: &'r mut Memory<'m>,
    /// Called for each skipped name; `None` rejects unknown names.
    pub(super) unknown: Option<&'u mut Unknown<'u>>,
}

/// Receives the type and name of a member that the module does not define.
type Unknown<'u> = dyn FnMut(TypeId, &str) + 'u;

impl<'r> Reader<'r, '_, '_> {
    fn whole(&mut self, ty: TypeId, json: &Json) -> Result<Record, ReadError> {
        let record = self.memory.create(ty);
        let name = &self.plan.schema().get(ty).name;
        let read = self.value(record.ty, record.root, json);
        read.map(|()| record).map_err(|error| error.within(name))
    }

    pub(super) fn value(
        &mut self,
        ty: TypeId,
        at: SlotIndex,
        value: &Json,
    ) -> Result<(), ReadError> {
        let plan: &'r Plan = self.plan;
        match (plan.schema().kind(ty), value) {
            (Kind::Sequence(fields) | Kind::Set(fields), Json::Object(members)) => {
                let frame = self.memory.make_structure(at, fields.len());
                // The selector of an open value is read before it, whatever their order.
                for open in [false, true] {
                    for (name, value) in members {
                        let place = match self.place(ty, fields, name) {
                            Err(_) if self.passes_over(ty) => {
                                if let Some(unknown) = self.unknown.as_mut().filter(|_| !open) {
                                    unknown(ty, name);
                                }
                                continue;
                            }
                            place => place?,
                        };
                        let field = &fields[place];
                        if (plan.schema().kind(field.ty) == &Kind::Open) == open {
                            let slot = SlotIndex(frame.0 + place as u32);
                            self.component(at, field.ty, slot, value)
                                .map_err(|error| error.within(name))?;
                        }
                    }
                }
                Ok(())
            }
            (Kind::Choice(fields), Json::Object(members)) if members.len() == 1 => {
                let (name, value) = members.iter().next().expect("one member");
                let place = self.place(ty, fields, name)?;
                let slot = self.memory.make_choice(at, place);
                self.value(fields[place].ty, slot, value).map_err(|error| error.within(name))
            }
            (Kind::SequenceOf(element) | Kind::SetOf(element), Json::Array(values)) => {
                self.memory.make_list(at);
                for (position, value) in values.iter().enumerate() {
                    let slot = self.memory.append(at);
                    self.value(*element, slot, value)
                        .map_err(|error| error.within(&format!("[{position}]")))?;
                }
                Ok(())
            }
            (kind, value) => self.leaf(ty, kind, at, value),
        }
    }

    /// Reads a component. The value of an open type may have the form of the type from a table.
    pub(super) fn component(
        &mut self,
        structure: SlotIndex,
        ty: TypeId,
        at: SlotIndex,
        value: &Json,
    ) -> Result<(), ReadError> {
        let plan: &'r Plan = self.plan;
        let Some(element) = key_of(plan, self.memory, structure, ty) else {
            return self.value(ty, at, value);
        };
        let contained = self.memory.create(element.ty);
        let mut octets = Vec::new();
        let read = self.value(element.ty, contained.root, value);
        if let Err(ReadError::Inexact) = read {
            return read;
        }
        let read = read.is_ok()
            && Encoder::of(plan, element).encode(self.memory, contained, &mut octets).is_ok();
        match read {
            true => {
                self.memory.set_octets(at, &octets);
                Ok(())
            }
            false => self.value(ty, at, value),
        }
    }

    pub(super) fn leaf(
        &mut self,
        ty: TypeId,
        kind: &Kind,
        at: SlotIndex,
        value: &Json,
    ) -> Result<(), ReadError> {
        let octets = match (kind, value) {
            // Only the digits tell whether this is really zero and which sign it has.
            (Kind::Real, Json::Float(0.0)) => return Err(ReadError::Inexact),
            (Kind::Real, Json::Float(value)) => Some(real(*value)),
            (_, Json::Float(_)) => return Err(ReadError::Inexact),
            (Kind::Boolean, Json::Bool(value)) => {
                self.memory.set_number(at, i64::from(*value));
                return Ok(());
            }
            (Kind::Enumerated { items, .. }, Json::Text(name)) => {
                let item = items.iter().find(|item| item.name == *name);
                item.map(|item| integer_octets(item.value).as_slice().to_vec())
            }
            (Kind::Integer { .. }, Json::Whole(number)) => Some(integer(*number)),
            (Kind::Enumerated { .. }, Json::Whole(number)) => {
                i64::try_from(*number).ok().map(|number| integer(number.into()))
            }
            (Kind::Integer { .. }, Json::Digits(digits)) => whole(digits),
            (Kind::Enumerated { .. }, Json::Digits(digits)) => {
                digits.parse().ok().map(|number: i64| integer(number.into()))
            }
            (Kind::Real, Json::Whole(number)) => Some(real(*number as f64)),
            (Kind::Real, Json::Digits(digits)) => number(digits).map(real),
            (Kind::Real, Json::Text(name)) => match name.as_str() {
                "INF" => Some(vec![0x40]),
                "-INF" => Some(vec![0x41]),
                "NaN" => Some(vec![0x42]),
                "-0" => Some(vec![0x43]),
                _ => None,
            },
            (Kind::Null, Json::Null) => Some(Vec::new()),
            (Kind::OctetString, Json::Text(text)) if self.holds_digits(ty) => tbcd(text),
            (Kind::OctetString | Kind::Open, Json::Text(text)) => hex(text),
            (Kind::BitString { fixed: Some(fixed), .. }, Json::Text(text)) => {
                bits(text, u64::from(*fixed))
            }
            (Kind::BitString { .. }, Json::Object(members)) => measured_bits(members),
            (Kind::ObjectIdentifier, Json::Text(text)) => arcs(text, true),
            (Kind::RelativeObjectIdentifier, Json::Text(text)) => arcs(text, false),
            (Kind::Text(kind), Json::Text(text)) => Some(characters(*kind, text)),
            (Kind::Time(_), Json::Text(text)) => Some(text.as_bytes().to_vec()),
            _ => None,
        };
        let Some(octets) = octets else { return Err(self.wrong(ty, kind, value)) };
        self.memory.set_octets(at, &octets);
        Ok(())
    }

    /// Returns whether a string is shown as its digits.
    fn holds_digits(&self, ty: TypeId) -> bool {
        self.options.tbcd_as_digits && is_tbcd(&self.plan.schema().get(ty).name)
    }

    /// Returns whether unknown names are allowed in a structure.
    #[cold]
    fn passes_over(&self, ty: TypeId) -> bool {
        self.unknown.is_some() && self.plan.is_extensible(ty)
    }

    pub(super) fn place(
        &self,
        ty: TypeId,
        fields: &[Field],
        name: &str,
    ) -> Result<usize, ReadError> {
        fields.iter().position(|field| field.name == name).ok_or_else(|| ReadError::NoField {
            ty: self.plan.schema().get(ty).name.clone(),
            name: name.to_owned(),
        })
    }

    #[cold]
    fn wrong(&self, ty: TypeId, kind: &Kind, found: &Json) -> ReadError {
        let expected = match kind {
            Kind::OctetString if self.holds_digits(ty) => "telephone digits",
            Kind::Boolean => "true or false",
            Kind::Integer { .. } => Integer::EXPECTED,
            Kind::Enumerated { .. } => "one of the enumeration's names, or a number",
            Kind::Null => "null",
            Kind::OctetString | Kind::Open => "hexadecimal digits, two an octet",
            Kind::BitString { fixed: Some(_), .. } => {
                "hexadecimal digits, two an octet, of as many bits as its size says"
            }
            Kind::BitString { .. } => "an object of \"value\" and \"length\"",
            Kind::Sequence(_) | Kind::Set(_) => "an object",
            Kind::Choice(_) => "an object with one member",
            Kind::SequenceOf(_) | Kind::SetOf(_) => "an array",
            Kind::ObjectIdentifier => {
                "numbers with dots between, the first 0, 1 or 2, the second at most 39 behind 0 and 1"
            }
            Kind::RelativeObjectIdentifier => "numbers with dots between",
            Kind::Real => "a number of 64-bit floating point, \"INF\", \"-INF\", \"NaN\" or \"-0\"",
            Kind::Text(_) | Kind::Time(_) => "a string",
        };
        let found: String = found.to_string().chars().take(SHOWN_CHARACTERS_MAX).collect();
        ReadError::Value { path: String::new(), ty: self.plan.schema().shown(ty), expected, found }
    }
}

/// Returns the shortest two's complement form (X.690, 8.3.2).
fn integer(value: i128) -> Vec<u8> {
    let octets = value.to_be_bytes();
    let sign = if value < 0 { 0xFF } else { 0x00 };
    let spare =
        octets.windows(2).take_while(|pair| pair[0] == sign && (pair[1] ^ sign) & 0x80 == 0);
    octets[spare.count()..].to_vec()
}

/// Returns the binary form with base 2 and an odd mantissa, as in DER (X.690, 8.5.7 and 11.3.1).
fn real(value: f64) -> Vec<u8> {
    if value == 0.0 {
        return if value.is_sign_negative() { vec![0x43] } else { Vec::new() };
    }
    let bits = value.to_bits();
    let (stored, fraction) = (bits >> 52 & 0x7FF, bits & ((1 << 52) - 1));
    // Subnormal numbers have no leading bit (IEEE 754).
    let (mantissa, exponent) = match stored {
        0 => (fraction, -1074),
        stored => (fraction | 1 << 52, stored as i64 - 1075),
    };
    let shift = mantissa.trailing_zeros();
    let exponent = integer(i128::from(exponent + i64::from(shift)));
    let first = 0x80 | if value < 0.0 { 0x40 } else { 0 } | (exponent.len() as u8 - 1);
    let mantissa = (mantissa >> shift).to_be_bytes();
    let digits = mantissa.iter().skip_while(|octet| **octet == 0);
    std::iter::once(first).chain(exponent).chain(digits.copied()).collect()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Parses telephone digits as [`text::tbcd`](super::text::tbcd) writes them.
fn tbcd(text: &str) -> Option<Vec<u8>> {
    let half = |digit: u8| super::text::TBCD.iter().position(|known| *known == digit);
    let halves: Vec<u8> = text.bytes().map(|d| half(d).map(|h| h as u8)).collect::<Option<_>>()?;
    Some(halves.chunks(2).map(|pair| pair.get(1).unwrap_or(&15) << 4 | pair[0]).collect())
}

/// Returns the contents octets of a BIT STRING from its hexadecimal form; the unused-bit count comes first.
fn bits(text: &str, length: u64) -> Option<Vec<u8>> {
    let octets = hex(text)?;
    let all = octets.len() as u64 * 8;
    let unused = all.checked_sub(length).filter(|unused| *unused < 8)?;
    Some(std::iter::once(unused as u8).chain(octets).collect())
}

/// Like [`bits`], from `{"value": …, "length": …}`.
fn measured_bits(members: &BTreeMap<String, Json>) -> Option<Vec<u8>> {
    let length = match members.get("length")? {
        Json::Whole(length) => u64::try_from(*length).ok()?,
        Json::Digits(digits) => digits.parse().ok()?,
        _ => return None,
    };
    match members.get("value")? {
        Json::Text(text) if members.len() == 2 => bits(text, length),
        _ => None,
    }
}

/// Returns the octets of an integer of any size.
fn whole(digits: &str) -> Option<Vec<u8>> {
    Some(match Integer::parse(digits)? {
        Integer::Number(number) => integer(number.into()),
        Integer::Octets(octets) => octets,
    })
}

/// Returns the nearest floating-point number; `None` if the value overflows or underflows.
fn number(digits: &str) -> Option<f64> {
    let value: f64 = digits.parse().ok()?;
    let mut mantissa = digits.split(['e', 'E']).next().unwrap_or_default().bytes();
    let is_zero = mantissa.all(|digit| !(b'1'..=b'9').contains(&digit));
    (value.is_finite() && (value != 0.0 || is_zero)).then_some(value)
}

/// Maximum second arc below a first arc of 0 or 1 (X.660, A.2.2.2).
const SECOND_ARC_MAX: u128 = 39;

// X.690, 8.19 and 8.20.
fn arcs(text: &str, absolute: bool) -> Option<Vec<u8>> {
    let arc = |arc: &str| match arc.bytes().all(|digit| digit.is_ascii_digit()) {
        true => arc.parse::<u128>().ok(),
        false => None,
    };
    let mut arcs = text.split('.').map(arc).collect::<Option<Vec<_>>>()?;
    if absolute {
        let [top, second, rest @ ..] = arcs.as_slice() else { return None };
        let is_known = *top == 2 || (*top < 2 && *second <= SECOND_ARC_MAX);
        let first = top.checked_mul(40)?.checked_add(*second).filter(|_| is_known)?;
        arcs = std::iter::once(first).chain(rest.iter().copied()).collect();
    }
    let mut octets = Vec::new();
    for arc in arcs {
        let septets = (128 - arc.leading_zeros()).div_ceil(7).max(1);
        for septet in (0..septets).rev() {
            let more = if septet == 0 { 0 } else { 0x80 };
            octets.push((arc >> (7 * septet)) as u8 & 0x7F | more);
        }
    }
    Some(octets)
}

fn characters(kind: TextKind, text: &str) -> Vec<u8> {
    match kind {
        TextKind::Universal => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        TextKind::Bmp => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => text.as_bytes().to_vec(),
    }
}
