//! Writes records as XML.

use std::sync::Arc;

use asn1::{Plan, contents, jer};
use record::{Field, Kind, Memory, Record, SlotIndex, State, TypeId};

use super::read::REALS;
use super::{CONTROLS, stands_alone, tag};
use crate::coding::{Output, Writer};
use crate::error::WriteError;

pub(crate) struct XmlOutput {
    pub(crate) plan: Arc<Plan>,
}

impl Output for XmlOutput {
    fn extension(&self) -> &str {
        "xml"
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(XmlWriter { plan: &self.plan, value: Vec::new() })
    }
}

struct XmlWriter<'o> {
    plan: &'o Plan,
    value: Vec<u8>,
}

impl Writer for XmlWriter<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n");
    }

    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let plan = self.plan;
        self.element(tag(plan.schema(), record.ty), memory, record.ty, record.root, out)?;
        out.push(b'\n');
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"</records>\n");
    }
}

impl XmlWriter<'_> {
    fn element(
        &mut self,
        name: &str,
        memory: &Memory<'_>,
        ty: TypeId,
        at: SlotIndex,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        open(name, out);
        self.value(memory, ty, at, out)?;
        out.extend_from_slice(b"</");
        out.extend_from_slice(name.as_bytes());
        out.push(b'>');
        Ok(())
    }

    fn value(
        &mut self,
        memory: &Memory<'_>,
        ty: TypeId,
        at: SlotIndex,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let plan = self.plan;
        match plan.schema().kind(ty) {
            Kind::Sequence(fields) | Kind::Set(fields) => {
                self.components(memory, ty, fields, at, out)
            }
            Kind::Choice(fields) => {
                let Some((place, value)) = memory.chosen(at) else {
                    let ty = plan.schema().get(ty).name.as_str();
                    return Err(WriteError::NotChosen(ty.into()));
                };
                let field = &fields[place];
                self.element(&field.name, memory, field.ty, value, out)
            }
            Kind::SequenceOf(element) | Kind::SetOf(element) => {
                for position in 0..memory.count(at) {
                    let value = memory.element(at, position);
                    let Some(value) = value.filter(|value| memory.slot(*value).is_present()) else {
                        let ty = plan.schema().get(ty).name.clone();
                        return Err(jer::WriteError::MissingElement { ty, position }.into());
                    };
                    match stands_alone(plan.schema().kind(*element)) {
                        true => self.value(memory, *element, value, out)?,
                        false => {
                            let name = tag(plan.schema(), *element);
                            self.element(name, memory, *element, value, out)?;
                        }
                    }
                }
                Ok(())
            }
            kind => self.leaf(memory, ty, kind, at, out),
        }
    }

    fn components(
        &mut self,
        memory: &Memory<'_>,
        ty: TypeId,
        fields: &[Field],
        at: SlotIndex,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let made = memory.slot(at).state == State::Made;
        for (place, field) in fields.iter().enumerate() {
            let value = memory.component(at, place);
            if let Some(value) = value.filter(|at| memory.slot(*at).is_present()) {
                self.element(&field.name, memory, field.ty, value, out)?;
            } else if made && field.is_required() {
                let ty = self.plan.schema().get(ty).name.clone();
                return Err(jer::WriteError::Missing { ty, field: field.name.clone() }.into());
            }
        }
        Ok(())
    }

    /// Returns the contents octets of a value if X.690 allows them.
    fn sound<'m>(
        &self,
        memory: &'m Memory<'_>,
        ty: TypeId,
        at: SlotIndex,
    ) -> Result<&'m [u8], WriteError> {
        let record::Type { name, kind } = self.plan.schema().get(ty);
        let octets = memory.octets(at)?;
        contents::check(kind, octets)
            .map_err(|reason| jer::WriteError::Value { ty: name.clone(), reason })?;
        Ok(octets)
    }

    fn leaf(
        &mut self,
        memory: &Memory<'_>,
        ty: TypeId,
        kind: &Kind,
        at: SlotIndex,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        match kind {
            Kind::Null => return self.sound(memory, ty, at).map(drop),
            Kind::BitString { .. } => {
                let (unused, bits) = self.sound(memory, ty, at)?.split_first().unwrap_or((&0, &[]));
                let count = bits.len() * 8 - usize::from(*unused);
                let bit = |place: usize| b'0' + (bits[place / 8] >> (7 - place % 8) & 1);
                out.extend((0..count).map(bit));
                return Ok(());
            }
            Kind::Text(_) | Kind::Time(_) => {}
            _ => {}
        }
        self.value.clear();
        let value = Record { ty, root: at };
        jer::write(self.plan, memory, value, jer::Options::default(), &mut self.value)?;
        let text = match self.value.as_slice() {
            [b'"', inner @ .., b'"'] => inner,
            whole => whole,
        };
        match kind {
            // The names are empty elements.
            Kind::Boolean | Kind::Enumerated { .. }
                if !text.first().is_some_and(|first| first.is_ascii_digit() || *first == b'-') =>
            {
                empty(&String::from_utf8_lossy(text), out);
            }
            Kind::Real => match REALS.iter().find(|(_, written)| written.as_bytes() == text) {
                Some((name, _)) => empty(name, out),
                None => out.extend_from_slice(text),
            },
            Kind::Text(_) | Kind::Time(_) => escape_json(text, out),
            _ => out.extend_from_slice(text),
        }
        Ok(())
    }
}

fn open(name: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

fn empty(name: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"/>");
}

/// Appends the text of a JSON string as XML text.
fn escape_json(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text.iter();
    while let Some(octet) = rest.next() {
        let character = match octet {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'u') => {
                    let digits: String =
                        rest.by_ref().take(4).map(|digit| char::from(*digit)).collect();
                    let code = u32::from_str_radix(&digits, 16).unwrap_or(0xFFFD);
                    if let Some(name) = CONTROLS.get(code as usize) {
                        empty(name, out);
                        continue;
                    }
                    let shown = char::from_u32(code).unwrap_or('\u{FFFD}');
                    out.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
                    continue;
                }
                Some(other) => *other,
                None => break,
            },
            octet => *octet,
        };
        match character {
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'\r' => out.extend_from_slice(b"&#13;"),
            other => out.push(other),
        }
    }
}
