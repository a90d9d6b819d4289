//! Records as JSON text (JER, X.697).
//!
//! The value of an open type has the form of the type from the table that constrains it (X.682, 10). Without a table,
//! it is its element in hexadecimal, for which X.697 has no form.

mod correct;
mod json;
mod read;
mod text;
mod values;

use std::borrow::Cow;

pub use correct::correct;
pub use read::{ReadError, read, read_as, read_extensible};
use reason::Coded;
use record::shape::Digits;
use record::{Arena, Kind, Memory, Record, SlotIndex, State, TextKind, TypeId, integer_octets};

use crate::Plan;
use crate::ber::Decoder;
use crate::contents::{self, Fault};
use crate::plan::Element;

/// Deviations from X.697 in the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Show octet strings with telephone digits, two per octet with the lower half first (TBCD, 3GPP TS 29.002), as
    /// digits. These are the types with "TBCD", "IMSI", "IMEI" or "MSISDN" in their name.
    pub tbcd_as_digits: bool,
}

/// A record that has no JSON form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("json-write")]
pub enum WriteError {
    /// A value's octets are not of its type.
    #[error("\"{ty}\": {reason}")]
    Value {
        /// The value's type.
        ty: String,
        /// The reason.
        #[coded]
        reason: Fault,
    },
    /// A list made by a script has an absent element.
    #[error("element {position} of \"{ty}\" is absent")]
    MissingElement {
        /// The list's type.
        ty: String,
        /// The index, from 0.
        position: usize,
    },
    /// A structure made by a script lacks a component that the module requires.
    #[error("\"{field}\" of \"{ty}\" is missing, and is not OPTIONAL")]
    Missing {
        /// The structure's type.
        ty: String,
        /// The component that is missing.
        field: String,
    },
}

/// Appends a record as one JSON value, without a line end.
pub fn write(
    plan: &Plan,
    memory: &Memory<'_>,
    record: Record,
    options: Options,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let mut writer = JerWriter { plan, memory, options, out, contained: 0 };
    writer.value(record.ty, record.root)
}

struct JerWriter<'w> {
    plan: &'w Plan,
    memory: &'w Memory<'w>,
    options: Options,
    out: &'w mut Vec<u8>,
    /// The number of open values around the current one.
    contained: u32,
}

/// Maximum nesting of decoded values of open types; deeper values are shown as octets. Each is decoded separately, so
/// nothing else bounds this.
const CONTAINED_MAX: u32 = 16;

impl JerWriter<'_> {
    fn value(&mut self, ty: TypeId, at: SlotIndex) -> Result<(), WriteError> {
        match self.plan.schema().kind(ty) {
            Kind::Sequence(fields) | Kind::Set(fields) => self.structure(ty, fields, at),
            Kind::Choice(fields) => self.choice(ty, fields, at),
            Kind::SequenceOf(element) | Kind::SetOf(element) => self.list(ty, *element, at),
            kind => self.leaf(ty, kind, at),
        }
    }

    fn structure(
        &mut self,
        ty: TypeId,
        fields: &[record::Field],
        at: SlotIndex,
    ) -> Result<(), WriteError> {
        self.out.push(b'{');
        let made = self.memory.slot(at).state == State::Made;
        let mut first = true;
        for (place, field) in fields.iter().enumerate() {
            let value = self.memory.component(at, place);
            let Some(value) = value.filter(|at| self.memory.slot(*at).is_present()) else {
                if made && field.is_required() {
                    return Err(WriteError::Missing {
                        ty: self.name(ty),
                        field: field.name.clone(),
                    });
                }
                continue;
            };
            if !first {
                self.out.push(b',');
            }
            first = false;
            text::string(self.out, &field.name);
            self.out.push(b':');
            if !self.contained(at, field.ty, value) {
                self.value(field.ty, value)?;
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Writes the value of an open type as the type from a table. Returns `false` if there is none, or the octets do
    /// not fit.
    fn contained(&mut self, structure: SlotIndex, ty: TypeId, at: SlotIndex) -> bool {
        if self.contained == CONTAINED_MAX {
            return false;
        }
        let Some(element) = key_of(self.plan, self.memory, structure, ty) else { return false };
        let Ok(octets) = self.memory.octets(at) else { return false };
        let mut arena = Arena::new();
        let decoded = Decoder::of(self.plan, element).decode_first(octets, &mut arena);
        let Some((record, _)) = decoded.ok().filter(|(_, end)| *end == octets.len()) else {
            return false;
        };
        let start = self.out.len();
        let memory = Memory::new(octets, &mut arena);
        let mut inner = JerWriter {
            plan: self.plan,
            memory: &memory,
            options: self.options,
            out: self.out,
            contained: self.contained + 1,
        };
        let written = inner.value(record.ty, record.root).is_ok();
        if !written {
            self.out.truncate(start);
        }
        written
    }

    fn choice(
        &mut self,
        ty: TypeId,
        fields: &[record::Field],
        at: SlotIndex,
    ) -> Result<(), WriteError> {
        let chosen =
            self.memory.chosen(at).and_then(|(place, value)| Some((fields.get(place)?, value)));
        let Some((field, value)) = chosen else {
            return Err(self.wrong(ty, "no alternative is chosen".into()));
        };
        self.out.push(b'{');
        text::string(self.out, &field.name);
        self.out.push(b':');
        self.value(field.ty, value)?;
        self.out.push(b'}');
        Ok(())
    }

    fn list(&mut self, ty: TypeId, element: TypeId, at: SlotIndex) -> Result<(), WriteError> {
        self.out.push(b'[');
        for position in 0..self.memory.count(at) {
            if position > 0 {
                self.out.push(b',');
            }
            let value = self.memory.element(at, position);
            let Some(value) = value.filter(|value| self.memory.slot(*value).is_present()) else {
                return Err(WriteError::MissingElement { ty: self.name(ty), position });
            };
            self.value(element, value)?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn leaf(&mut self, ty: TypeId, kind: &Kind, at: SlotIndex) -> Result<(), WriteError> {
        let memory = self.memory;
        let slot = memory.slot(at);
        if slot.state == State::Number {
            values::number(self.out, kind, slot.as_number());
            return Ok(());
        }
        let octets = memory.octets(at).unwrap_or(&[]);
        let name = &self.plan.schema().get(ty).name;
        let written = if self.options.tbcd_as_digits && *kind == Kind::OctetString && is_tbcd(name)
        {
            text::tbcd(self.out, octets);
            Ok(())
        } else {
            values::leaf(self.out, kind, octets)
        };
        written.map_err(|reason| self.wrong(ty, reason))
    }

    #[cold]
    fn name(&self, ty: TypeId) -> String {
        self.plan.schema().get(ty).name.clone()
    }

    #[cold]
    fn wrong(&self, ty: TypeId, reason: Fault) -> WriteError {
        WriteError::Value { ty: self.name(ty), reason }
    }
}

/// Returns a value without parts for display: characters and telephone digits as text, and everything else as in JSON,
/// without quotes. `ty` is the name of its type.
pub(crate) fn shown(ty: &str, kind: &Kind, octets: &[u8]) -> Result<String, Fault> {
    let mut out = Vec::new();
    match kind {
        Kind::Text(TextKind::Universal | TextKind::Bmp) => values::leaf(&mut out, kind, octets)?,
        Kind::Text(_) | Kind::Time(_) => {
            return contents::text(kind, octets).map(Cow::into_owned);
        }
        Kind::BitString { bits, .. } => return shown_bits(bits, octets),
        Kind::OctetString if is_tbcd(ty) => text::tbcd(&mut out, octets),
        kind => values::leaf(&mut out, kind, octets)?,
    }
    let text = String::from_utf8_lossy(&out);
    Ok(text.trim_matches('"').to_owned())
}

/// Returns the bits, first bit first, and the names of those that are set.
fn shown_bits(names: &[(String, u32)], octets: &[u8]) -> Result<String, Fault> {
    let (length, octets) = contents::bits(octets)?;
    let is_set = |bit: usize| octets[bit / 8] >> (7 - bit % 8) & 1 == 1;
    let bits: String = (0..length).map(|bit| if is_set(bit) { '1' } else { '0' }).collect();
    let set = names.iter().filter(|(_, bit)| (*bit as usize) < length && is_set(*bit as usize));
    let set: Vec<&str> = set.map(|(name, _)| name.as_str()).collect();
    Ok(if set.is_empty() { bits } else { format!("{bits} ({})", set.join(", ")) })
}

/// Returns the type of an open type's value, by its selector.
fn key_of(plan: &Plan, memory: &Memory<'_>, structure: SlotIndex, ty: TypeId) -> Option<Element> {
    let key = memory.component(structure, plan.selector(ty)?)?;
    if memory.slot(key).state == State::Number {
        return plan.contained(ty, integer_octets(memory.slot(key).as_number()).as_slice());
    }
    plan.contained(ty, memory.octets(key).ok()?)
}

/// Returns how octets of a type with this name are written if they hold telephone digits; `None` for other types.
pub fn digits(name: &str, options: Options) -> Option<Digits> {
    let written = if options.tbcd_as_digits { Digits::Plain } else { Digits::Packed };
    is_tbcd(name).then_some(written)
}

fn is_tbcd(name: &str) -> bool {
    ["TBCD", "IMSI", "IMEI", "MSISDN"].iter().any(|word| name.contains(word))
}
